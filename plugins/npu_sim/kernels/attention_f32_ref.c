/* SPDX-License-Identifier: Apache-2.0
 *
 * attention_f32_ref.c: the reference attention, from the formula of
 * tessera/device_kernels.h: one row of scores at a time, sums in double.
 */
#include <math.h>

#include "kernel_list.h"
#include "split.h"

static float score(const TsrAttentionParams *p, const float *q, const float *k,
                   const float *mask)
{
    double sum = 0.0;
    for (int64_t d = 0; d < p->size; d++)
        sum += (double)q[d] * (double)k[d * p->k_step[3]];
    return (float)(sum * (double)p->scale) + (mask != NULL ? *mask : 0.0f);
}

void tsr_attention_f32_ref(void *const *args, const void *params, uint32_t block_index,
                           uint32_t block_dim)
{
    const TsrAttentionParams *p = params;
    float *row = (float *)args[5] + (uint64_t)block_index * p->workspace_floats;
    int64_t begin, end;
    split_range(p->batch * p->heads * p->queries, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t i = piece % p->queries, h = piece / p->queries % p->heads;
        const int64_t b = piece / p->queries / p->heads, g = h / p->group;
        const int64_t keys = p->causal && i + 1 < p->keys ? i + 1 : p->keys;
        const float *q = (const float *)args[0] + b * p->q_step[0] + h * p->q_step[1] +
                         i * p->q_step[2];
        const float *k = (const float *)args[1] + b * p->k_step[0] + g * p->k_step[1];
        const float *v = (const float *)args[2] + b * p->v_step[0] + g * p->v_step[1];
        const float *mask = args[3];
        float *y = (float *)args[4] + b * p->y_step[0] + h * p->y_step[1] + i * p->y_step[2];
        float most = -INFINITY;
        double sum = 0.0;
        if (mask != NULL)
            mask += b * p->mask_step[0] + h * p->mask_step[1] + i * p->mask_step[2];
        for (int64_t j = 0; j < keys; j++) {
            row[j] = score(p, q, k + j * p->k_step[2],
                           mask != NULL ? mask + j * p->mask_step[3] : NULL);
            if (row[j] > most || row[j] != row[j])
                most = row[j];
        }
        for (int64_t j = 0; j < keys; j++) {
            row[j] = p->zero_rows && most == -INFINITY ? 0.0f : expf(row[j] - most);
            sum += (double)row[j];
        }
        for (int64_t d = 0; d < p->v_size; d++) {
            double value = 0.0;
            for (int64_t j = 0; j < keys; j++)
                value += (double)row[j] * (double)v[j * p->v_step[2] + d];
            y[d] = p->keys == 0 || (p->zero_rows && sum == 0.0) ? 0.0f : (float)(value / sum);
        }
    }
}
