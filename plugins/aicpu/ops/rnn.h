/* SPDX-License-Identifier: Apache-2.0
 *
 * rnn.h: the recurrent layers, one run function per type of numbers; mode says the cell.
 */
#ifndef AICPU_OPS_RNN_H
#define AICPU_OPS_RNN_H

#include "../aicpu.h"

enum { CELL_RNN, CELL_GRU, CELL_LSTM };

/* float and, through it, the half types. */
int32_t aicpu_rnn_run_f32(const AicpuKernel *kernel, TsrRunContext *run);
int32_t aicpu_rnn_run_f64(const AicpuKernel *kernel, TsrRunContext *run);

#endif
