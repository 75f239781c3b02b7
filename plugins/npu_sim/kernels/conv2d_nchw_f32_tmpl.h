/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_nchw_f32_tmpl.h: CONV2D_NCHW_F32 for one instruction set, compiled by
 * conv2d_nchw_f32_avx2.c and conv2d_nchw_f32_avx512.c, which define CONV2D_NCHW. Lanes
 * run over the pixels of a row, so that channel counts may be anything; weights are
 * broadcast. 1x1 windows run over all rows of the piece at once.
 */
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"
#include "window.h"

#if defined(__AVX512F__)
/* 8 channels by 3 vectors: 24 accumulators. */
enum { NCHW_OC = 8, NCHW_VECTORS = 3 };
#else
/* 4 channels by one vector of two registers: 8 accumulators. */
enum { NCHW_OC = 4, NCHW_VECTORS = 1 };
#endif

typedef struct NchwTile {
    const float *x;      /* slab at the first pixel */
    const float *w;      /* of the tile, at the first of NCHW_OC channels */
    const int32_t *taps;
    int64_t x_plane;
    int32_t depth;
    int32_t tap_count;
    int lanes;           /* pixels of the last vector */
} NchwTile;

static inline __attribute__((always_inline)) void nchw_sum(const NchwTile *t, const int vectors,
                                                           v16 *acc)
{
    const float *w = t->w;
#pragma GCC unroll 24
    for (int i = 0; i < NCHW_OC * vectors; i++)
        acc[i] = v_zero();
    for (int32_t c = 0; c < t->depth; c++)
        for (int32_t k = 0; k < t->tap_count; k++, w += TSR_NPU_NCHW_TILE) {
            const float *x = t->x + c * t->x_plane + t->taps[k];
            v16 xv[NCHW_VECTORS];
#pragma GCC unroll 3
            for (int v = 0; v < vectors; v++)
                xv[v] = v + 1 < vectors || t->lanes == 16 ? v_load(x + v * 16)
                                                          : v_load_n(x + v * 16, t->lanes);
#pragma GCC unroll 8
            for (int o = 0; o < NCHW_OC; o++) {
                const v16 wv = v_set1(w[o]);
#pragma GCC unroll 3
                for (int v = 0; v < vectors; v++)
                    acc[o * vectors + v] = v_fma(xv[v], wv, acc[o * vectors + v]);
            }
        }
}

/* Finishes `pixels` pixels of `channels` channels from sums of `vectors` vectors. */
static inline __attribute__((always_inline)) void nchw_store(
    const v16 *acc, const int vectors, int32_t channels, int64_t pixels, const float *bias,
    const elem *z, elem *y, int64_t y_plane, const TsrActivation *activation)
{
    for (int32_t o = 0; o < channels; o++)
        for (int v = 0; v < vectors; v++) {
            const int64_t at = o * y_plane + v * 16, rest = pixels - v * 16;
            const int lanes = rest < 16 ? (int)rest : 16;
            v16 value = acc[o * vectors + v];
            if (bias != NULL)
                value = v_add(value, v_set1(bias[o]));
            if (z != NULL)
                value = v_add(value, e_load_n(z + at, lanes));
            e_store_n(y + at, vm_activate(value, activation), lanes);
        }
}

/* Copies what `rows` rows of y read of one group to [channel][slab row][pixel]. */
static void nchw_slab(const TsrConv2dParams *p, const Window *w, const elem *x,
                      int32_t channels, int32_t first, int32_t rows, float *slab)
{
    const int32_t slab_rows = window_rows(p, w, rows);
    for (int32_t c = 0; c < channels; c++, x += (int64_t)p->in_h * p->in_w)
        for (int32_t r = 0; r < slab_rows; r++) {
            const int32_t source = window_source_row(p, w, first, r);
            const elem *row =
                source >= 0 && source < p->in_h ? x + (int64_t)source * p->in_w : NULL;
            window_copy_row(p, w, row, slab);
            slab += w->row_pixels;
        }
}

void CONV2D_NCHW(void *const *args, const void *params, uint32_t block_index,
                 uint32_t block_dim)
{
    const TsrConv2dParams *p = params;
    const elem *x = args[0], *residual = args[3];
    const float *weights = args[1], *bias = args[2];
    elem *y = args[4];
    /* 1x1 windows without stride and pads are read where they lie, unless they are narrow. */
    const int direct = args[5] == NULL;
    float *slab = direct ? NULL : (float *)args[5] + p->workspace_floats * block_index;
    const Window w = window_of(p);
    const int32_t group_in = p->in_c / p->groups, group_out = p->out_c / p->groups;
    const int32_t tiles = (int32_t)split_pieces(group_out, TSR_NPU_NCHW_TILE);
    const int64_t tile_pieces = split_pieces(tiles, p->blocks_per_piece);
    const int64_t row_pieces = split_pieces(p->out_h, p->rows_per_piece);
    const int64_t out_plane = (int64_t)p->out_h * p->out_w;
    const int32_t tap_count = p->kernel_h * p->kernel_w;
    const int64_t tile_floats = (int64_t)group_in * tap_count * TSR_NPU_NCHW_TILE;
    int32_t taps[TSR_NPU_MAX_TAPS];
    int64_t begin, end, filled = -1;
    window_taps(p, &w, 1, taps);
    split_range(p->batch * p->groups * row_pieces * tile_pieces, block_index, block_dim, &begin,
                &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t place = piece / tile_pieces;
        const int32_t row = (int32_t)(place % row_pieces) * p->rows_per_piece;
        const int64_t plane = place / row_pieces; /* batch entry and group */
        const int32_t group = (int32_t)(plane % p->groups);
        int32_t tile = (int32_t)(piece % tile_pieces) * p->blocks_per_piece;
        int32_t tile_end = tile + p->blocks_per_piece, rows = p->out_h - row;
        const int flat = tap_count == 1;
        int64_t lines, pixels;
        rows = rows < p->rows_per_piece ? rows : p->rows_per_piece;
        tile_end = tile_end < tiles ? tile_end : tiles;
        const elem *source = x + plane * group_in * p->in_h * p->in_w;
        if (!direct && filled != place) {
            nchw_slab(p, &w, source, group_in, row, rows, slab);
            filled = place;
        }
        lines = flat ? 1 : rows;
        pixels = flat ? (int64_t)rows * p->out_w : p->out_w;
        for (; tile < tile_end; tile++)
            for (int32_t part = 0; part < TSR_NPU_NCHW_TILE; part += NCHW_OC) {
                const int32_t channel = tile * TSR_NPU_NCHW_TILE + part;
                const int32_t channels =
                    group_out - channel < NCHW_OC ? group_out - channel : NCHW_OC;
                if (channels <= 0)
                    break;
                const float *b = bias != NULL ? bias + group * group_out + channel : NULL;
                for (int64_t line = 0; line < lines; line++)
                    for (int64_t i = 0; i < pixels;) {
                        const int64_t at = (plane * group_out + channel) * out_plane +
                                           (row + line) * p->out_w + i;
                        const elem *z = residual != NULL ? residual + at : NULL;
                        NchwTile t = { .taps = taps, .depth = group_in, .tap_count = tap_count };
                        v16 acc[NCHW_OC * NCHW_VECTORS];
                        t.x = direct ? (const float *)source + (int64_t)row * p->in_w + i
                                     : slab + line * w.row_step * w.row_pixels + i;
                        t.x_plane = direct ? (int64_t)p->in_h * p->in_w
                                           : (int64_t)window_rows(p, &w, rows) * w.row_pixels;
                        t.w = weights + ((int64_t)group * tiles + tile) * tile_floats + part;
                        const int64_t rest = pixels - i;
                        if (rest > 16 * (NCHW_VECTORS - 1)) {
                            const int64_t count = rest < 16 * NCHW_VECTORS ? rest
                                                                           : 16 * NCHW_VECTORS;
                            t.lanes = (int)(count - 16 * (NCHW_VECTORS - 1));
                            nchw_sum(&t, NCHW_VECTORS, acc);
                            nchw_store(acc, NCHW_VECTORS, channels, count, b, z, y + at,
                                       out_plane, &p->activation);
                            i += 16 * NCHW_VECTORS;
                        } else {
                            t.lanes = rest < 16 ? (int)rest : 16;
                            nchw_sum(&t, 1, acc);
                            nchw_store(acc, 1, channels, t.lanes, b, z, y + at, out_plane,
                                       &p->activation);
                            i += 16;
                        }
                    }
            }
    }
}
