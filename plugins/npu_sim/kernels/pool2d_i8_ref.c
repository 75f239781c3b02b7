/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_i8_ref.c: reference pooling of quantized pictures, after ONNX MaxPool 22 and
 * AveragePool 22: every tap of every window is tested against the picture's edge.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"

void tsr_pool2d_i8_ref(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrPool2dI8Params *q = params;
    const TsrPool2dParams *p = &q->pool;
    const uint8_t *x = args[0];
    uint8_t *y = args[1];
    const int64_t lanes = p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->out_h, block_index, block_dim, &begin, &end);
    for (int64_t at = begin * p->out_w * lanes; at < end * p->out_w * lanes; at++) {
        const int64_t lane = at % lanes, j = at / lanes % p->out_w;
        const int64_t i = at / lanes / p->out_w % p->out_h;
        const int64_t plane = at / lanes / p->out_w / p->out_h;
        int32_t sum = 0, most = q->requant.low;
        int64_t inside = 0, padded = 0;
        for (int64_t a = 0; a < p->kernel_h; a++)
            for (int64_t b = 0; b < p->kernel_w; b++) {
                const int64_t row = i * p->stride_h + a * p->dilation_h - p->pad_top;
                const int64_t column = j * p->stride_w + b * p->dilation_w - p->pad_left;
                if (row < p->in_h + p->pad_bottom && column < p->in_w + p->pad_right)
                    padded++;
                if (row < 0 || row >= p->in_h || column < 0 || column >= p->in_w)
                    continue;
                const uint8_t byte =
                    x[((plane * p->in_h + row) * p->in_w + column) * lanes + lane];
                const int32_t e = q->requant.x_signed ? (int8_t)byte : byte;
                inside++;
                sum += e - q->requant.x_zero;
                most = e > most ? e : most;
            }
        if (p->count_pads)
            inside = padded;
        y[at] = (uint8_t)(p->kind == TSR_POOL_MAX
                              ? (most < q->requant.high ? most : q->requant.high)
                          : inside > 0 ? requant_one(sum, q->factor / (double)inside,
                                                     &q->requant, NULL)
                                       : requant_one(0, 1.0, &q->requant, NULL));
    }
}
