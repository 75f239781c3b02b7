/* SPDX-License-Identifier: Apache-2.0
 *
 * test_separable.c: CONV2D_SEPARABLE_F32: every row against `_ref`, over channels that fill
 * no blocks (whose padding is NaN), strides, pads, dilations and rows per piece. What `_ref`
 * computes is checked against two convolutions in test_nn_separable.c.
 */
#include <check.h>
#include <stdio.h>

#include "kernel_check.h"

static int64_t padded(int64_t channels) { return (channels + 15) / 16 * 16; }

static void separable_case(const TsrSeparableParams *p, int extras,
                           void (*fn)(const KernelCase *))
{
    const TsrConv2dParams *d = &p->depthwise;
    const int kind = extras ? ARG_INPUT : ARG_NULL;
    const int64_t in = (int64_t)d->in_h * d->in_w, out = (int64_t)d->out_h * d->out_w;
    const int64_t y = d->batch * padded(p->out_c) * out;
    char label[96];
    const KernelArg args[8] = {
        { .kind = ARG_INPUT, .floats = d->batch * padded(d->in_c) * in, .channels = d->in_c,
          .inner = in },
        { .kind = ARG_INPUT, .floats = padded(d->in_c) * d->kernel_h * d->kernel_w },
        { .kind = kind, .floats = padded(d->in_c) },
        { .kind = ARG_INPUT, .floats = padded(p->out_c) * d->in_c },
        { .kind = kind, .floats = padded(p->out_c) },
        { .kind = kind, .floats = y, .channels = p->out_c, .inner = out },
        { .kind = ARG_OUTPUT, .floats = y, .channels = p->out_c, .inner = out },
        { .kind = ARG_WORKSPACE, .floats = (int64_t)p->workspace_floats },
    };
    snprintf(label, sizeof(label), "%d to %d channels, %d x %d", d->in_c, p->out_c, d->out_h,
             d->out_w);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_CONV2D_SEPARABLE_F32, .label = label, .params = p,
                      .args = args, .arg_count = 8, .tolerance = 2e-5,
                      .flop = 2.0 * (double)d->batch * (double)out * d->in_c *
                              (p->out_c + d->kernel_h * d->kernel_w) });
}

static TsrSeparableParams params_of(int32_t batch, int32_t c, int32_t oc, int32_t size,
                                    int32_t kernel, int32_t stride, int32_t rows)
{
    const int32_t pad = kernel / 2, h = (size + 2 * pad - kernel) / stride + 1;
    const int32_t w = (size + 3 + 2 * pad - kernel) / stride + 1;
    return (TsrSeparableParams){
        .struct_size = sizeof(TsrSeparableParams), .out_c = oc, .rows_per_piece = rows,
        .activation = { TSR_ACT_CLIP, -0.5f, 0.75f },
        .depthwise = { .struct_size = sizeof(TsrConv2dParams), .batch = batch, .in_c = c,
                       .in_h = size, .in_w = size + 3, .out_c = c, .out_h = h, .out_w = w,
                       .kernel_h = kernel, .kernel_w = kernel, .stride_h = stride,
                       .stride_w = stride, .dilation_h = 1, .dilation_w = 1, .pad_top = pad,
                       .pad_left = pad, .groups = c, .activation = { TSR_ACT_RELU, 0.0f, 0.0f } },
        .workspace_floats = (uint64_t)((int64_t)rows * w * padded(c)),
    };
}

START_TEST(test_channels)
{
    static const int32_t sizes[] = { 1, 4, 9, 14 };
    for (size_t i = 0; i < 4; i++) {
        const TsrSeparableParams p = params_of(2, _i, 43 - _i, sizes[i], 3, 1 + (int32_t)(i & 1),
                                               1 + (int32_t)i);
        separable_case(&p, _i % 2, kernel_case_check);
    }
}
END_TEST

START_TEST(test_windows)
{
    TsrSeparableParams p = params_of(1, 24, 96, 17, 5, 1 + _i % 3, 1 + _i);
    separable_case(&p, 1, kernel_case_check);
    p = params_of(1, 40, 16, 12, 1, 1, 12);
    separable_case(&p, 0, kernel_case_check);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_channels, 1, 42);
    tcase_add_loop_test(tests, test_windows, 0, 5);
}

static void bench(void)
{
    const TsrSeparableParams p = params_of(1, 32, 32, 125, 3, 1, 8);
    separable_case(&p, 1, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "separable", add_tests, bench);
}
