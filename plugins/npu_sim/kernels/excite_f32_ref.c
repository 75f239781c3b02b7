/* SPDX-License-Identifier: Apache-2.0
 *
 * excite_f32_ref.c: the reference of EXCITE_F32, summed in double.
 */
#include "act_ref.h"
#include "kernel_list.h"
#include "split.h"

/* Unit `to` of a layer with packed weights. */
static float unit(const float *x, int64_t count, const float *w, const float *bias, int64_t to,
                  const TsrActivation *activation)
{
    double sum = bias != NULL ? (double)bias[to] : 0.0;
    for (int64_t k = 0; k < count; k++)
        sum += (double)x[k] * (double)w[(to / 16 * count + k) * 16 + to % 16];
    return activate_ref((float)sum, activation);
}

void tsr_excite_f32_ref(void *const *args, const void *params, uint32_t block_index,
                        uint32_t block_dim)
{
    const TsrExciteParams *p = params;
    float *hidden = (float *)args[6] + block_index * p->workspace_floats;
    int64_t begin, end;
    split_range(p->batch, block_index, block_dim, &begin, &end);
    for (int64_t n = begin; n < end; n++) {
        const float *x = (const float *)args[0] + n * p->step;
        float *y = (float *)args[5] + n * p->step;
        for (int64_t i = 0; i < p->squeezed; i++)
            hidden[i] = unit(x, p->channels, args[1], args[2], i, &p->squeeze);
        for (int64_t i = 0; i < p->channels; i++)
            y[i] = unit(hidden, p->squeezed, args[3], args[4], i, &p->gate) + p->summand;
    }
}
