/* SPDX-License-Identifier: Apache-2.0
 *
 * logic.c: definitions of ONNX operators:
 * logic, comparisons and selection by a condition.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

/* Two inputs broadcast to a bool output. */
static int32_t infer_compare(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape shape;
    int32_t status = tsr_infer_broadcast(infer, 0, 2, &shape);
    (void)def;
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, TSR_DTYPE_BOOL, &shape);
}

/* Per element a question: same shape, bool. */
static int32_t infer_test(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape shape = tsr_infer_shape(infer, 0);
    (void)def;
    return tsr_infer_set(infer, 0, TSR_DTYPE_BOOL, &shape);
}

static int32_t infer_where(const TsrOpDef *def, TsrInferContext *infer)
{
    uint32_t dtype = tsr_infer_dtype(infer, 1);
    Shape shape;
    int32_t status = tsr_infer_broadcast(infer, 0, 3, &shape);
    (void)def;
    if (dtype == TSR_DTYPE_UNDEFINED)
        dtype = tsr_infer_dtype(infer, 2);
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, dtype, &shape);
}

static const TsrOpParam not_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam not_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam and_7_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam and_7_out[] = {
    {"C", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam equal_7_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam equal_11_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam equal_13_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam equal_19_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam greater_7_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam greater_9_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam greater_13_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam where_9_in[] = {
    {"condition", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
    {"X", TSR_PARAM_REQUIRED, 2, TYPES_V1},
    {"Y", TSR_PARAM_REQUIRED, 2, TYPES_V1},
};

static const TsrOpParam where_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TYPES_V1},
};

static const TsrOpParam where_16_in[] = {
    {"condition", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
    {"X", TSR_PARAM_REQUIRED, 2, TYPES_V13},
    {"Y", TSR_PARAM_REQUIRED, 2, TYPES_V13},
};

static const TsrOpParam where_16_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TYPES_V13},
};

static const TsrOpParam is_na_n_9_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam is_na_n_9_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam is_na_n_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam is_na_n_20_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TYPES_FLOAT8},
};

static const TsrOpParam is_inf_10_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpAttr is_inf_10_attrs[] = {
    {.name = "detect_negative", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0,
     .max = 1},
    {.name = "detect_positive", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0,
     .max = 1},
};

static const TsrOpDef definitions[] = {
    {OP_MAP("", "Not", 1), OP_INPUTS(not_1_in), OP_OUTPUTS(not_1_out), .follow = "Y=X"},
    {OP_MAP("", "And", 7), OP_INPUTS(and_7_in), OP_OUTPUTS(and_7_out), .infer = infer_compare},
    {OP_MAP("", "Or", 7), OP_INPUTS(and_7_in), OP_OUTPUTS(and_7_out), .infer = infer_compare},
    {OP_MAP("", "Xor", 7), OP_INPUTS(and_7_in), OP_OUTPUTS(and_7_out), .infer = infer_compare},
    {OP_MAP("", "Equal", 7), OP_INPUTS(equal_7_in), OP_OUTPUTS(and_7_out), .infer = infer_compare,
     .infer_elements = tsr_elements_equal},
    {OP_MAP("", "Equal", 11), OP_INPUTS(equal_11_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare,
     .infer_elements = tsr_elements_equal},
    {OP_MAP("", "Equal", 13), OP_INPUTS(equal_13_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare,
     .infer_elements = tsr_elements_equal},
    {OP_MAP("", "Equal", 19), OP_INPUTS(equal_19_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare,
     .infer_elements = tsr_elements_equal},
    {OP_MAP("", "Greater", 7), OP_INPUTS(greater_7_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "Greater", 9), OP_INPUTS(greater_9_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "Greater", 13), OP_INPUTS(greater_13_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "Less", 7), OP_INPUTS(greater_7_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "Less", 9), OP_INPUTS(greater_9_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "Less", 13), OP_INPUTS(greater_13_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "GreaterOrEqual", 12), OP_INPUTS(greater_9_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "GreaterOrEqual", 16), OP_INPUTS(greater_13_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "LessOrEqual", 12), OP_INPUTS(greater_9_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "LessOrEqual", 16), OP_INPUTS(greater_13_in), OP_OUTPUTS(and_7_out),
     .infer = infer_compare},
    {OP_MAP("", "Where", 9), OP_INPUTS(where_9_in), OP_OUTPUTS(where_9_out), .infer = infer_where,
     .infer_elements = tsr_elements_where},
    {OP_MAP("", "Where", 16), OP_INPUTS(where_16_in), OP_OUTPUTS(where_16_out),
     .infer = infer_where,
     .infer_elements = tsr_elements_where},
    {OP_MAP("", "IsNaN", 9), OP_INPUTS(is_na_n_9_in), OP_OUTPUTS(is_na_n_9_out),
     .infer = infer_test},
    {OP_MAP("", "IsNaN", 13), OP_INPUTS(is_na_n_13_in), OP_OUTPUTS(is_na_n_9_out),
     .infer = infer_test},
    {OP_MAP("", "IsNaN", 20), OP_INPUTS(is_na_n_20_in), OP_OUTPUTS(is_na_n_9_out),
     .infer = infer_test},
    {OP_MAP("", "IsInf", 10), OP_INPUTS(is_inf_10_in), OP_OUTPUTS(is_na_n_9_out),
     OP_ATTRS(is_inf_10_attrs), .infer = infer_test},
    {OP_MAP("", "IsInf", 20), OP_INPUTS(is_na_n_20_in), OP_OUTPUTS(is_na_n_9_out),
     OP_ATTRS(is_inf_10_attrs), .infer = infer_test},
};

const TsrOps tsr_ops_logic = OP_FAMILY(definitions);
