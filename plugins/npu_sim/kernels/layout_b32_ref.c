/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_b32_ref.c: reference copies and transposes, one element at a time.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"

void tsr_copy_rows_ref(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrCopyRowsParams *p = params;
    const char *x = args[0];
    char *y = args[1];
    int64_t begin, end;
    split_range(p->rows * p->row_bytes, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = i / p->row_bytes, at = i % p->row_bytes;
        y[p->y_offset + row * p->target_step + at] = x[row * p->source_step + at];
    }
}

void tsr_transpose_b32_ref(void *const *args, const void *params, uint32_t block_index,
                           uint32_t block_dim)
{
    const TsrTransposeParams *p = params;
    const uint32_t *x = args[0];
    uint32_t *y = args[1];
    int64_t count = 1, begin, end;
    for (uint32_t i = 0; i < p->rank; i++)
        count *= p->shape[i];
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t at = 0, rest = i;
        for (uint32_t d = p->rank; d-- > 0; rest /= p->shape[d])
            at += rest % p->shape[d] * p->x_step[d];
        y[i] = x[at];
    }
}

void tsr_transdata_b32_ref(void *const *args, const void *params, uint32_t block_index,
                           uint32_t block_dim)
{
    const TsrTransdataParams *p = params;
    const uint32_t *x = args[0];
    uint32_t *y = args[1];
    const int64_t blocks = split_pieces(p->channels, 16);
    int64_t begin, end;
    split_range(p->batch * blocks * p->inner * 16, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t pixel = i / 16 % p->inner, n = i / 16 / p->inner / blocks;
        const int64_t c = i / 16 / p->inner % blocks * 16 + i % 16;
        const int64_t plain = p->channels_last ? (n * p->inner + pixel) * p->channels + c
                                               : (n * p->channels + c) * p->inner + pixel;
        if (p->to_blocked)
            y[i] = c < p->channels ? x[plain] : 0;
        else if (c < p->channels)
            y[plain] = x[i];
    }
}
