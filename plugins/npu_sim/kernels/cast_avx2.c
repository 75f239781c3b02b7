/* SPDX-License-Identifier: Apache-2.0
 *
 * cast_avx2.c: conversions between element types with AVX2; see cast_tmpl.h.
 */
#define CAST tsr_cast_avx2
#include "cast_tmpl.h"
