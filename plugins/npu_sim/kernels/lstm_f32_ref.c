/* SPDX-License-Identifier: Apache-2.0
 *
 * lstm_f32_ref.c: the reference of LSTM_F32: the equations of ONNX LSTM 14, one hidden
 * unit at a time, sums in double.
 */
#include <math.h>
#include "kernel_list.h"
#include "split.h"

static double logistic(double v) { return 1.0 / (1.0 + exp(-v)); }

/* The sum before the activation of one gate of hidden unit j. */
static double gate_sum(const TsrLstmParams *p, const float *w, const float *bias, const float *x,
                       const float *h, int64_t j, int64_t gate)
{
    const float *column = w + j / 16 * (p->input + p->hidden) * 64 + gate * 16 + j % 16;
    double sum = (double)bias[(j / 16 * 4 + gate) * 16 + j % 16];
    for (int64_t k = 0; k < p->input; k++)
        sum += (double)x[k] * (double)column[k * 64];
    for (int64_t k = 0; k < p->hidden; k++)
        sum += (double)h[k] * (double)column[(p->input + k) * 64];
    return sum;
}

void tsr_lstm_f32_ref(void *const *args, const void *params, uint32_t block_index,
                      uint32_t block_dim)
{
    const TsrLstmParams *p = params;
    const float *x = args[0], *h0 = args[3], *c0 = args[4];
    const int64_t blocks = split_pieces(p->hidden, 16);
    float *h = (float *)args[8] + p->workspace_floats * block_index;
    float *next = h + blocks * 16, *c = next + blocks * 16;
    int64_t begin, end;
    split_range(p->directions * p->batch, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t d = piece / p->batch, b = piece % p->batch;
        const int backwards = p->directions == 2 ? d == 1 : p->reverse != 0;
        const float *w = (const float *)args[1] + d * blocks * (p->input + p->hidden) * 64;
        const float *bias = (const float *)args[2] + d * blocks * 64;
        for (int64_t j = 0; j < p->hidden; j++) {
            h[j] = h0 != NULL ? h0[piece * p->hidden + j] : 0.0f;
            c[j] = c0 != NULL ? c0[piece * p->hidden + j] : 0.0f;
        }
        for (int64_t s = 0; s < p->seq; s++) {
            const int64_t t = backwards ? p->seq - 1 - s : s;
            const float *xt = x + (t * p->batch + b) * p->input;
            float *y = (float *)args[5] + ((t * p->directions + d) * p->batch + b) * p->hidden;
            for (int64_t j = 0; j < p->hidden; j++) {
                const double i = logistic(gate_sum(p, w, bias, xt, h, j, 0));
                const double o = logistic(gate_sum(p, w, bias, xt, h, j, 1));
                const double f = logistic(gate_sum(p, w, bias, xt, h, j, 2));
                c[j] = (float)(f * (double)c[j] + i * tanh(gate_sum(p, w, bias, xt, h, j, 3)));
                y[j] = next[j] = (float)(o * tanh((double)c[j]));
            }
            for (int64_t j = 0; j < p->hidden; j++)
                h[j] = next[j];
        }
        for (int64_t j = 0; j < p->hidden; j++) {
            if (args[6] != NULL)
                ((float *)args[6])[piece * p->hidden + j] = h[j];
            if (args[7] != NULL)
                ((float *)args[7])[piece * p->hidden + j] = c[j];
        }
    }
}
