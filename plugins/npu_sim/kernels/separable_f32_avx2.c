/* SPDX-License-Identifier: Apache-2.0
 *
 * separable_f32_avx2.c: CONV2D_SEPARABLE_F32 with AVX2; see separable_f32_tmpl.h.
 */
#define SEPARABLE tsr_conv2d_separable_f32_avx2
#include "separable_f32_tmpl.h"
