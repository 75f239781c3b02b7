/* SPDX-License-Identifier: Apache-2.0
 *
 * vec_math.h: elementary functions over v16 for the kernel templates, within about
 * two units in the last place. Method: reduction to a short interval (Cody and Waite
 * 1980 for exp), then the function's own Taylor series, long enough that the first
 * dropped term is below half a unit there.
 */
#ifndef TSR_NPU_VEC_MATH_H
#define TSR_NPU_VEC_MATH_H

#include <math.h>
#include <tessera/device_kernels.h>
#include "vec.h"

#define LN2_HI 0.693359375f
#define LN2_LO -2.12194440e-4f

/* exp(r) - 1 for |r| <= ln(2)/2. */
static inline v16 vm_expm1_reduced(v16 r)
{
    v16 p = v_set1(1.0f / 5040.0f);
    p = v_fma(p, r, v_set1(1.0f / 720.0f));
    p = v_fma(p, r, v_set1(1.0f / 120.0f));
    p = v_fma(p, r, v_set1(1.0f / 24.0f));
    p = v_fma(p, r, v_set1(1.0f / 6.0f));
    p = v_fma(p, r, v_set1(0.5f));
    return v_fma(v_mul(r, r), p, r);
}

/* x = k ln 2 + r. */
static inline v16 vm_reduce(v16 x, v16 *out_k)
{
    v16 k = v_round(v_mul(x, v_set1(1.44269504088896341f)));
    v16 r = v_fnma(k, v_set1(LN2_HI), x);
    *out_k = k;
    return v_fnma(k, v_set1(LN2_LO), r);
}

/* 2^k for integral k in [-126, 127]. */
static inline v16 vm_pow2(v16 k)
{
    return v_float_of(vi_shl23(vi_add(vi_of(k), vi_set1(127))));
}

static inline v16 vm_exp(v16 x)
{
    v16 k, r, y, half, c;
    /* Beyond these bounds the result is 0 or infinity all the same. NaN stays in the
     * second operand. */
    c = v_min(v_set1(89.0f), v_max(v_set1(-104.0f), x));
    r = vm_reduce(c, &k);
    y = v_add(vm_expm1_reduced(r), v_set1(1.0f));
    /* Scaled in two steps, so that results below the least normal number and just
     * below infinity come out right. */
    half = v_floor(v_mul(k, v_set1(0.5f)));
    return v_mul(v_mul(y, vm_pow2(half)), vm_pow2(v_sub(k, half)));
}

static inline v16 vm_expm1(v16 x)
{
    v16 k, r, s, c;
    c = v_min(v_set1(88.0f), v_max(v_set1(-30.0f), x));
    r = vm_reduce(c, &k);
    s = vm_pow2(k);
    return v_select(v_lt(v_set1(88.0f), x), v_set1(INFINITY),
                    v_fma(s, vm_expm1_reduced(r), v_sub(s, v_set1(1.0f))));
}

static inline v16 vm_log(v16 x)
{
    const v16 one = v_set1(1.0f);
    v16m tiny = v_lt(x, v_set1(1.17549435e-38f));
    v16 scaled = v_select(tiny, v_mul(x, v_set1(33554432.0f)), x);
    /* Mantissa in [sqrt(1/2), sqrt(2)): the exponent is counted from there. */
    v16i bits = v_bits(scaled);
    v16i exponent = vi_sar(vi_sub(bits, vi_set1(0x3f3504f3)), 23);
    v16 m = v_float_of(vi_sub(bits, vi_shl23(exponent)));
    v16 k = v_sub(v_of(exponent), v_select(tiny, v_set1(25.0f), v_zero()));
    v16 f = v_sub(m, one);
    v16 s = v_div(f, v_add(f, v_set1(2.0f)));
    v16 z = v_mul(s, s), h = v_mul(v_set1(0.5f), v_mul(f, f)), p, y;
    /* log(1 + f) = f - h + s (h + R), R = 2 (z/3 + z^2/5 + ...). */
    p = v_set1(2.0f / 11.0f);
    p = v_fma(p, z, v_set1(2.0f / 9.0f));
    p = v_fma(p, z, v_set1(2.0f / 7.0f));
    p = v_fma(p, z, v_set1(2.0f / 5.0f));
    p = v_fma(p, z, v_set1(2.0f / 3.0f));
    p = v_mul(p, z);
    y = v_fma(s, v_add(h, p), v_mul(k, v_set1(LN2_LO)));
    y = v_add(v_sub(y, h), f);
    y = v_fma(k, v_set1(LN2_HI), y);
    y = v_select(v_eq(x, v_set1(INFINITY)), x, y);
    y = v_select(v_eq(x, v_zero()), v_set1(-INFINITY), y);
    y = v_select(v_lt(x, v_zero()), v_set1(NAN), y);
    return v_select(v_nan(x), x, y);
}

static inline v16 vm_abs(v16 x) { return v_float_of(vi_and(v_bits(x), vi_set1(0x7fffffff))); }

/* |a| with the sign of s. */
static inline v16 vm_copysign(v16 a, v16 s)
{
    return v_float_of(vi_or(vi_and(v_bits(a), vi_set1(0x7fffffff)),
                            vi_and(v_bits(s), vi_set1((int32_t)0x80000000u))));
}

static inline v16 vm_sigmoid(v16 x)
{
    const v16 one = v_set1(1.0f);
    return v_div(one, v_add(one, vm_exp(v_sub(v_zero(), x))));
}

static inline v16 vm_tanh(v16 x)
{
    /* tanh x = t / (t + 2) with t = exp(2x) - 1; 1 in binary32 from 9.02 on. */
    v16 a = v_min(v_set1(10.0f), vm_abs(x));
    v16 t = vm_expm1(v_add(a, a));
    v16 y = v_div(t, v_add(t, v_set1(2.0f)));
    return v_select(v_nan(x), x, vm_copysign(y, x));
}

/* (1 - erf(a)) * exp(z) for a >= 0 and z = a * a, by Abramowitz and Stegun 7.1.26: times
 * exp(-z) it is right to an absolute error of 1.5e-7. */
static inline v16 vm_erfc_scaled(v16 a)
{
    const v16 one = v_set1(1.0f);
    const v16 t = v_div(one, v_fma(v_set1(0.3275911f), a, one));
    v16 q = v_set1(1.061405429f);
    q = v_fma(q, t, v_set1(-1.453152027f));
    q = v_fma(q, t, v_set1(1.421413741f));
    q = v_fma(q, t, v_set1(-0.284496736f));
    q = v_fma(q, t, v_set1(0.254829592f));
    return v_mul(q, t);
}

static inline v16 vm_erf(v16 x)
{
    /* Up to 1 the Taylor series 2/sqrt(pi) sum (-1)^n x^(2n+1) / (n! (2n+1)); above,
     * Abramowitz and Stegun 7.1.26 (absolute error 1.5e-7). */
    static const float c[12] = {
        1.1283791671f, -0.37612638903f, 0.11283791671f, -0.026866170645f,
        0.0052239776254f, -8.5483270234e-4f, 1.2055332981e-4f, -1.4925650358e-5f,
        1.6462114365e-6f, -1.6365844691e-7f, 1.4807192815e-8f, -1.2290555301e-9f,
    };
    const v16 one = v_set1(1.0f);
    v16 a = v_min(v_set1(6.0f), vm_abs(x)), z = v_mul(a, a), p = v_set1(c[11]), q;
    for (int i = 10; i >= 0; i--)
        p = v_fma(p, z, v_set1(c[i]));
    p = v_mul(p, a);
    q = v_fnma(vm_erfc_scaled(a), vm_exp(v_sub(v_zero(), z)), one);
    return v_select(v_nan(x), x, vm_copysign(v_select(v_lt(a, one), p, q), x));
}

/* max(x, 0) etc. with NaN passing through. */
static inline v16 vm_relu(v16 x) { return v_max(v_zero(), x); }
static inline v16 vm_clip(v16 x, v16 low, v16 high) { return v_min(high, v_max(low, x)); }

static inline v16 vm_leaky_relu(v16 x, v16 alpha)
{
    return v_select(v_lt(x, v_zero()), v_mul(x, alpha), x);
}

static inline v16 vm_hard_sigmoid(v16 x, v16 alpha, v16 beta)
{
    return vm_clip(v_add(v_mul(alpha, x), beta), v_zero(), v_set1(1.0f));
}

static inline v16 vm_hard_swish(v16 x)
{
    return v_mul(x, vm_hard_sigmoid(x, v_set1(1.0f / 6.0f), v_set1(0.5f)));
}

static inline v16 vm_gelu(v16 x)
{
    /* With e = (1 - erf(|x| / sqrt 2)) / 2 it is x e below zero and x (1 - e) above. Around
     * zero the absolute error of e is a relative one of the result, so the series that
     * vm_erf has there is not wanted. e is 0 in binary32 from 15 on. */
    const v16 a = v_min(v_set1(10.6f), vm_abs(v_mul(x, v_set1(0.70710678118f))));
    const v16 power = vm_exp(v_sub(v_zero(), v_mul(a, a)));
    const v16 e = v_mul(v_mul(v_set1(0.5f), vm_erfc_scaled(a)), power);
    return v_mul(x, v_select(v_lt(x, v_zero()), e, v_sub(v_set1(1.0f), e)));
}

static inline v16 vm_gelu_tanh(v16 x)
{
    const v16 inner = v_mul(v_set1(0.79788456080f),
                            v_fma(v_mul(v_mul(x, x), x), v_set1(0.044715f), x));
    return v_mul(v_mul(v_set1(0.5f), x), v_add(v_set1(1.0f), vm_tanh(inner)));
}

/* The fused activation behind a kernel. */
static inline v16 vm_activate(v16 x, const TsrActivation *activation)
{
    switch (activation->kind) {
    case TSR_ACT_RELU: return vm_relu(x);
    case TSR_ACT_CLIP:
        return vm_clip(x, v_set1(activation->alpha), v_set1(activation->beta));
    case TSR_ACT_LEAKY_RELU: return vm_leaky_relu(x, v_set1(activation->alpha));
    case TSR_ACT_HARD_SWISH: return vm_hard_swish(x);
    case TSR_ACT_HARD_SIGMOID:
        return vm_hard_sigmoid(x, v_set1(activation->alpha), v_set1(activation->beta));
    case TSR_ACT_SIGMOID: return vm_sigmoid(x);
    case TSR_ACT_SCALED_HARD_SWISH:
        return v_fma(vm_hard_swish(x), v_set1(activation->alpha), v_set1(activation->beta));
    case TSR_ACT_GELU: return vm_gelu(x);
    case TSR_ACT_GELU_TANH: return vm_gelu_tanh(x);
    case TSR_ACT_TANH: return vm_tanh(x);
    default: return x;
    }
}

#endif
