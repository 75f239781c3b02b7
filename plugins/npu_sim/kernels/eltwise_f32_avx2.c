/* SPDX-License-Identifier: Apache-2.0
 *
 * eltwise_f32_avx2.c: elementwise kernels with AVX2; see eltwise_f32_tmpl.h.
 */
#define UNARY tsr_unary_f32_avx2
#define BINARY tsr_binary_f32_avx2
#define SCALE_SHIFT tsr_scale_shift_f32_avx2
#define CHAIN tsr_chain_f32_avx2
#include "eltwise_f32_tmpl.h"
