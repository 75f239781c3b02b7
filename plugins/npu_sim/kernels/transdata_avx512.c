/* SPDX-License-Identifier: Apache-2.0
 *
 * transdata_avx512.c: storage formats with AVX-512; see transdata_tmpl.h.
 */
#define TRANSDATA tsr_transdata_avx512
#include "transdata_tmpl.h"
