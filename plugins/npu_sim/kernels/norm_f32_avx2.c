/* SPDX-License-Identifier: Apache-2.0
 *
 * norm_f32_avx2.c: softmax, normalization, LRN and reduction with AVX2; see norm_f32_tmpl.h.
 */
#define SOFTMAX ELEM_FN(softmax, avx2)
#define NORMALIZE ELEM_FN(normalize, avx2)
#define LRN tsr_lrn_f32_avx2
#define REDUCE ELEM_FN(reduce, avx2)
#include "norm_f32_tmpl.h"
