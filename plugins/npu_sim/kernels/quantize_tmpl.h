/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize_tmpl.h: QUANTIZE, DEQUANTIZE, RANGE_F32, QUANTIZE_DYNAMIC and ADD_I8 for one
 * instruction set; the files that include it define KERNEL(name). Plain loops in float that
 * the compiler turns into vectors: they are bound by memory. Limits are integers, so that
 * clamping before rounding gives the same elements.
 */
#include <string.h>
#include "dynamic_range.h"
#include "kernel_list.h"
#include "split.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RUN = 4096, PART = 256 };

/* The element for a quotient; NaN becomes 0. low and high are less the zero point. */
ALWAYS_INLINE uint8_t quantized(float v, float low, float high, int32_t zero)
{
    v = v == v ? v : (float)-zero;
    v = v > low ? v : low;
    v = v < high ? v : high;
    return (uint8_t)((int32_t)rintf(v) + zero);
}

/* The run of piece: *out_first is its first element, *out_count how many inner steps, the
 * result its channel. */
static int64_t run_of(const TsrQuantizeParams *p, int64_t piece, int64_t step, int64_t *out_first,
                      int64_t *out_count)
{
    const int64_t runs = split_pieces(p->inner, step), at = piece % runs * step;
    *out_first = (piece / runs * p->inner + at) * p->lanes;
    *out_count = p->inner - at < step ? p->inner - at : step;
    return piece / runs % p->channels;
}

static int64_t run_step(const TsrQuantizeParams *p)
{
    return p->lanes < RUN ? RUN / p->lanes : 1;
}

ALWAYS_INLINE void quantize_run(const float *x, const float *scale, const int32_t *zero,
                                uint8_t *y, int64_t count, const int64_t lanes,
                                const int is_signed)
{
    const float least = is_signed ? -128.0f : 0.0f, most = is_signed ? 127.0f : 255.0f;
    if (lanes == 1) {
        const float s = *scale, low = least - (float)*zero, high = most - (float)*zero;
        const int32_t z = *zero;
        for (int64_t i = 0; i < count; i++)
            y[i] = quantized(x[i] / s, low, high, z);
        return;
    }
    for (int64_t i = 0; i < count; i++, x += lanes, y += lanes)
        for (int64_t l = 0; l < lanes; l++)
            y[l] = quantized(x[l] / scale[l], least - (float)zero[l], most - (float)zero[l],
                             zero[l]);
}

void KERNEL(quantize)(void *const *args, const void *params, uint32_t block_index,
                      uint32_t block_dim)
{
    const TsrQuantizeParams *p = params;
    const int64_t step = run_step(p), lanes = p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->channels * split_pieces(p->inner, step), block_index, block_dim,
                &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t first, count;
        const int64_t channel = run_of(p, piece, step, &first, &count);
        const float *x = (const float *)args[0] + first;
        const float *scale = (const float *)args[1] + channel * lanes;
        const int32_t *zero = (const int32_t *)args[2] + channel * lanes;
        uint8_t *y = (uint8_t *)args[3] + first;
        const int is_signed = p->dtype == TSR_DTYPE_INT8;
        if (lanes == 1)
            quantize_run(x, scale, zero, y, count, 1, is_signed);
        else if (lanes == 16)
            quantize_run(x, scale, zero, y, count, 16, is_signed);
        else
            quantize_run(x, scale, zero, y, count, lanes, is_signed);
    }
}

ALWAYS_INLINE void dequantize_run(const void *x, int64_t first, const float *scale,
                                  const int32_t *zero, float *y, int64_t count,
                                  const int64_t lanes, const uint32_t dtype)
{
    const uint8_t *bytes = (const uint8_t *)x + first;
    const int32_t *words = (const int32_t *)x + first;
    if (lanes == 1 && dtype != TSR_DTYPE_INT32) {
        const float s = *scale;
        const int32_t z = *zero;
        for (int64_t i = 0; i < count; i++)
            y[i] = (float)((dtype == TSR_DTYPE_INT8 ? (int8_t)bytes[i] : bytes[i]) - z) * s;
        return;
    }
    for (int64_t i = 0; i < count; i++, y += lanes, bytes += lanes, words += lanes)
        for (int64_t l = 0; l < lanes; l++)
            y[l] = dtype == TSR_DTYPE_INT32
                       ? (float)(((double)words[l] - (double)zero[l]) * (double)scale[l])
                       : (float)((dtype == TSR_DTYPE_INT8 ? (int8_t)bytes[l] : bytes[l]) -
                                 zero[l]) * scale[l];
}

/* One row per type, so that the loops know it. */
#define DEQUANTIZE_RUN(name, dtype)                                                 \
    static void run_##name(const void *x, int64_t first, const float *scale,        \
                           const int32_t *zero, float *y, int64_t count, int64_t lanes) \
    {                                                                               \
        if (lanes == 1)                                                             \
            dequantize_run(x, first, scale, zero, y, count, 1, dtype);              \
        else                                                                        \
            dequantize_run(x, first, scale, zero, y, count, lanes, dtype);          \
    }
DEQUANTIZE_RUN(u8, TSR_DTYPE_UINT8)
DEQUANTIZE_RUN(s8, TSR_DTYPE_INT8)
DEQUANTIZE_RUN(s32, TSR_DTYPE_INT32)

void KERNEL(dequantize)(void *const *args, const void *params, uint32_t block_index,
                        uint32_t block_dim)
{
    const TsrQuantizeParams *p = params;
    const int64_t step = run_step(p), lanes = p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->channels * split_pieces(p->inner, step), block_index, block_dim,
                &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t first, count;
        const int64_t channel = run_of(p, piece, step, &first, &count);
        (p->dtype == TSR_DTYPE_INT32  ? run_s32
         : p->dtype == TSR_DTYPE_INT8 ? run_s8
                                      : run_u8)(args[0], first,
                                                (const float *)args[1] + channel * lanes,
                                                (const int32_t *)args[2] + channel * lanes,
                                                (float *)args[3] + first, count, lanes);
    }
}

void KERNEL(range_f32)(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrDynamicParams *p = params;
    int64_t begin, end;
    split_range(split_pieces(p->count, p->run), block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const float *x = (const float *)args[0] + piece * p->run;
        const int64_t count = p->count - piece * p->run < p->run ? p->count - piece * p->run
                                                                 : p->run;
        float low[16] = { 0 }, high[16] = { 0 }, *range = (float *)args[1] + 2 * piece;
        int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            for (int l = 0; l < 16; l++) {
                low[l] = x[i + l] < low[l] ? x[i + l] : low[l];
                high[l] = x[i + l] > high[l] ? x[i + l] : high[l];
            }
        for (; i < count; i++) {
            low[0] = x[i] < low[0] ? x[i] : low[0];
            high[0] = x[i] > high[0] ? x[i] : high[0];
        }
        for (int l = 1; l < 16; l++) {
            low[0] = low[l] < low[0] ? low[l] : low[0];
            high[0] = high[l] > high[0] ? high[l] : high[0];
        }
        range[0] = low[0];
        range[1] = high[0];
    }
}

void KERNEL(quantize_dynamic)(void *const *args, const void *params, uint32_t block_index,
                              uint32_t block_dim)
{
    const TsrDynamicParams *p = params;
    const int64_t pieces = split_pieces(p->count, p->run);
    float scale, zero;
    int64_t begin, end;
    dynamic_range(args[1], pieces, &scale, &zero);
    if (block_index == 0 && args[3] != NULL)
        *(float *)args[3] = scale;
    if (block_index == 0 && args[4] != NULL)
        *(uint8_t *)args[4] = (uint8_t)zero;
    split_range(pieces, block_index, block_dim, &begin, &end);
    begin *= p->run;
    end = end * p->run < p->count ? end * p->run : p->count;
    if (begin >= end)
        return;
    if (scale > 0.0f)
        for (int64_t i = begin; i < end; i++)
            ((uint8_t *)args[2])[i] = quantized(((const float *)args[0])[i] / scale, -zero,
                                                255.0f - zero, (int32_t)zero);
    else
        memset((uint8_t *)args[2] + begin, 0, (size_t)(end - begin));
}

static void widen(const uint8_t *x, uint32_t is_signed, int32_t zero, float scale, int64_t count,
                  float *out)
{
    if (is_signed)
        for (int64_t i = 0; i < count; i++)
            out[i] = (float)((int8_t)x[i] - zero) * scale;
    else
        for (int64_t i = 0; i < count; i++)
            out[i] = (float)(x[i] - zero) * scale;
}

void KERNEL(add_i8)(void *const *args, const void *params, uint32_t block_index,
                    uint32_t block_dim)
{
    const TsrAddI8Params *p = params;
    const float low = (float)(p->low - p->y_zero), high = (float)(p->high - p->y_zero);
    float a[PART], b[PART];
    int64_t begin, end;
    split_range(split_pieces(p->count, RUN), block_index, block_dim, &begin, &end);
    begin *= RUN;
    end = end * RUN < p->count ? end * RUN : p->count;
    for (int64_t at = begin; at < end; at += PART) {
        const int64_t count = end - at < PART ? end - at : PART;
        uint8_t *y = (uint8_t *)args[2] + at;
        widen((const uint8_t *)args[0] + at, p->a_signed, p->a_zero, p->a_scale, count, a);
        widen((const uint8_t *)args[1] + at, p->b_signed, p->b_zero, p->b_scale, count, b);
        for (int64_t i = 0; i < count; i++)
            y[i] = quantized((a[i] + b[i]) / p->y_scale, low, high, p->y_zero);
    }
}
