/* SPDX-License-Identifier: Apache-2.0
 *
 * velem.h: 16 elements of storage as a vector of 16 floats and back, for the kernel
 * templates; see elem.h for the storage type. The conversions for a given type are here
 * too, since CAST needs several in one file.
 */
#ifndef TSR_NPU_VELEM_H
#define TSR_NPU_VELEM_H

#include <string.h>
#include "elem.h"
#include "vec.h"

/* The 16 halves in a register as floats, and rounded to nearest even. */
#if defined(__AVX512F__)
static inline v16 v_of_f16(__m256i h) { return _mm512_cvtph_ps(h); }
static inline __m256i v_to_f16(v16 v)
{
    return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline v16 v_of_bf16(__m256i h)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}
static inline __m256i v_to_bf16(v16 v)
{
    const __m512i bits = _mm512_castps_si512(v), top = _mm512_srli_epi32(bits, 16);
    const __m512i odd = _mm512_and_si512(top, _mm512_set1_epi32(1));
    const __m512i even =
        _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))),
                          16);
    /* A NaN keeps its upper bits and is made quiet. */
    return _mm512_cvtepi32_epi16(_mm512_mask_or_epi32(even, v_nan(v), top,
                                                      _mm512_set1_epi32(0x40)));
}
#else
static inline v16 v_of_f16(__m256i h)
{
    return (v16){ _mm256_cvtph_ps(_mm256_castsi256_si128(h)),
                  _mm256_cvtph_ps(_mm256_extracti128_si256(h, 1)) };
}
static inline __m256i v_to_f16(v16 v)
{
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm256_cvtps_ph(v.lo, _MM_FROUND_TO_NEAREST_INT)),
        _mm256_cvtps_ph(v.hi, _MM_FROUND_TO_NEAREST_INT), 1);
}
static inline __m256 half_of_bf16(__m128i h)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}
static inline v16 v_of_bf16(__m256i h)
{
    return (v16){ half_of_bf16(_mm256_castsi256_si128(h)),
                  half_of_bf16(_mm256_extracti128_si256(h, 1)) };
}
static inline __m256i half_to_bf16(__m256 v)
{
    const __m256i bits = _mm256_castps_si256(v), top = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(top, _mm256_set1_epi32(1));
    const __m256i even =
        _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))),
                          16);
    /* A NaN keeps its upper bits and is made quiet. */
    return _mm256_blendv_epi8(even, _mm256_or_si256(top, _mm256_set1_epi32(0x40)),
                              _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
}
static inline __m256i v_to_bf16(v16 v)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(half_to_bf16(v.lo), half_to_bf16(v.hi)),
                                    0xd8);
}
#endif

/* The first n of 16 halves; the others read as zero and are not touched. */
static inline __m256i half_load_n(const uint16_t *p, int n)
{
#if defined(__AVX512F__)
    return _mm256_maskz_loadu_epi16((__mmask16)((1u << n) - 1u), p);
#else
    uint16_t lanes[16] = { 0 };
    if (n == 16)
        return _mm256_loadu_si256((const __m256i *)p);
    for (int i = 0; i < n; i++)
        lanes[i] = p[i];
    return _mm256_loadu_si256((const __m256i *)lanes);
#endif
}

static inline void half_store_n(uint16_t *p, __m256i h, int n)
{
#if defined(__AVX512F__)
    _mm256_mask_storeu_epi16(p, (__mmask16)((1u << n) - 1u), h);
#else
    uint16_t lanes[16];
    if (n == 16) {
        _mm256_storeu_si256((__m256i *)p, h);
        return;
    }
    _mm256_storeu_si256((__m256i *)lanes, h);
    for (int i = 0; i < n; i++)
        p[i] = lanes[i];
#endif
}

#if TSR_ELEM == 0
static inline v16 e_load(const elem *p) { return v_load(p); }
static inline void e_store(elem *p, v16 v) { v_store(p, v); }
static inline v16 e_load_n(const elem *p, int n) { return v_load_n(p, n); }
static inline void e_store_n(elem *p, v16 v, int n) { v_store_n(p, v, n); }
#else
#if TSR_ELEM == 1
#define ELEM_WIDEN v_of_f16
#define ELEM_NARROW v_to_f16
#else
#define ELEM_WIDEN v_of_bf16
#define ELEM_NARROW v_to_bf16
#endif
static inline v16 e_load(const elem *p)
{
    return ELEM_WIDEN(_mm256_loadu_si256((const __m256i *)p));
}
static inline void e_store(elem *p, v16 v)
{
    _mm256_storeu_si256((__m256i *)p, ELEM_NARROW(v));
}
static inline v16 e_load_n(const elem *p, int n) { return ELEM_WIDEN(half_load_n(p, n)); }
static inline void e_store_n(elem *p, v16 v, int n) { half_store_n(p, ELEM_NARROW(v), n); }
#endif

#endif
