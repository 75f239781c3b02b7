/* SPDX-License-Identifier: Apache-2.0
 *
 * binary_loop.h: the loop around a function of two elements, for the templates of
 * binary.c. The three cases beside the general one are those that broadcasting makes;
 * their strides are constants, so that the compiler can vectorize.
 */
#ifndef AICPU_OPS_BINARY_LOOP_H
#define AICPU_OPS_BINARY_LOOP_H

#define BINARY_CASE(R, T, call, step_a, step_b)                                     \
    for (int64_t i = 0; i < n; i++)                                                 \
        ((R *)y)[i] = call(((const T *)a)[i * (step_a)], ((const T *)b)[i * (step_b)])

#define BINARY_LOOP(name, R, T, call)                                               \
    static void name(void *y, const void *a, int64_t sa, const void *b, int64_t sb, \
                     int64_t n)                                                     \
    {                                                                               \
        if (sa == 1 && sb == 1)                                                     \
            BINARY_CASE(R, T, call, 1, 1);                                          \
        else if (sa == 1 && sb == 0)                                                \
            BINARY_CASE(R, T, call, 1, 0);                                          \
        else if (sa == 0 && sb == 1)                                                \
            BINARY_CASE(R, T, call, 0, 1);                                          \
        else                                                                        \
            BINARY_CASE(R, T, call, sa, sb);                                        \
    }

#endif
