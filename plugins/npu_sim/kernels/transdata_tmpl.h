/* SPDX-License-Identifier: Apache-2.0
 *
 * transdata_tmpl.h: TRANSDATA for one instruction set, compiled by transdata_avx2.c and
 * transdata_avx512.c, which define TRANSDATA. Two movements serve all pairs of formats:
 * where both sides have the same lane axis, rows of 16 elements are copied; elsewhere
 * squares of 16 x 16 are transposed in registers. Edges, padding and the diagonal of
 * depthwise weights go through a square on the stack. Every function is instantiated for
 * elements of 1, 2 and 4 bytes.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"
#include "square.h"
#if defined(__AVX512F__)
#include "square_wide.h"
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct Square {
    _Alignas(64) char bytes[16 * 16 * 4];
} Square;

ALWAYS_INLINE void element_copy(const int size, char *to, const char *from)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 2)
        memcpy(to, from, 2);
    else
        *to = *from;
}

/* All 16 lanes. */
ALWAYS_INLINE void lanes_copy_all(const int size, char *to, const char *from)
{
    if (size == 4) {
#if defined(__AVX512F__)
        _mm512_storeu_si512(to, _mm512_loadu_si512(from));
#else
        _mm256_storeu_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)from));
        _mm256_storeu_si256((__m256i *)to + 1, _mm256_loadu_si256((const __m256i *)from + 1));
#endif
    } else if (size == 2) {
        _mm256_storeu_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)from));
    } else {
        _mm_storeu_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)from));
    }
}

/* The first n of 16 lanes. */
ALWAYS_INLINE void lanes_copy(const int size, char *to, const char *from, int n)
{
    if (n == 16) {
        lanes_copy_all(size, to, from);
        return;
    }
#if defined(__AVX512F__)
    const __mmask16 mask = (__mmask16)((1u << n) - 1u);
    if (size == 4)
        _mm512_mask_storeu_epi32(to, mask, _mm512_maskz_loadu_epi32(mask, from));
    else if (size == 2)
        _mm256_mask_storeu_epi16(to, mask, _mm256_maskz_loadu_epi16(mask, from));
    else
        _mm_mask_storeu_epi8(to, mask, _mm_maskz_loadu_epi8(mask, from));
#else
    for (int i = 0; i < n; i++)
        element_copy(size, to + i * size, from + i * size);
#endif
}

ALWAYS_INLINE void square_transpose(const int size, const char *from, int64_t from_step,
                                    char *to, int64_t to_step)
{
    if (size == 4)
        square_b32((const float *)(const void *)from, from_step, (float *)(void *)to, to_step);
    else if (size == 2)
        square_b16((const uint16_t *)(const void *)from, from_step, (uint16_t *)(void *)to,
                   to_step);
    else
        square_b8((const uint8_t *)from, from_step, (uint8_t *)to, to_step);
}

/* A run of 16 lanes of x: the first n elements, then padding. */
ALWAYS_INLINE void lanes_gather(const int size, char *to, const char *from, int64_t step, int n,
                                const Square *padding)
{
    if (n < 16)
        lanes_copy(size, to, padding->bytes, 16);
    if (step == 1)
        lanes_copy(size, to, from, n);
    else
        for (int i = 0; i < n; i++)
            element_copy(size, to + i * size, from + i * step * size);
}

/* n elements of a run of 16 lanes to y. On the diagonal each has a row of its own. */
ALWAYS_INLINE void lanes_scatter(const int size, const TsrTransdataParams *p, char *to,
                                 int64_t step, const char *from, int n, const Square *padding)
{
    if (p->y_diagonal) {
        for (int i = 0; i < n; i++) {
            lanes_copy(size, to + i * 16 * size, padding->bytes, 16);
            element_copy(size, to + i * 17 * size, from + i * size);
        }
    } else if (step == 1) {
        lanes_copy(size, to, from, n);
    } else {
        for (int i = 0; i < n; i++)
            element_copy(size, to + i * step * size, from + i * size);
    }
}

/* What a piece knows of the lanes of both sides; elements in x and places in y that a block
 * of 16 has. */
typedef struct Lanes {
    int x_count, x_places, y_count, y_places;
} Lanes;

static inline int at_most_16(int64_t n)
{
    return n > 16 ? 16 : n > 0 ? (int)n : 0;
}

ALWAYS_INLINE void lanes_at(const TsrTransdataParams *p, uint32_t axis, int64_t block, Lanes *l)
{
    const TsrTransdataAxis *a = &p->axes[axis];
    const int count = at_most_16(a->extent - block * 16);
    const int places = at_most_16(a->y_extent - block * 16);
    if (axis == p->x_lane) {
        l->x_count = count;
        l->x_places = places;
    }
    if (axis == p->y_lane) {
        l->y_count = count;
        l->y_places = places;
    }
}

/* One square: lanes of x become rows of y. Rows of *in from *used on are padding. */
ALWAYS_INLINE void square_move(const int size, const TsrTransdataParams *p, const char *x,
                               char *y, const Lanes *l, const Square *padding, Square *in,
                               int *used)
{
    const TsrTransdataAxis *a = &p->axes[p->x_lane], *b = &p->axes[p->y_lane];
    Square out;
    if (l->x_count == 16 && l->y_count == 16 && a->x_step == 1 && b->y_step == 1) {
        square_transpose(size, x, b->x_step, y, a->y_step);
        return;
    }
    for (int i = 0; i < l->y_count; i++)
        lanes_gather(size, in->bytes + i * 16 * size, x + i * b->x_step * size, a->x_step,
                     l->x_count, padding);
    for (int i = l->y_count; i < *used; i++)
        lanes_copy_all(size, in->bytes + i * 16 * size, padding->bytes);
    *used = l->y_count;
    if (l->x_places == 16 && l->y_places == 16 && b->y_step == 1) {
        square_transpose(size, in->bytes, 16, y, a->y_step);
        return;
    }
    square_transpose(size, in->bytes, 16, out.bytes, 16);
    for (int i = 0; i < l->x_places; i++)
        lanes_scatter(size, p, y + i * a->y_step * size, b->y_step, out.bytes + i * 16 * size,
                      l->y_places, padding);
}

/* One run of lanes that both sides have. */
ALWAYS_INLINE void row_move(const int size, const TsrTransdataParams *p, const char *x, char *y,
                            const Lanes *l, const Square *padding)
{
    const TsrTransdataAxis *a = &p->axes[p->x_lane];
    Square row;
    lanes_gather(size, row.bytes, x, a->x_step, l->x_count, padding);
    lanes_scatter(size, p, y, a->y_step, row.bytes, l->x_places, padding);
}

#if defined(__AVX512F__)
/* Squares of 2 or 1 bytes, a cache line of neighbours at a time: in y, or in x where y is dense.
 * Returns where it stopped. */
ALWAYS_INLINE int64_t squares_wide(const int size, const TsrTransdataParams *p, const char *x,
                                   char *y, int64_t i, int64_t end, int64_t x_step,
                                   int64_t y_step)
{
    const int64_t rows = p->axes[p->y_lane].x_step, columns = p->axes[p->x_lane].y_step;
    const int join = y_step == 16 * size;
    if (!join && (x_step != 16 * size || columns != 16))
        return i;
    for (; i + 4 / size <= end; i += 4 / size) {
        const void *from = x + i * x_step;
        void *to = y + i * y_step;
        if (size == 2 && join)
            wide_b16_join(from, rows, x_step / 2, to, columns);
        else if (size == 2)
            wide_b16_split(from, rows, to, y_step / 2);
        else if (join)
            wide_b8_join(from, rows, x_step, to, columns);
        else
            wide_b8_split(from, rows, to, y_step);
    }
    return i;
}

/* Rows of lanes of 64 bytes' worth of blocks that lie side by side in y. */
ALWAYS_INLINE void rows_join(const int size, const char *x, int64_t x_block, int64_t x_step,
                             char *y, int64_t y_step, int64_t count)
{
    for (int64_t i = 0; i < count; i++, x += x_step, y += y_step) {
        __m512i v;
        if (size == 2) {
            v = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)x));
            v = _mm512_inserti64x4(v, _mm256_loadu_si256((const void *)(x + x_block)), 1);
        } else {
            v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)x));
            v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(x + x_block)), 1);
            v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(x + 2 * x_block)), 2);
            v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(x + 3 * x_block)), 3);
        }
        _mm512_storeu_si512(y, v);
    }
}

/* The same where they lie side by side in x: what fills a line of each block at a time. In y
 * rows follow each other. */
ALWAYS_INLINE void rows_split(const int size, const char *x, int64_t x_step, char *y,
                              int64_t y_block, int64_t count)
{
    int64_t i = 0;
    for (; i + 4 / size <= count; i += 4 / size, x += 4 / size * x_step, y += 64) {
        const __m512i a = _mm512_loadu_si512(x), b = _mm512_loadu_si512(x + x_step);
        if (size == 2) {
            _mm512_storeu_si512(y, _mm512_shuffle_i64x2(a, b, 0x44));
            _mm512_storeu_si512(y + y_block, _mm512_shuffle_i64x2(a, b, 0xee));
        } else {
            const __m512i r[4] = { a, b, _mm512_loadu_si512(x + 2 * x_step),
                                   _mm512_loadu_si512(x + 3 * x_step) };
            parts_store(r, (uint8_t *)y, y_block);
        }
    }
    for (; i < count; i++, x += x_step, y += 16 * size)
        for (int k = 0; k < 4 / size; k++)
            lanes_copy_all(size, y + k * y_block, x + k * 16 * size);
}
#endif

/* Steps [begin, end) of full squares that lie side by side on one side, some at a time by
 * way of the stack: the other side, where rows may be a power of two apart, is then read
 * or written in longer runs. Returns where it stopped. */
ALWAYS_INLINE int64_t squares_move(const int size, const TsrTransdataParams *p, const char *x,
                                   char *y, int64_t begin, int64_t end, int64_t x_step,
                                   int64_t y_step)
{
    enum { WIDE = 8, ROW = 16 * WIDE };
    const TsrTransdataAxis *a = &p->axes[p->x_lane], *b = &p->axes[p->y_lane];
    _Alignas(64) char stage[16 * ROW * 4];
    int64_t i = begin;
#if defined(__AVX512F__)
    if (size < 4)
        i = squares_wide(size, p, x, y, i, end, x_step, y_step);
#endif
    if (y_step == 16 * size)
        for (; i + WIDE <= end; i += WIDE) {
            for (int s = 0; s < WIDE; s++)
                square_transpose(size, x + (i + s) * x_step, b->x_step, stage + s * 16 * size,
                                 ROW);
            for (int r = 0; r < 16; r++)
                for (int s = 0; s < WIDE; s++)
                    lanes_copy_all(size, y + i * y_step + (r * a->y_step + s * 16) * size,
                                   stage + (r * ROW + s * 16) * size);
        }
    else if (x_step == 16 * size)
        for (; i + WIDE <= end; i += WIDE) {
            for (int r = 0; r < 16; r++)
                for (int s = 0; s < WIDE; s++)
                    lanes_copy_all(size, stage + (r * ROW + s * 16) * size,
                                   x + i * x_step + (r * b->x_step + s * 16) * size);
            for (int s = 0; s < WIDE; s++)
                square_transpose(size, stage + s * 16 * size, ROW, y + (i + s) * y_step,
                                 a->y_step);
        }
    return i;
}

/* steps of the last axis from `first` on; x and y are at step 0 of it. */
ALWAYS_INLINE void run_move(const int size, const TsrTransdataParams *p, const char *x, char *y,
                            int64_t first, int64_t steps, int inside, Lanes l,
                            const Square *padding)
{
    const uint32_t last = p->rank - 1;
    const TsrTransdataAxis *a = &p->axes[last], *lane = &p->axes[p->x_lane];
    const int wide = last == p->x_lane || last == p->y_lane, rows = p->x_lane == p->y_lane;
    const int64_t x_step = (wide ? a->x_block : a->x_step) * size;
    const int64_t y_step = (wide ? a->y_block : a->y_step) * size;
    const int64_t end = first + steps;
    const int64_t inner = wide ? a->extent / 16 : a->extent, whole = end < inner ? end : inner;
    int64_t i = first;
    int used = 16; /* what is not padding yet */
    Square in;
    if (rows && !wide && inside && lane->x_step == 1 && lane->y_step == 1) {
        if (l.x_count == 16)
#pragma GCC unroll 4
            for (; i < whole; i++)
                lanes_copy_all(size, y + i * y_step, x + i * x_step);
#if defined(__AVX512F__)
        if (l.x_places == 16 && l.x_count > 0) {
            const __mmask16 mask = (__mmask16)((1u << l.x_count) - 1u);
            const __m512i fill = _mm512_load_si512(padding->bytes);
            for (; i < whole; i++) {
                if (size == 4)
                    _mm512_storeu_si512(y + i * y_step,
                                        _mm512_mask_loadu_epi32(fill, mask, x + i * x_step));
                else if (size == 2)
                    _mm256_storeu_si256((__m256i *)(y + i * y_step),
                                        _mm256_mask_loadu_epi16(_mm512_castsi512_si256(fill),
                                                                mask, x + i * x_step));
                else
                    _mm_storeu_si128((__m128i *)(y + i * y_step),
                                     _mm_mask_loadu_epi8(_mm512_castsi512_si128(fill), mask,
                                                         x + i * x_step));
            }
        }
#endif
    }
    if (!rows && inside && lane->x_step == 1 && p->axes[p->y_lane].y_step == 1 &&
        (last == p->x_lane || l.x_count == 16) && (last == p->y_lane || l.y_count == 16))
        i = squares_move(size, p, x, y, first, whole, x_step, y_step);
    for (; i < end; i++) {
        if (wide)
            lanes_at(p, last, i, &l);
        Lanes here = l;
        if (!inside || (!wide && i >= a->extent))
            here.x_count = here.y_count = 0;
        if (rows)
            row_move(size, p, x + i * x_step, y + i * y_step, &here, padding);
        else
            square_move(size, p, x + i * x_step, y + i * y_step, &here, padding, &in,
                        &used);
    }
}

ALWAYS_INLINE void pieces_move(const int size, void *const *args, const TsrTransdataParams *p,
                               uint32_t block_index, uint32_t block_dim)
{
    const uint32_t last = p->rank - 1, inner = last - 1;
    int64_t counts[TSR_NPU_MAX_DIMS], index[TSR_NPU_MAX_DIMS], pieces, begin, end;
    Square padding;
    for (int i = 0; i < 16; i++)
        memcpy(padding.bytes + i * size, &p->padding, (size_t)size);
    for (uint32_t i = 0; i <= last; i++)
        counts[i] = i == p->x_lane || i == p->y_lane ? split_pieces(p->axes[i].y_extent, 16)
                                                     : p->axes[i].y_extent;
#if defined(__AVX512F__)
    /* Blocks of lanes that are neighbours in x or y. */
    const TsrTransdataAxis *lane = &p->axes[inner];
    const int joins = p->x_lane == inner && p->y_lane == inner && !p->y_diagonal &&
                      lane->x_step == 1 && lane->y_step == 1 &&
                      (lane->y_block == 16 ||
                       (lane->x_block == 16 && p->axes[last].y_step == 16));
#endif
    const int64_t runs = split_pieces(counts[last], p->run);
    pieces = runs;
    for (uint32_t i = 0; i < last; i++)
        pieces *= counts[i];
    split_range(pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t rest = piece / counts[inner], x_at = 0, y_at = 0;
        const int64_t first = rest % runs * p->run;
        const int64_t steps = counts[last] - first < p->run ? counts[last] - first : p->run;
        int inside = 1;
        Lanes l = { 0, 0, 0, 0 };
        index[inner] = piece % counts[inner];
        rest /= runs;
        for (uint32_t i = inner; i-- > 0; rest /= counts[i])
            index[i] = rest % counts[i];
        for (uint32_t i = 0; i < last; i++) {
            const TsrTransdataAxis *a = &p->axes[i];
            if (i == p->x_lane || i == p->y_lane) {
                x_at += index[i] * a->x_block;
                y_at += index[i] * a->y_block;
                lanes_at(p, i, index[i], &l);
            } else {
                x_at += index[i] * a->x_step;
                y_at += index[i] * a->y_step;
                inside &= index[i] < a->extent;
            }
        }
#if defined(__AVX512F__)
        if (size < 4 && joins && inside && piece + 4 / size <= end &&
            index[inner] + 4 / size <= p->axes[inner].extent / 16 &&
            first + steps <= p->axes[last].extent) {
            const TsrTransdataAxis *a = &p->axes[last];
            const char *x = (const char *)args[0] + (x_at + first * a->x_step) * size;
            char *y = (char *)args[1] + (y_at + first * a->y_step) * size;
            if (lane->y_block == 16)
                rows_join(size, x, lane->x_block * size, a->x_step * size, y, a->y_step * size,
                          steps);
            else
                rows_split(size, x, a->x_step * size, y, lane->y_block * size, steps);
            piece += 4 / size - 1;
            continue;
        }
#endif
        run_move(size, p, (const char *)args[0] + x_at * size, (char *)args[1] + y_at * size,
                 first, steps, inside, l, &padding);
    }
}

void TRANSDATA(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrTransdataParams *p = params;
    if (p->element_bytes == 4)
        pieces_move(4, args, p, block_index, block_dim);
    else if (p->element_bytes == 2)
        pieces_move(2, args, p, block_index, block_dim);
    else
        pieces_move(1, args, p, block_index, block_dim);
}
