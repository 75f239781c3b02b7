/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_depthwise_i8_ref.c: the reference CONV2D_DEPTHWISE_I8, from the formula of ONNX
 * QLinearConv 10 with as many groups as channels.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"

void tsr_conv2d_depthwise_i8_ref(void *const *args, const void *params, uint32_t block_index,
                                 uint32_t block_dim)
{
    const TsrConv2dI8Params *p = params;
    const TsrConv2dParams *c = &p->conv;
    const uint8_t *x = args[0];
    const int16_t *w = args[1];
    const TsrRequantBlock *table = args[2];
    const int32_t zero = requant_zero(&p->requant, args[3]);
    const int64_t pixels = (int64_t)c->out_h * c->out_w, taps = (int64_t)c->kernel_h * c->kernel_w;
    const int64_t blocks = split_pieces(c->out_c, 16);
    int64_t begin, end;
    split_range(c->batch * blocks * pixels * 16, block_index, block_dim, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        const int64_t lane = at % 16, pixel = at / 16 % pixels, plane = at / 16 / pixels;
        const int64_t block = plane % blocks;
        int32_t sum = table[block].bias[lane];
        for (int64_t tap = 0; tap < taps; tap++) {
            const int64_t i = pixel / c->out_w * c->stride_h + tap / c->kernel_w * c->dilation_h -
                              c->pad_top;
            const int64_t j = pixel % c->out_w * c->stride_w + tap % c->kernel_w * c->dilation_w -
                              c->pad_left;
            if (i < 0 || i >= c->in_h || j < 0 || j >= c->in_w)
                continue;
            const uint8_t byte = x[((plane * c->in_h + i) * c->in_w + j) * 16 + lane];
            sum += ((p->requant.x_signed ? (int8_t)byte : byte) - zero) *
                   w[(block * taps + tap) * 16 + lane];
        }
        requant_put(args[4], at, sum, table[block].factor[lane], &p->requant, NULL);
    }
}
