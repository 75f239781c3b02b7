/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_i8_ref.c: the reference CONV2D_I8, straight from the formula of ONNX QLinearConv
 * 10 and the packed layout of tessera/device_kernels.h: elements and zero points are
 * subtracted before they are multiplied. It needs no workspace; padding lanes of y come out
 * as their zero weights say.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"

/* Where weight (oc, ic, tap) of a pass lies. */
static int64_t weight_at(const TsrConv2dParams *c, uint32_t passes, uint32_t pass, int64_t oc,
                         int64_t ic, int64_t tap)
{
    const int64_t unit = c->x_plain ? 4 : 16, taps = (int64_t)c->kernel_h * c->kernel_w;
    const int64_t plane = ic / unit, padded = (c->in_c + 3) / 4 * 4;
    const int64_t width = padded - plane * unit < unit ? padded - plane * unit : unit;
    const int64_t from = (oc / 16 * passes + pass) * padded * taps + plane * unit * taps +
                         tap * width + ic % unit / 4 * 4;
    return from * 16 + oc % 16 * 4 + ic % 4;
}

static int32_t element(const uint8_t *x, const TsrConv2dParams *c, int is_signed, int64_t n,
                       int64_t ic, int64_t pixel)
{
    const int64_t pixels = (int64_t)c->in_h * c->in_w;
    const int64_t at = c->x_plain ? (n * c->in_c + ic) * pixels + pixel
                                  : ((n * split_pieces(c->in_c, 16) + ic / 16) * pixels + pixel) *
                                            16 + ic % 16;
    return is_signed ? (int8_t)x[at] : x[at];
}

void tsr_conv2d_i8_ref(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrConv2dI8Params *p = params;
    const TsrConv2dParams *c = &p->conv;
    const TsrRequantBlock *table = args[2];
    const int8_t *w = args[1];
    const int32_t zero = requant_zero(&p->requant, args[3]);
    const int64_t pixels = (int64_t)c->out_h * c->out_w, taps = (int64_t)c->kernel_h * c->kernel_w;
    const int64_t blocks = split_pieces(c->out_c, 16);
    int64_t begin, end;
    split_range(c->batch * blocks * pixels * 16, block_index, block_dim, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        const int64_t pixel = at / 16 % pixels, plane = at / 16 / pixels;
        const int64_t oc = plane % blocks * 16 + at % 16, n = plane / blocks;
        uint32_t sum = (uint32_t)table[oc / 16].bias[oc % 16];
        for (int64_t tap = 0; tap < taps; tap++) {
            const int64_t i = pixel / c->out_w * c->stride_h + tap / c->kernel_w * c->dilation_h -
                              c->pad_top;
            const int64_t j = pixel % c->out_w * c->stride_w + tap % c->kernel_w * c->dilation_w -
                              c->pad_left;
            if (i < 0 || i >= c->in_h || j < 0 || j >= c->in_w)
                continue;
            for (int64_t ic = 0; ic < c->in_c; ic++)
                for (uint32_t pass = 0; pass < p->requant.passes; pass++)
                    sum += (uint32_t)((element(args[0], c, p->requant.x_signed != 0, n, ic,
                                               i * c->in_w + j) - zero) *
                                      w[weight_at(c, p->requant.passes, pass, oc, ic, tap)]);
        }
        requant_put(args[5], at, (int32_t)sum, table[oc / 16].factor[oc % 16], &p->requant,
                    args[4]);
    }
}
