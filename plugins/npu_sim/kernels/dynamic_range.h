/* SPDX-License-Identifier: Apache-2.0
 *
 * dynamic_range.h: scale and zero point of ONNX DynamicQuantizeLinear 11 from the ranges
 * that RANGE_F32 found; shared by QUANTIZE_DYNAMIC of all instruction sets.
 */
#ifndef TSR_NPU_DYNAMIC_RANGE_H
#define TSR_NPU_DYNAMIC_RANGE_H

#include <math.h>
#include <tessera/device_kernels.h>

/* 0 and 255 for what lies outside; NaN is 0. */
static inline float dynamic_limit(float v) { return v > 0.0f ? (v < 255.0f ? v : 255.0f) : 0.0f; }

static inline void dynamic_range(const float *range, int64_t pieces, float *out_scale,
                                 float *out_zero)
{
    float low = 0.0f, high = 0.0f;
    for (int64_t i = 0; i < pieces; i++) {
        low = range[2 * i] < low ? range[2 * i] : low;
        high = range[2 * i + 1] > high ? range[2 * i + 1] : high;
    }
    *out_scale = (high - low) / 255.0f;
    *out_zero = *out_scale > 0.0f ? dynamic_limit(rintf(-low / *out_scale)) : 0.0f;
}

#endif
