/* SPDX-License-Identifier: Apache-2.0
 *
 * ml.c: definitions of ONNX operators:
 * of the domain ai.onnx.ml.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* ArrayFeatureExtractor: the last axis becomes the places that Y names. A list counts as
 * one row. */
static int32_t infer_extractor(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape z = tsr_infer_shape(infer, 0), y = tsr_infer_shape(infer, 1);
    int64_t count = 1;
    int32_t status = tsr_infer_want_min_rank(infer, 0, 1);
    (void)def;
    if (status != TSR_OK || z.rank == TSR_RANK_UNKNOWN)
        return status != TSR_OK ? status
                                : tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &z);
    if (y.rank == TSR_RANK_UNKNOWN)
        count = TSR_DIM_UNKNOWN;
    for (uint32_t i = 0; y.rank != TSR_RANK_UNKNOWN && i < y.rank; i++)
        if ((status = tsr_infer_multiply(infer, count, y.dim[i], &count)) != TSR_OK)
            return status;
    if (z.rank == 1) {
        z.rank = 2;
        z.dim[0] = 1;
    }
    z.dim[z.rank - 1] = count;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &z);
}

/* LabelEncoder: the dtype of the values attribute that is there. */
static int32_t infer_label_encoder(const TsrOpDef *def, TsrInferContext *infer)
{
    static const struct {
        const char *name;
        uint32_t dtype;
    } values[] = {
        {"values_strings", TSR_DTYPE_STRING}, {"values_int64s", TSR_DTYPE_INT64},
        {"values_floats", TSR_DTYPE_FLOAT},
    };
    const TsrAttr *tensor = tsr_attr_find(infer->node, "values_tensor");
    Shape x = tsr_infer_shape(infer, 0);
    (void)def;
    if (tensor != NULL && tensor->tensor != NULL)
        return tsr_infer_set(infer, 0, tensor->tensor->desc->dtype, &x);
    for (uint32_t i = 0; i < COUNT_OF(values); i++)
        if (tsr_attr_find(infer->node, values[i].name) != NULL)
            return tsr_infer_set(infer, 0, values[i].dtype, &x);
    return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs one of the values_ attributes");
}

/* TreeEnsemble: [N, F] in, [N, n_targets] out. */
static int32_t infer_tree_ensemble(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y = tsr_shape_unknown(2);
    int64_t targets = tsr_attr_int(infer->node, "n_targets", 1);
    int32_t status = tsr_infer_want_rank(infer, 0, 2);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (targets < 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "n_targets must be positive, got %lld",
                           (long long)targets);
    if (x.rank == 2)
        y.dim[0] = x.dim[0];
    y.dim[1] = targets;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

static const TsrOpParam array_feature_extractor_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {"Y", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam array_feature_extractor_1_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpParam binarizer_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpParam binarizer_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpAttr binarizer_1_attrs[] = {
    {.name = "threshold", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
};

static const TsrOpParam label_encoder_2_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT64) |
     TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpParam label_encoder_2_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT64) |
     TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpAttr label_encoder_2_attrs[] = {
    {.name = "default_float", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = -0.0f},
    {.name = "default_int64", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "default_string", .type = TSR_ATTR_STRING, .has_default = 1, .s = "_Unused"},
    {.name = "keys_floats", .type = TSR_ATTR_FLOATS},
    {.name = "keys_int64s", .type = TSR_ATTR_INTS},
    {.name = "keys_strings", .type = TSR_ATTR_STRINGS},
    {.name = "values_floats", .type = TSR_ATTR_FLOATS},
    {.name = "values_int64s", .type = TSR_ATTR_INTS},
    {.name = "values_strings", .type = TSR_ATTR_STRINGS},
};

static const TsrOpParam label_encoder_4_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpParam label_encoder_4_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpAttr label_encoder_4_attrs[] = {
    {.name = "default_float", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = -0.0f},
    {.name = "default_int64", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "default_string", .type = TSR_ATTR_STRING, .has_default = 1, .s = "_Unused"},
    {.name = "default_tensor", .type = TSR_ATTR_TENSOR},
    {.name = "keys_floats", .type = TSR_ATTR_FLOATS},
    {.name = "keys_int64s", .type = TSR_ATTR_INTS},
    {.name = "keys_strings", .type = TSR_ATTR_STRINGS},
    {.name = "keys_tensor", .type = TSR_ATTR_TENSOR},
    {.name = "values_floats", .type = TSR_ATTR_FLOATS},
    {.name = "values_int64s", .type = TSR_ATTR_INTS},
    {.name = "values_strings", .type = TSR_ATTR_STRINGS},
    {.name = "values_tensor", .type = TSR_ATTR_TENSOR},
};

static const TsrOpParam tree_ensemble_5_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam tree_ensemble_5_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr tree_ensemble_5_attrs[] = {
    {.name = "aggregate_function", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0,
     .max = 3},
    {.name = "leaf_targetids", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "leaf_weights", .type = TSR_ATTR_TENSOR, .required = 1},
    {.name = "membership_values", .type = TSR_ATTR_TENSOR},
    {.name = "n_targets", .type = TSR_ATTR_INT},
    {.name = "nodes_falseleafs", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "nodes_falsenodeids", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "nodes_featureids", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "nodes_hitrates", .type = TSR_ATTR_TENSOR},
    {.name = "nodes_missing_value_tracks_true", .type = TSR_ATTR_INTS},
    {.name = "nodes_modes", .type = TSR_ATTR_TENSOR, .required = 1},
    {.name = "nodes_splits", .type = TSR_ATTR_TENSOR, .required = 1},
    {.name = "nodes_trueleafs", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "nodes_truenodeids", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "post_transform", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 4},
    {.name = "tree_roots", .type = TSR_ATTR_INTS, .required = 1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("ai.onnx.ml", "ArrayFeatureExtractor", 1), OP_INPUTS(array_feature_extractor_1_in),
     OP_OUTPUTS(array_feature_extractor_1_out), .infer = infer_extractor},
    {OP_ROW("ai.onnx.ml", "Binarizer", 1), OP_INPUTS(binarizer_1_in), OP_OUTPUTS(binarizer_1_out),
     OP_ATTRS(binarizer_1_attrs), .follow = "Y=X"},
    {OP_ROW("ai.onnx.ml", "LabelEncoder", 2), OP_INPUTS(label_encoder_2_in),
     OP_OUTPUTS(label_encoder_2_out), OP_ATTRS(label_encoder_2_attrs),
     .infer = infer_label_encoder},
    {OP_ROW("ai.onnx.ml", "LabelEncoder", 4), OP_INPUTS(label_encoder_4_in),
     OP_OUTPUTS(label_encoder_4_out), OP_ATTRS(label_encoder_4_attrs),
     .infer = infer_label_encoder},
    {OP_ROW("ai.onnx.ml", "TreeEnsemble", 5), OP_INPUTS(tree_ensemble_5_in),
     OP_OUTPUTS(tree_ensemble_5_out), OP_ATTRS(tree_ensemble_5_attrs),
     .infer = infer_tree_ensemble},
};

const TsrOps tsr_ops_ml = OP_FAMILY(definitions);
