/* SPDX-License-Identifier: Apache-2.0
 *
 * test_attention.c: Attention, FlexAttention and the operators around them, by vectors that
 * can be computed by hand: equal scores average the values, one allowed key copies one.
 */
#include "support/op_check.h"

/* Q of zeros: every allowed key has the same weight. */
START_TEST(equal_scores)
{
    OpHarness *h = op("Attention", 23);
    in_f32(h, F(0, 0), LIST(1, 1, 2, 1));
    in_f32(h, F(1, 2), LIST(1, 1, 2, 1));
    in_f32(h, F(3, 5), LIST(1, 1, 2, 1));
    runs(h);
    want_f32(h, 0, F(4, 4), LIST(1, 1, 2, 1));
    op_harness_free(h);
    h = op("Attention", 24);
    in_f32(h, F(0, 0), LIST(1, 1, 2, 1));
    in_f32(h, F(1, 2), LIST(1, 1, 2, 1));
    in_f32(h, F(3, 5), LIST(1, 1, 2, 1));
    op_harness_int(h, "is_causal", 1);
    runs(h);
    want_f32(h, 0, F(3, 4), LIST(1, 1, 2, 1));
    op_harness_free(h);
}
END_TEST

/* Two keys with scores s and 0: the first has the weight sigmoid(s). */
START_TEST(stages)
{
    float s = 2.0f, capped = 0.5f * tanhf(s / 0.5f), w = 1 / (1 + expf(-(capped + 1)));
    for (int64_t mode = 0; mode < 4; mode++) {
        OpHarness *h = op("Attention", 25);
        float want[4][2] = {{s, 0}, {capped, 0}, {capped + 1, 0}, {w, 1 - w}};
        in_f32(h, F(2, 7), LIST(1, 1, 1, 2));
        in_f32(h, F(1, 0, 0, 0), LIST(1, 1, 2, 2));
        in_f32(h, F(1, 0), LIST(1, 1, 2, 1));
        in_f32(h, F(1, 0), LIST(1, 2));
        op_harness_float(h, "scale", 1);
        op_harness_float(h, "softcap", 0.5f);
        op_harness_int(h, "qk_matmul_output_mode", mode);
        op_harness_outputs(h, 4, 6);
        runs(h);
        want_f32(h, 0, &w, LIST(1, 1, 1, 1));
        want_f32(h, 3, want[mode], LIST(1, 1, 1, 2));
        op_harness_free(h);
    }
}
END_TEST

/* A key that the mask forbids does no harm, not even with NaN; a row without keys is 0. */
START_TEST(masked)
{
    const uint8_t mask[4] = {1, 0, 0, 0};
    OpHarness *h = op("Attention", 23);
    in_f32(h, F(1, 1), LIST(1, 1, 2, 1));
    in_f32(h, F(1, NAN), LIST(1, 1, 2, 1));
    in_f32(h, F(3, NAN), LIST(1, 1, 2, 1));
    op_harness_input(h, TSR_DTYPE_BOOL, 2, I64(2, 2), mask);
    runs(h);
    want_f32(h, 0, F(3, 0), LIST(1, 1, 2, 1));
    op_harness_free(h);
    h = op("Attention", 24); /* a short mask is padded; nonpad_kv_seqlen cuts further */
    in_f32(h, F(0), LIST(1, 1, 1, 1));
    in_f32(h, F(1, 1, 1), LIST(1, 1, 3, 1));
    in_f32(h, F(3, 5, 9), LIST(1, 1, 3, 1));
    in_f32(h, F(0, 0), LIST(1, 2));
    op_harness_omit(h);
    op_harness_omit(h);
    in_i64(h, I64(1), LIST(1));
    runs(h);
    want_f32(h, 0, F(3), LIST(1, 1, 1, 1));
    op_harness_free(h);
}
END_TEST

/* Rank 3: two query heads share one key head, and the past comes first. */
START_TEST(heads_and_past)
{
    OpHarness *h = op("Attention", 23);
    in_f32(h, F(0, 0), LIST(1, 1, 2));
    in_f32(h, F(2), LIST(1, 1, 1));
    in_f32(h, F(6), LIST(1, 1, 1));
    op_harness_omit(h);
    in_f32(h, F(1), LIST(1, 1, 1, 1));
    in_f32(h, F(4), LIST(1, 1, 1, 1));
    op_harness_int(h, "q_num_heads", 2);
    op_harness_int(h, "kv_num_heads", 1);
    op_harness_outputs(h, 3, 0);
    runs(h);
    want_f32(h, 0, F(5, 5), LIST(1, 1, 2));
    want_f32(h, 1, F(1, 2), LIST(1, 1, 2, 1));
    want_f32(h, 2, F(4, 6), LIST(1, 1, 2, 1));
    op_harness_free(h);
    h = op("Attention", 23);
    in_f32(h, F(0, 0, 0), LIST(1, 3, 1, 1));
    in_f32(h, F(0, 0), LIST(1, 2, 1, 1));
    in_f32(h, F(0, 0), LIST(1, 2, 1, 1));
    fails(h, TSR_INVALID_ARGUMENT, "3 query heads");
    h = op("Attention", 23);
    in_f32(h, F(0), LIST(1, 1, 1));
    in_f32(h, F(0), LIST(1, 1, 1));
    in_f32(h, F(0), LIST(1, 1, 1));
    fails(h, TSR_INVALID_ARGUMENT, "q_num_heads");
}
END_TEST

/* Leaves the first score only. */
static int32_t first_only(OpHarness *h, uint32_t index, const TsrTensor *const *in,
                          uint32_t input_count, const TsrTensor **out, uint32_t output_count)
{
    float scores[2] = {*(const float *)in[0]->data, -INFINITY};
    ck_assert_uint_eq(index + input_count + output_count, 2);
    ck_assert_uint_eq(in[0]->desc->rank, 4);
    out[0] = op_harness_tensor(h, TSR_DTYPE_FLOAT, 4, I64(1, 1, 1, 2), scores);
    return TSR_OK;
}

START_TEST(flex)
{
    OpHarness *h = op_harness_new("ai.onnx.preview", "FlexAttention", 1);
    in_f32(h, F(1), LIST(1, 1, 1, 1));
    in_f32(h, F(1, 9), LIST(1, 1, 2, 1));
    in_f32(h, F(3, 5), LIST(1, 1, 2, 1));
    op_harness_graph(h, "score_mod", 0, first_only);
    runs(h);
    want_f32(h, 0, F(3), LIST(1, 1, 1, 1));
    op_harness_free(h);
}
END_TEST

START_TEST(norm_and_gate)
{
    OpHarness *h = op("RMSNormalization", 23);
    in_f32(h, F(3, 4, 0, 5), LIST(2, 2));
    in_f32(h, F(1, 10), LIST(2));
    op_harness_float(h, "epsilon", 0);
    runs(h);
    want_f32(h, 0, F(3 / sqrtf(12.5f), 40 / sqrtf(12.5f), 0, 50 / sqrtf(12.5f)), LIST(2, 2));
    op_harness_free(h);
    h = op("SwiGLU", 28);
    in_f32(h, F(0, 2), LIST(2));
    in_f32(h, F(7, 3), LIST(2));
    op_harness_float(h, "alpha", 0);
    runs(h);
    want_f32(h, 0, F(0, 3), LIST(2));
    op_harness_free(h);
}
END_TEST

/* A quarter turn: cosine 0, sine 1. */
START_TEST(rotary)
{
    OpHarness *h = op("RotaryEmbedding", 23);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 1, 4));
    in_f32(h, F(0, 0), LIST(1, 1, 2));
    in_f32(h, F(1, 1), LIST(1, 1, 2));
    runs(h);
    want_f32(h, 0, F(-3, -4, 1, 2), LIST(1, 1, 1, 4));
    op_harness_free(h);
    h = op("RotaryEmbedding", 23);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 4));
    in_f32(h, F(9, 0), LIST(2, 1));
    in_f32(h, F(9, 1), LIST(2, 1));
    in_i64(h, I64(1), LIST(1, 1));
    op_harness_int(h, "num_heads", 1);
    op_harness_int(h, "interleaved", 1);
    op_harness_int(h, "rotary_embedding_dim", 2);
    runs(h);
    want_f32(h, 0, F(-2, 1, 3, 4), LIST(1, 1, 4));
    op_harness_free(h);
}
END_TEST

/* With one column everywhere the state is a number. */
START_TEST(recurrences)
{
    static const char *const rules[4] = {"linear", "gated", "delta", "gated_delta"};
    /* k = 1, v = (4, 8), decay ln 1/2, beta 1/2 */
    static const float want[4][2] = {{4, 12}, {4, 10}, {2, 5}, {2, 4.5f}};
    for (int r = 0; r < 4; r++) {
        OpHarness *h = op("LinearAttention", 27);
        in_f32(h, F(1, 1), LIST(1, 2, 1));
        in_f32(h, F(1, 1), LIST(1, 2, 1));
        in_f32(h, F(4, 8), LIST(1, 2, 1));
        op_harness_omit(h);
        in_f32(h, F(logf(0.5f), logf(0.5f)), LIST(1, 2, 1));
        in_f32(h, F(0.5f, 0.5f), LIST(1, 2, 1));
        op_harness_string(h, "update_rule", rules[r]);
        op_harness_int(h, "q_num_heads", 1);
        op_harness_int(h, "kv_num_heads", 1);
        op_harness_outputs(h, 2, 0);
        runs(h);
        want_f32(h, 0, want[r], LIST(1, 2, 1));
        want_f32(h, 1, want[r] + 1, LIST(1, 1, 1, 1));
        op_harness_free(h);
    }
}
END_TEST

START_TEST(causal_conv_and_cache)
{
    OpHarness *h = op("CausalConvWithState", 27);
    in_f32(h, F(1, 2, 3), LIST(1, 1, 3));
    in_f32(h, F(10, 1), LIST(1, 1, 2));
    in_f32(h, F(100), LIST(1));
    in_f32(h, F(7), LIST(1, 1, 1));
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_f32(h, 0, F(171, 112, 123), LIST(1, 1, 3));
    want_f32(h, 1, F(3), LIST(1, 1, 1));
    op_harness_free(h);
    h = op("TensorScatter", 24);
    in_f32(h, F(1, 2, 3), LIST(1, 3, 1));
    in_f32(h, F(8, 9), LIST(1, 2, 1));
    in_i64(h, I64(2), LIST(1));
    op_harness_string(h, "mode", "circular");
    runs(h);
    want_f32(h, 0, F(9, 2, 8), LIST(1, 3, 1));
    op_harness_free(h);
    h = op("TensorScatter", 24);
    in_f32(h, F(1, 2, 3), LIST(1, 3, 1));
    in_f32(h, F(8, 9), LIST(1, 2, 1));
    in_i64(h, I64(2), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "leaves the cache");
}
END_TEST

OP_TEST_MAIN(equal_scores, stages, masked, heads_and_past, flex, norm_and_gate, rotary,
             recurrences, causal_conv_and_cache)
