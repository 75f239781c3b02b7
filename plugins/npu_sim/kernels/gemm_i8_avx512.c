/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_i8_avx512.c: GEMM_I8 with AVX-512; see gemm_i8_tmpl.h.
 */
#define GEMM_I8 tsr_gemm_i8_avx512
#include "gemm_i8_tmpl.h"
