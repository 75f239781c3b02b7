/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_f32_avx512.c: matrix products with AVX512; see gemm_f32_tmpl.h.
 */
#define GEMM ELEM_FN(gemm, avx512)
#define PACK_PANELS ELEM_FN(pack_panels, avx512)
#include "gemm_f32_tmpl.h"
