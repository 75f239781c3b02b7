/* SPDX-License-Identifier: Apache-2.0
 *
 * requant.h: zero points and requantization of one element, shared by the quantized
 * kernels of all instruction sets.
 */
#ifndef TSR_NPU_REQUANT_H
#define TSR_NPU_REQUANT_H

#include <math.h>
#include <tessera/device_kernels.h>

/* The zero point of x as a number of its type. */
static inline int32_t requant_zero(const TsrRequant *r, const void *x_zero)
{
    if (x_zero == NULL)
        return r->x_zero;
    return r->x_signed ? *(const int8_t *)x_zero : *(const uint8_t *)x_zero;
}

/* What the sums of 16 channels begin with when x is read as u8: the bias less the share of
 * the zero point. Modulo 2^32, since only the whole sum has to fit. */
static inline void requant_start(const TsrRequantBlock *block, const TsrRequant *r, int32_t zero,
                                 int32_t *out_start)
{
    const uint32_t z = (uint32_t)(zero + (r->x_signed ? 128 : 0));
    for (int i = 0; i < 16; i++)
        out_start[i] = (int32_t)((uint32_t)block->bias[i] - z * (uint32_t)block->sum[i]);
}

/* Bytes of an element of y. */
static inline int64_t requant_bytes(const TsrRequant *r)
{
    return r->y_dtype == TSR_DTYPE_INT32 ? 4 : 1;
}

/* One element for the sum, by the formula; z: its residual, or NULL. */
static inline int32_t requant_one(int32_t sum, double factor, const TsrRequant *r,
                                  const uint8_t *z)
{
    double v = (double)sum * factor;
    if (z != NULL)
        v += (double)((r->residual_signed ? (int8_t)*z : *z) - r->residual_zero) *
             r->residual_factor;
    v = rint(v) + (double)r->y_zero;
    return v < r->low ? r->low : v > r->high ? r->high : (int32_t)v;
}

static inline void requant_put(void *y, int64_t i, int32_t sum, double factor,
                               const TsrRequant *r, const uint8_t *z)
{
    if (r->y_dtype == TSR_DTYPE_INT32)
        ((int32_t *)y)[i] = sum;
    else
        ((uint8_t *)y)[i] = (uint8_t)requant_one(sum, factor, r, z != NULL ? z + i : NULL);
}

#endif
