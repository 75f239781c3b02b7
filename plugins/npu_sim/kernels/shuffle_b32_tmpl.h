/* SPDX-License-Identifier: Apache-2.0
 *
 * shuffle_b32_tmpl.h: SHUFFLE_B32 and SHUFFLE_B16 for one instruction set, compiled by
 * shuffle_b32_avx2.c and shuffle_b32_avx512.c, which define SHUFFLE. The 16 sources of a
 * channel block are the same for all its pixels, so that each pixel is one gather.
 */
#include "elem.h"
#include "kernel_list.h"
#include "split.h"
#include "vec.h"

#if TSR_ELEM != 0
/* There is no gather of halves. */
static inline void gather(const elem_bits *x, const int32_t *offsets, elem_bits *y)
{
    for (int l = 0; l < 16; l++)
        y[l] = x[offsets[l]];
}
#elif defined(__AVX512F__)
static inline void gather(const float *x, const int32_t *offsets, float *y)
{
    v_store(y, _mm512_i32gather_ps(_mm512_loadu_si512(offsets), x, 4));
}
#else
static inline void gather(const float *x, const int32_t *offsets, float *y)
{
    const __m256i *at = (const __m256i *)offsets;
    v_store(y, (v16){ _mm256_i32gather_ps(x, _mm256_loadu_si256(at), 4),
                      _mm256_i32gather_ps(x, _mm256_loadu_si256(at + 1), 4) });
}
#endif

void SHUFFLE(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    enum { RUN = 256 };
    const TsrShuffleParams *p = params;
    const int64_t blocks = split_pieces(p->channels, 16), each = p->channels / p->groups;
    const int64_t runs = split_pieces(p->inner, RUN);
    int64_t begin, end;
    split_range(p->batch * blocks * runs, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t plane = piece / runs, first = piece % runs * RUN;
        const int64_t last = first + RUN < p->inner ? first + RUN : p->inner;
        const elem_bits *x = (const elem_bits *)args[0] + plane / blocks * blocks * p->inner * 16;
        elem_bits *y = (elem_bits *)args[1] + plane * p->inner * 16;
        int32_t offsets[16];
        for (int64_t l = 0; l < 16; l++) {
            const int64_t c = plane % blocks * 16 + l;
            const int64_t from = c < p->channels ? c % p->groups * each + c / p->groups : 0;
            offsets[l] = (int32_t)(from / 16 * p->inner * 16 + from % 16);
        }
        for (int64_t i = first; i < last; i++)
            gather(x + i * 16, offsets, y + i * 16);
    }
}
