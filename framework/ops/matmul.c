/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul.c: definitions of ONNX operators:
 * matrix products.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* MatMul: its dtype is that of an operand. */
static int32_t infer_matmul(const TsrOpDef *def, TsrInferContext *infer)
{
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    Shape out;
    int32_t status = tsr_infer_matmul_shape(infer, 0, 1, &out);
    (void)def;
    if (dtype == TSR_DTYPE_UNDEFINED)
        dtype = tsr_infer_dtype(infer, 1);
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, dtype, &out);
}

/* Gemm: Y [M, N] = alpha * A' * B' + beta * C, C broadcasts to Y. */
static int32_t infer_gemm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape a = tsr_infer_shape(infer, 0), b = tsr_infer_shape(infer, 1);
    Shape c = tsr_infer_shape(infer, 2), out = tsr_shape_unknown(2), joined;
    int64_t ta = tsr_attr_int(infer->node, "transA", 0) != 0, inner = TSR_DIM_UNKNOWN;
    int64_t tb = tsr_attr_int(infer->node, "transB", 0) != 0;
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_rank(infer, 0, 2)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 2)) != TSR_OK)
        return status;
    if (a.rank == 2) {
        out.dim[0] = a.dim[ta];
        inner = a.dim[1 - ta];
    }
    if (b.rank == 2) {
        out.dim[1] = b.dim[1 - tb];
        if ((status = tsr_infer_join(infer, "inner dimensions of A and B", &inner,
                                     b.dim[tb])) != TSR_OK)
            return status;
    }
    joined = out;
    if (c.rank != TSR_RANK_UNKNOWN && out.dim[0] >= 0 && out.dim[1] >= 0) {
        char text[TSR_MAX_RANK * 24];
        if (!tsr_shape_broadcast(&joined.rank, joined.dim, c.rank, c.dim) || joined.rank != 2 ||
            joined.dim[0] != out.dim[0] || joined.dim[1] != out.dim[1])
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "C of shape %s must broadcast to [%lld,%lld]",
                               tsr_shape_text(c.rank, c.dim, text, sizeof(text)),
                               (long long)out.dim[0], (long long)out.dim[1]);
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static const TsrOpParam mat_mul_1_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam mat_mul_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam mat_mul_9_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam mat_mul_9_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam mat_mul_13_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam mat_mul_13_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam gemm_7_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr gemm_7_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "transA", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "transB", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam gemm_9_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam gemm_11_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"C", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam gemm_13_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"C", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "MatMul", 1), OP_INPUTS(mat_mul_1_in), OP_OUTPUTS(mat_mul_1_out),
     .infer = infer_matmul, .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "MatMul", 9), OP_INPUTS(mat_mul_9_in), OP_OUTPUTS(mat_mul_9_out),
     .infer = infer_matmul, .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "MatMul", 13), OP_INPUTS(mat_mul_13_in), OP_OUTPUTS(mat_mul_13_out),
     .infer = infer_matmul, .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "Gemm", 7), OP_INPUTS(gemm_7_in), OP_OUTPUTS(mat_mul_1_out),
     OP_ATTRS(gemm_7_attrs), .infer = infer_gemm},
    {OP_ROW("", "Gemm", 9), OP_INPUTS(gemm_9_in), OP_OUTPUTS(mat_mul_9_out),
     OP_ATTRS(gemm_7_attrs), .infer = infer_gemm},
    {OP_ROW("", "Gemm", 11), OP_INPUTS(gemm_11_in), OP_OUTPUTS(mat_mul_9_out),
     OP_ATTRS(gemm_7_attrs), .infer = infer_gemm},
    {OP_ROW("", "Gemm", 13), OP_INPUTS(gemm_13_in), OP_OUTPUTS(mat_mul_13_out),
     OP_ATTRS(gemm_7_attrs), .infer = infer_gemm},
};

const TsrOps tsr_ops_matmul = OP_FAMILY(definitions);
