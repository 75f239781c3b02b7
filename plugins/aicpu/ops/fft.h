/* SPDX-License-Identifier: Apache-2.0
 *
 * fft.h: complex Fourier transforms of any length in single precision: the transform of a
 * complex64-like tensor is computed in the tensor's own precision, as numpy does.
 */
#ifndef AICPU_FFT_H
#define AICPU_FFT_H

#include <tessera/plugin_util.h>

typedef struct AicpuComplexFloat {
    float re, im;
} AicpuComplexFloat;

enum { AICPU_FFT_MAX_FACTORS = 64 };

/* Self-sorting passes over the prime factors of n, with 4 before 2 (Stockham; see Van
 * Loan, Computational Frameworks for the Fast Fourier Transform). */
typedef struct AicpuFft {
    int64_t n;
    int inverse;                /* exponent +, and a factor 1/n */
    uint32_t factor_count;
    int64_t factors[AICPU_FFT_MAX_FACTORS];
    AicpuComplexFloat *root;    /* exp(+-2 pi i k / n) */
    AicpuComplexFloat *data;    /* n elements: in, then out */
    AicpuComplexFloat *work;    /* n elements, and one for each branch of a generic pass */
} AicpuFft;

/* Makes the plan in scratch memory of the run; n is at least 1. */
int32_t aicpu_fft_make(TsrRunContext *run, AicpuFft *fft, int64_t n, int inverse);
/* Transforms fft->data in place. */
void aicpu_fft_run(AicpuFft *fft);

#endif
