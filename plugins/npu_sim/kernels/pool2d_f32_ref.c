/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_f32_ref.c: reference pooling, from ONNX MaxPool 22 and AveragePool 22: every
 * tap of every window is tested against the picture's edge.
 */
#include <math.h>
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

void ELEM_FN(pool2d, ref)(void *const *args, const void *params, uint32_t block_index,
                          uint32_t block_dim)
{
    const TsrPool2dParams *p = params;
    const elem *x = args[0];
    elem *y = args[1];
    const int64_t lanes = p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->out_h, block_index, block_dim, &begin, &end);
    for (int64_t at = begin * p->out_w * lanes; at < end * p->out_w * lanes; at++) {
        const int64_t lane = at % lanes, j = at / lanes % p->out_w;
        const int64_t i = at / lanes / p->out_w % p->out_h;
        const int64_t plane = at / lanes / p->out_w / p->out_h;
        double sum = 0.0;
        float most = -INFINITY;
        int64_t inside = 0, padded = 0;
        for (int64_t a = 0; a < p->kernel_h; a++)
            for (int64_t b = 0; b < p->kernel_w; b++) {
                const int64_t row = i * p->stride_h + a * p->dilation_h - p->pad_top;
                const int64_t column = j * p->stride_w + b * p->dilation_w - p->pad_left;
                if (row < p->in_h + p->pad_bottom && column < p->in_w + p->pad_right)
                    padded++;
                if (row < 0 || row >= p->in_h || column < 0 || column >= p->in_w)
                    continue;
                const float e =
                    e_get(x[((plane * p->in_h + row) * p->in_w + column) * lanes + lane]);
                inside++;
                sum += (double)e;
                if (!(e <= most)) /* NaN too */
                    most = e;
            }
        if (p->count_pads)
            inside = padded;
        if (p->kind == TSR_POOL_MAX)
            y[at] = e_put(most);
        else
            y[at] = e_put(inside > 0 ? (float)(sum / (double)inside) : 0.0f);
    }
}
