/* SPDX-License-Identifier: Apache-2.0
 *
 * rnn_f64.c: the recurrent layers in double, with a plain matrix product.
 */
#include "../aicpu.h"

/* y [m, n] = a [m, k] * b [k, n], as aicpu_gemm_f32 has it. */
static void gemm_f64(TsrRunContext *run, int64_t m, int64_t n, int64_t k, const double *a,
                     const double *b, double *y, int64_t y_stride, int accumulate)
{
    (void)run;
    for (int64_t i = 0; i < m; i++) {
        double *row = y + i * y_stride;
        for (int64_t j = 0; j < n && !accumulate; j++)
            row[j] = 0.0;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++)
                row[j] += a[i * k + l] * b[l * n + j];
    }
}

#define REAL double
#define RUN aicpu_rnn_run_f64
#define GEMM gemm_f64
#define AS_REAL aicpu_as_double
#define BEGIN_REAL aicpu_begin_double
#define FINISH_REAL(run, output, values) aicpu_finish_double(output, values)
#include "rnn_tmpl.c"
