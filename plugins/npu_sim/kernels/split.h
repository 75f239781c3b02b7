/* SPDX-License-Identifier: Apache-2.0
 *
 * split.h: cuts the pieces of a task into one run per block. Used by every kernel.
 */
#ifndef TSR_NPU_SPLIT_H
#define TSR_NPU_SPLIT_H

#include <stdint.h>

/* The run [*out_begin, *out_end) of block `index` out of `blocks`; runs differ by at
 * most one piece and cover [0, pieces) exactly. */
static inline void split_range(int64_t pieces, uint32_t index, uint32_t blocks,
                               int64_t *out_begin, int64_t *out_end)
{
    int64_t each = pieces / blocks, rest = pieces % blocks;
    int64_t i = (int64_t)index;
    *out_begin = each * i + (i < rest ? i : rest);
    *out_end = *out_begin + each + (i < rest ? 1 : 0);
}

static inline int64_t split_pieces(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

#endif
