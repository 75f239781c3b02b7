/* SPDX-License-Identifier: Apache-2.0
 *
 * separable_f32_ref.c: the reference of CONV2D_SEPARABLE_F32, pixel by pixel, summed in
 * double; a pixel's channels lie in the workspace between the two convolutions.
 */
#include "act_ref.h"
#include "kernel_list.h"
#include "split.h"

/* Channel c of pixel (i, j) after the depthwise convolution. */
static float depthwise(const TsrConv2dParams *d, const float *x, const float *w,
                       const float *bias, int64_t c, int64_t i, int64_t j)
{
    const int64_t taps = (int64_t)d->kernel_h * d->kernel_w;
    const float *plane = x + c / 16 * d->in_h * d->in_w * 16 + c % 16;
    double sum = bias != NULL ? (double)bias[c] : 0.0;
    for (int64_t tap = 0; tap < taps; tap++) {
        const int64_t row = i * d->stride_h + tap / d->kernel_w * d->dilation_h - d->pad_top;
        const int64_t column = j * d->stride_w + tap % d->kernel_w * d->dilation_w - d->pad_left;
        if (row >= 0 && row < d->in_h && column >= 0 && column < d->in_w)
            sum += (double)plane[(row * d->in_w + column) * 16] *
                   (double)w[(c / 16 * taps + tap) * 16 + c % 16];
    }
    return activate_ref((float)sum, &d->activation);
}

void tsr_conv2d_separable_f32_ref(void *const *args, const void *params, uint32_t block_index,
                                  uint32_t block_dim)
{
    const TsrSeparableParams *p = params;
    const TsrConv2dParams *d = &p->depthwise;
    const float *w = args[3], *bias = args[4], *z = args[5];
    float *y = args[6], *middle = (float *)args[7] + block_index * p->workspace_floats;
    const int64_t pixels = (int64_t)d->out_h * d->out_w;
    const int64_t in_plane = split_pieces(d->in_c, 16) * d->in_h * d->in_w * 16;
    int64_t begin, end;
    split_range(d->batch * pixels, block_index, block_dim, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        const int64_t n = at / pixels, pixel = at % pixels;
        for (int64_t c = 0; c < d->in_c; c++)
            middle[c] = depthwise(d, (const float *)args[0] + n * in_plane, args[1], args[2], c,
                                  pixel / d->out_w, pixel % d->out_w);
        for (int64_t o = 0; o < p->out_c; o++) {
            const int64_t to =
                ((n * split_pieces(p->out_c, 16) + o / 16) * pixels + pixel) * 16 + o % 16;
            double sum = bias != NULL ? (double)bias[o] : 0.0;
            for (int64_t c = 0; c < d->in_c; c++)
                sum += (double)middle[c] * (double)w[(o / 16 * d->in_c + c) * 16 + o % 16];
            if (z != NULL)
                sum += (double)z[to];
            y[to] = activate_ref((float)sum, &p->activation);
        }
    }
}
