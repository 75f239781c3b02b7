/* SPDX-License-Identifier: Apache-2.0
 *
 * norm_f32_avx512.c: softmax, normalization, LRN and reduction with AVX512; see norm_f32_tmpl.h.
 */
#define SOFTMAX ELEM_FN(softmax, avx512)
#define NORMALIZE ELEM_FN(normalize, avx512)
#define LRN tsr_lrn_f32_avx512
#define REDUCE ELEM_FN(reduce, avx512)
#include "norm_f32_tmpl.h"
