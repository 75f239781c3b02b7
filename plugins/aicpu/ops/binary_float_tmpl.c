/* SPDX-License-Identifier: Apache-2.0
 *
 * binary_float_tmpl.c: functions of two floats; included by binary.c with T, N(name) and
 * FN(name) for the C library's function of that type.
 */
static inline T N(add_1)(T a, T b) { return a + b; }
static inline T N(sub_1)(T a, T b) { return a - b; }
static inline T N(mul_1)(T a, T b) { return a * b; }
static inline T N(div_1)(T a, T b) { return a / b; }
/* Squares are so common that they are worth a branch; the product is exact rounding. */
static inline T N(pow_1)(T a, T b) { return b == 2 ? a * a : FN(pow)(a, b); }
/* A NaN on either side stays (numpy.maximum). */
static inline T N(max_1)(T a, T b) { return a > b || a != a ? a : b; }
static inline T N(min_1)(T a, T b) { return a < b || a != a ? a : b; }
/* Mod 13: fmod takes the sign of the dividend, mod that of the divisor. */
static inline T N(fmod_1)(T a, T b) { return FN(fmod)(a, b); }
static inline T N(mod_1)(T a, T b)
{
    T r = FN(fmod)(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline T N(prelu_1)(T a, T b) { return a < 0 ? a * b : a; }
static inline uint8_t N(equal_1)(T a, T b) { return a == b; }
static inline uint8_t N(greater_1)(T a, T b) { return a > b; }
static inline uint8_t N(less_1)(T a, T b) { return a < b; }
static inline uint8_t N(greater_equal_1)(T a, T b) { return a >= b; }
static inline uint8_t N(less_equal_1)(T a, T b) { return a <= b; }

BINARY_LOOP(N(add), T, T, N(add_1))
BINARY_LOOP(N(sub), T, T, N(sub_1))
BINARY_LOOP(N(mul), T, T, N(mul_1))
BINARY_LOOP(N(div), T, T, N(div_1))
BINARY_LOOP(N(pow), T, T, N(pow_1))
BINARY_LOOP(N(max), T, T, N(max_1))
BINARY_LOOP(N(min), T, T, N(min_1))
BINARY_LOOP(N(fmod), T, T, N(fmod_1))
BINARY_LOOP(N(mod), T, T, N(mod_1))
BINARY_LOOP(N(prelu), T, T, N(prelu_1))
BINARY_LOOP(N(equal), uint8_t, T, N(equal_1))
BINARY_LOOP(N(greater), uint8_t, T, N(greater_1))
BINARY_LOOP(N(less), uint8_t, T, N(less_1))
BINARY_LOOP(N(greater_equal), uint8_t, T, N(greater_equal_1))
BINARY_LOOP(N(less_equal), uint8_t, T, N(less_equal_1))
#undef T
#undef N
#undef FN
