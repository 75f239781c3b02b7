/* SPDX-License-Identifier: Apache-2.0
 *
 * test_layout.c: copies and transposes: `_ref` by hand, every row against `_ref`, bit for
 * bit.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"

static const int sizes[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 129 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void with_two(const char *kernel, const char *label, const void *params, int64_t x,
                     int64_t y, void (*fn)(const KernelCase *))
{
    const KernelArg args[2] = { { .kind = ARG_INPUT, .floats = x },
                                { .kind = ARG_OUTPUT, .floats = y } };
    fn(&(KernelCase){ .kernel = kernel, .label = label, .params = params, .args = args,
                      .arg_count = 2, .bytes = 8.0 * (double)x });
}

START_TEST(test_transpose_rows)
{
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < SIZES; k++) {
            const int64_t m = sizes[i], n = sizes[k], count = 3 * m * n;
            TsrTransposeParams p = { .struct_size = sizeof(p), .rank = 3, .shape = { 3, n, m },
                                     .x_step = { m * n, 1, n } };
            with_two(TSR_KERNEL_TRANSPOSE_B32, "021", &p, count, count, kernel_case_check);
            p.shape[0] = n;
            p.shape[1] = 3;
            p.x_step[0] = 1;
            p.x_step[1] = m * n;
            with_two(TSR_KERNEL_TRANSPOSE_B32, "201", &p, count, count, kernel_case_check);
            p.shape[0] = m;
            p.shape[2] = n;
            p.x_step[0] = n;
            p.x_step[2] = 1;
            with_two(TSR_KERNEL_TRANSPOSE_B32, "102", &p, count, count, kernel_case_check);
        }
}
END_TEST

START_TEST(test_transpose_reference)
{
    float x[6] = { 0, 1, 2, 3, 4, 5 }, y[6];
    const float want[6] = { 0, 3, 1, 4, 2, 5 };
    void *args[2] = { x, y };
    const TsrTransposeParams p = { .struct_size = sizeof(p), .rank = 2, .shape = { 3, 2 },
                                   .x_step = { 1, 3 } };
    kernel_run_ref(TSR_KERNEL_TRANSPOSE_B32, args, &p);
    ck_assert_int_eq(memcmp(y, want, sizeof(y)), 0);
}
END_TEST

/* Two rows side by side in one output, as Concat does; all of y is covered here by a
 * run that is as long as the distance. */
START_TEST(test_copy_rows)
{
    for (int i = 0; i < SIZES; i++) {
        const int64_t bytes = 4 * (int64_t)sizes[i];
        const TsrCopyRowsParams p = { sizeof(p), 0, 5, bytes, bytes, bytes, 0 };
        with_two(TSR_KERNEL_COPY_ROWS, "rows", &p, 5 * sizes[i], 5 * sizes[i], kernel_case_check);
    }
    const TsrCopyRowsParams large = { sizeof(large), 0, 1, 200000, 200000, 200000, 0 };
    with_two(TSR_KERNEL_COPY_ROWS, "one long row", &large, 50000, 50000, kernel_case_check);
    const TsrCopyRowsParams gaps = { sizeof(gaps), 0, 3, 8, 12, 20, 4 };
    with_two(TSR_KERNEL_COPY_ROWS, "gaps", &gaps, 9, 15, kernel_case_check);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_transpose_reference);
    tcase_add_test(tests, test_transpose_rows);
    tcase_add_test(tests, test_copy_rows);
}

static void bench(void)
{
    const TsrTransposeParams t = { .struct_size = sizeof(t), .rank = 2, .shape = { 1024, 768 },
                                   .x_step = { 1, 1024 } };
    with_two(TSR_KERNEL_TRANSPOSE_B32, "1024 x 768", &t, 1024 * 768, 1024 * 768,
             kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "layout", add_tests, bench);
}
