/* SPDX-License-Identifier: Apache-2.0
 *
 * shuffle_b32_avx2.c: SHUFFLE_B32 with AVX2; see shuffle_b32_tmpl.h.
 */
#define SHUFFLE tsr_shuffle_b32_avx2
#include "shuffle_b32_tmpl.h"
