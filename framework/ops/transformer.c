/* SPDX-License-Identifier: Apache-2.0
 *
 * transformer.c: definitions of ONNX operators:
 * what surrounds attention in a language model.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* RMSNormalization: the dtype of the output is that of the scale. */
static int32_t infer_rms_norm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), scale = tsr_infer_shape(infer, 1), joined = x;
    char text[TSR_MAX_RANK * 24];
    uint32_t axis;
    int32_t status;
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN &&
        (status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", -1), x.rank,
                                 &axis)) != TSR_OK)
        return status;
    if (x.rank != TSR_RANK_UNKNOWN && scale.rank != TSR_RANK_UNKNOWN &&
        (!tsr_shape_broadcast(&joined.rank, joined.dim, scale.rank, scale.dim) ||
         joined.rank != x.rank))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "the scale must broadcast to X %s",
                           tsr_shape_text(x.rank, x.dim, text, sizeof(text)));
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 1), &x);
}

static int32_t infer_swiglu(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape a = tsr_infer_shape(infer, 0), b = tsr_infer_shape(infer, 1);
    int32_t status;
    (void)def;
    if (a.rank != TSR_RANK_UNKNOWN &&
        (status = tsr_infer_want_rank(infer, 1, a.rank)) != TSR_OK)
        return status;
    for (uint32_t i = 0; a.rank != TSR_RANK_UNKNOWN && b.rank != TSR_RANK_UNKNOWN && i < a.rank;
         i++)
        if ((status = tsr_infer_join(infer, "extents of A and B", &a.dim[i], b.dim[i])) != TSR_OK)
            return status;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &a);
}

static int32_t infer_rotary(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t heads = tsr_attr_int(infer->node, "num_heads", 0);
    uint32_t cache_rank = tsr_infer_input(infer, 3) != NULL ? 2 : 3;
    int32_t status;
    if (x.rank != TSR_RANK_UNKNOWN && x.rank != 3 && x.rank != 4)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "X must have rank 3 or 4, got %u", x.rank);
    if (x.rank == 3 && (heads < 1 || (x.dim[2] >= 0 && x.dim[2] % heads != 0)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "num_heads must divide the %lld columns of X, got %lld",
                           (long long)x.dim[2], (long long)heads);
    if ((status = tsr_infer_want_rank(infer, 1, cache_rank)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 2, cache_rank)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 3, 2)) != TSR_OK)
        return status;
    return tsr_infer_same(def, infer);
}

/* LinearAttention: [B, T, H * D] in and out, state [B, H_kv, d_k, d_v]. */
static int32_t infer_linear_attention(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape q = tsr_infer_shape(infer, 0), k = tsr_infer_shape(infer, 1);
    Shape v = tsr_infer_shape(infer, 2), past = tsr_infer_shape(infer, 3);
    Shape y = tsr_shape_unknown(3), state = tsr_shape_unknown(4);
    int64_t heads = tsr_attr_int(infer->node, "q_num_heads", 0), k_size = TSR_DIM_UNKNOWN;
    int64_t kv_heads = tsr_attr_int(infer->node, "kv_num_heads", 0), columns = TSR_DIM_UNKNOWN;
    uint32_t past_dtype = tsr_infer_dtype(infer, 3);
    int32_t status;
    (void)def;
    if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "q_num_heads must be a multiple of kv_num_heads, got %lld and %lld",
                           (long long)heads, (long long)kv_heads);
    for (uint32_t i = 0; i < 3; i++)
        if ((status = tsr_infer_want_rank(infer, i, 3)) != TSR_OK)
            return status;
    if ((status = tsr_infer_want_rank(infer, 3, 4)) != TSR_OK)
        return status;
    for (uint32_t i = 0; i < 2; i++)
        if ((q.rank == 3 && (status = tsr_infer_join(infer, "batch and length of the inputs",
                                                     &y.dim[i], q.dim[i])) != TSR_OK) ||
            (k.rank == 3 && (status = tsr_infer_join(infer, "batch and length of the inputs",
                                                     &y.dim[i], k.dim[i])) != TSR_OK) ||
            (v.rank == 3 && (status = tsr_infer_join(infer, "batch and length of the inputs",
                                                     &y.dim[i], v.dim[i])) != TSR_OK))
            return status;
    if ((q.rank == 3 && q.dim[2] >= 0 && q.dim[2] % heads != 0) ||
        (k.rank == 3 && k.dim[2] >= 0 && k.dim[2] % kv_heads != 0) ||
        (v.rank == 3 && v.dim[2] >= 0 && v.dim[2] % kv_heads != 0))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "columns do not split into %lld query and %lld key heads",
                           (long long)heads, (long long)kv_heads);
    if (q.rank == 3 && q.dim[2] >= 0)
        k_size = q.dim[2] / heads;
    if (k.rank == 3 && k.dim[2] >= 0 &&
        (status = tsr_infer_join(infer, "head sizes of query and key", &k_size,
                                 k.dim[2] / kv_heads)) != TSR_OK)
        return status;
    if (v.rank == 3 && v.dim[2] >= 0)
        columns = v.dim[2] / kv_heads;
    state.dim[0] = y.dim[0];
    state.dim[1] = kv_heads;
    state.dim[2] = k_size;
    state.dim[3] = columns;
    for (uint32_t i = 0; past.rank == 4 && i < 4; i++)
        if ((status = tsr_infer_join(infer, "extents of past_state", &state.dim[i],
                                     past.dim[i])) != TSR_OK)
            return status;
    if ((status = tsr_infer_multiply(infer, heads, state.dim[3], &y.dim[2])) != TSR_OK ||
        (status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 1,
                         past_dtype != TSR_DTYPE_UNDEFINED ? past_dtype
                                                           : tsr_infer_dtype(infer, 0), &state);
}

/* CausalConvWithState: the state holds the last k - 1 places. */
static int32_t infer_causal_conv(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), w = tsr_infer_shape(infer, 1);
    Shape state = tsr_shape_unknown(3), past = tsr_infer_shape(infer, 3);
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 2, 1)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 3, 3)) != TSR_OK)
        return status;
    if (x.rank == 3) {
        state.dim[0] = x.dim[0];
        state.dim[1] = x.dim[1];
    }
    if (w.rank == 3) {
        int64_t one = 1;
        if (w.dim[2] == 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the kernel must have at least one place, got 0");
        if ((status = tsr_infer_join(infer, "channels of input and weight", &state.dim[1],
                                     w.dim[0])) != TSR_OK ||
            (status = tsr_infer_join(infer, "axis 1 of the weight and 1", &one, w.dim[1])) !=
                TSR_OK)
            return status;
        state.dim[2] = w.dim[2] < 0 ? TSR_DIM_UNKNOWN : w.dim[2] - 1;
    }
    for (uint32_t i = 0; past.rank == 3 && i < 3; i++)
        if ((status = tsr_infer_join(infer, "extents of past_state", &state.dim[i],
                                     past.dim[i])) != TSR_OK)
            return status;
    if ((status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 1, tsr_infer_dtype(infer, 0), &state);
}

/* TensorScatter: update differs from the cache along axis only. */
static int32_t infer_tensor_scatter(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape cache = tsr_infer_shape(infer, 0), update = tsr_infer_shape(infer, 1);
    uint32_t axis;
    int32_t status;
    if (cache.rank == TSR_RANK_UNKNOWN || update.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_same(def, infer);
    if ((status = tsr_infer_want_rank(infer, 1, cache.rank)) != TSR_OK ||
        (status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", -2), cache.rank,
                                 &axis)) != TSR_OK)
        return status;
    if (axis == 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "axis must not be the batch axis 0");
    for (uint32_t i = 0; i < cache.rank; i++)
        if (i != axis && (status = tsr_infer_join(infer, "extents of cache and update",
                                                  &cache.dim[i], update.dim[i])) != TSR_OK)
            return status;
    if (cache.dim[axis] >= 0 && update.dim[axis] > cache.dim[axis])
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the update has %lld places on axis %u, the cache %lld",
                           (long long)update.dim[axis], axis, (long long)cache.dim[axis]);
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &cache);
}

static const TsrOpParam rmsnormalization_23_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"scale", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
};

static const TsrOpParam rmsnormalization_23_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
};

static const TsrOpAttr rmsnormalization_23_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "stash_type", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam swi_glu_28_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam swi_glu_28_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr swi_glu_28_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
};

static const TsrOpParam rotary_embedding_23_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"cos_cache", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"sin_cache", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"position_ids", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam rotary_embedding_23_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpAttr rotary_embedding_23_attrs[] = {
    {.name = "interleaved", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "num_heads", .type = TSR_ATTR_INT},
    {.name = "rotary_embedding_dim", .type = TSR_ATTR_INT, .has_default = 1, .min = 0,
     .max = INT32_MAX},
};

static const TsrOpParam linear_attention_27_in[] = {
    {"query", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"key", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"value", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"past_state", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"decay", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"beta", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpParam linear_attention_27_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"present_state", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpAttr linear_attention_27_attrs[] = {
    {.name = "chunk_size", .type = TSR_ATTR_INT, .has_default = 1, .i = 64},
    {.name = "kv_num_heads", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "q_num_heads", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "update_rule", .type = TSR_ATTR_STRING, .has_default = 1, .s = "gated_delta",
     .words = "linear|gated|delta|gated_delta"},
};

static const TsrOpParam causal_conv_with_state_27_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"weight", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"bias", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"past_state", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpParam causal_conv_with_state_27_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) |
     TSR_BIT(TSR_DTYPE_BFLOAT16)},
    {"present_state", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16)},
};

static const TsrOpAttr causal_conv_with_state_27_attrs[] = {
    {.name = "activation", .type = TSR_ATTR_STRING, .has_default = 1, .s = "none",
     .words = "none|silu|swish"},
};

static const TsrOpParam tensor_scatter_24_in[] = {
    {"past_cache", TSR_PARAM_REQUIRED, 1, TYPES_V24},
    {"update", TSR_PARAM_REQUIRED, 1, TYPES_V24},
    {"write_indices", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam tensor_scatter_24_out[] = {
    {"present_cache", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpAttr tensor_scatter_24_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -2},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "linear",
     .words = "linear|circular"},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "RMSNormalization", 23), OP_INPUTS(rmsnormalization_23_in),
     OP_OUTPUTS(rmsnormalization_23_out), OP_ATTRS(rmsnormalization_23_attrs),
     .infer = infer_rms_norm},
    {OP_ROW("", "SwiGLU", 28), OP_INPUTS(swi_glu_28_in), OP_OUTPUTS(swi_glu_28_out),
     OP_ATTRS(swi_glu_28_attrs), .infer = infer_swiglu},
    {OP_ROW("", "RotaryEmbedding", 23), OP_INPUTS(rotary_embedding_23_in),
     OP_OUTPUTS(rotary_embedding_23_out), OP_ATTRS(rotary_embedding_23_attrs),
     .infer = infer_rotary},
    {OP_ROW("", "LinearAttention", 27), OP_INPUTS(linear_attention_27_in),
     OP_OUTPUTS(linear_attention_27_out), OP_ATTRS(linear_attention_27_attrs),
     .infer = infer_linear_attention},
    {OP_ROW("", "CausalConvWithState", 27), OP_INPUTS(causal_conv_with_state_27_in),
     OP_OUTPUTS(causal_conv_with_state_27_out), OP_ATTRS(causal_conv_with_state_27_attrs),
     .infer = infer_causal_conv},
    {OP_ROW("", "TensorScatter", 24), OP_INPUTS(tensor_scatter_24_in),
     OP_OUTPUTS(tensor_scatter_24_out), OP_ATTRS(tensor_scatter_24_attrs),
     .infer = infer_tensor_scatter},
};

const TsrOps tsr_ops_transformer = OP_FAMILY(definitions);
