/* SPDX-License-Identifier: Apache-2.0
 *
 * rnn_f32.c: the recurrent layers in float.
 */
#include "gemm.h"

#define REAL float
#define RUN aicpu_rnn_run_f32
#define GEMM aicpu_gemm_f32
#define AS_REAL aicpu_as_float
#define BEGIN_REAL aicpu_begin_float
#define FINISH_REAL aicpu_finish_float
#include "rnn_tmpl.c"
