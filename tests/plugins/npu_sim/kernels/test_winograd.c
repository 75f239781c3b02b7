/* SPDX-License-Identifier: Apache-2.0
 *
 * test_winograd.c: CONV2D_WINOGRAD_F32: `_ref` against the sum that a convolution is,
 * every row against `_ref` over odd sizes, pads and ways to cut the work; and the phases
 * of CONV2D_F32 that write a grid of a larger result.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"
#include "kernel_table.h"
#include "split.h"

typedef struct Shape {
    int n, c, h, w, oc, top, left, bottom, right, act, bias, residual;
} Shape;

static void with_winograd(const Shape *s, int tiles, int blocks, void (*fn)(const KernelCase *))
{
    const int64_t in = split_pieces(s->c, 16), out = split_pieces(s->oc, 16);
    TsrWinogradParams p = { .struct_size = sizeof(p), .batch = s->n, .in_c = s->c, .in_h = s->h,
                            .in_w = s->w, .out_c = s->oc, .out_h = s->h + s->top + s->bottom - 2,
                            .out_w = s->w + s->left + s->right - 2, .pad_top = s->top,
                            .pad_left = s->left, .tiles_per_piece = tiles,
                            .blocks_per_piece = blocks,
                            .activation = { (uint32_t)s->act, 0.25f, 0.75f } };
    const int64_t x = (int64_t)s->h * s->w, y = (int64_t)p.out_h * p.out_w;
    const int64_t floats = 36 * (int64_t)tiles * 16 * (in + 4);
    const KernelArg result = { .kind = ARG_OUTPUT, .channels = s->oc, .inner = y,
                               .floats = s->n * out * 16 * y };
    KernelArg args[6] = {
        { .kind = ARG_INPUT, .channels = s->c, .inner = x, .floats = s->n * in * 16 * x },
        { .kind = ARG_INPUT, .floats = out * 36 * s->c * 16 },
        { .kind = s->bias ? ARG_INPUT : ARG_NULL, .floats = out * 16 },
        result,
        result,
        { .kind = ARG_WORKSPACE, .floats = floats },
    };
    char label[80];
    p.workspace_floats = (uint64_t)floats;
    args[3].kind = s->residual ? ARG_INPUT : ARG_NULL;
    snprintf(label, sizeof(label), "%dx%dx%dx%d->%d, tiles %d, blocks %d", s->n, s->c, s->h, s->w,
             s->oc, tiles, blocks);
    /* Points weighed by up to 64 and 100 in the transforms of random weights. */
    fn(&(KernelCase){ .kernel = TSR_KERNEL_CONV2D_WINOGRAD_F32, .label = label, .params = &p,
                      .args = args, .arg_count = 6,
                      .tolerance = 2e-4 * sqrt((double)s->c + 4.0),
                      .flop = 18.0 * s->n * s->oc * (double)y * s->c });
}

static const Shape shapes[] = {
    { 1, 16, 8, 8, 16, 1, 1, 1, 1, TSR_ACT_NONE, 0, 0 },
    { 2, 17, 7, 9, 33, 1, 1, 1, 1, TSR_ACT_RELU, 1, 1 },
    { 1, 3, 5, 3, 70, 0, 1, 2, 0, TSR_ACT_CLIP, 1, 0 },
    { 1, 40, 14, 14, 64, 1, 1, 1, 1, TSR_ACT_HARD_SWISH, 1, 1 },
    { 1, 31, 3, 3, 15, 0, 0, 0, 0, TSR_ACT_LEAKY_RELU, 0, 1 },
    { 3, 1, 17, 33, 1, 2, 2, 2, 2, TSR_ACT_SIGMOID, 1, 0 },
};

START_TEST(test_rows_match_reference)
{
    with_winograd(&shapes[_i], 1000, 1000, kernel_case_check);
    with_winograd(&shapes[_i], 3, 1, kernel_case_check);
    with_winograd(&shapes[_i], 7, 3, kernel_case_check);
}
END_TEST

/* G of F(4x4, 3x3), and one output pixel as the sum that it is. */
START_TEST(test_reference_is_a_convolution)
{
    static const double g[6][3] = { { 0.25, 0, 0 },
                                    { -1 / 6.0, -1 / 6.0, -1 / 6.0 },
                                    { -1 / 6.0, 1 / 6.0, -1 / 6.0 },
                                    { 1 / 24.0, 1 / 12.0, 1 / 6.0 },
                                    { 1 / 24.0, -1 / 12.0, 1 / 6.0 },
                                    { 0, 0, 1 } };
    enum { H = 6, W = 7 };
    float x[H * W * 16], k[9], w[36 * 2 * 16] = { 0.0f }, y[H * W * 16];
    void *args[6] = { x, w, NULL, NULL, y, NULL };
    const TsrWinogradParams p = { .struct_size = sizeof(p), .batch = 1, .in_c = 2, .in_h = H,
                                  .in_w = W, .out_c = 1, .out_h = H, .out_w = W, .pad_top = 1,
                                  .pad_left = 1, .tiles_per_piece = 4, .blocks_per_piece = 1 };
    for (int i = 0; i < H * W * 16; i++)
        x[i] = check_random();
    for (int i = 0; i < 9; i++)
        k[i] = check_random();
    /* Channel 0 has the filter k, channel 1 its negative. */
    for (int i = 0; i < 36; i++) {
        double sum = 0.0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                sum += g[i / 6][a] * (double)k[a * 3 + b] * g[i % 6][b];
        w[i * 32] = (float)sum;
        w[i * 32 + 16] = (float)-sum;
    }
    kernel_run_ref(TSR_KERNEL_CONV2D_WINOGRAD_F32, args, &p);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            double want = 0.0;
            for (int a = 0; a < 9; a++) {
                const int row = i + a / 3 - 1, column = j + a % 3 - 1;
                const float *at = x + (row * W + column) * 16;
                if (row >= 0 && row < H && column >= 0 && column < W)
                    want += (double)k[a] * ((double)at[0] - (double)at[1]);
            }
            ck_assert_float_eq_tol(y[(i * W + j) * 16], (float)want, 1e-5f);
        }
}
END_TEST

/* CONV2D_F32 writing pixels (2i + top, 3j + left) of a larger y; `_ref` is not asked for
 * the others, so both start from the same memory and must leave them alone. */
START_TEST(test_grid)
{
    enum { H = 5, W = 4, YH = 2 * H, YW = 3 * W };
    const int oc = _i == 2 ? 1 : 20, plain = _i == 2, top = _i == 1, left = 2 * (_i == 1);
    float x[2 * H * W * 16], w[2 * 17 * 16], y[2][2 * YH * YW * 16];
    TsrConv2dParams p = { .struct_size = sizeof(p), .batch = 1, .in_c = 17, .in_h = H, .in_w = W,
                          .out_c = oc, .out_h = H, .out_w = W, .kernel_h = 1, .kernel_w = 1,
                          .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1,
                          .groups = 1, .rows_per_piece = 2, .columns_per_piece = W,
                          .blocks_per_piece = 2, .y_h = YH, .y_w = YW, .y_step_h = 2,
                          .y_step_w = 3, .y_top = top, .y_left = left,
                          .y_plain = (uint32_t)plain };
    void *args[6] = { x, w, NULL, NULL, y[0], NULL };
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (int i = 0; i < 2 * H * W * 16; i++)
        x[i] = check_random();
    for (int i = 0; i < 2 * 17 * 16; i++)
        w[i] = check_random();
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, TSR_KERNEL_CONV2D_F32) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        for (int i = 0; i < 2 * YH * YW * 16; i++)
            y[0][i] = y[1][i] = 7.0f;
        kernel_run_ref(TSR_KERNEL_CONV2D_F32, args, &p);
        args[4] = y[1];
        rows[r].fn(args, &p, 1, 2);
        rows[r].fn(args, &p, 0, 2);
        args[4] = y[0];
        for (int c = 0; c < oc; c++)
            for (int i = 0; i < YH * YW; i++) {
                const int at = plain ? i : (c / 16 * YH * YW + i) * 16 + c % 16;
                ck_assert_float_eq_tol(y[1][at], y[0][at], 1e-5f);
                if (i / YW % 2 != top || i % YW % 3 != left)
                    ck_assert_float_eq(y[1][at], 7.0f);
            }
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_is_a_convolution);
    tcase_add_loop_test(tests, test_grid, 0, 3);
    tcase_add_loop_test(tests, test_rows_match_reference, 0,
                        (int)(sizeof(shapes) / sizeof(shapes[0])));
}

static void bench(void)
{
    static const Shape layers[] = {
        { 1, 64, 56, 56, 64, 1, 1, 1, 1, TSR_ACT_RELU, 1, 0 },
        { 1, 128, 28, 28, 128, 1, 1, 1, 1, TSR_ACT_RELU, 1, 0 },
        { 1, 256, 14, 14, 256, 1, 1, 1, 1, TSR_ACT_RELU, 1, 0 },
        { 1, 96, 80, 80, 24, 1, 1, 1, 1, TSR_ACT_NONE, 1, 0 },
    };
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
        with_winograd(&layers[i], 28, 1000, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "winograd", add_tests, bench);
}
