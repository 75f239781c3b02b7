/* SPDX-License-Identifier: Apache-2.0
 *
 * test_quantize.c: QUANTIZE, DEQUANTIZE, RANGE_F32, QUANTIZE_DYNAMIC, ADD_I8, POOL2D_I8
 * and TRANSPOSE_B8: every implementation gives the bits of its `_ref`, with halves, NaN and
 * infinities among the numbers.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "byte_check.h"

static float *floats_new(int64_t count, float size)
{
    float *x = malloc((size_t)count * sizeof(*x) + 64);
    need(x);
    for (int64_t i = 0; i < count; i++) {
        const float r = check_random();
        /* Halves, and what overflows, among the rest. */
        x[i] = i % 7 == 0 ? rintf(r * size) + 0.5f : i % 31 == 0 ? r * 1e30f : r * size;
    }
    if (count > 5) {
        x[3] = NAN;
        x[4] = -INFINITY;
        x[5] = INFINITY;
    }
    return x;
}

static const int64_t shapes[][4] = { /* outer, channels, inner, lanes */
    { 1, 1, 1, 1 }, { 1, 1, 9001, 1 }, { 2, 5, 33, 1 }, { 2, 3, 300, 16 }, { 1, 1, 77, 10 },
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

START_TEST(test_quantize)
{
    static const uint32_t dtypes[] = { TSR_DTYPE_UINT8, TSR_DTYPE_INT8, TSR_DTYPE_INT32 };
    const int64_t *s = shapes[_i / 3];
    const uint32_t dtype = dtypes[_i % 3];
    const int64_t scales = s[1] * s[3], count = s[0] * s[1] * s[2] * s[3];
    const TsrQuantizeParams p = { sizeof(p), dtype, s[0], s[1], s[2], s[3] };
    float *x = floats_new(count, 300.0f), *scale = malloc((size_t)scales * sizeof(*scale));
    int32_t *zero = malloc((size_t)scales * sizeof(*zero)), *words = bytes_new(count * 4, 0);
    for (int64_t i = 0; i < scales; i++) {
        scale[i] = i % 2 == 0 ? 1.0f : 0.37f + 0.01f * (float)i;
        zero[i] = (int32_t)(check_random() * 100.0f) + (dtype == TSR_DTYPE_UINT8 ? 100 : 0);
    }
    if (dtype != TSR_DTYPE_INT32)
        check_rows(TSR_KERNEL_QUANTIZE, "quantize", &p,
                   (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_INPUT, 0, scale },
                                  { ARG_INPUT, 0, zero }, { ARG_OUTPUT, count, NULL } }, 4);
    check_rows(TSR_KERNEL_DEQUANTIZE, "dequantize", &p,
               (const Arg[]){ { ARG_INPUT, 0, words }, { ARG_INPUT, 0, scale },
                              { ARG_INPUT, 0, zero }, { ARG_OUTPUT, count * 4, NULL } }, 4);
    free(x);
    free(scale);
    free(zero);
    free(words);
}
END_TEST

START_TEST(test_dynamic)
{
    static const int64_t counts[] = { 1, 15, 16, 100, 5000 };
    const int64_t count = counts[_i], run = 64, pieces = (count + run - 1) / run;
    const TsrDynamicParams p = { .struct_size = sizeof(p), .count = count, .run = run };
    float *x = malloc((size_t)count * sizeof(*x)), *range = malloc((size_t)pieces * 8);
    for (int64_t i = 0; i < count; i++)
        x[i] = i % 50 == 3 ? NAN : check_random() * 3.0f;
    void *args[2] = { x, range };
    kernel_run_ref(TSR_KERNEL_RANGE_F32, args, &p);
    check_rows(TSR_KERNEL_RANGE_F32, "range", &p,
               (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_OUTPUT, pieces * 8, NULL } }, 2);
    check_rows(TSR_KERNEL_QUANTIZE_DYNAMIC, "dynamic", &p,
               (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_INPUT, 0, range },
                              { ARG_OUTPUT, count, NULL }, { ARG_OUTPUT, 4, NULL },
                              { ARG_OUTPUT, 1, NULL } }, 5);
    free(x);
    free(range);
}
END_TEST

/* walk: shape, steps of a, steps of b. */
static void check_add(const int64_t *w, int signs)
{
    const int64_t count = w[0] * w[1] * w[2];
    const TsrAddI8Params p = {
        .struct_size = sizeof(p), .a_signed = signs & 4 ? 1 : 0, .b_signed = signs & 8 ? 1 : 0,
        .y_signed = signs & 8 ? 1 : 0, .rank = 3, .shape = { w[0], w[1], w[2] },
        .a_step = { w[3], w[4], w[5] }, .b_step = { w[6], w[7], w[8] }, .a_scale = 0.25f,
        .b_scale = 0.5f, .y_scale = 0.5f, .a_zero = signs & 4 ? -3 : 100, .b_zero = 7,
        .y_zero = signs & 8 ? -10 : 10, .low = signs & 8 ? -128 : 10,
        .high = signs & 8 ? 127 : 255 };
    void *a = bytes_new(count, 0), *b = bytes_new(count, 0);
    check_rows(TSR_KERNEL_ADD_I8, "add", &p,
               (const Arg[]){ { ARG_INPUT, 0, a }, { ARG_INPUT, 0, b },
                              { ARG_OUTPUT, count, NULL } }, 3);
    free(a);
    free(b);
}

START_TEST(test_add)
{
    static const int64_t walks[][9] = {
        { 1, 1, 1, 0, 0, 1, 0, 0, 1 },       { 1, 1, 9001, 0, 0, 1, 0, 0, 1 },
        { 3, 5, 33, 165, 33, 1, 0, 0, 1 },   { 2, 7, 16, 112, 16, 1, 16, 0, 1 },
        { 4, 300, 17, 300, 1, 0, 17, 0, 1 }, { 2, 3, 4200, 3, 1, 0, 0, 0, 0 },
        { 1, 600, 16, 0, 16, 1, 0, 0, 1 },   { 2, 1, 255, 255, 0, 1, 1, 0, 0 },
    };
    for (size_t k = 0; k < sizeof(walks) / sizeof(walks[0]); k++)
        check_add(walks[k], _i * 4);
}
END_TEST

START_TEST(test_pool)
{
    const uint32_t lanes = _i & 1 ? 16 : 1;
    const int is_signed = _i & 2;
    TsrPool2dI8Params p = {
        .struct_size = sizeof(p), .factor = 1.7,
        .requant = { .x_signed = is_signed != 0, .x_zero = 9, .y_zero = 3,
                     .low = is_signed ? -128 : 0, .high = is_signed ? 127 : 255 },
        .pool = { .kind = _i & 4 ? TSR_POOL_MAX : TSR_POOL_AVERAGE, .count_pads = _i & 8 ? 1 : 0,
                  .lanes = lanes, .outer = 3, .in_h = 9, .in_w = 11, .out_h = 5, .out_w = 6,
                  .kernel_h = 3, .kernel_w = 2, .stride_h = 2, .stride_w = 2, .dilation_h = 1,
                  .dilation_w = 2, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                  .pad_right = 1 } };
    void *x = bytes_new(3 * 9 * 11 * (int64_t)lanes, 0);
    check_rows(TSR_KERNEL_POOL2D_I8, "pool", &p,
               (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_OUTPUT, 3 * 5 * 6 * (int64_t)lanes,
                                                     NULL } }, 2);
    free(x);
}
END_TEST

START_TEST(test_transpose)
{
    static const int64_t sizes[] = { 1, 7, 15, 16, 17, 33, 64 };
    for (int i = 0; i < 49; i++) {
        const int64_t m = sizes[i / 7], n = sizes[i % 7];
        const TsrTransposeParams turned = { .struct_size = sizeof(turned), .rank = 3,
                                            .shape = { 3, n, m }, .x_step = { m * n, 1, n } };
        const TsrTransposeParams rows = { .struct_size = sizeof(rows), .rank = 3,
                                          .shape = { m, 3, n }, .x_step = { n, m * n, 1 } };
        void *x = bytes_new(3 * m * n, 0);
        const Arg args[2] = { { ARG_INPUT, 0, x }, { ARG_OUTPUT, 3 * m * n, NULL } };
        check_rows(TSR_KERNEL_TRANSPOSE_B8, "021", &turned, args, 2);
        check_rows(TSR_KERNEL_TRANSPOSE_B8, "102", &rows, args, 2);
        free(x);
    }
}
END_TEST

static void add(struct TCase *tests)
{
    TCase *t = (TCase *)tests;
    tcase_add_loop_test(t, test_quantize, 0, 3 * SHAPES);
    tcase_add_loop_test(t, test_dynamic, 0, 5);
    tcase_add_loop_test(t, test_add, 0, 4);
    tcase_add_test(t, test_transpose);
    tcase_add_loop_test(t, test_pool, 0, 16);
}

int main(int argc, char **argv) { return kernel_test_main(argc, argv, "quantize", add, NULL); }
