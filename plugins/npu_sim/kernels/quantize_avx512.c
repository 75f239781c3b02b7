/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize_avx512.c: the elementwise quantized kernels with AVX-512; see quantize_tmpl.h.
 */
#define KERNEL(name) tsr_##name##_avx512
#include "quantize_tmpl.h"
