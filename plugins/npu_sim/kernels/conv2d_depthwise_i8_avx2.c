/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_depthwise_i8_avx2.c: CONV2D_DEPTHWISE_I8 with AVX2; see
 * conv2d_depthwise_i8_tmpl.h.
 */
#define DEPTHWISE_I8 tsr_conv2d_depthwise_i8_avx2
#include "conv2d_depthwise_i8_tmpl.h"
