/* SPDX-License-Identifier: Apache-2.0
 *
 * lstm_f32_avx512.c: LSTM_F32 with AVX-512; see lstm_f32_tmpl.h.
 */
#define LSTM tsr_lstm_f32_avx512
#include "lstm_f32_tmpl.h"
