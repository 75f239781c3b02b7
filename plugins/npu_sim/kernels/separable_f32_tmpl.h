/* SPDX-License-Identifier: Apache-2.0
 *
 * separable_f32_tmpl.h: CONV2D_SEPARABLE_F32 for one instruction set, compiled by
 * separable_f32_avx2.c and separable_f32_avx512.c, which define SEPARABLE. A piece makes
 * some rows of all channels by the depthwise filters into its workspace, where the
 * pointwise tiles read them out of the cache. Lanes past the last channel are not read.
 */
#include "depthwise_f32_tmpl.h"
#include "kernel_list.h"
#include "split.h"
#include "tile_f32_tmpl.h"

void SEPARABLE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    static const int32_t taps[1] = { 0 };
    const TsrSeparableParams *p = params;
    const TsrConv2dParams *d = &p->depthwise;
    const float *filters = args[1], *start = args[2], *weights = args[3], *bias = args[4];
    const float *z = args[5];
    float *y = args[6], *slab = (float *)args[7] + block_index * p->workspace_floats;
    const int32_t in_blocks = (int32_t)split_pieces(d->in_c, 16);
    const int32_t out_blocks = (int32_t)split_pieces(p->out_c, 16);
    const int64_t runs = split_pieces(d->out_h, p->rows_per_piece);
    const int64_t in_plane = (int64_t)d->in_h * d->in_w * 16, filter = (int64_t)d->in_c * 16;
    const int64_t out_plane = (int64_t)d->out_h * d->out_w * 16;
    int64_t begin, end;
    split_range(d->batch * runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int32_t first = (int32_t)(piece % runs) * p->rows_per_piece;
        const int32_t rest = d->out_h - first;
        const int32_t rows = rest < p->rows_per_piece ? rest : p->rows_per_piece;
        const int64_t n = piece / runs, pixels = (int64_t)rows * d->out_w;
        for (int32_t c = 0; c < in_blocks; c++)
            for (int32_t r = 0; r < rows; r++)
                depthwise_row(d, (const float *)args[0] + (n * in_blocks + c) * in_plane,
                              filters + (int64_t)c * d->kernel_h * d->kernel_w * 16,
                              start != NULL ? v_load(start + c * 16) : v_zero(), first + r, NULL,
                              slab + (c * pixels + (int64_t)r * d->out_w) * 16);
        for (int32_t block = 0; block < out_blocks;) {
            const int64_t at =
                (n * out_blocks + block) * out_plane + (int64_t)first * d->out_w * 16;
            int32_t count = tile_blocks(pixels);
            if (count > out_blocks - block)
                count = out_blocks - block;
            const TileArgs a = {
                .x = slab, .w = weights + block * filter,
                .bias = bias != NULL ? bias + block * 16 : NULL, .z = z != NULL ? z + at : NULL,
                .y = y + at, .taps = taps, .x_block = pixels * 16, .w_block = filter,
                .y_pixel = 16, .y_block = out_plane, .block_count = in_blocks, .tap_count = 1,
                .depth = 16, .last_depth = d->in_c - (in_blocks - 1) * 16, .last_lanes = 16,
                .activation = p->activation,
            };
            tile_area(&a, count, 1, pixels, 0);
            block += count;
        }
    }
}
