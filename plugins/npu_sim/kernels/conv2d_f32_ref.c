/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_f32_ref.c: the reference convolutions, straight from the formula of ONNX
 * Conv 22 and the packed layouts of tessera/device_kernels.h, sums in double. They
 * need no workspace and split the work by output pixel.
 */
#include "act_ref.h"
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

/* How a convolution finds its elements; -1 stands for padding. */
typedef struct ConvLayout {
    int64_t (*x_at)(const TsrConv2dParams *p, int64_t n, int64_t c, int64_t pixel);
    int64_t (*w_at)(const TsrConv2dParams *p, int64_t oc, int64_t ic, int64_t tap);
    int64_t (*y_at)(const TsrConv2dParams *p, int64_t n, int64_t c, int64_t pixel);
    int narrow_w; /* weights are of the storage type, not floats */
} ConvLayout;

static int64_t blocked_at(int64_t channels, int64_t pixels, int64_t n, int64_t c, int64_t pixel)
{
    return ((n * split_pieces(channels, 16) + c / 16) * pixels + pixel) * 16 + c % 16;
}

static int64_t plain_x_at(const TsrConv2dParams *p, int64_t n, int64_t c, int64_t pixel)
{
    return (n * p->in_c + c) * p->in_h * p->in_w + pixel;
}

static int64_t blocked_x_at(const TsrConv2dParams *p, int64_t n, int64_t c, int64_t pixel)
{
    return p->x_plain ? plain_x_at(p, n, c, pixel)
                      : blocked_at(p->in_c, (int64_t)p->in_h * p->in_w, n, c, pixel);
}

static int64_t blocked_y_at(const TsrConv2dParams *p, int64_t n, int64_t c, int64_t pixel)
{
    const int64_t i = pixel / p->out_w, j = pixel % p->out_w;
    if (p->y_step_h == 0)
        return blocked_at(p->out_c, (int64_t)p->out_h * p->out_w, n, c, pixel);
    pixel = (i * p->y_step_h + p->y_top) * p->y_w + j * p->y_step_w + p->y_left;
    return p->y_plain ? n * p->y_h * p->y_w + pixel
                      : blocked_at(p->out_c, (int64_t)p->y_h * p->y_w, n, c, pixel);
}

static int64_t plain_y_at(const TsrConv2dParams *p, int64_t n, int64_t c, int64_t pixel)
{
    return (n * p->out_c + c) * p->out_h * p->out_w + pixel;
}

static int64_t blocked_w_at(const TsrConv2dParams *p, int64_t oc, int64_t ic, int64_t tap)
{
    const int64_t taps = (int64_t)p->kernel_h * p->kernel_w, depth = p->in_c / p->groups;
    const int64_t lanes = p->x_plain ? 1 : 16, first = ic / lanes * lanes;
    const int64_t here = depth - first < lanes ? depth - first : lanes;
    return ((oc / 16 * depth + first) * taps + tap * here + ic - first) * 16 + oc % 16;
}

static int64_t depthwise_w_at(const TsrConv2dParams *p, int64_t oc, int64_t ic, int64_t tap)
{
    (void)ic;
    return (oc / 16 * p->kernel_h * p->kernel_w + tap) * 16 + oc % 16;
}

static int64_t plain_w_at(const TsrConv2dParams *p, int64_t oc, int64_t ic, int64_t tap)
{
    const int64_t taps = (int64_t)p->kernel_h * p->kernel_w, depth = p->in_c / p->groups;
    const int64_t group_out = p->out_c / p->groups, o = oc % group_out;
    const int64_t tile = oc / group_out * split_pieces(group_out, TSR_NPU_NCHW_TILE) +
                         o / TSR_NPU_NCHW_TILE;
    return ((tile * depth + ic) * taps + tap) * TSR_NPU_NCHW_TILE + o % TSR_NPU_NCHW_TILE;
}

static void conv_ref(const ConvLayout *layout, void *const *args, const TsrConv2dParams *p,
                     uint32_t block_index, uint32_t block_dim)
{
    const elem *x = args[0], *residual = args[3];
    const float *bias = args[2];
    elem *y = args[4];
    const int64_t pixels = (int64_t)p->out_h * p->out_w;
    const int64_t group_in = p->in_c / p->groups, group_out = p->out_c / p->groups;
    int64_t begin, end;
    split_range(p->batch * pixels, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t n = piece / pixels, pixel = piece % pixels;
        const int64_t i = pixel / p->out_w, j = pixel % p->out_w;
        for (int64_t oc = 0; oc < p->out_c; oc++) {
            double sum = bias != NULL ? (double)bias[oc] : 0.0;
            for (int64_t ic = 0; ic < group_in; ic++)
                for (int64_t tap = 0; tap < (int64_t)p->kernel_h * p->kernel_w; tap++) {
                    const int64_t row =
                        i * p->stride_h + tap / p->kernel_w * p->dilation_h - p->pad_top;
                    const int64_t column =
                        j * p->stride_w + tap % p->kernel_w * p->dilation_w - p->pad_left;
                    if (row < 0 || row >= p->in_h || column < 0 || column >= p->in_w)
                        continue;
                    const int64_t w_at = layout->w_at(p, oc, ic, tap);
                    const float w = layout->narrow_w ? e_get(((const elem *)args[1])[w_at])
                                                     : ((const float *)args[1])[w_at];
                    sum += (double)e_get(x[layout->x_at(p, n, oc / group_out * group_in + ic,
                                                        row * p->in_w + column)]) *
                           (double)w;
                }
            const int64_t at = layout->y_at(p, n, oc, pixel);
            if (residual != NULL)
                sum += (double)e_get(residual[at]);
            y[at] = e_put(activate_ref((float)sum, &p->activation));
        }
    }
}

void ELEM_FN(conv2d, ref)(void *const *args, const void *params, uint32_t block_index,
                          uint32_t block_dim)
{
    static const ConvLayout layout = { blocked_x_at, blocked_w_at, blocked_y_at, 1 };
    conv_ref(&layout, args, params, block_index, block_dim);
}

void ELEM_FN(conv2d_depthwise, ref)(void *const *args, const void *params, uint32_t block_index,
                                    uint32_t block_dim)
{
    static const ConvLayout layout = { blocked_x_at, depthwise_w_at, blocked_y_at, 1 };
    conv_ref(&layout, args, params, block_index, block_dim);
}

void ELEM_FN(conv2d_nchw, ref)(void *const *args, const void *params, uint32_t block_index,
                               uint32_t block_dim)
{
    static const ConvLayout layout = { plain_x_at, plain_w_at, plain_y_at, 0 };
    conv_ref(&layout, args, params, block_index, block_dim);
}
