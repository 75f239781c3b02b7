/* SPDX-License-Identifier: Apache-2.0
 *
 * test_recurrent.c: LSTM_F32 and GRU_F32: `_ref` by hand, every row against `_ref` over
 * sizes, directions, layouts, lengths, activations and which of the optional arguments are
 * there.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"

enum {
    EXTRA = 1, LENGTHS = 2, H0 = 4, C0 = 8, Y_H = 16, Y_C = 32, /* arguments that are there */
    REVERSE = 64, FLAG = 128, CLIP = 256, BATCH_FIRST = 512, OTHERS = 1024,
    ALL_ARGS = 63,
};

typedef struct Shape {
    int seq, batch, hidden, directions;
} Shape;

static TsrRecurrentParams params_of(const Shape *s, int gates, unsigned how)
{
    const int64_t padded = (s->hidden + 15) / 16 * 16, row = s->directions * gates * padded;
    const int64_t state = (int64_t)s->directions * s->hidden;
    TsrRecurrentParams p = {
        .struct_size = sizeof(p), .reverse = (how & REVERSE) != 0, .flag = (how & FLAG) != 0,
        .clip = how & CLIP ? 0.4f : 0.0f, .seq = s->seq, .batch = s->batch, .hidden = s->hidden,
        .directions = s->directions, .sums_step = { s->batch * row, row },
        .y_step = { s->batch * state, s->batch * s->hidden, s->hidden },
        .state_step = { s->batch * s->hidden, s->hidden },
        .entries_per_piece = s->batch < 4 ? s->batch : 4,
    };
    if (how & BATCH_FIRST) {
        memcpy(p.sums_step, (int64_t[2]){ row, s->seq * row }, sizeof(p.sums_step));
        memcpy(p.y_step, (int64_t[3]){ state, s->hidden, s->seq * state }, sizeof(p.y_step));
        memcpy(p.state_step, (int64_t[2]){ s->hidden, state }, sizeof(p.state_step));
    }
    for (int d = 0; d < 2; d++) {
        p.activations[d][0] = (TsrActivation){ TSR_ACT_SIGMOID, 0.0f, 0.0f };
        p.activations[d][1] = p.activations[d][2] = (TsrActivation){ TSR_ACT_TANH, 0.0f, 0.0f };
    }
    if (how & OTHERS) {
        p.activations[0][0] = (TsrActivation){ TSR_ACT_HARD_SIGMOID, 0.3f, 0.4f };
        p.activations[0][2] = p.activations[1][0] = p.activations[0][1];
        p.activations[0][1] = (TsrActivation){ TSR_ACT_LEAKY_RELU, 0.1f, 0.0f };
        p.activations[1][1] = (TsrActivation){ TSR_ACT_RELU, 0.0f, 0.0f };
    }
    p.workspace_floats = (uint64_t)(p.entries_per_piece * (2 + gates) * padded);
    return p;
}

static void with_cell(const Shape *s, int gates, unsigned how, void (*fn)(const KernelCase *))
{
    const int64_t padded = (s->hidden + 15) / 16 * 16, units = s->directions * padded;
    const int64_t state = (int64_t)s->directions * s->batch * s->hidden;
    const int lstm = gates == 4;
    const float range = 2.0f / sqrtf((float)s->hidden);
    const TsrRecurrentParams p = params_of(s, gates, how);
    /* Lengths below zero and above seq are cut. */
    static const int32_t lengths[8] = { 2, 0, 99, 1, -1, 3, 5, 2 };
    float as_floats[8];
    char label[96];
    memcpy(as_floats, lengths, sizeof(lengths));
    KernelArg args[10] = {
        { .kind = ARG_INPUT, .floats = s->seq * s->batch * gates * units },
        { .kind = ARG_INPUT, .floats = units * s->hidden * gates, .low = -range, .high = range },
        { .kind = how & EXTRA ? ARG_INPUT : ARG_NULL, .floats = units * (lstm ? 3 : 1) },
        { .kind = how & LENGTHS ? ARG_INPUT : ARG_NULL, .floats = s->batch, .data = as_floats },
        { .kind = how & H0 ? ARG_INPUT : ARG_NULL, .floats = state },
        { .kind = how & C0 ? ARG_INPUT : ARG_NULL, .floats = state },
        { .kind = ARG_OUTPUT, .floats = s->seq * state },
        { .kind = how & Y_H ? ARG_OUTPUT : ARG_NULL, .floats = state },
        { .kind = how & Y_C ? ARG_OUTPUT : ARG_NULL, .floats = state },
        { .kind = ARG_WORKSPACE, .floats = (int64_t)p.workspace_floats },
    };
    if (!lstm) { /* no c */
        args[5] = args[6];
        args[6] = args[7];
        args[7] = args[9];
    }
    snprintf(label, sizeof(label), "seq %d batch %d hidden %d, %d directions, 0x%x", s->seq,
             s->batch, s->hidden, s->directions, how);
    fn(&(KernelCase){ .kernel = lstm ? TSR_KERNEL_LSTM_F32 : TSR_KERNEL_GRU_F32, .label = label,
                      .params = &p, .args = args, .arg_count = lstm ? 10 : 8, .tolerance = 2e-5,
                      .flop = 2.0 * gates * s->seq * (double)state * s->hidden });
}

static const int sizes[] = { 1, 3, 15, 16, 17, 31, 33, 64, 70 };

START_TEST(test_rows_match_reference)
{
    static const unsigned extras[] = {
        0, ALL_ARGS, EXTRA | H0 | REVERSE, LENGTHS | Y_H | REVERSE | BATCH_FIRST,
        C0 | CLIP | EXTRA, OTHERS | Y_C | LENGTHS, OTHERS | CLIP | ALL_ARGS | BATCH_FIRST,
    };
    const int hidden = sizes[_i / 4], gates = _i & 1 ? 4 : 3;
    const unsigned flag = _i & 2 ? FLAG : 0;
    for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++) {
        with_cell(&(Shape){ 1, 1, hidden, 1 }, gates, extras[i] | flag, kernel_case_check);
        with_cell(&(Shape){ 3, 2, hidden, 2 }, gates, extras[i] | flag, kernel_case_check);
        with_cell(&(Shape){ 4, 7, hidden, 1 }, gates, extras[i] | flag, kernel_case_check);
    }
    with_cell(&(Shape){ 2, 8, hidden, 2 }, gates, flag, kernel_case_check);
}
END_TEST

/* R of zero and the sums alone: with i, o and f at 1/2 and the cell input at tanh(1), c is
 * c0 / 2 + tanh(1) / 2. */
START_TEST(test_lstm_by_hand)
{
    float sums[64] = { 0.0f }, r[64] = { 0.0f }, peepholes[48] = { 0.0f }, h0[1] = { 3.0f };
    float c0[1] = { 0.5f }, y[1], y_h[1], y_c[1], workspace[6 * 16];
    int32_t length = 1;
    void *args[10] = { sums, r, peepholes, &length, h0, c0, y, y_h, y_c, workspace };
    TsrRecurrentParams p = params_of(&(Shape){ 1, 1, 1, 1 }, 4, 0);
    const float cell = 0.25f + 0.5f * tanhf(1.0f);
    sums[48] = 1.0f;
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    ck_assert_float_eq_tol(y_c[0], cell, 1e-6f);
    ck_assert_float_eq_tol(y_h[0], 0.5f * tanhf(cell), 1e-6f);
    ck_assert_float_eq(y[0], y_h[0]);
    r[48] = -1.0f; /* h to c: 1 - 3 */
    peepholes[32] = 200.0f; /* c opens f: sigmoid(100) */
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    ck_assert_float_eq_tol(y_c[0], 0.5f - 0.5f * tanhf(2.0f), 1e-6f);
    sums[0] = 2.0f;
    p.flag = 1; /* f = 1 - i whatever its own gate says */
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    ck_assert_float_eq_tol(y_c[0], 0.5f / (1.0f + expf(2.0f)) - tanhf(2.0f) / (1.0f + expf(-2.0f)),
                           1e-6f);
    length = 0; /* the state is what it was, y is zero */
    kernel_run_ref(TSR_KERNEL_LSTM_F32, args, &p);
    ck_assert_float_eq(y[0], 0.0f);
    ck_assert_float_eq(y_h[0], 3.0f);
    ck_assert_float_eq(y_c[0], 0.5f);
}
END_TEST

/* z and r at 1/2, state 2: with the reset gate before the product the candidate is tanh(1 +
 * w * (2 / 2)), behind it tanh(1 + (w * 2 + bias) / 2). */
START_TEST(test_gru_by_hand)
{
    float sums[48] = { 0.0f }, r[48] = { 0.0f }, bias[16] = { 0.5f }, h0[1] = { 2.0f };
    float y[1], y_h[1], workspace[5 * 16];
    void *args[8] = { sums, r, bias, NULL, h0, y, y_h, workspace };
    TsrRecurrentParams p = params_of(&(Shape){ 1, 1, 1, 1 }, 3, FLAG);
    sums[32] = 1.0f;
    r[32] = -0.25f;
    kernel_run_ref(TSR_KERNEL_GRU_F32, args, &p);
    ck_assert_float_eq_tol(y[0], 1.0f + 0.5f * tanhf(1.0f), 1e-6f);
    ck_assert_float_eq(y_h[0], y[0]);
    p.flag = 0;
    args[2] = NULL;
    kernel_run_ref(TSR_KERNEL_GRU_F32, args, &p);
    ck_assert_float_eq_tol(y[0], 1.0f + 0.5f * tanhf(0.75f), 1e-6f);
    p.clip = 0.25f;
    kernel_run_ref(TSR_KERNEL_GRU_F32, args, &p);
    ck_assert_float_eq_tol(y[0], 1.0f + 0.5f * tanhf(0.25f), 1e-6f);
}
END_TEST

/* Backwards over a sequence is forwards over the turned one. */
START_TEST(test_reference_reverse)
{
    float sums[3 * 64], turned[3 * 64], r[64], y[3], back[3], workspace[6 * 16];
    for (int gates = 3; gates <= 4; gates++) {
        const int width = gates * 16;
        TsrRecurrentParams p = params_of(&(Shape){ 3, 1, 1, 1 }, gates, 0);
        void *args[10] = { sums, r, NULL, NULL, NULL, NULL, y, NULL, NULL, workspace };
        const int y_at = gates == 4 ? 6 : 5;
        args[7] = gates == 4 ? NULL : workspace;
        args[6] = args[5] = NULL;
        args[y_at] = y;
        for (int i = 0; i < 64; i++)
            r[i] = check_random();
        for (int i = 0; i < 3 * width; i++)
            sums[i] = turned[(2 - i / width) * width + i % width] = check_random();
        kernel_run_ref(gates == 4 ? TSR_KERNEL_LSTM_F32 : TSR_KERNEL_GRU_F32, args, &p);
        args[0] = turned;
        args[y_at] = back;
        p.reverse = 1;
        kernel_run_ref(gates == 4 ? TSR_KERNEL_LSTM_F32 : TSR_KERNEL_GRU_F32, args, &p);
        for (int i = 0; i < 3; i++)
            ck_assert_float_eq(back[i], y[2 - i]);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_lstm_by_hand);
    tcase_add_test(tests, test_gru_by_hand);
    tcase_add_test(tests, test_reference_reverse);
    tcase_add_loop_test(tests, test_rows_match_reference, 0,
                        4 * (int)(sizeof(sizes) / sizeof(sizes[0])));
}

static void bench(void)
{
    for (int gates = 3; gates <= 4; gates++) {
        with_cell(&(Shape){ 1, 1, 128, 1 }, gates, ALL_ARGS & ~LENGTHS, kernel_case_bench);
        with_cell(&(Shape){ 40, 1, 48, 2 }, gates, 0, kernel_case_bench);
        with_cell(&(Shape){ 20, 8, 128, 1 }, gates, 0, kernel_case_bench);
    }
    with_cell(&(Shape){ 20, 8, 128, 1 }, 3, FLAG, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "recurrent", add_tests, bench);
}
