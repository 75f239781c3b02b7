/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conv2d.c: the convolution kernels: `_ref` against sums done by hand, every row
 * against `_ref`; --bench times the layers of ResNet-50 and others.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"
#include "split.h"
#include "window.h"

typedef struct ConvShape {
    const char *kernel;
    int plain; /* x of CONV2D_F32 is NCHW */
    int n, c, h, w, oc, kh, kw, sh, sw, dh, dw, pt, pl, pb, pr, groups;
    int act, bias, residual;
} ConvShape;

static TsrConv2dParams params_of(const ConvShape *s)
{
    TsrConv2dParams p = { .struct_size = sizeof(p), .x_plain = (uint32_t)s->plain,
                          .batch = s->n, .in_c = s->c, .in_h = s->h, .in_w = s->w,
                          .out_c = s->oc, .kernel_h = s->kh, .kernel_w = s->kw,
                          .stride_h = s->sh, .stride_w = s->sw, .dilation_h = s->dh,
                          .dilation_w = s->dw, .pad_top = s->pt, .pad_left = s->pl,
                          .groups = s->groups };
    p.out_h = (s->h + s->pt + s->pb - (s->kh - 1) * s->dh - 1) / s->sh + 1;
    p.out_w = (s->w + s->pl + s->pr - (s->kw - 1) * s->dw - 1) / s->sw + 1;
    p.activation = (TsrActivation){ (uint32_t)s->act, 0.25f, 0.75f };
    return p;
}

/* Prepares the case of a shape and hands it to fn: pieces 0 whole, 1 in several pieces, 2
 * with a workspace also where none is needed, as narrow types have it. */
static void with_case(const ConvShape *s, int pieces, void (*fn)(const KernelCase *))
{
    TsrConv2dParams p = params_of(s);
    const int nchw = strcmp(s->kernel, TSR_KERNEL_CONV2D_NCHW_F32) == 0;
    const int depthwise = strcmp(s->kernel, TSR_KERNEL_CONV2D_DEPTHWISE_F32) == 0;
    const int direct = pieces != 2 && !s->plain && s->kh == 1 && s->kw == 1 && s->sh == 1 &&
                       s->sw == 1 && s->pt + s->pl + s->pb + s->pr == 0;
    const int64_t in = (int64_t)s->h * s->w, out = (int64_t)p.out_h * p.out_w;
    const int64_t group_out = s->oc / s->groups, taps = (int64_t)s->kh * s->kw;
    KernelArg args[6];
    Window win;
    char label[96];
    memset(args, 0, sizeof(args));
    if (direct && !nchw && !depthwise) {
        p.in_w = p.out_w = (int32_t)out;
        p.in_h = p.out_h = 1;
    }
    win = window_of(&p);
    p.rows_per_piece = pieces ? (p.out_h + 2) / 3 : p.out_h;
    p.columns_per_piece = direct && !nchw && pieces ? 5 : p.out_w;
    p.blocks_per_piece = pieces ? 3 : 1000;
    snprintf(label, sizeof(label), "%dx%dx%dx%d->%d %dx%d s%d d%d p%d%d g%d a%d", s->n, s->c, s->h,
             s->w, s->oc, s->kh, s->kw, s->sw, s->dw, s->pt, s->pr, s->groups, s->act);
    args[0] = (KernelArg){ .kind = ARG_INPUT, .floats = s->n * s->c * in };
    args[4] = (KernelArg){ .kind = ARG_OUTPUT, .floats = s->n * s->oc * out };
    if (!nchw) {
        if (!s->plain)
            args[0] = (KernelArg){ .kind = ARG_INPUT, .channels = s->c, .inner = in,
                                   .floats = s->n * split_pieces(s->c, 16) * 16 * in };
        args[4] = (KernelArg){ .kind = ARG_OUTPUT, .channels = s->oc, .inner = out,
                               .floats = s->n * split_pieces(s->oc, 16) * 16 * out };
    }
    if (depthwise)
        args[1].floats = split_pieces(s->oc, 16) * 16 * taps;
    else if (nchw)
        args[1].floats = s->groups * split_pieces(group_out, 8) * 8 * (s->c / s->groups) * taps;
    else
        args[1].floats = split_pieces(s->oc, 16) * 16 * (s->c / s->groups) * taps;
    args[1].kind = ARG_INPUT;
    if (s->bias)
        args[2] = (KernelArg){ .kind = ARG_INPUT, .floats = split_pieces(s->oc, 16) * 16 };
    if (s->residual) {
        args[3] = args[4];
        args[3].kind = ARG_INPUT;
    }
    if (!direct && !depthwise) {
        const int64_t planes = nchw || s->plain ? s->c / s->groups
                                                : split_pieces(s->c / s->groups, 16) * 16;
        args[5].kind = ARG_WORKSPACE;
        args[5].floats = planes * window_rows(&p, &win, p.rows_per_piece) * win.row_pixels +
                         (nchw ? 64 : 0);
        p.workspace_floats = (uint64_t)args[5].floats;
    }
    fn(&(KernelCase){ .kernel = s->kernel, .label = label, .params = &p, .args = args,
                      .arg_count = depthwise ? 5 : 6,
                      .tolerance = 2e-6 * sqrt((double)(s->c / s->groups * taps) + 4.0),
                      .flop = 2.0 * s->n * s->oc * (double)out * (s->c / s->groups) *
                              (double)taps });
}

#define BLOCKED TSR_KERNEL_CONV2D_F32
#define PLAIN TSR_KERNEL_CONV2D_NCHW_F32
#define DEPTH TSR_KERNEL_CONV2D_DEPTHWISE_F32

static const ConvShape shapes[] = {
    /* kernel plain n c h w oc kernel strides dilations pads groups act bias residual */
    { BLOCKED, 0, 1, 16, 7, 7, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, TSR_ACT_RELU, 1, 1 },
    { BLOCKED, 0, 2, 3, 5, 6, 17, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, TSR_ACT_NONE, 1, 0 },
    { BLOCKED, 0, 1, 33, 9, 31, 65, 3, 3, 1, 1, 1, 1, 0, 1, 2, 0, 1, TSR_ACT_CLIP, 0, 1 },
    { BLOCKED, 0, 1, 40, 14, 14, 48, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, TSR_ACT_LEAKY_RELU, 1, 0 },
    { BLOCKED, 0, 1, 20, 13, 29, 31, 5, 3, 2, 3, 1, 2, 2, 2, 2, 2, 1, TSR_ACT_HARD_SWISH, 1, 1 },
    { BLOCKED, 0, 1, 17, 11, 12, 16, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 1, TSR_ACT_HARD_SIGMOID, 1, 0 },
    { BLOCKED, 0, 1, 16, 33, 15, 80, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_SIGMOID, 1, 0 },
    { BLOCKED, 0, 2, 64, 8, 8, 100, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_RELU, 0, 1 },
    { BLOCKED, 0, 1, 48, 15, 15, 33, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_NONE, 1, 0 },
    { BLOCKED, 0, 1, 8, 9, 9, 24, 1, 1, 3, 2, 1, 1, 1, 1, 1, 1, 1, TSR_ACT_NONE, 1, 0 },
    { BLOCKED, 0, 1, 32, 6, 5, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2, TSR_ACT_RELU, 1, 0 },
    { BLOCKED, 0, 1, 96, 5, 3, 48, 1, 3, 1, 1, 1, 1, 0, 1, 0, 1, 3, TSR_ACT_NONE, 1, 1 },
    { BLOCKED, 0, 1, 16, 1, 1, 96, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_NONE, 1, 0 },
    { BLOCKED, 0, 1, 24, 4, 2, 112, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_NONE, 1, 0 },
    { BLOCKED, 0, 1, 16, 3, 3, 16, 7, 7, 1, 1, 1, 1, 3, 3, 3, 3, 1, TSR_ACT_NONE, 0, 0 },
    { BLOCKED, 1, 1, 3, 30, 31, 64, 7, 7, 2, 2, 1, 1, 3, 3, 3, 3, 1, TSR_ACT_RELU, 1, 0 },
    { BLOCKED, 1, 2, 1, 17, 16, 20, 3, 3, 1, 1, 1, 1, 0, 1, 1, 0, 1, TSR_ACT_NONE, 0, 0 },
    { BLOCKED, 1, 1, 4, 23, 23, 33, 11, 11, 4, 4, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_NONE, 1, 1 },
    { BLOCKED, 1, 1, 3, 8, 9, 12, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_NONE, 1, 0 },
    { DEPTH, 0, 2, 20, 9, 31, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 20, TSR_ACT_RELU, 1, 1 },
    { DEPTH, 0, 1, 32, 15, 17, 32, 5, 5, 2, 2, 1, 1, 1, 2, 2, 1, 32, TSR_ACT_CLIP, 0, 0 },
    { DEPTH, 0, 1, 7, 12, 8, 7, 3, 3, 1, 2, 2, 3, 3, 3, 3, 3, 7, TSR_ACT_NONE, 1, 0 },
    { DEPTH, 0, 1, 16, 2, 2, 16, 5, 5, 1, 1, 1, 1, 2, 2, 2, 2, 16, TSR_ACT_NONE, 1, 0 },
    { PLAIN, 0, 2, 6, 7, 33, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 3, TSR_ACT_RELU, 1, 1 },
    { PLAIN, 0, 1, 60, 14, 14, 60, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 4, TSR_ACT_NONE, 1, 0 },
    { PLAIN, 0, 1, 5, 1, 129, 17, 1, 7, 1, 2, 1, 1, 0, 3, 0, 2, 1, TSR_ACT_CLIP, 0, 0 },
    { PLAIN, 0, 1, 8, 11, 64, 24, 5, 3, 3, 1, 1, 2, 2, 2, 1, 2, 8, TSR_ACT_NONE, 1, 0 },
    { PLAIN, 0, 1, 4, 6, 49, 8, 1, 1, 1, 2, 1, 1, 0, 0, 0, 0, 1, TSR_ACT_SIGMOID, 1, 1 },
};

START_TEST(test_rows_match_reference)
{
    with_case(&shapes[_i], 0, kernel_case_check);
    with_case(&shapes[_i], 1, kernel_case_check);
    with_case(&shapes[_i], 2, kernel_case_check);
}
END_TEST

/* 2x2 window of ones over 0..8 with a pad to the left: sums known by hand. */
START_TEST(test_reference_by_hand)
{
    float x[9], w[32] = { 0.0f }, bias[1] = { 0.5f }, y[6];
    const float want[6] = { 3.5f, 8.5f, 12.5f, 9.5f, 20.5f, 24.5f };
    void *args[6] = { x, w, bias, NULL, y, NULL };
    const ConvShape s = { PLAIN, 0, 1, 1, 3, 3, 1, 2, 2, 1, 1, 1, 1, 0, 1, 0, 0, 1,
                          TSR_ACT_NONE, 1, 0 };
    const TsrConv2dParams p = params_of(&s);
    for (int i = 0; i < 9; i++)
        x[i] = (float)i;
    for (int tap = 0; tap < 4; tap++)
        w[tap * TSR_NPU_NCHW_TILE] = 1.0f;
    kernel_run_ref(PLAIN, args, &p);
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq(y[i], want[i]);
}
END_TEST

/* A 1x1 identity filter gives back x: the blocked and the depthwise layout. */
START_TEST(test_reference_identity)
{
    const int depthwise = _i;
    float x[2 * 6 * 16], w[20 * 32] = { 0.0f }, y[2 * 6 * 16];
    void *args[6] = { x, w, NULL, NULL, y, NULL };
    const ConvShape s = { depthwise ? DEPTH : BLOCKED, 0, 1, 20, 2, 3, 20, 1, 1, 1, 1, 1, 1, 0, 0,
                          0, 0, depthwise ? 20 : 1, TSR_ACT_NONE, 0, 0 };
    const TsrConv2dParams p = params_of(&s);
    for (int i = 0; i < 2 * 6 * 16; i++)
        x[i] = check_random();
    for (int c = 0; c < 20; c++)
        w[depthwise ? c : (c / 16 * 20 + c) * 16 + c % 16] = 1.0f;
    kernel_run_ref(s.kernel, args, &p);
    for (int i = 0; i < 2 * 6 * 16; i++)
        if (i / 96 * 16 + i % 16 < 20)
            ck_assert_float_eq(y[i], x[i]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_loop_test(tests, test_reference_identity, 0, 2);
    tcase_add_loop_test(tests, test_rows_match_reference, 0,
                        (int)(sizeof(shapes) / sizeof(shapes[0])));
}

static void bench(void)
{
    static const ConvShape layers[] = {
        { BLOCKED, 1, 1, 3, 224, 224, 64, 7, 7, 2, 2, 1, 1, 3, 3, 3, 3, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 64, 56, 56, 256, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1 },
        { BLOCKED, 0, 1, 256, 56, 56, 64, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 256, 56, 56, 512, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0 },
        { BLOCKED, 0, 1, 128, 56, 56, 128, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 128, 28, 28, 128, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 512, 28, 28, 128, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 256, 14, 14, 256, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 1024, 14, 14, 256, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 512, 7, 7, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 },
        { BLOCKED, 0, 1, 512, 7, 7, 2048, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1 },
        { DEPTH, 0, 1, 144, 56, 56, 144, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 144, 1, 1, 0 },
        { PLAIN, 0, 1, 112, 28, 28, 112, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 4, 0, 1, 0 },
        { PLAIN, 0, 1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 },
    };
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
        with_case(&layers[i], layers[i].kh == 1 ? 2 : 0, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "conv2d", add_tests, bench);
}
