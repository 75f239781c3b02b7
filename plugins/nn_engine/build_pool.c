/* SPDX-License-Identifier: Apache-2.0
 *
 * build_pool.c: ONNX MaxPool (1 to 22), AveragePool (1 to 22), GlobalAveragePool,
 * GlobalMaxPool and ReduceMean / ReduceSum / ReduceMax over neighbouring axes. All work
 * in NC1HWC0, where a channel block is one lane row, and in plain storage.
 */
#include "nn.h"

/* ---------------------------------------------------------------- windows */

static const int64_t *kernel_shape(const TsrNodeView *node, uint32_t spatial)
{
    uint32_t count;
    const int64_t *kernel = tsr_attr_ints(node, "kernel_shape", &count);
    return count == spatial ? kernel : NULL;
}

static void pool_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0];
    NnPicture none = { 1, 1, 1, 1 };
    NnWindow window;
    (void)op;
    if (x->rank != 3 && x->rank != 4) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "pooling of 1 or 2 spatial dims only, X has rank %u", x->rank);
        return;
    }
    if (node->output_count > 1 && node->outputs[1] != NULL) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "the indices of the maxima are wanted");
        return;
    }
    if (x->origin_format == TSR_FORMAT_NHWC) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X means NHWC, wanted NCHW");
        return;
    }
    if (kernel_shape(node, x->rank - 2) == NULL ||
        !nn_window_of(node, x->rank - 2, kernel_shape(node, x->rank - 2), &none, &none, &window))
        tsr_support_no(out_support, TSR_REFUSE_ATTR,
                       "kernel_shape, strides, dilations or pads are out of range");
}

/* One pixel with whole channel blocks: its NC1HWC0 and its plain form are the same
 * bytes, so that no TransData is needed behind the node. */
static int is_full_pixel(const TsrTensorDesc *y)
{
    return tsr_desc_is_static(y) && y->rank == 4 && y->shape[1] % TSR_NPU_C0 == 0 &&
           y->shape[2] == 1 && y->shape[3] == 1;
}

static void pool_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    if (!nn_is_picture(node->inputs[0]) || !tsr_desc_is_static(node->inputs[0]))
        return;
    if (is_full_pixel(node->outputs[0]))
        nn_column(set, 8.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0, TSR_FORMAT_ND }, 2);
    nn_column(set, 8.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0 }, 1);
    nn_column(set, 1.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static int32_t pool_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const uint32_t spatial = node->inputs[0]->rank - 2;
    const int blocked = nn_is_blocked(node->inputs[0]);
    const int64_t *kernel = kernel_shape(node, spatial);
    NnPicture x, y;
    NnWindow v;
    TsrPool2dParams p = { .struct_size = sizeof(p), .kind = op->kernel_op };
    if (kernel == NULL || !nn_picture_of(node->inputs[0], &x) ||
        !nn_picture_of(node->outputs[0], &y) || !nn_window_of(node, spatial, kernel, &x, &y, &v))
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "%s '%s': shape or window out of range",
                          node->op_type, node->name);
    if (blocked != nn_is_blocked(node->outputs[0]) && !is_full_pixel(node->outputs[0]))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': formats of X and Y differ",
                          node->op_type, node->name);
    p.count_pads = op->kernel_op == TSR_POOL_AVERAGE &&
                   tsr_attr_int(node, "count_include_pad", 0) != 0;
    p.lanes = blocked ? TSR_NPU_C0 : 1;
    p.outer = x.n * (blocked ? nn_ceil_div(x.c, TSR_NPU_C0) : (int64_t)x.c);
    p.in_h = x.h;
    p.in_w = x.w;
    p.out_h = y.h;
    p.out_w = y.w;
    p.kernel_h = v.kernel_h;
    p.kernel_w = v.kernel_w;
    p.stride_h = v.stride_h;
    p.stride_w = v.stride_w;
    p.dilation_h = v.dilation_h;
    p.dilation_w = v.dilation_w;
    p.pad_top = v.pad_top;
    p.pad_left = v.pad_left;
    p.pad_bottom = v.pad_bottom;
    p.pad_right = v.pad_right;
    return nn_task(sink, TSR_KERNEL_POOL2D_F32,
                   nn_block_dim(sink, p.outer * p.out_h,
                                (double)p.outer * p.out_h * p.out_w * p.lanes * p.kernel_h *
                                    p.kernel_w / 4.0),
                   args, 2, &p, sizeof(p));
}

/* ------------------------------------------------------------- reductions */

static int32_t add_reduce(TsrTaskSink *sink, uint32_t kind, int64_t outer, int64_t length,
                          int64_t lanes)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrReduceParams p = { sizeof(p), kind, outer, length, lanes };
    return nn_task(sink, TSR_KERNEL_REDUCE_F32,
                   nn_block_dim(sink, outer, (double)outer * (double)length * (double)lanes), args,
                   2, &p, sizeof(p));
}

/* A picture reduced to one pixel; see is_full_pixel. */
static void pixel_columns(const TsrNodeView *node, TsrColumnSet *set)
{
    if (node->inputs[0]->shape[1] % TSR_NPU_C0 == 0)
        nn_column(set, 9.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0, TSR_FORMAT_ND }, 2);
    if (nn_is_picture(node->outputs[0]))
        nn_column(set, 9.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0 }, 1);
    nn_column(set, 9.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static void global_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (node->inputs[0]->rank < 3)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X has rank %u, wanted 3 or more",
                       node->inputs[0]->rank);
    else if (node->inputs[0]->origin_format == TSR_FORMAT_NHWC)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X means NHWC, wanted NCHW");
}

static void global_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    if (nn_is_picture(node->inputs[0]) && tsr_desc_is_static(node->inputs[0]))
        pixel_columns(node, set);
}

static int32_t blocked_reduce(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int64_t *s = node->inputs[0]->shape;
    if (!nn_is_blocked(node->outputs[0]) && s[1] % TSR_NPU_C0 != 0)
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': NC1HWC0 to plain with %lld channels",
                          node->op_type, node->name, (long long)s[1]);
    return add_reduce(sink, op->kernel_op, s[0] * nn_ceil_div(s[1], TSR_NPU_C0), s[2] * s[3],
                      TSR_NPU_C0);
}

static int32_t global_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0];
    if (nn_is_blocked(x))
        return blocked_reduce(op, node, sink);
    return add_reduce(sink, op->kernel_op, x->shape[0] * x->shape[1],
                      tsr_shape_elements(x->rank - 2, x->shape + 2), 1);
}

/* The axes as a bit mask; 0 when they are not known at compile time. No axes mean all,
 * unless noop_with_empty_axes says none. */
static int reduce_axes(const TsrNodeView *node, uint32_t *out_mask)
{
    const uint32_t rank = node->inputs[0]->rank;
    uint32_t count;
    const int64_t *axes = tsr_attr_ints(node, "axes", &count);
    *out_mask = 0;
    if (nn_input(node, 1) != NULL) {
        const TsrTensor *value = nn_value(node, 1);
        if (value == NULL || value->desc->dtype != TSR_DTYPE_INT64)
            return 0;
        axes = value->data;
        count = (uint32_t)tsr_desc_elements(value->desc);
    }
    for (uint32_t i = 0; i < count; i++) {
        const int64_t axis = tsr_axis_normalize(axes[i], rank);
        if (axis < 0)
            return 0;
        *out_mask |= 1u << axis;
    }
    if (count == 0 && tsr_attr_int(node, "noop_with_empty_axes", 0) == 0)
        *out_mask = (1u << rank) - 1;
    return 1;
}

/* Whether the mask is one run of axes [*out_first, *out_end). */
static int is_run(uint32_t mask, uint32_t rank, uint32_t *out_first, uint32_t *out_end)
{
    uint32_t first = 0, end;
    while (first < rank && !(mask >> first & 1))
        first++;
    for (end = first; end < rank && (mask >> end & 1); end++) {
    }
    *out_first = first;
    *out_end = end;
    return (uint64_t)mask >> end == 0;
}

static void reduce_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    uint32_t mask, first, end;
    (void)op;
    if (node->inputs[0]->rank < 1) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X is a scalar");
        return;
    }
    if (!reduce_axes(node, &mask)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "axes has to be constant and in range");
        return;
    }
    if (!is_run(mask, node->inputs[0]->rank, &first, &end))
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "axes have to be neighbours");
}

static void reduce_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    uint32_t mask;
    (void)op;
    if (nn_is_picture(node->inputs[0]) && tsr_desc_is_static(node->inputs[0]) &&
        reduce_axes(node, &mask) && mask == 0xc && node->input_count == 1)
        pixel_columns(node, set);
}

static int32_t reduce_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0];
    uint32_t mask, first, end;
    if (!reduce_axes(node, &mask) || !is_run(mask, x->rank, &first, &end))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': axes have to be known neighbours",
                          node->op_type, node->name);
    if (nn_is_blocked(x))
        return blocked_reduce(op, node, sink);
    return add_reduce(sink, op->kernel_op, tsr_shape_elements(first, x->shape),
                      tsr_shape_elements(end - first, x->shape + first),
                      tsr_shape_elements(x->rank - end, x->shape + end));
}

static const NnOp ops[] = {
    { .op_type = "MaxPool", .domain = "", .min_version = 1, .max_version = 22,
      .kernel_op = TSR_POOL_MAX, .check = pool_check, .build = pool_build,
      .columns = pool_columns },
    { .op_type = "AveragePool", .domain = "", .min_version = 1, .max_version = 22,
      .kernel_op = TSR_POOL_AVERAGE, .check = pool_check, .build = pool_build,
      .columns = pool_columns },
    { .op_type = "GlobalAveragePool", .domain = "", .min_version = 1, .max_version = 22,
      .kernel_op = TSR_REDUCE_MEAN, .check = global_check, .build = global_build,
      .columns = global_columns },
    { .op_type = "GlobalMaxPool", .domain = "", .min_version = 1, .max_version = 22,
      .kernel_op = TSR_REDUCE_MAX, .check = global_check, .build = global_build,
      .columns = global_columns },
    { .op_type = "ReduceMean", .domain = "", .min_version = 1, .max_version = 18,
      .kernel_op = TSR_REDUCE_MEAN, .f32_inputs = 1, .check = reduce_check,
      .build = reduce_build, .columns = reduce_columns },
    { .op_type = "ReduceSum", .domain = "", .min_version = 1, .max_version = 13,
      .kernel_op = TSR_REDUCE_SUM, .f32_inputs = 1, .check = reduce_check,
      .build = reduce_build, .columns = reduce_columns },
    { .op_type = "ReduceMax", .domain = "", .min_version = 1, .max_version = 20,
      .kernel_op = TSR_REDUCE_MAX, .f32_inputs = 1, .check = reduce_check,
      .build = reduce_build, .columns = reduce_columns },
};

const NnOpTable nn_pool_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
