/* SPDX-License-Identifier: Apache-2.0
 *
 * act_ref.h: the fused activations one element at a time, for the `_ref` kernels.
 */
#ifndef TSR_NPU_ACT_REF_H
#define TSR_NPU_ACT_REF_H

#include <math.h>
#include <tessera/device_kernels.h>

static inline float clip_ref(float v, float low, float high)
{
    if (v < low)
        v = low;
    return v > high ? high : v;
}

static inline double gelu_ref(double x)
{
    return 0.5 * x * (1.0 + erf(x * 0.70710678118654752440));
}

static inline double gelu_tanh_ref(double x)
{
    return 0.5 * x * (1.0 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static inline float activate_ref(float v, const TsrActivation *activation)
{
    switch (activation->kind) {
    case TSR_ACT_RELU: return v < 0.0f ? 0.0f : v;
    case TSR_ACT_CLIP: return clip_ref(v, activation->alpha, activation->beta);
    case TSR_ACT_LEAKY_RELU: return v < 0.0f ? v * activation->alpha : v;
    case TSR_ACT_HARD_SWISH: return v * clip_ref(v * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f);
    case TSR_ACT_HARD_SIGMOID:
        return clip_ref(v * activation->alpha + activation->beta, 0.0f, 1.0f);
    case TSR_ACT_SCALED_HARD_SWISH:
        return v * clip_ref(v * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f) * activation->alpha +
               activation->beta;
    case TSR_ACT_GELU: return (float)gelu_ref((double)v);
    case TSR_ACT_GELU_TANH: return (float)gelu_tanh_ref((double)v);
    case TSR_ACT_TANH: return (float)tanh((double)v);
    case TSR_ACT_SIGMOID: return 1.0f / (1.0f + expf(-v));
    default: return v;
    }
}

#endif
