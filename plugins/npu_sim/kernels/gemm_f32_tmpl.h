/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_f32_tmpl.h: GEMM_F32 and PACK_PANELS_F32 for one instruction set, compiled by
 * gemm_f32_avx2.c and gemm_f32_avx512.c, which define GEMM and PACK_PANELS. Rows of A
 * are copied to [K/16][row][16], so that a product is the 1x1 convolution of
 * tile_f32_tmpl.h with rows as pixels. A product with one row has a body of its own,
 * gemm_row_tmpl.h, and its row is used where it lies.
 */
#include <string.h>
#include "gemm_row_tmpl.h"
#include "kernel_list.h"
#include "split.h"
#include "tile_f32_tmpl.h"

void PACK_PANELS(void *const *args, const void *params, uint32_t block_index,
                 uint32_t block_dim)
{
    const TsrPackPanelsParams *p = params;
    const int64_t panels = split_pieces(p->n, 16);
    const v16 scale = v_set1(p->scale);
    int64_t begin, end;
    split_range(p->count * panels, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t column = piece % panels * 16;
        const int lanes = (int)(p->n - column < 16 ? p->n - column : 16);
        const elem *b = (const elem *)args[0] + piece / panels * p->matrix_step +
                         column * p->column_step;
        elem *to = (elem *)args[1] + piece * p->k * 16;
        for (int64_t k = 0; k < p->k; k++, b += p->row_step, to += 16) {
            if (p->column_step == 1) {
                e_store(to, v_mul(scale, e_load_n(b, lanes)));
                continue;
            }
            for (int l = 0; l < lanes; l++)
                to[l] = e_put(e_get(b[l * p->column_step]) * p->scale);
            for (int l = lanes; l < 16; l++)
                to[l] = 0;
        }
    }
}

/* Copies `rows` rows of A to [ceil(K/16)][rows][16]; what lies past K stays unread. */
static void copy_rows_blocked(const TsrGemmParams *p, const elem *a, int64_t rows, float *to)
{
    for (int64_t k = 0; k < p->k; k += 16) {
        const int depth = (int)(p->k - k < 16 ? p->k - k : 16);
        const elem *from = a + k * p->a_column;
        for (int64_t r = 0; r < rows; r++, from += p->a_row, to += 16) {
            if (p->a_column == 1) {
                v_store(to, e_load_n(from, depth));
                continue;
            }
            for (int l = 0; l < depth; l++)
                to[l] = e_get(from[l * p->a_column]);
        }
    }
}

void GEMM(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    static const int32_t no_tap = 0;
    const TsrGemmParams *p = params;
    const elem *a = args[0], *panels = args[1], *residual = args[3];
    const float *bias = args[2];
    elem *y = args[4];
    float *slab = args[5];
    const int64_t all_panels = split_pieces(p->n, 16);
    const int64_t row_pieces = split_pieces(p->m, p->rows_per_piece);
    const int64_t panel_pieces = split_pieces(all_panels, p->panels_per_piece);
    const int64_t k_blocks = split_pieces(p->k, 16);
    int64_t batch = 1, begin, end, filled = -1;
    if (slab != NULL)
        slab += p->workspace_floats * block_index;
    for (uint32_t i = 0; i < p->batch_rank; i++)
        batch *= p->batch_shape[i];
    const int64_t places = batch * row_pieces;
    split_range(places * panel_pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        /* Panels are the outer loop: a core reads few weights, often. */
        const int64_t place = piece % places, matrix = place / row_pieces;
        const int64_t row = place % row_pieces * p->rows_per_piece;
        int64_t panel = piece / places * p->panels_per_piece;
        int64_t panel_end = panel + p->panels_per_piece, rows = p->m - row;
        int64_t a_at = row * p->a_row, b_at = 0, rest = matrix;
        for (uint32_t i = p->batch_rank; i-- > 0; rest /= p->batch_shape[i]) {
            a_at += rest % p->batch_shape[i] * p->a_step[i];
            b_at += rest % p->batch_shape[i] * p->b_step[i];
        }
        rows = rows < p->rows_per_piece ? rows : p->rows_per_piece;
        panel_end = panel_end < all_panels ? panel_end : all_panels;
        const int direct = TSR_ELEM == 0 && rows == 1 && p->a_column == 1;
        if (!direct && filled != place) {
            copy_rows_blocked(p, a + a_at, rows, slab);
            filled = place;
        }
        if (p->m == 1) {
            const int64_t at = matrix * p->n + panel * 16;
            const int64_t lanes = p->n - (panel_end - 1) * 16;
            row_area(&(RowArgs){ .x = direct ? (const float *)(a + a_at) : slab,
                                 .w = panels + (b_at * all_panels + panel) * p->k * 16,
                                 .bias = bias != NULL ? bias + panel * 16 : NULL,
                                 .z = residual != NULL ? residual + at : NULL,
                                 .y = y + at, .k = p->k,
                                 .last_lanes = (int)(lanes < 16 ? lanes : 16),
                                 .activation = p->activation },
                     panel_end - panel, all_panels);
            continue;
        }
        while (panel < panel_end) {
            int count = tile_blocks(rows);
            const int64_t at = (matrix * p->m + row) * p->n + panel * 16;
            TileArgs t = { .taps = &no_tap, .tap_count = 1, .depth = 16, .y_block = 16 };
            if (count > panel_end - panel)
                count = (int)(panel_end - panel);
            t.x = direct ? (const float *)(a + a_at) : slab;
            t.x_block = direct ? 16 : rows * 16;
            t.w = panels + (b_at * all_panels + panel) * p->k * 16;
            t.w_block = p->k * 16;
            t.bias = bias != NULL ? bias + panel * 16 : NULL;
            t.z = residual != NULL ? residual + at : NULL;
            t.y = y + at;
            t.y_pixel = p->n;
            t.block_count = (int32_t)k_blocks;
            t.last_depth = (int32_t)(p->k - (k_blocks - 1) * 16);
            t.last_lanes = (int32_t)(p->n - (panel + count - 1) * 16);
            if (t.last_lanes > 16)
                t.last_lanes = 16;
            t.activation = p->activation;
            tile_area(&t, count, 1, rows, 0);
            panel += count;
        }
    }
}
