/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_b32_tmpl.h: COPY_CHANNELS_B32 and COPY_WINDOW_B32 for one instruction set, compiled
 * by copy_b32_avx2.c and copy_b32_avx512.c, which define the two names. The 16 channels of
 * a block of y lie in at most two neighbouring blocks of x, so that a pixel is two loads, a
 * permutation of two sources and a store. Invariant: lanes outside of the moved channels are
 * written only as fill, or past the last channel of y.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"
#include "vec.h"

enum { N, C, H, W, RUN = 256 };

/* Lanes [shift, shift + 16) of two vectors side by side, and a choice of lanes to store. */
#if defined(__AVX512F__)

typedef struct Lanes {
    __m512i from;
    __mmask16 mask;
} Lanes;

static inline Lanes lanes_of(int shift, int first, int last)
{
    const __m512i each = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return (Lanes){ _mm512_add_epi32(each, _mm512_set1_epi32(shift)),
                    (__mmask16)((1u << last) - (1u << first)) };
}

static inline v16 lanes_move(const Lanes *l, int shift, const float *low, const float *high)
{
    (void)shift;
    return _mm512_permutex2var_ps(_mm512_loadu_ps(low), l->from, _mm512_loadu_ps(high));
}

static inline void lanes_store(const Lanes *l, float *y, v16 v)
{
    _mm512_mask_storeu_ps(y, l->mask, v);
}

static inline v16 lanes_select(const Lanes *l, v16 a, v16 b)
{
    return _mm512_mask_blend_ps(l->mask, b, a);
}

#else

typedef struct Lanes {
    __m256i from;     /* rotates a half */
    __m256 wrapped;   /* lanes that come from the next half */
    __m256i low, high;
} Lanes;

static inline __m256i lanes_mask(int first, int last)
{
    const __m256i each = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(first), each),
                               _mm256_cmpgt_epi32(_mm256_set1_epi32(last), each));
}

static inline Lanes lanes_of(int shift, int first, int last)
{
    const __m256i each = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const int turn = shift % 8;
    return (Lanes){ _mm256_and_si256(_mm256_add_epi32(each, _mm256_set1_epi32(turn)),
                                     _mm256_set1_epi32(7)),
                    _mm256_castsi256_ps(_mm256_cmpgt_epi32(each, _mm256_set1_epi32(7 - turn))),
                    lanes_mask(first, last), lanes_mask(first - 8, last - 8) };
}

static inline v16 lanes_move(const Lanes *l, int shift, const float *low, const float *high)
{
    const float *third = shift < 8 ? high : high + 8;
    const __m256 a = _mm256_permutevar8x32_ps(_mm256_loadu_ps(shift < 8 ? low : low + 8), l->from);
    const __m256 b = _mm256_permutevar8x32_ps(_mm256_loadu_ps(shift < 8 ? low + 8 : high),
                                              l->from);
    const __m256 c = _mm256_permutevar8x32_ps(_mm256_loadu_ps(third), l->from);
    return (v16){ _mm256_blendv_ps(a, b, l->wrapped), _mm256_blendv_ps(b, c, l->wrapped) };
}

static inline void lanes_store(const Lanes *l, float *y, v16 v)
{
    _mm256_maskstore_ps(y, l->low, v.lo);
    _mm256_maskstore_ps(y + 8, l->high, v.hi);
}

static inline v16 lanes_select(const Lanes *l, v16 a, v16 b)
{
    return (v16){ _mm256_blendv_ps(b.lo, a.lo, _mm256_castsi256_ps(l->low)),
                  _mm256_blendv_ps(b.hi, a.hi, _mm256_castsi256_ps(l->high)) };
}

#endif

static void fill_run(float *y, int64_t floats, float value)
{
    for (int64_t i = 0; i < floats; i++)
        memcpy(y + i, &value, sizeof(value));
}

/* One row of x as it is seen from a channel block of y. */
typedef struct Source {
    const float *low, *high; /* blocks in which lane 0 of y lies, and the one behind */
    int64_t step;            /* floats from pixel to pixel */
    int shift, whole;        /* whole: every lane of y is written */
    Lanes lanes;
} Source;

static void move_run(const Source *s, float *y, int64_t first, int64_t count)
{
    const float *low = s->low + first * s->step, *high = s->high + first * s->step;
    const Lanes lanes = s->lanes;
    if (s->whole && s->shift == 0 && s->step == 16) {
        memcpy(y, low, (size_t)count * 16 * sizeof(*y));
        return;
    }
    for (int64_t i = 0; i < count; i++, low += s->step, high += s->step) {
        const v16 v = lanes_move(&lanes, s->shift, low, high);
        if (s->whole)
            v_store(y + i * 16, v);
        else
            lanes_store(&lanes, y + i * 16, v);
    }
}

static void move_run_filled(const Source *s, float *y, int64_t first, int64_t count, v16 value)
{
    const float *low = s->low + first * s->step, *high = s->high + first * s->step;
    const Lanes lanes = s->lanes;
    for (int64_t i = 0; i < count; i++, low += s->step, high += s->step)
        v_store(y + i * 16,
                lanes_select(&lanes, lanes_move(&lanes, s->shift, low, high), value));
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Where channel block `block` of the row (n, h) of y comes from; 0 when nothing does. */
static int find_source(const TsrCopyChannelsParams *p, const float *x, int64_t n, int64_t block,
                       int64_t h, Source *s)
{
    const int64_t x_blocks = split_pieces(p->x_shape[C], 16);
    const int64_t plane = (int64_t)p->x_shape[H] * p->x_shape[W] * 16;
    const int64_t last_c = p->y_first[C] + p->count[C];
    const int first = (int)clamp(p->y_first[C] - block * 16, 0, 16);
    int last = (int)clamp(last_c - block * 16, 0, 16);
    const int64_t from = block * 16 - p->y_first[C] + p->x_first[C];
    const int64_t low = from >= 0 ? from / 16 : -((15 - from) / 16);
    int64_t row;
    if (x == NULL || first >= last || n < p->y_first[N] || n >= p->y_first[N] + p->count[N] ||
        h < p->y_first[H] || h >= p->y_first[H] + p->count[H])
        return 0;
    /* What lies behind the last channel of y is nobody's. */
    if (last_c == p->y_shape[C])
        last = 16;
    n = p->x_first[N] + (n - p->y_first[N]) * p->x_step[N];
    h = p->x_first[H] + (h - p->y_first[H]) * p->x_step[H];
    row = n * x_blocks * plane + (h * p->x_shape[W] + p->x_first[W]) * 16;
    s->low = x + row + clamp(low, 0, x_blocks - 1) * plane;
    s->high = x + row + clamp(low + 1, 0, x_blocks - 1) * plane;
    s->step = (int64_t)p->x_step[W] * 16;
    s->shift = (int)(from - low * 16);
    s->whole = first == 0 && last == 16;
    s->lanes = lanes_of(s->shift, first, last);
    return 1;
}

void COPY_CHANNELS(void *const *args, const void *params, uint32_t block_index,
                   uint32_t block_dim)
{
    const TsrCopyChannelsParams *p = params;
    const int64_t y_blocks = split_pieces(p->y_shape[C], 16), width = p->y_shape[W];
    const int64_t runs = split_pieces(width, RUN);
    float value;
    int64_t begin, end;
    memcpy(&value, &p->value, sizeof(value));
    split_range(p->y_shape[N] * y_blocks * p->y_shape[H] * runs, block_index, block_dim, &begin,
                &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t row = piece / runs, plane = row / p->y_shape[H];
        const int64_t first = piece % runs * RUN;
        const int64_t last = first + RUN < width ? first + RUN : width;
        const int64_t from = clamp(p->y_first[W], first, last);
        const int64_t to = clamp((int64_t)p->y_first[W] + p->count[W], from, last);
        float *y = (float *)args[1] + row * width * 16;
        Source s;
        if (!find_source(p, args[0], plane / y_blocks, plane % y_blocks, row % p->y_shape[H],
                         &s)) {
            if (p->fill)
                fill_run(y + first * 16, (last - first) * 16, value);
            continue;
        }
        if (p->fill && !s.whole)
            move_run_filled(&s, y + from * 16, from - p->y_first[W], to - from, v_set1(value));
        else
            move_run(&s, y + from * 16, from - p->y_first[W], to - from);
        if (p->fill) {
            fill_run(y + first * 16, (from - first) * 16, value);
            fill_run(y + to * 16, (last - to) * 16, value);
        }
    }
}

static void move_elements(float *y, const float *x, int64_t step, int64_t count)
{
    if (step == 1)
        memcpy(y, x, (size_t)count * sizeof(*y));
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(y + i, x + i * step, sizeof(*y));
}

void COPY_WINDOW(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    enum { LONG = 4096 };
    const TsrCopyWindowParams *p = params;
    const uint32_t inner = p->rank - 1;
    const int64_t length = p->shape[inner], runs = split_pieces(length, LONG);
    int64_t rows = 1, begin, end;
    float value;
    memcpy(&value, &p->value, sizeof(value));
    for (uint32_t d = 0; d < inner; d++)
        rows *= p->shape[d];
    split_range(rows * runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t first = piece % runs * LONG;
        const int64_t last = first + LONG < length ? first + LONG : length;
        int64_t rest = piece / runs, offset = p->x_offset, from, to;
        float *y = (float *)args[1] + rest * length;
        int inside = args[0] != NULL;
        for (uint32_t d = inner; d-- > 0; rest /= p->shape[d]) {
            const int64_t at = rest % p->shape[d];
            inside &= at >= p->begin[d] && at < p->end[d];
            offset += (at - p->begin[d]) * p->x_step[d];
        }
        if (!inside) {
            fill_run(y + first, last - first, value);
            continue;
        }
        from = clamp(p->begin[inner], first, last);
        to = clamp(p->end[inner], from, last);
        move_elements(y + from,
                      (const float *)args[0] + offset + (from - p->begin[inner]) * p->x_step[inner],
                      p->x_step[inner], to - from);
        fill_run(y + first, from - first, value);
        fill_run(y + to, last - to, value);
    }
}
