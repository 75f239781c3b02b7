/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_f32_ref.c: the reference matrix product and panel packing, from the formulas
 * of tessera/device_kernels.h, sums in double.
 */
#include "act_ref.h"
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

void ELEM_FN(pack_panels, ref)(void *const *args, const void *params, uint32_t block_index,
                               uint32_t block_dim)
{
    const TsrPackPanelsParams *p = params;
    const elem *b = args[0];
    elem *to = args[1];
    const int64_t panels = split_pieces(p->n, 16);
    int64_t begin, end;
    split_range(p->count * panels, block_index, block_dim, &begin, &end);
    for (int64_t i = begin * p->k * 16; i < end * p->k * 16; i++) {
        const int64_t matrix = i / 16 / p->k / panels, k = i / 16 % p->k;
        const int64_t column = i / 16 / p->k % panels * 16 + i % 16;
        to[i] = column >= p->n ? 0
                               : e_put(e_get(b[matrix * p->matrix_step + k * p->row_step +
                                               column * p->column_step]) * p->scale);
    }
}

void ELEM_FN(gemm, ref)(void *const *args, const void *params, uint32_t block_index,
                        uint32_t block_dim)
{
    const TsrGemmParams *p = params;
    const elem *a = args[0], *panels = args[1], *residual = args[3];
    const float *bias = args[2];
    elem *y = args[4];
    const int64_t all_panels = split_pieces(p->n, 16);
    int64_t batch = 1, begin, end;
    for (uint32_t i = 0; i < p->batch_rank; i++)
        batch *= p->batch_shape[i];
    split_range(batch * p->m, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t a_at = piece % p->m * p->a_row, b_at = 0, rest = piece / p->m;
        for (uint32_t i = p->batch_rank; i-- > 0; rest /= p->batch_shape[i]) {
            a_at += rest % p->batch_shape[i] * p->a_step[i];
            b_at += rest % p->batch_shape[i] * p->b_step[i];
        }
        for (int64_t n = 0; n < p->n; n++) {
            const elem *w = panels + (b_at * all_panels + n / 16) * p->k * 16 + n % 16;
            double sum = bias != NULL ? (double)bias[n] : 0.0;
            for (int64_t k = 0; k < p->k; k++)
                sum += (double)e_get(a[a_at + k * p->a_column]) * (double)e_get(w[k * 16]);
            if (residual != NULL)
                sum += (double)e_get(residual[piece * p->n + n]);
            y[piece * p->n + n] = e_put(activate_ref((float)sum, &p->activation));
        }
    }
}
