/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_b32_tmpl.h: COPY_ROWS, TRANSPOSE_B32 and TRANSDATA_B32 for one instruction
 * set, compiled by layout_b32_avx2.c and layout_b32_avx512.c, which define the three
 * names. Elements are moved as bits; only transposes are more than copies, in squares
 * of 16 x 16 that stay in registers or L1.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"
#include "vec.h"

#if defined(__AVX512F__)
/* Transposes a square of 16 x 16 elements in four rounds of pairwise exchanges. */
static inline void transpose_square(const float *from, int64_t from_step, float *to,
                                    int64_t to_step)
{
    __m512 r[16], t[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        r[i] = _mm512_loadu_ps(from + i * from_step);
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    /* Now r[4g + c] holds, in its four 128-bit parts p, column 4p + c of rows 4g.. */
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        t[c] = _mm512_shuffle_f32x4(r[c], r[4 + c], 0x88);
        t[4 + c] = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0x88);
        t[8 + c] = _mm512_shuffle_f32x4(r[c], r[4 + c], 0xdd);
        t[12 + c] = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0xdd);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        _mm512_storeu_ps(to + c * to_step, _mm512_shuffle_f32x4(t[c], t[4 + c], 0x88));
        _mm512_storeu_ps(to + (8 + c) * to_step, _mm512_shuffle_f32x4(t[c], t[4 + c], 0xdd));
        _mm512_storeu_ps(to + (4 + c) * to_step,
                         _mm512_shuffle_f32x4(t[8 + c], t[12 + c], 0x88));
        _mm512_storeu_ps(to + (12 + c) * to_step,
                         _mm512_shuffle_f32x4(t[8 + c], t[12 + c], 0xdd));
    }
}
#else
/* One 8 x 8 quarter of a square. */
static inline void transpose_quarter(const float *from, int64_t from_step, float *to,
                                     int64_t to_step)
{
    __m256 r[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_loadu_ps(from + i * from_step);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        _mm256_storeu_ps(to + c * to_step, _mm256_permute2f128_ps(r[c], r[4 + c], 0x20));
        _mm256_storeu_ps(to + (4 + c) * to_step,
                         _mm256_permute2f128_ps(r[c], r[4 + c], 0x31));
    }
}

static inline void transpose_square(const float *from, int64_t from_step, float *to,
                                    int64_t to_step)
{
    transpose_quarter(from, from_step, to, to_step);
    transpose_quarter(from + 8, from_step, to + 8 * to_step, to_step);
    transpose_quarter(from + 8 * from_step, from_step, to + 8, to_step);
    transpose_quarter(from + 8 * from_step + 8, from_step, to + 8 * to_step + 8, to_step);
}
#endif

/* to[j * to_step + i] = from[i * from_step + j] for i < rows, j < columns, both at most
 * 16. */
static void transpose_part(const float *from, int64_t from_step, int rows, int columns,
                           float *to, int64_t to_step)
{
    if (rows == 16 && columns == 16) {
        transpose_square(from, from_step, to, to_step);
        return;
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            memcpy(to + j * to_step + i, from + i * from_step + j, sizeof(*to));
}

void COPY_ROWS(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    /* Long rows are cut, so that one row still feeds all cores. */
    enum { CUT = 16384 };
    const TsrCopyRowsParams *p = params;
    const int64_t cuts = split_pieces(p->row_bytes, CUT);
    int64_t begin, end;
    split_range(p->rows * cuts, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t row = piece / cuts, at = piece % cuts * CUT;
        const int64_t bytes = p->row_bytes - at < CUT ? p->row_bytes - at : CUT;
        memcpy((char *)args[1] + p->y_offset + row * p->target_step + at,
               (const char *)args[0] + row * p->source_step + at, (size_t)bytes);
    }
}

void TRANSPOSE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrTransposeParams *p = params;
    const int64_t rows = p->shape[p->rank - 2], columns = p->shape[p->rank - 1];
    const int64_t row_step = p->x_step[p->rank - 2], column_step = p->x_step[p->rank - 1];
    const int64_t bands = split_pieces(rows, 16);
    int64_t outer = 1, begin, end;
    for (uint32_t i = 0; i + 2 < p->rank; i++)
        outer *= p->shape[i];
    split_range(outer * bands, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t first = piece % bands * 16;
        const int count = (int)(rows - first < 16 ? rows - first : 16);
        int64_t rest = piece / bands, at = first * row_step;
        for (uint32_t i = p->rank - 2; i-- > 0; rest /= p->shape[i])
            at += rest % p->shape[i] * p->x_step[i];
        const float *x = (const float *)args[0] + at;
        float *y = (float *)args[1] + (piece / bands * rows + first) * columns;
        if (column_step == 1) {
            for (int r = 0; r < count; r++)
                memcpy(y + r * columns, x + r * row_step, (size_t)columns * sizeof(*y));
        } else if (row_step == 1) {
            for (int64_t c = 0; c < columns; c += 16)
                transpose_part(x + c * column_step, column_step,
                               (int)(columns - c < 16 ? columns - c : 16), count, y + c,
                               columns);
        } else {
            for (int r = 0; r < count; r++)
                for (int64_t c = 0; c < columns; c++)
                    memcpy(y + r * columns + c, x + r * row_step + c * column_step, sizeof(*y));
        }
    }
}

void TRANSDATA(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    enum { RUN = 1024 };
    const TsrTransdataParams *p = params;
    const int64_t blocks = split_pieces(p->channels, 16), runs = split_pieces(p->inner, RUN);
    int64_t begin, end;
    split_range(p->batch * blocks * runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t run = piece % runs * RUN, block = piece / runs % blocks;
        const int64_t n = piece / runs / blocks;
        const int64_t run_end = run + RUN < p->inner ? run + RUN : p->inner;
        const int64_t rest = p->channels - block * 16;
        const int lanes = (int)(rest < 16 ? rest : 16);
        const int64_t blocked = (n * blocks + block) * p->inner * 16;
        const int64_t plain = p->channels_last ? n * p->inner * p->channels + block * 16
                                               : (n * p->channels + block * 16) * p->inner;
        const float *x = (const float *)args[0] + (p->to_blocked ? plain : blocked);
        float *y = (float *)args[1] + (p->to_blocked ? blocked : plain);
        if (p->channels_last) {
            for (int64_t i = run; i < run_end; i++) {
                if (p->to_blocked)
                    v_store(y + i * 16, v_load_n(x + i * p->channels, lanes));
                else
                    v_store_n(y + i * p->channels, v_load(x + i * 16), lanes);
            }
            continue;
        }
        for (int64_t i = run; i < run_end; i += 16) {
            const int pixels = (int)(run_end - i < 16 ? run_end - i : 16);
            if (!p->to_blocked) {
                transpose_part(x + i * 16, 16, pixels, lanes, y + i, p->inner);
                continue;
            }
            if (lanes < 16)
                for (int j = 0; j < pixels; j++)
                    v_store(y + (i + j) * 16, v_zero());
            transpose_part(x + i, p->inner, lanes, pixels, y + i * 16, 16);
        }
    }
}
