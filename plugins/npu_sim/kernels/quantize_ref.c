/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize_ref.c: the references of QUANTIZE, DEQUANTIZE, RANGE_F32, QUANTIZE_DYNAMIC and
 * ADD_I8, element by element from ONNX QuantizeLinear 10 to 25, DequantizeLinear and
 * DynamicQuantizeLinear 11; roundings in double.
 */
#include "dynamic_range.h"
#include "kernel_list.h"
#include "split.h"

/* Index of the scale of element i. */
static int64_t scale_at(const TsrQuantizeParams *p, int64_t i)
{
    return i / p->lanes / p->inner % p->channels * p->lanes + i % p->lanes;
}

/* Rounds, adds and clamps; NaN becomes 0. */
static uint8_t quantized(double v, double zero, double low, double high)
{
    v = rint(v) + zero;
    return isnan(v) ? 0 : (uint8_t)(int32_t)fmin(fmax(v, low), high);
}

void tsr_quantize_ref(void *const *args, const void *params, uint32_t block_index,
                      uint32_t block_dim)
{
    const TsrQuantizeParams *p = params;
    const float *x = args[0], *scale = args[1];
    const int32_t *zero = args[2];
    uint8_t *y = args[3];
    const int is_signed = p->dtype == TSR_DTYPE_INT8;
    int64_t begin, end;
    split_range(p->outer * p->channels * p->inner * p->lanes, block_index, block_dim, &begin,
                &end);
    for (int64_t i = begin; i < end; i++) {
        const float quotient = x[i] / scale[scale_at(p, i)];
        y[i] = quantized((double)quotient, zero[scale_at(p, i)], is_signed ? -128.0 : 0.0,
                         is_signed ? 127.0 : 255.0);
    }
}

void tsr_dequantize_ref(void *const *args, const void *params, uint32_t block_index,
                        uint32_t block_dim)
{
    const TsrQuantizeParams *p = params;
    const float *scale = args[1];
    const int32_t *zero = args[2];
    float *y = args[3];
    int64_t begin, end;
    split_range(p->outer * p->channels * p->inner * p->lanes, block_index, block_dim, &begin,
                &end);
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = scale_at(p, i);
        const double x = p->dtype == TSR_DTYPE_INT32  ? ((const int32_t *)args[0])[i]
                         : p->dtype == TSR_DTYPE_INT8 ? ((const int8_t *)args[0])[i]
                                                      : ((const uint8_t *)args[0])[i];
        y[i] = (float)((x - (double)zero[at]) * (double)scale[at]);
    }
}

void tsr_range_f32_ref(void *const *args, const void *params, uint32_t block_index,
                       uint32_t block_dim)
{
    const TsrDynamicParams *p = params;
    const float *x = args[0];
    float *range = args[1];
    int64_t begin, end;
    split_range(split_pieces(p->count, p->run), block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        float low = 0.0f, high = 0.0f;
        for (int64_t i = piece * p->run; i < (piece + 1) * p->run && i < p->count; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        range[2 * piece] = low;
        range[2 * piece + 1] = high;
    }
}

void tsr_quantize_dynamic_ref(void *const *args, const void *params, uint32_t block_index,
                              uint32_t block_dim)
{
    const TsrDynamicParams *p = params;
    const float *x = args[0];
    uint8_t *y = args[2];
    float scale, zero;
    int64_t begin, end;
    dynamic_range(args[1], split_pieces(p->count, p->run), &scale, &zero);
    if (block_index == 0 && args[3] != NULL)
        *(float *)args[3] = scale;
    if (block_index == 0 && args[4] != NULL)
        *(uint8_t *)args[4] = (uint8_t)zero;
    split_range(p->count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const float quotient = x[i] / scale;
        y[i] = scale > 0.0f ? quantized((double)quotient, zero, 0.0, 255.0) : 0;
    }
}

void tsr_add_i8_ref(void *const *args, const void *params, uint32_t block_index,
                    uint32_t block_dim)
{
    const TsrAddI8Params *p = params;
    uint8_t *y = args[2];
    int64_t count = 1, begin, end;
    for (uint32_t d = 0; d < p->rank; d++)
        count *= p->shape[d];
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t at_a = 0, at_b = 0, rest = i;
        for (uint32_t d = p->rank; d-- > 0; rest /= p->shape[d]) {
            at_a += rest % p->shape[d] * p->a_step[d];
            at_b += rest % p->shape[d] * p->b_step[d];
        }
        const int32_t a = p->a_signed ? ((const int8_t *)args[0])[at_a]
                                      : ((const uint8_t *)args[0])[at_a];
        const int32_t b = p->b_signed ? ((const int8_t *)args[1])[at_b]
                                      : ((const uint8_t *)args[1])[at_b];
        const float sum = (float)(a - p->a_zero) * p->a_scale + (float)(b - p->b_zero) * p->b_scale;
        y[i] = quantized((double)(sum / p->y_scale), p->y_zero, p->low, p->high);
    }
}
