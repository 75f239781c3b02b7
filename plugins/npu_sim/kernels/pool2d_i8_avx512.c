/* SPDX-License-Identifier: Apache-2.0
 *
 * pool2d_i8_avx512.c: POOL2D_I8 with AVX-512; see pool2d_i8_tmpl.h.
 */
#define POOL2D_I8 tsr_pool2d_i8_avx512
#include "pool2d_i8_tmpl.h"
