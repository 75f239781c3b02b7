/* SPDX-License-Identifier: Apache-2.0
 *
 * test_excite.c: the two layers of a squeeze-and-excite block: `_ref` by hand, every row
 * against `_ref`.
 */
#include <check.h>
#include <stdio.h>

#include "kernel_check.h"

static int64_t padded(int64_t units) { return (units + 15) / 16 * 16; }

static void excite_case(int64_t channels, int64_t squeezed, int64_t step, int bias,
                        void (*fn)(const KernelCase *))
{
    const TsrExciteParams p = {
        .struct_size = sizeof(p), .summand = bias ? 1.0f : 0.0f, .batch = 3,
        .channels = channels, .squeezed = squeezed, .step = step,
        .squeeze = { TSR_ACT_RELU, 0.0f, 0.0f }, .gate = { TSR_ACT_HARD_SIGMOID, 0.2f, 0.5f },
        .workspace_floats = (uint64_t)padded(squeezed),
    };
    const int kind = bias ? ARG_INPUT : ARG_NULL;
    char label[64];
    const KernelArg args[7] = {
        { .kind = ARG_INPUT, .floats = 3 * step },
        { .kind = ARG_INPUT, .floats = padded(squeezed) * channels },
        { .kind = kind, .floats = padded(squeezed) },
        { .kind = ARG_INPUT, .floats = padded(channels) * squeezed },
        { .kind = kind, .floats = padded(channels) },
        { .kind = ARG_OUTPUT, .floats = 3 * step },
        { .kind = ARG_WORKSPACE, .floats = padded(squeezed) },
    };
    snprintf(label, sizeof(label), "%d channels by %d", (int)channels, (int)squeezed);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_EXCITE_F32, .label = label, .params = &p, .args = args,
                      .arg_count = 7, .tolerance = 2e-5,
                      .flop = 12.0 * (double)channels * (double)squeezed });
}

/* Rows plain, of a blocked picture, and with a gap. */
START_TEST(test_sizes)
{
    static const int64_t squeezed[] = { 1, 2, 5, 16, 17, 64, 65, 130 };
    for (size_t i = 0; i < sizeof(squeezed) / sizeof(squeezed[0]); i++) {
        excite_case(_i, squeezed[i], _i, 1, kernel_case_check);
        excite_case(_i, squeezed[i], padded(_i), 0, kernel_case_check);
        excite_case(_i, squeezed[i], padded(_i) + 16, 1, kernel_case_check);
    }
}
END_TEST

START_TEST(test_reference)
{
    /* 2 channels by 1 unit: h = relu(1 * 3 + 2 * 4 - 1), y = (h * 0.5 + 1, h * -1) + 1. */
    float x[2] = { 3, 4 }, w1[32] = { 0 }, b1[16] = { -1 }, w2[16] = { 0.5f, -1 }, b2[16] = { 1 };
    float y[2], hidden[16];
    void *args[7] = { x, w1, b1, w2, b2, y, hidden };
    const TsrExciteParams p = { .struct_size = sizeof(p), .summand = 1.0f, .batch = 1,
                                .channels = 2, .squeezed = 1, .step = 2,
                                .squeeze = { TSR_ACT_RELU, 0.0f, 0.0f }, .workspace_floats = 16 };
    w1[0] = 1;
    w1[16] = 2;
    kernel_run_ref(TSR_KERNEL_EXCITE_F32, args, &p);
    ck_assert(hidden[0] == 10.0f && y[0] == 7.0f && y[1] == -9.0f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference);
    tcase_add_loop_test(tests, test_sizes, 1, 41);
}

static void bench(void)
{
    excite_case(96, 24, 96, 1, kernel_case_bench);
    excite_case(480, 120, 480, 1, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "excite", add_tests, bench);
}
