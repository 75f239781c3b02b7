/* SPDX-License-Identifier: Apache-2.0
 *
 * shuffle_b32_avx512.c: SHUFFLE_B32 with AVX-512; see shuffle_b32_tmpl.h.
 */
#define SHUFFLE ELEM_BITS_FN(shuffle, avx512)
#include "shuffle_b32_tmpl.h"
