/* SPDX-License-Identifier: Apache-2.0
 *
 * norm_f32_ref.c: reference softmax, normalization, LRN and reduction: the formulas of
 * tessera/device_kernels.h in double.
 */
#include <math.h>
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

void ELEM_FN(softmax, ref)(void *const *args, const void *params, uint32_t block_index,
                           uint32_t block_dim)
{
    const TsrSoftmaxParams *p = params;
    const elem *x = args[0];
    elem *y = args[1];
    int64_t begin, end;
    split_range(p->outer * p->inner, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t base = piece / p->inner * p->length * p->inner + piece % p->inner;
        double most = -INFINITY, sum = 0.0;
        for (int64_t i = 0; i < p->length; i++)
            if (!((double)e_get(x[base + i * p->inner]) <= most))
                most = (double)e_get(x[base + i * p->inner]);
        for (int64_t i = 0; i < p->length; i++)
            sum += exp((double)e_get(x[base + i * p->inner]) - most);
        for (int64_t i = 0; i < p->length; i++) {
            const double d = (double)e_get(x[base + i * p->inner]) - most;
            y[base + i * p->inner] = e_put((float)(p->log ? d - log(sum) : exp(d) / sum));
        }
    }
}

void ELEM_FN(normalize, ref)(void *const *args, const void *params, uint32_t block_index,
                             uint32_t block_dim)
{
    const TsrNormalizeParams *p = params;
    const elem *scale = args[1], *bias = args[2];
    float *means = args[4], *deviations = args[5];
    int64_t begin, end;
    split_range(p->rows, block_index, block_dim, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        const elem *x = (const elem *)args[0] + row * p->length;
        elem *y = (elem *)args[3] + row * p->length;
        double mean = 0.0, variance = 0.0, inverse;
        if (args[6] != NULL) {
            const elem *summand = (const elem *)args[6] + row * p->length;
            elem *sum = args[7] != NULL ? (elem *)args[7] + row * p->length : y;
            for (int64_t i = 0; i < p->length; i++)
                sum[i] = e_put(e_get(x[i]) + e_get(summand[i]));
            x = sum;
        }
        for (int64_t i = 0; i < p->length; i++)
            mean += (double)e_get(x[i]);
        mean /= (double)p->length;
        for (int64_t i = 0; i < p->length; i++)
            variance += ((double)e_get(x[i]) - mean) * ((double)e_get(x[i]) - mean);
        inverse = 1.0 / sqrt(variance / (double)p->length + (double)p->epsilon);
        if (means != NULL)
            means[row] = (float)mean;
        if (deviations != NULL)
            deviations[row] = (float)inverse;
        for (int64_t i = 0; i < p->length; i++) {
            const int64_t c = p->per_row > 0 ? row % p->per_row : i;
            y[i] = e_put((float)(((double)e_get(x[i]) - mean) * inverse *
                                     (scale != NULL ? (double)e_get(scale[c]) : 1.0) +
                                 (bias != NULL ? (double)e_get(bias[c]) : 0.0)));
        }
    }
}

#if TSR_ELEM == 0 /* LRN has no narrow form */

/* Where pixel i of channel c of picture n lies. */
static int64_t lrn_at(const TsrLrnParams *p, int64_t n, int64_t c, int64_t i)
{
    if (p->lanes == 1)
        return (n * p->channels + c) * p->inner + i;
    return ((n * split_pieces(p->channels, 16) + c / 16) * p->inner + i) * 16 + c % 16;
}

void tsr_lrn_f32_ref(void *const *args, const void *params, uint32_t block_index,
                     uint32_t block_dim)
{
    const TsrLrnParams *p = params;
    const float *x = args[0];
    float *y = args[1];
    const int64_t before = (p->size - 1) / 2, after = p->size - 1 - before;
    int64_t begin, end;
    split_range(p->batch * p->channels * p->inner, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t i = piece % p->inner, c = piece / p->inner % p->channels;
        const int64_t n = piece / p->inner / p->channels, at = lrn_at(p, n, c, i);
        double sum = 0.0;
        for (int64_t k = c - before; k <= c + after; k++)
            if (k >= 0 && k < p->channels)
                sum += (double)x[lrn_at(p, n, k, i)] * (double)x[lrn_at(p, n, k, i)];
        y[at] = (float)((double)x[at] /
                        pow((double)p->bias + (double)p->alpha / p->size * sum, (double)p->beta));
    }
}

#endif

void ELEM_FN(reduce, ref)(void *const *args, const void *params, uint32_t block_index,
                          uint32_t block_dim)
{
    const TsrReduceParams *p = params;
    const elem *x = args[0];
    elem *y = args[1];
    int64_t begin, end;
    split_range(p->outer * p->lanes, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const elem *from = x + i / p->lanes * p->length * p->lanes + i % p->lanes;
        double sum = 0.0;
        float most = -INFINITY;
        for (int64_t k = 0; k < p->length; k++) {
            const float e = e_get(from[k * p->lanes]);
            sum += (double)e;
            if (!(e <= most))
                most = e;
        }
        if (p->kind == TSR_REDUCE_MAX)
            y[i] = e_put(most);
        else
            y[i] = e_put((float)(p->kind == TSR_REDUCE_MEAN ? sum / (double)p->length : sum));
    }
}
