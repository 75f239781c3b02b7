/* SPDX-License-Identifier: Apache-2.0
 *
 * build_layout.c: Concat (4 to 13) and Transpose (1 to 25), which move elements and compute
 * nothing.
 */
#include <stdlib.h>
#include "nn.h"

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

/* Blocked storage is legal unless channels are joined inside a block. */
static int concat_blockable(const TsrNodeView *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!nn_is_picture(node->inputs[i]) || !tsr_desc_is_static(node->inputs[i]))
            return 0;
        if (concat_axis(node) == 1 && node->inputs[i]->shape[1] % TSR_NPU_C0 != 0)
            return 0;
    }
    return 1;
}

static void concat_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    if (!concat_blockable(node))
        return;
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0 }, 1);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect concat_select = NN_SELECT_CUSTOMIZE(concat_columns);

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
        const uint32_t args[2] = { TSR_ARG_INPUT | i, TSR_ARG_OUTPUT | 0 };
        const TsrTensorDesc *x = node->inputs[i];
        int32_t status;
        if (x->storage_format != y->storage_format && (nn_is_blocked(x) || nn_is_blocked(y)))
            return sink->fail(sink, TSR_UNSUPPORTED, "Concat '%s': input %u is %s, the result %s",
                              node->name, i, tsr_format_name(x->storage_format),
                              tsr_format_name(y->storage_format));
        if (nn_is_blocked(x) && !concat_blockable(node))
            return sink->fail(sink, TSR_UNSUPPORTED,
                              "Concat '%s': channels of input %u do not fill blocks", node->name,
                              i);
        p.row_bytes = p.source_step = unit * x->storage_shape[axis];
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

static int32_t transpose_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrTensorDesc *x = node->inputs[0];
    int64_t strides[TSR_MAX_RANK];
    uint32_t count, rank = 0;
    const int64_t *perm = tsr_attr_ints(node, "perm", &count);
    TsrTransposeParams p = { .struct_size = sizeof(p) };
    (void)op;
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
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_TRANSPOSE_B32, x->dtype),
                   nn_block_dim(sink,
                                tsr_shape_elements(rank - 2, p.shape) *
                                    nn_ceil_div(p.shape[rank - 2], 16),
                                (double)tsr_desc_elements(x)),
                   args, 2, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "Concat", .domain = "", .min_version = 1, .max_version = 13,
      .dtypes = NN_FLOATS,
      .check = concat_check, .build = concat_build, .select = &concat_select },
    { .op_type = "Transpose", .domain = "", .min_version = 1, .max_version = 25,
      .dtypes = NN_FLOATS, .build = transpose_build },
};

const NnOpTable nn_layout_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
