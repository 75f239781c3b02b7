/* SPDX-License-Identifier: Apache-2.0
 *
 * recurrent_f32_ref.c: the references of LSTM_F32 and GRU_F32: the equations of ONNX LSTM
 * and GRU 14, one batch entry and one hidden unit at a time, sums in double.
 */
#include <string.h>
#include "act_ref.h"
#include "kernel_list.h"
#include "split.h"

/* What one step of one batch entry works on; next is room for another h. */
typedef struct Cell {
    const TsrRecurrentParams *p;
    const TsrActivation *activations;
    const float *sums, *r, *extra; /* of the direction; extra is peepholes or r_bias */
    float *h, *c, *next;
} Cell;

static float gate(const Cell *c, double sum, uint32_t activation)
{
    const float limit = c->p->clip;
    return activate_ref(limit > 0.0f ? clip_ref((float)sum, -limit, limit) : (float)sum,
                        &c->activations[activation]);
}

/* Row `gate` of R times state, for unit j; `of` gates lie side by side. */
static double product(const Cell *c, const float *r, const float *state, int64_t j, int64_t gate,
                      int64_t of)
{
    double sum = 0.0;
    for (int64_t k = 0; k < c->p->hidden; k++)
        sum += (double)state[k] *
               (double)r[((j / 16 * c->p->hidden + k) * of + gate) * 16 + j % 16];
    return sum;
}

static double sum_of(const Cell *c, int64_t j, int64_t gate, int64_t of)
{
    return (double)c->sums[(j / 16 * of + gate) * 16 + j % 16];
}

static double peephole(const Cell *c, int64_t j, int64_t gate)
{
    return c->extra != NULL
               ? (double)c->extra[gate * split_pieces(c->p->hidden, 16) * 16 + j] *
                     (double)c->c[j]
               : 0.0;
}

static void lstm_step(const Cell *c)
{
    for (int64_t j = 0; j < c->p->hidden; j++) {
        double sums[4];
        float in, forget;
        for (int64_t g = 0; g < 4; g++)
            sums[g] = sum_of(c, j, g, 4) + product(c, c->r, c->h, j, g, 4);
        in = gate(c, sums[0] + peephole(c, j, 0), 0);
        forget = c->p->flag ? 1.0f - in : gate(c, sums[2] + peephole(c, j, 2), 0);
        c->c[j] = forget * c->c[j] + in * gate(c, sums[3], 1);
        c->next[j] = gate(c, sums[1] + peephole(c, j, 1), 0) * gate(c, (double)c->c[j], 2);
    }
    memcpy(c->h, c->next, (size_t)c->p->hidden * sizeof(float));
}

static void gru_step(const Cell *c)
{
    const int64_t hidden = c->p->hidden, padded = split_pieces(hidden, 16) * 16;
    const int64_t side = c->p->flag ? 3 : 2;
    for (int64_t j = 0; j < hidden; j++) {
        const float reset = gate(c, sum_of(c, j, 1, 3) + product(c, c->r, c->h, j, 1, side), 0);
        c->c[j] = reset * c->h[j];
        if (c->p->flag)
            c->c[j] = (float)((double)reset *
                              (product(c, c->r, c->h, j, 2, 3) +
                               (c->extra != NULL ? (double)c->extra[j] : 0.0)));
    }
    for (int64_t j = 0; j < hidden; j++) {
        const float z = gate(c, sum_of(c, j, 0, 3) + product(c, c->r, c->h, j, 0, side), 0);
        const double part = c->p->flag
                                ? (double)c->c[j]
                                : product(c, c->r + 2 * padded * hidden, c->c, j, 0, 1);
        c->next[j] = (1.0f - z) * gate(c, sum_of(c, j, 2, 3) + part, 1) + z * c->h[j];
    }
    memcpy(c->h, c->next, (size_t)hidden * sizeof(float));
}

/* The arguments that both kernels have. */
typedef struct States {
    const int32_t *lengths;
    const float *h0, *c0;
    float *y, *y_h, *y_c;
} States;

static void run_entry(Cell *c, const States *s, const float *sums, int64_t d, int64_t b,
                      void (*step)(const Cell *))
{
    const TsrRecurrentParams *p = c->p;
    const int64_t state = d * p->state_step[0] + b * p->state_step[1];
    const int backwards = p->directions == 2 ? d == 1 : p->reverse != 0;
    int64_t length = s->lengths != NULL ? s->lengths[b] : p->seq;
    length = length < 0 ? 0 : length > p->seq ? p->seq : length;
    for (int64_t j = 0; j < p->hidden; j++) {
        c->h[j] = s->h0 != NULL ? s->h0[state + j] : 0.0f;
        c->c[j] = s->c0 != NULL ? s->c0[state + j] : 0.0f;
    }
    for (int64_t i = 0; i < p->seq; i++) {
        const int64_t t = i < length && backwards ? length - 1 - i : i;
        float *y = s->y + t * p->y_step[0] + d * p->y_step[1] + b * p->y_step[2];
        c->sums = sums + t * p->sums_step[0] + b * p->sums_step[1];
        if (i < length)
            step(c);
        for (int64_t j = 0; j < p->hidden; j++)
            y[j] = i < length ? c->h[j] : 0.0f;
    }
    for (int64_t j = 0; j < p->hidden; j++) {
        if (s->y_h != NULL)
            s->y_h[state + j] = c->h[j];
        if (s->y_c != NULL)
            s->y_c[state + j] = c->c[j];
    }
}

/* extra_rows: rows of `extra` in a direction, padded to whole blocks of units. */
static void run(const TsrRecurrentParams *p, void *const *args, const States *s, float *workspace,
                int64_t gates, int64_t extra_rows, uint32_t block_index, uint32_t block_dim,
                void (*step)(const Cell *))
{
    const int64_t padded = split_pieces(p->hidden, 16) * 16, each = p->entries_per_piece;
    const int64_t pieces = split_pieces(p->batch, each);
    float *h = workspace + p->workspace_floats * block_index;
    int64_t begin, end;
    split_range(p->directions * pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t d = piece / pieces, first = piece % pieces * each;
        const float *extra = args[2];
        Cell cell = { .p = p, .activations = p->activations[d],
                      .r = (const float *)args[1] + d * padded * p->hidden * gates,
                      .extra = extra != NULL ? extra + d * extra_rows * padded : NULL,
                      .h = h, .c = h + padded, .next = h + 2 * padded };
        for (int64_t b = first; b < first + each && b < p->batch; b++)
            run_entry(&cell, s, (const float *)args[0] + d * gates * padded, d, b, step);
    }
}

void tsr_lstm_f32_ref(void *const *args, const void *params, uint32_t block_index,
                      uint32_t block_dim)
{
    const States s = { args[3], args[4], args[5], args[6], args[7], args[8] };
    run(params, args, &s, args[9], 4, 3, block_index, block_dim, lstm_step);
}

void tsr_gru_f32_ref(void *const *args, const void *params, uint32_t block_index,
                     uint32_t block_dim)
{
    const States s = { args[3], args[4], NULL, args[5], args[6], NULL };
    run(params, args, &s, args[7], 3, 1, block_index, block_dim, gru_step);
}
