/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h: where a convolution kernel finds the pixels of its window in the padded
 * copy of its input ("slab"). A slab row holds the columns sorted by their phase
 * modulo stride_w, so that neighbouring outputs read neighbouring columns whatever
 * the stride; rows and phases that no tap reads are left out. Shared by the conv
 * kernels of all instruction sets and by the engine's size formula, which it mirrors:
 * a slab has planes * rows * phases * width elements.
 */
#ifndef TSR_NPU_WINDOW_H
#define TSR_NPU_WINDOW_H

#include <string.h>
#if defined(__AVX2__)
#include "velem.h"
#endif
#include <tessera/device_kernels.h>

typedef struct Window {
    int32_t extent_h;  /* of the dilated window */
    int32_t row_step;  /* slab rows from one output row to the next */
    int32_t phases;
    int32_t width;     /* columns of one phase */
    int32_t row_pixels;/* phases * width */
} Window;

static inline Window window_of(const TsrConv2dParams *p)
{
    Window w;
    int32_t extent_w = (p->kernel_w - 1) * p->dilation_w + 1;
    w.extent_h = (p->kernel_h - 1) * p->dilation_h + 1;
    w.row_step = p->stride_h < w.extent_h ? p->stride_h : w.extent_h;
    w.phases = p->stride_w < extent_w ? p->stride_w : extent_w;
    w.width = p->out_w + (extent_w - 1) / p->stride_w;
    w.row_pixels = w.phases * w.width;
    return w;
}

/* Slab rows that `rows` output rows read. */
static inline int32_t window_rows(const TsrConv2dParams *p, const Window *w, int32_t rows)
{
    (void)p;
    return (rows - 1) * w->row_step + w->extent_h;
}

/* The row of x that slab row r of a piece starting at output row first stands for;
 * may be outside x. */
static inline int32_t window_source_row(const TsrConv2dParams *p, const Window *w,
                                        int32_t first, int32_t r)
{
    int32_t row = p->stride_h > w->extent_h
                      ? r / w->extent_h * p->stride_h + r % w->extent_h : r;
    return first * p->stride_h - p->pad_top + row;
}

#if defined(__AVX2__)
/* Columns [0, count) of a row as floats. */
static inline void window_copy_run(const elem *row, int32_t count, float *to)
{
#if TSR_ELEM == 0
    memcpy(to, row, (size_t)count * sizeof(*to));
#else
    int32_t i = 0;
    for (; i + 16 <= count; i += 16)
        v_store(to + i, e_load(row + i));
    for (; i < count; i++)
        to[i] = e_get(row[i]);
#endif
}

/* Copies one row of a plain picture (NULL: a row of padding) to a slab row. */
static inline void window_copy_row(const TsrConv2dParams *p, const Window *w, const elem *row,
                                   float *slab)
{
    const int32_t s = p->stride_w;
    for (int32_t phase = 0; phase < w->phases; phase++, slab += w->width) {
        /* Column c of the phase is x column c * stride + first. */
        const int32_t first = phase - p->pad_left;
        int32_t begin = first < 0 ? (-first + s - 1) / s : 0;
        int32_t end = row != NULL && p->in_w > first ? (p->in_w - first + s - 1) / s : 0;
        end = end < w->width ? end : w->width;
        begin = begin < end ? begin : end > 0 ? end : 0;
        for (int32_t c = 0; c < begin; c++)
            slab[c] = 0.0f;
        if (s == 1 && begin < end)
            window_copy_run(row + begin + first, end - begin, slab + begin);
        else
            for (int32_t c = begin; c < end; c++)
                slab[c] = e_get(row[c * s + first]);
        for (int32_t c = end > 0 ? end : 0; c < w->width; c++)
            slab[c] = 0.0f;
    }
}

#endif

/* Offset in floats of every tap from the slab position of its output pixel. */
static inline void window_taps(const TsrConv2dParams *p, const Window *w, int32_t pixel_floats,
                               int32_t *out_taps)
{
    for (int32_t a = 0; a < p->kernel_h; a++)
        for (int32_t b = 0; b < p->kernel_w; b++) {
            int32_t column = b * p->dilation_w;
            int32_t at = a * p->dilation_h * w->row_pixels +
                         column % p->stride_w * w->width + column / p->stride_w;
            *out_taps++ = at * pixel_floats;
        }
}

#endif
