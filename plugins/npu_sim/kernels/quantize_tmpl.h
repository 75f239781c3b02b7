/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize_tmpl.h: QUANTIZE, DEQUANTIZE, RANGE_F32, QUANTIZE_DYNAMIC and ADD_I8 for one
 * instruction set; the files that include it define KERNEL(name). Numbers become elements 16
 * at a time. Limits are integers, so that clamping before rounding gives the same elements.
 */
#include <string.h>
#include "dynamic_range.h"
#include "kernel_list.h"
#include "split.h"
#include "vec.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RUN = 4096 };

/* How numbers become elements: 16 lanes of each. */
typedef struct Rule {
    v16 scale, low, high; /* limits are less the zero point */
    v16i zero;
} Rule;

/* The lowest byte of each lane. */
ALWAYS_INLINE __m128i bytes_of(v16i v)
{
#if defined(__AVX512F__)
    return _mm512_cvtepi32_epi8(v);
#else
    const __m256i order = _mm256_set1_epi32(0x0c080400);
    const __m256i a = _mm256_shuffle_epi8(v.lo, order), b = _mm256_shuffle_epi8(v.hi, order);
    return _mm_setr_epi32(_mm256_extract_epi32(a, 0), _mm256_extract_epi32(a, 4),
                          _mm256_extract_epi32(b, 0), _mm256_extract_epi32(b, 4));
#endif
}

ALWAYS_INLINE v16i ints_of_n(const int32_t *p, int n)
{
    int32_t ints[16] = { 0 };
    memcpy(ints, p, (size_t)n * sizeof(*p));
#if defined(__AVX512F__)
    return _mm512_loadu_si512(ints);
#else
    return (v16i){ _mm256_loadu_si256((const __m256i *)ints),
                   _mm256_loadu_si256((const __m256i *)ints + 1) };
#endif
}

/* Limits for the zero points of r. */
ALWAYS_INLINE void set_limits(Rule *r, float least, float most)
{
    r->low = v_sub(v_set1(least), v_of(r->zero));
    r->high = v_sub(v_set1(most), v_of(r->zero));
}

/* Elements of 16 numbers; NaN becomes 0. */
ALWAYS_INLINE __m128i quantized(v16 x, const Rule *r)
{
    v16 v = v_div(x, r->scale);
    v = v_select(v_nan(v), v_sub(v_zero(), v_of(r->zero)), v);
    return bytes_of(vi_add(vi_of(v_min(v_max(v, r->low), r->high)), r->zero));
}

/* `count` neighbours by one rule. */
static void quantize_all(const float *x, const Rule *r, uint8_t *y, int64_t count)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        _mm_storeu_si128((__m128i *)(y + i), quantized(v_load(x + i), r));
    if (i < count) {
        uint8_t bytes[16];
        _mm_storeu_si128((__m128i *)bytes, quantized(v_load_n(x + i, (int)(count - i)), r));
        memcpy(y + i, bytes, (size_t)(count - i));
    }
}

/* The run of piece: *out_first is its first element, *out_count how many inner steps, the
 * result its channel. */
static int64_t run_of(const TsrQuantizeParams *p, int64_t piece, int64_t step, int64_t *out_first,
                      int64_t *out_count)
{
    const int64_t runs = split_pieces(p->inner, step), at = piece % runs * step;
    *out_first = (piece / runs * p->inner + at) * p->lanes;
    *out_count = p->inner - at < step ? p->inner - at : step;
    return piece / runs % p->channels;
}

static int64_t run_step(const TsrQuantizeParams *p)
{
    return p->lanes < RUN ? RUN / p->lanes : 1;
}

/* `count` rows of `lanes` numbers, each lane with a scale of its own. */
static void quantize_lanes(const float *x, const float *scale, const int32_t *zero, uint8_t *y,
                           int64_t count, int64_t lanes, float least, float most)
{
    for (int64_t l = 0; l < lanes; l += 16) {
        const int n = lanes - l < 16 ? (int)(lanes - l) : 16;
        Rule r = { .scale = v_load_n(scale + l, n), .zero = ints_of_n(zero + l, n) };
        set_limits(&r, least, most);
        for (int64_t i = 0; i < count; i++) {
            uint8_t bytes[16];
            _mm_storeu_si128((__m128i *)bytes, quantized(v_load_n(x + i * lanes + l, n), &r));
            memcpy(y + i * lanes + l, bytes, (size_t)n);
        }
    }
}

void KERNEL(quantize)(void *const *args, const void *params, uint32_t block_index,
                      uint32_t block_dim)
{
    const TsrQuantizeParams *p = params;
    const int64_t step = run_step(p), lanes = p->lanes;
    const float least = p->dtype == TSR_DTYPE_INT8 ? -128.0f : 0.0f, most = least + 255.0f;
    int64_t begin, end;
    split_range(p->outer * p->channels * split_pieces(p->inner, step), block_index, block_dim,
                &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t first, count;
        const int64_t channel = run_of(p, piece, step, &first, &count);
        const float *x = (const float *)args[0] + first;
        const float *scale = (const float *)args[1] + channel * lanes;
        const int32_t *zero = (const int32_t *)args[2] + channel * lanes;
        uint8_t *y = (uint8_t *)args[3] + first;
        if (lanes == 1) {
            Rule r = { .scale = v_set1(*scale), .zero = vi_set1(*zero) };
            set_limits(&r, least, most);
            quantize_all(x, &r, y, count);
        } else {
            quantize_lanes(x, scale, zero, y, count, lanes, least, most);
        }
    }
}

ALWAYS_INLINE void dequantize_run(const void *x, int64_t first, const float *scale,
                                  const int32_t *zero, float *y, int64_t count,
                                  const int64_t lanes, const uint32_t dtype)
{
    const uint8_t *bytes = (const uint8_t *)x + first;
    const int32_t *words = (const int32_t *)x + first;
    if (lanes == 1 && dtype != TSR_DTYPE_INT32) {
        const float s = *scale;
        const int32_t z = *zero;
        for (int64_t i = 0; i < count; i++)
            y[i] = (float)((dtype == TSR_DTYPE_INT8 ? (int8_t)bytes[i] : bytes[i]) - z) * s;
        return;
    }
    for (int64_t i = 0; i < count; i++, y += lanes, bytes += lanes, words += lanes)
        for (int64_t l = 0; l < lanes; l++)
            y[l] = dtype == TSR_DTYPE_INT32
                       ? (float)(((double)words[l] - (double)zero[l]) * (double)scale[l])
                       : (float)((dtype == TSR_DTYPE_INT8 ? (int8_t)bytes[l] : bytes[l]) -
                                 zero[l]) * scale[l];
}

/* One row per type, so that the loops know it. */
#define DEQUANTIZE_RUN(name, dtype)                                                 \
    static void run_##name(const void *x, int64_t first, const float *scale,        \
                           const int32_t *zero, float *y, int64_t count, int64_t lanes) \
    {                                                                               \
        if (lanes == 1)                                                             \
            dequantize_run(x, first, scale, zero, y, count, 1, dtype);              \
        else                                                                        \
            dequantize_run(x, first, scale, zero, y, count, lanes, dtype);          \
    }
DEQUANTIZE_RUN(u8, TSR_DTYPE_UINT8)
DEQUANTIZE_RUN(s8, TSR_DTYPE_INT8)
DEQUANTIZE_RUN(s32, TSR_DTYPE_INT32)

void KERNEL(dequantize)(void *const *args, const void *params, uint32_t block_index,
                        uint32_t block_dim)
{
    const TsrQuantizeParams *p = params;
    const int64_t step = run_step(p), lanes = p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->channels * split_pieces(p->inner, step), block_index, block_dim,
                &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t first, count;
        const int64_t channel = run_of(p, piece, step, &first, &count);
        (p->dtype == TSR_DTYPE_INT32  ? run_s32
         : p->dtype == TSR_DTYPE_INT8 ? run_s8
                                      : run_u8)(args[0], first,
                                                (const float *)args[1] + channel * lanes,
                                                (const int32_t *)args[2] + channel * lanes,
                                                (float *)args[3] + first, count, lanes);
    }
}

void KERNEL(range_f32)(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrDynamicParams *p = params;
    int64_t begin, end;
    split_range(split_pieces(p->count, p->run), block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const float *x = (const float *)args[0] + piece * p->run;
        const int64_t count = p->count - piece * p->run < p->run ? p->count - piece * p->run
                                                                 : p->run;
        float lows[16], highs[16], *range = (float *)args[1] + 2 * piece;
        v16 low = v_zero(), high = v_zero();
        int64_t i = 0;
        /* NaN in x leaves the second operand. */
        for (; i + 16 <= count; i += 16) {
            low = v_min(v_load(x + i), low);
            high = v_max(v_load(x + i), high);
        }
        low = v_min(v_load_n(x + i, (int)(count - i)), low);
        high = v_max(v_load_n(x + i, (int)(count - i)), high);
        v_store(lows, low);
        v_store(highs, high);
        range[0] = range[1] = 0.0f;
        for (int l = 0; l < 16; l++) {
            range[0] = lows[l] < range[0] ? lows[l] : range[0];
            range[1] = highs[l] > range[1] ? highs[l] : range[1];
        }
    }
}

void KERNEL(quantize_dynamic)(void *const *args, const void *params, uint32_t block_index,
                              uint32_t block_dim)
{
    const TsrDynamicParams *p = params;
    const int64_t pieces = split_pieces(p->count, p->run);
    float scale, zero;
    int64_t begin, end;
    dynamic_range(args[1], pieces, &scale, &zero);
    if (block_index == 0 && args[3] != NULL)
        *(float *)args[3] = scale;
    if (block_index == 0 && args[4] != NULL)
        *(uint8_t *)args[4] = (uint8_t)zero;
    split_range(pieces, block_index, block_dim, &begin, &end);
    begin *= p->run;
    end = end * p->run < p->count ? end * p->run : p->count;
    if (begin >= end)
        return;
    if (scale > 0.0f) {
        Rule r = { .scale = v_set1(scale), .zero = vi_set1((int32_t)zero) };
        set_limits(&r, 0.0f, 255.0f);
        quantize_all((const float *)args[0] + begin, &r, (uint8_t *)args[2] + begin, end - begin);
    } else {
        memset((uint8_t *)args[2] + begin, 0, (size_t)(end - begin));
    }
}

/* 16 elements as int32. */
ALWAYS_INLINE v16i bytes_load(const uint8_t *p, const uint32_t is_signed)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)p);
#if defined(__AVX512F__)
    return is_signed ? _mm512_cvtepi8_epi32(v) : _mm512_cvtepu8_epi32(v);
#else
    const __m128i high = _mm_srli_si128(v, 8);
    return is_signed ? (v16i){ _mm256_cvtepi8_epi32(v), _mm256_cvtepi8_epi32(high) }
                     : (v16i){ _mm256_cvtepu8_epi32(v), _mm256_cvtepu8_epi32(high) };
#endif
}

/* 16 sums. */
ALWAYS_INLINE __m128i add_16(const TsrAddI8Params *p, const uint8_t *a, const uint8_t *b,
                             const Rule *r)
{
    const v16 x = v_mul(v_of(vi_sub(bytes_load(a, p->a_signed), vi_set1(p->a_zero))),
                        v_set1(p->a_scale));
    const v16 y = v_mul(v_of(vi_sub(bytes_load(b, p->b_signed), vi_set1(p->b_zero))),
                        v_set1(p->b_scale));
    return quantized(v_add(x, y), r);
}

/* `count` neighbours; an operand whose step is 0 is one element for all. */
static void add_row(const TsrAddI8Params *p, const uint8_t *a, int64_t a_step, const uint8_t *b,
                    int64_t b_step, uint8_t *y, int64_t count, const Rule *r)
{
    uint8_t alone[2][16], rest[3][16] = { { 0 } };
    int64_t i = 0;
    memset(alone[0], *a, 16);
    memset(alone[1], *b, 16);
    if (a_step == 0)
        a = alone[0];
    if (b_step == 0)
        b = alone[1];
    for (; i + 16 <= count; i += 16)
        _mm_storeu_si128((__m128i *)(y + i), add_16(p, a + i * a_step, b + i * b_step, r));
    if (i == count)
        return;
    memcpy(rest[0], a + i * a_step, (size_t)(count - i));
    memcpy(rest[1], b + i * b_step, (size_t)(count - i));
    _mm_storeu_si128((__m128i *)rest[2], add_16(p, rest[0], rest[1], r));
    memcpy(y + i, rest[2], (size_t)(count - i));
}

void KERNEL(add_i8)(void *const *args, const void *params, uint32_t block_index,
                    uint32_t block_dim)
{
    const TsrAddI8Params *p = params;
    const uint32_t last = p->rank - 1;
    const int64_t columns = p->shape[last], rows = p->shape[last - 1];
    const int64_t width = columns < RUN ? columns : RUN, height = width > 0 ? RUN / width : 1;
    const int64_t column_runs = split_pieces(columns, RUN), row_runs = split_pieces(rows, height);
    Rule r = { .scale = v_set1(p->y_scale), .zero = vi_set1(p->y_zero) };
    int64_t outer = 1, begin, end;
    for (uint32_t d = 0; d + 1 < last; d++)
        outer *= p->shape[d];
    set_limits(&r, (float)p->low, (float)p->high);
    split_range(outer * row_runs * column_runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t column = piece % column_runs * RUN, row = piece / column_runs % row_runs *
                                                                height;
        const int64_t count = columns - column < RUN ? columns - column : RUN;
        const int64_t row_end = row + height < rows ? row + height : rows;
        int64_t rest = piece / column_runs / row_runs, y = rest * rows * columns + column;
        int64_t a = column * p->a_step[last], b = column * p->b_step[last];
        for (uint32_t d = last - 1; d-- > 0; rest /= p->shape[d]) {
            a += rest % p->shape[d] * p->a_step[d];
            b += rest % p->shape[d] * p->b_step[d];
        }
        for (int64_t i = row; i < row_end; i++)
            add_row(p, (const uint8_t *)args[0] + a + i * p->a_step[last - 1], p->a_step[last],
                    (const uint8_t *)args[1] + b + i * p->b_step[last - 1], p->b_step[last],
                    (uint8_t *)args[2] + y + i * columns, count, &r);
    }
}
