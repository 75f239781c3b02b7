/* SPDX-License-Identifier: Apache-2.0
 *
 * norm.c: definitions of ONNX operators:
 * normalizations and Dropout.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* Default of MeanVarianceNormalization: all but the channels of NCHW. */
static const int64_t mvn_axes[] = {0, 2, 3};

/* BatchNormalization: Y like X, the further outputs (training) one entry a channel. */
static int32_t infer_batch_norm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), channels = tsr_shape_unknown(1);
    int32_t status;
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN)
        channels.dim[0] = x.rank > 1 ? x.dim[1] : 1;
    for (uint32_t i = 1; i < 5; i++) {
        Shape p = tsr_infer_shape(infer, i);
        if ((status = tsr_infer_want_rank(infer, i, 1)) != TSR_OK ||
            (p.rank == 1 && (status = tsr_infer_join(infer, "channels of X and a parameter",
                                                     &channels.dim[0], p.dim[0])) != TSR_OK))
            return status;
    }
    if ((status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x)) != TSR_OK)
        return status;
    for (uint32_t i = 1; i < infer->node->output_count; i++)
        if ((status = tsr_infer_set(infer, i, tsr_infer_dtype(infer, i <= 2 ? 2 + i : i),
                                    &channels)) != TSR_OK)
            return status;
    return TSR_OK;
}

static int32_t infer_instance_norm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int32_t status;
    if ((status = tsr_infer_want_min_rank(infer, 0, 2)) != TSR_OK)
        return status;
    for (uint32_t i = 1; i < 3 && x.rank != TSR_RANK_UNKNOWN; i++) {
        Shape p = tsr_infer_shape(infer, i);
        int grouped = strcmp(def->name, "GroupNormalization") == 0 && def->since_version < 21;
        if ((status = tsr_infer_want_rank(infer, i, 1)) != TSR_OK ||
            (p.rank == 1 && !grouped &&
             (status = tsr_infer_join(infer, "channels of the input and a parameter", &x.dim[1],
                                      p.dim[0])) != TSR_OK))
            return status;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
}

/* LayerNormalization: Mean and InvStdDev keep the axes before axis, 1 from there on. */
static int32_t infer_layer_norm(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t stash = tsr_attr_int(infer->node, "stash_type", 1);
    Shape x = tsr_infer_shape(infer, 0), stat = x;
    int32_t status;
    (void)def;
    if (stash < 0 || stash >= TSR_DTYPE_COUNT || !(TSR_TYPES_FLOAT & TSR_BIT((uint32_t)stash)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "stash_type must be a float type, got %lld",
                           (long long)stash);
    if (x.rank != TSR_RANK_UNKNOWN) {
        uint32_t axis;
        status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", -1), x.rank,
                                &axis);
        if (status != TSR_OK)
            return status;
        for (uint32_t i = axis; i < x.rank; i++)
            stat.dim[i] = 1;
    }
    if ((status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x)) != TSR_OK ||
        (status = tsr_infer_set(infer, 1, (uint32_t)stash, &stat)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 2, (uint32_t)stash, &stat);
}

/* Dropout: the mask is bool from version 10 on. From 12 on training_mode is an input, so that
 * the output is the input only when it runs. */
static int32_t infer_dropout(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int32_t status = tsr_infer_set(infer, 0, dtype, &x);
    if (status != TSR_OK)
        return status;
    return tsr_infer_set(infer, 1, def->since_version < 10 ? dtype : TSR_DTYPE_BOOL, &x);
}

static const TsrOpParam batch_normalization_7_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mean", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"var", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam batch_normalization_7_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mean", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"var", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"saved_mean", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"saved_var", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr batch_normalization_7_attrs[] = {
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "momentum", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.9f},
    {.name = "spatial", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpAttr batch_normalization_9_attrs[] = {
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "momentum", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.9f},
};

static const TsrOpParam batch_normalization_14_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"input_mean", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
    {"input_var", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
};

static const TsrOpParam batch_normalization_14_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"running_mean", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT},
    {"running_var", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT},
};

static const TsrOpAttr batch_normalization_14_attrs[] = {
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "momentum", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.9f},
    {.name = "training_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam batch_normalization_15_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"scale", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
    {"input_mean", TSR_PARAM_REQUIRED, 3, TSR_TYPES_FLOAT},
    {"input_var", TSR_PARAM_REQUIRED, 3, TSR_TYPES_FLOAT},
};

static const TsrOpParam batch_normalization_15_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"running_mean", TSR_PARAM_OPTIONAL, 3, TSR_TYPES_FLOAT},
    {"running_var", TSR_PARAM_OPTIONAL, 3, TSR_TYPES_FLOAT},
};

static const TsrOpParam instance_normalization_6_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam instance_normalization_6_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr instance_normalization_6_attrs[] = {
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
};

static const TsrOpParam instance_normalization_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam instance_normalization_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam group_normalization_21_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"bias", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam group_normalization_21_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr group_normalization_21_attrs[] = {
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "num_groups", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "stash_type", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam layer_normalization_17_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"Scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam layer_normalization_17_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"Mean", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"InvStdDev", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpAttr layer_normalization_17_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "stash_type", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam lrn_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam lrn_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr lrn_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0001f},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.75f},
    {.name = "bias", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "size", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam lrn_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr mean_variance_normalization_9_attrs[] = {
    {.name = "axes", .type = TSR_ATTR_INTS, .has_default = 1, .ints = mvn_axes,
     .ints_count = COUNT_OF(mvn_axes)},
};

static const TsrOpParam lp_normalization_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr lp_normalization_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "p", .type = TSR_ATTR_INT, .has_default = 1, .i = 2, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam lp_normalization_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam dropout_7_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam dropout_7_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mask", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr dropout_7_attrs[] = {
    {.name = "ratio", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.5f},
};

static const TsrOpParam dropout_10_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mask", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam dropout_12_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"ratio", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT_IEEE},
    {"training_mode", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam dropout_12_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mask", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr dropout_12_attrs[] = {
    {.name = "seed", .type = TSR_ATTR_INT},
};

static const TsrOpParam dropout_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"ratio", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT_IEEE},
    {"training_mode", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam dropout_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"mask", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam dropout_22_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TYPES_FLOAT8},
    {"ratio", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT | TYPES_FLOAT8},
    {"training_mode", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam dropout_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TYPES_FLOAT8},
    {"mask", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "BatchNormalization", 7), OP_INPUTS(batch_normalization_7_in),
     OP_OUTPUTS(batch_normalization_7_out), OP_ATTRS(batch_normalization_7_attrs),
     .infer = infer_batch_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "BatchNormalization", 9), OP_INPUTS(batch_normalization_7_in),
     OP_OUTPUTS(batch_normalization_7_out), OP_ATTRS(batch_normalization_9_attrs),
     .infer = infer_batch_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "BatchNormalization", 14), OP_INPUTS(batch_normalization_14_in),
     OP_OUTPUTS(batch_normalization_14_out), OP_ATTRS(batch_normalization_14_attrs),
     .infer = infer_batch_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "BatchNormalization", 15), OP_INPUTS(batch_normalization_15_in),
     OP_OUTPUTS(batch_normalization_15_out), OP_ATTRS(batch_normalization_14_attrs),
     .infer = infer_batch_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "InstanceNormalization", 6), OP_INPUTS(instance_normalization_6_in),
     OP_OUTPUTS(instance_normalization_6_out), OP_ATTRS(instance_normalization_6_attrs),
     .infer = infer_instance_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "InstanceNormalization", 22), OP_INPUTS(instance_normalization_22_in),
     OP_OUTPUTS(instance_normalization_22_out), OP_ATTRS(instance_normalization_6_attrs),
     .infer = infer_instance_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GroupNormalization", 21), OP_INPUTS(group_normalization_21_in),
     OP_OUTPUTS(group_normalization_21_out), OP_ATTRS(group_normalization_21_attrs),
     .infer = infer_instance_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "LayerNormalization", 17), OP_INPUTS(layer_normalization_17_in),
     OP_OUTPUTS(layer_normalization_17_out), OP_ATTRS(layer_normalization_17_attrs),
     .infer = infer_layer_norm, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "LRN", 1), OP_INPUTS(lrn_1_in), OP_OUTPUTS(lrn_1_out), OP_ATTRS(lrn_1_attrs),
     .infer = tsr_infer_same, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "LRN", 13), OP_INPUTS(lrn_13_in), OP_OUTPUTS(group_normalization_21_out),
     OP_ATTRS(lrn_1_attrs), .infer = tsr_infer_same, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MeanVarianceNormalization", 9), OP_INPUTS(lrn_1_in), OP_OUTPUTS(lrn_1_out),
     OP_ATTRS(mean_variance_normalization_9_attrs), .infer = tsr_infer_same},
    {OP_ROW("", "MeanVarianceNormalization", 13), OP_INPUTS(lrn_13_in),
     OP_OUTPUTS(group_normalization_21_out), OP_ATTRS(mean_variance_normalization_9_attrs),
     .infer = tsr_infer_same},
    {OP_ROW("", "LpNormalization", 1), OP_INPUTS(lp_normalization_1_in),
     OP_OUTPUTS(instance_normalization_6_out), OP_ATTRS(lp_normalization_1_attrs),
     .infer = tsr_infer_same},
    {OP_ROW("", "LpNormalization", 22), OP_INPUTS(lp_normalization_22_in),
     OP_OUTPUTS(instance_normalization_22_out), OP_ATTRS(lp_normalization_1_attrs),
     .infer = tsr_infer_same},
    {OP_ROW("", "Dropout", 7), OP_INPUTS(dropout_7_in), OP_OUTPUTS(dropout_7_out),
     OP_ATTRS(dropout_7_attrs), .flags = TSR_OP_VIEW, .infer = infer_dropout},
    {OP_ROW("", "Dropout", 10), OP_INPUTS(dropout_7_in), OP_OUTPUTS(dropout_10_out),
     OP_ATTRS(dropout_7_attrs), .flags = TSR_OP_VIEW, .infer = infer_dropout},
    {OP_ROW("", "Dropout", 12), OP_INPUTS(dropout_12_in), OP_OUTPUTS(dropout_12_out),
     OP_ATTRS(dropout_12_attrs), .flags = TSR_OP_RANDOM, .infer = infer_dropout},
    {OP_ROW("", "Dropout", 13), OP_INPUTS(dropout_13_in), OP_OUTPUTS(dropout_13_out),
     OP_ATTRS(dropout_12_attrs), .flags = TSR_OP_RANDOM, .infer = infer_dropout},
    {OP_ROW("", "Dropout", 22), OP_INPUTS(dropout_22_in), OP_OUTPUTS(dropout_22_out),
     OP_ATTRS(dropout_12_attrs), .flags = TSR_OP_RANDOM, .infer = infer_dropout},
};

const TsrOps tsr_ops_norm = OP_FAMILY(definitions);
