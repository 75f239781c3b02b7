/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_i8_avx2.c: CONV2D_I8 with AVX2; see conv2d_i8_tmpl.h.
 */
#define CONV2D_I8 tsr_conv2d_i8_avx2
#include "conv2d_i8_tmpl.h"
