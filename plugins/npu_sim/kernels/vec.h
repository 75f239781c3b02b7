/* SPDX-License-Identifier: Apache-2.0
 *
 * vec.h: a vector of 16 floats as the kernel templates see it: one zmm register with
 * AVX-512, two ymm registers with AVX2. Included only by files that are compiled
 * with one of the two instruction sets. Nothing here rounds more than once.
 */
#ifndef TSR_NPU_VEC_H
#define TSR_NPU_VEC_H

#include <immintrin.h>
#include <stdint.h>

#if defined(__AVX512F__)

typedef __m512 v16;
typedef __m512i v16i;
typedef __mmask16 v16m;

static inline v16 v_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store(float *p, v16 v) { _mm512_storeu_ps(p, v); }
static inline v16 v_set1(float f) { return _mm512_set1_ps(f); }
static inline v16 v_zero(void) { return _mm512_setzero_ps(); }
static inline v16 v_fma(v16 a, v16 b, v16 c) { return _mm512_fmadd_ps(a, b, c); }
static inline v16 v_fnma(v16 a, v16 b, v16 c) { return _mm512_fnmadd_ps(a, b, c); }
static inline v16 v_add(v16 a, v16 b) { return _mm512_add_ps(a, b); }
static inline v16 v_sub(v16 a, v16 b) { return _mm512_sub_ps(a, b); }
static inline v16 v_mul(v16 a, v16 b) { return _mm512_mul_ps(a, b); }
static inline v16 v_div(v16 a, v16 b) { return _mm512_div_ps(a, b); }
static inline v16 v_sqrt(v16 a) { return _mm512_sqrt_ps(a); }
/* As the instruction: the second operand when either is NaN. */
static inline v16 v_max(v16 a, v16 b) { return _mm512_max_ps(a, b); }
static inline v16 v_min(v16 a, v16 b) { return _mm512_min_ps(a, b); }
static inline v16m v_lt(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline v16m v_nan(v16 a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q); }
static inline v16m v_eq(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
/* m ? a : b */
static inline v16 v_select(v16m m, v16 a, v16 b) { return _mm512_mask_blend_ps(m, b, a); }
static inline v16 v_round(v16 a) { return _mm512_roundscale_ps(a, 8); }
static inline v16 v_floor(v16 a) { return _mm512_roundscale_ps(a, 9); }
static inline v16 v_ceil(v16 a) { return _mm512_roundscale_ps(a, 10); }
static inline v16i v_bits(v16 a) { return _mm512_castps_si512(a); }
static inline v16 v_float_of(v16i a) { return _mm512_castsi512_ps(a); }
static inline v16i vi_set1(int32_t i) { return _mm512_set1_epi32(i); }
static inline v16i vi_add(v16i a, v16i b) { return _mm512_add_epi32(a, b); }
static inline v16i vi_sub(v16i a, v16i b) { return _mm512_sub_epi32(a, b); }
static inline v16i vi_and(v16i a, v16i b) { return _mm512_and_si512(a, b); }
static inline v16i vi_or(v16i a, v16i b) { return _mm512_or_si512(a, b); }
static inline v16i vi_shl23(v16i a) { return _mm512_slli_epi32(a, 23); }
static inline v16i vi_sar(v16i a, int n) { return _mm512_srai_epi32(a, (unsigned)n); }
static inline v16i vi_of(v16 a) { return _mm512_cvtps_epi32(a); }
static inline v16 v_of(v16i a) { return _mm512_cvtepi32_ps(a); }
static inline float v_sum(v16 a) { return _mm512_reduce_add_ps(a); }
static inline float v_hmax(v16 a) { return _mm512_reduce_max_ps(a); }

/* The first n lanes (0 <= n <= 16); the others read as zero and are not touched. */
static inline v16 v_load_n(const float *p, int n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1u), p);
}

static inline void v_store_n(float *p, v16 v, int n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1u), v);
}

#else

typedef struct { __m256 lo, hi; } v16;
typedef struct { __m256i lo, hi; } v16i;
typedef v16 v16m;

#define TSR_V_EACH2(fn, a, b) ((v16){ fn((a).lo, (b).lo), fn((a).hi, (b).hi) })
#define TSR_VI_EACH2(fn, a, b) ((v16i){ fn((a).lo, (b).lo), fn((a).hi, (b).hi) })

static inline v16 v_load(const float *p)
{
    return (v16){ _mm256_loadu_ps(p), _mm256_loadu_ps(p + 8) };
}
static inline void v_store(float *p, v16 v)
{
    _mm256_storeu_ps(p, v.lo);
    _mm256_storeu_ps(p + 8, v.hi);
}
static inline v16 v_set1(float f)
{
    __m256 half = _mm256_set1_ps(f);
    return (v16){ half, half };
}
static inline v16 v_zero(void) { return (v16){ _mm256_setzero_ps(), _mm256_setzero_ps() }; }
static inline v16 v_fma(v16 a, v16 b, v16 c)
{
    return (v16){ _mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi) };
}
static inline v16 v_fnma(v16 a, v16 b, v16 c)
{
    return (v16){ _mm256_fnmadd_ps(a.lo, b.lo, c.lo), _mm256_fnmadd_ps(a.hi, b.hi, c.hi) };
}
static inline v16 v_add(v16 a, v16 b) { return TSR_V_EACH2(_mm256_add_ps, a, b); }
static inline v16 v_sub(v16 a, v16 b) { return TSR_V_EACH2(_mm256_sub_ps, a, b); }
static inline v16 v_mul(v16 a, v16 b) { return TSR_V_EACH2(_mm256_mul_ps, a, b); }
static inline v16 v_div(v16 a, v16 b) { return TSR_V_EACH2(_mm256_div_ps, a, b); }
static inline v16 v_sqrt(v16 a)
{
    return (v16){ _mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi) };
}
/* As the instruction: the second operand when either is NaN. */
static inline v16 v_max(v16 a, v16 b) { return TSR_V_EACH2(_mm256_max_ps, a, b); }
static inline v16 v_min(v16 a, v16 b) { return TSR_V_EACH2(_mm256_min_ps, a, b); }
static inline v16m v_lt(v16 a, v16 b)
{
    return (v16){ _mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ) };
}
static inline v16m v_nan(v16 a)
{
    return (v16){ _mm256_cmp_ps(a.lo, a.lo, _CMP_UNORD_Q),
                  _mm256_cmp_ps(a.hi, a.hi, _CMP_UNORD_Q) };
}
static inline v16m v_eq(v16 a, v16 b)
{
    return (v16){ _mm256_cmp_ps(a.lo, b.lo, _CMP_EQ_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_EQ_OQ) };
}
/* m ? a : b */
static inline v16 v_select(v16m m, v16 a, v16 b)
{
    return (v16){ _mm256_blendv_ps(b.lo, a.lo, m.lo), _mm256_blendv_ps(b.hi, a.hi, m.hi) };
}
static inline v16 v_round(v16 a)
{
    return (v16){ _mm256_round_ps(a.lo, 8), _mm256_round_ps(a.hi, 8) };
}
static inline v16 v_floor(v16 a)
{
    return (v16){ _mm256_round_ps(a.lo, 9), _mm256_round_ps(a.hi, 9) };
}
static inline v16 v_ceil(v16 a)
{
    return (v16){ _mm256_round_ps(a.lo, 10), _mm256_round_ps(a.hi, 10) };
}
static inline v16i v_bits(v16 a)
{
    return (v16i){ _mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi) };
}
static inline v16 v_float_of(v16i a)
{
    return (v16){ _mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi) };
}
static inline v16i vi_set1(int32_t i)
{
    return (v16i){ _mm256_set1_epi32(i), _mm256_set1_epi32(i) };
}
static inline v16i vi_add(v16i a, v16i b) { return TSR_VI_EACH2(_mm256_add_epi32, a, b); }
static inline v16i vi_sub(v16i a, v16i b) { return TSR_VI_EACH2(_mm256_sub_epi32, a, b); }
static inline v16i vi_and(v16i a, v16i b) { return TSR_VI_EACH2(_mm256_and_si256, a, b); }
static inline v16i vi_or(v16i a, v16i b) { return TSR_VI_EACH2(_mm256_or_si256, a, b); }
static inline v16i vi_shl23(v16i a)
{
    return (v16i){ _mm256_slli_epi32(a.lo, 23), _mm256_slli_epi32(a.hi, 23) };
}
static inline v16i vi_sar(v16i a, int n)
{
    return (v16i){ _mm256_srai_epi32(a.lo, n), _mm256_srai_epi32(a.hi, n) };
}
static inline v16i vi_of(v16 a)
{
    return (v16i){ _mm256_cvtps_epi32(a.lo), _mm256_cvtps_epi32(a.hi) };
}
static inline v16 v_of(v16i a)
{
    return (v16){ _mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi) };
}
static inline float v_sum(v16 a)
{
    __m256 all = _mm256_add_ps(a.lo, a.hi);
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
static inline float v_hmax(v16 a)
{
    __m256 all = _mm256_max_ps(a.lo, a.hi);
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

static inline __m256i v_mask8(int n)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lanes);
}

/* The first n lanes (0 <= n <= 16); the others read as zero and are not touched. */
static inline v16 v_load_n(const float *p, int n)
{
    return (v16){ _mm256_maskload_ps(p, v_mask8(n)), _mm256_maskload_ps(p + 8, v_mask8(n - 8)) };
}

static inline void v_store_n(float *p, v16 v, int n)
{
    _mm256_maskstore_ps(p, v_mask8(n), v.lo);
    _mm256_maskstore_ps(p + 8, v_mask8(n - 8), v.hi);
}

#endif

/* Like max and min of ONNX: NaN when either operand is. */
static inline v16 v_max_nan(v16 a, v16 b) { return v_select(v_nan(a), a, v_max(a, b)); }
static inline v16 v_min_nan(v16 a, v16 b) { return v_select(v_nan(a), a, v_min(a, b)); }

#endif
