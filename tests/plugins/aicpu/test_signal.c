/* SPDX-License-Identifier: Apache-2.0
 *
 * test_signal.c: spectra and windows, by sums of few terms and by going there and back.
 */
#include "support/op_check.h"

START_TEST(dft)
{
    OpHarness *h = op("DFT", 17); /* 1 + x^-k: 3 and 2 - 1 with x = -1 */
    in_f32(h, F(2, 1), LIST(1, 2, 1));
    runs(h);
    want_f32(h, 0, F(3, 0, 1, 0), LIST(1, 2, 2));
    op_harness_free(h);
    h = op("DFT", 20); /* a one-sided spectrum of three samples, then padded to four */
    in_f32(h, F(1, 2, 3), LIST(3, 1));
    op_harness_omit(h);
    in_i64(h, I64(0), LIST(1));
    op_harness_int(h, "onesided", 1);
    runs(h);
    want_f32(h, 0, F(6, 0, -1.5f, 0.8660254f), LIST(2, 2));
    op_harness_free(h);
    h = op("DFT", 20);
    in_f32(h, F(1, 2, 3), LIST(3, 1));
    in_i64(h, I64(4), LIST(1));
    runs(h);
    want_f32(h, 0, F(6, 0, -2, -2, 2, 0, -2, 2), LIST(4, 2));
    op_harness_free(h);
    h = op("DFT", 20);
    in_f32(h, F(6, 0, -1.5f, 0.8660254f), LIST(2, 2));
    in_i64(h, I64(3), LIST(1));
    op_harness_int(h, "onesided", 1);
    op_harness_int(h, "inverse", 1);
    runs(h);
    want_f32(h, 0, F(1, 2, 3), LIST(3, 1));
    op_harness_free(h);
    h = op("DFT", 20);
    in_f32(h, F(1, 2), LIST(2, 1));
    op_harness_omit(h);
    in_i64(h, I64(1), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "holds the parts");
}
END_TEST

START_TEST(stft)
{
    OpHarness *h = op("STFT", 17);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 4, 1));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(2));
    in_f32(h, F(1, 10), LIST(2));
    runs(h);
    want_f32(h, 0, F(21, 0, -19, 0, 43, 0, -37, 0), LIST(1, 2, 2, 2));
    op_harness_free(h);
    h = op("STFT", 17);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 4, 1));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(2));
    op_harness_omit(h);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(5));
    fails(h, TSR_INVALID_ARGUMENT, "longer than the signal");
}
END_TEST

START_TEST(windows)
{
    OpHarness *h = op("HannWindow", 17);
    op_harness_input(h, TSR_DTYPE_INT32, 0, NULL, (const int32_t[]){4});
    runs(h);
    want_f32(h, 0, F(0, 0.5f, 1, 0.5f), LIST(4));
    op_harness_free(h);
    h = op("HammingWindow", 17);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(3));
    op_harness_int(h, "periodic", 0);
    runs(h);
    want_f32(h, 0, F(4 / 46.0f, 1, 4 / 46.0f), LIST(3));
    op_harness_free(h);
    h = op("BlackmanWindow", 17);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(2));
    op_harness_int(h, "output_datatype", TSR_DTYPE_INT32);
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_INT32, (const int32_t[]){0, 1}, 8);
    op_harness_free(h);
}
END_TEST

/* One triangle from 0 to the top: it rises to its peak and falls again. */
START_TEST(mel)
{
    const float *m;
    OpHarness *h = op("MelWeightMatrix", 17);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(1));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(16));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(8192));
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(0));
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(4096));
    runs(h);
    want_shape(h, 0, TSR_DTYPE_FLOAT, LIST(9, 1));
    m = op_harness_output(h, 0)->data;
    ck_assert(m[0] == 0.0f || m[0] == 1.0f);
    for (int i = 0, falling = 0; i < 9; i++) {
        ck_assert(m[i] >= 0.0f && m[i] <= 1.0f);
        falling |= i > 0 && m[i] < m[i - 1];
        ck_assert(!falling || m[i] <= m[i - 1]);
    }
    op_harness_free(h);
}
END_TEST

OP_TEST_MAIN(dft, stft, windows, mel)
