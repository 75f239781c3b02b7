/* SPDX-License-Identifier: Apache-2.0
 *
 * excite_f32_avx2.c: EXCITE_F32 with AVX2; see excite_f32_tmpl.h.
 */
#define EXCITE tsr_excite_f32_avx2
#include "excite_f32_tmpl.h"
