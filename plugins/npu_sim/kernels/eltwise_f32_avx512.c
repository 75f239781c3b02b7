/* SPDX-License-Identifier: Apache-2.0
 *
 * eltwise_f32_avx512.c: elementwise kernels with AVX512; see eltwise_f32_tmpl.h.
 */
#define UNARY ELEM_FN(unary, avx512)
#define BINARY ELEM_FN(binary, avx512)
#define SCALE_SHIFT ELEM_FN(scale_shift, avx512)
#define CHAIN ELEM_FN(chain, avx512)
#include "eltwise_f32_tmpl.h"
