/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_b32_avx2.c: COPY_CHANNELS_B32 and COPY_WINDOW_B32 with AVX2; see copy_b32_tmpl.h.
 */
#define COPY_CHANNELS tsr_copy_channels_b32_avx2
#define COPY_WINDOW tsr_copy_window_b32_avx2
#include "copy_b32_tmpl.h"
