/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_f32_avx2.c: matrix products with AVX2; see gemm_f32_tmpl.h.
 */
#define GEMM ELEM_FN(gemm, avx2)
#define PACK_PANELS ELEM_FN(pack_panels, avx2)
#include "gemm_f32_tmpl.h"
