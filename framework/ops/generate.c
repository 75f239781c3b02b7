/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.c: definitions of ONNX operators:
 * tensors that come from attributes and shapes.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

/* Constant: exactly one of the value attributes. */
static int32_t infer_constant(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape out = {.rank = 0};
    uint32_t dtype = TSR_DTYPE_UNDEFINED;
    const TsrAttr *attr = tsr_attr_find(infer->node, "value");
    (void)def;
    if (attr != NULL && attr->tensor != NULL) {
        out.rank = attr->tensor->desc->rank;
        if (out.rank > TSR_MAX_RANK)
            return infer->fail(infer, TSR_UNSUPPORTED, "the value has rank %u, at most %d",
                               out.rank, TSR_MAX_RANK);
        memcpy(out.dim, attr->tensor->desc->shape, out.rank * sizeof(out.dim[0]));
        return tsr_infer_set(infer, 0, attr->tensor->desc->dtype, &out);
    }
    for (uint32_t i = 0; i < infer->node->attr_count && dtype == TSR_DTYPE_UNDEFINED; i++) {
        attr = infer->node->attrs[i];
        out.rank = attr->type >= TSR_ATTR_FLOATS;
        out.dim[0] = attr->count;
        if (strcmp(attr->name, "value_float") == 0 || strcmp(attr->name, "value_floats") == 0)
            dtype = TSR_DTYPE_FLOAT;
        else if (strcmp(attr->name, "value_int") == 0 || strcmp(attr->name, "value_ints") == 0)
            dtype = TSR_DTYPE_INT64;
        else if (strncmp(attr->name, "value_string", 12) == 0)
            dtype = TSR_DTYPE_STRING;
    }
    if (dtype == TSR_DTYPE_UNDEFINED)
        out.rank = TSR_RANK_UNKNOWN;
    return tsr_infer_set(infer, 0, dtype, &out);
}

static int32_t infer_constant_of_shape(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *value = tsr_attr_find(infer->node, "value");
    int64_t target[2 * TSR_MAX_RANK], count;
    Shape out;
    int known;
    int32_t status = tsr_infer_sizes(infer, 0, target, &count, &known);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (count > TSR_MAX_RANK)
        return infer->fail(infer, TSR_UNSUPPORTED, "the shape has %lld dimensions, at most %d",
                           (long long)count, TSR_MAX_RANK);
    out = tsr_shape_unknown(count < 0 ? TSR_RANK_UNKNOWN : (uint32_t)count);
    for (int64_t i = 0; known && i < count; i++) {
        if (target[i] < 0 && !TSR_DIM_IS_SYMBOL(target[i]))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the shape must not be negative, got %lld", (long long)target[i]);
        out.dim[i] = target[i];
    }
    return tsr_infer_set(infer, 0,
                         value != NULL && value->tensor != NULL ? value->tensor->desc->dtype
                                                                : TSR_DTYPE_FLOAT, &out);
}

/* One number of any Range type as double; the integer types of Range are exact in it
 * for every extent that memory can hold. */
static double range_number(const TsrTensor *tensor)
{
    switch (tensor->desc->dtype) {
    case TSR_DTYPE_FLOAT: return *(const float *)tensor->data;
    case TSR_DTYPE_DOUBLE: return *(const double *)tensor->data;
    case TSR_DTYPE_INT16: return *(const int16_t *)tensor->data;
    case TSR_DTYPE_INT32: return *(const int32_t *)tensor->data;
    case TSR_DTYPE_INT64: return (double)*(const int64_t *)tensor->data;
    case TSR_DTYPE_FLOAT16: return tsr_float16_to_float(*(const uint16_t *)tensor->data);
    case TSR_DTYPE_BFLOAT16: return tsr_bfloat16_to_float(*(const uint16_t *)tensor->data);
    default: return 0.0;
    }
}

/* The same where its numbers follow from shapes; steps go up. */
static int64_t range_symbol(TsrInferContext *infer)
{
    int64_t number[3], room[1], count;
    for (uint32_t i = 0; i < 3; i++) {
        if (!TSR_HAS(infer, elements) || infer->elements(infer, i, room, 1) != 1)
            return TSR_DIM_UNKNOWN;
        number[i] = room[0];
    }
    if (TSR_DIM_IS_SYMBOL(number[2]) || number[2] < 1 || number[2] > INT32_MAX ||
        !infer->combine(infer, TSR_DIM_SUB, number[1], number[0], &count) ||
        !infer->combine(infer, TSR_DIM_MAX, count, 0, &count))
        return TSR_DIM_UNKNOWN;
    return tsr_extent(infer, TSR_DIM_DIV,
                      tsr_extent(infer, TSR_DIM_ADD, count, number[2] - 1), number[2]);
}

/* Range: max(ceil((limit - start) / delta), 0) elements. */
static int32_t infer_range(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensor *const *values = infer->node->values;
    Shape out = tsr_shape_unknown(1);
    (void)def;
    if (values != NULL && values[0] != NULL && values[1] != NULL && values[2] != NULL) {
        double delta = range_number(values[2]);
        double span = range_number(values[1]) - range_number(values[0]), count = span / delta;
        if (delta == 0.0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "delta must not be 0");
        if (!(count < 9.0e18))
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "a range of %g elements is too large",
                               count);
        out.dim[0] = count <= 0.0 ? 0 : (int64_t)count;
        if (count > 0.0 && (double)out.dim[0] < count)
            out.dim[0]++;
    } else {
        out.dim[0] = range_symbol(infer);
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static int32_t infer_eye_like(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "dtype");
    Shape x = tsr_infer_shape(infer, 0);
    int64_t dtype = attr != NULL ? attr->i : (int64_t)tsr_infer_dtype(infer, 0);
    int32_t status = tsr_infer_want_rank(infer, 0, 2);
    if (status != TSR_OK)
        return status;
    if (attr != NULL &&
        (dtype <= 0 || dtype >= TSR_DTYPE_COUNT || !(def->outputs[0].dtypes & TSR_BIT(dtype))))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "dtype must be an element type of the output, got %lld",
                           (long long)dtype);
    return tsr_infer_set(infer, 0, (uint32_t)dtype, &x);
}

static const TsrOpParam constant_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr constant_1_attrs[] = {
    {.name = "value", .type = TSR_ATTR_TENSOR, .required = 1},
};

static const TsrOpParam constant_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr constant_11_attrs[] = {
    {.name = "sparse_value", .type = 11}, /* SPARSE_TENSOR of ONNX AttributeProto */
    {.name = "value", .type = TSR_ATTR_TENSOR},
};

static const TsrOpAttr constant_12_attrs[] = {
    {.name = "sparse_value", .type = 11}, /* SPARSE_TENSOR of ONNX AttributeProto */
    {.name = "value", .type = TSR_ATTR_TENSOR},
    {.name = "value_float", .type = TSR_ATTR_FLOAT},
    {.name = "value_floats", .type = TSR_ATTR_FLOATS},
    {.name = "value_int", .type = TSR_ATTR_INT},
    {.name = "value_ints", .type = TSR_ATTR_INTS},
    {.name = "value_string", .type = TSR_ATTR_STRING},
    {.name = "value_strings", .type = TSR_ATTR_STRINGS},
};

static const TsrOpParam constant_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam constant_19_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V19},
};

static const TsrOpParam constant_21_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam constant_23_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam constant_24_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam constant_25_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam constant_of_shape_9_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam constant_of_shape_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr constant_of_shape_9_attrs[] = {
    {.name = "value", .type = TSR_ATTR_TENSOR},
};

static const TsrOpParam constant_of_shape_20_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam constant_of_shape_21_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam constant_of_shape_23_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam constant_of_shape_24_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpParam constant_of_shape_25_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpParam range_11_in[] = {
    {"start", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {"limit", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {"delta", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpParam range_11_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpParam range_27_in[] = {
    {"start", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_INT16)},
    {"limit", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_INT16)},
    {"delta", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_INT16)},
};

static const TsrOpParam range_27_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_INT16)},
};

static const TsrOpAttr range_27_attrs[] = {
    {.name = "stash_type", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam eye_like_9_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr eye_like_9_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT},
    {.name = "k", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam eye_like_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam eye_like_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Constant", 1), OP_OUTPUTS(constant_1_out), OP_ATTRS(constant_1_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 9), OP_OUTPUTS(constant_9_out), OP_ATTRS(constant_1_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 11), OP_OUTPUTS(constant_9_out), OP_ATTRS(constant_11_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 12), OP_OUTPUTS(constant_9_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 13), OP_OUTPUTS(constant_13_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 19), OP_OUTPUTS(constant_19_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 21), OP_OUTPUTS(constant_21_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 23), OP_OUTPUTS(constant_23_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 24), OP_OUTPUTS(constant_24_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "Constant", 25), OP_OUTPUTS(constant_25_out), OP_ATTRS(constant_12_attrs),
     .infer = infer_constant},
    {OP_ROW("", "ConstantOfShape", 9), OP_INPUTS(constant_of_shape_9_in),
     OP_OUTPUTS(constant_of_shape_9_out), OP_ATTRS(constant_of_shape_9_attrs),
     .value_inputs = 1u << 0, .infer = infer_constant_of_shape,
     .infer_elements = tsr_elements_fill},
    {OP_ROW("", "ConstantOfShape", 20), OP_INPUTS(constant_of_shape_9_in),
     OP_OUTPUTS(constant_of_shape_20_out), OP_ATTRS(constant_of_shape_9_attrs),
     .value_inputs = 1u << 0, .infer = infer_constant_of_shape,
     .infer_elements = tsr_elements_fill},
    {OP_ROW("", "ConstantOfShape", 21), OP_INPUTS(constant_of_shape_9_in),
     OP_OUTPUTS(constant_of_shape_21_out), OP_ATTRS(constant_of_shape_9_attrs),
     .value_inputs = 1u << 0, .infer = infer_constant_of_shape,
     .infer_elements = tsr_elements_fill},
    {OP_ROW("", "ConstantOfShape", 23), OP_INPUTS(constant_of_shape_9_in),
     OP_OUTPUTS(constant_of_shape_23_out), OP_ATTRS(constant_of_shape_9_attrs),
     .value_inputs = 1u << 0, .infer = infer_constant_of_shape,
     .infer_elements = tsr_elements_fill},
    {OP_ROW("", "ConstantOfShape", 24), OP_INPUTS(constant_of_shape_9_in),
     OP_OUTPUTS(constant_of_shape_24_out), OP_ATTRS(constant_of_shape_9_attrs),
     .value_inputs = 1u << 0, .infer = infer_constant_of_shape,
     .infer_elements = tsr_elements_fill},
    {OP_ROW("", "ConstantOfShape", 25), OP_INPUTS(constant_of_shape_9_in),
     OP_OUTPUTS(constant_of_shape_25_out), OP_ATTRS(constant_of_shape_9_attrs),
     .value_inputs = 1u << 0, .infer = infer_constant_of_shape,
     .infer_elements = tsr_elements_fill},
    {OP_ROW("", "Range", 11), OP_INPUTS(range_11_in), OP_OUTPUTS(range_11_out),
     .value_inputs = 1u << 0 | 1u << 1 | 1u << 2, .infer = infer_range},
    {OP_ROW("", "Range", 27), OP_INPUTS(range_27_in), OP_OUTPUTS(range_27_out),
     OP_ATTRS(range_27_attrs), .value_inputs = 1u << 0 | 1u << 1 | 1u << 2, .infer = infer_range},
    {OP_ROW("", "EyeLike", 9), OP_INPUTS(eye_like_9_in), OP_OUTPUTS(constant_of_shape_9_out),
     OP_ATTRS(eye_like_9_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_eye_like},
    {OP_ROW("", "EyeLike", 22), OP_INPUTS(eye_like_22_in), OP_OUTPUTS(eye_like_22_out),
     OP_ATTRS(eye_like_9_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_eye_like},
};

const TsrOps tsr_ops_generate = OP_FAMILY(definitions);
