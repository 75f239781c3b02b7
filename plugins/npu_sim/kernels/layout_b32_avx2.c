/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_b32_avx2.c: copies and transposes with AVX2; see layout_b32_tmpl.h.
 */
#define COPY_ROWS tsr_copy_rows_avx2
#define TRANSPOSE ELEM_BITS_FN(transpose, avx2)
#include "layout_b32_tmpl.h"
