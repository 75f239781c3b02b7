/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_i8_avx2.c: GEMM_I8 with AVX2; see gemm_i8_tmpl.h.
 */
#define GEMM_I8 tsr_gemm_i8_avx2
#include "gemm_i8_tmpl.h"
