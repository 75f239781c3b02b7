/* SPDX-License-Identifier: Apache-2.0
 *
 * transdata_avx2.c: storage formats with AVX2; see transdata_tmpl.h.
 */
#define TRANSDATA tsr_transdata_avx2
#include "transdata_tmpl.h"
