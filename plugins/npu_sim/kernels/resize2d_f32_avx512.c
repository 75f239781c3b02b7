/* SPDX-License-Identifier: Apache-2.0
 *
 * resize2d_f32_avx512.c: RESIZE2D_F32 with AVX-512; see resize2d_f32_tmpl.h.
 */
#define RESIZE2D ELEM_FN(resize2d, avx512)
#include "resize2d_f32_tmpl.h"
