/* SPDX-License-Identifier: Apache-2.0
 *
 * test_layers.c: Resize, the recurrent layers, control flow, selections, quantization,
 * TransData and the engine's answers.
 */
#include "support/op_check.h"
#include "plugins/aicpu/aicpu.h"

START_TEST(resize)
{
    OpHarness *h = op("Resize", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 2, 2));
    op_harness_omit(h);
    in_f32(h, F(1, 1, 2, 2), LIST(4));
    op_harness_string(h, "mode", "linear");
    runs(h);
    want_f32(h, 0, F(1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f, 2.5f, 2.75f, 3.25f, 3.5f, 3,
                     3.25f, 3.75f, 4), LIST(1, 1, 4, 4));
    op_harness_free(h);
    h = op("Resize", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(4));
    op_harness_omit(h);
    op_harness_omit(h);
    in_i64(h, I64(2), LIST(1));
    op_harness_string(h, "mode", "linear");
    op_harness_string(h, "coordinate_transformation_mode", "align_corners");
    runs(h);
    want_f32(h, 0, F(1, 4), LIST(2));
    op_harness_free(h);
    h = op("Upsample", 9);
    in_i64(h, I64(1, 2), LIST(2));
    in_f32(h, F(2.5f), LIST(1));
    runs(h);
    want_i64(h, 0, I64(1, 1, 1, 2, 2), LIST(5));
    op_harness_free(h);
}
END_TEST

/* With zero weights only biases act, so that the cell can be computed by hand. */
START_TEST(lstm)
{
    float zero[8] = {0}, bias[8] = {0.5f, 1.0f, -0.5f, 0.25f, 0, 0, 0, 0};
    float i = 1 / (1 + expf(-0.5f)), o = 1 / (1 + expf(-1.0f)), c = i * tanhf(0.25f);
    float f = 1 / (1 + expf(0.5f)), h1 = o * tanhf(c), c2 = f * c + c, h2 = o * tanhf(c2);
    OpHarness *h = op("LSTM", 14);
    in_f32(h, F(1, 1), LIST(2, 1, 1));
    in_f32(h, zero, LIST(1, 4, 1));
    in_f32(h, zero, LIST(1, 4, 1));
    in_f32(h, bias, LIST(1, 8));
    op_harness_outputs(h, 3, 0);
    runs(h);
    want_f32(h, 0, F(h1, h2), LIST(2, 1, 1, 1));
    want_f32(h, 1, F(h2), LIST(1, 1, 1));
    want_f32(h, 2, F(c2), LIST(1, 1, 1));
    op_harness_free(h);
}
END_TEST

/* The same layers in double: digits that a float does not have. */
START_TEST(layers_in_double)
{
    const double x[2] = {1.0 + 1e-12, 0.0}, one[1] = {1.0}, two[2] = {1.0, 1e-9};
    OpHarness *h = op("RNN", 14);
    op_harness_input(h, TSR_DTYPE_DOUBLE, 3, I64(2, 1, 1), x);
    op_harness_input(h, TSR_DTYPE_DOUBLE, 3, I64(1, 1, 1), one);
    op_harness_input(h, TSR_DTYPE_DOUBLE, 3, I64(1, 1, 1), one);
    op_harness_strings(h, "activations", 1, (const char *[]){"Relu"});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_DOUBLE, (const double[]){1.0 + 1e-12, 1.0 + 1e-12}, 16);
    op_harness_free(h);
    h = op("ConvTranspose", 11);
    op_harness_input(h, TSR_DTYPE_DOUBLE, 3, I64(1, 1, 2), (const double[]){1.0, 2.0});
    op_harness_input(h, TSR_DTYPE_DOUBLE, 3, I64(1, 1, 2), two);
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_DOUBLE, (const double[]){1.0, 1e-9 + 2.0, 2.0 * 1e-9}, 24);
    op_harness_free(h);
}
END_TEST

START_TEST(rnn_directions_and_lengths)
{
    OpHarness *h = op("RNN", 14);
    const char *relu[2] = {"Relu", "relu"};
    int32_t lengths[2] = {2, 1};
    in_f32(h, F(1, 10, 2, 20), LIST(2, 2, 1)); /* [seq, batch, input] */
    in_f32(h, F(1, 1), LIST(2, 1, 1));
    in_f32(h, F(1, 1), LIST(2, 1, 1));
    op_harness_omit(h);
    op_harness_input(h, TSR_DTYPE_INT32, 1, I64(2), lengths);
    op_harness_string(h, "direction", "bidirectional");
    op_harness_strings(h, "activations", 2, relu);
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_f32(h, 0, F(1, 10, 3, 10, 3, 0, 2, 0), LIST(2, 2, 2, 1));
    want_f32(h, 1, F(3, 10, 3, 10), LIST(2, 2, 1));
    op_harness_free(h);
    h = op("GRU", 14); /* all zero: z = r = 1/2, h = 0, so the state halves each step */
    in_f32(h, F(0, 0), LIST(2, 1, 1));
    in_f32(h, F(0, 0, 0), LIST(1, 3, 1));
    in_f32(h, F(0, 0, 0), LIST(1, 3, 1));
    op_harness_omit(h);
    op_harness_omit(h);
    in_f32(h, F(8), LIST(1, 1, 1));
    runs(h);
    want_f32(h, 0, F(4, 2), LIST(2, 1, 1, 1));
    op_harness_free(h);
    h = op("RNN", 14);
    in_f32(h, F(0), LIST(1, 1, 1));
    in_f32(h, F(0), LIST(1, 1, 1));
    in_f32(h, F(0), LIST(1, 1, 1));
    op_harness_strings(h, "activations", 1, (const char *[]){"Cubic"});
    fails(h, TSR_UNSUPPORTED, "'Cubic'");
}
END_TEST

/* Body of the loop below: state += iteration, goes on while state < 4; scans the state. */
static int32_t count_body(OpHarness *h, uint32_t index, const TsrTensor *const *in,
                          uint32_t input_count, const TsrTensor **out, uint32_t output_count)
{
    int64_t sum = *(const int64_t *)in[2]->data + *(const int64_t *)in[0]->data;
    uint8_t go = sum < 4;
    ck_assert_uint_eq(index, 0);
    ck_assert_uint_eq(input_count, 3);
    ck_assert_uint_eq(output_count, 3);
    out[0] = op_harness_tensor(h, TSR_DTYPE_BOOL, 0, NULL, &go);
    out[1] = out[2] = op_harness_tensor(h, TSR_DTYPE_INT64, 0, NULL, &sum);
    return TSR_OK;
}

START_TEST(loop)
{
    OpHarness *h = op("Loop", 13);
    op_harness_omit(h);
    op_harness_omit(h);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(1));
    op_harness_graph(h, "body", 0, count_body);
    op_harness_outputs(h, 2, 0);
    runs(h);
    ck_assert_int_eq(*(const int64_t *)op_harness_output(h, 0)->data, 4);
    want_i64(h, 1, I64(1, 2, 4), LIST(3));
    op_harness_free(h);
    h = op("Loop", 13);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(2));
    op_harness_input(h, TSR_DTYPE_BOOL, 0, NULL, (const uint8_t[]){1});
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(0));
    op_harness_graph(h, "body", 0, count_body);
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_i64(h, 1, I64(0, 1), LIST(2));
    op_harness_free(h);
}
END_TEST

/* state += slice; scans the doubled slice. */
static int32_t scan_body(OpHarness *h, uint32_t index, const TsrTensor *const *in,
                         uint32_t input_count, const TsrTensor **out, uint32_t output_count)
{
    float sum = *(const float *)in[0]->data + *(const float *)in[1]->data;
    float twice = 2 * *(const float *)in[1]->data;
    ck_assert_uint_eq(index + input_count + output_count, 4);
    out[0] = op_harness_tensor(h, TSR_DTYPE_FLOAT, 0, NULL, &sum);
    out[1] = op_harness_tensor(h, TSR_DTYPE_FLOAT, 0, NULL, &twice);
    return TSR_OK;
}

START_TEST(scan)
{
    OpHarness *h = op("Scan", 11);
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(10));
    in_f32(h, F(1, 2, 3), LIST(3));
    op_harness_int(h, "num_scan_inputs", 1);
    op_harness_ints(h, "scan_output_directions", 1, I64(1));
    op_harness_graph(h, "body", 0, scan_body);
    op_harness_outputs(h, 2, 0);
    runs(h);
    ck_assert(*(const float *)op_harness_output(h, 0)->data == 16.0f);
    want_f32(h, 1, F(6, 4, 2), LIST(3));
    op_harness_free(h);
}
END_TEST

START_TEST(selections)
{
    OpHarness *h = op("NonZero", 13);
    in_f32(h, F(1, 0, 0, 2), LIST(2, 2));
    runs(h);
    want_i64(h, 0, I64(0, 1, 0, 1), LIST(2, 2));
    op_harness_free(h);
    h = op("Compress", 11);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    op_harness_input(h, TSR_DTYPE_BOOL, 1, I64(2), (const uint8_t[]){0, 1});
    op_harness_int(h, "axis", 1);
    runs(h);
    want_f32(h, 0, F(2, 4), LIST(2, 1));
    op_harness_free(h);
    h = op("TopK", 11);
    in_f32(h, F(1, 3, 3, 2), LIST(4));
    in_i64(h, I64(3), LIST(1));
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_f32(h, 0, F(3, 3, 2), LIST(3));
    want_i64(h, 1, I64(1, 2, 3), LIST(3));
    op_harness_free(h);
    h = op("Unique", 11);
    in_f32(h, F(2, 1, 1, 3), LIST(4));
    op_harness_outputs(h, 4, 0);
    runs(h);
    want_f32(h, 0, F(1, 2, 3), LIST(3));
    want_i64(h, 1, I64(1, 0, 3), LIST(3));
    want_i64(h, 2, I64(1, 0, 0, 2), LIST(4));
    want_i64(h, 3, I64(2, 1, 1), LIST(3));
    op_harness_free(h);
    h = op("NonMaxSuppression", 11);
    in_f32(h, F(0, 0, 1, 1, 0, 0, 1, 0.9f, 2, 2, 3, 3), LIST(1, 3, 4));
    in_f32(h, F(0.5f, 0.9f, 0.1f), LIST(1, 1, 3));
    in_i64(h, I64(3), LIST(1));
    in_f32(h, F(0.5f), LIST(1));
    runs(h);
    want_i64(h, 0, I64(0, 0, 1, 0, 0, 2), LIST(2, 3));
    op_harness_free(h);
}
END_TEST

START_TEST(quantization)
{
    OpHarness *h = op("QuantizeLinear", 13), *back;
    in_f32(h, F(0, 1, -1000, 1000, 2.5f), LIST(5));
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(1));
    op_harness_input(h, TSR_DTYPE_UINT8, 0, NULL, (const uint8_t[]){128});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_UINT8, (const uint8_t[]){128, 129, 0, 255, 130}, 5);
    back = op("DequantizeLinear", 13);
    op_harness_input(back, TSR_DTYPE_UINT8, 1, I64(5), op_harness_output(h, 0)->data);
    op_harness_input(back, TSR_DTYPE_FLOAT, 0, NULL, F(1));
    op_harness_input(back, TSR_DTYPE_UINT8, 0, NULL, (const uint8_t[]){128});
    runs(back);
    want_f32(back, 0, F(0, 1, -128, 127, 2), LIST(5));
    op_harness_free(h);
    op_harness_free(back);
    h = op("QuantizeLinear", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_f32(h, F(1, 2, 3), LIST(3));
    fails(h, TSR_INVALID_ARGUMENT, "2 entries");
}
END_TEST

/* Compares raw floats from place first on. */
static void want_storage(const OpHarness *h, size_t first, const float *want, size_t count)
{
    const float *got = op_harness_output(h, 0)->data;
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(got[first + i] == want[i], "place %zu is %g, wanted %g", first + i,
                      (double)got[first + i], (double)want[i]);
}

/* NCHW -> NC1HWC0 -> NCHW is the identity, and the padding is zero. */
START_TEST(trans_data)
{
    OpHarness *h = op_harness_new("tessera", "TransData", 1), *back;
    int64_t origin[4] = {1, 3, 1, 2}, stored[5] = {1, 2, 1, 2, 2}, nz[4] = {2, 1, 16, 2};
    op_harness_input(h, TSR_DTYPE_FLOAT, 4, origin, F(1, 2, 3, 4, 5, 6));
    op_harness_storage(h, 0, 0, TSR_FORMAT_NCHW, TSR_FORMAT_NCHW, 4, origin);
    op_harness_storage(h, 1, 0, TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 5, stored);
    runs(h);
    want_storage(h, 0, F(1, 3, 2, 4, 5, 0, 6, 0), 8);
    back = op_harness_new("tessera", "TransData", 1);
    op_harness_input(back, TSR_DTYPE_FLOAT, 4, origin, op_harness_output(h, 0)->data);
    op_harness_storage(back, 0, 0, TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 5, stored);
    op_harness_storage(back, 1, 0, TSR_FORMAT_NCHW, TSR_FORMAT_NCHW, 4, origin);
    op_harness_data(back, 0, op_harness_output(h, 0)->data, 32);
    runs(back);
    want_storage(back, 0, F(1, 2, 3, 4, 5, 6), 6);
    op_harness_free(back);
    op_harness_free(h);
    h = op_harness_new("tessera", "TransData", 1);
    in_f32(h, F(1, 2, 3, 4, 5, 6), LIST(2, 3));
    op_harness_storage(h, 1, 0, TSR_FORMAT_ND, TSR_FORMAT_FRACTAL_NZ, 4, nz);
    runs(h);
    want_storage(h, 0, F(1, 2, 4, 5, 0, 0), 6);
    want_storage(h, 32, F(3, 0, 6, 0), 4);
    op_harness_free(h);
    back = op_harness_new("tessera", "TransData", 1);
    op_harness_input(back, TSR_DTYPE_FLOAT, 4, origin, F(1, 2, 3, 4, 5, 6));
    op_harness_storage(back, 0, 0, TSR_FORMAT_NCHW, TSR_FORMAT_NCHW, 4, origin);
    op_harness_storage(back, 1, 0, TSR_FORMAT_NCHW, TSR_FORMAT_FRACTAL_Z, 4, nz);
    fails(back, TSR_UNSUPPORTED, "FRACTAL_Z");
    h = op_harness_new("tessera", "TransData", 1); /* [C1 * H * W, N1, 16, C0] */
    op_harness_input(h, TSR_DTYPE_FLOAT, 4, I64(2, 3, 1, 1), F(1, 2, 3, 4, 5, 6));
    op_harness_storage(h, 0, 0, TSR_FORMAT_NCHW, TSR_FORMAT_NCHW, 4, I64(2, 3, 1, 1));
    op_harness_storage(h, 1, 0, TSR_FORMAT_NCHW, TSR_FORMAT_FRACTAL_Z, 4, I64(2, 1, 16, 2));
    runs(h);
    want_storage(h, 0, F(1, 2, 4, 5, 0, 0), 6);
    want_storage(h, 32, F(3, 0, 6, 0), 4);
    op_harness_free(h);
    h = op_harness_new("tessera", "TransData", 1); /* [C1, H, W, N, Co, C0], on the diagonal */
    op_harness_input(h, TSR_DTYPE_FLOAT, 4, I64(1, 1, 3, 1), F(1, 2, 3));
    op_harness_storage(h, 0, 0, TSR_FORMAT_HWCN, TSR_FORMAT_HWCN, 4, I64(1, 1, 3, 1));
    op_harness_storage(h, 1, 0, TSR_FORMAT_HWCN, TSR_FORMAT_C1HWNCOC0, 6,
                       I64(2, 1, 1, 1, 2, 2));
    runs(h);
    want_storage(h, 0, F(1, 0, 0, 2, 3, 0, 0, 0), 8);
    op_harness_free(h);
}
END_TEST

/* Scan 8: each entry of the batch is a sequence of its own; the second is shorter. */
START_TEST(scan_of_a_batch)
{
    OpHarness *h = op("Scan", 8);
    in_i64(h, I64(2, 1), LIST(2));
    in_f32(h, F(10, 20), LIST(2));
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    op_harness_int(h, "num_scan_inputs", 1);
    op_harness_graph(h, "body", 0, scan_body);
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_f32(h, 0, F(13, 23), LIST(2));
    want_f32(h, 1, F(2, 4, 6, 0), LIST(2, 2));
    op_harness_free(h);
}
END_TEST

/* Packed types move like all others, also where a run starts within a byte. */
START_TEST(packed_moves)
{
    OpHarness *h = op("Transpose", 21);
    op_harness_input(h, TSR_DTYPE_UINT4, 2, I64(2, 3), (const uint8_t[]){0x21, 0x43, 0x65});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_UINT4, (const uint8_t[]){0x41, 0x52, 0x63}, 3);
    op_harness_free(h);
    h = op("Concat", 13);
    op_harness_input(h, TSR_DTYPE_INT4, 1, I64(1), (const uint8_t[]){0x0f});
    op_harness_input(h, TSR_DTYPE_INT4, 1, I64(3), (const uint8_t[]){0x21, 0x03});
    op_harness_int(h, "axis", 0);
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_INT4, (const uint8_t[]){0x1f, 0x32}, 2);
    op_harness_free(h);
}
END_TEST

START_TEST(layer_norm_and_powers)
{
    static const char *const modes[3] = {"up", "down", "nearest"};
    static const uint8_t want[3][2] = {{128, 129}, {127, 128}, {127, 129}}; /* of 1.4 and 3 */
    OpHarness *h = op("LayerNormalization", 17); /* a scale for each row, a bias for each column */
    in_f32(h, F(-1, 1, -1, 1), LIST(1, 2, 2));
    in_f32(h, F(1, 10), LIST(2, 1));
    in_f32(h, F(0, 100), LIST(2));
    op_harness_int(h, "axis", 1);
    op_harness_float(h, "epsilon", 0);
    runs(h);
    want_f32(h, 0, F(-1, 101, -10, 110), LIST(1, 2, 2));
    op_harness_free(h);
    for (int m = 0; m < 3; m++) {
        h = op("Cast", 24);
        in_f32(h, F(1.4f, 3), LIST(2));
        op_harness_int(h, "to", TSR_DTYPE_FLOAT8E8M0);
        op_harness_string(h, "round_mode", modes[m]);
        runs(h);
        want_bytes(h, 0, TSR_DTYPE_FLOAT8E8M0, want[m], 2);
        op_harness_free(h);
    }
}
END_TEST

START_TEST(engine_answers)
{
    TsrNodeView too_old = {.struct_size = sizeof(too_old), .since_version = 1, .name = "",
                           .op_type = "SequenceAt", .domain = ""};
    TsrSupport support = {.struct_size = sizeof(support)};
    OpHarness *h = op("Relu", 13);
    op_harness_input(h, TSR_DTYPE_FLOAT, 1, I64(1), F(1));
    ck_assert_int_eq(op_harness_check(h, &support), TSR_OK);
    ck_assert_uint_eq(support.answer, TSR_SUPPORT_YES);
    op_harness_free(h);
    h = op("Relu", 13);
    op_harness_input(h, TSR_DTYPE_STRING, 1, I64(0), NULL);
    ck_assert_int_eq(op_harness_check(h, &support), TSR_OK);
    ck_assert_uint_eq(support.answer, TSR_SUPPORT_NO);
    ck_assert_uint_eq(support.reason_code, TSR_REFUSE_DTYPE);
    ck_assert_ptr_nonnull(strstr(support.reason, "Relu of string"));
    op_harness_free(h);
    ck_assert_int_eq(aicpu_engine.check(&aicpu_engine, &too_old, &support), TSR_OK);
    ck_assert_uint_eq(support.reason_code, TSR_REFUSE_VERSION);
    ck_assert_ptr_nonnull(strstr(support.reason, "version 1 of SequenceAt"));
}
END_TEST

OP_TEST_MAIN(resize, lstm, layers_in_double, rnn_directions_and_lengths, loop, scan, selections,
             quantization, trans_data, scan_of_a_batch, packed_moves, layer_norm_and_powers,
             engine_answers)
