/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_b32_tmpl.h: COPY_ROWS and TRANSPOSE_B32, _B16 and _B8 for one instruction set,
 * compiled by layout_b32_avx2.c and layout_b32_avx512.c, which define the names. Elements
 * are moved as bits; only transposes are more than copies, in squares of 16 x 16 that stay
 * in registers or L1.
 */
#include <string.h>
#include "elem.h"
#include "kernel_list.h"
#include "split.h"
#include "transpose_tmpl.h"

#if TSR_ELEM == 0 /* of bytes, for all types */
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
#endif

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
        const elem_bits *x = (const elem_bits *)args[0] + at;
        elem_bits *y = (elem_bits *)args[1] + (piece / bands * rows + first) * columns;
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
