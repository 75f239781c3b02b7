/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: definitions of ONNX operators:
 * elements chosen by their values.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

static int32_t infer_nonzero(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = tsr_shape_unknown(2);
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN)
        out.dim[0] = x.rank;
    return tsr_infer_set(infer, 0, TSR_DTYPE_INT64, &out);
}

static int32_t infer_compress(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "axis");
    Shape x = tsr_infer_shape(infer, 0), out = attr != NULL ? x : tsr_shape_unknown(1);
    int32_t status = tsr_infer_want_rank(infer, 1, 1);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (attr != NULL && x.rank != TSR_RANK_UNKNOWN) {
        uint32_t axis;
        if ((status = tsr_infer_axis(infer, "axis", attr->i, x.rank, &axis)) != TSR_OK)
            return status;
        out.dim[axis] = TSR_DIM_UNKNOWN;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

/* TopK: k is an attribute in version 1, an input from 10 on. */
static int32_t infer_top_k(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t k[2 * TSR_MAX_RANK] = {tsr_attr_int(infer->node, "k", TSR_DIM_UNKNOWN)}, count = 1;
    int known = 1;
    int32_t status;
    if (def->since_version >= 10) {
        if ((status = tsr_infer_ints(infer, 1, k, &count, &known)) != TSR_OK)
            return status;
        if (count >= 0 && count != 1)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "K must be one number, got %lld",
                               (long long)count);
    }
    if (x.rank != TSR_RANK_UNKNOWN) {
        uint32_t axis;
        status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", -1), x.rank,
                                &axis);
        if (status != TSR_OK)
            return status;
        if (known && (k[0] < 0 || (x.dim[axis] >= 0 && k[0] > x.dim[axis])))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "K must be in [0, %lld], got %lld", (long long)x.dim[axis],
                               (long long)k[0]);
        x.dim[axis] = known ? k[0] : TSR_DIM_UNKNOWN;
    }
    if ((status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 1, TSR_DTYPE_INT64, &x);
}

static int32_t infer_unique(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "axis");
    Shape x = tsr_infer_shape(infer, 0), out = attr != NULL ? x : tsr_shape_unknown(1);
    Shape list = tsr_shape_unknown(1);
    int32_t status;
    (void)def;
    if (attr != NULL && x.rank != TSR_RANK_UNKNOWN) {
        uint32_t axis;
        if ((status = tsr_infer_axis(infer, "axis", attr->i, x.rank, &axis)) != TSR_OK)
            return status;
        out.dim[axis] = TSR_DIM_UNKNOWN;
    }
    if ((status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out)) != TSR_OK)
        return status;
    for (uint32_t i = 1; i < 4; i++)
        if ((status = tsr_infer_set(infer, i, TSR_DTYPE_INT64, &list)) != TSR_OK)
            return status;
    return TSR_OK;
}

static int32_t infer_nms(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape out = tsr_shape_unknown(2);
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 3)) != TSR_OK)
        return status;
    out.dim[1] = 3;
    return tsr_infer_set(infer, 0, TSR_DTYPE_INT64, &out);
}

static const TsrOpParam non_zero_9_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam non_zero_9_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam non_zero_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam compress_9_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"condition", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam compress_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr compress_9_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT},
};

static const TsrOpParam top_k_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam top_k_1_out[] = {
    {"Values", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"Indices", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr top_k_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "k", .type = TSR_ATTR_INT, .required = 1},
};

static const TsrOpParam top_k_10_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"K", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr top_k_10_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
};

static const TsrOpParam top_k_11_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"K", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam top_k_11_out[] = {
    {"Values", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"Indices", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr top_k_11_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "largest", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
    {.name = "sorted", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam top_k_24_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
    {"K", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam top_k_24_out[] = {
    {"Values", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
    {"Indices", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam unique_11_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"indices", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"inverse_indices", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"counts", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr unique_11_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT},
    {.name = "sorted", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam non_max_suppression_10_in[] = {
    {"boxes", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"scores", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"max_output_boxes_per_class", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"iou_threshold", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"score_threshold", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpParam non_max_suppression_10_out[] = {
    {"selected_indices", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr non_max_suppression_10_attrs[] = {
    {.name = "center_point_box", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "NonZero", 9), OP_INPUTS(non_zero_9_in), OP_OUTPUTS(non_zero_9_out),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nonzero},
    {OP_ROW("", "NonZero", 13), OP_INPUTS(non_zero_13_in), OP_OUTPUTS(non_zero_9_out),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nonzero},
    {OP_ROW("", "Compress", 9), OP_INPUTS(compress_9_in), OP_OUTPUTS(compress_9_out),
     OP_ATTRS(compress_9_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_compress},
    {OP_ROW("", "Compress", 11), OP_INPUTS(compress_9_in), OP_OUTPUTS(compress_9_out),
     OP_ATTRS(compress_9_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_compress},
    {OP_ROW("", "TopK", 1), OP_INPUTS(top_k_1_in), OP_OUTPUTS(top_k_1_out),
     OP_ATTRS(top_k_1_attrs), .infer = infer_top_k},
    {OP_ROW("", "TopK", 10), OP_INPUTS(top_k_10_in), OP_OUTPUTS(top_k_1_out),
     OP_ATTRS(top_k_10_attrs), .value_inputs = 1u << 1, .infer = infer_top_k},
    {OP_ROW("", "TopK", 11), OP_INPUTS(top_k_11_in), OP_OUTPUTS(top_k_11_out),
     OP_ATTRS(top_k_11_attrs), .value_inputs = 1u << 1, .infer = infer_top_k},
    {OP_ROW("", "TopK", 24), OP_INPUTS(top_k_24_in), OP_OUTPUTS(top_k_24_out),
     OP_ATTRS(top_k_11_attrs), .value_inputs = 1u << 1, .infer = infer_top_k},
    {OP_ROW("", "Unique", 11), OP_INPUTS(non_zero_9_in), OP_OUTPUTS(unique_11_out),
     OP_ATTRS(unique_11_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_unique},
    {OP_ROW("", "NonMaxSuppression", 10), OP_INPUTS(non_max_suppression_10_in),
     OP_OUTPUTS(non_max_suppression_10_out), OP_ATTRS(non_max_suppression_10_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nms},
    {OP_ROW("", "NonMaxSuppression", 11), OP_INPUTS(non_max_suppression_10_in),
     OP_OUTPUTS(non_max_suppression_10_out), OP_ATTRS(non_max_suppression_10_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nms},
};

const TsrOps tsr_ops_select = OP_FAMILY(definitions);
