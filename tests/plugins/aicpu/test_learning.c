/* SPDX-License-Identifier: Apache-2.0
 *
 * test_learning.c: losses, optimizers, random numbers, Dropout, and ai.onnx.ml.
 */
#include "support/op_check.h"
#include "plugins/aicpu/ops/random.h"

START_TEST(losses)
{
    float log3 = logf(3);
    OpHarness *h = op("NegativeLogLikelihoodLoss", 13);
    in_f32(h, F(1, 2, 3, 4, 5, 6), LIST(2, 3));
    in_i64(h, I64(2, 0), LIST(2));
    in_f32(h, F(3, 1, 1), LIST(3));
    runs(h);
    want_f32(h, 0, F(-(3 * 1 + 4 * 3) / 4.0f), NULL, 0);
    op_harness_free(h);
    h = op("NegativeLogLikelihoodLoss", 13);
    in_f32(h, F(1, 2, 3, 4, 5, 6), LIST(2, 3));
    in_i64(h, I64(2, -1), LIST(2));
    op_harness_int(h, "ignore_index", -1);
    op_harness_string(h, "reduction", "none");
    runs(h);
    want_f32(h, 0, F(-3, 0), LIST(2));
    op_harness_free(h);
    h = op("SoftmaxCrossEntropyLoss", 13); /* equal scores: log 3 each */
    in_f32(h, F(1, 1, 1, 5, 5, 5), LIST(2, 3));
    in_i64(h, I64(2, 0), LIST(2));
    op_harness_string(h, "reduction", "sum");
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_f32(h, 0, F(2 * log3), NULL, 0);
    want_f32(h, 1, F(-log3, -log3, -log3, -log3, -log3, -log3), LIST(2, 3));
    op_harness_free(h);
    h = op("SoftmaxCrossEntropyLoss", 13);
    in_f32(h, F(1, 1), LIST(1, 2));
    in_i64(h, I64(2), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "[0, 2), got 2");
}
END_TEST

static OpHarness *optimizer(const char *name, uint32_t accumulators)
{
    OpHarness *h = op_harness_new("ai.onnx.preview.training", name, 1);
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(0.5f));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(0));
    in_f32(h, F(10), LIST(1));
    in_f32(h, F(3), LIST(1));
    for (uint32_t i = 0; i < accumulators; i++)
        in_f32(h, F(16), LIST(1));
    op_harness_outputs(h, 1 + accumulators, 0);
    return h;
}

START_TEST(optimizers)
{
    OpHarness *h = optimizer("Adagrad", 1);
    runs(h);
    want_f32(h, 0, F(10 - 0.5f * 3 / 5), LIST(1)); /* sqrt(16 + 9) */
    want_f32(h, 1, F(25), LIST(1));
    op_harness_free(h);
    h = optimizer("Momentum", 1);
    op_harness_string(h, "mode", "nesterov");
    op_harness_float(h, "alpha", 0.5f);
    op_harness_float(h, "beta", 7); /* is 1 in the first step */
    op_harness_float(h, "norm_coefficient", 0);
    runs(h);
    want_f32(h, 0, F(10 - 0.5f * (3 + 0.5f * 11)), LIST(1));
    want_f32(h, 1, F(11), LIST(1));
    op_harness_free(h);
    h = optimizer("Adam", 2);
    op_harness_float(h, "alpha", 0.5f);
    op_harness_float(h, "beta", 0);
    runs(h);
    want_f32(h, 0, F(10 - 0.5f * 9.5f / 3), LIST(1));
    want_f32(h, 1, F(9.5f), LIST(1));
    want_f32(h, 2, F(9), LIST(1));
    op_harness_free(h);
}
END_TEST

/* The published first outputs of MT19937 with the seed 5489 are 3499211612 and 581869302. */
START_TEST(random_numbers)
{
    double high = 3499211612u >> 5, low = 581869302u >> 6;
    const float *got;
    double sum = 0, square = 0;
    AicpuRandom generator;
    OpHarness *h = op("RandomUniform", 1);
    aicpu_random_seed(&generator, 5489);
    ck_assert(aicpu_random_uniform(&generator) ==
              (high * 67108864 + low) / 9007199254740992.0);
    op_harness_ints(h, "shape", 1, I64(1000));
    op_harness_float(h, "low", 1);
    op_harness_float(h, "high", 3);
    runs(h);
    got = op_harness_output(h, 0)->data;
    for (int i = 0; i < 1000; i++) {
        ck_assert(got[i] >= 1 && got[i] <= 3);
        sum += (double)got[i];
    }
    ck_assert(fabs(sum / 1000 - 2) < 0.1);
    sum = 0;
    op_harness_free(h);
    h = op("RandomNormal", 1);
    op_harness_ints(h, "shape", 1, I64(20000));
    op_harness_float(h, "seed", 1);
    op_harness_float(h, "mean", 3);
    runs(h);
    got = op_harness_output(h, 0)->data;
    for (int i = 0; i < 20000; i++) {
        sum += (double)got[i];
        square += ((double)got[i] - 3) * ((double)got[i] - 3);
    }
    ck_assert(fabs(sum / 20000 - 3) < 0.03 && fabs(square / 20000 - 1) < 0.05);
    op_harness_free(h);
    h = op("Bernoulli", 15);
    in_f32(h, F(0, 1), LIST(2));
    runs(h);
    want_f32(h, 0, F(0, 1), LIST(2));
    op_harness_free(h);
    h = op("Multinomial", 7);
    in_f32(h, F(-INFINITY, 0, -INFINITY), LIST(1, 3));
    op_harness_int(h, "sample_size", 2);
    op_harness_int(h, "dtype", TSR_DTYPE_INT64);
    runs(h);
    want_i64(h, 0, I64(1, 1), LIST(1, 2));
    op_harness_free(h);
}
END_TEST

START_TEST(dropout)
{
    float x[1000];
    int dropped = 0;
    OpHarness *h = op("Dropout", 13);
    for (int i = 0; i < 1000; i++)
        x[i] = 1;
    in_f32(h, x, LIST(1000));
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(0.25f));
    op_harness_input(h, TSR_DTYPE_BOOL, 0, NULL, (const uint8_t[]){1});
    op_harness_int(h, "seed", 3);
    op_harness_outputs(h, 2, 0);
    runs(h);
    for (int i = 0; i < 1000; i++) {
        float y = ((const float *)op_harness_output(h, 0)->data)[i];
        int kept = ((const uint8_t *)op_harness_output(h, 1)->data)[i];
        ck_assert(kept ? fabsf(y - 4 / 3.0f) < 1e-6f : y == 0.0f);
        dropped += !kept;
    }
    ck_assert_int_gt(dropped, 200);
    ck_assert_int_lt(dropped, 300);
    op_harness_free(h);
    h = op("Dropout", 13);
    in_f32(h, F(1, 2), LIST(2));
    runs(h);
    want_f32(h, 0, F(1, 2), LIST(2));
    op_harness_free(h);
}
END_TEST

START_TEST(encoders)
{
    OpHarness *h = op_harness_new("ai.onnx.ml", "LabelEncoder", 4);
    in_i64(h, I64(2, 1, 9), LIST(3));
    op_harness_ints(h, "keys_int64s", 3, I64(1, 2, 2));
    op_harness_floats(h, "values_floats", 3, F(10, 20, 30));
    op_harness_float(h, "default_float", -5);
    runs(h);
    want_f32(h, 0, F(30, 10, -5), LIST(3)); /* the last of equal keys */
    op_harness_free(h);
    h = op_harness_new("ai.onnx.ml", "Binarizer", 1);
    in_f32(h, F(1, 2, 3), LIST(3));
    op_harness_float(h, "threshold", 2);
    runs(h);
    want_f32(h, 0, F(0, 0, 1), LIST(3));
    op_harness_free(h);
    h = op_harness_new("ai.onnx.ml", "ArrayFeatureExtractor", 1);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_i64(h, I64(1), LIST(1));
    runs(h);
    want_f32(h, 0, F(2, 4), LIST(2, 1));
    op_harness_free(h);
}
END_TEST

/* x0 <= 1 ? leaf 0 : (x1 in {5, 7} ? leaf 1 : leaf 2); next: what node 0 says for no. */
static OpHarness *tree(int64_t false_id)
{
    OpHarness *h = op_harness_new("ai.onnx.ml", "TreeEnsemble", 5);
    in_f32(h, F(1, 0, 2, 7, 2, 6), LIST(3, 2));
    op_harness_int(h, "n_targets", 2);
    op_harness_ints(h, "tree_roots", 1, I64(0));
    op_harness_ints(h, "nodes_featureids", 2, I64(0, 1));
    op_harness_ints(h, "nodes_trueleafs", 2, I64(1, 1));
    op_harness_ints(h, "nodes_falseleafs", 2, I64(0, 1));
    op_harness_ints(h, "nodes_truenodeids", 2, I64(0, 1));
    op_harness_ints(h, "nodes_falsenodeids", 2, (const int64_t[]){false_id, 2});
    op_harness_ints(h, "leaf_targetids", 3, I64(0, 1, 0));
    op_harness_tensor_attr(h, "leaf_weights",
                           op_harness_tensor(h, TSR_DTYPE_FLOAT, 1, I64(3), F(10, 20, 30)));
    op_harness_tensor_attr(h, "nodes_splits",
                           op_harness_tensor(h, TSR_DTYPE_FLOAT, 1, I64(2), F(1, 0)));
    op_harness_tensor_attr(h, "nodes_modes", op_harness_tensor(h, TSR_DTYPE_UINT8, 1, I64(2),
                                                               (const uint8_t[]){0, 6}));
    op_harness_tensor_attr(h, "membership_values",
                           op_harness_tensor(h, TSR_DTYPE_FLOAT, 1, I64(3), F(5, 7, NAN)));
    return h;
}

START_TEST(trees)
{
    OpHarness *h = tree(1);
    runs(h);
    want_f32(h, 0, F(10, 0, 0, 20, 30, 0), LIST(3, 2));
    op_harness_free(h);
    fails(tree(0), TSR_INVALID_ARGUMENT, "runs in a circle");
    fails(tree(2), TSR_INVALID_ARGUMENT, "outside of the lists");
}
END_TEST

OP_TEST_MAIN(losses, optimizers, random_numbers, dropout, encoders, trees)
