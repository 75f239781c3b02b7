/* SPDX-License-Identifier: Apache-2.0
 *
 * excite_f32_tmpl.h: EXCITE_F32 for one instruction set, compiled by excite_f32_avx2.c and
 * excite_f32_avx512.c, which define EXCITE. Lanes are units of a layer; four blocks of them
 * are summed side by side, so that the latency of a multiply-add is hidden.
 */
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"

/* OB blocks of 16 units; the last one stores `last` of them. */
static inline __attribute__((always_inline)) void units(const float *x, int64_t count,
                                                        const float *w, const float *bias,
                                                        const TsrActivation *activation,
                                                        float summand, float *y, int last,
                                                        const int OB)
{
    v16 sums[4];
#pragma GCC unroll 4
    for (int o = 0; o < OB; o++)
        sums[o] = bias != NULL ? v_load(bias + o * 16) : v_zero();
    for (int64_t k = 0; k < count; k++) {
        const v16 xv = v_set1(x[k]);
#pragma GCC unroll 4
        for (int o = 0; o < OB; o++)
            sums[o] = v_fma(xv, v_load(w + (o * count + k) * 16), sums[o]);
    }
#pragma GCC unroll 4
    for (int o = 0; o < OB; o++) {
        const v16 v = v_add(vm_activate(sums[o], activation), v_set1(summand));
        v_store_n(y + o * 16, v, o + 1 < OB ? 16 : last);
    }
}

/* y[to] = f(bias + x W) + summand. */
static void layer(const float *x, int64_t count, const float *w, const float *bias,
                  const TsrActivation *activation, float summand, float *y, int64_t to)
{
    int64_t i = 0;
    for (; i + 64 <= to; i += 64)
        units(x, count, w + i * count, bias != NULL ? bias + i : NULL, activation, summand, y + i,
              16, 4);
    for (; i < to; i += 16)
        units(x, count, w + i * count, bias != NULL ? bias + i : NULL, activation, summand, y + i,
              to - i < 16 ? (int)(to - i) : 16, 1);
}

void EXCITE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrExciteParams *p = params;
    float *hidden = (float *)args[6] + block_index * p->workspace_floats;
    int64_t begin, end;
    split_range(p->batch, block_index, block_dim, &begin, &end);
    for (int64_t n = begin; n < end; n++) {
        layer((const float *)args[0] + n * p->step, p->channels, args[1], args[2], &p->squeeze,
              0.0f, hidden, p->squeezed);
        layer(hidden, p->squeezed, args[3], args[4], &p->gate, p->summand,
              (float *)args[5] + n * p->step, p->channels);
    }
}
