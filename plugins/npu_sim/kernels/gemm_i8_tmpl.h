/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_i8_tmpl.h: GEMM_I8 for one instruction set; the files that include it define
 * GEMM_I8. Rows of A are the pixels of the tile.
 */
#include "kernel_list.h"
#include "split.h"
#include "tile_i8_tmpl.h"

/* Rows of A as u8, each padded to whole quads, whose rest meets zero weights. */
static void copy_rows(const TsrGemmI8Params *p, const uint8_t *a, int64_t rows, int64_t width,
                      uint8_t *to)
{
    const uint8_t flip = p->requant.x_signed ? 0x80 : 0;
    for (int64_t r = 0; r < rows; r++, a += p->k, to += width) {
        for (int64_t i = 0; i < p->k; i++)
            to[i] = a[i] ^ flip;
        memset(to + p->k, 0, (size_t)(width - p->k));
    }
}

void GEMM_I8(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    static const int32_t no_tap[1] = { 0 };
    const TsrGemmI8Params *p = params;
    const int64_t panels = split_pieces(p->n, 16), quads = split_pieces(p->k, 4);
    const int64_t row_pieces = split_pieces(p->m, p->rows_per_piece);
    const int64_t panel_pieces = split_pieces(panels, p->panels_per_piece);
    const int64_t size = requant_bytes(&p->requant);
    const int32_t zero = requant_zero(&p->requant, args[3]);
    const TsrRequantBlock *table = args[2];
    uint8_t *copy = args[5] != NULL ? (uint8_t *)args[5] + block_index * p->workspace_floats * 4
                                    : NULL;
    int32_t start[TILE_BLOCKS][16];
    TileI8 t = { .requant = &p->requant, .pixel = copy != NULL ? quads * 4 : p->k, .planes = 1,
                 .taps = no_tap, .tap_count = 1, .quads = quads, .last_quads = quads,
                 .w_block = (int64_t)p->requant.passes * quads * 64, .start = start,
                 .y_pixel = p->n * size, .y_block = 16 * size };
    int64_t begin, end, copied = -1;
    split_range(row_pieces * panel_pieces, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t row = piece / panel_pieces * p->rows_per_piece;
        const int64_t rows = p->m - row < p->rows_per_piece ? p->m - row : p->rows_per_piece;
        const int64_t first = piece % panel_pieces * p->panels_per_piece;
        const int64_t last = first + p->panels_per_piece < panels ? first + p->panels_per_piece
                                                                  : panels;
        const uint8_t *a = (const uint8_t *)args[0] + row * p->k;
        if (copy != NULL && copied != row)
            copy_rows(p, a, rows, quads * 4, copy);
        copied = row;
        for (int64_t b = first; b < last;) {
            const int64_t now = last - b < TILE_BLOCKS ? last - b : TILE_BLOCKS;
            const int64_t left = p->n - (b + now - 1) * 16;
            for (int64_t i = 0; i < now; i++)
                requant_start(&table[b + i], &p->requant, zero, start[i]);
            t.table = table + b;
            t.w = (const int8_t *)args[1] + b * t.w_block;
            t.x = copy != NULL ? copy : a;
            t.y = (char *)args[4] + (row * p->n + b * 16) * size;
            t.lanes = left < 16 ? (int)left : 16;
            tile_pixels(&t, rows, now);
            b += now;
        }
    }
}
