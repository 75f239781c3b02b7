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

/* Bounds: everything could be taken. */
static int32_t range_nonzero(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t bound[2] = {x.rank, 1};
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    for (uint32_t i = 0; i < x.rank; i++)
        if (x.dim[i] < 0)
            return TSR_OK;
    bound[1] = tsr_shape_elements(x.rank, x.dim);
    return infer->set_output_max(infer, 0, 2, bound);
}

/* Elements of input 0, or its extent along the attribute axis; -1 when not known. */
static int64_t taken_at_most(const TsrInferContext *infer, Shape *out_x, uint32_t *out_axis)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "axis");
    int64_t axis;
    *out_x = tsr_infer_shape(infer, 0);
    if (out_x->rank == TSR_RANK_UNKNOWN)
        return TSR_DIM_UNKNOWN;
    for (uint32_t i = 0; i < out_x->rank; i++)
        if (out_x->dim[i] < 0)
            return TSR_DIM_UNKNOWN;
    if (attr == NULL)
        return tsr_shape_elements(out_x->rank, out_x->dim);
    axis = tsr_axis_normalize(attr->i, out_x->rank);
    *out_axis = (uint32_t)axis;
    return axis >= 0 ? out_x->dim[axis] : TSR_DIM_UNKNOWN;
}

/* Output 0 of Compress and Unique. */
static int32_t bound_taken(TsrInferContext *infer, const Shape *x, uint32_t axis, int64_t most)
{
    Shape bound = *x;
    if (tsr_attr_find(infer->node, "axis") == NULL)
        return infer->set_output_max(infer, 0, 1, &most);
    bound.dim[axis] = most;
    return infer->set_output_max(infer, 0, bound.rank, bound.dim);
}

static int32_t range_compress(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x, condition = tsr_infer_shape(infer, 1);
    uint32_t axis = 0;
    int64_t most = taken_at_most(infer, &x, &axis);
    (void)def;
    if (most < 0)
        return TSR_OK;
    if (condition.rank == 1 && condition.dim[0] >= 0 && condition.dim[0] < most)
        most = condition.dim[0];
    return bound_taken(infer, &x, axis, most);
}

static int32_t range_unique(const TsrOpDef *def, TsrInferContext *infer)
{
    uint32_t axis = 0;
    Shape x;
    int64_t most = taken_at_most(infer, &x, &axis);
    int32_t status = TSR_OK;
    (void)def;
    if (most < 0)
        return TSR_OK;
    status = bound_taken(infer, &x, axis, most);
    for (uint32_t i = 1; i < 4 && status == TSR_OK; i++)
        status = infer->set_output_max(infer, i, 1, &most);
    return status;
}

/* At most max_output_boxes_per_class of each class of each batch, and never more than
 * there are boxes. */
static int32_t range_nms(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape boxes = tsr_infer_shape(infer, 0), scores = tsr_infer_shape(infer, 1);
    int64_t each = 0, bound[2] = {0, 3}, most;
    int known = 0;
    (void)def;
    if (boxes.rank != 3 || scores.rank != 3 || boxes.dim[1] < 0 || scores.dim[0] < 0 ||
        scores.dim[1] < 0)
        return TSR_OK;
    if (infer->node->input_count > 2 && infer->node->inputs[2] != NULL) {
        int32_t status = tsr_infer_int(infer, "max_output_boxes_per_class", 2, &each, &known);
        if (status != TSR_OK)
            return status;
        if (!known)
            each = boxes.dim[1];
    }
    each = each < 0 ? 0 : each < boxes.dim[1] ? each : boxes.dim[1];
    if (tsr_infer_multiply(infer, scores.dim[0], scores.dim[1], &most) != TSR_OK ||
        tsr_infer_multiply(infer, most, each, &bound[0]) != TSR_OK)
        return TSR_INVALID_ARGUMENT;
    return infer->set_output_max(infer, 0, 2, bound);
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
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nonzero,
     .infer_range = range_nonzero},
    {OP_ROW("", "NonZero", 13), OP_INPUTS(non_zero_13_in), OP_OUTPUTS(non_zero_9_out),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nonzero,
     .infer_range = range_nonzero},
    {OP_ROW("", "Compress", 9), OP_INPUTS(compress_9_in), OP_OUTPUTS(compress_9_out),
     OP_ATTRS(compress_9_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_compress,
     .infer_range = range_compress},
    {OP_ROW("", "Compress", 11), OP_INPUTS(compress_9_in), OP_OUTPUTS(compress_9_out),
     OP_ATTRS(compress_9_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_compress,
     .infer_range = range_compress},
    {OP_ROW("", "TopK", 1), OP_INPUTS(top_k_1_in), OP_OUTPUTS(top_k_1_out),
     OP_ATTRS(top_k_1_attrs), .infer = infer_top_k},
    {OP_ROW("", "TopK", 10), OP_INPUTS(top_k_10_in), OP_OUTPUTS(top_k_1_out),
     OP_ATTRS(top_k_10_attrs), .value_inputs = 1u << 1, .infer = infer_top_k},
    {OP_ROW("", "TopK", 11), OP_INPUTS(top_k_11_in), OP_OUTPUTS(top_k_11_out),
     OP_ATTRS(top_k_11_attrs), .value_inputs = 1u << 1, .infer = infer_top_k},
    {OP_ROW("", "TopK", 24), OP_INPUTS(top_k_24_in), OP_OUTPUTS(top_k_24_out),
     OP_ATTRS(top_k_11_attrs), .value_inputs = 1u << 1, .infer = infer_top_k},
    {OP_ROW("", "Unique", 11), OP_INPUTS(non_zero_9_in), OP_OUTPUTS(unique_11_out),
     OP_ATTRS(unique_11_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_unique,
     .infer_range = range_unique},
    {OP_ROW("", "NonMaxSuppression", 10), OP_INPUTS(non_max_suppression_10_in),
     OP_OUTPUTS(non_max_suppression_10_out), OP_ATTRS(non_max_suppression_10_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nms,
     .infer_range = range_nms},
    {OP_ROW("", "NonMaxSuppression", 11), OP_INPUTS(non_max_suppression_10_in),
     OP_OUTPUTS(non_max_suppression_10_out), OP_ATTRS(non_max_suppression_10_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_nms,
     .infer_range = range_nms},
};

const TsrOps tsr_ops_select = OP_FAMILY(definitions);
