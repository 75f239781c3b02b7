/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_i8_avx2.c: POOL2D_I8 with AVX2; see pool2d_i8_tmpl.h.
 */
#define POOL2D_I8 tsr_pool2d_i8_avx2
#include "pool2d_i8_tmpl.h"
