/* SPDX-License-Identifier: Apache-2.0
 *
 * recurrent_f32_avx512.c: LSTM_F32 and GRU_F32 with AVX-512; see recurrent_f32_tmpl.h.
 */
#define LSTM tsr_lstm_f32_avx512
#define GRU tsr_gru_f32_avx512
#include "recurrent_f32_tmpl.h"
