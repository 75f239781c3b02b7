/* SPDX-License-Identifier: Apache-2.0
 *
 * eltwise_f32_avx2.c: elementwise kernels with AVX2; see eltwise_f32_tmpl.h.
 */
#define UNARY ELEM_FN(unary, avx2)
#define BINARY ELEM_FN(binary, avx2)
#define SCALE_SHIFT ELEM_FN(scale_shift, avx2)
#define CHAIN ELEM_FN(chain, avx2)
#include "eltwise_f32_tmpl.h"
