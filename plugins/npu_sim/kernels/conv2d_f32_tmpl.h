/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_f32_tmpl.h: CONV2D_F32 and CONV2D_DEPTHWISE_F32 for one instruction set,
 * compiled by conv2d_f32_avx2.c and conv2d_f32_avx512.c, which define CONV2D and
 * DEPTHWISE. Loop order: a piece's window of x is copied once into a slab that stays
 * in the core's L2; then, per pair of channel blocks, every row tile is computed, so
 * that the weights of the pair stay in L1 or L2.
 */
#include <string.h>
#include "depthwise_f32_tmpl.h"
#include "kernel_list.h"
#include "split.h"
#include "tile_f32_tmpl.h"
#include "window.h"

static void copy_pixels(float *to, const elem *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        v_store(to + i * 16, e_load(from + i * 16));
}

static void clear_pixels(float *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        v_store(to + i * 16, v_zero());
}

/* Copies one row of x (16 lanes a pixel; NULL: a row of padding) to a slab row. */
static void slab_row_blocked(const TsrConv2dParams *p, const Window *w, const elem *row,
                             float *slab)
{
    for (int32_t phase = 0; phase < w->phases; phase++, slab += (int64_t)w->width * 16) {
        /* Column c of the phase is x column c * stride + phase - pad. */
        int64_t first = phase - p->pad_left, begin = 0, end;
        const int64_t s = p->stride_w;
        if (first < 0)
            begin = (-first + s - 1) / s;
        end = p->in_w > first ? (p->in_w - first + s - 1) / s : 0;
        if (row == NULL)
            end = 0;
        if (end > w->width)
            end = w->width;
        if (begin > end)
            begin = end;
        clear_pixels(slab, begin);
        if (s == 1 && begin < end)
            copy_pixels(slab + begin * 16, row + (begin + first) * 16, end - begin);
        else
            for (int64_t c = begin; c < end; c++)
                v_store(slab + c * 16, e_load(row + (c * s + first) * 16));
        clear_pixels(slab + end * 16, w->width - end);
    }
}

/* Fills the slab with what `rows` output rows from `first` on read. planes channel
 * blocks (or channels) from x on. */
static void slab_fill(const TsrConv2dParams *p, const Window *w, const elem *x, int32_t planes,
                      int32_t first, int32_t rows, float *slab)
{
    const int32_t pixel = p->x_plain ? 1 : 16, slab_rows = window_rows(p, w, rows);
    const int64_t plane = (int64_t)p->in_h * p->in_w * pixel;
    for (int32_t c = 0; c < planes; c++, x += plane)
        for (int32_t r = 0; r < slab_rows; r++, slab += (int64_t)w->row_pixels * pixel) {
            int32_t source = window_source_row(p, w, first, r);
            const elem *row =
                source >= 0 && source < p->in_h ? x + (int64_t)source * p->in_w * pixel : NULL;
            if (p->x_plain)
                window_copy_row(p, w, row, slab);
            else
                slab_row_blocked(p, w, row, slab);
        }
}

void CONV2D(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrConv2dParams *p = params;
    const elem *x = args[0], *weights = args[1], *z = args[3];
    const float *bias = args[2];
    elem *y = args[4];
    float *slab = args[5];
    const int plain = p->x_plain != 0;
    const int pixel = plain ? 1 : 16, lane_depth = plain ? 1 : 16;
    const Window w = window_of(p);
    const int32_t group_in = p->in_c / p->groups;
    const int32_t in_blocks = (int32_t)split_pieces(group_in, lane_depth);
    const int32_t all_in_blocks = (int32_t)split_pieces(p->in_c, lane_depth);
    const int32_t out_blocks = (int32_t)split_pieces(p->out_c, 16);
    const int32_t group_out_blocks = out_blocks / p->groups;
    const int64_t row_pieces = split_pieces(p->out_h, p->rows_per_piece);
    const int64_t column_pieces = split_pieces(p->out_w, p->columns_per_piece);
    const int64_t block_pieces = split_pieces(out_blocks, p->blocks_per_piece);
    const int64_t places = p->batch * row_pieces * column_pieces;
    const int64_t in_plane = (int64_t)p->in_h * p->in_w * pixel;
    const int grid = p->y_step_h > 0, y_lanes = p->y_plain ? 1 : 16;
    const int64_t y_width = grid ? p->y_w : p->out_w;
    const int64_t y_step = grid ? p->y_step_w : 1, y_row_step = grid ? p->y_step_h : 1;
    const int64_t out_plane = (grid ? p->y_h : p->out_h) * y_width * y_lanes;
    const int64_t filter = (int64_t)group_in * p->kernel_h * p->kernel_w * 16;
    const int flat = slab != NULL && p->kernel_h == 1 && p->kernel_w == 1 && !grid;
    int32_t taps[TSR_NPU_MAX_TAPS] = { 0 };
    int64_t begin, end, filled = -1;
    if (slab != NULL) {
        slab += p->workspace_floats * block_index;
        window_taps(p, &w, pixel, taps);
    }
    split_range(places * block_pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        /* Channel pieces are the outer loop: a core reads few weights, often. */
        const int64_t place = piece % places;
        const int32_t row = (int32_t)(place / column_pieces % row_pieces) * p->rows_per_piece;
        const int32_t column = (int32_t)(place % column_pieces) * p->columns_per_piece;
        const int64_t n = place / column_pieces / row_pieces;
        int32_t rows = p->out_h - row, columns = p->out_w - column;
        int32_t block = (int32_t)(piece / places) * p->blocks_per_piece;
        int32_t block_end = block + p->blocks_per_piece;
        const elem *image = x + n * all_in_blocks * in_plane;
        rows = rows < p->rows_per_piece ? rows : p->rows_per_piece;
        columns = columns < p->columns_per_piece ? columns : p->columns_per_piece;
        block_end = block_end < out_blocks ? block_end : out_blocks;
        while (block < block_end) {
            const int32_t group = block / group_out_blocks;
            const int32_t group_end = (group + 1) * group_out_blocks;
            int32_t count = flat ? tile_blocks((int64_t)rows * columns) : tile_blocks(columns);
            const elem *source = image + (int64_t)group * in_blocks * in_plane;
            const int64_t at = (n * out_blocks + block) * out_plane +
                               ((row * y_row_step + p->y_top) * y_width + column * y_step +
                                p->y_left) * y_lanes;
            TileArgs a = { .w = weights + block * filter, .taps = taps };
            if (count > block_end - block)
                count = block_end - block;
            if (count > group_end - block)
                count = group_end - block;
            if (slab != NULL) {
                const int32_t slab_rows = window_rows(p, &w, rows);
                /* The slab serves all channel pieces of a place and group. */
                if (filled != place * p->groups + group) {
                    slab_fill(p, &w, source, in_blocks, row, rows, slab);
                    filled = place * p->groups + group;
                }
                a.x = slab;
                a.x_block = (int64_t)slab_rows * w.row_pixels * pixel;
                a.x_row = (int64_t)w.row_step * w.row_pixels * pixel;
            } else {
                /* Narrow types always come with a workspace. */
                a.x = (const float *)source + ((int64_t)row * p->in_w + column) * pixel;
                a.x_block = in_plane;
                a.x_row = (int64_t)p->in_w * pixel;
            }
            a.bias = bias != NULL ? bias + block * 16 : NULL;
            a.z = z != NULL ? z + at : NULL;
            a.y = y + at;
            a.w_block = filter;
            a.y_pixel = y_step * y_lanes;
            a.y_row = y_row_step * y_width * y_lanes;
            a.y_block = out_plane;
            a.block_count = in_blocks;
            a.tap_count = p->kernel_h * p->kernel_w;
            a.depth = lane_depth;
            a.last_depth = group_in - (in_blocks - 1) * lane_depth;
            a.last_lanes = y_lanes;
            a.activation = p->activation;
            if (flat)
                tile_area(&a, count, 1, (int64_t)rows * columns, plain);
            else
                tile_area(&a, count, rows, columns, plain);
            block += count;
        }
    }
}

void DEPTHWISE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrConv2dParams *p = params;
    const elem *weights = args[1], *residual = args[3];
    const float *bias = args[2];
    const int32_t blocks = (int32_t)split_pieces(p->out_c, 16);
    int64_t begin, end;
    split_range((int64_t)p->batch * blocks * p->out_h, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int32_t i = (int32_t)(piece % p->out_h);
        const int64_t plane = piece / p->out_h;
        const int32_t c = (int32_t)(plane % blocks);
        const int64_t at = (plane * p->out_h + i) * p->out_w * 16;
        depthwise_row(p, (const elem *)args[0] + plane * p->in_h * p->in_w * 16,
                      weights + (int64_t)c * p->kernel_h * p->kernel_w * 16,
                      bias != NULL ? v_load(bias + c * 16) : v_zero(), i,
                      residual != NULL ? residual + at : NULL, (elem *)args[4] + at);
    }
}
