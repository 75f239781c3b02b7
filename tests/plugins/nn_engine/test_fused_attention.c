/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fused_attention.c: the pass nn_attention: layouts, scales and masks that exporters
 * write, and graphs with one condition broken, where nothing may change.
 */
#include "graph_case.h"

typedef struct Heads {
    gint64 queries, keys, kv_heads;
    const char *k_perm; /* of [b, s, h, d]; NULL: K is [b, h, s, d] turned by 0 1 3 2 */
    gboolean plain;     /* no Transpose of Q, V and the result */
    int scale;          /* 0 Div, 1 Mul, 2 of Q, 3 of Q and K, 4 none */
    guint32 mask_rank;
    gint64 mask[4];
    gboolean mask_constant, mask_first;
    gint64 axis;
    int shown;          /* 1 scores, 2 probabilities, 3 K^T */
    gboolean turned;    /* V times probabilities */
} Heads;

enum { HEADS = 3, SIZE = 8 };

static TsrValue *turned(const char *perm, TsrValue *x) { return NODE("Transpose", perm, x); }

/* [b, h, s, d] of an input. */
static TsrValue *operand(const Heads *a, gint64 places, gint64 heads)
{
    if (a->plain)
        return input(SHAPE(2, heads, places, SIZE));
    return turned("perm=[0,2,1,3]", input(SHAPE(2, places, heads, SIZE)));
}

static TsrValue *attention(const Heads *a)
{
    const gint64 kv_heads = a->kv_heads != 0 ? a->kv_heads : HEADS;
    TsrValue *q = operand(a, a->queries, HEADS), *k, *v, *s, *p, *mask = NULL;
    if (a->k_perm != NULL)
        k = turned(a->k_perm, input(SHAPE(2, a->keys, kv_heads, SIZE)));
    else
        k = turned("perm=[0,1,3,2]", operand(a, a->keys, kv_heads));
    v = operand(a, a->keys, kv_heads);
    if (a->shown == 3)
        output(k);
    if (a->scale == 2 || a->scale == 3)
        q = NODE("Mul", NULL, q, number(0.5946f));
    if (a->scale == 3)
        k = NODE("Mul", NULL, number(0.5946f), k);
    s = NODE("MatMul", NULL, q, k);
    if (a->scale == 0)
        s = NODE("Div", NULL, s, number(sqrtf(SIZE)));
    if (a->scale == 1)
        s = NODE("Mul", NULL, number(0.3535f), s);
    if (a->mask_rank > 0)
        mask = a->mask_constant ? weights(a->mask_rank, a->mask) : input(a->mask_rank, a->mask);
    if (mask != NULL)
        s = a->mask_first ? NODE("Add", NULL, mask, s) : NODE("Add", NULL, s, mask);
    if (a->shown == 1)
        output(s);
    p = NODE("Softmax", a->axis == 2 ? "axis=2" : "axis=-1", s);
    if (a->shown == 2)
        output(p);
    if (a->turned)
        return NODE("MatMul", NULL, turned("perm=[0,1,3,2]", v), turned("perm=[0,1,3,2]", p));
    p = NODE("MatMul", NULL, p, v);
    return a->plain ? p : turned("perm=[0,2,1,3]", p);
}

static const Heads encoder = {.queries = 5, .keys = 5, .k_perm = "perm=[0,2,3,1]",
                              .mask_rank = 4, .mask = {2, 1, 1, 5}};
static void attention_encoder(void) { output(attention(&encoder)); }

#define ATTENTION(name, ...)                                                        \
    static void name(void) { output(attention(&(Heads){__VA_ARGS__})); }
ATTENTION(attention_cache, .queries = 1, .keys = 17, .plain = TRUE, .scale = 1,
          .mask_rank = 4, .mask = {1, 1, 1, 17}, .mask_constant = TRUE)
ATTENTION(attention_long, .queries = 37, .keys = 70, .scale = 0, .mask_rank = 2,
          .mask = {37, 70}, .mask_constant = TRUE, .mask_first = TRUE)
ATTENTION(attention_scaled_query, .queries = 4, .keys = 6, .scale = 2)
ATTENTION(attention_scaled_both, .queries = 4, .keys = 6, .scale = 3,
          .k_perm = "perm=[0,2,3,1]")
ATTENTION(attention_unscaled, .queries = 4, .keys = 6, .scale = 4)
ATTENTION(attention_one_kv_head, .queries = 4, .keys = 6, .kv_heads = 1)
ATTENTION(attention_mask_of_queries, .queries = 9, .keys = 6, .mask_rank = 4,
          .mask = {2, 3, 9, 1})
ATTENTION(attention_mask_repeats_query, .queries = 1, .keys = 6, .mask_rank = 4,
          .mask = {2, 1, 9, 6}, .plain = TRUE)
ATTENTION(attention_key_shown, .queries = 4, .keys = 6, .k_perm = "perm=[0,2,3,1]", .shown = 3)
ATTENTION(attention_axis, .queries = 6, .keys = 6, .axis = 2)
ATTENTION(attention_scores_shown, .queries = 4, .keys = 6, .shown = 1)
ATTENTION(attention_weights_shown, .queries = 4, .keys = 6, .shown = 2)
ATTENTION(attention_turned, .queries = 4, .keys = 6, .turned = TRUE)

static const GraphCase cases[] = {
    {"attention_encoder", attention_encoder, "nn.Attention"},
    {"attention_cache", attention_cache, "nn.Attention"},
    {"attention_long", attention_long, "nn.Attention"},
    {"attention_scaled_query", attention_scaled_query, "nn.Attention"},
    {"attention_scaled_both", attention_scaled_both, "nn.Attention"},
    {"attention_unscaled", attention_unscaled, "nn.Attention"},
    {"attention_one_kv_head", attention_one_kv_head, "nn.Attention"},
    {"attention_mask_of_queries", attention_mask_of_queries, "nn.Attention"},
    {"attention_mask_repeats_query", attention_mask_repeats_query, "nn.Attention"},
    {"attention_key_shown", attention_key_shown, "Transpose nn.Attention"},
    {"attention_axis", attention_axis,
     "Div MatMul MatMul Softmax Transpose Transpose Transpose Transpose Transpose"},
    {"attention_scores_shown", attention_scores_shown,
     "Div MatMul MatMul Softmax Transpose Transpose Transpose Transpose Transpose"},
    {"attention_weights_shown", attention_weights_shown,
     "Div MatMul MatMul Softmax Transpose Transpose Transpose Transpose Transpose"},
    {"attention_turned", attention_turned,
     "Div MatMul MatMul Softmax Transpose Transpose Transpose Transpose Transpose Transpose"},
};

START_TEST(becomes) { ck_case(&cases[_i]); }
END_TEST

int main(void)
{
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    return check_main("nn_attention", tests);
}
