/* SPDX-License-Identifier: Apache-2.0
 *
 * cast_avx512.c: conversions between element types with AVX-512; see cast_tmpl.h.
 */
#define CAST tsr_cast_avx512
#include "cast_tmpl.h"
