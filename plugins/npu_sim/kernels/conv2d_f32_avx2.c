/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_f32_avx2.c: the blocked convolutions with AVX2; see conv2d_f32_tmpl.h.
 */
#define CONV2D ELEM_FN(conv2d, avx2)
#define DEPTHWISE ELEM_FN(conv2d_depthwise, avx2)
#include "conv2d_f32_tmpl.h"
