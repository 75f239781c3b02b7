/* SPDX-License-Identifier: Apache-2.0
 *
 * resize2d_f32_ref.c: the reference of RESIZE2D_F32, straight from the catalogue.
 */
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

void ELEM_FN(resize2d, ref)(void *const *args, const void *params, uint32_t block_index,
                            uint32_t block_dim)
{
    const TsrResize2dParams *p = params;
    const elem *x = args[0];
    const TsrResizeTap *rows = args[1], *columns = rows + p->out_h;
    elem *y = args[2];
    const int64_t in = (int64_t)p->in_h * p->in_w * p->lanes, row = (int64_t)p->in_w * p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->out_h * p->out_w * p->lanes, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t lane = i % p->lanes, pixel = i / p->lanes;
        const TsrResizeTap *c = &columns[pixel % p->out_w];
        const TsrResizeTap *r = &rows[pixel / p->out_w % p->out_h];
        const elem *from = x + pixel / p->out_w / p->out_h * in + lane;
        const elem *a = from + r->first * row, *b = from + r->second * row;
        const int64_t u = c->first * (int64_t)p->lanes, v = c->second * (int64_t)p->lanes;
        if (p->nearest)
            y[i] = a[u];
        else
            y[i] = e_put((float)(
                (double)r->first_weight * ((double)e_get(a[u]) * (double)c->first_weight +
                                           (double)e_get(a[v]) * (double)c->second_weight) +
                (double)r->second_weight * ((double)e_get(b[u]) * (double)c->first_weight +
                                            (double)e_get(b[v]) * (double)c->second_weight)));
    }
}
