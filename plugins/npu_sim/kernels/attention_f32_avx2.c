/* SPDX-License-Identifier: Apache-2.0
 *
 * attention_f32_avx2.c: attention with AVX2; see attention_f32_tmpl.h.
 */
#define ATTENTION tsr_attention_f32_avx2
#include "attention_f32_tmpl.h"
