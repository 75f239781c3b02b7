/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_f32_avx512.c: the blocked convolutions with AVX512; see conv2d_f32_tmpl.h.
 */
#define CONV2D ELEM_FN(conv2d, avx512)
#define DEPTHWISE ELEM_FN(conv2d_depthwise, avx512)
#include "conv2d_f32_tmpl.h"
