/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lstm.c: LSTM_F32: `_ref` by hand, every row against `_ref` over sizes, directions
 * and which of the optional arguments are there.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "kernel_check.h"

static void with_lstm(int seq, int batch, int input, int hidden, int directions, int reverse,
                      int states, void (*fn)(const KernelCase *))
{
    const int64_t blocks = (hidden + 15) / 16, state = (int64_t)directions * batch * hidden;
    const int64_t weights = directions * blocks * (input + hidden) * 64;
    const float range = 2.0f / sqrtf((float)(input + hidden));
    const TsrLstmParams p = { .struct_size = sizeof(p), .reverse = (uint32_t)reverse, .seq = seq,
                              .batch = batch, .input = input, .hidden = hidden,
                              .directions = directions,
                              .workspace_floats = (uint64_t)(3 * blocks * 16) };
    KernelArg args[9] = {
        { .kind = ARG_INPUT, .floats = (int64_t)seq * batch * input },
        { .kind = ARG_INPUT, .floats = weights, .low = -range, .high = range },
        { .kind = ARG_INPUT, .floats = directions * blocks * 64 },
        { .kind = states & 1 ? ARG_INPUT : ARG_NULL, .floats = state },
        { .kind = states & 2 ? ARG_INPUT : ARG_NULL, .floats = state },
        { .kind = ARG_OUTPUT, .floats = seq * state },
        { .kind = states & 4 ? ARG_OUTPUT : ARG_NULL, .floats = state },
        { .kind = states & 8 ? ARG_OUTPUT : ARG_NULL, .floats = state },
        { .kind = ARG_WORKSPACE, .floats = 3 * blocks * 16 },
    };
    char label[80];
    snprintf(label, sizeof(label), "seq %d batch %d %d->%d, %d directions, reverse %d, states %d",
             seq, batch, input, hidden, directions, reverse, states);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_LSTM_F32, .label = label, .params = &p, .args = args,
                      .arg_count = 9, .tolerance = 2e-5,
                      .flop = 8.0 * seq * (double)state * (input + hidden) });
}

START_TEST(test_rows_match_reference)
{
    static const int sizes[] = { 1, 3, 15, 16, 17, 31, 33, 64 };
    const int hidden = sizes[_i];
    with_lstm(1, 1, 7, hidden, 1, 0, 15, kernel_case_check);
    with_lstm(4, 3, 16, hidden, 1, 0, 0, kernel_case_check);
    with_lstm(5, 1, 33, hidden, 1, 1, 9, kernel_case_check);
    with_lstm(3, 2, 1, hidden, 2, 0, 6, kernel_case_check);
}
END_TEST

/* Weights of zero and the bias alone: with i, o and f at 1/2 and the cell input at
 * tanh(1), c is c0 / 2 + tanh(1) / 2. */
START_TEST(test_reference_by_hand)
{
    float x[1] = { 5.0f }, w[2 * 64] = { 0.0f }, bias[64] = { 0.0f }, h0[1] = { 3.0f };
    float c0[1] = { 0.5f }, y[1], y_h[1], y_c[1], workspace[48];
    void *args[9] = { x, w, bias, h0, c0, y, y_h, y_c, workspace };
    const TsrLstmParams p = { .struct_size = sizeof(p), .seq = 1, .batch = 1, .input = 1,
                              .hidden = 1, .directions = 1, .workspace_floats = 48 };
    const float cell = 0.25f + 0.5f * tanhf(1.0f);
    bias[48] = 1.0f;
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    ck_assert_float_eq_tol(y_c[0], cell, 1e-6f);
    ck_assert_float_eq_tol(y_h[0], 0.5f * tanhf(cell), 1e-6f);
    ck_assert_float_eq(y[0], y_h[0]);
    /* W weighs x, R weighs h: only in the gate that they belong to. */
    w[48] = -1.0f;       /* x to c */
    w[64 + 48] = 1.0f;   /* h to c: 1 - 5 + 3 = -1 */
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    ck_assert_float_eq_tol(y_c[0], 0.25f - 0.5f * tanhf(1.0f), 1e-6f);
}
END_TEST

/* Backwards over a sequence is forwards over the turned one. */
START_TEST(test_reference_reverse)
{
    float x[6], w[3 * 64], bias[64], y[3], back[3], workspace[48];
    void *args[9] = { x, w, bias, NULL, NULL, y, NULL, NULL, workspace };
    TsrLstmParams p = { .struct_size = sizeof(p), .seq = 3, .batch = 1, .input = 2, .hidden = 1,
                        .directions = 1, .workspace_floats = 48 };
    for (int i = 0; i < 3 * 64; i++)
        w[i] = check_random();
    for (int i = 0; i < 64; i++)
        bias[i] = check_random();
    for (int i = 0; i < 6; i++)
        x[i] = check_random();
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    for (int i = 0; i < 2; i++) {
        const float swap = x[i];
        x[i] = x[4 + i];
        x[4 + i] = swap;
    }
    p.reverse = 1;
    args[5] = back;
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(back[i], y[2 - i]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_test(tests, test_reference_reverse);
    tcase_add_loop_test(tests, test_rows_match_reference, 0, 8);
}

static void bench(void)
{
    with_lstm(1, 1, 128, 128, 1, 0, 15, kernel_case_bench);
    with_lstm(7, 1, 64, 64, 1, 0, 15, kernel_case_bench);
    with_lstm(40, 1, 120, 48, 2, 0, 0, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "lstm", add_tests, bench);
}
