/* SPDX-License-Identifier: Apache-2.0
 *
 * resize2d_f32_ref.c: the reference of RESIZE2D_F32, straight from the catalogue.
 */
#include "kernel_list.h"
#include "split.h"

void tsr_resize2d_f32_ref(void *const *args, const void *params, uint32_t block_index,
                          uint32_t block_dim)
{
    const TsrResize2dParams *p = params;
    const float *x = args[0];
    const TsrResizeTap *rows = args[1], *columns = rows + p->out_h;
    float *y = args[2];
    const int64_t in = (int64_t)p->in_h * p->in_w * p->lanes, row = (int64_t)p->in_w * p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->out_h * p->out_w * p->lanes, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t lane = i % p->lanes, pixel = i / p->lanes;
        const TsrResizeTap *c = &columns[pixel % p->out_w];
        const TsrResizeTap *r = &rows[pixel / p->out_w % p->out_h];
        const float *from = x + pixel / p->out_w / p->out_h * in + lane;
        const float *a = from + r->first * row, *b = from + r->second * row;
        const int64_t u = c->first * (int64_t)p->lanes, v = c->second * (int64_t)p->lanes;
        if (p->nearest)
            y[i] = a[u];
        else
            y[i] = (float)((double)r->first_weight * ((double)a[u] * (double)c->first_weight +
                                                      (double)a[v] * (double)c->second_weight) +
                           (double)r->second_weight * ((double)b[u] * (double)c->first_weight +
                                                       (double)b[v] * (double)c->second_weight));
    }
}
