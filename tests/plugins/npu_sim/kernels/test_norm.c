/* SPDX-License-Identifier: Apache-2.0
 *
 * test_norm.c: softmax, normalization, LRN and reduction: laws that `_ref` obeys, every
 * row against `_ref`.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "kernel_check.h"

static const int sizes[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 129, 1000 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void check_two(const char *kernel, const char *label, const void *params, int64_t x,
                      int64_t y, double tolerance)
{
    const KernelArg args[2] = { { .kind = ARG_INPUT, .floats = x, .low = -5.0f, .high = 5.0f },
                                { .kind = ARG_OUTPUT, .floats = y } };
    kernel_case_check(&(KernelCase){ .kernel = kernel, .label = label, .params = params,
                                     .args = args, .arg_count = 2, .tolerance = tolerance });
}

START_TEST(test_softmax_rows)
{
    for (int i = 0; i < SIZES; i++)
        for (uint32_t log = 0; log < 2; log++) {
            const int64_t n = sizes[i];
            TsrSoftmaxParams p = { sizeof(p), log, 3, n, 1 };
            check_two(TSR_KERNEL_SOFTMAX_F32, "inner 1", &p, 3 * n, 3 * n, 2e-6);
            p.inner = 19;
            check_two(TSR_KERNEL_SOFTMAX_F32, "inner 19", &p, 57 * n, 57 * n, 2e-6);
        }
}
END_TEST

START_TEST(test_softmax_sums_to_one)
{
    float x[7] = { 1000.0f, 999.0f, -1000.0f, 3.0f, 1000.0f, 998.5f, 0.0f }, y[7];
    void *args[2] = { x, y };
    const TsrSoftmaxParams p = { sizeof(p), 0, 1, 7, 1 };
    float sum = 0.0f;
    kernel_run_ref(TSR_KERNEL_SOFTMAX_F32, args, &p);
    for (int i = 0; i < 7; i++)
        sum += y[i];
    ck_assert_float_eq_tol(sum, 1.0f, 1e-6f);
    ck_assert_float_eq_tol(y[1] / y[0], 0.36787944f, 1e-6f);
}
END_TEST

START_TEST(test_normalize_rows)
{
    for (int i = 0; i < SIZES; i++)
        for (int per_row = 0; per_row < 3; per_row += 2)
            for (int which = 0; which < 6; which++) {
                const int extra = which & 1, summand = which >> 1;
                const int64_t n = sizes[i], rows = 6;
                const TsrNormalizeParams p = { sizeof(p), 1e-3f, rows, n, per_row };
                const KernelArg args[8] = {
                    { .kind = ARG_INPUT, .floats = rows * n },
                    { .kind = extra ? ARG_INPUT : ARG_NULL, .floats = per_row ? per_row : n },
                    { .kind = ARG_INPUT, .floats = per_row ? per_row : n },
                    { .kind = ARG_OUTPUT, .floats = rows * n },
                    { .kind = extra ? ARG_OUTPUT : ARG_NULL, .floats = rows },
                    { .kind = extra ? ARG_OUTPUT : ARG_NULL, .floats = rows },
                    { .kind = summand > 0 ? ARG_INPUT : ARG_NULL, .floats = rows * n },
                    { .kind = summand > 1 ? ARG_OUTPUT : ARG_NULL, .floats = rows * n },
                };
                kernel_case_check(&(KernelCase){ .kernel = TSR_KERNEL_NORMALIZE_F32,
                                                 .label = "normalize", .params = &p, .args = args,
                                                 .arg_count = 8, .tolerance = 2e-5 });
            }
}
END_TEST

START_TEST(test_normalize_reference)
{
    float x[4] = { 1.0f, 2.0f, 3.0f, 6.0f }, y[4];
    float z[4] = { 1.0f, 1.0f, -3.0f, 1.0f }, sum[4];
    void *args[8] = { x, NULL, NULL, y, NULL, NULL, NULL, NULL };
    const TsrNormalizeParams p = { sizeof(p), 0.0f, 1, 4, 0 };
    kernel_run_ref(TSR_KERNEL_NORMALIZE_F32, args, &p);
    /* mean 3, variance 3.5 */
    ck_assert_float_eq_tol(y[0], -2.0f / sqrtf(3.5f), 1e-6f);
    ck_assert_float_eq_tol(y[2], 0.0f, 1e-6f);
    args[6] = z; /* 2, 3, 0, 7: mean 3, variance 6.5 */
    kernel_run_ref(TSR_KERNEL_NORMALIZE_F32, args, &p);
    ck_assert_float_eq_tol(y[2], -3.0f / sqrtf(6.5f), 1e-6f);
    args[7] = sum;
    kernel_run_ref(TSR_KERNEL_NORMALIZE_F32, args, &p);
    ck_assert_float_eq_tol(y[3], 4.0f / sqrtf(6.5f), 1e-6f);
    ck_assert_float_eq(sum[3], 7.0f);
}
END_TEST

START_TEST(test_lrn_rows)
{
    for (int i = 0; i < SIZES; i++)
        for (int size = 1; size < 7; size++) {
            const int64_t n = sizes[i], count = 2 * 9 * n, channels = 5 + 3 * size;
            TsrLrnParams p = { sizeof(p), size, 0.5f, size == 5 ? 0.75f : 0.6f, 1.5f, 1,
                               2, 9, n };
            check_two(TSR_KERNEL_LRN_F32, "lrn", &p, count, count, 3e-6);
            const KernelArg args[2] = {
                { .kind = ARG_INPUT, .floats = 2 * ((channels + 15) / 16) * 16 * n,
                  .channels = channels, .inner = n },
                { .kind = ARG_OUTPUT, .floats = 2 * ((channels + 15) / 16) * 16 * n,
                  .channels = channels, .inner = n },
            };
            p.lanes = 16;
            p.channels = channels;
            kernel_case_check(&(KernelCase){ .kernel = TSR_KERNEL_LRN_F32, .label = "blocked",
                                             .params = &p, .args = args, .arg_count = 2,
                                             .tolerance = 3e-6 });
        }
}
END_TEST

START_TEST(test_lrn_reference)
{
    float x[3] = { 1.0f, 2.0f, 3.0f }, y[3];
    void *args[2] = { x, y };
    const TsrLrnParams p = { sizeof(p), 3, 3.0f, 1.0f, 1.0f, 1, 1, 3, 1 };
    kernel_run_ref(TSR_KERNEL_LRN_F32, args, &p);
    ck_assert_float_eq_tol(y[0], 1.0f / (1.0f + 5.0f), 1e-7f);
    ck_assert_float_eq_tol(y[1], 2.0f / (1.0f + 14.0f), 1e-7f);
    ck_assert_float_eq_tol(y[2], 3.0f / (1.0f + 13.0f), 1e-7f);
}
END_TEST

START_TEST(test_reduce_rows)
{
    static const int lanes[] = { 1, 2, 16, 33 };
    for (uint32_t kind = 0; kind < 3; kind++)
        for (int i = 0; i < SIZES; i++)
            for (int k = 0; k < 4; k++) {
                const TsrReduceParams p = { sizeof(p), kind, 3, sizes[i], lanes[k] };
                check_two(TSR_KERNEL_REDUCE_F32, "reduce", &p, 3 * (int64_t)sizes[i] * lanes[k],
                          3 * lanes[k], kind == TSR_REDUCE_MAX ? 0.0 : 1e-5 * sizes[i]);
            }
}
END_TEST

START_TEST(test_reduce_reference)
{
    float x[6] = { 1.0f, 10.0f, 2.0f, 20.0f, 6.0f, 60.0f }, y[2];
    void *args[2] = { x, y };
    TsrReduceParams p = { sizeof(p), TSR_REDUCE_MEAN, 1, 3, 2 };
    kernel_run_ref(TSR_KERNEL_REDUCE_F32, args, &p);
    ck_assert_float_eq(y[0], 3.0f);
    ck_assert_float_eq(y[1], 30.0f);
    p.kind = TSR_REDUCE_MAX;
    kernel_run_ref(TSR_KERNEL_REDUCE_F32, args, &p);
    ck_assert_float_eq(y[1], 60.0f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_softmax_sums_to_one);
    tcase_add_test(tests, test_softmax_rows);
    tcase_add_test(tests, test_normalize_reference);
    tcase_add_test(tests, test_normalize_rows);
    tcase_add_test(tests, test_lrn_reference);
    tcase_add_test(tests, test_lrn_rows);
    tcase_add_test(tests, test_reduce_reference);
    tcase_add_test(tests, test_reduce_rows);
}

static void bench(void)
{
    const TsrSoftmaxParams p = { sizeof(p), 0, 256, 512, 1 };
    const KernelArg args[2] = { { .kind = ARG_INPUT, .floats = 256 * 512 },
                                { .kind = ARG_OUTPUT, .floats = 256 * 512 } };
    kernel_case_bench(&(KernelCase){ .kernel = TSR_KERNEL_SOFTMAX_F32, .label = "256 x 512",
                                     .params = &p, .args = args, .arg_count = 2,
                                     .bytes = 8.0 * 256 * 512 });
    const TsrLrnParams l = { sizeof(l), 5, 1e-4f, 0.75f, 1.0f, 1, 1, 64, 56 * 56 };
    const KernelArg lrn_args[2] = { { .kind = ARG_INPUT, .floats = 64 * 56 * 56 },
                                    { .kind = ARG_OUTPUT, .floats = 64 * 56 * 56 } };
    kernel_case_bench(&(KernelCase){ .kernel = TSR_KERNEL_LRN_F32, .label = "64 x 56 x 56",
                                     .params = &l, .args = lrn_args, .arg_count = 2,
                                     .bytes = 8.0 * 64 * 56 * 56 });
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "norm", add_tests, bench);
}
