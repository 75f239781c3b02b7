/* SPDX-License-Identifier: Apache-2.0
 *
 * recurrent_f32_tmpl.h: LSTM_F32 and GRU_F32 for one instruction set, compiled by
 * recurrent_f32_avx2.c and recurrent_f32_avx512.c, which define LSTM and GRU. Lanes are
 * hidden units. A step first multiplies the states of all entries of a piece by R, several
 * gates, blocks of units or entries side by side so that the latency of the sums is hidden
 * and a load of weights serves every entry; then the gates are applied. States lie in the
 * workspace, as do the products.
 */
#include <math.h>
#include <string.h>
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"

/* Entries that share a load of weights, as far as there are registers. */
#if defined(__AVX512F__)
enum { ENTRIES = TSR_NPU_RECURRENT_ENTRIES };
#else
enum { ENTRIES = 1 };
#endif

/* The arguments of either kernel. */
typedef struct Recurrence {
    const TsrRecurrentParams *p;
    const float *sums, *r, *extra; /* peepholes or r_bias */
    const int32_t *lengths;
    const float *h0, *c0;
    float *y, *y_h, *y_c, *workspace;
    int64_t blocks, gates;
    v16 limit;
} Recurrence;

/* One batch entry; second is c of an LSTM, and r (.) h of a GRU. */
typedef struct Entry {
    float *h, *second, *parts;
    const float *sums;
    int64_t index, length;
} Entry;

/* parts[e] of N entries = R times state[e], for G gates of B blocks. */
static inline __attribute__((always_inline)) void tile(float *const *parts,
                                                       float *const *states, const float *w,
                                                       int64_t rows, const int G, const int B,
                                                       const int N)
{
    v16 acc[16];
#pragma GCC unroll 16
    for (int i = 0; i < G * B * N; i++)
        acc[i] = v_zero();
    for (int64_t k = 0; k < rows; k++) {
        v16 x[4];
#pragma GCC unroll 4
        for (int e = 0; e < N; e++)
            x[e] = v_set1(states[e][k]);
#pragma GCC unroll 4
        for (int b = 0; b < B; b++)
#pragma GCC unroll 4
            for (int g = 0; g < G; g++) {
                const v16 weights = v_load(w + ((b * rows + k) * G + g) * 16);
#pragma GCC unroll 4
                for (int e = 0; e < N; e++)
                    acc[(b * G + g) * N + e] = v_fma(x[e], weights, acc[(b * G + g) * N + e]);
            }
    }
#pragma GCC unroll 4
    for (int e = 0; e < N; e++)
#pragma GCC unroll 8
        for (int i = 0; i < B * G; i++)
            v_store(parts[e] + i * 16, acc[i * N + e]);
}

/* The products of all blocks; B of them at once where there is one entry. */
static inline __attribute__((always_inline)) void products(const Recurrence *r,
                                                           float *const *parts,
                                                           float *const *states, int64_t count,
                                                           const float *w, const int G,
                                                           const int B)
{
    const int64_t rows = r->p->hidden;
    int64_t step;
    for (int64_t b = 0; b < r->blocks; b += step) {
        float *to[TSR_NPU_RECURRENT_ENTRIES];
        int64_t e = 0;
        step = count == 1 && b + B <= r->blocks ? B : 1;
        for (int64_t i = 0; i < count; i++)
            to[i] = parts[i] + b * G * 16;
        if (ENTRIES >= 4 && e + 4 <= count) {
            tile(to, states, w + b * rows * G * 16, rows, G, 1, 4);
            e += 4;
        }
        if (ENTRIES >= 2 && e + 2 <= count) {
            tile(to + e, states + e, w + b * rows * G * 16, rows, G, 1, 2);
            e += 2;
        }
        for (; e < count; e++)
            if (step == B)
                tile(to + e, states + e, w + b * rows * G * 16, rows, G, B, 1);
            else
                tile(to + e, states + e, w + b * rows * G * 16, rows, G, 1, 1);
    }
}

static __attribute__((noinline)) v16 gate(v16 sum, const TsrActivation *activation, v16 limit)
{
    return vm_activate(vm_clip(sum, v_sub(v_zero(), limit), limit), activation);
}

static void lstm_step(const Recurrence *r, int64_t d, const Entry *entries, int64_t count)
{
    const TsrActivation *act = r->p->activations[d];
    const int64_t padded = r->blocks * 16;
    const float *peepholes = r->extra != NULL ? r->extra + d * 3 * padded : NULL;
    float *parts[TSR_NPU_RECURRENT_ENTRIES], *states[TSR_NPU_RECURRENT_ENTRIES];
    for (int64_t e = 0; e < count; e++) {
        parts[e] = entries[e].parts;
        states[e] = entries[e].h;
    }
    products(r, parts, states, count, r->r + d * padded * r->p->hidden * 4, 4, 2);
    for (int64_t e = 0; e < count; e++)
        for (int64_t at = 0; at < padded; at += 16) {
            const float *x = entries[e].sums + at * 4, *s = entries[e].parts + at * 4;
            float *cells = entries[e].second + at;
            v16 sum[4], c = v_load(cells), in, forget;
            for (int g = 0; g < 4; g++)
                sum[g] = v_add(v_load(x + g * 16), v_load(s + g * 16));
            if (peepholes != NULL) {
                sum[0] = v_fma(v_load(peepholes + at), c, sum[0]);
                sum[2] = v_fma(v_load(peepholes + 2 * padded + at), c, sum[2]);
            }
            in = gate(sum[0], &act[0], r->limit);
            forget = r->p->flag ? v_sub(v_set1(1.0f), in) : gate(sum[2], &act[0], r->limit);
            c = v_fma(forget, c, v_mul(in, gate(sum[3], &act[1], r->limit)));
            if (peepholes != NULL)
                sum[1] = v_fma(v_load(peepholes + padded + at), c, sum[1]);
            v_store(cells, c);
            v_store(entries[e].h + at, v_mul(gate(sum[1], &act[0], r->limit),
                                             gate(c, &act[2], r->limit)));
        }
}

/* h of one block from the sum of its gate and z. */
static inline v16 gru_mix(v16 z, v16 candidate, v16 h)
{
    return v_fma(z, h, v_mul(v_sub(v_set1(1.0f), z), candidate));
}

/* With the reset gate behind the product all three gates come from one product. */
static void gru_linear_step(const Recurrence *r, int64_t d, const Entry *entries, int64_t count)
{
    const TsrActivation *act = r->p->activations[d];
    const int64_t padded = r->blocks * 16;
    float *parts[TSR_NPU_RECURRENT_ENTRIES], *states[TSR_NPU_RECURRENT_ENTRIES];
    for (int64_t e = 0; e < count; e++) {
        parts[e] = entries[e].parts;
        states[e] = entries[e].h;
    }
    products(r, parts, states, count, r->r + d * padded * r->p->hidden * 3, 3, 2);
    for (int64_t e = 0; e < count; e++)
        for (int64_t at = 0; at < padded; at += 16) {
            const float *x = entries[e].sums + at * 3, *s = entries[e].parts + at * 3;
            float *h = entries[e].h + at;
            v16 part = v_load(s + 32), z, reset;
            if (r->extra != NULL)
                part = v_add(part, v_load(r->extra + d * padded + at));
            z = gate(v_add(v_load(x), v_load(s)), &act[0], r->limit);
            reset = gate(v_add(v_load(x + 16), v_load(s + 16)), &act[0], r->limit);
            part = gate(v_fma(reset, part, v_load(x + 32)), &act[1], r->limit);
            v_store(h, gru_mix(z, part, v_load(h)));
        }
}

/* With the reset gate before it, the product of h waits for the gates of all units; z
 * waits in the first part of the products. */
static void gru_step(const Recurrence *r, int64_t d, const Entry *entries, int64_t count)
{
    const TsrActivation *act = r->p->activations[d];
    const int64_t padded = r->blocks * 16;
    const float *w = r->r + d * padded * r->p->hidden * 3;
    float *parts[TSR_NPU_RECURRENT_ENTRIES], *states[TSR_NPU_RECURRENT_ENTRIES];
    for (int64_t e = 0; e < count; e++) {
        parts[e] = entries[e].parts;
        states[e] = entries[e].h;
    }
    products(r, parts, states, count, w, 2, 2);
    for (int64_t e = 0; e < count; e++) {
        for (int64_t at = 0; at < padded; at += 16) {
            const float *x = entries[e].sums + at * 3;
            const v16 z = v_load(parts[e] + at * 2), reset = v_load(parts[e] + at * 2 + 16);
            v_store(parts[e] + at, gate(v_add(v_load(x), z), &act[0], r->limit));
            v_store(entries[e].second + at,
                    v_mul(gate(v_add(v_load(x + 16), reset), &act[0], r->limit),
                          v_load(entries[e].h + at)));
        }
        states[e] = entries[e].second;
        parts[e] += padded;
    }
    products(r, parts, states, count, w + padded * r->p->hidden * 2, 1, 4);
    for (int64_t e = 0; e < count; e++)
        for (int64_t at = 0; at < padded; at += 16) {
            const v16 sum = v_add(v_load(entries[e].sums + at * 3 + 32), v_load(parts[e] + at));
            float *h = entries[e].h + at;
            v_store(h, gru_mix(v_load(entries[e].parts + at), gate(sum, &act[1], r->limit),
                               v_load(h)));
        }
}

static void start_state(float *state, const float *from, int64_t hidden, int64_t padded)
{
    memset(state, 0, (size_t)padded * sizeof(*state));
    if (from != NULL)
        memcpy(state, from, (size_t)hidden * sizeof(*state));
}

/* All steps of `count` entries of direction d. */
static void run_piece(const Recurrence *r, int64_t d, Entry *entries, int64_t count,
                      void (*step)(const Recurrence *, int64_t, const Entry *, int64_t))
{
    const TsrRecurrentParams *p = r->p;
    const int backwards = p->directions == 2 ? d == 1 : p->reverse != 0;
    const int64_t width = r->blocks * r->gates * 16;
    const size_t bytes = (size_t)p->hidden * sizeof(float);
    float *y = r->y + d * p->y_step[1];
    for (int64_t s = 0; s < p->seq; s++) {
        Entry active[TSR_NPU_RECURRENT_ENTRIES];
        float *to[TSR_NPU_RECURRENT_ENTRIES];
        int64_t n = 0;
        for (int64_t e = 0; e < count; e++) {
            const int64_t length = entries[e].length, b = entries[e].index;
            const int64_t t = s < length && backwards ? length - 1 - s : s;
            float *row = y + t * p->y_step[0] + b * p->y_step[2];
            if (s >= length) {
                memset(row, 0, bytes);
                continue;
            }
            to[n] = row;
            active[n] = entries[e];
            active[n++].sums = r->sums + t * p->sums_step[0] + b * p->sums_step[1] + d * width;
        }
        if (n > 0)
            step(r, d, active, n);
        for (int64_t e = 0; e < n; e++)
            memcpy(to[e], active[e].h, bytes);
    }
}

static void run(const Recurrence *r, uint32_t block_index, uint32_t block_dim,
                void (*step)(const Recurrence *, int64_t, const Entry *, int64_t))
{
    const TsrRecurrentParams *p = r->p;
    const int64_t padded = r->blocks * 16, each = p->entries_per_piece;
    const int64_t pieces = split_pieces(p->batch, each);
    float *workspace = r->workspace + p->workspace_floats * block_index;
    int64_t begin, end;
    split_range(p->directions * pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t d = piece / pieces, first = piece % pieces * each;
        const int64_t count = p->batch - first < each ? p->batch - first : each;
        Entry entries[TSR_NPU_RECURRENT_ENTRIES];
        for (int64_t e = 0; e < count; e++) {
            const int64_t b = first + e, state = d * p->state_step[0] + b * p->state_step[1];
            const int64_t length = r->lengths != NULL ? r->lengths[b] : p->seq;
            float *h = workspace + e * (2 + r->gates) * padded;
            entries[e] = (Entry){ h, h + padded, h + 2 * padded, NULL, b,
                                  length < 0 ? 0 : length < p->seq ? length : p->seq };
            start_state(h, r->h0 != NULL ? r->h0 + state : NULL, p->hidden, padded);
            start_state(h + padded, r->c0 != NULL ? r->c0 + state : NULL, p->hidden, padded);
        }
        run_piece(r, d, entries, count, step);
        for (int64_t e = 0; e < count; e++) {
            const int64_t state = d * p->state_step[0] + entries[e].index * p->state_step[1];
            if (r->y_h != NULL)
                memcpy(r->y_h + state, entries[e].h, (size_t)p->hidden * sizeof(float));
            if (r->y_c != NULL)
                memcpy(r->y_c + state, entries[e].second, (size_t)p->hidden * sizeof(float));
        }
    }
}

static v16 limit_of(const TsrRecurrentParams *p)
{
    return v_set1(p->clip > 0.0f ? p->clip : INFINITY);
}

void LSTM(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrRecurrentParams *p = params;
    const Recurrence r = { p, args[0], args[1], args[2], args[3], args[4], args[5], args[6],
                           args[7], args[8], args[9], split_pieces(p->hidden, 16), 4,
                           limit_of(p) };
    run(&r, block_index, block_dim, lstm_step);
}

void GRU(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrRecurrentParams *p = params;
    const Recurrence r = { p, args[0], args[1], args[2], args[3], args[4], NULL, args[5],
                           args[6], NULL, args[7], split_pieces(p->hidden, 16), 3,
                           limit_of(p) };
    run(&r, block_index, block_dim, p->flag ? gru_linear_step : gru_step);
}
