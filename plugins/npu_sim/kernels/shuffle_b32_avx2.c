/* SPDX-License-Identifier: Apache-2.0
 *
 * shuffle_b32_avx2.c: SHUFFLE_B32 with AVX2; see shuffle_b32_tmpl.h.
 */
#define SHUFFLE ELEM_BITS_FN(shuffle, avx2)
#include "shuffle_b32_tmpl.h"
