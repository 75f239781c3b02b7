/* SPDX-License-Identifier: Apache-2.0
 *
 * test_nn_transformer.c: nodes of transformers built by nn_engine and run on the kernels,
 * against the operators' formulas: the fused MatMul and LayerNorm, ONNX Attention in both
 * layouts. And refusals of nodes that only a model made by hand could hold.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_run.h"
#include "kernel_check.h"
#include "nn.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

static void ck_near(float got, double want, double tolerance)
{
    ck_assert_msg(fabs((double)got - want) <= tolerance * fmax(1.0, fabs(want)),
                  "got %.9g, wanted %.9g", (double)got, want);
}

/* ------------------------------------------------------------------ MatMul */

/* y = tanh(a[m, k] b^T + bias + z), z as large as y (1), one row of it (2) or four of it (3),
 * which y then has too. */
static void check_matmul(int64_t m, int64_t n, int64_t k, int z_kind)
{
    NodeCase c;
    const int64_t planes = z_kind == 3 ? 4 : 1;
    float *a, *b, *bias, *z, *y;
    node_init(&c, NN_DOMAIN, "MatMul", 1);
    a = node_input(&c, 0, 3, SHAPE(1, m, k));
    b = node_input(&c, 1, 2, SHAPE(n, k));
    bias = node_input(&c, 1, 1, SHAPE(n));
    z = node_input(&c, 0, 3, SHAPE(planes, z_kind == 2 ? 1 : m, n));
    y = node_output(&c, 3, SHAPE(planes, m, n));
    node_attr_int(&c, "activation", TSR_ACT_TANH);
    node_attr_int(&c, "transB", 1);
    ck_assert_uint_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < planes * m * n; i++) {
        const int64_t row = i / n % m, column = i % n;
        double sum = (double)bias[column] + (double)z[z_kind == 2 ? column : i];
        for (int64_t d = 0; d < k; d++)
            sum += (double)a[row * k + d] * (double)b[column * k + d];
        ck_near(y[i], tanh(sum), 2e-6);
    }
    node_clear(&c);
}

START_TEST(fused_matmul)
{
    for (int z_kind = 1; z_kind <= 3; z_kind++) {
        check_matmul(1, 33, 20, z_kind);
        check_matmul(19, 50, 17, z_kind);
    }
}
END_TEST

/* --------------------------------------------------------------- LayerNorm */

START_TEST(fused_layer_norm)
{
    for (int parts = 0; parts < 4; parts++) {
        NodeCase c;
        float *x, *scale = NULL, *bias = NULL, *y;
        node_init(&c, NN_DOMAIN, "LayerNorm", 1);
        x = node_input(&c, 0, 3, SHAPE(2, 3, 21));
        if (parts & 1)
            scale = node_input(&c, 0, 1, SHAPE(21));
        else
            node_omit(&c);
        if (parts & 2)
            bias = node_input(&c, 0, 3, SHAPE(1, 1, 21));
        y = node_output(&c, 3, SHAPE(2, 3, 21));
        node_attr_float(&c, "epsilon", 0.01f);
        ck_assert_uint_eq(node_check(&c).answer, TSR_SUPPORT_YES);
        ck_assert_int_eq(node_run(&c), 1);
        for (int64_t i = 0; i < 6 * 21; i++) {
            double mean = 0.0, variance = 0.0, want;
            for (int64_t k = i / 21 * 21; k < i / 21 * 21 + 21; k++)
                mean += (double)x[k] / 21.0;
            for (int64_t k = i / 21 * 21; k < i / 21 * 21 + 21; k++)
                variance += ((double)x[k] - mean) * ((double)x[k] - mean) / 21.0;
            want = ((double)x[i] - mean) / sqrt(variance + 0.01);
            want = want * (scale != NULL ? (double)scale[i % 21] : 1.0) +
                   (bias != NULL ? (double)bias[i % 21] : 0.0);
            ck_near(y[i], want, 3e-6);
        }
        node_clear(&c);
    }
}
END_TEST

/* --------------------------------------------------------------- Attention */

enum { BATCH = 2, HEADS = 4, KV_HEADS = 2, QUERIES = 5, KEYS = 7, SIZE = 6 };

/* Element (b, h, place, d) of a tensor of rank 4, or of rank 3 with heads inside. */
static int64_t at(int rank, int64_t heads, int64_t places, int64_t b, int64_t h, int64_t place,
                  int64_t d)
{
    return rank == 4 ? ((b * heads + h) * places + place) * SIZE + d
                     : (b * places + place) * heads * SIZE + h * SIZE + d;
}

static void attention_node(NodeCase *c, int rank, int masked, int causal)
{
    node_init(c, "", "Attention", 23);
    if (rank == 4) {
        node_input(c, 0, 4, SHAPE(BATCH, HEADS, QUERIES, SIZE));
        node_input(c, 0, 4, SHAPE(BATCH, KV_HEADS, KEYS, SIZE));
        node_input(c, 0, 4, SHAPE(BATCH, KV_HEADS, KEYS, SIZE));
    } else {
        node_input(c, 0, 3, SHAPE(BATCH, QUERIES, HEADS * SIZE));
        node_input(c, 0, 3, SHAPE(BATCH, KEYS, KV_HEADS * SIZE));
        node_input(c, 0, 3, SHAPE(BATCH, KEYS, KV_HEADS * SIZE));
        node_attr_int(c, "q_num_heads", HEADS);
        node_attr_int(c, "kv_num_heads", KV_HEADS);
    }
    if (masked)
        node_input(c, 0, 2, SHAPE(QUERIES, KEYS));
    if (rank == 4)
        node_output(c, 4, SHAPE(BATCH, HEADS, QUERIES, SIZE));
    else
        node_output(c, 3, SHAPE(BATCH, QUERIES, HEADS * SIZE));
    node_attr_int(c, "is_causal", causal);
}

static double attention_at(const NodeCase *c, int rank, int causal, int64_t b, int64_t h,
                           int64_t i, int64_t d)
{
    double sum = 0.0, value = 0.0;
    for (int64_t j = 0; j < KEYS && (!causal || j <= i); j++) {
        double score = 0.0;
        for (int64_t e = 0; e < SIZE; e++)
            score += (double)c->inputs[0].data[at(rank, HEADS, QUERIES, b, h, i, e)] *
                     (double)c->inputs[1].data[at(rank, KV_HEADS, KEYS, b, h / 2, j, e)];
        score /= sqrt((double)SIZE);
        if (c->input_count > 3)
            score += (double)c->inputs[3].data[i * KEYS + j];
        sum += exp(score);
        value += exp(score) * (double)c->inputs[2].data[at(rank, KV_HEADS, KEYS, b, h / 2, j, d)];
    }
    return value / sum;
}

START_TEST(onnx_attention)
{
    for (int variant = 0; variant < 8; variant++) {
        const int rank = variant & 1 ? 3 : 4, masked = variant & 2, causal = variant & 4;
        NodeCase c;
        attention_node(&c, rank, masked, causal);
        ck_assert_uint_eq(node_check(&c).answer, TSR_SUPPORT_YES);
        ck_assert_int_eq(node_run(&c), 1);
        for (int64_t n = 0; n < BATCH * HEADS * QUERIES * SIZE; n++) {
            const int64_t d = n % SIZE, i = n / SIZE % QUERIES, h = n / SIZE / QUERIES % HEADS;
            const int64_t b = n / SIZE / QUERIES / HEADS;
            ck_near(c.outputs[0].data[at(rank, HEADS, QUERIES, b, h, i, d)],
                    attention_at(&c, rank, causal, b, h, i, d), 3e-6);
        }
        node_clear(&c);
    }
}
END_TEST

/* ---------------------------------------------------------------- refusals */

static void ck_refused(NodeCase *c, uint32_t code, const char *part)
{
    const TsrSupport support = node_check(c);
    ck_assert_uint_eq(support.answer, TSR_SUPPORT_NO);
    ck_assert_uint_eq(support.reason_code, code);
    ck_assert_msg(strstr(support.reason, part) != NULL, "'%s' lacks '%s'", support.reason, part);
    node_clear(c);
}

START_TEST(refuses_attention)
{
    NodeCase c;
    attention_node(&c, 4, 0, 0);
    node_attr_float(&c, "softcap", 5.0f);
    ck_refused(&c, TSR_REFUSE_ATTR, "softcap");
    attention_node(&c, 4, 1, 0);
    node_input(&c, 0, 4, SHAPE(BATCH, KV_HEADS, 3, SIZE));
    ck_refused(&c, TSR_REFUSE_ATTR, "past");
    /* Version 24 pads a mask that is shorter than K. */
    attention_node(&c, 4, 1, 0);
    c.version = 24;
    c.inputs[3].shape[1] = KEYS - 1;
    ck_refused(&c, TSR_REFUSE_SHAPE, "shorter than K");
}
END_TEST

START_TEST(refuses_what_fusion_never_makes)
{
    static const int64_t wrong_op[4] = { 1, TSR_BINARY_COUNT, 1, 0 };
    NodeCase c;
    node_init(&c, NN_DOMAIN, "Chain", 1);
    node_input(&c, 0, 1, SHAPE(4));
    node_output(&c, 1, SHAPE(4));
    node_attr_ints(&c, "steps", 4, wrong_op);
    ck_refused(&c, TSR_REFUSE_ATTR, "do not fit together");
    node_init(&c, NN_DOMAIN, "MatMul", 1);
    node_input(&c, 0, 2, SHAPE(3, 4));
    node_input(&c, 1, 2, SHAPE(4, 5));
    node_input(&c, 0, 1, SHAPE(5));
    node_output(&c, 2, SHAPE(3, 5));
    ck_refused(&c, TSR_REFUSE_VALUE, "bias");
    node_init(&c, NN_DOMAIN, "LayerNorm", 1);
    node_input(&c, 0, 2, SHAPE(3, 4));
    node_input(&c, 0, 1, SHAPE(3));
    node_output(&c, 2, SHAPE(3, 4));
    ck_refused(&c, TSR_REFUSE_SHAPE, "as long as a row");
    node_init(&c, NN_DOMAIN, "Attention", 1);
    node_input(&c, 0, 4, SHAPE(1, 2, 3, 4));
    node_input(&c, 0, 4, SHAPE(1, 2, 5, 3));
    node_input(&c, 0, 4, SHAPE(1, 2, 5, 4));
    node_output(&c, 4, SHAPE(1, 2, 3, 4));
    ck_refused(&c, TSR_REFUSE_SHAPE, "do not fit together");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, fused_matmul);
    tcase_add_test(tests, fused_layer_norm);
    tcase_add_test(tests, onnx_attention);
    tcase_add_test(tests, refuses_attention);
    tcase_add_test(tests, refuses_what_fusion_never_makes);
}

static void bench(void)
{
    NodeCase c;
    double seconds;
    attention_node(&c, 3, 1, 0);
    ck_assert_int_eq(node_time(&c, 50, &seconds), 1);
    printf("ONNX Attention, %d heads, %d queries, %d keys: %.0f ns\n", HEADS, QUERIES, KEYS,
           1e9 * seconds);
    node_clear(&c);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "nn_transformer", add_tests, bench);
}
