/* SPDX-License-Identifier: Apache-2.0
 *
 * recurrent_f32_avx2.c: LSTM_F32 and GRU_F32 with AVX2; see recurrent_f32_tmpl.h.
 */
#define LSTM tsr_lstm_f32_avx2
#define GRU tsr_gru_f32_avx2
#include "recurrent_f32_tmpl.h"
