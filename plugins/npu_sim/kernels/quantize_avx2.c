/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize_avx2.c: the elementwise quantized kernels with AVX2; see quantize_tmpl.h.
 */
#define KERNEL(name) tsr_##name##_avx2
#include "quantize_tmpl.h"
