/* SPDX-License-Identifier: Apache-2.0
 *
 * tile_i8_tmpl.h: the register tile of the quantized sums: some pixels (rows of a matrix)
 * by one or two blocks of 16 output channels, over passes, planes, taps and quads of input
 * channels. Shared by CONV2D_I8 and GEMM_I8 of one instruction set.
 */
#ifndef TSR_NPU_TILE_I8_TMPL_H
#define TSR_NPU_TILE_I8_TMPL_H

#include "requant.h"
#include "vec_i8.h"

/* Pixels and blocks of the largest tile: its sums, the weights of a quad and one quad of x
 * fill the registers. */
#if defined(__AVX512VNNI__)
#define TILE_WIDE 1
enum { TILE_PIXELS = 12, TILE_BLOCKS = 2 };
#elif defined(__AVX512F__)
#define TILE_WIDE 1
enum { TILE_PIXELS = 8, TILE_BLOCKS = 2 };
#else
#define TILE_WIDE 0
enum { TILE_PIXELS = 4, TILE_BLOCKS = 1 };
#endif

typedef struct TileI8 {
    const TsrRequant *requant;
    const uint8_t *x;
    int64_t pixel, plane;         /* bytes of x from one to the next */
    const int32_t *taps;          /* bytes, tap_count of them */
    int64_t tap_count, planes;
    int64_t quads, last_quads;    /* of a plane, of the last one */
    const int8_t *w;
    int64_t w_block;              /* bytes from a channel block to the next */
    const TsrRequantBlock *table; /* of the first block */
    const int32_t (*start)[16];   /* of the first block */
    char *y;
    const uint8_t *z;             /* residual, as far apart as y, or NULL */
    int64_t y_pixel, y_block;     /* bytes */
    int lanes;                    /* of the last block that are written */
} TileI8;

ALWAYS_INLINE void tile_put(const TileI8 *t, vq16 sum, const double *factor, char *y,
                            const uint8_t *z, int lanes)
{
    if (t->requant->y_dtype == TSR_DTYPE_INT32) {
        int32_t sums[16];
        vq_store(sums, sum);
        memcpy(y, sums, (size_t)lanes * 4);
    } else if (lanes == 16) {
        _mm_storeu_si128((__m128i *)y, vq_requant(sum, factor, t->requant, z));
    } else {
        uint8_t bytes[16];
        _mm_storeu_si128((__m128i *)bytes, vq_requant(sum, factor, t->requant, z));
        memcpy(y, bytes, (size_t)lanes);
    }
}

ALWAYS_INLINE void tile_body(const TileI8 *t, const int pixels, const int blocks)
{
    vq16 sum[TILE_PIXELS][TILE_BLOCKS];
    const int8_t *w = t->w;
#pragma GCC unroll 12
    for (int p = 0; p < pixels; p++)
#pragma GCC unroll 2
        for (int b = 0; b < blocks; b++)
            sum[p][b] = vq_load(t->start[b]);
    for (uint32_t pass = 0; pass < t->requant->passes; pass++)
        for (int64_t plane = 0; plane < t->planes; plane++) {
            const uint8_t *x_plane = t->x + plane * t->plane;
            const int64_t quads = plane + 1 < t->planes ? t->quads : t->last_quads;
            for (int64_t tap = 0; tap < t->tap_count; tap++) {
                const uint8_t *x = x_plane + t->taps[tap];
                for (int64_t q = 0; q < quads; q++, x += 4, w += 64) {
                    QuadWeights weights[TILE_BLOCKS];
#pragma GCC unroll 2
                    for (int b = 0; b < blocks; b++)
                        weights[b] = quad_weights(w + b * t->w_block);
#pragma GCC unroll 12
                    for (int p = 0; p < pixels; p++) {
                        const QuadWeights quad = quad_x(x + p * t->pixel);
#pragma GCC unroll 2
                        for (int b = 0; b < blocks; b++)
                            sum[p][b] = quad_add(sum[p][b], &quad, &weights[b]);
                    }
                }
            }
        }
#pragma GCC unroll 12
    for (int p = 0; p < pixels; p++)
#pragma GCC unroll 2
        for (int b = 0; b < blocks; b++)
            tile_put(t, sum[p][b], t->table[b].factor, t->y + p * t->y_pixel + b * t->y_block,
                     t->z != NULL ? t->z + p * t->y_pixel + b * t->y_block : NULL,
                     b + 1 < blocks ? 16 : t->lanes);
}

#define TILE_CASE(pixels, blocks)                                                   \
    static void tile_##pixels##x##blocks(const TileI8 *t) { tile_body(t, pixels, blocks); }
TILE_CASE(1, 1)
TILE_CASE(2, 1)
TILE_CASE(4, 1)
#if TILE_WIDE
TILE_CASE(8, 1)
TILE_CASE(1, 2)
TILE_CASE(2, 2)
TILE_CASE(4, 2)
TILE_CASE(8, 2)
#endif
#if defined(__AVX512VNNI__)
TILE_CASE(12, 1)
TILE_CASE(12, 2)
#endif

/* One tile of `pixels`, a number that tile_width gave. */
static void tile_run(const TileI8 *t, int64_t pixels, int64_t blocks)
{
#if defined(__AVX512VNNI__)
    if (pixels == 12) {
        (blocks == 2 ? tile_12x2 : tile_12x1)(t);
        return;
    }
#endif
#if TILE_WIDE
    if (blocks == 2) {
        (pixels == 8 ? tile_8x2 : pixels == 4 ? tile_4x2 : pixels == 2 ? tile_2x2 : tile_1x2)(t);
        return;
    }
    if (pixels == 8) {
        tile_8x1(t);
        return;
    }
#else
    (void)blocks;
#endif
    (pixels == 4 ? tile_4x1 : pixels == 2 ? tile_2x1 : tile_1x1)(t);
}

/* Pixels of the next tile where `left` are to do. */
static int64_t tile_width(int64_t left)
{
    return left >= TILE_PIXELS ? TILE_PIXELS
           : TILE_PIXELS > 8 && left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* All of `count` pixels, which lie side by side in x and y. */
static void tile_pixels(const TileI8 *first, int64_t count, int64_t blocks)
{
    TileI8 t = *first;
    while (count > 0) {
        const int64_t now = tile_width(count);
        tile_run(&t, now, blocks);
        t.x += now * t.pixel;
        t.y += now * t.y_pixel;
        t.z = t.z != NULL ? t.z + now * t.y_pixel : NULL;
        count -= now;
    }
}

#endif
