/* SPDX-License-Identifier: Apache-2.0
 *
 * activation.c: definitions of ONNX operators:
 * activations: one input, mostly shape-preserving, and the Softmax family.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* PRelu: the slope broadcasts to X one way (ONNX Broadcasting.md). */
static int32_t infer_prelu(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), joined;
    int32_t status = tsr_infer_broadcast(infer, 0, 2, &joined);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (x.rank != TSR_RANK_UNKNOWN && joined.rank != TSR_RANK_UNKNOWN && joined.rank > x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the slope must broadcast to X of rank %u, got rank %u", x.rank,
                           joined.rank);
    for (uint32_t i = 0; x.rank != TSR_RANK_UNKNOWN && joined.rank == x.rank && i < x.rank; i++)
        if (x.dim[i] >= 0 && joined.dim[i] >= 0 && joined.dim[i] != x.dim[i])
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the slope must broadcast to X, whose axis %u is %lld, got %lld", i,
                               (long long)x.dim[i], (long long)joined.dim[i]);
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
}

/* Softmax and its kin keep the shape; axis must name a dimension. Up to version 11 the
 * axis may also be the rank itself when the input is flattened. */
static int32_t infer_softmax(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t axis = tsr_attr_int(infer->node, "axis", def->since_version < 13 ? 1 : -1);
    uint32_t normal;
    if (x.rank != TSR_RANK_UNKNOWN && !(def->since_version < 13 && axis == (int64_t)x.rank) &&
        !(x.rank == 0 && (axis == 0 || axis == -1))) {
        int32_t status = tsr_infer_axis(infer, "axis", axis, x.rank, &normal);
        if (status != TSR_OK)
            return status;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
}

static const TsrOpParam relu_6_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam relu_6_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam relu_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam relu_13_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam relu_14_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_SIGNED},
};

static const TsrOpParam relu_14_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_SIGNED},
};

static const TsrOpAttr leaky_relu_6_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.01f},
};

static const TsrOpParam tanh_6_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam tanh_6_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam tanh_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam tanh_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr hard_sigmoid_6_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.2f},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.5f},
};

static const TsrOpAttr elu_6_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
};

static const TsrOpAttr selu_6_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.67326319f},
    {.name = "gamma", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.05070102f},
};

static const TsrOpParam celu_12_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpParam celu_12_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpAttr clip_6_attrs[] = {
    {.name = "max", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 3.40282347e+38f},
    {.name = "min", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = -3.40282347e+38f},
};

static const TsrOpParam clip_11_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"min", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"max", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam clip_12_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"min", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"max", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam clip_12_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam clip_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
    {"min", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_NUMERIC},
    {"max", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam clip_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpAttr gelu_20_attrs[] = {
    {.name = "approximate", .type = TSR_ATTR_STRING, .has_default = 1, .s = "none",
     .words = "none|tanh"},
};

static const TsrOpParam shrink_9_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr shrink_9_attrs[] = {
    {.name = "bias", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "lambd", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.5f},
};

static const TsrOpParam prelu_7_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"slope", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam prelu_9_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"slope", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam prelu_9_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam prelu_16_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"slope", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam prelu_16_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpAttr softmax_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpAttr softmax_13_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
};

static const TsrOpDef definitions[] = {
    {OP_MAP("", "Relu", 6), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), .follow = "Y=X"},
    {OP_MAP("", "Relu", 13), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), .follow = "Y=X"},
    {OP_MAP("", "Relu", 14), OP_INPUTS(relu_14_in), OP_OUTPUTS(relu_14_out), .follow = "Y=X"},
    {OP_MAP("", "LeakyRelu", 6), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out),
     OP_ATTRS(leaky_relu_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "LeakyRelu", 16), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out),
     OP_ATTRS(leaky_relu_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "Sigmoid", 6), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), .follow = "Y=X"},
    {OP_MAP("", "Sigmoid", 13), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), .follow = "Y=X"},
    {OP_MAP("", "Tanh", 6), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     .follow = "output=input"},
    {OP_MAP("", "Tanh", 13), OP_INPUTS(tanh_13_in), OP_OUTPUTS(tanh_13_out),
     .follow = "output=input"},
    {OP_MAP("", "HardSigmoid", 6), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out),
     OP_ATTRS(hard_sigmoid_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "HardSigmoid", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out),
     OP_ATTRS(hard_sigmoid_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "HardSwish", 14), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), .follow = "Y=X"},
    {OP_MAP("", "HardSwish", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), .follow = "Y=X"},
    {OP_MAP("", "Elu", 6), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), OP_ATTRS(elu_6_attrs),
     .follow = "Y=X"},
    {OP_MAP("", "Elu", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), OP_ATTRS(elu_6_attrs),
     .follow = "Y=X"},
    {OP_MAP("", "Selu", 6), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), OP_ATTRS(selu_6_attrs),
     .follow = "Y=X"},
    {OP_MAP("", "Selu", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out),
     OP_ATTRS(selu_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "Celu", 12), OP_INPUTS(celu_12_in), OP_OUTPUTS(celu_12_out), OP_ATTRS(elu_6_attrs),
     .follow = "Y=X"},
    {OP_MAP("", "Celu", 28), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), OP_ATTRS(elu_6_attrs),
     .follow = "Y=X"},
    {OP_MAP("", "Softplus", 1), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), .follow = "Y=X"},
    {OP_MAP("", "Softplus", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), .follow = "Y=X"},
    {OP_MAP("", "Softsign", 1), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     .follow = "output=input"},
    {OP_MAP("", "Softsign", 22), OP_INPUTS(tanh_13_in), OP_OUTPUTS(tanh_13_out),
     .follow = "output=input"},
    {OP_MAP("", "Clip", 6), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out), OP_ATTRS(clip_6_attrs),
     .follow = "output=input"},
    {OP_MAP("", "Clip", 11), OP_INPUTS(clip_11_in), OP_OUTPUTS(tanh_6_out),
     .follow = "output=input"},
    {OP_MAP("", "Clip", 12), OP_INPUTS(clip_12_in), OP_OUTPUTS(clip_12_out),
     .follow = "output=input"},
    {OP_MAP("", "Clip", 13), OP_INPUTS(clip_13_in), OP_OUTPUTS(clip_13_out),
     .follow = "output=input"},
    {OP_MAP("", "Gelu", 20), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out),
     OP_ATTRS(gelu_20_attrs), .follow = "Y=X"},
    {OP_MAP("", "Mish", 18), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out), .follow = "Y=X"},
    {OP_MAP("", "Mish", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out), .follow = "Y=X"},
    {OP_MAP("", "ThresholdedRelu", 10), OP_INPUTS(relu_6_in), OP_OUTPUTS(relu_6_out),
     OP_ATTRS(elu_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "ThresholdedRelu", 22), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out),
     OP_ATTRS(elu_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "Shrink", 9), OP_INPUTS(shrink_9_in), OP_OUTPUTS(clip_12_out),
     OP_ATTRS(shrink_9_attrs), .follow = "output=input"},
    {OP_MAP("", "Swish", 24), OP_INPUTS(relu_13_in), OP_OUTPUTS(relu_13_out),
     OP_ATTRS(elu_6_attrs), .follow = "Y=X"},
    {OP_MAP("", "PRelu", 7), OP_INPUTS(prelu_7_in), OP_OUTPUTS(relu_6_out), .infer = infer_prelu},
    {OP_MAP("", "PRelu", 9), OP_INPUTS(prelu_9_in), OP_OUTPUTS(prelu_9_out), .infer = infer_prelu},
    {OP_MAP("", "PRelu", 16), OP_INPUTS(prelu_16_in), OP_OUTPUTS(prelu_16_out),
     .infer = infer_prelu},
    {OP_ROW("", "Softmax", 1), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     OP_ATTRS(softmax_1_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Softmax", 11), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     OP_ATTRS(softmax_1_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Softmax", 13), OP_INPUTS(tanh_13_in), OP_OUTPUTS(tanh_13_out),
     OP_ATTRS(softmax_13_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "LogSoftmax", 1), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     OP_ATTRS(softmax_1_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "LogSoftmax", 11), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     OP_ATTRS(softmax_1_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "LogSoftmax", 13), OP_INPUTS(tanh_13_in), OP_OUTPUTS(tanh_13_out),
     OP_ATTRS(softmax_13_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Hardmax", 1), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     OP_ATTRS(softmax_1_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Hardmax", 11), OP_INPUTS(tanh_6_in), OP_OUTPUTS(tanh_6_out),
     OP_ATTRS(softmax_1_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Hardmax", 13), OP_INPUTS(tanh_13_in), OP_OUTPUTS(tanh_13_out),
     OP_ATTRS(softmax_13_attrs), .infer = infer_softmax, .infer_format_full = tsr_format_keep},
};

const TsrOps tsr_ops_activation = OP_FAMILY(definitions);
