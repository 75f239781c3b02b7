/* SPDX-License-Identifier: Apache-2.0
 *
 * lstm_f32_avx2.c: LSTM_F32 with AVX2; see lstm_f32_tmpl.h.
 */
#define LSTM tsr_lstm_f32_avx2
#include "lstm_f32_tmpl.h"
