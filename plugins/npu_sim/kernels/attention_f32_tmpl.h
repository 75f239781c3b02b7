/* SPDX-License-Identifier: Apache-2.0
 *
 * attention_f32_tmpl.h: ATTENTION_F32 for one instruction set, compiled by
 * attention_f32_avx2.c and attention_f32_avx512.c, which define ATTENTION. The scores of
 * a piece (some queries by all keys) are the only intermediate and stay in the core's
 * L2; the whole matrix of scores is never stored. Both products are one register tile:
 * rows by 16 or 32 columns, where rows are read where they lie. K is turned into panels of
 * 32 keys, unless its keys are neighbours already; few queries multiply with K row by row
 * instead, since a panel would be used once.
 */
#include "kernel_list.h"
#include "split.h"
#include "transpose_tmpl.h"
#include "vec_math.h"

#if defined(__AVX512F__)
enum { ROWS = 8, COLUMNS = 2, ROW_COLUMNS = 4 };
#else
enum { ROWS = 4, COLUMNS = 1, ROW_COLUMNS = 2 };
#endif
enum { PANEL = 32, FEW_ROWS = 4 };

/* y[r, c] = factor[r] * sum over k < depth of a[r, k] * w[k, c]. */
typedef struct RowsArgs {
    const float *a, *w, *factor;
    float *y;
    int64_t a_row, w_row, y_row, depth;
} RowsArgs;

/* R rows by C vectors, of which the last has `lanes` columns. */
static inline __attribute__((always_inline)) void rows_body(const RowsArgs *t, const int R,
                                                            const int C, const int lanes)
{
    v16 acc[16];
    const float *w = t->w;
#pragma GCC unroll 16
    for (int i = 0; i < R * C; i++)
        acc[i] = v_zero();
    for (int64_t k = 0; k < t->depth; k++, w += t->w_row) {
        v16 wv[4];
#pragma GCC unroll 4
        for (int c = 0; c < C; c++)
            wv[c] = lanes == 16 || c + 1 < C ? v_load(w + c * 16) : v_load_n(w + c * 16, lanes);
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            const v16 x = v_set1(t->a[r * t->a_row + k]);
#pragma GCC unroll 4
            for (int c = 0; c < C; c++)
                acc[r * C + c] = v_fma(x, wv[c], acc[r * C + c]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        const v16 factor = v_set1(t->factor[r]);
#pragma GCC unroll 4
        for (int c = 0; c < C; c++) {
            const v16 v = v_mul(factor, acc[r * C + c]);
            float *y = t->y + r * t->y_row + c * 16;
            if (lanes == 16 || c + 1 < C)
                v_store(y, v);
            else
                v_store_n(y, v, lanes);
        }
    }
}

static void rows_run(const RowsArgs *t, int rows, int vectors, int lanes)
{
    if (vectors == ROW_COLUMNS) {
        rows_body(t, 1, ROW_COLUMNS, 16);
        return;
    }
#if defined(__AVX512F__)
    if (vectors == 2) {
        switch (rows) {
        case 8: rows_body(t, 8, 2, 16); return;
        case 4: rows_body(t, 4, 2, 16); return;
        case 2: rows_body(t, 2, 2, 16); return;
        default: rows_body(t, 1, 2, 16); return;
        }
    }
#endif
    if (lanes == 16) {
        switch (rows) {
#if defined(__AVX512F__)
        case 8: rows_body(t, 8, 1, 16); return;
#endif
        case 4: rows_body(t, 4, 1, 16); return;
        case 2: rows_body(t, 2, 1, 16); return;
        default: rows_body(t, 1, 1, 16); return;
        }
    }
    switch (rows) {
#if defined(__AVX512F__)
    case 8: rows_body(t, 8, 1, lanes); return;
#endif
    case 4: rows_body(t, 4, 1, lanes); return;
    case 2: rows_body(t, 2, 1, lanes); return;
    default: rows_body(t, 1, 1, lanes); return;
    }
}

/* All of `rows` by `width`, columns outside: a strip of w is read for every row. */
static void rows_product(const RowsArgs *all, int64_t rows, int64_t width)
{
    const int widest = rows == 1 ? ROW_COLUMNS : COLUMNS;
    for (int64_t c = 0; c < width;) {
        const int vectors = width - c >= 16 * widest ? widest : 1;
        const int lanes = width - c < 16 ? (int)(width - c) : 16;
        for (int64_t r = 0; r < rows;) {
            const int64_t left = rows - r;
            const int count = left >= ROWS ? ROWS : left >= 4 ? 4 : left >= 2 ? 2 : 1;
            RowsArgs t = *all;
            t.a += r * t.a_row;
            t.factor += r;
            t.w += c;
            t.y += r * t.y_row + c;
            rows_run(&t, count, vectors, lanes);
            r += count;
        }
        c += 16 * vectors;
    }
}

/* The scores of one query where K lies row by row. */
static void score_row(const TsrAttentionParams *p, const float *q, const float *k, float *row)
{
    const int64_t step = p->k_step[2], whole = p->size / 16 * 16;
    const int rest = (int)(p->size - whole);
    for (int64_t j = 0; j < p->keys; j += 4) {
        const int count = p->keys - j < 4 ? (int)(p->keys - j) : 4;
        v16 sum[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            sum[i] = v_zero();
        /* Past the last key the last one is read again. */
        for (int64_t d = 0; d < whole; d += 16) {
            const v16 qv = v_load(q + d);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                sum[i] = v_fma(qv, v_load(k + (j + (i < count ? i : count - 1)) * step + d),
                               sum[i]);
        }
        if (rest > 0)
            for (int i = 0; i < count; i++)
                sum[i] = v_fma(v_load_n(q + whole, rest),
                               v_load_n(k + (j + i) * step + whole, rest), sum[i]);
        for (int i = 0; i < count; i++)
            row[j + i] = p->scale * v_sum(sum[i]);
    }
}

/* Scores of `rows` queries; row_floats lie between their rows. */
static void score_rows(const TsrAttentionParams *p, const float *q, const float *k, int64_t rows,
                       float *scores, int64_t row_floats, float *panel)
{
    float factor[TSR_NPU_ATTENTION_ROWS];
    RowsArgs t = { .a = q, .w = k, .factor = factor, .y = scores, .a_row = p->q_step[2],
                   .w_row = p->k_step[3], .y_row = row_floats, .depth = p->size };
    if (rows < FEW_ROWS && p->k_step[3] == 1) {
        for (int64_t r = 0; r < rows; r++)
            score_row(p, q + r * p->q_step[2], k, scores + r * row_floats);
        return;
    }
    for (int i = 0; i < TSR_NPU_ATTENTION_ROWS; i++)
        factor[i] = p->scale;
    /* Keys that are neighbours are columns already. */
    if (p->k_step[2] == 1) {
        rows_product(&t, rows, p->keys);
        return;
    }
    t.w = panel;
    t.w_row = PANEL;
    for (int64_t j = 0; j < p->keys; j += PANEL) {
        const int width = p->keys - j < PANEL ? (int)(p->keys - j) : PANEL;
        for (int64_t d = 0; d < p->size; d += 16)
            for (int c = 0; c < width; c += 16)
                transpose_part(k + (j + c) * p->k_step[2] + d * p->k_step[3], p->k_step[2],
                               width - c < 16 ? width - c : 16,
                               (int)(p->size - d < 16 ? p->size - d : 16),
                               panel + d * PANEL + c, PANEL);
        t.y = scores + j;
        rows_product(&t, rows, width);
    }
}

/* exp(x) for x <= 0. Against the largest score, which gives 1, numbers below the least
 * normal one are nothing, but slow: masked keys would all become such numbers on their way
 * to zero. So they are zero from -87 on, and one power of two is enough. */
static inline v16 exp_of_negative(v16 x)
{
    const v16 least = v_set1(-87.0f);
    v16 k, r = vm_reduce(v_max(least, x), &k);
    r = v_mul(v_add(vm_expm1_reduced(r), v_set1(1.0f)), vm_pow2(k));
    return v_select(v_lt(x, least), v_zero(), r);
}

/* Turns a row of scores into exp(score + mask - most), zero from `limit` to the row's end;
 * returns the factor that makes their sum 1. */
static float soften_row(const TsrAttentionParams *p, float *row, const float *mask, int64_t limit,
                        int64_t row_floats)
{
    v16 most = v_set1(-INFINITY), sum = v_zero();
    float largest;
    for (int64_t j = limit; j < row_floats; j++)
        row[j] = -INFINITY;
    for (int64_t j = 0; j < limit; j += 16) {
        v16 x = v_load(row + j);
        if (mask != NULL && p->mask_step[3] == 0)
            x = v_add(x, v_set1(*mask));
        else if (mask != NULL)
            x = v_add(x, v_load_n(mask + j, (int)(limit - j < 16 ? limit - j : 16)));
        v_store(row + j, x);
        most = v_max_nan(most, x);
    }
    /* A NaN among the scores makes their sum NaN below, whatever is taken off. */
    largest = v_hmax(v_select(v_nan(most), v_set1(INFINITY), most));
    if (p->zero_rows && largest == -INFINITY) {
        for (int64_t j = 0; j < row_floats; j++)
            row[j] = 0.0f;
        return 0.0f;
    }
    for (int64_t j = 0; j < row_floats; j += 16) {
        const v16 e = exp_of_negative(v_sub(v_load(row + j), v_set1(largest)));
        sum = v_add(sum, e);
        v_store(row + j, e);
    }
    return p->keys > 0 ? 1.0f / v_sum(sum) : 0.0f;
}

void ATTENTION(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrAttentionParams *p = params;
    const int64_t row_floats = split_pieces(p->keys, PANEL) * PANEL;
    const int64_t row_pieces = split_pieces(p->queries, p->rows_per_piece);
    float *scores = (float *)args[5] + (uint64_t)block_index * p->workspace_floats;
    float *panel = scores + p->rows_per_piece * row_floats, factor[TSR_NPU_ATTENTION_ROWS];
    int64_t begin, end;
    split_range(p->batch * p->heads * row_pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t i = piece % row_pieces * p->rows_per_piece;
        const int64_t h = piece / row_pieces % p->heads, b = piece / row_pieces / p->heads;
        const int64_t g = h / p->group;
        const int64_t rows = p->queries - i < p->rows_per_piece ? p->queries - i
                                                                : p->rows_per_piece;
        const float *q = (const float *)args[0] + b * p->q_step[0] + h * p->q_step[1] +
                         i * p->q_step[2];
        const float *k = (const float *)args[1] + b * p->k_step[0] + g * p->k_step[1];
        const float *v = (const float *)args[2] + b * p->v_step[0] + g * p->v_step[1];
        const float *mask = args[3];
        float *y = (float *)args[4] + b * p->y_step[0] + h * p->y_step[1] + i * p->y_step[2];
        if (mask != NULL)
            mask += b * p->mask_step[0] + h * p->mask_step[1] + i * p->mask_step[2];
        score_rows(p, q, k, rows, scores, row_floats, panel);
        for (int64_t r = 0; r < rows; r++) {
            const int64_t limit = p->causal && i + r + 1 < p->keys ? i + r + 1 : p->keys;
            factor[r] = soften_row(p, scores + r * row_floats,
                                   mask != NULL ? mask + r * p->mask_step[2] : NULL, limit,
                                   row_floats);
        }
        rows_product(&(RowsArgs){ .a = scores, .w = v, .factor = factor, .y = y,
                                  .a_row = row_floats, .w_row = p->v_step[2],
                                  .y_row = p->y_step[2], .depth = p->keys },
                     rows, p->v_size);
    }
}
