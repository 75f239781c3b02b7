/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_i8_tmpl.h: POOL2D_I8 for one instruction set; the files that include it define
 * POOL2D_I8. Windows are cut to the picture first. Channels in blocks of 16 are a register:
 * maxima stay bytes, averages are sums of int32; a plain picture goes element by element.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"
#include "vec_i8.h"

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

/* The windows of one row of y; cut along the rows already. */
typedef struct Windows {
    const uint8_t *x; /* the row of tap a0, at column 0 */
    int64_t taps, rows, row_step, tap_step; /* rows: within the padded picture; steps in bytes */
} Windows;

/* The taps [*b0, *b1) of window j; *at: the column of tap 0. Most windows lie inside. */
ALWAYS_INLINE void cut_columns(const TsrPool2dParams *p, int64_t j, int64_t *at, int64_t *b0,
                               int64_t *b1, int64_t *columns)
{
    *at = j * p->stride_w - p->pad_left;
    *b0 = 0;
    *b1 = *columns = p->kernel_w;
    if (*at < 0 || *at + (int64_t)(p->kernel_w - 1) * p->dilation_w >= p->in_w)
        cut(*at, p->kernel_w, p->dilation_w, p->in_w, p->pad_right, b0, b1, columns);
}

static Windows windows_of(const TsrPool2dParams *p, const uint8_t *x, int64_t i)
{
    const int64_t at = i * p->stride_h - p->pad_top;
    int64_t a0, a1, rows;
    cut(at, p->kernel_h, p->dilation_h, p->in_h, p->pad_bottom, &a0, &a1, &rows);
    return (Windows){ x + (at + a0 * p->dilation_h) * p->in_w * p->lanes, a1 - a0, rows,
                      (int64_t)p->dilation_h * p->in_w * p->lanes,
                      (int64_t)p->dilation_w * p->lanes };
}

ALWAYS_INLINE void max_row_16(const TsrPool2dI8Params *q, const Windows *w, uint8_t *y,
                              const int is_signed)
{
    const TsrPool2dParams *p = &q->pool;
    const __m128i low = _mm_set1_epi8((char)q->requant.low);
    const __m128i high = _mm_set1_epi8((char)q->requant.high);
    for (int64_t j = 0; j < p->out_w; j++, y += 16) {
        int64_t at, b0, b1, columns;
        __m128i v = low;
        cut_columns(p, j, &at, &b0, &b1, &columns);
        for (int64_t a = 0; a < w->taps; a++)
            for (int64_t b = b0; b < b1; b++) {
                const __m128i e = _mm_loadu_si128(
                    (const __m128i *)(w->x + a * w->row_step + at * 16 + b * w->tap_step));
                v = is_signed ? _mm_max_epi8(v, e) : _mm_max_epu8(v, e);
            }
        _mm_storeu_si128((__m128i *)y, is_signed ? _mm_min_epi8(v, high) : _mm_min_epu8(v, high));
    }
}

ALWAYS_INLINE void average_row_16(const TsrPool2dI8Params *q, const Windows *w, uint8_t *y,
                                  const int is_signed)
{
    const TsrPool2dParams *p = &q->pool;
    double factor[16];
    int64_t factor_of = -1;
    for (int64_t j = 0; j < p->out_w; j++, y += 16) {
        int64_t at, b0, b1, columns;
        cut_columns(p, j, &at, &b0, &b1, &columns);
        const int64_t count = w->taps * (b1 - b0);
        const int64_t shares = p->count_pads ? w->rows * columns : count;
        vq16 sum = vq_set1((int32_t)-count * q->requant.x_zero);
        for (int64_t a = 0; a < w->taps; a++)
            for (int64_t b = b0; b < b1; b++) {
                const uint8_t *e = w->x + a * w->row_step + at * 16 + b * w->tap_step;
                sum = vq_add(sum, is_signed ? vq_of_s8(e) : vq_of_u8(e));
            }
        for (int l = 0; l < 16 && shares != factor_of; l++)
            factor[l] = shares > 0 ? q->factor / (double)shares : 0.0;
        factor_of = shares;
        _mm_storeu_si128((__m128i *)y, vq_requant(sum, factor, &q->requant, NULL));
    }
}

/* A row of a plain picture, of either kind. */
static void plain_row(const TsrPool2dI8Params *q, const Windows *w, uint8_t *y)
{
    const TsrPool2dParams *p = &q->pool;
    const int is_max = p->kind == TSR_POOL_MAX;
    for (int64_t j = 0; j < p->out_w; j++) {
        int64_t at, b0, b1, columns;
        cut_columns(p, j, &at, &b0, &b1, &columns);
        const int64_t count = w->taps * (b1 - b0);
        const int64_t shares = p->count_pads ? w->rows * columns : count;
        int32_t v = is_max ? q->requant.low : (int32_t)-count * q->requant.x_zero;
        for (int64_t a = 0; a < w->taps; a++)
            for (int64_t b = b0; b < b1; b++) {
                const uint8_t from = w->x[a * w->row_step + at + b * w->tap_step];
                const int32_t e = q->requant.x_signed ? (int8_t)from : from;
                v = is_max ? (e > v ? e : v) : v + e;
            }
        y[j] = (uint8_t)(is_max ? (v < q->requant.high ? v : q->requant.high)
                                : requant_one(v, shares > 0 ? q->factor / (double)shares : 0.0,
                                              &q->requant, NULL));
    }
}

static void row_run(const TsrPool2dI8Params *q, const Windows *w, uint8_t *y)
{
    if (q->pool.lanes != 16)
        plain_row(q, w, y);
    else if (q->pool.kind == TSR_POOL_MAX && q->requant.x_signed)
        max_row_16(q, w, y, 1);
    else if (q->pool.kind == TSR_POOL_MAX)
        max_row_16(q, w, y, 0);
    else if (q->requant.x_signed)
        average_row_16(q, w, y, 1);
    else
        average_row_16(q, w, y, 0);
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
        const Windows w = windows_of(p, x, piece % p->out_h);
        row_run(q, &w, y);
    }
}
