/* SPDX-License-Identifier: Apache-2.0
 *
 * build_layout.c: Concat (4 to 13) and Transpose (1 to 25), which move elements and compute
 * nothing. Concat joins blocked pictures at any channel; a Transpose between NCHW and NHWC
 * takes its picture from NC1HWC0 or leaves it there.
 */
#include <stdlib.h>
#include "window_move.h"

/* ----------------------------------------------------------------- Concat */

static int64_t concat_axis(const TsrNodeView *node)
{
    return tsr_axis_normalize(tsr_attr_int(node, "axis", 1), node->outputs[0]->rank);
}

static void concat_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (node->input_count == 0 || node->outputs[0]->rank == 0 || concat_axis(node) < 0)
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "no input, or axis is out of range");
}

/* Blocked storage is legal for pictures. */
static int concat_blockable(const TsrNodeView *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (!nn_is_picture(node->inputs[i]) || !tsr_desc_is_static(node->inputs[i]))
            return 0;
    return 1;
}

/* Whether nothing is joined inside a block, nor has to be blocked first: windows and constants
 * have a kernel for floats only. */
static int fills_blocks(const TsrNodeView *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (nn_value(node, i) != NULL ||
            (concat_axis(node) == 1 && node->inputs[i]->shape[1] % TSR_NPU_C0 != 0))
            return 0;
    return 1;
}

/* Constants stay plain: they are blocked when the tasks are built, or are only a fill. */
static void concat_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    uint64_t blocked = 0;
    (void)op;
    if (!concat_blockable(node) || node->input_count > 64)
        return;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (nn_value(node, i) == NULL)
            blocked |= UINT64_C(1) << i;
    if (node->outputs[0]->dtype == TSR_DTYPE_FLOAT || fills_blocks(node))
        nn_column_mask(set, node, 5.0f, TSR_FORMAT_NC1HWC0, blocked);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect concat_select = NN_SELECT_CUSTOMIZE(concat_columns);

/* Whether joining blocked pictures is joining whole runs of blocks. */
static int joins_whole_blocks(const TsrNodeView *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (!nn_is_blocked(node->inputs[i]) ||
            (concat_axis(node) == 1 && node->inputs[i]->shape[1] % TSR_NPU_C0 != 0))
            return 0;
    return 1;
}

/* Whether input i is one float over and over. */
static int is_uniform(const TsrNodeView *node, uint32_t i)
{
    const TsrTensor *value = nn_value(node, i);
    const int64_t count = tsr_desc_elements(node->inputs[i]);
    return value != NULL && count > 0 &&
           memcmp(value->data, (const float *)value->data + 1,
                  (size_t)(count - 1) * sizeof(float)) == 0;
}

/* A plain constant as one in NC1HWC0; d becomes its desc. */
static int32_t block_constant(const TsrNodeView *node, uint32_t i, TsrTaskSink *sink,
                              TsrTensorDesc *d, uint32_t *out_arg)
{
    const int64_t *s = node->inputs[i]->shape, plane = s[2] * s[3];
    const int64_t blocks = nn_ceil_div(s[1], TSR_NPU_C0);
    const float *x = node->values[i]->data;
    float *y = calloc((size_t)(s[0] * blocks * plane * TSR_NPU_C0) + 1, sizeof(float));
    int32_t status;
    if (y == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "Concat '%s': no memory for input %u",
                          node->name, i);
    for (int64_t k = 0; k < s[0] * s[1] * plane; k++) {
        const int64_t c = k / plane % s[1];
        y[((k / plane / s[1] * blocks + c / TSR_NPU_C0) * plane + k % plane) * TSR_NPU_C0 +
          c % TSR_NPU_C0] = x[k];
    }
    status = sink->constant(sink, y, (uint64_t)(s[0] * blocks * plane * TSR_NPU_C0) * sizeof(*y),
                            out_arg);
    free(y);
    d->storage_format = TSR_FORMAT_NC1HWC0;
    return status;
}

/* Joins blocked pictures at any channel. An input that is one number everywhere is written
 * by the task of the first other one, which fills the rest of y with it. */
static int32_t concat_move(const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *y = node->outputs[0];
    const uint32_t axis = (uint32_t)concat_axis(node);
    uint32_t filler = 0;
    int64_t place = 0;
    int fill;
    NnWindowMove m;
    while (filler < node->input_count && !is_uniform(node, filler))
        filler++;
    fill = filler < node->input_count;
    for (uint32_t i = 0; i < node->input_count; i++) {
        TsrTensorDesc d = *node->inputs[i];
        uint32_t arg = TSR_ARG_INPUT | i;
        int32_t status = TSR_OK;
        place += i > 0 ? node->inputs[i - 1]->shape[axis] : 0;
        if (i == filler || tsr_desc_elements(&d) == 0)
            continue;
        if (!nn_is_blocked(&d))
            status = block_constant(node, i, sink, &d, &arg);
        if (status != TSR_OK)
            return status;
        m = nn_window_whole(&d, y, arg, TSR_ARG_OUTPUT | 0);
        m.y_first[axis] = place;
        m.fill = fill;
        if (fill)
            memcpy(&m.value, node->values[filler]->data, sizeof(m.value));
        fill = 0;
        status = nn_build_window(sink, &m);
        if (status != TSR_OK)
            return status;
    }
    if (!fill)
        return TSR_OK;
    m = nn_window_whole(y, y, TSR_ARG_NULL, TSR_ARG_OUTPUT | 0);
    m.fill = 1;
    memcpy(&m.value, node->values[filler]->data, sizeof(m.value));
    return nn_build_window(sink, &m);
}

static int32_t concat_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *y = node->outputs[0];
    const uint32_t axis = (uint32_t)concat_axis(node);
    const int64_t unit = tsr_dtype_bits(y->dtype) / 8 *
                         tsr_shape_elements(y->storage_rank - axis - 1,
                                                y->storage_shape + axis + 1);
    TsrCopyRowsParams p = { .struct_size = sizeof(p),
                            .rows = tsr_shape_elements(axis, y->storage_shape),
                            .target_step = unit * y->storage_shape[axis] };
    (void)op;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const TsrTensorDesc *x = node->inputs[i];
        if (x->storage_format != y->storage_format && (nn_is_blocked(x) || nn_is_blocked(y)) &&
            (nn_is_blocked(x) || nn_value(node, i) == NULL))
            return sink->fail(sink, TSR_UNSUPPORTED, "Concat '%s': input %u is %s, the result %s",
                              node->name, i, tsr_format_name(x->storage_format),
                              tsr_format_name(y->storage_format));
    }
    if (nn_is_blocked(y) && !joins_whole_blocks(node))
        return concat_move(node, sink);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t args[2] = { TSR_ARG_INPUT | i, TSR_ARG_OUTPUT | 0 };
        int32_t status;
        p.row_bytes = p.source_step = unit * node->inputs[i]->storage_shape[axis];
        if (p.row_bytes == 0)
            continue;
        status = nn_task(sink, TSR_KERNEL_COPY_ROWS,
                         nn_block_dim(sink, p.rows * nn_ceil_div(p.row_bytes, 16384),
                                      (double)p.rows * (double)p.row_bytes / 4.0),
                         args, 2, &p, sizeof(p));
        if (status != TSR_OK)
            return status;
        p.y_offset += p.row_bytes;
    }
    return TSR_OK;
}

/* -------------------------------------------------------------- Transpose */

enum { TO_NHWC = 1, TO_NCHW = 2 };

/* Which of the two orders of a picture the Transpose turns into the other; 0: none. */
static int turns_picture(const TsrNodeView *node)
{
    static const int64_t to_nhwc[4] = { 0, 2, 3, 1 }, to_nchw[4] = { 0, 3, 1, 2 };
    uint32_t count;
    const int64_t *perm = tsr_attr_ints(node, "perm", &count);
    if (count != 4)
        return 0;
    return memcmp(perm, to_nhwc, sizeof(to_nhwc)) == 0   ? TO_NHWC
           : memcmp(perm, to_nchw, sizeof(to_nchw)) == 0 ? TO_NCHW
                                                         : 0;
}

/* From NC1HWC0 to plain NHWC and back is one move, as of a TransData. */
static void transpose_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    const int turn = turns_picture(node);
    (void)op;
    if (turn == TO_NHWC && nn_is_picture(node->inputs[0]))
        nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0, TSR_FORMAT_ND }, 2);
    else if (turn == TO_NCHW && nn_is_picture(node->outputs[0]))
        nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND, TSR_FORMAT_NC1HWC0 }, 2);
    else
        return;
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect transpose_select = NN_SELECT_CUSTOMIZE(transpose_columns);

/* The plain side of the move as the picture that the blocked side is, stored as NHWC. */
static TsrTensorDesc as_nhwc(const TsrTensorDesc *blocked, const TsrTensorDesc *plain)
{
    TsrTensorDesc d = *blocked;
    d.storage_format = TSR_FORMAT_NHWC;
    d.storage_rank = plain->rank;
    d.storage_shape = plain->shape;
    return d;
}

static int32_t transpose_blocked(const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    const int turn = turns_picture(node);
    const int from = turn == TO_NHWC && nn_is_blocked(x) && !nn_is_internal(y);
    TsrTensorDesc plain;
    if (!from && (turn != TO_NCHW || !nn_is_blocked(y) || nn_is_internal(x)))
        return sink->fail(sink, TSR_UNSUPPORTED, "Transpose '%s': %s to %s", node->name,
                          tsr_format_name(x->storage_format), tsr_format_name(y->storage_format));
    plain = as_nhwc(from ? x : y, from ? y : x);
    return nn_build_transdata(sink, node->name, from ? x : &plain, from ? &plain : y, 0,
                              TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0);
}

static int32_t transpose_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrTensorDesc *x = node->inputs[0];
    int64_t strides[TSR_MAX_RANK];
    uint32_t count, rank = 0;
    const int64_t *perm = tsr_attr_ints(node, "perm", &count);
    TsrTransposeParams p = { .struct_size = sizeof(p) };
    (void)op;
    if (nn_is_blocked(x) || nn_is_blocked(node->outputs[0]))
        return transpose_blocked(node, sink);
    if (count != 0 && count != x->rank)
        return sink->fail(sink, TSR_INVALID_ARGUMENT,
                          "Transpose '%s': perm has %u entries, X rank %u", node->name,
                          count, x->rank);
    tsr_shape_strides(x->rank, x->shape, strides);
    /* Dims of extent 1 vanish; neighbours that stay neighbours become one. */
    for (uint32_t i = 0; i < x->rank; i++) {
        const int64_t from = count != 0 ? perm[i] : (int64_t)x->rank - 1 - i;
        if (from < 0 || from >= (int64_t)x->rank)
            return sink->fail(sink, TSR_INVALID_ARGUMENT, "Transpose '%s': perm[%u] is %lld",
                              node->name, i, (long long)from);
        if (x->shape[from] == 1)
            continue;
        if (rank > 0 && p.x_step[rank - 1] == strides[from] * x->shape[from]) {
            p.shape[rank - 1] *= x->shape[from];
            p.x_step[rank - 1] = strides[from];
            continue;
        }
        p.shape[rank] = x->shape[from];
        p.x_step[rank++] = strides[from];
    }
    /* The kernel wants a matrix at least. */
    while (rank < 2) {
        memmove(p.shape + 1, p.shape, rank * sizeof(int64_t));
        memmove(p.x_step + 1, p.x_step, rank * sizeof(int64_t));
        p.shape[0] = 1;
        p.x_step[0] = rank == 0 ? 1 : 0;
        rank++;
    }
    p.rank = rank;
    return nn_task(sink, tsr_dtype_bits(x->dtype) == 8
                             ? TSR_KERNEL_TRANSPOSE_B8
                             : nn_kernel_of(TSR_KERNEL_TRANSPOSE_B32, x->dtype),
                   nn_block_dim(sink,
                                tsr_shape_elements(rank - 2, p.shape) *
                                    nn_ceil_div(p.shape[rank - 2], 16),
                                (double)tsr_desc_elements(x)),
                   args, 2, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "Concat", .domain = "", .min_version = 1, .max_version = 13,
      .dtypes = NN_FLOATS | TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8),
      .check = concat_check, .build = concat_build, .select = &concat_select },
    { .op_type = "Transpose", .domain = "", .min_version = 1, .max_version = 25,
      .dtypes = NN_FLOATS | TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8),
      .build = transpose_build, .select = &transpose_select },
};

const NnOpTable nn_layout_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
