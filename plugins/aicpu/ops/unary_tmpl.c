/* SPDX-License-Identifier: Apache-2.0
 *
 * unary_tmpl.c: functions of one float, written once and compiled for float and double.
 * Included by unary.c with T, FN(name) for the C library's function of that type and
 * N(name) for the local one. p points to the op's parameters.
 */
static inline T N(relu_1)(T x, const T *p) { (void)p; return x < 0 ? 0 : x; }
static inline T N(leaky_relu_1)(T x, const T *p) { return x < 0 ? p[0] * x : x; }
/* Branches keep exp from overflowing. */
static inline T N(sigmoid_1)(T x, const T *p)
{
    T e = FN(exp)(-FN(fabs)(x));
    (void)p;
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
static inline T N(tanh_1)(T x, const T *p) { (void)p; return FN(tanh)(x); }
static inline T N(hard_sigmoid_1)(T x, const T *p)
{
    T y = p[0] * x + p[1];
    return y < 0 ? 0 : y > 1 ? 1 : y;
}
static inline T N(hard_swish_1)(T x, const T *p)
{
    T y = x / 6 + (T)0.5;
    (void)p;
    return x * (y < 0 ? 0 : y > 1 ? 1 : y);
}
static inline T N(elu_1)(T x, const T *p) { return x < 0 ? p[0] * FN(expm1)(x) : x; }
static inline T N(selu_1)(T x, const T *p)
{
    return x > 0 ? p[1] * x : p[1] * p[0] * FN(expm1)(x);
}
static inline T N(celu_1)(T x, const T *p)
{
    return x > 0 ? x : p[0] * FN(expm1)(x / p[0]);
}
/* log(1 + e^x) without overflow. */
static inline T N(softplus_1)(T x, const T *p)
{
    (void)p;
    return (x > 0 ? x : 0) + FN(log1p)(FN(exp)(-FN(fabs)(x)));
}
static inline T N(softsign_1)(T x, const T *p) { (void)p; return x / (1 + FN(fabs)(x)); }
static inline T N(mish_1)(T x, const T *p) { return x * FN(tanh)(N(softplus_1)(x, p)); }
static inline T N(swish_1)(T x, const T *p) { return x * N(sigmoid_1)(p[0] * x, p); }
static inline T N(thresholded_relu_1)(T x, const T *p) { return x > p[0] ? x : 0; }
/* Gelu 20: p[0] says whether tanh approximates erf. */
static inline T N(gelu_1)(T x, const T *p)
{
    if (p[0] != 0)
        return (T)0.5 * x *
               (1 + FN(tanh)((T)0.7978845608028654 * (x + (T)0.044715 * x * x * x)));
    return (T)0.5 * x * (1 + FN(erf)(x * (T)0.7071067811865476));
}
static inline T N(abs_1)(T x, const T *p) { (void)p; return FN(fabs)(x); }
static inline T N(acos_1)(T x, const T *p) { (void)p; return FN(acos)(x); }
static inline T N(acosh_1)(T x, const T *p) { (void)p; return FN(acosh)(x); }
static inline T N(asin_1)(T x, const T *p) { (void)p; return FN(asin)(x); }
static inline T N(asinh_1)(T x, const T *p) { (void)p; return FN(asinh)(x); }
static inline T N(atan_1)(T x, const T *p) { (void)p; return FN(atan)(x); }
static inline T N(atanh_1)(T x, const T *p) { (void)p; return FN(atanh)(x); }
static inline T N(ceil_1)(T x, const T *p) { (void)p; return FN(ceil)(x); }
static inline T N(cos_1)(T x, const T *p) { (void)p; return FN(cos)(x); }
static inline T N(cosh_1)(T x, const T *p) { (void)p; return FN(cosh)(x); }
static inline T N(erf_1)(T x, const T *p) { (void)p; return FN(erf)(x); }
static inline T N(exp_1)(T x, const T *p) { (void)p; return FN(exp)(x); }
static inline T N(floor_1)(T x, const T *p) { (void)p; return FN(floor)(x); }
static inline T N(log_1)(T x, const T *p) { (void)p; return FN(log)(x); }
static inline T N(neg_1)(T x, const T *p) { (void)p; return -x; }
static inline T N(reciprocal_1)(T x, const T *p) { (void)p; return 1 / x; }
/* Round 11: halves go to the nearest even integer. */
static inline T N(round_1)(T x, const T *p) { (void)p; return FN(rint)(x); }
static inline T N(sign_1)(T x, const T *p) { (void)p; return (T)((x > 0) - (x < 0)); }
static inline T N(sin_1)(T x, const T *p) { (void)p; return FN(sin)(x); }
static inline T N(sinh_1)(T x, const T *p) { (void)p; return FN(sinh)(x); }
static inline T N(sqrt_1)(T x, const T *p) { (void)p; return FN(sqrt)(x); }
static inline T N(tan_1)(T x, const T *p) { (void)p; return FN(tan)(x); }
static inline T N(shrink_1)(T x, const T *p)
{
    return x < -p[1] ? x + p[0] : x > p[1] ? x - p[0] : 0;
}

/* The loop around one of the functions above. */
#define LOOP(name)                                                                  \
    static void N(name)(void *y, const void *x, int64_t n, const void *p)           \
    {                                                                               \
        for (int64_t i = 0; i < n; i++)                                             \
            ((T *)y)[i] = N(name##_1)(((const T *)x)[i], p);                        \
    }
LOOP(relu)
LOOP(leaky_relu)
LOOP(sigmoid)
LOOP(tanh)
LOOP(hard_sigmoid)
LOOP(hard_swish)
LOOP(elu)
LOOP(selu)
LOOP(celu)
LOOP(softplus)
LOOP(softsign)
LOOP(mish)
LOOP(swish)
LOOP(thresholded_relu)
LOOP(gelu)
LOOP(abs)
LOOP(acos)
LOOP(acosh)
LOOP(asin)
LOOP(asinh)
LOOP(atan)
LOOP(atanh)
LOOP(ceil)
LOOP(cos)
LOOP(cosh)
LOOP(erf)
LOOP(exp)
LOOP(floor)
LOOP(log)
LOOP(neg)
LOOP(reciprocal)
LOOP(round)
LOOP(sign)
LOOP(sin)
LOOP(sinh)
LOOP(sqrt)
LOOP(tan)
LOOP(shrink)
#undef LOOP
#undef T
#undef N
#undef FN
