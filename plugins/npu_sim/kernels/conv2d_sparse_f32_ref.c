/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_sparse_f32_ref.c: the reference of CONV2D_SPARSE_F32, one output element at a
 * time, sums in double.
 */
#include "act_ref.h"
#include "kernel_list.h"
#include "split.h"

void tsr_conv2d_sparse_f32_ref(void *const *args, const void *params, uint32_t block_index,
                               uint32_t block_dim)
{
    const TsrConvSparseParams *p = params;
    const float *x = args[0], *w = args[1], *bias = args[3], *residual = args[4];
    const int64_t out_blocks = split_pieces(p->out_c, 16);
    const int32_t *starts = args[2], *offsets = starts + out_blocks + 1;
    const int64_t image = split_pieces(p->in_c, 16) * p->pixels * 16;
    float *y = args[5];
    int64_t begin, end;
    split_range(p->batch * out_blocks * p->pixels * 16, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t lane = i % 16, pixel = i / 16 % p->pixels;
        const int64_t block = i / 16 / p->pixels % out_blocks;
        const float *from = x + i / 16 / p->pixels / out_blocks * image + pixel * 16;
        double sum = bias != NULL ? (double)bias[block * 16 + lane] : 0.0;
        for (int32_t e = starts[block]; e < starts[block + 1]; e++)
            sum += (double)from[offsets[e]] * (double)w[e * 16 + lane];
        if (residual != NULL)
            sum += (double)residual[i];
        y[i] = activate_ref((float)sum, &p->activation);
    }
}
