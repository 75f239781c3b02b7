/* SPDX-License-Identifier: Apache-2.0
 *
 * tile_f32_tmpl.h: the register tile that convolution and GEMM share. It computes R
 * rows of Q pixels of OB blocks of 16 output channels: for every input channel one
 * vector of weights per block is held, and each pixel's value is broadcast from
 * memory, so that a multiply-add needs about half a load. Accumulators and weights
 * fill the register file (AVX-512: 2 x 14 + 2 + 1 of 32; AVX2: 6 x 2 + 2 + 1 of 16).
 * Included by conv2d_f32_tmpl.h and gemm_f32_tmpl.h; pixels lie PS floats apart. Pixels
 * and bias are floats, weights, residual and result of the storage type.
 */
#ifndef TSR_NPU_TILE_F32_TMPL_H
#define TSR_NPU_TILE_F32_TMPL_H

#include "vec_math.h"
#include "velem.h"

#if defined(__AVX512F__)
/* Widest tile with 1, 2 and 4 channel blocks, and with two rows. */
enum { TILE_Q1 = 14, TILE_Q2 = 14, TILE_Q4 = 6, TILE_Q2_ROWS = 7, TILE_OB = 2 };
#else
enum { TILE_Q1 = 6, TILE_Q2 = 2, TILE_Q4 = 0, TILE_Q2_ROWS = 3, TILE_OB = 1 };
#endif
#define TILE_ACC 28

typedef struct TileArgs {
    const float *x;
    const elem *w;        /* [block][tap][depth][16] of the first channel block */
    const float *bias;    /* or NULL */
    const elem *z;        /* residual, laid out as y, or NULL */
    elem *y;
    const int32_t *taps;  /* offset of each window tap from x */
    int64_t x_block;      /* from one input block to the next; likewise below */
    int64_t x_row;
    int64_t w_block;
    int64_t y_pixel;
    int64_t y_row;
    int64_t y_block;
    int32_t block_count;
    int32_t tap_count;
    int32_t depth;        /* input channels of a block */
    int32_t last_depth;   /* of the last block */
    int32_t last_lanes;   /* output lanes to write of the tile's last block */
    TsrActivation activation;
} TileArgs;

#if TSR_ELEM != 0
/* Sums to narrow storage: rounded once, when residual and activation are in. */
static void tile_finish(const TileArgs *a, const v16 *acc, int blocks, int rows, int pixels)
{
    for (int o = 0; o < blocks; o++) {
        const int lanes = o + 1 == blocks ? a->last_lanes : 16;
        for (int r = 0; r < rows; r++)
            for (int q = 0; q < pixels; q++) {
                const int64_t at = o * a->y_block + r * a->y_row + q * a->y_pixel;
                v16 v = *acc++;
                if (a->z != NULL)
                    v = v_add(v, e_load_n(a->z + at, lanes));
                e_store_n(a->y + at, vm_activate(v, &a->activation), lanes);
            }
    }
}
#endif

static inline __attribute__((always_inline)) void tile_body(const TileArgs *a, const int OB,
                                                            const int R, const int Q,
                                                            const int PS)
{
    v16 acc[TILE_ACC];
    const elem *w = a->w;
    const int64_t w_block = a->w_block;
#pragma GCC unroll 4
    for (int o = 0; o < OB; o++) {
        v16 start = a->bias != NULL ? v_load(a->bias + o * 16) : v_zero();
#pragma GCC unroll 28
        for (int p = 0; p < R * Q; p++)
            acc[o * R * Q + p] = start;
    }
    /* What is read and written at the end comes from far away: ask for it now. */
    for (int o = 0; o < OB; o++)
        for (int r = 0; r < R; r++) {
            const int64_t at = o * a->y_block + r * a->y_row;
            for (int q = 0; q < Q; q++) {
                __builtin_prefetch(a->y + at + q * a->y_pixel, 1, 3);
                if (a->z != NULL)
                    __builtin_prefetch(a->z + at + q * a->y_pixel, 0, 3);
            }
        }
    for (int32_t b = 0; b < a->block_count; b++) {
        const float *xb = a->x + b * a->x_block;
        const int32_t depth = b + 1 == a->block_count ? a->last_depth : a->depth;
        for (int32_t t = 0; t < a->tap_count; t++) {
            const float *x0 = xb + a->taps[t];
            const float *x1 = x0 + a->x_row;
            for (int32_t k = 0; k < depth; k++) {
                v16 wv[4];
#pragma GCC unroll 4
                for (int o = 0; o < OB; o++)
                    wv[o] = e_load(w + o * w_block);
#pragma GCC unroll 14
                for (int q = 0; q < Q; q++) {
                    v16 xv = v_set1(x0[q * PS]);
#pragma GCC unroll 4
                    for (int o = 0; o < OB; o++)
                        acc[o * R * Q + q] = v_fma(xv, wv[o], acc[o * R * Q + q]);
                }
                if (R == 2) {
#pragma GCC unroll 14
                    for (int q = 0; q < Q; q++) {
                        v16 xv = v_set1(x1[q * PS]);
#pragma GCC unroll 4
                        for (int o = 0; o < OB; o++)
                            acc[o * R * Q + Q + q] = v_fma(xv, wv[o], acc[o * R * Q + Q + q]);
                    }
                }
                w += 16;
                x0++;
                x1++;
            }
        }
    }
#if TSR_ELEM != 0
    tile_finish(a, acc, OB, R, Q);
#else
#pragma GCC unroll 4
    for (int o = 0; o < OB; o++) {
        const int lanes = o + 1 == OB ? a->last_lanes : 16;
#pragma GCC unroll 2
        for (int r = 0; r < R; r++) {
            const int64_t at = o * a->y_block + r * a->y_row;
#pragma GCC unroll 14
            for (int q = 0; q < Q; q++) {
                v16 v = acc[o * R * Q + r * Q + q];
                float *y = a->y + at + q * a->y_pixel;
                if (a->z != NULL) {
                    const float *z = a->z + at + q * a->y_pixel;
                    v = v_add(v, lanes == 16 ? v_load(z) : v_load_n(z, lanes));
                }
                if (a->activation.kind == TSR_ACT_RELU)
                    v = vm_relu(v);
                if (lanes == 16)
                    v_store(y, v);
                else
                    v_store_n(y, v, lanes);
            }
        }
    }
    /* Everything but ReLU is rare: one more pass over what is still in the cache
     * keeps the unrolled code above short. */
    if (a->activation.kind > TSR_ACT_RELU) {
        for (int o = 0; o < OB; o++) {
            const int lanes = o + 1 == OB ? a->last_lanes : 16;
            for (int r = 0; r < R; r++)
                for (int q = 0; q < Q; q++) {
                    float *y = a->y + o * a->y_block + r * a->y_row + q * a->y_pixel;
                    v_store_n(y, vm_activate(v_load_n(y, lanes), &a->activation), lanes);
                }
        }
    }
#endif
}

typedef void (*TileFn)(const TileArgs *a);

/* One instance of the body per tile shape. */
#define TILE(ob, r, q)                                                              \
    static void tile16_##ob##_##r##_##q(const TileArgs *a) { tile_body(a, ob, r, q, 16); } \
    static void tile1_##ob##_##r##_##q(const TileArgs *a) { tile_body(a, ob, r, q, 1); }
#define TILES_1_TO_2(ob, r) TILE(ob, r, 1) TILE(ob, r, 2)
#define TILES_1_TO_6(ob, r)                                                         \
    TILES_1_TO_2(ob, r) TILE(ob, r, 3) TILE(ob, r, 4) TILE(ob, r, 5) TILE(ob, r, 6)
#define TILES_7_TO_14(ob, r)                                                        \
    TILE(ob, r, 7) TILE(ob, r, 8) TILE(ob, r, 9) TILE(ob, r, 10) TILE(ob, r, 11)    \
    TILE(ob, r, 12) TILE(ob, r, 13) TILE(ob, r, 14)
#define TILE_NAMES_1_TO_2(p, ob, r) p##_##ob##_##r##_1, p##_##ob##_##r##_2
#define TILE_NAMES_1_TO_6(p, ob, r)                                                 \
    TILE_NAMES_1_TO_2(p, ob, r), p##_##ob##_##r##_3, p##_##ob##_##r##_4,            \
        p##_##ob##_##r##_5, p##_##ob##_##r##_6
#define TILE_NAMES_7_TO_14(p, ob, r)                                                \
    p##_##ob##_##r##_7, p##_##ob##_##r##_8, p##_##ob##_##r##_9, p##_##ob##_##r##_10, \
        p##_##ob##_##r##_11, p##_##ob##_##r##_12, p##_##ob##_##r##_13, p##_##ob##_##r##_14

#if defined(__AVX512F__)
TILES_1_TO_6(1, 1)
TILES_7_TO_14(1, 1)
TILES_1_TO_6(2, 1)
TILES_7_TO_14(2, 1)
TILES_1_TO_6(4, 1)
TILES_1_TO_6(1, 2)
TILE(1, 2, 7)
TILES_1_TO_6(2, 2)
TILE(2, 2, 7)
static const TileFn tiles1[2][14] = {
    { TILE_NAMES_1_TO_6(tile16, 1, 1), TILE_NAMES_7_TO_14(tile16, 1, 1) },
    { TILE_NAMES_1_TO_6(tile1, 1, 1), TILE_NAMES_7_TO_14(tile1, 1, 1) },
};
static const TileFn tiles2[2][14] = {
    { TILE_NAMES_1_TO_6(tile16, 2, 1), TILE_NAMES_7_TO_14(tile16, 2, 1) },
    { TILE_NAMES_1_TO_6(tile1, 2, 1), TILE_NAMES_7_TO_14(tile1, 2, 1) },
};
static const TileFn tiles4[2][6] = {
    { TILE_NAMES_1_TO_6(tile16, 4, 1) },
    { TILE_NAMES_1_TO_6(tile1, 4, 1) },
};
static const TileFn tiles1_rows[2][7] = {
    { TILE_NAMES_1_TO_6(tile16, 1, 2), tile16_1_2_7 },
    { TILE_NAMES_1_TO_6(tile1, 1, 2), tile1_1_2_7 },
};
static const TileFn tiles2_rows[2][7] = {
    { TILE_NAMES_1_TO_6(tile16, 2, 2), tile16_2_2_7 },
    { TILE_NAMES_1_TO_6(tile1, 2, 2), tile1_2_2_7 },
};
#else
TILES_1_TO_6(1, 1)
TILES_1_TO_2(2, 1)
TILES_1_TO_2(1, 2)
TILE(1, 2, 3)
static const TileFn tiles1[2][6] = {
    { TILE_NAMES_1_TO_6(tile16, 1, 1) },
    { TILE_NAMES_1_TO_6(tile1, 1, 1) },
};
static const TileFn tiles2[2][2] = {
    { TILE_NAMES_1_TO_2(tile16, 2, 1) },
    { TILE_NAMES_1_TO_2(tile1, 2, 1) },
};
static const TileFn tiles1_rows[2][3] = {
    { TILE_NAMES_1_TO_2(tile16, 1, 2), tile16_1_2_3 },
    { TILE_NAMES_1_TO_2(tile1, 1, 2), tile1_1_2_3 },
};
#endif

/* How many channel blocks a tile takes for rows of that many pixels. */
static inline int tile_blocks(int64_t pixels)
{
#if defined(__AVX512F__)
    return pixels <= TILE_Q4 ? 4 : TILE_OB;
#else
    return pixels <= TILE_Q2 ? 2 : TILE_OB;
#endif
}

static inline TileFn tile_find(int blocks, int rows, int q, int plain)
{
#if defined(__AVX512F__)
    if (rows == 2)
        return blocks == 2 ? tiles2_rows[plain][q - 1] : tiles1_rows[plain][q - 1];
    if (blocks == 4)
        return tiles4[plain][q - 1];
#else
    if (rows == 2)
        return tiles1_rows[plain][q - 1];
#endif
    return blocks == 2 ? tiles2[plain][q - 1] : tiles1[plain][q - 1];
}

/* Computes rows x pixels of up to `blocks` channel blocks from *a, whose x, z and y
 * point at the first pixel; last_lanes counts the lanes of the last block. */
static void tile_area(const TileArgs *area, int blocks, int64_t rows, int64_t pixels,
                      int plain)
{
    const int step = plain ? 1 : 16;
    /* With three blocks left, two and one are done; four only as a whole. */
    while (blocks == 3) {
        TileArgs two = *area;
        two.last_lanes = 16;
        tile_area(&two, 2, rows, pixels, plain);
        two.w += 2 * area->w_block;
        two.bias = area->bias != NULL ? area->bias + 32 : NULL;
        two.z = area->z != NULL ? area->z + 2 * area->y_block : NULL;
        two.y += 2 * area->y_block;
        two.last_lanes = area->last_lanes;
        tile_area(&two, 1, rows, pixels, plain);
        return;
    }
    const int64_t widest = blocks == 4 ? TILE_Q4 : blocks == 2 ? TILE_Q2 : TILE_Q1;
    const int64_t tiles = (pixels + widest - 1) / widest;
    const int pair = blocks <= TILE_OB && pixels <= TILE_Q2_ROWS;
    for (int64_t r = 0; r < rows;) {
        const int count = pair && r + 1 < rows ? 2 : 1;
        int64_t done = 0;
        for (int64_t i = 0; i < tiles; i++) {
            /* Even widths keep every tile long enough to hide the latency. */
            const int64_t q = (pixels - done + (tiles - i) - 1) / (tiles - i);
            TileArgs a = *area;
            a.x += r * area->x_row + done * step;
            a.y += r * area->y_row + done * area->y_pixel;
            if (a.z != NULL)
                a.z += r * area->y_row + done * area->y_pixel;
            tile_find(blocks, count, (int)q, plain)(&a);
            done += q;
        }
        r += count;
    }
}

#endif
