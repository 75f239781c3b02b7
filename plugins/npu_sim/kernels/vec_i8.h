/* SPDX-License-Identifier: Apache-2.0
 *
 * vec_i8.h: 16 int32 in a register (AVX-512) or two (AVX2), the product of four bytes
 * with them, and requantization. Included by the templates of the quantized kernels.
 * Without VNNI bytes are multiplied as 16-bit numbers: pmaddubsw would saturate its sums
 * of two products (255 * 127 * 2 is above 32767), and results have to be exact.
 */
#ifndef TSR_NPU_VEC_I8_H
#define TSR_NPU_VEC_I8_H

#include <immintrin.h>
#include <string.h>
#include <tessera/device_kernels.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)

typedef __m512i vq16;

ALWAYS_INLINE vq16 vq_load(const void *p) { return _mm512_loadu_si512(p); }
ALWAYS_INLINE void vq_store(int32_t *p, vq16 v) { _mm512_storeu_si512(p, v); }
ALWAYS_INLINE vq16 vq_set1(int32_t i) { return _mm512_set1_epi32(i); }
ALWAYS_INLINE vq16 vq_add(vq16 a, vq16 b) { return _mm512_add_epi32(a, b); }
ALWAYS_INLINE vq16 vq_sub(vq16 a, vq16 b) { return _mm512_sub_epi32(a, b); }
ALWAYS_INLINE vq16 vq_madd(vq16 a, vq16 b) { return _mm512_madd_epi16(a, b); }
ALWAYS_INLINE vq16 vq_of_u8(const uint8_t *p)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}
ALWAYS_INLINE vq16 vq_of_s8(const uint8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}
/* 16-bit numbers below zeros. */
ALWAYS_INLINE vq16 vq_of_u16(const int16_t *p)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}
ALWAYS_INLINE vq16 vq_even_bytes(vq16 v) /* of signed pairs */
{
    return _mm512_srai_epi16(_mm512_slli_epi16(v, 8), 8);
}
ALWAYS_INLINE vq16 vq_odd_bytes(vq16 v) { return _mm512_srai_epi16(v, 8); }
ALWAYS_INLINE vq16 vq_even_ubytes(vq16 v)
{
    return _mm512_and_si512(v, _mm512_set1_epi16(0xff));
}
ALWAYS_INLINE vq16 vq_odd_ubytes(vq16 v) { return _mm512_srli_epi16(v, 8); }

ALWAYS_INLINE __m256i requant_8(__m256i sum, const double *factor, __m512d low, __m512d high,
                                const TsrRequant *r, const uint8_t *z)
{
    __m512d v = _mm512_mul_pd(_mm512_cvtepi32_pd(sum), _mm512_loadu_pd(factor));
    if (z != NULL) {
        const __m128i bytes = _mm_loadl_epi64((const __m128i *)z);
        const __m256i ints = r->residual_signed ? _mm256_cvtepi8_epi32(bytes)
                                                : _mm256_cvtepu8_epi32(bytes);
        const __m256i part = _mm256_sub_epi32(ints, _mm256_set1_epi32(r->residual_zero));
        v = _mm512_add_pd(v, _mm512_mul_pd(_mm512_cvtepi32_pd(part),
                                           _mm512_set1_pd(r->residual_factor)));
    }
    return _mm512_cvtpd_epi32(_mm512_max_pd(_mm512_min_pd(v, high), low));
}

/* 16 bytes of y; limits are integers, so that they may be applied before rounding. z: the
 * residual of 16 elements, or NULL. */
ALWAYS_INLINE __m128i vq_requant(vq16 sum, const double *factor, const TsrRequant *r,
                                 const uint8_t *z)
{
    const __m512d low = _mm512_set1_pd((double)r->low - r->y_zero);
    const __m512d high = _mm512_set1_pd((double)r->high - r->y_zero);
    const __m256i a = requant_8(_mm512_castsi512_si256(sum), factor, low, high, r, z);
    const __m256i b = requant_8(_mm512_extracti64x4_epi64(sum, 1), factor + 8, low, high, r,
                                z != NULL ? z + 8 : NULL);
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    return _mm512_cvtepi32_epi8(_mm512_add_epi32(both, _mm512_set1_epi32(r->y_zero)));
}

#else

typedef struct vq16 {
    __m256i a, b;
} vq16;

#define VQ_EACH(operation)                                                          \
    vq16 r;                                                                         \
    r.a = operation(x.a, y.a);                                                      \
    r.b = operation(x.b, y.b);                                                      \
    return r

ALWAYS_INLINE vq16 vq_load(const void *p)
{
    return (vq16){ _mm256_loadu_si256((const __m256i *)p),
                   _mm256_loadu_si256((const __m256i *)p + 1) };
}
ALWAYS_INLINE void vq_store(int32_t *p, vq16 v)
{
    _mm256_storeu_si256((__m256i *)p, v.a);
    _mm256_storeu_si256((__m256i *)p + 1, v.b);
}
ALWAYS_INLINE vq16 vq_set1(int32_t i)
{
    return (vq16){ _mm256_set1_epi32(i), _mm256_set1_epi32(i) };
}
ALWAYS_INLINE vq16 vq_add(vq16 x, vq16 y) { VQ_EACH(_mm256_add_epi32); }
ALWAYS_INLINE vq16 vq_sub(vq16 x, vq16 y) { VQ_EACH(_mm256_sub_epi32); }
ALWAYS_INLINE vq16 vq_madd(vq16 x, vq16 y) { VQ_EACH(_mm256_madd_epi16); }
ALWAYS_INLINE vq16 vq_of_u8(const uint8_t *p)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)p);
    return (vq16){ _mm256_cvtepu8_epi32(v), _mm256_cvtepu8_epi32(_mm_srli_si128(v, 8)) };
}
ALWAYS_INLINE vq16 vq_of_s8(const uint8_t *p)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)p);
    return (vq16){ _mm256_cvtepi8_epi32(v), _mm256_cvtepi8_epi32(_mm_srli_si128(v, 8)) };
}
/* 16-bit numbers below zeros. */
ALWAYS_INLINE vq16 vq_of_u16(const int16_t *p)
{
    return (vq16){ _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)),
                   _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p + 1)) };
}
ALWAYS_INLINE vq16 vq_even_bytes(vq16 v) /* of signed pairs */
{
    return (vq16){ _mm256_srai_epi16(_mm256_slli_epi16(v.a, 8), 8),
                   _mm256_srai_epi16(_mm256_slli_epi16(v.b, 8), 8) };
}
ALWAYS_INLINE vq16 vq_odd_bytes(vq16 v)
{
    return (vq16){ _mm256_srai_epi16(v.a, 8), _mm256_srai_epi16(v.b, 8) };
}
ALWAYS_INLINE vq16 vq_even_ubytes(vq16 v)
{
    const __m256i mask = _mm256_set1_epi16(0xff);
    return (vq16){ _mm256_and_si256(v.a, mask), _mm256_and_si256(v.b, mask) };
}
ALWAYS_INLINE vq16 vq_odd_ubytes(vq16 v)
{
    return (vq16){ _mm256_srli_epi16(v.a, 8), _mm256_srli_epi16(v.b, 8) };
}

/* Four elements from the i-th on. */
ALWAYS_INLINE __m128i requant_4(__m128i sum, const double *factor, __m256d low, __m256d high,
                                const TsrRequant *r, const uint8_t *z, int i)
{
    __m256d v = _mm256_mul_pd(_mm256_cvtepi32_pd(sum), _mm256_loadu_pd(factor + i));
    if (z != NULL) {
        int32_t word;
        memcpy(&word, z + i, sizeof(word));
        const __m128i bytes = _mm_cvtsi32_si128(word);
        const __m128i ints = r->residual_signed ? _mm_cvtepi8_epi32(bytes)
                                                : _mm_cvtepu8_epi32(bytes);
        const __m128i part = _mm_sub_epi32(ints, _mm_set1_epi32(r->residual_zero));
        v = _mm256_add_pd(v, _mm256_mul_pd(_mm256_cvtepi32_pd(part),
                                           _mm256_set1_pd(r->residual_factor)));
    }
    return _mm256_cvtpd_epi32(_mm256_max_pd(_mm256_min_pd(v, high), low));
}

/* The lowest bytes of four int32. */
ALWAYS_INLINE int32_t low_bytes(__m128i v)
{
    return _mm_cvtsi128_si32(_mm_shuffle_epi8(v, _mm_set1_epi32(0x0c080400)));
}

/* 16 bytes of y; limits are integers, so that they may be applied before rounding. z: the
 * residual of 16 elements, or NULL. */
ALWAYS_INLINE __m128i vq_requant(vq16 sum, const double *factor, const TsrRequant *r,
                                 const uint8_t *z)
{
    const __m256d low = _mm256_set1_pd((double)r->low - r->y_zero);
    const __m256d high = _mm256_set1_pd((double)r->high - r->y_zero);
    const __m128i zero = _mm_set1_epi32(r->y_zero);
    const __m128i a = requant_4(_mm256_castsi256_si128(sum.a), factor, low, high, r, z, 0);
    const __m128i b = requant_4(_mm256_extracti128_si256(sum.a, 1), factor, low, high, r, z, 4);
    const __m128i c = requant_4(_mm256_castsi256_si128(sum.b), factor, low, high, r, z, 8);
    const __m128i d = requant_4(_mm256_extracti128_si256(sum.b, 1), factor, low, high, r, z, 12);
    return _mm_setr_epi32(low_bytes(_mm_add_epi32(a, zero)), low_bytes(_mm_add_epi32(b, zero)),
                          low_bytes(_mm_add_epi32(c, zero)), low_bytes(_mm_add_epi32(d, zero)));
}

#endif

/* ------------------------------------------------- products of four bytes */

/* 16 times 4 weights, as the instruction set multiplies them. */
typedef struct QuadWeights {
    vq16 even, odd; /* VNNI: even holds all four */
} QuadWeights;

ALWAYS_INLINE QuadWeights quad_weights(const int8_t *w)
{
    const vq16 v = vq_load(w);
#if defined(__AVX512VNNI__)
    return (QuadWeights){ v, v };
#else
    return (QuadWeights){ vq_even_bytes(v), vq_odd_bytes(v) };
#endif
}

/* Four elements of x for all lanes. */
ALWAYS_INLINE QuadWeights quad_x(const uint8_t *x)
{
    int32_t word;
    vq16 v;
    memcpy(&word, x, sizeof(word));
    v = vq_set1(word);
#if defined(__AVX512VNNI__)
    return (QuadWeights){ v, v };
#else
    return (QuadWeights){ vq_even_ubytes(v), vq_odd_ubytes(v) };
#endif
}

ALWAYS_INLINE vq16 quad_add(vq16 sum, const QuadWeights *x, const QuadWeights *w)
{
#if defined(__AVX512VNNI__)
    return _mm512_dpbusd_epi32(sum, x->even, w->even);
#else
    return vq_add(sum, vq_add(vq_madd(x->even, w->even), vq_madd(x->odd, w->odd)));
#endif
}

#endif
