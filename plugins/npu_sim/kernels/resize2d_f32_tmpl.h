/* SPDX-License-Identifier: Apache-2.0
 *
 * resize2d_f32_tmpl.h: RESIZE2D_F32 for one instruction set, compiled by
 * resize2d_f32_avx2.c and resize2d_f32_avx512.c, which define RESIZE2D. A pixel of
 * NC1HWC0 is one vector; a row that repeats the source of the one above is copied.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"
#include "velem.h"

static void resize_row_blocked(const TsrResize2dParams *p, const TsrResizeTap *r,
                               const TsrResizeTap *columns, const elem *x, elem *y)
{
    const elem *a = x + (int64_t)r->first * p->in_w * 16;
    const elem *b = x + (int64_t)r->second * p->in_w * 16;
    const v16 top = v_set1(r->first_weight), bottom = v_set1(r->second_weight);
    for (int32_t j = 0; j < p->out_w; j++, y += 16) {
        const TsrResizeTap *c = &columns[j];
        const int64_t u = (int64_t)c->first * 16, v = (int64_t)c->second * 16;
        v16 left, right;
        if (p->nearest) {
            e_store(y, e_load(a + u));
            continue;
        }
        left = v_fma(e_load(b + u), bottom, v_mul(e_load(a + u), top));
        right = v_fma(e_load(b + v), bottom, v_mul(e_load(a + v), top));
        e_store(y, v_fma(right, v_set1(c->second_weight),
                         v_mul(left, v_set1(c->first_weight))));
    }
}

static void resize_row_plain(const TsrResize2dParams *p, const TsrResizeTap *r,
                             const TsrResizeTap *columns, const elem *x, elem *y)
{
    const elem *a = x + (int64_t)r->first * p->in_w;
    const elem *b = x + (int64_t)r->second * p->in_w;
    for (int32_t j = 0; j < p->out_w; j++) {
        const TsrResizeTap *c = &columns[j];
        if (p->nearest)
            y[j] = a[c->first];
        else
            y[j] = e_put((e_get(a[c->first]) * r->first_weight +
                          e_get(b[c->first]) * r->second_weight) * c->first_weight +
                         (e_get(a[c->second]) * r->first_weight +
                          e_get(b[c->second]) * r->second_weight) * c->second_weight);
    }
}

void RESIZE2D(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrResize2dParams *p = params;
    const TsrResizeTap *rows = args[1], *columns = rows + p->out_h;
    const int64_t length = (int64_t)p->out_w * p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->out_h, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int32_t i = (int32_t)(piece % p->out_h);
        const elem *x =
            (const elem *)args[0] + piece / p->out_h * p->in_h * p->in_w * (int64_t)p->lanes;
        elem *y = (elem *)args[2] + piece * length;
        if (p->nearest && piece > begin && i > 0 && rows[i].first == rows[i - 1].first)
            memcpy(y, y - length, (size_t)length * sizeof(*y));
        else if (p->lanes == 16)
            resize_row_blocked(p, &rows[i], columns, x, y);
        else
            resize_row_plain(p, &rows[i], columns, x, y);
    }
}
