/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_winograd_f32_avx2.c: CONV2D_WINOGRAD_F32 with AVX2; see
 * conv2d_winograd_f32_tmpl.h.
 */
#define WINOGRAD tsr_conv2d_winograd_f32_avx2
#include "conv2d_winograd_f32_tmpl.h"
