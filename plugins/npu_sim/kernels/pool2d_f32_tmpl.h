/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_f32_tmpl.h: POOL2D_F32 for one instruction set, compiled by
 * pool2d_f32_avx2.c and pool2d_f32_avx512.c, which define POOL2D. Lanes of NC1HWC0 are
 * channels, so a window is a plain walk over pixels; NCHW goes element by element.
 */
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"
#include "velem.h"

/* Part [begin, end) of the window taps whose positions start + t*step lie in [0, size). */
static void clip_taps(int32_t start, int32_t step, int32_t taps, int32_t size,
                      int32_t *out_begin, int32_t *out_end)
{
    int32_t begin = start < 0 ? (-start + step - 1) / step : 0;
    int32_t end = start < size ? (size - 1 - start) / step + 1 : 0;
    if (end > taps)
        end = taps;
    *out_begin = begin;
    *out_end = end > begin ? end : begin;
}

/* Taps of a window of the padded picture, whose far edge is size + pad_end. */
static int32_t count_taps(int32_t start, int32_t step, int32_t taps, int32_t padded_end)
{
    int32_t count = start < padded_end ? (padded_end - 1 - start) / step + 1 : 0;
    return count < taps ? count : taps;
}

void POOL2D(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrPool2dParams *p = params;
    const int average = p->kind == TSR_POOL_AVERAGE;
    const int64_t lanes = p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->out_h, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t plane = piece / p->out_h;
        const int32_t i = (int32_t)(piece % p->out_h), top = i * p->stride_h - p->pad_top;
        const elem *x = (const elem *)args[0] + plane * p->in_h * p->in_w * lanes;
        elem *y = (elem *)args[1] + piece * p->out_w * lanes;
        int32_t a0, a1;
        clip_taps(top, p->dilation_h, p->kernel_h, p->in_h, &a0, &a1);
        for (int32_t j = 0; j < p->out_w; j++, y += lanes) {
            const int32_t left = j * p->stride_w - p->pad_left;
            int32_t b0, b1;
            int64_t count;
            float scale;
            clip_taps(left, p->dilation_w, p->kernel_w, p->in_w, &b0, &b1);
            count = (int64_t)(a1 - a0) * (b1 - b0);
            if (p->count_pads)
                count = (int64_t)count_taps(top, p->dilation_h, p->kernel_h,
                                            p->in_h + p->pad_bottom) *
                        count_taps(left, p->dilation_w, p->kernel_w, p->in_w + p->pad_right);
            scale = count > 0 ? (float)count : 1.0f;
            if (lanes == 16) {
                v16 v = v_set1(average ? 0.0f : -INFINITY);
                for (int32_t a = a0; a < a1; a++) {
                    const elem *row = x + ((int64_t)(top + a * p->dilation_h) * p->in_w + left +
                                            b0 * p->dilation_w) * 16;
                    for (int32_t b = b0; b < b1; b++, row += p->dilation_w * 16)
                        v = average ? v_add(v, e_load(row)) : v_max_nan(v, e_load(row));
                }
                e_store(y, average ? v_div(v, v_set1(scale)) : v);
                continue;
            }
            float v = average ? 0.0f : -INFINITY;
            for (int32_t a = a0; a < a1; a++) {
                const elem *row = x + (int64_t)(top + a * p->dilation_h) * p->in_w + left;
                for (int32_t b = b0; b < b1; b++) {
                    const float e = e_get(row[b * p->dilation_w]);
                    if (average)
                        v += e;
                    else if (e > v || e != e)
                        v = e;
                }
            }
            *y = e_put(average ? v / scale : v);
        }
    }
}
