/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_nchw_f32_avx512.c: the plain convolution with AVX512; see conv2d_nchw_f32_tmpl.h.
 */
#define CONV2D_NCHW ELEM_FN(conv2d_nchw, avx512)
#include "conv2d_nchw_f32_tmpl.h"
