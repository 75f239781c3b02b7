/* SPDX-License-Identifier: Apache-2.0
 *
 * build_norm.c: ONNX Softmax and LogSoftmax (1 to 13), LayerNormalization 17,
 * InstanceNormalization (6 to 22), LRN (1 to 13) and the fused LayerNorm. All but LRN keep
 * plain storage.
 */
#include "nn.h"

/* Up to version 11 Softmax flattens X to a matrix at axis (default 1); from 13 on it
 * runs along one axis (default -1). */
static int64_t softmax_axis(const TsrNodeView *node)
{
    return tsr_axis_normalize(
        tsr_attr_int(node, "axis", node->since_version < 13 ? 1 : -1), node->inputs[0]->rank);
}

static void softmax_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    /* The old form allows axis == rank: a matrix of one column. */
    if (node->inputs[0]->rank < 1 || softmax_axis(node) < 0)
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "axis is out of range for rank %u",
                       node->inputs[0]->rank);
}

static int32_t softmax_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrTensorDesc *x = node->inputs[0];
    const uint32_t axis = (uint32_t)softmax_axis(node);
    const uint32_t last = node->since_version < 13 ? x->rank : axis + 1;
    const TsrSoftmaxParams p = { sizeof(p), op->kernel_op, tsr_shape_elements(axis, x->shape),
                                 tsr_shape_elements(last - axis, x->shape + axis),
                                 tsr_shape_elements(x->rank - last, x->shape + last) };
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_SOFTMAX_F32, x->dtype),
                   nn_block_dim(sink, p.outer, 8.0 * (double)tsr_desc_elements(x)), args, 2, &p,
                   sizeof(p));
}

static void layernorm_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const uint32_t rank = node->inputs[0]->rank;
    const int64_t axis = rank > 0 ? tsr_axis_normalize(tsr_attr_int(node, "axis", -1), rank) : -1;
    (void)op;
    if (axis < 0) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "axis is out of range for rank %u", rank);
        return;
    }
    for (uint32_t i = 1; i < node->input_count; i++) {
        /* Scale and bias have to cover the normalized dims exactly. */
        const TsrTensorDesc *d = node->inputs[i];
        if (d != NULL && (d->rank != rank - (uint32_t)axis ||
                          memcmp(d->shape, node->inputs[0]->shape + axis,
                                 d->rank * sizeof(int64_t)) != 0 || !tsr_desc_is_static(d))) {
            tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                           "input %u has to have the normalized dims", i);
            return;
        }
    }
    if (tsr_attr_int(node, "stash_type", 1) != 1)
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "stash_type has to be 1 (float)");
}

static int32_t add_normalize(const TsrNodeView *node, TsrTaskSink *sink,
                             const TsrNormalizeParams *p)
{
    const int fused = strcmp(node->domain, NN_DOMAIN) == 0;
    uint32_t args[8] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL, TSR_ARG_OUTPUT | 0,
                         TSR_ARG_NULL, TSR_ARG_NULL, TSR_ARG_NULL, TSR_ARG_NULL };
    for (uint32_t i = 1; i < 3; i++)
        if (nn_input(node, i) != NULL)
            args[i] = TSR_ARG_INPUT | i;
    if (fused && nn_input(node, 3) != NULL)
        args[6] = TSR_ARG_INPUT | 3;
    for (uint32_t i = 1; i < 3 && i < node->output_count; i++)
        if (node->outputs[i] != NULL)
            args[fused ? 7 : 3 + i] = TSR_ARG_OUTPUT | i;
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_NORMALIZE_F32, node->inputs[0]->dtype),
                   nn_block_dim(sink, p->rows, 3.0 * (double)p->rows * (double)p->length), args, 8,
                   p, sizeof(*p));
}

static int32_t layernorm_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0];
    const uint32_t axis =
        (uint32_t)tsr_axis_normalize(tsr_attr_int(node, "axis", -1), x->rank);
    const TsrNormalizeParams p = { sizeof(p), tsr_attr_float(node, "epsilon", 1e-5f),
                                   tsr_shape_elements(axis, x->shape),
                                   tsr_shape_elements(x->rank - axis, x->shape + axis), 0 };
    (void)op;
    return add_normalize(node, sink, &p);
}

/* What fusion makes: scale and bias may be missing, and have leading dims of 1; a summand has
 * the shape of X, and where it is missing there is no sum. */
static void fused_layernorm_check(const NnOp *op, const TsrNodeView *node,
                                  TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0];
    (void)op;
    if (x->rank < 1) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X is a scalar");
        return;
    }
    for (uint32_t i = 1; i < 3 && i < node->input_count; i++) {
        const TsrTensorDesc *d = node->inputs[i];
        if (d != NULL && (!tsr_desc_is_static(d) ||
                          tsr_desc_elements(d) != x->shape[x->rank - 1]))
            tsr_support_no(out_support, TSR_REFUSE_SHAPE, "input %u has to be as long as a row",
                           i);
    }
    if (nn_input(node, 3) == NULL
            ? node->output_count > 1 && node->outputs[1] != NULL
            : node->inputs[3]->rank != x->rank ||
                  memcmp(node->inputs[3]->shape, x->shape, x->rank * sizeof(int64_t)) != 0)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "the summand has to be as large as X");
}

static void instancenorm_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (node->inputs[0]->rank < 3 || node->inputs[0]->origin_format == TSR_FORMAT_NHWC)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X has to mean N, C, D1, ...");
}

static int32_t instancenorm_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0];
    const TsrNormalizeParams p = { sizeof(p), tsr_attr_float(node, "epsilon", 1e-5f),
                                   x->shape[0] * x->shape[1],
                                   tsr_shape_elements(x->rank - 2, x->shape + 2), x->shape[1] };
    (void)op;
    return add_normalize(node, sink, &p);
}

static void lrn_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const int64_t size = tsr_attr_int(node, "size", 0);
    (void)op;
    if (node->inputs[0]->rank < 2 || node->inputs[0]->origin_format == TSR_FORMAT_NHWC)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X has to mean N, C, ...");
    else if (size < 1 || size > 1 << 20)
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "size is %lld", (long long)size);
}

static void lrn_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    if (!nn_is_picture(node->inputs[0]) || !tsr_desc_is_static(node->inputs[0]) ||
        node->inputs[0]->shape[1] > TSR_NPU_LRN_CHANNELS - 16 ||
        tsr_attr_int(node, "size", 1) > TSR_NPU_LRN_SIZE)
        return;
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_NC1HWC0 }, 1);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect lrn_select = NN_SELECT_CUSTOMIZE(lrn_columns);

static int32_t lrn_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const TsrTensorDesc *x = node->inputs[0];
    const TsrLrnParams p = {
        .struct_size = sizeof(p),
        .size = (int32_t)tsr_attr_int(node, "size", 1),
        .alpha = tsr_attr_float(node, "alpha", 1e-4f),
        .beta = tsr_attr_float(node, "beta", 0.75f),
        .bias = tsr_attr_float(node, "bias", 1.0f),
        .lanes = nn_is_blocked(x) ? TSR_NPU_C0 : 1,
        .batch = x->shape[0],
        .channels = x->shape[1],
        .inner = tsr_shape_elements(x->rank - 2, x->shape + 2),
    };
    (void)op;
    if (nn_is_blocked(x) != nn_is_blocked(node->outputs[0]))
        return sink->fail(sink, TSR_UNSUPPORTED, "LRN '%s': formats of X and Y differ",
                          node->name);
    return nn_task(sink, TSR_KERNEL_LRN_F32,
                   nn_block_dim(sink, p.batch * nn_ceil_div(p.inner, 256),
                                8.0 * (double)tsr_desc_elements(x)),
                   args, 2, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "Softmax", .domain = "", .min_version = 1, .max_version = 13, .kernel_op = 0,
      .dtypes = NN_FLOATS, .check = softmax_check, .build = softmax_build },
    { .op_type = "LogSoftmax", .domain = "", .min_version = 1, .max_version = 13, .kernel_op = 1,
      .dtypes = NN_FLOATS, .check = softmax_check, .build = softmax_build },
    { .op_type = "LayerNormalization", .domain = "", .min_version = 17, .max_version = 17,
      .dtypes = NN_FLOATS, .check = layernorm_check, .build = layernorm_build },
    { .op_type = "LayerNorm", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS, .check = fused_layernorm_check, .build = layernorm_build },
    { .op_type = "InstanceNormalization", .domain = "", .min_version = 6, .max_version = 22,
      .dtypes = NN_FLOATS, .check = instancenorm_check, .build = instancenorm_build },
    { .op_type = "LRN", .domain = "", .min_version = 1, .max_version = 13,
      .flags = NN_WIDENS, .check = lrn_check,
      .build = lrn_build, .select = &lrn_select },
};

const NnOpTable nn_norm_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
