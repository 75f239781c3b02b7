/* SPDX-License-Identifier: Apache-2.0
 *
 * shuffle_b32_ref.c: the reference of SHUFFLE_B32, one element at a time.
 */
#include <string.h>
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

void ELEM_BITS_FN(shuffle, ref)(void *const *args, const void *params, uint32_t block_index,
                                uint32_t block_dim)
{
    const TsrShuffleParams *p = params;
    const int64_t blocks = split_pieces(p->channels, 16), each = p->channels / p->groups;
    int64_t begin, end;
    split_range(p->batch * blocks * p->inner * 16, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t pixel = i / 16 % p->inner, n = i / 16 / p->inner / blocks;
        const int64_t c = i / 16 / p->inner % blocks * 16 + i % 16;
        const int64_t from = c < p->channels ? c % p->groups * each + c / p->groups : 0;
        memcpy((elem_bits *)args[1] + i,
               (const elem_bits *)args[0] +
                   ((n * blocks + from / 16) * p->inner + pixel) * 16 + from % 16,
               sizeof(elem_bits));
    }
}
