/* SPDX-License-Identifier: Apache-2.0
 *
 * binary_int_tmpl.c: functions of two integers; included by binary.c with T, N(name) and
 * the unsigned twin UT (at least 32 bits wide), in which sums and products wrap without
 * undefined behaviour. What has no value (x / 0) gives 0 instead of a trap.
 */
static inline T N(add_1)(T a, T b) { return (T)((UT)a + (UT)b); }
static inline T N(sub_1)(T a, T b) { return (T)((UT)a - (UT)b); }
static inline T N(mul_1)(T a, T b) { return (T)((UT)a * (UT)b); }
static inline T N(div_1)(T a, T b)
{
    if (b == 0)
        return 0;
    return b == (T)-1 && (T)-1 < 1 ? (T)(0 - (UT)a) : (T)(a / b);
}
/* By squaring; a negative exponent leaves 0 but for the bases 1 and -1. */
static inline T N(pow_1)(T a, T b)
{
    UT base = (UT)a, result = 1;
    if (b < 1 && b != 0)
        return a == 1 ? 1 : a == (T)-1 ? (b & 1 ? a : 1) : 0;
    for (; b != 0; b = (T)(b >> 1)) {
        if (b & 1)
            result *= base;
        base *= base;
    }
    return (T)result;
}
static inline T N(max_1)(T a, T b) { return a > b ? a : b; }
static inline T N(min_1)(T a, T b) { return a < b ? a : b; }
static inline T N(fmod_1)(T a, T b)
{
    return b == 0 || (b == (T)-1 && (T)-1 < 1) ? 0 : (T)(a % b);
}
static inline T N(mod_1)(T a, T b)
{
    T r = N(fmod_1)(a, b);
    return r != 0 && (r > 0) != (b > 0) ? (T)(r + b) : r;
}
static inline T N(prelu_1)(T a, T b) { return a >= 1 || a == 0 ? a : N(mul_1)(a, b); }
static inline T N(and_1)(T a, T b) { return a & b; }
static inline T N(or_1)(T a, T b) { return a | b; }
static inline T N(xor_1)(T a, T b) { return a ^ b; }
/* BitShift 11: shifting by the width or more leaves nothing. */
static inline T N(left_1)(T a, T b)
{
    return (uint64_t)b >= 8 * sizeof(T) ? 0 : (T)((UT)a << b);
}
static inline T N(right_1)(T a, T b) { return (uint64_t)b >= 8 * sizeof(T) ? 0 : (T)(a >> b); }
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
BINARY_LOOP(N(and), T, T, N(and_1))
BINARY_LOOP(N(or), T, T, N(or_1))
BINARY_LOOP(N(xor), T, T, N(xor_1))
BINARY_LOOP(N(left), T, T, N(left_1))
BINARY_LOOP(N(right), T, T, N(right_1))
BINARY_LOOP(N(equal), uint8_t, T, N(equal_1))
BINARY_LOOP(N(greater), uint8_t, T, N(greater_1))
BINARY_LOOP(N(less), uint8_t, T, N(less_1))
BINARY_LOOP(N(greater_equal), uint8_t, T, N(greater_equal_1))
BINARY_LOOP(N(less_equal), uint8_t, T, N(less_equal_1))
#undef T
#undef UT
#undef N
