/* SPDX-License-Identifier: Apache-2.0
 *
 * square.h: transposes a square of 16 x 16 elements of 4, 2 or 1 bytes in registers:
 * to[j * to_step + i] = from[i * from_step + j], steps in elements. Included by the layout
 * templates, which are compiled with AVX2 or AVX-512.
 */
#ifndef TSR_NPU_SQUARE_H
#define TSR_NPU_SQUARE_H

#include <immintrin.h>
#include <stdint.h>

#if defined(__AVX512F__)
/* Transposes a square of 16 x 16 elements in four rounds of pairwise exchanges. */
static inline void square_b32(const float *from, int64_t from_step, float *to, int64_t to_step)
{
    __m512 r[16], t[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        r[i] = _mm512_loadu_ps(from + i * from_step);
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    /* Now r[4g + c] holds, in its four 128-bit parts p, column 4p + c of rows 4g.. */
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        t[c] = _mm512_shuffle_f32x4(r[c], r[4 + c], 0x88);
        t[4 + c] = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0x88);
        t[8 + c] = _mm512_shuffle_f32x4(r[c], r[4 + c], 0xdd);
        t[12 + c] = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0xdd);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        _mm512_storeu_ps(to + c * to_step, _mm512_shuffle_f32x4(t[c], t[4 + c], 0x88));
        _mm512_storeu_ps(to + (8 + c) * to_step, _mm512_shuffle_f32x4(t[c], t[4 + c], 0xdd));
        _mm512_storeu_ps(to + (4 + c) * to_step,
                         _mm512_shuffle_f32x4(t[8 + c], t[12 + c], 0x88));
        _mm512_storeu_ps(to + (12 + c) * to_step,
                         _mm512_shuffle_f32x4(t[8 + c], t[12 + c], 0xdd));
    }
}
#else
/* One 8 x 8 quarter of a square. */
static inline void square_b32_quarter(const float *from, int64_t from_step, float *to,
                                      int64_t to_step)
{
    __m256 r[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_loadu_ps(from + i * from_step);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        _mm256_storeu_ps(to + c * to_step, _mm256_permute2f128_ps(r[c], r[4 + c], 0x20));
        _mm256_storeu_ps(to + (4 + c) * to_step,
                         _mm256_permute2f128_ps(r[c], r[4 + c], 0x31));
    }
}

static inline void square_b32(const float *from, int64_t from_step, float *to, int64_t to_step)
{
    square_b32_quarter(from, from_step, to, to_step);
    square_b32_quarter(from + 8, from_step, to + 8 * to_step, to_step);
    square_b32_quarter(from + 8 * from_step, from_step, to + 8, to_step);
    square_b32_quarter(from + 8 * from_step + 8, from_step, to + 8 * to_step + 8, to_step);
}
#endif

/* Rows i and i + 8 share a register, so that the exchanges within 128 bits that make
 * columns of 8 make columns of 16. */
static inline __m256i square_pair(const void *low, const void *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                   _mm_loadu_si128(high), 1);
}

static inline void square_b16(const uint16_t *from, int64_t from_step, uint16_t *to,
                              int64_t to_step)
{
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++, from += 8, to += 8 * to_step) {
        __m256i r[8], t[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            r[i] = square_pair(from + i * from_step, from + (i + 8) * from_step);
#pragma GCC unroll 4
        for (int i = 0; i < 8; i += 2) {
            t[i] = _mm256_unpacklo_epi16(r[i], r[i + 1]);
            t[i + 1] = _mm256_unpackhi_epi16(r[i], r[i + 1]);
        }
        /* t[2k], t[2k + 1]: columns 0..3 and 4..7 of rows 2k and 2k + 1. */
#pragma GCC unroll 2
        for (int i = 0; i < 8; i += 4) {
            r[i] = _mm256_unpacklo_epi32(t[i], t[i + 2]);
            r[i + 1] = _mm256_unpackhi_epi32(t[i], t[i + 2]);
            r[i + 2] = _mm256_unpacklo_epi32(t[i + 1], t[i + 3]);
            r[i + 3] = _mm256_unpackhi_epi32(t[i + 1], t[i + 3]);
        }
        /* r[c], r[4 + c]: columns 2c and 2c + 1 of rows 0..3 and 4..7. */
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++) {
            _mm256_storeu_si256((__m256i *)(to + 2 * c * to_step),
                                _mm256_unpacklo_epi64(r[c], r[4 + c]));
            _mm256_storeu_si256((__m256i *)(to + (2 * c + 1) * to_step),
                                _mm256_unpackhi_epi64(r[c], r[4 + c]));
        }
    }
}

static inline void square_b8(const uint8_t *from, int64_t from_step, uint8_t *to,
                             int64_t to_step)
{
    __m256i r[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        r[i] = square_pair(from + i * from_step, from + (i + 8) * from_step);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi8(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi8(r[i], r[i + 1]);
    }
    /* t[2k], t[2k + 1]: columns 0..7 and 8..15 of rows 2k and 2k + 1. */
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_unpacklo_epi16(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi16(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi16(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi16(t[i + 1], t[i + 3]);
    }
    /* r[c], r[4 + c]: columns 4c..4c + 3 of rows 0..3 and 4..7. */
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        t[2 * c] = _mm256_unpacklo_epi32(r[c], r[4 + c]);
        t[2 * c + 1] = _mm256_unpackhi_epi32(r[c], r[4 + c]);
    }
    /* t[k]: columns 2k and 2k + 1 of rows 0..7, and of rows 8..15 in the upper half. */
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
        const __m256i pair = _mm256_permute4x64_epi64(t[k], 0xd8);
        _mm_storeu_si128((__m128i *)(to + 2 * k * to_step), _mm256_castsi256_si128(pair));
        _mm_storeu_si128((__m128i *)(to + (2 * k + 1) * to_step),
                         _mm256_extracti128_si256(pair, 1));
    }
}

#endif
