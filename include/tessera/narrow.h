/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow.h: float16 and bfloat16 to float and back, for plugins and kernels. Header-only,
 * plain C11; needs no library but the C library.
 */
#ifndef TESSERA_NARROW_H
#define TESSERA_NARROW_H

#include <stdint.h>
#include <string.h>

/* IEEE 754 binary16 to binary32, exact. */
static inline float tsr_float16_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu, mantissa = half & 0x3ffu, bits;
    float value;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000u | (mantissa << 13);
    } else if (exponent != 0) {
        bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
    } else {
        /* Subnormal: mantissa * 2^-24 is exact in binary32. */
        value = (float)mantissa * 5.9604644775390625e-8f;
        memcpy(&bits, &value, 4);
        bits |= sign;
    }
    memcpy(&value, &bits, 4);
    return value;
}

/* binary32 to binary16, round to nearest even; overflow gives infinity, NaN stays
 * a quiet NaN. */
static inline uint16_t tsr_float_to_float16(float value)
{
    uint32_t bits, sign, magnitude;
    memcpy(&bits, &value, 4);
    sign = (bits >> 16) & 0x8000u;
    magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
    if (magnitude >= 0x477ff000u) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) {
        /* Below the least normal number: adding 0.5 aligns the mantissa so that
         * the hardware rounds to nearest even at bit 2^-24. */
        float aligned;
        memcpy(&aligned, &magnitude, 4);
        aligned += 0.5f;
        memcpy(&bits, &aligned, 4);
        return (uint16_t)(sign | (bits - 0x3f000000u));
    }
    magnitude += 0xfffu + ((magnitude >> 13) & 1u);
    return (uint16_t)(sign | ((magnitude - 0x38000000u) >> 13));
}

static inline float tsr_bfloat16_to_float(uint16_t brain)
{
    uint32_t bits = (uint32_t)brain << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* binary32 to bfloat16, round to nearest even; NaN stays a quiet NaN. */
static inline uint16_t tsr_float_to_bfloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)((bits >> 16) | 0x40u);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#endif
