/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_f32_avx2.c: matrix products with AVX2; see gemm_f32_tmpl.h.
 */
#define GEMM tsr_gemm_f32_avx2
#define PACK_PANELS tsr_pack_panels_f32_avx2
#include "gemm_f32_tmpl.h"
