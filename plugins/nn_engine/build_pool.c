/* SPDX-License-Identifier: Apache-2.0
 *
 * build_pool.c: ONNX MaxPool (1 to 22), AveragePool (1 to 22), GlobalAveragePool,
 * GlobalMaxPool and ReduceMean / ReduceSum / ReduceMax over neighbouring axes. All work
 * in NC1HWC0, where a channel block is one lane row, and in plain storage.
 */
#include "quantized.h"

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

static const NnKernelColumn pool_columns[] = {
    { 8.0f, 1, { TSR_FORMAT_NC1HWC0 } },
    { 1.0f, 1, { TSR_FORMAT_ND } },
};
static const NnSelect pool_select = NN_SELECT_KERNEL(pool_columns);

void nn_pool_window(TsrPool2dParams *p, const NnPicture *x, const NnPicture *y,
                    const NnWindow *v)
{
    p->in_h = x->h;
    p->in_w = x->w;
    p->out_h = y->h;
    p->out_w = y->w;
    p->kernel_h = v->kernel_h;
    p->kernel_w = v->kernel_w;
    p->stride_h = v->stride_h;
    p->stride_w = v->stride_w;
    p->dilation_h = v->dilation_h;
    p->dilation_w = v->dilation_w;
    p->pad_top = v->pad_top;
    p->pad_left = v->pad_left;
    p->pad_bottom = v->pad_bottom;
    p->pad_right = v->pad_right;
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
    if (blocked != nn_is_blocked(node->outputs[0]))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': formats of X and Y differ",
                          node->op_type, node->name);
    p.count_pads = op->kernel_op == TSR_POOL_AVERAGE &&
                   tsr_attr_int(node, "count_include_pad", 0) != 0;
    p.lanes = blocked ? TSR_NPU_C0 : 1;
    p.outer = x.n * (blocked ? nn_ceil_div(x.c, TSR_NPU_C0) : (int64_t)x.c);
    nn_pool_window(&p, &x, &y, &v);
    if (nn_is_byte(node->inputs[0]->dtype)) {
        TsrRequant limits = { .x_signed = node->inputs[0]->dtype == TSR_DTYPE_INT8,
                              .y_dtype = node->inputs[0]->dtype };
        nn_q_limits(node, &limits.low, &limits.high);
        return nn_quant_pool(sink, &p, &limits, 1.0);
    }
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_POOL2D_F32, node->inputs[0]->dtype),
                   nn_block_dim(sink, p.outer * p.out_h,
                                (double)p.outer * p.out_h * p.out_w * p.lanes * p.kernel_h *
                                    p.kernel_w / 4.0),
                   args, 2, &p, sizeof(p));
}

/* ------------------------------------------------------------- reductions */

static int32_t add_reduce(TsrTaskSink *sink, uint32_t dtype, uint32_t kind, int64_t outer,
                          int64_t length, int64_t lanes)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrReduceParams p = { sizeof(p), kind, outer, length, lanes };
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_REDUCE_F32, dtype),
                   nn_block_dim(sink, outer, (double)outer * (double)length * (double)lanes), args,
                   2, &p, sizeof(p));
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

/* No axes mean all, unless noop_with_empty_axes says none. */
int nn_reduce_axes(const TsrNodeView *node, uint32_t *out_mask)
{
    const uint32_t rank = node->inputs[0]->rank;
    uint32_t count;
    const int64_t *axes = tsr_attr_ints(node, "axes", &count);
    *out_mask = 0;
    if (strncmp(node->op_type, "Global", 6) == 0) {
        *out_mask = ((1u << rank) - 1) & ~3u;
        return 1;
    }
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
    if (!nn_reduce_axes(node, &mask)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "axes has to be constant and in range");
        return;
    }
    if (!is_run(mask, node->inputs[0]->rank, &first, &end))
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "axes have to be neighbours");
}

/* In an internal format the axes that it does not cut lie in the storage as in the origin,
 * so the same three extents describe the reduction there. */
static int32_t reduce_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    uint32_t mask, first, end;
    if (!nn_reduce_axes(node, &mask) || !is_run(mask, x->rank, &first, &end))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': axes have to be known neighbours",
                          node->op_type, node->name);
    if ((nn_is_internal(x) || nn_is_internal(y)) && x->storage_format != y->storage_format &&
        !(nn_is_blocked(x) && nn_reduces_to_channels(node)))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': X is %s, Y %s", node->op_type,
                          node->name, tsr_format_name(x->storage_format),
                          tsr_format_name(y->storage_format));
    return add_reduce(sink, x->dtype, op->kernel_op, tsr_shape_elements(first, x->storage_shape),
                      tsr_shape_elements(end - first, x->storage_shape + first),
                      tsr_shape_elements(x->storage_rank - end, x->storage_shape + end));
}

static const NnOp ops[] = {
    { .op_type = "MaxPool", .domain = "", .min_version = 1, .max_version = 22,
      .dtypes = NN_FLOATS | TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8),
      .kernel_op = TSR_POOL_MAX, .check = pool_check, .build = pool_build,
      .select = &pool_select },
    { .op_type = "AveragePool", .domain = "", .min_version = 1, .max_version = 22,
      .dtypes = NN_FLOATS, .kernel_op = TSR_POOL_AVERAGE, .check = pool_check, .build = pool_build,
      .select = &pool_select },
    { .op_type = "GlobalAveragePool", .domain = "", .min_version = 1, .max_version = 22,
      .dtypes = NN_FLOATS,
      .kernel_op = TSR_REDUCE_MEAN, .check = global_check, .build = reduce_build,
      .select = &nn_select_reduce },
    { .op_type = "GlobalMaxPool", .domain = "", .min_version = 1, .max_version = 22,
      .dtypes = NN_FLOATS,
      .kernel_op = TSR_REDUCE_MAX, .check = global_check, .build = reduce_build,
      .select = &nn_select_reduce },
    { .op_type = "ReduceMean", .domain = "", .min_version = 1, .max_version = 18,
      .dtypes = NN_FLOATS, .kernel_op = TSR_REDUCE_MEAN, .f32_inputs = 1, .check = reduce_check,
      .build = reduce_build, .select = &nn_select_reduce },
    { .op_type = "ReduceSum", .domain = "", .min_version = 1, .max_version = 13,
      .dtypes = NN_FLOATS, .kernel_op = TSR_REDUCE_SUM, .f32_inputs = 1, .check = reduce_check,
      .build = reduce_build, .select = &nn_select_reduce },
    { .op_type = "ReduceMax", .domain = "", .min_version = 1, .max_version = 20,
      .dtypes = NN_FLOATS, .kernel_op = TSR_REDUCE_MAX, .f32_inputs = 1, .check = reduce_check,
      .build = reduce_build, .select = &nn_select_reduce },
};

const NnOpTable nn_pool_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
