/* SPDX-License-Identifier: Apache-2.0
 *
 * transdata_ref.c: the reference of TRANSDATA: every place of y by index arithmetic.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"

void tsr_transdata_ref(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrTransdataParams *p = params;
    const size_t size = p->element_bytes;
    int64_t count = 1, begin, end;
    for (uint32_t i = 0; i < p->rank; i++)
        count *= p->axes[i].y_extent;
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t place = begin; place < end; place++) {
        int64_t x_at = 0, y_at = 0, lane = 0, rest = place;
        int inside = 1;
        for (uint32_t i = p->rank; i-- > 0; rest /= p->axes[i].y_extent) {
            const TsrTransdataAxis *a = &p->axes[i];
            const int64_t index = rest % a->y_extent;
            x_at += index / 16 * a->x_block + index % 16 * a->x_step;
            y_at += index / 16 * a->y_block + index % 16 * a->y_step;
            inside &= index < a->extent;
            if (i == p->y_lane)
                lane = index % 16;
        }
        char *y = (char *)args[1] + y_at * (int64_t)size;
        for (int64_t k = 0; p->y_diagonal && k < 16; k++)
            memcpy(y + (k - lane) * (int64_t)size, &p->padding, size);
        memcpy(y, inside ? (const char *)args[0] + x_at * (int64_t)size
                         : (const char *)&p->padding, size);
    }
}
