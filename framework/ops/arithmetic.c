/* SPDX-License-Identifier: Apache-2.0
 *
 * arithmetic.c: definitions of ONNX operators:
 * arithmetic with multidirectional broadcasting.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

/* All inputs broadcast together; the output has the dtype of the first. */
static int32_t infer_broadcast(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape shape;
    int32_t status = tsr_infer_broadcast(infer, 0, infer->node->input_count, &shape);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (infer->node->input_count == 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs at least one input, got none");
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &shape);
}

static const TsrOpParam add_7_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam add_7_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam add_13_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam add_13_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam add_14_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam add_14_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam pow_7_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pow_7_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pow_12_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX},
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pow_12_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX},
};

static const TsrOpParam pow_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX},
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pow_13_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX},
};

static const TsrOpParam pow_15_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX},
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC},
};

static const TsrOpParam mod_10_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam mod_10_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr mod_10_attrs[] = {
    {.name = "fmod", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam max_6_in[] = {
    {"data_0", TSR_PARAM_VARIADIC, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam max_6_out[] = {
    {"max", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam max_12_in[] = {
    {"data_0", TSR_PARAM_VARIADIC, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam max_12_out[] = {
    {"max", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam max_13_in[] = {
    {"data_0", TSR_PARAM_VARIADIC, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam max_13_out[] = {
    {"max", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam min_6_out[] = {
    {"min", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam min_12_out[] = {
    {"min", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam min_13_out[] = {
    {"min", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam sum_6_out[] = {
    {"sum", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam sum_13_in[] = {
    {"data_0", TSR_PARAM_VARIADIC, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam sum_13_out[] = {
    {"sum", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam mean_6_out[] = {
    {"mean", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam mean_13_out[] = {
    {"mean", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam bit_shift_11_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_UNSIGNED},
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_UNSIGNED},
};

static const TsrOpParam bit_shift_11_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_TYPES_UNSIGNED},
};

static const TsrOpAttr bit_shift_11_attrs[] = {
    {.name = "direction", .type = TSR_ATTR_STRING, .required = 1,
     .words = "LEFT|RIGHT"},
};

static const TsrOpParam bitwise_and_18_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER},
};

static const TsrOpParam bitwise_and_18_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER},
};

static const TsrOpParam bitwise_not_18_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER},
};

static const TsrOpParam bitwise_not_18_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER},
};

static const TsrOpDef definitions[] = {
    {OP_MAP("", "Add", 7), OP_INPUTS(add_7_in), OP_OUTPUTS(add_7_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_add},
    {OP_MAP("", "Add", 13), OP_INPUTS(add_13_in), OP_OUTPUTS(add_13_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_add},
    {OP_MAP("", "Add", 14), OP_INPUTS(add_14_in), OP_OUTPUTS(add_14_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_add},
    {OP_MAP("", "Sub", 7), OP_INPUTS(add_7_in), OP_OUTPUTS(add_7_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_sub},
    {OP_MAP("", "Sub", 13), OP_INPUTS(add_13_in), OP_OUTPUTS(add_13_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_sub},
    {OP_MAP("", "Sub", 14), OP_INPUTS(add_14_in), OP_OUTPUTS(add_14_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_sub},
    {OP_MAP("", "Mul", 7), OP_INPUTS(add_7_in), OP_OUTPUTS(add_7_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_mul},
    {OP_MAP("", "Mul", 13), OP_INPUTS(add_13_in), OP_OUTPUTS(add_13_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_mul},
    {OP_MAP("", "Mul", 14), OP_INPUTS(add_14_in), OP_OUTPUTS(add_14_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_mul},
    {OP_MAP("", "Div", 7), OP_INPUTS(add_7_in), OP_OUTPUTS(add_7_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_div},
    {OP_MAP("", "Div", 13), OP_INPUTS(add_13_in), OP_OUTPUTS(add_13_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_div},
    {OP_MAP("", "Div", 14), OP_INPUTS(add_14_in), OP_OUTPUTS(add_14_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_div},
    {OP_MAP("", "Pow", 7), OP_INPUTS(pow_7_in), OP_OUTPUTS(pow_7_out), .infer = infer_broadcast},
    {OP_MAP("", "Pow", 12), OP_INPUTS(pow_12_in), OP_OUTPUTS(pow_12_out),
     .infer = infer_broadcast},
    {OP_MAP("", "Pow", 13), OP_INPUTS(pow_13_in), OP_OUTPUTS(pow_13_out),
     .infer = infer_broadcast},
    {OP_MAP("", "Pow", 15), OP_INPUTS(pow_15_in), OP_OUTPUTS(pow_13_out),
     .infer = infer_broadcast},
    {OP_MAP("", "Mod", 10), OP_INPUTS(mod_10_in), OP_OUTPUTS(mod_10_out), OP_ATTRS(mod_10_attrs),
     .infer = infer_broadcast},
    {OP_MAP("", "Mod", 13), OP_INPUTS(add_14_in), OP_OUTPUTS(add_14_out), OP_ATTRS(mod_10_attrs),
     .infer = infer_broadcast},
    {OP_MAP("", "Max", 6), OP_INPUTS(max_6_in), OP_OUTPUTS(max_6_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_max},
    {OP_MAP("", "Max", 8), OP_INPUTS(max_6_in), OP_OUTPUTS(max_6_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_max},
    {OP_MAP("", "Max", 12), OP_INPUTS(max_12_in), OP_OUTPUTS(max_12_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_max},
    {OP_MAP("", "Max", 13), OP_INPUTS(max_13_in), OP_OUTPUTS(max_13_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_max},
    {OP_MAP("", "Min", 6), OP_INPUTS(max_6_in), OP_OUTPUTS(min_6_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_min},
    {OP_MAP("", "Min", 8), OP_INPUTS(max_6_in), OP_OUTPUTS(min_6_out), .infer = infer_broadcast,
     .infer_elements = tsr_elements_min},
    {OP_MAP("", "Min", 12), OP_INPUTS(max_12_in), OP_OUTPUTS(min_12_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_min},
    {OP_MAP("", "Min", 13), OP_INPUTS(max_13_in), OP_OUTPUTS(min_13_out),
     .infer = infer_broadcast,
     .infer_elements = tsr_elements_min},
    {OP_MAP("", "Sum", 6), OP_INPUTS(max_6_in), OP_OUTPUTS(sum_6_out), .infer = infer_broadcast},
    {OP_MAP("", "Sum", 8), OP_INPUTS(max_6_in), OP_OUTPUTS(sum_6_out), .infer = infer_broadcast},
    {OP_MAP("", "Sum", 13), OP_INPUTS(sum_13_in), OP_OUTPUTS(sum_13_out),
     .infer = infer_broadcast},
    {OP_MAP("", "Mean", 6), OP_INPUTS(max_6_in), OP_OUTPUTS(mean_6_out), .infer = infer_broadcast},
    {OP_MAP("", "Mean", 8), OP_INPUTS(max_6_in), OP_OUTPUTS(mean_6_out), .infer = infer_broadcast},
    {OP_MAP("", "Mean", 13), OP_INPUTS(sum_13_in), OP_OUTPUTS(mean_13_out),
     .infer = infer_broadcast},
    {OP_MAP("", "BitShift", 11), OP_INPUTS(bit_shift_11_in), OP_OUTPUTS(bit_shift_11_out),
     OP_ATTRS(bit_shift_11_attrs), .infer = infer_broadcast},
    {OP_MAP("", "BitwiseAnd", 18), OP_INPUTS(bitwise_and_18_in), OP_OUTPUTS(bitwise_and_18_out),
     .infer = infer_broadcast},
    {OP_MAP("", "BitwiseOr", 18), OP_INPUTS(bitwise_and_18_in), OP_OUTPUTS(bitwise_and_18_out),
     .infer = infer_broadcast},
    {OP_MAP("", "BitwiseXor", 18), OP_INPUTS(bitwise_and_18_in), OP_OUTPUTS(bitwise_and_18_out),
     .infer = infer_broadcast},
    {OP_MAP("", "BitwiseNot", 18), OP_INPUTS(bitwise_not_18_in), OP_OUTPUTS(bitwise_not_18_out),
     .follow = "Y=X"},
};

const TsrOps tsr_ops_arithmetic = OP_FAMILY(definitions);
