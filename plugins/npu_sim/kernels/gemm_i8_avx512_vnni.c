/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_i8_avx512_vnni.c: GEMM_I8 with AVX-512 VNNI; see gemm_i8_tmpl.h.
 */
#define GEMM_I8 tsr_gemm_i8_avx512_vnni
#include "gemm_i8_tmpl.h"
