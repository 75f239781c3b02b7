/* SPDX-License-Identifier: Apache-2.0
 *
 * test_eltwise.c: unary, binary and scale-shift kernels: identities of `_ref`, every row
 * against `_ref` over sizes, broadcasts and edge values.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "kernel_check.h"

static const int sizes[] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 129, 1025, 5000 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void with_unary(uint32_t op, int64_t count, float low, float high, const float *data,
                       void (*fn)(const KernelCase *))
{
    const TsrUnaryParams p = { sizeof(p), op, count, op == TSR_UNARY_CLIP ? -0.5f : 0.3f, 0.6f };
    const KernelArg args[2] = {
        { .kind = ARG_INPUT, .floats = count, .low = low, .high = high, .data = data },
        { .kind = ARG_OUTPUT, .floats = count },
    };
    char label[48];
    snprintf(label, sizeof(label), "op %u, %d elements", op, (int)count);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_UNARY_F32, .label = label, .params = &p, .args = args,
                      .arg_count = 2, .tolerance = 5e-7, .bytes = 8.0 * (double)count });
}

START_TEST(test_unary_rows)
{
    const uint32_t op = (uint32_t)_i;
    const int positive = op == TSR_UNARY_LOG || op == TSR_UNARY_SQRT;
    for (int i = 0; i < SIZES; i++) {
        with_unary(op, sizes[i], positive ? 0.0f : -4.0f, 4.0f, NULL, kernel_case_check);
        with_unary(op, sizes[i], positive ? 0.0f : -80.0f, 80.0f, NULL, kernel_case_check);
    }
}
END_TEST

START_TEST(test_unary_edges)
{
    static const float edges[] = { 0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-30f,
                                   -1e-30f, 1e-40f, 88.0f, 88.8f, 200.0f, -87.5f, -100.0f, -200.0f,
                                   3.0f, -3.0f, 1e30f, -1e30f, 0.999999f, 0.5f };
    const uint32_t op = (uint32_t)_i;
    /* x * x * x of the tanh form overflows before the reference in double does. */
    const int64_t count = op == TSR_UNARY_GELU_TANH ? 18 : 22;
    with_unary(op, count, 0.0f, 0.0f, edges, kernel_case_check);
}
END_TEST

START_TEST(test_reference_identities)
{
    float x[5] = { -2.0f, -0.5f, 0.0f, 0.5f, 2.0f }, y[5], z[5];
    void *forth[2] = { x, y }, *back[2] = { y, z };
    TsrUnaryParams p = { sizeof(p), TSR_UNARY_EXP, 5, 0.0f, 0.0f };
    kernel_run_ref(TSR_KERNEL_UNARY_F32, forth, &p);
    p.op = TSR_UNARY_LOG;
    kernel_run_ref(TSR_KERNEL_UNARY_F32, back, &p);
    for (int i = 0; i < 5; i++)
        ck_assert_float_eq_tol(z[i], x[i], 1e-6f);
    p.op = TSR_UNARY_TANH;
    kernel_run_ref(TSR_KERNEL_UNARY_F32, forth, &p);
    ck_assert_float_eq_tol(y[4], 0.96402758f, 1e-7f);
    p.op = TSR_UNARY_ERF;
    kernel_run_ref(TSR_KERNEL_UNARY_F32, forth, &p);
    ck_assert_float_eq_tol(y[3], 0.52049988f, 1e-7f);
    p.op = TSR_UNARY_HARD_SWISH;
    kernel_run_ref(TSR_KERNEL_UNARY_F32, forth, &p);
    ck_assert_float_eq_tol(y[4], 2.0f * 5.0f / 6.0f, 1e-6f);
}
END_TEST

static void with_binary(const TsrBinaryParams *p, int64_t a, int64_t b, const char *label,
                        float low, void (*fn)(const KernelCase *))
{
    int64_t y = 1;
    for (uint32_t i = 0; i < p->rank; i++)
        y *= p->shape[i];
    const KernelArg args[3] = { { .kind = ARG_INPUT, .floats = a, .low = low, .high = 3.0f },
                                { .kind = ARG_INPUT, .floats = b, .low = low, .high = 3.0f },
                                { .kind = ARG_OUTPUT, .floats = y } };
    fn(&(KernelCase){ .kernel = TSR_KERNEL_BINARY_F32, .label = label, .params = p, .args = args,
                      .arg_count = 3, .tolerance = 5e-7, .bytes = 12.0 * (double)y });
}

START_TEST(test_binary_rows)
{
    const uint32_t op = (uint32_t)_i;
    const float low = op == TSR_BINARY_POW ? 0.1f : -3.0f;
    for (int i = 0; i < SIZES; i++) {
        const int64_t n = sizes[i];
        TsrBinaryParams p = { .struct_size = sizeof(p), .op = op, .rank = 1, .shape = { n },
                              .a_step = { 1 }, .b_step = { 1 } };
        with_binary(&p, n, n, "same shape", low, kernel_case_check);
        p.b_step[0] = 0;
        with_binary(&p, n, 1, "scalar right", low, kernel_case_check);
        p.a_step[0] = 0;
        p.b_step[0] = 1;
        with_binary(&p, 1, n, "scalar left", low, kernel_case_check);
        p = (TsrBinaryParams){ .struct_size = sizeof(p), .op = op, .rank = 3,
                               .activation = { TSR_ACT_RELU, 0.0f, 0.0f }, .shape = { 3, 2, n },
                               .a_step = { 2 * n, n, 1 }, .b_step = { 0, 1, 0 } };
        with_binary(&p, 6 * n, 2, "per channel", low, kernel_case_check);
        p.a_step[0] = 1;
        p.a_step[1] = p.a_step[2] = 0;
        p.b_step[1] = n;
        p.b_step[2] = 1;
        with_binary(&p, 3, 2 * n, "outer", low, kernel_case_check);
    }
}
END_TEST

START_TEST(test_binary_reference_by_hand)
{
    float a[4] = { 6.0f, -6.0f, 2.0f, NAN }, b[4] = { 3.0f, 2.0f, 5.0f, 1.0f }, y[4];
    static const float want[TSR_BINARY_COUNT][3] = { { 9, -4, 7 },  { 3, -8, -3 }, { 18, -12, 10 },
                                                     { 2, -3, 0.4f }, { 6, 2, 5 }, { 3, -6, 2 },
                                                     { 216, 36, 32 }, { 6, -12, 2 } };
    void *args[3] = { a, b, y };
    for (uint32_t op = 0; op < TSR_BINARY_COUNT; op++) {
        const TsrBinaryParams p = { .struct_size = sizeof(p), .op = op, .rank = 1, .shape = { 4 },
                                    .a_step = { 1 }, .b_step = { 1 } };
        kernel_run_ref(TSR_KERNEL_BINARY_F32, args, &p);
        for (int i = 0; i < 3; i++)
            ck_assert_float_eq(y[i], want[op][i]);
        ck_assert(isnan(y[3]));
    }
}
END_TEST

START_TEST(test_scale_shift_rows)
{
    for (int i = 0; i < SIZES; i++)
        for (uint32_t lanes = 1; lanes <= 16; lanes += 15) {
            const TsrScaleShiftParams p = { sizeof(p), lanes, 2, 3, sizes[i],
                                            { TSR_ACT_LEAKY_RELU, 0.1f, 0.0f } };
            const int64_t count = 6 * (int64_t)sizes[i] * lanes;
            const KernelArg args[4] = { { .kind = ARG_INPUT, .floats = count },
                                        { .kind = ARG_INPUT, .floats = 3 * lanes },
                                        { .kind = ARG_INPUT, .floats = 3 * lanes },
                                        { .kind = ARG_OUTPUT, .floats = count } };
            kernel_case_check(&(KernelCase){ .kernel = TSR_KERNEL_SCALE_SHIFT_F32,
                                             .label = "scale", .params = &p, .args = args,
                                             .arg_count = 4, .tolerance = 5e-7 });
        }
}
END_TEST

/* Every kind of step and operand over [3, 2, n]: same shape, per row, per column, one. */
static TsrChainParams chain_params(int64_t n)
{
    const TsrChainParams p = {
        .struct_size = sizeof(p), .step_count = 6, .operand_count = 4, .rank = 3,
        .shape = { 3, 2, n },
        .operand_step = { { 2 * n, n, 1 }, { 2, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } },
        .steps = { { 1, TSR_BINARY_MUL, 0, 0, 0.0f, 0.0f },
                   { 0, TSR_UNARY_CLIP, 0, 0, -1.5f, 1.25f },
                   { 1, TSR_BINARY_SUB, 1, 1, 0.0f, 0.0f },
                   { 1, TSR_BINARY_ADD, 2, 0, 0.0f, 0.0f },
                   { 0, TSR_UNARY_SIGMOID, 0, 0, 0.0f, 0.0f },
                   { 1, TSR_BINARY_DIV, 3, 1, 0.0f, 0.0f } },
    };
    return p;
}

static void with_chain(int64_t n, void (*fn)(const KernelCase *))
{
    const TsrChainParams p = chain_params(n);
    const KernelArg args[6] = {
        { .kind = ARG_INPUT, .floats = 6 * n },  { .kind = ARG_OUTPUT, .floats = 6 * n },
        { .kind = ARG_INPUT, .floats = 6 * n },  { .kind = ARG_INPUT, .floats = 6 },
        { .kind = ARG_INPUT, .floats = n },      { .kind = ARG_INPUT, .floats = 1 },
    };
    fn(&(KernelCase){ .kernel = TSR_KERNEL_CHAIN_F32, .label = "six steps", .params = &p,
                      .args = args, .arg_count = 6, .tolerance = 2e-6,
                      .bytes = 12.0 * 6.0 * (double)n });
}

START_TEST(test_chain_rows)
{
    for (int i = 0; i < SIZES; i++)
        with_chain(sizes[i], kernel_case_check);
    with_chain(2500, kernel_case_check);
}
END_TEST

/* 10 - (x * 2 - ones), cut at zero. */
START_TEST(test_chain_reference_by_hand)
{
    float x[2] = { 3.0f, -1.0f }, two = 2.0f, ones[2] = { 1.0f, 5.0f }, ten = 10.0f, y[2];
    const TsrChainParams p = {
        .struct_size = sizeof(p), .step_count = 4, .operand_count = 3, .rank = 1, .shape = { 2 },
        .operand_step = { { 0 }, { 1 }, { 0 } },
        .steps = { { 1, TSR_BINARY_MUL, 0, 0, 0.0f, 0.0f }, { 1, TSR_BINARY_SUB, 1, 0, 0.0f, 0.0f },
                   { 1, TSR_BINARY_SUB, 2, 1, 0.0f, 0.0f },
                   { 0, TSR_UNARY_RELU, 0, 0, 0.0f, 0.0f } },
    };
    void *args[5] = { x, y, &two, ones, &ten };
    kernel_run_ref(TSR_KERNEL_CHAIN_F32, args, &p);
    ck_assert_float_eq(y[0], 5.0f);
    ck_assert_float_eq(y[1], 17.0f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_chain_reference_by_hand);
    tcase_add_test(tests, test_chain_rows);
    tcase_add_test(tests, test_reference_identities);
    tcase_add_test(tests, test_binary_reference_by_hand);
    tcase_add_loop_test(tests, test_unary_rows, 0, TSR_UNARY_COUNT);
    tcase_add_loop_test(tests, test_unary_edges, 0, TSR_UNARY_COUNT);
    tcase_add_loop_test(tests, test_binary_rows, 0, TSR_BINARY_COUNT);
    tcase_add_test(tests, test_scale_shift_rows);
}

static void bench(void)
{
    with_chain(65536, kernel_case_bench);
    const TsrBinaryParams add = { .struct_size = sizeof(add), .op = TSR_BINARY_ADD, .rank = 1,
                                  .shape = { 262144 }, .a_step = { 1 }, .b_step = { 1 } };
    for (uint32_t op = 0; op < TSR_UNARY_COUNT; op++)
        with_unary(op, 262144, 0.1f, 4.0f, NULL, kernel_case_bench);
    with_binary(&add, 262144, 262144, "add 262144", -1.0f, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "eltwise", add_tests, bench);
}
