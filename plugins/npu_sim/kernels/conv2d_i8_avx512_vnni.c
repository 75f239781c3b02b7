/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_i8_avx512_vnni.c: CONV2D_I8 with AVX-512 VNNI; see conv2d_i8_tmpl.h.
 */
#define CONV2D_I8 tsr_conv2d_i8_avx512_vnni
#include "conv2d_i8_tmpl.h"
