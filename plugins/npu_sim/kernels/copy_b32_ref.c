/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_b32_ref.c: the references of COPY_CHANNELS_B32 and COPY_WINDOW_B32, one element at
 * a time.
 */
#include <string.h>
#include "kernel_list.h"
#include "split.h"

enum { N, C, H, W };

void tsr_copy_channels_b32_ref(void *const *args, const void *params, uint32_t block_index,
                               uint32_t block_dim)
{
    const TsrCopyChannelsParams *p = params;
    const uint32_t *x = args[0];
    uint32_t *y = args[1];
    const int64_t y_blocks = split_pieces(p->y_shape[C], 16);
    const int64_t x_blocks = split_pieces(p->x_shape[C], 16);
    int64_t begin, end;
    split_range(p->y_shape[N] * y_blocks * p->y_shape[H] * p->y_shape[W] * 16, block_index,
                block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t pixel = i / 16, plane = pixel / p->y_shape[W] / p->y_shape[H];
        int64_t at[4] = { plane / y_blocks, plane % y_blocks * 16 + i % 16,
                          pixel / p->y_shape[W] % p->y_shape[H], pixel % p->y_shape[W] };
        int inside = x != NULL;
        for (int d = N; d <= W; d++) {
            at[d] -= p->y_first[d];
            inside &= at[d] >= 0 && at[d] < p->count[d];
            at[d] = p->x_first[d] + at[d] * p->x_step[d];
        }
        if (inside)
            y[i] = x[(((at[N] * x_blocks + at[C] / 16) * p->x_shape[H] + at[H]) * p->x_shape[W] +
                      at[W]) * 16 + at[C] % 16];
        else if (p->fill)
            y[i] = p->value;
    }
}

void tsr_copy_window_b32_ref(void *const *args, const void *params, uint32_t block_index,
                             uint32_t block_dim)
{
    const TsrCopyWindowParams *p = params;
    const uint32_t *x = args[0];
    uint32_t *y = args[1];
    int64_t count = 1, begin, end;
    for (uint32_t d = 0; d < p->rank; d++)
        count *= p->shape[d];
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t rest = i, from = p->x_offset;
        int inside = x != NULL;
        for (uint32_t d = p->rank; d-- > 0; rest /= p->shape[d]) {
            const int64_t at = rest % p->shape[d];
            inside &= at >= p->begin[d] && at < p->end[d];
            from += (at - p->begin[d]) * p->x_step[d];
        }
        y[i] = inside ? x[from] : p->value;
    }
}
