/* SPDX-License-Identifier: Apache-2.0
 *
 * attention_f32_avx512.c: attention with AVX-512; see attention_f32_tmpl.h.
 */
#define ATTENTION tsr_attention_f32_avx512
#include "attention_f32_tmpl.h"
