/* SPDX-License-Identifier: Apache-2.0
 *
 * cast_tmpl.h: CAST for one instruction set, compiled by cast_avx2.c and cast_avx512.c,
 * which define CAST. Every pair of types goes through 16 floats in a register; the types
 * are chosen once per run.
 */
#include <tessera/plugin_util.h>
#include "kernel_list.h"
#include "split.h"
#include "velem.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RUN = 1024 };

ALWAYS_INLINE v16 ints_load(const uint32_t dtype, const void *p)
{
#if defined(__AVX512F__)
    if (dtype == TSR_DTYPE_INT8)
        return v_of(_mm512_cvtepi8_epi32(_mm_loadu_si128(p)));
    if (dtype == TSR_DTYPE_UINT8)
        return v_of(_mm512_cvtepu8_epi32(_mm_loadu_si128(p)));
    return v_of(_mm512_loadu_si512(p));
#else
    if (dtype == TSR_DTYPE_INT32) {
        const __m256i *ints = p;
        return v_of((v16i){ _mm256_loadu_si256(ints), _mm256_loadu_si256(ints + 1) });
    }
    const __m128i bytes = _mm_loadu_si128(p), high = _mm_srli_si128(bytes, 8);
    return dtype == TSR_DTYPE_INT8
               ? v_of((v16i){ _mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(high) })
               : v_of((v16i){ _mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(high) });
#endif
}

ALWAYS_INLINE void cast_16(const uint32_t from, const uint32_t to, const void *x, void *y)
{
    const v16 v = from == TSR_DTYPE_FLOAT      ? v_load(x)
                  : from == TSR_DTYPE_FLOAT16  ? v_of_f16(_mm256_loadu_si256(x))
                  : from == TSR_DTYPE_BFLOAT16 ? v_of_bf16(_mm256_loadu_si256(x))
                                               : ints_load(from, x);
    if (to == TSR_DTYPE_FLOAT)
        v_store(y, v);
    else
        _mm256_storeu_si256(y, to == TSR_DTYPE_FLOAT16 ? v_to_f16(v) : v_to_bf16(v));
}

ALWAYS_INLINE void cast_run(const uint32_t from, const uint32_t to, const char *x, char *y,
                            int64_t count)
{
    const int64_t x_size = from == TSR_DTYPE_FLOAT || from == TSR_DTYPE_INT32 ? 4
                           : from == TSR_DTYPE_INT8 || from == TSR_DTYPE_UINT8 ? 1 : 2;
    const int64_t y_size = to == TSR_DTYPE_FLOAT ? 4 : 2;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        cast_16(from, to, x + i * x_size, y + i * y_size);
    if (i < count) {
        char in[64] = { 0 }, out[64];
        memcpy(in, x + i * x_size, (size_t)((count - i) * x_size));
        cast_16(from, to, in, out);
        memcpy(y + i * y_size, out, (size_t)((count - i) * y_size));
    }
}

typedef void (*CastRun)(const char *x, char *y, int64_t count);

#define CAST_RUN(from, to)                                                          \
    static void run_##from##_##to(const char *x, char *y, int64_t count)            \
    {                                                                               \
        cast_run(TSR_DTYPE_##from, TSR_DTYPE_##to, x, y, count);                    \
    }
#define CAST_RUNS(from) CAST_RUN(from, FLOAT) CAST_RUN(from, FLOAT16) CAST_RUN(from, BFLOAT16)
CAST_RUNS(FLOAT)
CAST_RUNS(FLOAT16)
CAST_RUNS(BFLOAT16)
CAST_RUNS(INT8)
CAST_RUNS(UINT8)
CAST_RUN(INT32, FLOAT)

#define CAST_ROW(from)                                                              \
    [TSR_DTYPE_##from] = { run_##from##_FLOAT, run_##from##_FLOAT16, run_##from##_BFLOAT16 }

void CAST(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    static const CastRun runs[TSR_DTYPE_COUNT][3] = {
        CAST_ROW(FLOAT),
        CAST_ROW(FLOAT16),
        CAST_ROW(BFLOAT16),
        CAST_ROW(INT8),
        CAST_ROW(UINT8),
        [TSR_DTYPE_INT32] = { run_INT32_FLOAT },
    };
    const TsrCastParams *p = params;
    const int64_t x_size = tsr_dtype_bits(p->from) / 8, y_size = tsr_dtype_bits(p->to) / 8;
    const int to = p->to == TSR_DTYPE_FLOAT ? 0 : p->to == TSR_DTYPE_FLOAT16 ? 1 : 2;
    int64_t begin, end;
    split_range(split_pieces(p->count, RUN), block_index, block_dim, &begin, &end);
    begin *= RUN;
    end = end * RUN < p->count ? end * RUN : p->count;
    if (begin < end)
        runs[p->from][to]((const char *)args[0] + begin * x_size,
                          (char *)args[1] + begin * y_size, end - begin);
}
