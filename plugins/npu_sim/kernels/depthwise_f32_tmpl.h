/* SPDX-License-Identifier: Apache-2.0
 *
 * depthwise_f32_tmpl.h: one row of a depthwise convolution of one channel block, shared by
 * conv2d_f32_tmpl.h and separable_f32_tmpl.h. Six pixels side by side hide the latency of
 * the multiply-adds; pixels whose window is cut at the edge are done one by one.
 */
#ifndef TSR_NPU_DEPTHWISE_F32_TMPL_H
#define TSR_NPU_DEPTHWISE_F32_TMPL_H

#include <tessera/device_kernels.h>
#include "vec_math.h"
#include "velem.h"

/* One output pixel of a depthwise convolution, window cut at the edge. */
static v16 depthwise_edge(const TsrConv2dParams *p, const elem *x, const elem *w, v16 sum,
                          int32_t i, int32_t j)
{
    for (int32_t a = 0; a < p->kernel_h; a++) {
        const int32_t row = i * p->stride_h + a * p->dilation_h - p->pad_top;
        if (row < 0 || row >= p->in_h)
            continue;
        for (int32_t b = 0; b < p->kernel_w; b++) {
            const int32_t column = j * p->stride_w + b * p->dilation_w - p->pad_left;
            if (column >= 0 && column < p->in_w)
                sum = v_fma(e_load(x + ((int64_t)row * p->in_w + column) * 16),
                            e_load(w + (a * p->kernel_w + b) * 16), sum);
        }
    }
    return sum;
}

/* Row i of y and of the residual z (or NULL); x is the channel block's plane. */
static void depthwise_row(const TsrConv2dParams *p, const elem *x, const elem *w, v16 start,
                          int32_t i, const elem *z, elem *y)
{
    enum { WIDE = 6 };
    const int32_t extent_w = (p->kernel_w - 1) * p->dilation_w;
    /* Output columns whose whole window lies inside a row. */
    int32_t inner = (p->pad_left + p->stride_w - 1) / p->stride_w;
    int32_t inner_end = p->in_w + p->pad_left - extent_w > 0
                            ? (p->in_w + p->pad_left - extent_w - 1) / p->stride_w + 1 : 0;
    if (inner_end > p->out_w)
        inner_end = p->out_w;
    for (int32_t j = 0; j < p->out_w;) {
        v16 sum[WIDE];
        int32_t wide = 1;
        if (j >= inner && j + WIDE <= inner_end) {
            const int64_t step = (int64_t)p->stride_w * 16;
            wide = WIDE;
#pragma GCC unroll 6
            for (int q = 0; q < WIDE; q++)
                sum[q] = start;
            for (int32_t a = 0; a < p->kernel_h; a++) {
                const int32_t row = i * p->stride_h + a * p->dilation_h - p->pad_top;
                const elem *xr;
                if (row < 0 || row >= p->in_h)
                    continue;
                xr = x + ((int64_t)row * p->in_w + j * p->stride_w - p->pad_left) * 16;
                for (int32_t b = 0; b < p->kernel_w; b++, xr += p->dilation_w * 16) {
                    const v16 wv = e_load(w + (a * p->kernel_w + b) * 16);
#pragma GCC unroll 6
                    for (int q = 0; q < WIDE; q++)
                        sum[q] = v_fma(e_load(xr + q * step), wv, sum[q]);
                }
            }
        } else {
            sum[0] = depthwise_edge(p, x, w, start, i, j);
        }
        for (int32_t q = 0; q < wide; q++) {
            v16 v = sum[q];
            if (z != NULL)
                v = v_add(v, e_load(z + (j + q) * 16));
            e_store(y + (j + q) * 16, vm_activate(v, &p->activation));
        }
        j += wide;
    }
}

#endif
