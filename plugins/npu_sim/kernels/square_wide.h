/* SPDX-License-Identifier: Apache-2.0
 *
 * square_wide.h: several squares of 16 x 16 elements at once with AVX-512, so that the side
 * where they lie next to each other is read or written in whole cache lines: two squares of
 * 2 bytes, four of 1 byte. Included by transdata_tmpl.h. Steps are in elements; square s of
 * the other side lies s * next behind the first.
 *
 * All work on 128-bit parts: rounds of unpacking transpose 8 x 8 halves or 16 x 16 bytes in
 * each part of the registers by itself.
 */
#ifndef TSR_NPU_SQUARE_WIDE_H
#define TSR_NPU_SQUARE_WIDE_H

#include <immintrin.h>
#include <stdint.h>

/* In every part: column k of the 8 rows of halves in r becomes r[k]. */
static inline __attribute__((always_inline)) void parts_b16(__m512i *r)
{
    __m512i t[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi16(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi16(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm512_unpacklo_epi32(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi32(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi32(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi32(t[i + 1], t[i + 3]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++)
        t[c] = r[4 + c];
#pragma GCC unroll 4
    for (int c = 3; c >= 0; c--) {
        r[2 * c + 1] = _mm512_unpackhi_epi64(r[c], t[c]);
        r[2 * c] = _mm512_unpacklo_epi64(r[c], t[c]);
    }
}

/* to[s * next + c * 16 + i] = from[i * from_step + s * 16 + c]. */
static inline void wide_b16_split(const uint16_t *from, int64_t from_step, uint16_t *to,
                                  int64_t next)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i low[8], high[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        low[i] = _mm512_loadu_si512(from + i * from_step);
        high[i] = _mm512_loadu_si512(from + (i + 8) * from_step);
    }
    parts_b16(low);
    parts_b16(high);
    /* Part k of low[c] and high[c]: column 8k + c of rows 0..7 and 8..15. */
#pragma GCC unroll 4
    for (int c = 0; c < 8; c += 2) {
        const __m512i a = _mm512_permutex2var_epi64(low[c], first, high[c]);
        const __m512i b = _mm512_permutex2var_epi64(low[c + 1], first, high[c + 1]);
        const __m512i d = _mm512_permutex2var_epi64(low[c], second, high[c]);
        const __m512i e = _mm512_permutex2var_epi64(low[c + 1], second, high[c + 1]);
        uint16_t *y = to + c * 16;
        _mm512_storeu_si512(y, _mm512_shuffle_i64x2(a, b, 0x44));
        _mm512_storeu_si512(y + 128, _mm512_shuffle_i64x2(a, b, 0xee));
        _mm512_storeu_si512(y + next, _mm512_shuffle_i64x2(d, e, 0x44));
        _mm512_storeu_si512(y + next + 128, _mm512_shuffle_i64x2(d, e, 0xee));
    }
}

/* to[c * to_step + s * 16 + i] = from[i * from_step + c] of square s. */
static inline void wide_b16_join(const uint16_t *from, int64_t from_step, int64_t next,
                                 uint16_t *to, int64_t to_step)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512i low[8], high[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        const uint16_t *x = from + i * from_step, *z = x + 8 * from_step;
        low[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)x)),
                                    _mm256_loadu_si256((const void *)(x + next)), 1);
        high[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)z)),
                                     _mm256_loadu_si256((const void *)(z + next)), 1);
    }
    parts_b16(low);
    parts_b16(high);
    /* Parts of low[c]: columns c and 8 + c of rows 0..7 of each square; high[c]: of 8..15. */
#pragma GCC unroll 8
    for (int c = 0; c < 8; c++) {
        _mm512_storeu_si512(to + c * to_step, _mm512_permutex2var_epi64(low[c], first, high[c]));
        _mm512_storeu_si512(to + (8 + c) * to_step,
                            _mm512_permutex2var_epi64(low[c], second, high[c]));
    }
}

/* In every part: column k of the 16 rows of bytes in r becomes r[k]. A round deals the 256
 * bytes of a part like cards from two halves, which turns the bits of their places by one;
 * four rounds exchange row and column. */
static inline __attribute__((always_inline)) void parts_b8(__m512i *r)
{
    __m512i t[16];
#pragma GCC unroll 4
    for (int round = 0; round < 4; round++) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            t[2 * i] = _mm512_unpacklo_epi8(r[i], r[i + 8]);
            t[2 * i + 1] = _mm512_unpackhi_epi8(r[i], r[i + 8]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++)
            r[i] = t[i];
    }
}

/* to[k * step + i] = part k of row i, for 4 rows. */
static inline __attribute__((always_inline)) void parts_store(const __m512i *r, uint8_t *to,
                                                              int64_t step)
{
    const __m512i a = _mm512_shuffle_i64x2(r[0], r[1], 0x44);
    const __m512i b = _mm512_shuffle_i64x2(r[2], r[3], 0x44);
    const __m512i c = _mm512_shuffle_i64x2(r[0], r[1], 0xee);
    const __m512i d = _mm512_shuffle_i64x2(r[2], r[3], 0xee);
    _mm512_storeu_si512(to, _mm512_shuffle_i64x2(a, b, 0x88));
    _mm512_storeu_si512(to + step, _mm512_shuffle_i64x2(a, b, 0xdd));
    _mm512_storeu_si512(to + 2 * step, _mm512_shuffle_i64x2(c, d, 0x88));
    _mm512_storeu_si512(to + 3 * step, _mm512_shuffle_i64x2(c, d, 0xdd));
}

static inline void wide_b8_split(const uint8_t *from, int64_t from_step, uint8_t *to,
                                 int64_t next)
{
    __m512i r[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        r[i] = _mm512_loadu_si512(from + i * from_step);
    parts_b8(r);
#pragma GCC unroll 4
    for (int c = 0; c < 16; c += 4)
        parts_store(r + c, to + c * 16, next);
}

static inline void wide_b8_join(const uint8_t *from, int64_t from_step, int64_t next, uint8_t *to,
                                int64_t to_step)
{
    __m512i r[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        const uint8_t *x = from + i * from_step;
        __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)x));
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(x + next)), 1);
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(x + 2 * next)), 2);
        r[i] = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(x + 3 * next)), 3);
    }
    parts_b8(r);
#pragma GCC unroll 16
    for (int c = 0; c < 16; c++)
        _mm512_storeu_si512(to + c * to_step, r[c]);
}

#endif
