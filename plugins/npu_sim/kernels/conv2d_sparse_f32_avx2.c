/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_sparse_f32_avx2.c: CONV2D_SPARSE_F32 with AVX2; see conv2d_sparse_f32_tmpl.h.
 */
#define CONV2D_SPARSE tsr_conv2d_sparse_f32_avx2
#include "conv2d_sparse_f32_tmpl.h"
