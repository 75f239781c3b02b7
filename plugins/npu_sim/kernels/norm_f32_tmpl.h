/* SPDX-License-Identifier: Apache-2.0
 *
 * norm_f32_tmpl.h: SOFTMAX_F32, NORMALIZE_F32, LRN_F32 and REDUCE_F32 for one
 * instruction set, compiled by norm_f32_avx2.c and norm_f32_avx512.c, which define the
 * four names. Sums run in 16 lanes, which halves the error of a serial sum four times.
 */
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"
#include "velem.h"

/* Exponentials wait in y for their sum, but where that would round them. */
#define KEEPS_EXP (TSR_ELEM == 0)

/* Fills lanes at and above n with `fill`. */
static v16 load_filled(const elem *p, int n, float fill)
{
    float lanes[16];
    for (int i = 0; i < 16; i++)
        lanes[i] = i < n ? e_get(p[i]) : fill;
    return v_load(lanes);
}

static float row_max(const elem *x, int64_t count)
{
    v16 most = v_set1(-INFINITY);
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        most = v_max_nan(most, e_load(x + i));
    if (i < count)
        most = v_max_nan(most, load_filled(x + i, (int)(count - i), -INFINITY));
    float lanes[16], result;
    v_store(lanes, most);
    result = lanes[0];
    for (int l = 1; l < 16; l++)
        if (lanes[l] > result || lanes[l] != lanes[l])
            result = lanes[l];
    return result;
}

static float row_sum(const elem *x, int64_t count)
{
    v16 sum = v_zero(), other = v_zero();
    int64_t i = 0;
    for (; i + 32 <= count; i += 32) {
        sum = v_add(sum, e_load(x + i));
        other = v_add(other, e_load(x + i + 16));
    }
    for (; i + 16 <= count; i += 16)
        sum = v_add(sum, e_load(x + i));
    if (i < count)
        other = v_add(other, e_load_n(x + i, (int)(count - i)));
    return v_sum(v_add(sum, other));
}

static void softmax_row(const elem *x, elem *y, int64_t count, int log)
{
    const v16 most = v_set1(row_max(x, count));
    v16 sum = v_zero();
    for (int64_t i = 0; i < count; i += 16) {
        const int n = (int)(count - i < 16 ? count - i : 16);
        const v16 e = vm_exp(v_sub(load_filled(x + i, n, -INFINITY), most));
        sum = v_add(sum, e);
        if (!log && KEEPS_EXP)
            e_store_n(y + i, e, n);
    }
    if (log) {
        const v16 shift = v_add(most, v_set1(logf(v_sum(sum))));
        for (int64_t i = 0; i < count; i += 16) {
            const int n = (int)(count - i < 16 ? count - i : 16);
            e_store_n(y + i, v_sub(e_load_n(x + i, n), shift), n);
        }
        return;
    }
    const v16 scale = v_set1(1.0f / v_sum(sum));
    for (int64_t i = 0; i < count; i += 16) {
        const int n = (int)(count - i < 16 ? count - i : 16);
        const v16 e = KEEPS_EXP ? e_load_n(y + i, n) : vm_exp(v_sub(e_load_n(x + i, n), most));
        e_store_n(y + i, v_mul(e, scale), n);
    }
}

/* Up to 16 neighbouring columns at once; step is the distance of rows. */
static void softmax_columns(const elem *x, elem *y, int64_t length, int64_t step, int n, int log)
{
    v16 most = v_set1(-INFINITY), sum = v_zero();
    for (int64_t i = 0; i < length; i++)
        most = v_max_nan(most, e_load_n(x + i * step, n));
    for (int64_t i = 0; i < length; i++) {
        const v16 e = vm_exp(v_sub(e_load_n(x + i * step, n), most));
        sum = v_add(sum, e);
        if (!log && KEEPS_EXP)
            e_store_n(y + i * step, e, n);
    }
    if (log) {
        const v16 shift = v_add(most, vm_log(sum));
        for (int64_t i = 0; i < length; i++)
            e_store_n(y + i * step, v_sub(e_load_n(x + i * step, n), shift), n);
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        const v16 e = KEEPS_EXP ? e_load_n(y + i * step, n)
                                : vm_exp(v_sub(e_load_n(x + i * step, n), most));
        e_store_n(y + i * step, v_div(e, sum), n);
    }
}

void SOFTMAX(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrSoftmaxParams *p = params;
    int64_t begin, end;
    split_range(p->length > 0 && p->inner > 0 ? p->outer : 0, block_index, block_dim, &begin,
                &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const elem *x = (const elem *)args[0] + piece * p->length * p->inner;
        elem *y = (elem *)args[1] + piece * p->length * p->inner;
        if (p->inner == 1) {
            softmax_row(x, y, p->length, p->log != 0);
            continue;
        }
        for (int64_t i = 0; i < p->inner; i += 16)
            softmax_columns(x + i, y + i, p->length, p->inner,
                            (int)(p->inner - i < 16 ? p->inner - i : 16), p->log != 0);
    }
}

/* to = a + b, a row of `length`. */
static void add_rows(const elem *a, const elem *b, elem *to, int64_t length)
{
    for (int64_t i = 0; i < length; i += 16) {
        const int n = (int)(length - i < 16 ? length - i : 16);
        e_store_n(to + i, v_add(e_load_n(a + i, n), e_load_n(b + i, n)), n);
    }
}

void NORMALIZE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrNormalizeParams *p = params;
    const elem *scale = args[1], *bias = args[2];
    float *means = args[4], *deviations = args[5];
    int64_t begin, end;
    split_range(p->rows, block_index, block_dim, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        const elem *x = (const elem *)args[0] + row * p->length;
        elem *y = (elem *)args[3] + row * p->length;
        if (args[6] != NULL) {
            /* y is room for a sum that nobody else wants. */
            elem *sum = args[7] != NULL ? (elem *)args[7] + row * p->length : y;
            add_rows(x, (const elem *)args[6] + row * p->length, sum, p->length);
            x = sum;
        }
        const float mean = row_sum(x, p->length) / (float)p->length;
        const v16 m = v_set1(mean);
        v16 squares = v_zero();
        float inverse;
        for (int64_t i = 0; i < p->length; i += 16) {
            const int n = (int)(p->length - i < 16 ? p->length - i : 16);
            const v16 d = n == 16 ? v_sub(e_load(x + i), m) : v_sub(load_filled(x + i, n, mean), m);
            squares = v_fma(d, d, squares);
        }
        inverse = 1.0f / sqrtf(v_sum(squares) / (float)p->length + p->epsilon);
        if (means != NULL)
            means[row] = mean;
        if (deviations != NULL)
            deviations[row] = inverse;
        const v16 inv = v_set1(inverse);
        const int64_t channel = p->per_row > 0 ? row % p->per_row : 0;
        v16 s = v_set1(scale != NULL ? e_get(scale[channel]) : 1.0f);
        v16 t = v_set1(bias != NULL ? e_get(bias[channel]) : 0.0f);
        for (int64_t i = 0; i < p->length; i += 16) {
            const int n = (int)(p->length - i < 16 ? p->length - i : 16);
            if (p->per_row == 0 && scale != NULL)
                s = e_load_n(scale + i, n);
            if (p->per_row == 0 && bias != NULL)
                t = e_load_n(bias + i, n);
            e_store_n(y + i, v_fma(v_mul(v_sub(e_load_n(x + i, n), m), inv), s, t), n);
        }
    }
}

#if TSR_ELEM == 0 /* LRN has no narrow form */

/* base ^ -beta for base > 0; the exponent of every network known to us is 3/4. */
static v16 lrn_factor(v16 base, float beta)
{
    if (beta == 0.75f) {
        const v16 root = v_sqrt(base);
        return v_div(v_set1(1.0f), v_mul(root, v_sqrt(root)));
    }
    return vm_exp(v_mul(v_set1(-beta), vm_log(base)));
}

/* Pixels [run, run_end) of one picture in NC1HWC0: the squares of all channels of a
 * pixel are laid side by side, with zeros around them, and summed by shifted loads. */
static void lrn_blocked(const TsrLrnParams *p, const float *x, float *y, int64_t run,
                        int64_t run_end)
{
    float squares[TSR_NPU_LRN_SIZE + TSR_NPU_LRN_CHANNELS + TSR_NPU_LRN_SIZE];
    const int64_t blocks = split_pieces(p->channels, 16), before = (p->size - 1) / 2;
    const v16 scale = v_set1(p->alpha / (float)p->size), bias = v_set1(p->bias);
    float *first = squares + TSR_NPU_LRN_SIZE;
    for (int i = 0; i < TSR_NPU_LRN_SIZE; i++)
        squares[i] = first[blocks * 16 + i] = 0.0f;
    for (int64_t i = run; i < run_end; i++) {
        for (int64_t b = 0; b < blocks; b++) {
            const int64_t rest = p->channels - b * 16;
            const v16 v = v_load_n(x + (b * p->inner + i) * 16, (int)(rest < 16 ? rest : 16));
            v_store(first + b * 16, v_mul(v, v));
        }
        for (int64_t b = 0; b < blocks; b++) {
            const int64_t at = (b * p->inner + i) * 16;
            v16 sum = v_zero();
            for (int64_t k = 0; k < p->size; k++)
                sum = v_add(sum, v_load(first + b * 16 - before + k));
            v_store(y + at, v_mul(v_load(x + at), lrn_factor(v_fma(scale, sum, bias), p->beta)));
        }
    }
}

/* The same in plain storage, where a channel is a plane. */
static void lrn_plain(const TsrLrnParams *p, const float *x, float *y, int64_t run,
                      int64_t run_end)
{
    const int64_t before = (p->size - 1) / 2, after = p->size - 1 - before;
    const v16 scale = v_set1(p->alpha / (float)p->size), bias = v_set1(p->bias);
    for (int64_t i = run; i < run_end; i += 16) {
        const int n = (int)(run_end - i < 16 ? run_end - i : 16);
        for (int64_t c = 0; c < p->channels; c++) {
            const int64_t from = c > before ? c - before : 0;
            const int64_t to = c + after < p->channels ? c + after : p->channels - 1;
            v16 sum = v_zero();
            for (int64_t k = from; k <= to; k++) {
                const v16 v = v_load_n(x + k * p->inner + i, n);
                sum = v_fma(v, v, sum);
            }
            v_store_n(y + c * p->inner + i,
                      v_mul(v_load_n(x + c * p->inner + i, n),
                            lrn_factor(v_fma(scale, sum, bias), p->beta)),
                      n);
        }
    }
}

void LRN(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    enum { RUN = 256 };
    const TsrLrnParams *p = params;
    const int64_t runs = split_pieces(p->inner, RUN);
    const int64_t picture =
        (p->lanes == 16 ? split_pieces(p->channels, 16) * 16 : p->channels) * p->inner;
    int64_t begin, end;
    split_range(p->batch * runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t run = piece % runs * RUN;
        const int64_t run_end = run + RUN < p->inner ? run + RUN : p->inner;
        const float *x = (const float *)args[0] + piece / runs * picture;
        float *y = (float *)args[1] + piece / runs * picture;
        if (p->lanes == 16)
            lrn_blocked(p, x, y, run, run_end);
        else
            lrn_plain(p, x, y, run, run_end);
    }
}

#endif

/* Lanes [0, n) of sum or maximum over `length` rows that lie `step` apart. */
static v16 reduce_columns(const TsrReduceParams *p, const elem *x, int n)
{
    v16 v = v_set1(p->kind == TSR_REDUCE_MAX ? -INFINITY : 0.0f), other = v;
    int64_t i = 0;
    if (p->kind != TSR_REDUCE_MAX)
        for (; i + 2 <= p->length; i += 2) {
            v = v_add(v, e_load_n(x + i * p->lanes, n));
            other = v_add(other, e_load_n(x + (i + 1) * p->lanes, n));
        }
    for (; i < p->length; i++) {
        const v16 e = e_load_n(x + i * p->lanes, n);
        v = p->kind == TSR_REDUCE_MAX ? v_max_nan(v, e) : v_add(v, e);
    }
    return p->kind == TSR_REDUCE_MAX ? v : v_add(v, other);
}

void REDUCE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrReduceParams *p = params;
    const float length = (float)p->length;
    int64_t begin, end;
    split_range(p->outer, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const elem *x = (const elem *)args[0] + piece * p->length * p->lanes;
        elem *y = (elem *)args[1] + piece * p->lanes;
        if (p->lanes == 1) {
            if (p->kind == TSR_REDUCE_MAX)
                *y = e_put(row_max(x, p->length));
            else
                *y = e_put(p->kind == TSR_REDUCE_MEAN ? row_sum(x, p->length) / length
                                                      : row_sum(x, p->length));
            continue;
        }
        for (int64_t i = 0; i < p->lanes; i += 16) {
            const int n = (int)(p->lanes - i < 16 ? p->lanes - i : 16);
            v16 v = reduce_columns(p, x + i, n);
            if (p->kind == TSR_REDUCE_MEAN)
                v = v_div(v, v_set1(length));
            e_store_n(y + i, v, n);
        }
    }
}
