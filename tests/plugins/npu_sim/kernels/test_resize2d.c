/* SPDX-License-Identifier: Apache-2.0
 *
 * test_resize2d.c: RESIZE2D_F32: `_ref` by hand, every row against `_ref` over sizes,
 * modes and both layouts.
 */
#include <check.h>
#include <stdio.h>

#include "kernel_check.h"

enum { MOST = 256 };

/* Taps that walk over `in` pixels in an odd order, with weights that add up to 1. */
static void fill_taps(TsrResizeTap *taps, int in, int out)
{
    for (int i = 0; i < out; i++) {
        taps[i].first = i * in / out;
        taps[i].second = taps[i].first + 1 < in ? taps[i].first + 1 : taps[i].first;
        taps[i].second_weight = (float)(i % 4) * 0.25f;
        taps[i].first_weight = 1.0f - taps[i].second_weight;
    }
}

static void with_resize(int outer, int h, int w, int out_h, int out_w, int lanes, int nearest,
                        void (*fn)(const KernelCase *))
{
    TsrResizeTap taps[MOST];
    const int64_t x = (int64_t)outer * h * w * lanes, y = (int64_t)outer * out_h * out_w * lanes;
    const TsrResize2dParams p = { .struct_size = sizeof(p), .nearest = (uint32_t)nearest,
                                  .lanes = (uint32_t)lanes, .outer = outer, .in_h = h, .in_w = w,
                                  .out_h = out_h, .out_w = out_w };
    const KernelArg args[3] = {
        { .kind = ARG_INPUT, .floats = x },
        { .kind = ARG_INPUT, .floats = 4 * (out_h + out_w), .data = (const float *)taps },
        { .kind = ARG_OUTPUT, .floats = y },
    };
    char label[64];
    fill_taps(taps, h, out_h);
    fill_taps(taps + out_h, w, out_w);
    snprintf(label, sizeof(label), "%d x %dx%d -> %dx%d, %d lanes, nearest %d", outer, h, w, out_h,
             out_w, lanes, nearest);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_RESIZE2D_F32, .label = label, .params = &p,
                      .args = args, .arg_count = 3, .tolerance = nearest ? 0.0 : 1e-6,
                      .bytes = 4.0 * (double)(x + y) });
}

START_TEST(test_rows_match_reference)
{
    static const int shapes[][5] = {
        { 1, 1, 1, 1, 1 },  { 3, 2, 3, 4, 6 },    { 2, 5, 7, 11, 13 }, { 1, 9, 8, 3, 5 },
        { 2, 1, 17, 1, 33 }, { 1, 33, 1, 15, 1 }, { 5, 4, 4, 16, 16 }, { 0, 4, 4, 8, 8 },
    };
    const int *s = shapes[_i];
    for (int lanes = 1; lanes <= 16; lanes += 15)
        for (int nearest = 0; nearest < 2; nearest++)
            with_resize(s[0], s[1], s[2], s[3], s[4], lanes, nearest, kernel_case_check);
}
END_TEST

/* Halfway between 0, 2 and 4, 10: the mean of all; and the nearest of them. */
START_TEST(test_reference_by_hand)
{
    float x[4] = { 0.0f, 2.0f, 4.0f, 10.0f }, y[1];
    TsrResizeTap taps[2] = { { 0, 1, 0.5f, 0.5f }, { 0, 1, 0.5f, 0.5f } };
    void *args[3] = { x, taps, y };
    TsrResize2dParams p = { .struct_size = sizeof(p), .lanes = 1, .outer = 1, .in_h = 2,
                            .in_w = 2, .out_h = 1, .out_w = 1 };
    kernel_run_ref(TSR_KERNEL_RESIZE2D_F32, args, &p);
    ck_assert_float_eq(y[0], 4.0f);
    taps[1].first = 1;
    p.nearest = 1;
    kernel_run_ref(TSR_KERNEL_RESIZE2D_F32, args, &p);
    ck_assert_float_eq(y[0], 2.0f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_loop_test(tests, test_rows_match_reference, 0, 8);
}

static void bench(void)
{
    with_resize(6, 40, 40, 80, 80, 16, 1, kernel_case_bench);
    with_resize(6, 40, 40, 80, 80, 16, 0, kernel_case_bench);
    with_resize(96, 40, 40, 80, 80, 1, 1, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "resize2d", add_tests, bench);
}
