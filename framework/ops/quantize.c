/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize.c: definitions of ONNX operators:
 * linear quantization.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* QuantizeLinear: output_dtype (21 on), else the dtype of the zero point, else uint8. */
static int32_t infer_quantize(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t wanted = tsr_attr_int(infer->node, "output_dtype", 0);
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t dtype = tsr_infer_input(infer, 2) != NULL ? tsr_infer_dtype(infer, 2)
                     : wanted != 0                     ? (uint32_t)wanted
                                                       : TSR_DTYPE_UINT8;
    if (wanted != 0 && (wanted < 0 || wanted >= TSR_DTYPE_COUNT ||
                        !(def->outputs[0].dtypes & TSR_BIT(wanted))))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output_dtype must be an element type of the output, got %lld",
                           (long long)wanted);
    if (wanted != 0 && dtype != TSR_DTYPE_UNDEFINED && dtype != (uint32_t)wanted)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "output_dtype is %s, the zero point %s",
                           tsr_dtype_name((uint32_t)wanted), tsr_dtype_name(dtype));
    return tsr_infer_set(infer, 0, dtype, &x);
}

/* DequantizeLinear: float up to version 13, then the dtype of the scale or (23 on)
 * output_dtype. */
static int32_t infer_dequantize(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t wanted = tsr_attr_int(infer->node, "output_dtype", 0);
    Shape x = tsr_infer_shape(infer, 0);
    if (wanted < 0 || wanted >= TSR_DTYPE_COUNT)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output_dtype must be an element type, got %lld", (long long)wanted);
    return tsr_infer_set(infer, 0,
                         wanted != 0                ? (uint32_t)wanted
                         : def->since_version < 19 ? TSR_DTYPE_FLOAT
                                                    : tsr_infer_dtype(infer, 1), &x);
}

static const TsrOpParam quantize_linear_10_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32)},
    {"y_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"y_zero_point", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam quantize_linear_10_out[] = {
    {"y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpAttr quantize_linear_13_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam quantize_linear_19_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_scale", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_zero_point", TSR_PARAM_OPTIONAL, 2, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam quantize_linear_19_out[] = {
    {"y", TSR_PARAM_REQUIRED, 2, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpAttr quantize_linear_19_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam quantize_linear_21_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_scale", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_zero_point", TSR_PARAM_OPTIONAL, 2, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16)},
};

static const TsrOpParam quantize_linear_21_out[] = {
    {"y", TSR_PARAM_REQUIRED, 2, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16)},
};

static const TsrOpAttr quantize_linear_21_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "block_size", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "output_dtype", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam quantize_linear_23_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_zero_point", TSR_PARAM_OPTIONAL, 3, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam quantize_linear_23_out[] = {
    {"y", TSR_PARAM_REQUIRED, 3, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpAttr quantize_linear_23_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "block_size", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "output_dtype", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "precision", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam quantize_linear_24_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
    {"y_zero_point", TSR_PARAM_OPTIONAL, 3, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam quantize_linear_25_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT32) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
    {"y_zero_point", TSR_PARAM_OPTIONAL, 3, TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam quantize_linear_25_out[] = {
    {"y", TSR_PARAM_REQUIRED, 3, TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam dequantize_linear_10_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) |
     TSR_BIT(TSR_DTYPE_INT32)},
    {"x_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) |
     TSR_BIT(TSR_DTYPE_INT32)},
};

static const TsrOpParam dequantize_linear_10_out[] = {
    {"y", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpParam dequantize_linear_19_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_INT32)},
    {"x_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_INT32)},
};

static const TsrOpParam dequantize_linear_19_out[] = {
    {"y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpParam dequantize_linear_21_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_INT32)},
    {"x_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_INT32)},
};

static const TsrOpAttr dequantize_linear_21_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "block_size", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam dequantize_linear_23_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
    {"x_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam dequantize_linear_23_out[] = {
    {"y", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpAttr dequantize_linear_23_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "block_size", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "output_dtype", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam dequantize_linear_24_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
    {"x_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TYPES_FLOAT8 | TYPES_INT4 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) | TSR_BIT(TSR_DTYPE_INT16) |
     TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam dequantize_linear_25_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
    {"x_scale", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT16) |
     TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "QuantizeLinear", 10), OP_INPUTS(quantize_linear_10_in),
     OP_OUTPUTS(quantize_linear_10_out), .infer = infer_quantize},
    {OP_ROW("", "QuantizeLinear", 13), OP_INPUTS(quantize_linear_10_in),
     OP_OUTPUTS(quantize_linear_10_out), OP_ATTRS(quantize_linear_13_attrs),
     .infer = infer_quantize},
    {OP_ROW("", "QuantizeLinear", 19), OP_INPUTS(quantize_linear_19_in),
     OP_OUTPUTS(quantize_linear_19_out), OP_ATTRS(quantize_linear_19_attrs),
     .infer = infer_quantize},
    {OP_ROW("", "QuantizeLinear", 21), OP_INPUTS(quantize_linear_21_in),
     OP_OUTPUTS(quantize_linear_21_out), OP_ATTRS(quantize_linear_21_attrs),
     .infer = infer_quantize},
    {OP_ROW("", "QuantizeLinear", 23), OP_INPUTS(quantize_linear_23_in),
     OP_OUTPUTS(quantize_linear_23_out), OP_ATTRS(quantize_linear_23_attrs),
     .infer = infer_quantize},
    {OP_ROW("", "QuantizeLinear", 24), OP_INPUTS(quantize_linear_24_in),
     OP_OUTPUTS(quantize_linear_23_out), OP_ATTRS(quantize_linear_23_attrs),
     .infer = infer_quantize},
    {OP_ROW("", "QuantizeLinear", 25), OP_INPUTS(quantize_linear_25_in),
     OP_OUTPUTS(quantize_linear_25_out), OP_ATTRS(quantize_linear_23_attrs),
     .infer = infer_quantize},
    {OP_ROW("", "DequantizeLinear", 10), OP_INPUTS(dequantize_linear_10_in),
     OP_OUTPUTS(dequantize_linear_10_out), .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
    {OP_ROW("", "DequantizeLinear", 13), OP_INPUTS(dequantize_linear_10_in),
     OP_OUTPUTS(dequantize_linear_10_out), OP_ATTRS(quantize_linear_13_attrs),
     .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
    {OP_ROW("", "DequantizeLinear", 19), OP_INPUTS(dequantize_linear_19_in),
     OP_OUTPUTS(dequantize_linear_19_out), OP_ATTRS(quantize_linear_13_attrs),
     .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
    {OP_ROW("", "DequantizeLinear", 21), OP_INPUTS(dequantize_linear_21_in),
     OP_OUTPUTS(dequantize_linear_19_out), OP_ATTRS(dequantize_linear_21_attrs),
     .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
    {OP_ROW("", "DequantizeLinear", 23), OP_INPUTS(dequantize_linear_23_in),
     OP_OUTPUTS(dequantize_linear_23_out), OP_ATTRS(dequantize_linear_23_attrs),
     .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
    {OP_ROW("", "DequantizeLinear", 24), OP_INPUTS(dequantize_linear_24_in),
     OP_OUTPUTS(dequantize_linear_23_out), OP_ATTRS(dequantize_linear_23_attrs),
     .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
    {OP_ROW("", "DequantizeLinear", 25), OP_INPUTS(dequantize_linear_25_in),
     OP_OUTPUTS(dequantize_linear_23_out), OP_ATTRS(dequantize_linear_23_attrs),
     .infer = infer_dequantize,
     .flags = TSR_OP_FOLD_LATE},
};

const TsrOps tsr_ops_quantize = OP_FAMILY(definitions);
