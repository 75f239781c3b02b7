/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose_tmpl.h: transposes up to 16 x 16 elements of 4, 2 or 1 bytes, by the storage type
 * (elem.h), for the kernel templates that turn rows into columns (layout_b32_tmpl.h,
 * attention_f32_tmpl.h). Whole squares go through registers (square.h).
 */
#ifndef TSR_NPU_TRANSPOSE_TMPL_H
#define TSR_NPU_TRANSPOSE_TMPL_H

#include <string.h>
#include "elem.h"
#include "square.h"

#if TSR_ELEM == 0
#define SQUARE square_b32
#elif TSR_ELEM == 3
#define SQUARE square_b8
#else
#define SQUARE square_b16
#endif

/* to[j * to_step + i] = from[i * from_step + j] for i < rows, j < columns, both at most
 * 16. */
static void transpose_part(const elem_bits *from, int64_t from_step, int rows, int columns,
                           elem_bits *to, int64_t to_step)
{
    if (rows == 16 && columns == 16) {
        SQUARE(from, from_step, to, to_step);
        return;
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            memcpy(to + j * to_step + i, from + i * from_step + j, sizeof(*to));
}

#endif
