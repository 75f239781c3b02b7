/* SPDX-License-Identifier: Apache-2.0
 *
 * build_attention.c: softmax(scale * Q K^T + mask) V (Vaswani et al. 2017) as one task of
 * ATTENTION_F32: the fused Attention, whose operands may have heads before or behind
 * places and broadcast as MatMul and Add do, and ONNX Attention (23 to 25) without a
 * past.
 */
#include "attention.h"

#include <math.h>

/* Dims and steps of a dense tensor whose dim i is dim order[i] of the part. */
static NnAttentionPart part_of(const TsrTensorDesc *d, const uint32_t *order)
{
    NnAttentionPart part;
    int64_t step = 1;
    for (uint32_t i = 4; i-- > 0;) {
        const int64_t n = d->shape[i];
        part.dims[order[i]] = n;
        part.steps[order[i]] = n == 1 ? 0 : step;
        step *= n;
    }
    return part;
}

/* Which dim of a part each dim of a layout is. */
static const uint32_t *layout_order(const TsrNodeView *node, const char *attr)
{
    static const uint32_t bhsd[4] = { 0, 1, 2, 3 }, bshd[4] = { 0, 2, 1, 3 };
    static const uint32_t bhds[4] = { 0, 1, 3, 2 };
    return tsr_attr_is(node, attr, "bshd") ? bshd : tsr_attr_is(node, attr, "bhds") ? bhds : bhsd;
}

static NnAttentionPart mask_part(const TsrTensorDesc *d)
{
    NnAttentionPart part = { { 1, 1, 1, 1 }, { 0 } };
    int64_t step = 1;
    for (uint32_t i = d->rank; i-- > 0;) {
        const uint32_t to = i + 4 - d->rank;
        part.dims[to] = d->shape[i];
        part.steps[to] = d->shape[i] == 1 ? 0 : step;
        step *= d->shape[i];
    }
    return part;
}

static int join(int64_t *dim, int64_t other)
{
    uint32_t rank = 1;
    return tsr_shape_broadcast(&rank, dim, 1, &other);
}

const char *nn_attention_read(const TsrNodeView *node, NnAttention *out_attention)
{
    const TsrTensorDesc *mask = nn_input(node, 3);
    NnAttention a = { .group = 1, .scale = tsr_attr_float(node, "scale", 1.0f),
                      .has_mask = mask != NULL };
    int fits = 1;
    for (uint32_t i = 0; i < 3; i++)
        if (node->inputs[i]->rank != 4)
            return "Q, K and V have to have rank 4";
    if (mask != NULL && mask->rank > 4)
        return "the mask has a rank above 4";
    a.q = part_of(node->inputs[0], layout_order(node, "q_layout"));
    a.k = part_of(node->inputs[1], layout_order(node, "k_layout"));
    a.v = part_of(node->inputs[2], layout_order(node, "v_layout"));
    if (mask != NULL)
        a.mask = mask_part(mask);
    for (uint32_t i = 0; i < 2; i++) {
        a.scores[i] = a.q.dims[i];
        fits &= join(&a.scores[i], a.k.dims[i]) && join(&a.scores[i], a.v.dims[i]);
    }
    a.scores[2] = a.q.dims[2];
    a.scores[3] = a.k.dims[2];
    for (uint32_t i = 0; mask != NULL && i < 4; i++)
        fits &= join(&a.scores[i], a.mask.dims[i]);
    if (a.q.dims[3] >= 0 && a.k.dims[3] >= 0)
        fits &= a.q.dims[3] == a.k.dims[3];
    if (a.scores[3] >= 0 && a.v.dims[2] >= 0)
        fits &= a.scores[3] == a.v.dims[2];
    if (!fits)
        return "Q, K, V and the mask do not fit together";
    *out_attention = a;
    return NULL;
}

void nn_attention_shape(const TsrNodeView *node, const NnAttention *attention,
                        int64_t *out_shape)
{
    const uint32_t *order = layout_order(node, "y_layout");
    const int64_t dims[4] = { attention->scores[0], attention->scores[1], attention->scores[2],
                              attention->v.dims[3] };
    for (uint32_t i = 0; i < 4; i++)
        out_shape[i] = dims[order[i]];
}

/* ------------------------------------------------------------------- tasks */

static int32_t add_attention(TsrTaskSink *sink, const NnAttention *a)
{
    /* Rows of scores that a piece holds: enough that K, brought into panels for each
     * piece, is read often, and at most half of L2. */
    enum { MOST_ROWS = TSR_NPU_ATTENTION_ROWS, LEAST_ROWS = 8 };
    const int64_t l2 = sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20;
    TsrAttentionParams p = {
        .struct_size = sizeof(p), .causal = a->causal, .zero_rows = a->zero_rows,
        .scale = a->scale, .batch = a->scores[0], .heads = a->scores[1],
        .queries = a->scores[2], .keys = a->scores[3], .size = a->q.dims[3],
        .v_size = a->v.dims[3], .group = a->group,
    };
    uint32_t args[6] = { TSR_ARG_INPUT | 0, TSR_ARG_INPUT | 1, TSR_ARG_INPUT | 2,
                         a->has_mask ? TSR_ARG_INPUT | 3 : TSR_ARG_NULL, TSR_ARG_OUTPUT | 0,
                         TSR_ARG_NULL };
    const int64_t row = nn_round_up(p.keys, 32);
    int64_t rows = l2 / 8 / (row > 0 ? row : 1), pieces;
    double products;
    uint32_t blocks;
    int32_t status;
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    p.rows_per_piece = rows < p.queries ? rows : p.queries;
    p.workspace_floats = (uint64_t)(p.rows_per_piece * row + 32 * p.size);
    for (uint32_t i = 0; i < 4; i++) {
        p.q_step[i] = a->q.steps[i];
        p.k_step[i] = a->k.steps[i];
        p.v_step[i] = a->v.steps[i];
        p.y_step[i] = a->y.steps[i];
        p.mask_step[i] = a->mask.steps[i];
    }
    pieces = p.batch * p.heads * nn_ceil_div(p.queries, p.rows_per_piece);
    products = (double)p.batch * (double)p.heads * (double)p.queries * (double)p.keys *
               (double)(p.size + p.v_size);
    blocks = nn_block_dim(sink, pieces, products / 16.0);
    status = sink->workspace(sink, p.workspace_floats * blocks * sizeof(float), &args[5]);
    return status == TSR_OK ? nn_compute_task(sink, TSR_KERNEL_ATTENTION_F32, blocks,
                                              2.0 * products, args, 6, &p, sizeof(p))
                            : status;
}

static void fused_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    NnAttention a;
    const char *problem = nn_attention_read(node, &a);
    (void)op;
    if (problem != NULL)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "%s", problem);
}

static int32_t fused_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    NnAttention a;
    const char *problem = nn_attention_read(node, &a);
    (void)op;
    if (problem != NULL)
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "Attention '%s': %s", node->name, problem);
    a.y = part_of(node->outputs[0], layout_order(node, "y_layout"));
    return add_attention(sink, &a);
}

/* --------------------------------------------------------- ONNX Attention */

/* [batch, heads, places, size], or [batch, places, heads * size]. */
static NnAttentionPart onnx_part(const TsrTensorDesc *d, int64_t heads)
{
    static const uint32_t bhsd[4] = { 0, 1, 2, 3 };
    const int64_t *s = d->shape;
    NnAttentionPart part;
    if (d->rank == 4)
        return part_of(d, bhsd);
    part = (NnAttentionPart){ { s[0], heads, s[1], s[2] / heads },
                              { s[1] * s[2], s[2] / heads, s[2], 1 } };
    return part;
}

static int64_t heads_of(const TsrNodeView *node, uint32_t i, const char *attr)
{
    return node->inputs[i]->rank == 4 ? node->inputs[i]->shape[1] : tsr_attr_int(node, attr, 0);
}

static int64_t keys_of(const TsrNodeView *node)
{
    const TsrTensorDesc *k = node->inputs[1];
    return k->shape[k->rank - 2];
}

static void onnx_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *mask = nn_input(node, 3);
    const int64_t heads = heads_of(node, 0, "q_num_heads");
    const int64_t kv_heads = heads_of(node, 1, "kv_num_heads");
    (void)op;
    for (uint32_t i = 4; i < node->input_count; i++)
        if (node->inputs[i] != NULL)
            tsr_support_no(out_support, TSR_REFUSE_ATTR, "input %u (past or lengths) is there", i);
    for (uint32_t i = 1; i < node->output_count; i++)
        if (node->outputs[i] != NULL)
            tsr_support_no(out_support, TSR_REFUSE_ATTR, "output %u is wanted", i);
    for (uint32_t i = 0; i < 3; i++)
        if (node->inputs[i]->rank != 4 && node->inputs[i]->rank != 3)
            tsr_support_no(out_support, TSR_REFUSE_SHAPE, "input %u has rank %u", i,
                           node->inputs[i]->rank);
    if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "%lld heads for %lld of K and V",
                       (long long)heads, (long long)kv_heads);
    if (mask != NULL && (mask->rank > 4 || mask->rank < 2))
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "the mask has rank %u", mask->rank);
    if (mask != NULL && node->since_version >= 24 &&
        (keys_of(node) < 0 || mask->shape[mask->rank - 1] < 0 ||
         (mask->shape[mask->rank - 1] != 1 && mask->shape[mask->rank - 1] != keys_of(node))))
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "the mask is, or may be, shorter than K");
    if (tsr_attr_float(node, "softcap", 0.0f) != 0.0f ||
        tsr_attr_int(node, "softmax_precision", TSR_DTYPE_FLOAT) != TSR_DTYPE_FLOAT ||
        tsr_attr_int(node, "left_window_size", -1) >= 0 ||
        tsr_attr_int(node, "right_window_size", -1) >= 0)
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "softcap, window or softmax_precision");
}

static int32_t onnx_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int64_t heads = heads_of(node, 0, "q_num_heads");
    const int64_t kv_heads = heads_of(node, 1, "kv_num_heads");
    const TsrTensorDesc *mask = nn_input(node, 3);
    const TsrAttr *scale = tsr_attr_find(node, "scale");
    NnAttention a = { .has_mask = mask != NULL, .zero_rows = 1, .group = heads / kv_heads,
                      .causal = tsr_attr_int(node, "is_causal", 0) != 0 };
    (void)op;
    a.q = onnx_part(node->inputs[0], heads);
    a.k = onnx_part(node->inputs[1], kv_heads);
    a.v = onnx_part(node->inputs[2], kv_heads);
    a.y = onnx_part(node->outputs[0], heads);
    a.scale = scale != NULL ? scale->f : (float)(1.0 / sqrt((double)a.q.dims[3]));
    a.scores[0] = a.q.dims[0];
    a.scores[1] = heads;
    a.scores[2] = a.q.dims[2];
    a.scores[3] = a.k.dims[2];
    if (mask != NULL) {
        a.mask = mask_part(mask);
        for (uint32_t i = 0; i < 4; i++)
            if (a.mask.dims[i] != 1 && a.mask.dims[i] != a.scores[i])
                return sink->fail(sink, TSR_UNSUPPORTED,
                                  "Attention '%s': dim %u of the mask is %lld, wanted 1 or %lld",
                                  node->name, i, (long long)a.mask.dims[i],
                                  (long long)a.scores[i]);
    }
    return add_attention(sink, &a);
}

static const NnOp ops[] = {
    { .op_type = "Attention", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_WIDENS, .check = fused_check, .build = fused_build },
    { .op_type = "Attention", .domain = "", .min_version = 23, .max_version = 25,
      .flags = NN_WIDENS, .check = onnx_check, .build = onnx_build },
};

const NnOpTable nn_attention_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
