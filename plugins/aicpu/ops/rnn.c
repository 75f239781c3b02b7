/* SPDX-License-Identifier: Apache-2.0
 *
 * rnn.c: the rows of the recurrent layers.
 */
#include "rnn.h"

#define SINGLE (TSR_TYPES_FLOAT & ~TSR_BIT(TSR_DTYPE_DOUBLE))
#define DOUBLE TSR_BIT(TSR_DTYPE_DOUBLE)

static const AicpuKernel kernels[] = {
    {.op = "RNN", .run = aicpu_rnn_run_f32, .mode = CELL_RNN, .dtypes = SINGLE},
    {.op = "RNN", .run = aicpu_rnn_run_f64, .mode = CELL_RNN, .dtypes = DOUBLE},
    {.op = "GRU", .run = aicpu_rnn_run_f32, .mode = CELL_GRU, .dtypes = SINGLE},
    {.op = "GRU", .run = aicpu_rnn_run_f64, .mode = CELL_GRU, .dtypes = DOUBLE},
    {.op = "LSTM", .run = aicpu_rnn_run_f32, .mode = CELL_LSTM, .dtypes = SINGLE},
    {.op = "LSTM", .run = aicpu_rnn_run_f64, .mode = CELL_LSTM, .dtypes = DOUBLE},
};

const AicpuFamily aicpu_rnn = AICPU_FAMILY(kernels);
