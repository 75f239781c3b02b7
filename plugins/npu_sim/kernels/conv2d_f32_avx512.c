/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_f32_avx512.c: the blocked convolutions with AVX512; see conv2d_f32_tmpl.h.
 */
#define CONV2D tsr_conv2d_f32_avx512
#define DEPTHWISE tsr_conv2d_depthwise_f32_avx512
#include "conv2d_f32_tmpl.h"
