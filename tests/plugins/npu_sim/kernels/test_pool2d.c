/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pool2d.c: pooling: `_ref` by hand, every row against `_ref` over windows, pads,
 * strides, dilations and both layouts.
 */
#include <check.h>
#include <stdio.h>

#include "kernel_check.h"

static void with_pool(const TsrPool2dParams *p, void (*fn)(const KernelCase *))
{
    const int64_t x = p->outer * p->in_h * p->in_w * p->lanes;
    const int64_t y = p->outer * p->out_h * p->out_w * p->lanes;
    const KernelArg args[2] = { { .kind = ARG_INPUT, .floats = x },
                                { .kind = ARG_OUTPUT, .floats = y } };
    char label[64];
    snprintf(label, sizeof(label), "kind %u, %d lanes %dx%d k%dx%d", p->kind, (int)p->lanes,
             p->in_h, p->in_w, p->kernel_h, p->kernel_w);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_POOL2D_F32, .label = label, .params = p, .args = args,
                      .arg_count = 2, .tolerance = p->kind == TSR_POOL_MAX ? 0.0 : 1e-5,
                      .bytes = 4.0 * (double)(x + y) });
}

static TsrPool2dParams pool_of(int i, int kind, int lanes)
{
    static const int shapes[][12] = {
        /* outer h w kh kw sh sw dh dw pad_before pad_after extra (ceil_mode) */
        { 3, 7, 9, 3, 3, 2, 2, 1, 1, 1, 1, 0 },  { 2, 8, 8, 2, 2, 2, 2, 1, 1, 0, 0, 0 },
        { 1, 5, 33, 3, 5, 1, 1, 1, 2, 1, 2, 0 }, { 2, 6, 7, 3, 3, 2, 2, 1, 1, 0, 0, 1 },
        { 4, 1, 31, 1, 4, 1, 3, 1, 1, 0, 0, 1 }, { 2, 17, 3, 5, 3, 3, 2, 2, 1, 2, 1, 0 },
        { 1, 7, 7, 7, 7, 1, 1, 1, 1, 0, 0, 0 },  { 5, 3, 3, 3, 3, 1, 1, 1, 1, 2, 2, 0 },
    };
    const int *s = shapes[i];
    const TsrPool2dParams p = {
        .struct_size = sizeof(p), .kind = (uint32_t)(kind > 0), .count_pads = kind == 2,
        .lanes = (uint32_t)lanes, .outer = s[0], .in_h = s[1], .in_w = s[2], .kernel_h = s[3],
        .kernel_w = s[4], .stride_h = s[5], .stride_w = s[6], .dilation_h = s[7],
        .dilation_w = s[8], .pad_top = s[3] > 1 ? s[9] : 0, .pad_left = s[9],
        .pad_bottom = s[3] > 1 ? s[10] : 0, .pad_right = s[10],
        .out_h = (s[1] + (s[3] > 1 ? s[9] + s[10] : 0) - (s[3] - 1) * s[7] - 1) / s[5] + 1 +
                 (s[3] > 1 ? s[11] : 0),
        .out_w = (s[2] + s[9] + s[10] - (s[4] - 1) * s[8] - 1) / s[6] + 1 + s[11],
    };
    return p;
}

START_TEST(test_rows_match_reference)
{
    for (int kind = 0; kind < 3; kind++)
        for (int lanes = 1; lanes <= 16; lanes += 15) {
            const TsrPool2dParams p = pool_of(_i, kind, lanes);
            with_pool(&p, kernel_case_check);
        }
}
END_TEST

/* 3x3 windows over 0..8 with a pad of 1: maxima and means known by hand. */
START_TEST(test_reference_by_hand)
{
    float x[9], y[9];
    const float most[9] = { 4, 5, 5, 7, 8, 8, 7, 8, 8 };
    void *args[2] = { x, y };
    TsrPool2dParams p = { .struct_size = sizeof(p), .kind = TSR_POOL_MAX, .lanes = 1, .outer = 1,
                          .in_h = 3, .in_w = 3, .out_h = 3, .out_w = 3, .kernel_h = 3,
                          .kernel_w = 3, .stride_h = 1, .stride_w = 1, .dilation_h = 1,
                          .dilation_w = 1, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                          .pad_right = 1 };
    for (int i = 0; i < 9; i++)
        x[i] = (float)i;
    kernel_run_ref(TSR_KERNEL_POOL2D_F32, args, &p);
    for (int i = 0; i < 9; i++)
        ck_assert_float_eq(y[i], most[i]);
    p.kind = TSR_POOL_AVERAGE;
    kernel_run_ref(TSR_KERNEL_POOL2D_F32, args, &p);
    ck_assert_float_eq(y[0], 2.0f);  /* (0 + 1 + 3 + 4) / 4 */
    ck_assert_float_eq(y[4], 4.0f);
    p.count_pads = 1;
    kernel_run_ref(TSR_KERNEL_POOL2D_F32, args, &p);
    ck_assert_float_eq(y[8], 24.0f / 9.0f); /* (4 + 5 + 7 + 8) / 9 */
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_loop_test(tests, test_rows_match_reference, 0, 8);
}

static void bench(void)
{
    const TsrPool2dParams p = { .struct_size = sizeof(p), .kind = TSR_POOL_MAX, .lanes = 16,
                                .outer = 4, .in_h = 112, .in_w = 112, .out_h = 56, .out_w = 56,
                                .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2,
                                .dilation_h = 1, .dilation_w = 1, .pad_top = 1, .pad_left = 1,
                                .pad_bottom = 1, .pad_right = 1 };
    with_pool(&p, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "pool2d", add_tests, bench);
}
