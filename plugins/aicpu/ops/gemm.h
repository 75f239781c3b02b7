/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm.h: the matrix product that MatMul, Gemm, Conv and the recurrent layers share.
 */
#ifndef AICPU_OPS_GEMM_H
#define AICPU_OPS_GEMM_H

#include "../aicpu.h"

/* y [m, n] = a [m, k] * b [k, n], row-major; the rows of y are y_stride
 * elements apart, a and b are dense. accumulate adds to y instead.
 * Uses all cores when the product is worth it. run may be NULL: this thread only. */
void aicpu_gemm_f32(TsrRunContext *run, int64_t m, int64_t n, int64_t k, const float *a,
                    const float *b, float *y, int64_t y_stride, int accumulate);

/* y [m, n] = a [m, k] * transpose(b [n, k]), all dense; for few rows, where reading b
 * once is all the work. */
void aicpu_gemm_nt_f32(TsrRunContext *run, int64_t m, int64_t n, int64_t k, const float *a,
                       const float *b, float *y);

#endif
