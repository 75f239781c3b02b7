/* SPDX-License-Identifier: Apache-2.0
 *
 * quantized.c: definitions of ONNX operators:
 * arithmetic on quantized integers.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

static int32_t infer_dynamic_quantize(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), scalar = {.rank = 0};
    int32_t status;
    (void)def;
    if ((status = tsr_infer_set(infer, 0, TSR_DTYPE_UINT8, &x)) != TSR_OK ||
        (status = tsr_infer_set(infer, 1, TSR_DTYPE_FLOAT, &scalar)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 2, TSR_DTYPE_UINT8, &scalar);
}

/* QLinearMatMul: a, its scale and zero point, b and its, y's; MatMulInteger: a, b. The
 * quantized output has the dtype of its zero point. */
static int32_t infer_integer_matmul(const TsrOpDef *def, TsrInferContext *infer)
{
    int quantized = def->input_count > 4;
    Shape y;
    int32_t status = tsr_infer_matmul_shape(infer, 0, quantized ? 3 : 1, &y);
    return status != TSR_OK ? status
                            : tsr_infer_set(infer, 0, quantized ? tsr_infer_dtype(infer, 7)
                                                                : TSR_DTYPE_INT32, &y);
}

static int32_t infer_integer_conv(const TsrOpDef *def, TsrInferContext *infer)
{
    int quantized = def->input_count > 4;
    Shape y;
    int32_t status = tsr_infer_conv_shape(infer, 0, quantized ? 3 : 1,
                                          quantized ? 8 : UINT32_MAX, &y);
    return status != TSR_OK ? status
                            : tsr_infer_set(infer, 0, quantized ? tsr_infer_dtype(infer, 7)
                                                                : TSR_DTYPE_INT32, &y);
}

static const TsrOpParam dynamic_quantize_linear_11_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpParam dynamic_quantize_linear_11_out[] = {
    {"y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8)},
    {"y_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"y_zero_point", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8)},
};

static const TsrOpParam qlinear_mat_mul_10_in[] = {
    {"a", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"a_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"a_zero_point", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"b", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"b_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"b_zero_point", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"y_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"y_zero_point", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam qlinear_mat_mul_10_out[] = {
    {"y", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam qlinear_mat_mul_21_in[] = {
    {"a", TSR_PARAM_REQUIRED, 2, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
    {"a_scale", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"a_zero_point", TSR_PARAM_REQUIRED, 2, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
    {"b", TSR_PARAM_REQUIRED, 3, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
    {"b_scale", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"b_zero_point", TSR_PARAM_REQUIRED, 3, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
    {"y_scale", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"y_zero_point", TSR_PARAM_REQUIRED, 4, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam qlinear_mat_mul_21_out[] = {
    {"y", TSR_PARAM_REQUIRED, 4, TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam mat_mul_integer_10_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"B", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"a_zero_point", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"b_zero_point", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam mat_mul_integer_10_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_INT32)},
};

static const TsrOpParam qlinear_conv_10_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"x_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"x_zero_point", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"w", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"w_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"w_zero_point", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"y_scale", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"y_zero_point", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"B", TSR_PARAM_OPTIONAL, 4, TSR_BIT(TSR_DTYPE_INT32)},
};

static const TsrOpAttr qlinear_conv_10_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam conv_integer_10_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"w", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"x_zero_point", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
    {"w_zero_point", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam conv_integer_10_out[] = {
    {"y", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_INT32)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "DynamicQuantizeLinear", 11), OP_INPUTS(dynamic_quantize_linear_11_in),
     OP_OUTPUTS(dynamic_quantize_linear_11_out), .infer = infer_dynamic_quantize},
    {OP_ROW("", "QLinearMatMul", 10), OP_INPUTS(qlinear_mat_mul_10_in),
     OP_OUTPUTS(qlinear_mat_mul_10_out), .infer = infer_integer_matmul,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "QLinearMatMul", 21), OP_INPUTS(qlinear_mat_mul_21_in),
     OP_OUTPUTS(qlinear_mat_mul_21_out), .infer = infer_integer_matmul,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "MatMulInteger", 10), OP_INPUTS(mat_mul_integer_10_in),
     OP_OUTPUTS(mat_mul_integer_10_out), .infer = infer_integer_matmul,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "QLinearConv", 10), OP_INPUTS(qlinear_conv_10_in),
     OP_OUTPUTS(qlinear_mat_mul_10_out), OP_ATTRS(qlinear_conv_10_attrs),
     .infer = infer_integer_conv, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "ConvInteger", 10), OP_INPUTS(conv_integer_10_in), OP_OUTPUTS(conv_integer_10_out),
     OP_ATTRS(qlinear_conv_10_attrs), .infer = infer_integer_conv,
     .infer_format_full = tsr_format_channels},
};

const TsrOps tsr_ops_quantized = OP_FAMILY(definitions);
