/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_f32_avx2.c: pooling with AVX2; see pool2d_f32_tmpl.h.
 */
#define POOL2D ELEM_FN(pool2d, avx2)
#include "pool2d_f32_tmpl.h"
