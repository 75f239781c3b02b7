/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_f32_avx512.c: matrix products with AVX512; see gemm_f32_tmpl.h.
 */
#define GEMM tsr_gemm_f32_avx512
#define PACK_PANELS tsr_pack_panels_f32_avx512
#include "gemm_f32_tmpl.h"
