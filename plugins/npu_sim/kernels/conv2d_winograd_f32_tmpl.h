/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_winograd_f32_tmpl.h: CONV2D_WINOGRAD_F32 for one instruction set, compiled by
 * conv2d_winograd_f32_avx2.c and conv2d_winograd_f32_avx512.c, which define WINOGRAD.
 * A piece's tiles of x are transformed once into the workspace; then, per pair of
 * channel blocks, 36 small products with tiles as pixels (tile_f32_tmpl.h) are made
 * and transformed back. The 1D transforms share what pairs of rows have in common.
 */
#include "kernel_list.h"
#include "split.h"
#include "tile_f32_tmpl.h"

enum { POINTS = TSR_NPU_WINOGRAD_POINTS };

/* B^T d for one column of six. */
static inline void input_line(const v16 *d, int step, v16 *t, int to_step)
{
    const v16 four = v_set1(4.0f), five = v_set1(5.0f), two = v_set1(2.0f);
    const v16 d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step];
    const v16 even = v_fnma(d2, four, d4), odd = v_fnma(d1, four, d3);
    const v16 even2 = v_sub(d4, d2), odd2 = v_mul(v_sub(d3, d1), two);
    t[0] = v_fma(d[0], four, v_fnma(d2, five, d4));
    t[to_step] = v_add(even, odd);
    t[2 * to_step] = v_sub(even, odd);
    t[3 * to_step] = v_add(even2, odd2);
    t[4 * to_step] = v_sub(even2, odd2);
    t[5 * to_step] = v_fma(d1, four, v_fnma(d3, five, d[5 * step]));
}

/* A^T m for one column of six. */
static inline void output_line(const v16 *m, int step, v16 *y, int to_step)
{
    const v16 sum12 = v_add(m[step], m[2 * step]), sum34 = v_add(m[3 * step], m[4 * step]);
    const v16 dif12 = v_sub(m[step], m[2 * step]), dif34 = v_sub(m[3 * step], m[4 * step]);
    y[0] = v_add(m[0], v_add(sum12, sum34));
    y[to_step] = v_fma(dif34, v_set1(2.0f), dif12);
    y[2 * to_step] = v_fma(sum34, v_set1(4.0f), sum12);
    y[3 * to_step] = v_add(v_fma(dif34, v_set1(8.0f), dif12), m[5 * step]);
}

/* Transforms the 6 x 6 pixels of a channel block from (top, left); point i goes to
 * to + i * step. */
static void input_tile(const TsrWinogradParams *p, const float *x, int32_t top, int32_t left,
                       float *to, int64_t step)
{
    v16 d[POINTS], t[POINTS];
    if (top >= 0 && left >= 0 && top + 6 <= p->in_h && left + 6 <= p->in_w) {
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                d[i * 6 + j] = v_load(x + ((int64_t)(top + i) * p->in_w + left + j) * 16);
    } else {
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                const int32_t row = top + i, column = left + j;
                d[i * 6 + j] = row >= 0 && row < p->in_h && column >= 0 && column < p->in_w
                                   ? v_load(x + ((int64_t)row * p->in_w + column) * 16)
                                   : v_zero();
            }
    }
    for (int j = 0; j < 6; j++)
        input_line(d + j, 6, t + j, 6);
    for (int i = 0; i < 6; i++)
        input_line(t + i * 6, 1, d + i * 6, 1);
    for (int i = 0; i < POINTS; i++)
        v_store(to + i * step, d[i]);
}

/* Transforms one tile of one channel block back and writes what lies inside y. */
static void output_tile(const TsrWinogradParams *p, const float *from, int64_t step,
                        const float *bias, const float *z, float *y, int32_t top, int32_t left)
{
    v16 m[POINTS], half[24], out[16];
    const v16 start = bias != NULL ? v_load(bias) : v_zero();
    const int rows = p->out_h - top < 4 ? p->out_h - top : 4;
    const int columns = p->out_w - left < 4 ? p->out_w - left : 4;
    for (int i = 0; i < POINTS; i++)
        m[i] = v_load(from + i * step);
    for (int j = 0; j < 6; j++)
        output_line(m + j, 6, half + j, 6);
    for (int i = 0; i < 4; i++)
        output_line(half + i * 6, 1, out + i * 4, 1);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const int64_t at = ((int64_t)(top + i) * p->out_w + left + j) * 16;
            v16 v = v_add(out[i * 4 + j], start);
            if (z != NULL)
                v = v_add(v, v_load(z + at));
            v_store(y + at, vm_activate(v, &p->activation));
        }
}

void WINOGRAD(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    static const int32_t no_tap = 0;
    const TsrWinogradParams *p = params;
    const float *x = args[0], *w = args[1], *bias = args[2], *residual = args[3];
    float *y = args[4], *v = (float *)args[5] + p->workspace_floats * block_index;
    const int32_t across = (int32_t)split_pieces(p->out_w, 4);
    const int32_t tiles = across * (int32_t)split_pieces(p->out_h, 4);
    const int32_t in_blocks = (int32_t)split_pieces(p->in_c, 16);
    const int32_t out_blocks = (int32_t)split_pieces(p->out_c, 16);
    const int64_t in = (int64_t)p->in_h * p->in_w * 16, out = (int64_t)p->out_h * p->out_w * 16;
    const int64_t groups = split_pieces(tiles, p->tiles_per_piece);
    const int64_t places = p->batch * groups;
    const int64_t block_pieces = split_pieces(out_blocks, p->blocks_per_piece);
    int64_t begin, end, filled = -1;
    split_range(places * block_pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t place = piece % places, n = place / groups;
        const int32_t first = (int32_t)(place % groups) * p->tiles_per_piece;
        const int32_t rest = tiles - first;
        const int32_t count = rest < p->tiles_per_piece ? rest : p->tiles_per_piece;
        const int64_t point = (int64_t)in_blocks * count * 16;
        float *m = v + POINTS * point;
        int32_t block = (int32_t)(piece / places) * p->blocks_per_piece, block_end;
        block_end = block + p->blocks_per_piece;
        block_end = block_end < out_blocks ? block_end : out_blocks;
        if (filled != place) {
            for (int32_t c = 0; c < in_blocks; c++)
                for (int32_t t = 0; t < count; t++)
                    input_tile(p, x + (n * in_blocks + c) * in,
                               (first + t) / across * 4 - p->pad_top,
                               (first + t) % across * 4 - p->pad_left,
                               v + ((int64_t)c * count + t) * 16, point);
            filled = place;
        }
        while (block < block_end) {
            int32_t wide = tile_blocks(count);
            wide = wide < block_end - block ? wide : block_end - block;
            const int64_t m_point = (int64_t)wide * count * 16;
            for (int32_t i = 0; i < POINTS; i++) {
                const TileArgs a = {
                    .x = v + i * point, .w = w + ((int64_t)block * POINTS + i) * p->in_c * 16,
                    .y = m + i * m_point, .taps = &no_tap, .x_block = (int64_t)count * 16,
                    .w_block = (int64_t)POINTS * p->in_c * 16, .y_pixel = 16,
                    .y_block = (int64_t)count * 16, .block_count = in_blocks, .tap_count = 1,
                    .depth = 16, .last_depth = p->in_c - (in_blocks - 1) * 16, .last_lanes = 16,
                };
                tile_area(&a, wide, 1, count, 0);
            }
            for (int32_t o = 0; o < wide; o++, block++) {
                const int64_t plane = (n * out_blocks + block) * out;
                for (int32_t t = 0; t < count; t++)
                    output_tile(p, m + ((int64_t)o * count + t) * 16, m_point,
                                bias != NULL ? bias + block * 16 : NULL,
                                residual != NULL ? residual + plane : NULL, y + plane,
                                (first + t) / across * 4, (first + t) % across * 4);
            }
        }
    }
}
