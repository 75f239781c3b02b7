/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose_tmpl.h: transposes up to 16 x 16 elements of 4 bytes, for the kernel templates
 * that turn rows into columns (layout_b32_tmpl.h, attention_f32_tmpl.h). Whole squares go
 * through registers (square.h).
 */
#ifndef TSR_NPU_TRANSPOSE_TMPL_H
#define TSR_NPU_TRANSPOSE_TMPL_H

#include <string.h>
#include "square.h"

/* to[j * to_step + i] = from[i * from_step + j] for i < rows, j < columns, both at most
 * 16. */
static void transpose_part(const float *from, int64_t from_step, int rows, int columns,
                           float *to, int64_t to_step)
{
    if (rows == 16 && columns == 16) {
        square_b32(from, from_step, to, to_step);
        return;
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            memcpy(to + j * to_step + i, from + i * from_step + j, sizeof(*to));
}

#endif
