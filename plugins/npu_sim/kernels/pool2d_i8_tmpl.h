/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_i8_tmpl.h: POOL2D_I8 for one instruction set; the files that include it define
 * POOL2D_I8. Windows are cut to the picture first; the loops over 16 lanes (or, plain, over
 * one) are left to the compiler's vectors.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The taps of an axis that lie inside where tap 0 is at `at`, and how many lie within the
 * padded picture, which ends at `extent` + pad. */
static void cut(int64_t at, int64_t taps, int64_t dilation, int64_t extent, int64_t pad,
                int64_t *out_begin, int64_t *out_end, int64_t *out_padded)
{
    int64_t begin = at < 0 ? (-at + dilation - 1) / dilation : 0;
    int64_t end = extent > at ? (extent - at + dilation - 1) / dilation : 0;
    int64_t padded = extent + pad > at ? (extent + pad - at + dilation - 1) / dilation : 0;
    end = end < taps ? end : taps;
    *out_begin = begin < end ? begin : end;
    *out_end = end;
    *out_padded = padded < taps ? padded : taps;
}

ALWAYS_INLINE void row_run(const TsrPool2dI8Params *q, const uint8_t *x, int64_t i, uint8_t *y,
                           const int lanes, const int is_signed, const int is_max)
{
    const TsrPool2dParams *p = &q->pool;
    int64_t a0, a1, rows;
    cut(i * p->stride_h - p->pad_top, p->kernel_h, p->dilation_h, p->in_h, p->pad_bottom, &a0,
        &a1, &rows);
    for (int64_t j = 0; j < p->out_w; j++, y += lanes) {
        const int64_t at = j * p->stride_w - p->pad_left;
        int64_t b0, b1, columns, count;
        int32_t v[16];
        cut(at, p->kernel_w, p->dilation_w, p->in_w, p->pad_right, &b0, &b1, &columns);
        count = (a1 - a0) * (b1 - b0);
        for (int l = 0; l < lanes; l++)
            v[l] = is_max ? q->requant.low : (int32_t)-count * q->requant.x_zero;
        for (int64_t a = a0; a < a1; a++)
            for (int64_t b = b0; b < b1; b++) {
                const uint8_t *from =
                    x + ((i * p->stride_h - p->pad_top + a * p->dilation_h) * p->in_w + at +
                         b * p->dilation_w) * lanes;
                for (int l = 0; l < lanes; l++) {
                    const int32_t e = is_signed ? (int8_t)from[l] : from[l];
                    v[l] = is_max ? (e > v[l] ? e : v[l]) : v[l] + e;
                }
            }
        if (p->count_pads)
            count = rows * columns;
        const double factor = count > 0 ? q->factor / (double)count : 0.0;
        for (int l = 0; l < lanes; l++)
            y[l] = (uint8_t)(is_max ? (v[l] < q->requant.high ? v[l] : q->requant.high)
                                    : requant_one(v[l], factor, &q->requant, NULL));
    }
}

ALWAYS_INLINE void row_of_lanes(const TsrPool2dI8Params *q, const uint8_t *x, int64_t i,
                                uint8_t *y, const int lanes)
{
    if (q->pool.kind == TSR_POOL_MAX) {
        if (q->requant.x_signed)
            row_run(q, x, i, y, lanes, 1, 1);
        else
            row_run(q, x, i, y, lanes, 0, 1);
    } else if (q->requant.x_signed) {
        row_run(q, x, i, y, lanes, 1, 0);
    } else {
        row_run(q, x, i, y, lanes, 0, 0);
    }
}

void POOL2D_I8(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrPool2dI8Params *q = params;
    const TsrPool2dParams *p = &q->pool;
    int64_t begin, end;
    split_range(p->outer * p->out_h, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const uint8_t *x = (const uint8_t *)args[0] +
                           piece / p->out_h * p->in_h * p->in_w * p->lanes;
        uint8_t *y = (uint8_t *)args[1] + piece * p->out_w * p->lanes;
        if (p->lanes == 16)
            row_of_lanes(q, x, piece % p->out_h, y, 16);
        else
            row_of_lanes(q, x, piece % p->out_h, y, 1);
    }
}
