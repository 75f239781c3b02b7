/* SPDX-License-Identifier: Apache-2.0
 *
 * attention.c: definitions of ONNX operators:
 * scaled dot product attention.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* Extents of Q, K and V, with which rank they come. */
typedef struct Heads {
    int64_t batch, heads, kv_heads, queries, keys, size, v_size;
    uint32_t rank;
} Heads;

/* One of Q, K, V: [batch, heads, length, size], or [batch, length, heads * size] with the
 * number of heads from an attribute. */
static int32_t read_heads(TsrInferContext *infer, uint32_t index, const char *heads_name,
                          int64_t *batch, int64_t *heads, int64_t *length, int64_t *size)
{
    Shape shape = tsr_infer_shape(infer, index);
    int32_t status;
    if (shape.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    if (shape.rank != 3 && shape.rank != 4)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "input %u must have rank 3 or 4, got %u",
                           index, shape.rank);
    if ((status = tsr_infer_join(infer, "batch sizes", batch, shape.dim[0])) != TSR_OK)
        return status;
    if (shape.rank == 4) {
        if ((status = tsr_infer_join(infer, "numbers of heads", heads, shape.dim[1])) != TSR_OK ||
            (status = tsr_infer_join(infer, "lengths of keys and values", length,
                                     shape.dim[2])) != TSR_OK)
            return status;
        return tsr_infer_join(infer, "head sizes of Q and K", size, shape.dim[3]);
    }
    *heads = tsr_attr_int(infer->node, heads_name, 0);
    if (*heads < 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "%s must be given and positive for inputs of rank 3", heads_name);
    if ((status = tsr_infer_join(infer, "lengths of keys and values", length, shape.dim[1])) !=
        TSR_OK)
        return status;
    if (shape.dim[2] >= 0 && shape.dim[2] % *heads != 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "input %u has %lld columns, which do not split into %lld heads", index,
                           (long long)shape.dim[2], (long long)*heads);
    return shape.dim[2] < 0 ? TSR_OK
                            : tsr_infer_join(infer, "head sizes of Q and K", size,
                                             shape.dim[2] / *heads);
}

static int32_t read_all_heads(TsrInferContext *infer, Heads *out)
{
    Heads h = {-1, -1, -1, -1, -1, -1, -1, tsr_infer_shape(infer, 0).rank};
    int32_t status;
    for (uint32_t i = 1; i < 3; i++) {
        uint32_t rank = tsr_infer_shape(infer, i).rank;
        if (h.rank != TSR_RANK_UNKNOWN && rank != TSR_RANK_UNKNOWN && rank != h.rank)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "input %u must have rank %u like Q, got %u", i, h.rank, rank);
    }
    if ((status = read_heads(infer, 0, "q_num_heads", &h.batch, &h.heads, &h.queries,
                             &h.size)) != TSR_OK ||
        (status = read_heads(infer, 1, "kv_num_heads", &h.batch, &h.kv_heads, &h.keys,
                             &h.size)) != TSR_OK ||
        (status = read_heads(infer, 2, "kv_num_heads", &h.batch, &h.kv_heads, &h.keys,
                             &h.v_size)) != TSR_OK)
        return status;
    if (h.heads >= 0 && h.kv_heads >= 0 && (h.kv_heads == 0 || h.heads % h.kv_heads != 0))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "%lld query heads do not split over %lld key heads",
                           (long long)h.heads, (long long)h.kv_heads);
    *out = h;
    return TSR_OK;
}

/* The past of keys or values: [batch, kv_heads, length, size]. */
static int32_t join_past(TsrInferContext *infer, uint32_t index, const Heads *h, int64_t size,
                         int64_t *past)
{
    Shape shape = tsr_infer_shape(infer, index);
    int64_t batch = h->batch, heads = h->kv_heads;
    int32_t status = tsr_infer_want_rank(infer, index, 4);
    if (status != TSR_OK || shape.rank != 4)
        return status;
    if ((status = tsr_infer_join(infer, "batch sizes of the past", &batch, shape.dim[0])) !=
            TSR_OK ||
        (status = tsr_infer_join(infer, "heads of the past", &heads, shape.dim[1])) != TSR_OK ||
        (status = tsr_infer_join(infer, "head sizes of the past", &size, shape.dim[3])) != TSR_OK)
        return status;
    return tsr_infer_join(infer, "lengths of the past", past, shape.dim[2]);
}

/* Attention: Y like Q with the head size of V; the present is the past and the new. */
static int32_t infer_attention(const TsrOpDef *def, TsrInferContext *infer)
{
    int has_past = tsr_infer_input(infer, 4) != NULL;
    Shape y = tsr_shape_unknown(tsr_infer_shape(infer, 0).rank), present = tsr_shape_unknown(4);
    Shape mask = tsr_infer_shape(infer, 3), product = tsr_shape_unknown(4), lengths;
    int64_t past = has_past ? TSR_DIM_UNKNOWN : 0;
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int32_t status;
    Heads h;
    (void)def;
    if ((status = read_all_heads(infer, &h)) != TSR_OK)
        return status;
    if (has_past != (tsr_infer_input(infer, 5) != NULL))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "past_key and past_value must come together, got one of them");
    if (has_past && ((status = join_past(infer, 4, &h, h.size, &past)) != TSR_OK ||
                     (status = join_past(infer, 5, &h, h.v_size, &past)) != TSR_OK))
        return status;
    present.dim[0] = product.dim[0] = h.batch;
    present.dim[1] = h.kv_heads;
    product.dim[1] = h.heads;
    product.dim[2] = h.queries;
    present.dim[2] = product.dim[3] = tsr_extent(infer, TSR_DIM_ADD, past, h.keys);
    if (mask.rank != TSR_RANK_UNKNOWN && mask.rank > 0) {
        Shape joined = product;
        char text[TSR_MAX_RANK * 24];
        if (mask.dim[mask.rank - 1] >= 0 && mask.dim[mask.rank - 1] < product.dim[3] &&
            def->since_version >= 24)
            mask.dim[mask.rank - 1] = product.dim[3]; /* a short mask is padded */
        if (mask.rank > 4 || !tsr_shape_broadcast(&joined.rank, joined.dim, mask.rank, mask.dim))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "attn_mask must broadcast to the scores %s",
                               tsr_shape_text(4, product.dim, text, sizeof(text)));
    }
    lengths = tsr_infer_shape(infer, 6);
    if ((status = tsr_infer_want_rank(infer, 6, 1)) != TSR_OK ||
        (lengths.rank == 1 && (status = tsr_infer_join(infer, "batch size and nonpad_kv_seqlen",
                                                       &lengths.dim[0], h.batch)) != TSR_OK))
        return status;
    if (y.rank == 4) {
        y.dim[0] = h.batch;
        y.dim[1] = h.heads;
        y.dim[2] = h.queries;
        y.dim[3] = h.v_size;
    } else if (y.rank == 3) {
        y.dim[0] = h.batch;
        y.dim[1] = h.queries;
        if ((status = tsr_infer_multiply(infer, h.heads, h.v_size, &y.dim[2])) != TSR_OK)
            return status;
    }
    if ((status = tsr_infer_set(infer, 0, dtype, &y)) != TSR_OK)
        return status;
    present.dim[3] = h.size;
    if ((status = tsr_infer_set(infer, 1, dtype, &present)) != TSR_OK)
        return status;
    present.dim[3] = h.v_size;
    if ((status = tsr_infer_set(infer, 2, tsr_infer_dtype(infer, 2), &present)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 3, dtype, &product);
}

/* FlexAttention: its subgraphs map scores to scores of the same shape and dtype. */
static int32_t infer_flex_attention(const TsrOpDef *def, TsrInferContext *infer)
{
    static const char *const names[2] = {"score_mod", "prob_mod"};
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int64_t precision = tsr_attr_int(infer->node, "softmax_precision",
                                     dtype == TSR_DTYPE_DOUBLE ? TSR_DTYPE_DOUBLE
                                                               : TSR_DTYPE_FLOAT);
    Shape y = tsr_shape_unknown(4), scores = y;
    int32_t status;
    Heads h;
    (void)def;
    for (uint32_t i = 0; i < 3; i++)
        if ((status = tsr_infer_want_rank(infer, i, 4)) != TSR_OK)
            return status;
    if ((status = read_all_heads(infer, &h)) != TSR_OK)
        return status;
    if (precision < 0 || precision >= TSR_DTYPE_COUNT || !(TSR_TYPES_FLOAT & TSR_BIT(precision)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "softmax_precision must be a float type, got %lld",
                           (long long)precision);
    y.dim[0] = scores.dim[0] = h.batch;
    y.dim[1] = scores.dim[1] = h.heads;
    y.dim[2] = scores.dim[2] = h.queries;
    y.dim[3] = h.v_size;
    scores.dim[3] = h.keys;
    for (uint32_t i = 0; i < 2; i++) {
        const TsrAttr *body = tsr_attr_find(infer->node, names[i]);
        TsrTensorDesc desc = {.struct_size = sizeof(desc), .dtype = (uint32_t)precision,
                              .rank = 4, .storage_rank = 4, .shape = scores.dim,
                              .storage_shape = scores.dim, .name = ""};
        const TsrTensorDesc *input = &desc, *const *outputs = NULL;
        uint32_t count = 0;
        if (body == NULL)
            continue;
        status = infer->infer_subgraph(infer, (uint32_t)body->i, &input, 1, &outputs, &count);
        if (status != TSR_OK)
            return status;
        if (count != 1)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s must have one output, got %u",
                               names[i], count);
    }
    return tsr_infer_set(infer, 0, dtype, &y);
}

static const TsrOpParam attention_23_in[] = {
    {"Q", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"K", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"V", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
    {"attn_mask", TSR_PARAM_OPTIONAL, 3, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
    {"past_key", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"past_value", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT},
};

static const TsrOpParam attention_23_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"present_key", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"present_value", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT},
    {"qk_matmul_output", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr attention_23_attrs[] = {
    {.name = "is_causal", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "kv_num_heads", .type = TSR_ATTR_INT},
    {.name = "q_num_heads", .type = TSR_ATTR_INT},
    {.name = "qk_matmul_output_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 3},
    {.name = "scale", .type = TSR_ATTR_FLOAT},
    {.name = "softcap", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "softmax_precision", .type = TSR_ATTR_INT},
};

static const TsrOpParam attention_24_in[] = {
    {"Q", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"K", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"V", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
    {"attn_mask", TSR_PARAM_OPTIONAL, 3, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
    {"past_key", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"past_value", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT},
    {"nonpad_kv_seqlen", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr attention_25_attrs[] = {
    {.name = "is_causal", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "kv_num_heads", .type = TSR_ATTR_INT},
    {.name = "left_window_size", .type = TSR_ATTR_INT, .has_default = 1, .i = -1, .min = -1,
     .max = INT32_MAX},
    {.name = "q_num_heads", .type = TSR_ATTR_INT},
    {.name = "qk_matmul_output_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 3},
    {.name = "right_window_size", .type = TSR_ATTR_INT, .has_default = 1, .i = -1, .min = -1,
     .max = INT32_MAX},
    {.name = "scale", .type = TSR_ATTR_FLOAT},
    {.name = "softcap", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "softmax_precision", .type = TSR_ATTR_INT},
};

static const TsrOpParam flex_attention_1_in[] = {
    {"Q", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"K", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"V", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam flex_attention_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr flex_attention_1_attrs[] = {
    {.name = "prob_mod", .type = TSR_ATTR_GRAPH},
    {.name = "scale", .type = TSR_ATTR_FLOAT},
    {.name = "score_mod", .type = TSR_ATTR_GRAPH},
    {.name = "softmax_precision", .type = TSR_ATTR_INT},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Attention", 23), OP_INPUTS(attention_23_in), OP_OUTPUTS(attention_23_out),
     OP_ATTRS(attention_23_attrs), .infer = infer_attention},
    {OP_ROW("", "Attention", 24), OP_INPUTS(attention_24_in), OP_OUTPUTS(attention_23_out),
     OP_ATTRS(attention_23_attrs), .infer = infer_attention},
    {OP_ROW("", "Attention", 25), OP_INPUTS(attention_24_in), OP_OUTPUTS(attention_23_out),
     OP_ATTRS(attention_25_attrs), .infer = infer_attention},
    {OP_ROW("ai.onnx.preview", "FlexAttention", 1), OP_INPUTS(flex_attention_1_in),
     OP_OUTPUTS(flex_attention_1_out), OP_ATTRS(flex_attention_1_attrs),
     .infer = infer_flex_attention},
};

const TsrOps tsr_ops_attention = OP_FAMILY(definitions);
