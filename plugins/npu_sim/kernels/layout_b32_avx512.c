/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_b32_avx512.c: copies and transposes with AVX512; see layout_b32_tmpl.h.
 */
#define COPY_ROWS tsr_copy_rows_avx512
#define TRANSPOSE ELEM_BITS_FN(transpose, avx512)
#include "layout_b32_tmpl.h"
