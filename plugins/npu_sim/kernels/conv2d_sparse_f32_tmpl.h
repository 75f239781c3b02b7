/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_sparse_f32_tmpl.h: CONV2D_SPARSE_F32 for one instruction set, compiled by
 * conv2d_sparse_f32_avx2.c and conv2d_sparse_f32_avx512.c, which define CONV2D_SPARSE.
 * The register tile takes any offsets for its window taps: here a tap is a channel.
 */
#include "kernel_list.h"
#include "split.h"
#include "tile_f32_tmpl.h"

void CONV2D_SPARSE(void *const *args, const void *params, uint32_t block_index,
                   uint32_t block_dim)
{
    const TsrConvSparseParams *p = params;
    const float *x = args[0], *w = args[1], *bias = args[3], *residual = args[4];
    const int64_t out_blocks = split_pieces(p->out_c, 16);
    const int32_t *starts = args[2], *offsets = starts + out_blocks + 1;
    const int64_t image = split_pieces(p->in_c, 16) * p->pixels * 16;
    const int64_t runs = split_pieces(p->pixels, p->pixels_per_piece);
    int64_t begin, end;
    split_range(p->batch * out_blocks * runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t first = piece % runs * p->pixels_per_piece, plane = piece / runs;
        const int64_t block = plane % out_blocks, rest = p->pixels - first;
        const int64_t at = (plane * p->pixels + first) * 16;
        const TileArgs a = {
            .x = x + plane / out_blocks * image + first * 16, .w = w + (int64_t)starts[block] * 16,
            .bias = bias != NULL ? bias + block * 16 : NULL,
            .z = residual != NULL ? residual + at : NULL, .y = (float *)args[5] + at,
            .taps = offsets + starts[block], .y_pixel = 16, .block_count = 1,
            .tap_count = starts[block + 1] - starts[block], .depth = 1, .last_depth = 1,
            .last_lanes = 16, .activation = p->activation,
        };
        tile_area(&a, 1, 1, rest < p->pixels_per_piece ? rest : p->pixels_per_piece, 0);
    }
}
