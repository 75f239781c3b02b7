/* SPDX-License-Identifier: Apache-2.0
 *
 * lstm_f32_tmpl.h: LSTM_F32 for one instruction set, compiled by lstm_f32_avx2.c and
 * lstm_f32_avx512.c, which define LSTM. Lanes are hidden units; the four gates of one
 * or two blocks of 16 are summed side by side, so that every broadcast of an input
 * serves four or eight multiply-adds and their latency is hidden.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"

#if defined(__AVX512F__)
enum { LSTM_WIDE = 2 };
#else
enum { LSTM_WIDE = 1 };
#endif

/* Adds count rows of w, weighted by x, to the gates of OB blocks. */
static inline __attribute__((always_inline)) void add_rows(v16 *gates, const float *x,
                                                           int64_t count, const float *w,
                                                           int64_t w_block, const int OB)
{
    for (int64_t k = 0; k < count; k++, w += 64) {
        const v16 xv = v_set1(x[k]);
#pragma GCC unroll 2
        for (int o = 0; o < OB; o++)
#pragma GCC unroll 4
            for (int g = 0; g < 4; g++)
                gates[o * 4 + g] = v_fma(xv, v_load(w + o * w_block + g * 16), gates[o * 4 + g]);
    }
}

/* One time step of OB blocks: c in place, h to next. */
static inline __attribute__((always_inline)) void step_blocks(const TsrLstmParams *p,
                                                              const float *w, const float *bias,
                                                              const float *x, const float *h,
                                                              float *c, float *next, const int OB)
{
    const int64_t w_block = (p->input + p->hidden) * 64;
    v16 gates[4 * LSTM_WIDE];
#pragma GCC unroll 8
    for (int i = 0; i < 4 * OB; i++)
        gates[i] = v_load(bias + i * 16);
    add_rows(gates, x, p->input, w, w_block, OB);
    add_rows(gates, h, p->hidden, w + p->input * 64, w_block, OB);
#pragma GCC unroll 2
    for (int o = 0; o < OB; o++) {
        const v16 i = vm_sigmoid(gates[o * 4]), f = vm_sigmoid(gates[o * 4 + 2]);
        const v16 cell = v_fma(f, v_load(c + o * 16), v_mul(i, vm_tanh(gates[o * 4 + 3])));
        v_store(c + o * 16, cell);
        v_store(next + o * 16, v_mul(vm_sigmoid(gates[o * 4 + 1]), vm_tanh(cell)));
    }
}

static void start_state(float *state, const float *from, int64_t hidden, int64_t padded)
{
    memset(state, 0, (size_t)padded * sizeof(*state));
    if (from != NULL)
        memcpy(state, from, (size_t)hidden * sizeof(*state));
}

void LSTM(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrLstmParams *p = params;
    const float *h0 = args[3], *c0 = args[4];
    const int64_t blocks = split_pieces(p->hidden, 16), rows = p->input + p->hidden;
    const size_t bytes = (size_t)p->hidden * sizeof(float);
    float *h = (float *)args[8] + p->workspace_floats * block_index;
    float *next = h + blocks * 16, *c = next + blocks * 16;
    int64_t begin, end;
    split_range(p->directions * p->batch, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t d = piece / p->batch, b = piece % p->batch, state = piece * p->hidden;
        const int backwards = p->directions == 2 ? d == 1 : p->reverse != 0;
        const float *w = (const float *)args[1] + d * blocks * rows * 64;
        const float *bias = (const float *)args[2] + d * blocks * 64;
        start_state(h, h0 != NULL ? h0 + state : NULL, p->hidden, blocks * 16);
        start_state(c, c0 != NULL ? c0 + state : NULL, p->hidden, blocks * 16);
        for (int64_t s = 0; s < p->seq; s++) {
            const int64_t t = backwards ? p->seq - 1 - s : s;
            const float *x = (const float *)args[0] + (t * p->batch + b) * p->input;
            float *swap = h;
            int64_t o = 0;
            for (; o + LSTM_WIDE <= blocks; o += LSTM_WIDE)
                step_blocks(p, w + o * rows * 64, bias + o * 64, x, h, c + o * 16, next + o * 16,
                            LSTM_WIDE);
            for (; o < blocks; o++)
                step_blocks(p, w + o * rows * 64, bias + o * 64, x, h, c + o * 16, next + o * 16,
                            1);
            memcpy((float *)args[5] + ((t * p->directions + d) * p->batch + b) * p->hidden, next,
                   bytes);
            h = next;
            next = swap;
        }
        if (args[6] != NULL)
            memcpy((float *)args[6] + state, h, bytes);
        if (args[7] != NULL)
            memcpy((float *)args[7] + state, c, bytes);
    }
}
