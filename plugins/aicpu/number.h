/* SPDX-License-Identifier: Apache-2.0
 *
 * number.h: runs of elements of any element type, read and written as double, float or
 * int64. first and n count elements, so that packed types work too. Used where a kernel
 * is the same for all types but for its loads and stores.
 */
#ifndef AICPU_NUMBER_H
#define AICPU_NUMBER_H

#include <tessera/plugin_util.h>

/* How a value that the narrow type cannot hold is stored (Cast 19: saturate). */
enum { AICPU_WRAP = 0, AICPU_SATURATE = 1 };

/* Types that these functions know: all but strings and complex numbers. */
#define AICPU_NUMBERS                                                               \
    (TSR_TYPES_ANY & ~(TSR_TYPES_COMPLEX | TSR_BIT(TSR_DTYPE_STRING)))

static inline int aicpu_is_half(uint32_t dtype)
{
    return dtype == TSR_DTYPE_FLOAT16 || dtype == TSR_DTYPE_BFLOAT16;
}

/* Whether values are integers (bool included) and fit int64 or uint64. */
static inline int aicpu_is_integer(uint32_t dtype)
{
    return ((TSR_TYPES_INTEGER | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_UINT4) |
             TSR_BIT(TSR_DTYPE_INT4) | TSR_BIT(TSR_DTYPE_UINT2) | TSR_BIT(TSR_DTYPE_INT2)) >>
            dtype) & 1;
}

void aicpu_load_double(uint32_t dtype, const void *data, int64_t first, int64_t n, double *out);
void aicpu_store_double(uint32_t dtype, void *data, int64_t first, int64_t n, const double *in,
                        int saturate);
void aicpu_load_int64(uint32_t dtype, const void *data, int64_t first, int64_t n, int64_t *out);
void aicpu_store_int64(uint32_t dtype, void *data, int64_t first, int64_t n, const int64_t *in);
/* Half types and float only. */
void aicpu_load_float(uint32_t dtype, const void *data, int64_t first, int64_t n, float *out);
void aicpu_store_float(uint32_t dtype, void *data, int64_t first, int64_t n, const float *in);

/* The first element of a tensor; missing when tensor is NULL. */
double aicpu_scalar_double(const TsrTensor *tensor, double missing);
int64_t aicpu_scalar_int64(const TsrTensor *tensor, int64_t missing);
/* All integers of a tensor, at most capacity; returns their count, 0 for NULL. */
int64_t aicpu_read_int64s(const TsrTensor *tensor, int64_t capacity, int64_t *out);

/* All elements as floats: the data itself when they are, else a converted copy in
 * scratch memory. NULL after a failed allocation (the error is set) or for NULL. */
const float *aicpu_as_float(TsrRunContext *run, const TsrTensor *tensor);
/* Where a kernel writes floats for that output: its data, or scratch that
 * aicpu_finish_float converts. */
float *aicpu_begin_float(TsrRunContext *run, const TsrTensor *output);
void aicpu_finish_float(TsrRunContext *run, const TsrTensor *output, const float *values);
/* The same with doubles, from any number type; for kernels that are right before fast. */
const double *aicpu_as_double(TsrRunContext *run, const TsrTensor *tensor);
double *aicpu_begin_double(TsrRunContext *run, const TsrTensor *output);
void aicpu_finish_double(const TsrTensor *output, const double *values);
/* All elements as int64 in scratch memory; NULL as above. */
const int64_t *aicpu_as_int64(TsrRunContext *run, const TsrTensor *tensor);
/* Rounds a value to what the type can hold. */
double aicpu_round_to(uint32_t dtype, double value);

#endif
