/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_i8_tmpl.h: CONV2D_I8 for one instruction set; the files that include it define
 * CONV2D_I8. A piece's window of x is copied once into a slab (window.h) as u8, padded with
 * the zero point; a plain x becomes planes of 4 channels there. Then, per pair of channel
 * blocks, every row is computed.
 */
#include "kernel_list.h"
#include "split.h"
#include "tile_i8_tmpl.h"
#include "window.h"

/* `count` pixels of the zero point; unit bytes each. */
static void fill_pixels(uint8_t *to, uint8_t zero, int64_t count, int64_t unit)
{
    memset(to, zero, (size_t)(count * unit));
}

/* Pixels of 16 channels, step bytes apart in x; s8 becomes u8 by adding 128. */
static void copy_blocked(uint8_t *to, const uint8_t *from, int64_t count, int64_t step,
                         uint8_t flip)
{
    const __m128i mask = _mm_set1_epi8((char)flip);
    for (int64_t i = 0; i < count; i++)
        _mm_storeu_si128((__m128i *)(to + i * 16),
                         _mm_xor_si128(_mm_loadu_si128((const __m128i *)(from + i * step)), mask));
}

/* 16 bytes, 1 or 2 apart; no byte behind the last of them is read. */
static __m128i plain_bytes(const uint8_t *from, int64_t step)
{
    const __m128i first = _mm_loadu_si128((const __m128i *)from);
    if (step == 1)
        return first;
    return _mm_packus_epi16(_mm_and_si128(first, _mm_set1_epi16(0xff)),
                            _mm_srli_epi16(_mm_loadu_si128((const __m128i *)(from + 15)), 8));
}

/* Pixels of up to 4 channels of a plain picture. */
static void copy_plain(uint8_t *to, const uint8_t *from, int64_t count, int64_t step,
                       int64_t channel, int channels, uint8_t flip)
{
    int64_t i = 0;
    for (; step <= 2 && i + 16 <= count; i += 16) {
        __m128i v[4];
        for (int c = 0; c < 4; c++)
            v[c] = c < channels ? _mm_xor_si128(plain_bytes(from + c * channel + i * step, step),
                                                _mm_set1_epi8((char)flip))
                                : _mm_setzero_si128();
        const __m128i a = _mm_unpacklo_epi8(v[0], v[1]), b = _mm_unpacklo_epi8(v[2], v[3]);
        const __m128i c = _mm_unpackhi_epi8(v[0], v[1]), d = _mm_unpackhi_epi8(v[2], v[3]);
        __m128i *pixels = (__m128i *)(to + i * 4);
        _mm_storeu_si128(pixels, _mm_unpacklo_epi16(a, b));
        _mm_storeu_si128(pixels + 1, _mm_unpackhi_epi16(a, b));
        _mm_storeu_si128(pixels + 2, _mm_unpacklo_epi16(c, d));
        _mm_storeu_si128(pixels + 3, _mm_unpackhi_epi16(c, d));
    }
    for (; i < count; i++) {
        uint32_t word = 0;
        for (int c = 0; c < channels; c++)
            word |= (uint32_t)(from[c * channel + i * step] ^ flip) << (8 * c);
        memcpy(to + i * 4, &word, 4);
    }
}

/* One slab row of one plane; x is the plane's row, or NULL for a row of padding. */
static void slab_row(const TsrConv2dI8Params *p, const Window *w, const uint8_t *x, int channels,
                     uint8_t zero, uint8_t *slab)
{
    const TsrConv2dParams *c = &p->conv;
    const int64_t unit = c->x_plain ? 4 : 16, s = c->stride_w;
    const uint8_t flip = p->requant.x_signed ? 0x80 : 0;
    for (int32_t phase = 0; phase < w->phases; phase++, slab += w->width * unit) {
        /* Column i of the phase is x column i * stride + first. */
        const int64_t first = phase - c->pad_left;
        int64_t begin = first < 0 ? (-first + s - 1) / s : 0;
        int64_t end = x != NULL && c->in_w > first ? (c->in_w - first + s - 1) / s : 0;
        const int64_t from = begin * s + first;
        end = end < w->width ? end : w->width;
        begin = begin < end ? begin : end;
        fill_pixels(slab, zero, begin, unit);
        if (begin < end && c->x_plain)
            copy_plain(slab + begin * 4, x + from, end - begin, s, (int64_t)c->in_h * c->in_w,
                       channels, flip);
        else if (begin < end)
            copy_blocked(slab + begin * 16, x + from * 16, end - begin, s * 16, flip);
        fill_pixels(slab + end * unit, zero, w->width - end, unit);
    }
}

static void slab_fill(const TsrConv2dI8Params *p, const Window *w, const uint8_t *x,
                      int64_t planes, int32_t first, int32_t rows, uint8_t zero, uint8_t *slab)
{
    const TsrConv2dParams *c = &p->conv;
    const int64_t unit = c->x_plain ? 4 : 16, row_bytes = (int64_t)w->row_pixels * unit;
    const int64_t x_row = (int64_t)c->in_w * (c->x_plain ? 1 : 16);
    const int64_t x_plane = x_row * c->in_h * (c->x_plain ? 4 : 1);
    const int32_t slab_rows = window_rows(c, w, rows);
    for (int64_t plane = 0; plane < planes; plane++) {
        const int64_t left = c->in_c - plane * 4;
        for (int32_t r = 0; r < slab_rows; r++, slab += row_bytes) {
            const int32_t row = window_source_row(c, w, first, r);
            slab_row(p, w, row < 0 || row >= c->in_h ? NULL : x + plane * x_plane + row * x_row,
                     left < 4 ? (int)left : 4, zero, slab);
        }
    }
}

void CONV2D_I8(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrConv2dI8Params *p = params;
    const TsrConv2dParams *c = &p->conv;
    const Window w = window_of(c);
    const int64_t unit = c->x_plain ? 4 : 16, planes = split_pieces(c->in_c, unit);
    const int64_t blocks = split_pieces(c->out_c, 16);
    const int64_t row_pieces = split_pieces(c->out_h, c->rows_per_piece);
    const int64_t column_pieces = split_pieces(c->out_w, c->columns_per_piece);
    const int64_t block_pieces = split_pieces(blocks, c->blocks_per_piece);
    const int64_t size = requant_bytes(&p->requant), y_plane = (int64_t)c->out_h * c->out_w;
    const int64_t x_picture = (int64_t)c->in_h * c->in_w * (c->x_plain ? c->in_c : planes * 16);
    const int32_t zero = requant_zero(&p->requant, args[3]);
    const TsrRequantBlock *table = args[2];
    uint8_t *slab = args[6] != NULL ? (uint8_t *)args[6] + block_index * c->workspace_floats * 4
                                    : NULL;
    int32_t taps[TSR_NPU_MAX_TAPS], start[TILE_BLOCKS][16];
    const int64_t last = planes > 0 ? split_pieces(c->in_c - (planes - 1) * unit, 4) : 0;
    TileI8 t = { .requant = &p->requant, .pixel = unit, .taps = taps, .start = start,
                 .tap_count = (int64_t)c->kernel_h * c->kernel_w, .planes = planes,
                 .quads = unit / 4, .last_quads = last, .lanes = 16, .y_pixel = 16 * size,
                 .y_block = y_plane * 16 * size };
    int64_t begin, end, filled = -1;
    window_taps(c, &w, (int32_t)unit, taps);
    t.w_block = (int64_t)p->requant.passes * t.tap_count *
                ((planes - 1) * t.quads + t.last_quads) * 64;
    split_range(c->batch * row_pieces * column_pieces * block_pieces, block_index, block_dim,
                &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t b_piece = piece % block_pieces, place = piece / block_pieces;
        const int64_t column = place % column_pieces * c->columns_per_piece;
        const int64_t row = place / column_pieces % row_pieces * c->rows_per_piece;
        const int64_t n = place / column_pieces / row_pieces;
        const int64_t rows = c->out_h - row < c->rows_per_piece ? c->out_h - row
                                                                : c->rows_per_piece;
        const int64_t columns = c->out_w - column < c->columns_per_piece ? c->out_w - column
                                                                         : c->columns_per_piece;
        const int64_t b_end = (b_piece + 1) * c->blocks_per_piece < blocks
                                  ? (b_piece + 1) * c->blocks_per_piece : blocks;
        const uint8_t *x = (const uint8_t *)args[0] + n * x_picture, *source = slab;
        int64_t x_row = w.row_step * w.row_pixels * unit;
        if (slab == NULL) {
            source = x + column * 16;
            t.plane = (int64_t)c->in_h * c->in_w * 16;
            x_row = (int64_t)c->in_w * 16;
        } else {
            t.plane = (int64_t)window_rows(c, &w, (int32_t)rows) * w.row_pixels * unit;
            if (filled != place)
                slab_fill(p, &w, x, planes, (int32_t)row, (int32_t)rows,
                          (uint8_t)(zero ^ (p->requant.x_signed ? 0x80 : 0)), slab);
            filled = place;
        }
        for (int64_t b = b_piece * c->blocks_per_piece; b < b_end;) {
            const int64_t now = b_end - b < TILE_BLOCKS ? b_end - b : TILE_BLOCKS;
            for (int64_t i = 0; i < now; i++)
                requant_start(&table[b + i], &p->requant, zero, start[i]);
            t.table = table + b;
            t.w = (const int8_t *)args[1] + b * t.w_block;
            for (int64_t r = 0; r < rows; r++) {
                t.x = source + r * x_row;
                const int64_t at =
                    ((n * blocks + b) * y_plane + (row + r) * c->out_w + column) * 16 * size;
                t.y = (char *)args[5] + at;
                t.z = args[4] != NULL ? (const uint8_t *)args[4] + at : NULL;
                tile_pixels(&t, columns, now);
            }
            b += now;
        }
    }
}
