/* SPDX-License-Identifier: Apache-2.0
 *
 * build_quant_eltwise.c: QAdd, QClip and QPool of tessera.nn, and MaxPool on bytes, as tasks
 * of ADD_I8 and POOL2D_I8.
 */
#include "quantized.h"

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO };

/* A pair of scale and zero point of one element each. */
static int check_pair(const TsrNodeView *node, int scale, uint32_t dtype, TsrSupport *out_support)
{
    return nn_q_check_constant(node, scale, 0, TSR_DTYPE_FLOAT, 1, "a scale", out_support) &&
           nn_q_check_constant(node, scale + 1, 0, dtype, 1, "a zero point", out_support);
}

static void add_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *a = nn_input(node, A), *b = nn_input(node, B), *y = node->outputs[0];
    (void)op;
    if (node->input_count != Y_ZERO + 1 || a == NULL || b == NULL || !nn_is_byte(a->dtype) ||
        !nn_is_byte(b->dtype) || !nn_is_byte(y->dtype)) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "operands have to be uint8 or int8");
        return;
    }
    if (!tsr_desc_is_static(a) || !tsr_desc_is_static(b) || y->rank > TSR_NPU_MAX_DIMS - 1) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "operands of unknown shape, or rank %u",
                       y->rank);
        return;
    }
    if (check_pair(node, A_SCALE, a->dtype, out_support) &&
        check_pair(node, B_SCALE, b->dtype, out_support))
        check_pair(node, Y_SCALE, y->dtype, out_support);
}

static int same_shape(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof(int64_t)) == 0;
}

/* Equal shapes in any storage they share; pictures that are broadcast, but not over channels,
 * also in blocks. */
static void add_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    const TsrTensorDesc *a = node->inputs[A], *b = node->inputs[B];
    (void)op;
    if (same_shape(a, b)) {
        nn_column_mask(set, node, 5.0f, TSR_FORMAT_ANY, 1u << A | 1u << B);
        return;
    }
    if (nn_is_picture(a) && nn_is_picture(b) && a->shape[1] == b->shape[1])
        nn_column_mask(set, node, 5.0f, TSR_FORMAT_NC1HWC0, 1u << A | 1u << B);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect add_select = NN_SELECT_CUSTOMIZE(add_columns);

/* The walk over y; dims of extent 1 vanish, neighbours that stay neighbours become one. */
static void set_walk(TsrAddI8Params *p, const TsrTensorDesc *a, const TsrTensorDesc *b,
                     const TsrTensorDesc *y)
{
    const uint32_t rank = y->storage_rank;
    int64_t a_step[TSR_MAX_RANK], b_step[TSR_MAX_RANK];
    p->rank = 0;
    tsr_broadcast_strides(a->storage_rank, a->storage_shape, rank, a_step);
    tsr_broadcast_strides(b->storage_rank, b->storage_shape, rank, b_step);
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t extent = y->storage_shape[i];
        uint32_t at = p->rank;
        if (extent == 1)
            continue;
        if (at > 0 && p->a_step[at - 1] == a_step[i] * extent &&
            p->b_step[at - 1] == b_step[i] * extent) {
            p->shape[--at] *= extent;
        } else {
            p->shape[at] = extent;
        }
        p->a_step[at] = a_step[i];
        p->b_step[at] = b_step[i];
        p->rank = at + 1;
    }
    /* The kernel wants a matrix at least, whose last steps are 0 or 1. */
    while (p->rank < 2) {
        memmove(p->shape + 1, p->shape, p->rank * sizeof(int64_t));
        memmove(p->a_step + 1, p->a_step, p->rank * sizeof(int64_t));
        memmove(p->b_step + 1, p->b_step, p->rank * sizeof(int64_t));
        p->shape[0] = 1;
        p->a_step[0] = p->b_step[0] = 0;
        p->rank++;
    }
}

static int32_t add_task(TsrTaskSink *sink, const uint32_t *args, const TsrTensorDesc *y,
                        TsrAddI8Params *p)
{
    const int64_t count = tsr_desc_storage_elements(y);
    return nn_task(sink, TSR_KERNEL_ADD_I8,
                   nn_block_dim(sink, nn_ceil_div(count, 4096), (double)count), args, 3, p,
                   sizeof(*p));
}

static int32_t add_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const uint32_t args[3] = { TSR_ARG_INPUT | A, TSR_ARG_INPUT | B, TSR_ARG_OUTPUT | 0 };
    const TsrTensorDesc *a = node->inputs[A], *b = node->inputs[B], *y = node->outputs[0];
    TsrAddI8Params p = {
        .struct_size = sizeof(p), .a_signed = a->dtype == TSR_DTYPE_INT8,
        .b_signed = b->dtype == TSR_DTYPE_INT8, .y_signed = y->dtype == TSR_DTYPE_INT8,
        .a_scale = nn_q_scale(node, A_SCALE), .b_scale = nn_q_scale(node, B_SCALE),
        .y_scale = nn_q_scale(node, Y_SCALE), .a_zero = nn_q_zero(node, A_ZERO),
        .b_zero = nn_q_zero(node, B_ZERO), .y_zero = nn_q_zero(node, Y_ZERO) };
    (void)op;
    if (!nn_q_same_storage(a, b) || !nn_q_same_storage(a, y))
        return sink->fail(sink, TSR_UNSUPPORTED, "QAdd '%s': formats differ", node->name);
    nn_q_limits(node, &p.low, &p.high);
    set_walk(&p, a, b, y);
    return add_task(sink, args, y, &p);
}

/* ------------------------------------------------------------ requantizing */

static void clip_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, 0);
    (void)op;
    if (node->input_count != 5 || x == NULL || !nn_is_byte(x->dtype) ||
        !nn_is_byte(node->outputs[0]->dtype)) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "x has to be uint8 or int8");
        return;
    }
    if (check_pair(node, 1, x->dtype, out_support))
        check_pair(node, 3, node->outputs[0]->dtype, out_support);
}

static void clip_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    nn_column_mask(set, node, 5.0f, TSR_FORMAT_ANY, 1);
}

static const NnSelect clip_select = NN_SELECT_CUSTOMIZE(clip_columns);

/* x plus itself by a scale of zero. */
static int32_t clip_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[3] = { TSR_ARG_INPUT | 0, TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    const uint32_t is_signed = x->dtype == TSR_DTYPE_INT8;
    TsrAddI8Params p = { .struct_size = sizeof(p), .a_signed = is_signed, .b_signed = is_signed,
                         .y_signed = y->dtype == TSR_DTYPE_INT8, .a_scale = nn_q_scale(node, 1),
                         .y_scale = nn_q_scale(node, 3), .a_zero = nn_q_zero(node, 2),
                         .y_zero = nn_q_zero(node, 4) };
    (void)op;
    if (!nn_q_same_storage(x, y))
        return sink->fail(sink, TSR_UNSUPPORTED, "QClip '%s': formats differ", node->name);
    nn_q_limits(node, &p.low, &p.high);
    set_walk(&p, x, x, y);
    return add_task(sink, args, y, &p);
}

/* ---------------------------------------------------------------- pooling */

int32_t nn_quant_pool(TsrTaskSink *sink, const TsrPool2dParams *pool, const TsrRequant *requant,
                      double factor)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrPool2dI8Params p = { .struct_size = sizeof(p), .requant = *requant,
                                  .factor = factor, .pool = *pool };
    return nn_task(sink, TSR_KERNEL_POOL2D_I8,
                   nn_block_dim(sink, pool->outer * pool->out_h,
                                (double)pool->outer * pool->out_h * pool->out_w * pool->lanes *
                                    pool->kernel_h * pool->kernel_w / 4.0),
                   args, 2, &p, sizeof(p));
}

static const int64_t *window_shape(const TsrNodeView *node)
{
    uint32_t count;
    const int64_t *kernel = tsr_attr_ints(node, "kernel_shape", &count);
    return count == node->inputs[0]->rank - 2 ? kernel : NULL;
}

static void pool_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0];
    const NnPicture none = { 1, 1, 1, 1 };
    NnWindow window;
    (void)op;
    if (node->input_count != 5 || (x->rank != 3 && x->rank != 4) || !nn_is_byte(x->dtype) ||
        !nn_is_byte(node->outputs[0]->dtype)) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "x has to be a picture of uint8 or int8");
        return;
    }
    if (!tsr_desc_is_static(x) || tsr_shape_elements(x->rank - 2, x->shape + 2) > 1 << 22) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "x is too large or has open dimensions");
        return;
    }
    if (window_shape(node) != NULL &&
        !nn_window_of(node, x->rank - 2, window_shape(node), &none, &none, &window)) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "strides, dilations or pads out of range");
        return;
    }
    if (check_pair(node, 1, x->dtype, out_support))
        check_pair(node, 3, node->outputs[0]->dtype, out_support);
}

/* x and y blocked, the numbers plain. */
static void pool_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    nn_column_mask(set, node, 8.0f, TSR_FORMAT_NC1HWC0, 1);
    nn_column(set, 1.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect pool_select = NN_SELECT_CUSTOMIZE(pool_columns);

static int32_t pool_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x_desc = node->inputs[0];
    const int blocked = nn_is_blocked(x_desc);
    const int64_t *kernel = window_shape(node);
    TsrRequant r = { .x_signed = x_desc->dtype == TSR_DTYPE_INT8,
                     .y_dtype = node->outputs[0]->dtype, .x_zero = nn_q_zero(node, 2),
                     .y_zero = nn_q_zero(node, 4), .passes = 1 };
    TsrPool2dParams p = { .struct_size = sizeof(p), .kind = TSR_POOL_AVERAGE,
                          .lanes = blocked ? TSR_NPU_C0 : 1 };
    NnWindow v;
    NnPicture x, y;
    (void)op;
    if (!nn_picture_of(x_desc, &x) || !nn_picture_of(node->outputs[0], &y) ||
        blocked != nn_is_blocked(node->outputs[0]))
        return sink->fail(sink, TSR_UNSUPPORTED, "QPool '%s': shapes or formats do not fit",
                          node->name);
    /* Without a window the whole picture is one. */
    v = (NnWindow){ x.h, x.w, 1, 1, 1, 1, 0, 0, 0, 0 };
    if (kernel != NULL && !nn_window_of(node, x_desc->rank - 2, kernel, &x, &y, &v))
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "QPool '%s': window out of range",
                          node->name);
    nn_q_limits(node, &r.low, &r.high);
    p.count_pads = tsr_attr_int(node, "count_include_pad", 0) != 0;
    p.outer = x.n * (blocked ? nn_ceil_div(x.c, TSR_NPU_C0) : (int64_t)x.c);
    nn_pool_window(&p, &x, &y, &v);
    return nn_quant_pool(sink, &p, &r,
                         (double)nn_q_scale(node, 1) / (double)nn_q_scale(node, 3));
}

static const NnOp ops[] = {
    { .op_type = "QAdd", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_ANY_DTYPE, .check = add_check, .build = add_build, .select = &add_select },
    { .op_type = "QClip", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_ANY_DTYPE, .check = clip_check, .build = clip_build, .select = &clip_select },
    { .op_type = "QPool", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_ANY_DTYPE, .check = pool_check, .build = pool_build, .select = &pool_select },
};

const NnOpTable nn_quant_eltwise_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
