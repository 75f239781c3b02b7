/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_b32_ref.c: reference copies and transposes, one element at a time.
 */
#include <string.h>
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

#if TSR_ELEM == 0 /* of bytes, for all types */
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
#endif

void ELEM_BITS_FN(transpose, ref)(void *const *args, const void *params, uint32_t block_index,
                                  uint32_t block_dim)
{
    const TsrTransposeParams *p = params;
    const elem_bits *x = args[0];
    elem_bits *y = args[1];
    int64_t count = 1, begin, end;
    for (uint32_t i = 0; i < p->rank; i++)
        count *= p->shape[i];
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t at = 0, rest = i;
        for (uint32_t d = p->rank; d-- > 0; rest /= p->shape[d])
            at += rest % p->shape[d] * p->x_step[d];
        memcpy(y + i, x + at, sizeof(*y));
    }
}
