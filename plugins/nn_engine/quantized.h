/* SPDX-License-Identifier: Apache-2.0
 *
 * quantized.h: what the builders of quantized operators share: reading scales and zero
 * points, weights without their zero point, and the table of requantization.
 * Defined in quantized.c.
 */
#ifndef TSR_NN_QUANTIZED_H
#define TSR_NN_QUANTIZED_H

#include "nn.h"

/* Inputs of QLinearConv and QConv, QLinearMatMul and QMatMul; NN_Q_NONE where the integer
 * forms have none. */
enum { NN_Q_NONE = -1 };
typedef struct NnQuantPorts {
    int x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias;
} NnQuantPorts;

extern const NnQuantPorts nn_q_ports_linear, nn_q_ports_integer;

static inline int nn_is_byte(uint32_t dtype)
{
    return dtype == TSR_DTYPE_UINT8 || dtype == TSR_DTYPE_INT8;
}

/* Element i of a constant of uint8, int8 or int32; the only one where there is one. */
int32_t nn_q_int_at(const TsrTensor *t, int64_t i);

/* Whether input `port` is a constant of 1 or `count` elements of that dtype (0: of a byte
 * type); a missing one is right where port is NN_Q_NONE or `optional`. Fills a refusal that
 * calls it `what`. */
int nn_q_check_constant(const TsrNodeView *node, int port, int optional, uint32_t dtype,
                        int64_t count, const char *what, TsrSupport *out_support);

/* Scales and zero points of a product whose weights have `channels`; also that they are
 * positive, finite and of one element for x and y. */
int nn_q_check_product(const TsrNodeView *node, const NnQuantPorts *ports, int64_t channels,
                       TsrSupport *out_support);

/* Weights as the kernels want them: of output channel o and term i of its sum. */
typedef struct NnQuantWeights {
    int64_t channels, depth;
    int64_t channel_step, depth_step; /* in elements of the constant */
    const TsrTensor *w, *zero;        /* zero may be NULL */
} NnQuantWeights;

static inline int32_t nn_q_weight(const NnQuantWeights *w, int64_t o, int64_t i)
{
    const int64_t at = o * w->channel_step + i * w->depth_step;
    const int32_t value = w->w->desc->dtype == TSR_DTYPE_INT8 ? ((const int8_t *)w->w->data)[at]
                                                              : ((const uint8_t *)w->w->data)[at];
    return value - (w->zero != NULL ? nn_q_int_at(w->zero, o) : 0);
}

/* Whether no sum of the product can leave int32; fills a refusal otherwise. */
int nn_q_check_sums(const NnQuantWeights *w, const TsrTensor *bias, TsrSupport *out_support);

/* How many s8 each weight becomes. */
uint32_t nn_q_passes(const NnQuantWeights *w);
/* The part of a weight in that pass; parts add up to the weight. */
static inline int8_t nn_q_part(int32_t weight, uint32_t pass)
{
    for (;; pass--) {
        const int32_t part = weight > 127 ? 127 : weight < -128 ? -128 : weight;
        if (pass == 0)
            return (int8_t)part;
        weight -= part;
    }
}

/* Fills everything of *out but passes; *out_x_zero is the argument of the kernel. */
void nn_q_requant(const TsrNodeView *node, const NnQuantPorts *ports, TsrRequant *out,
                  uint32_t *out_x_zero);

/* Adds the table of the channels. */
int32_t nn_q_table(const TsrNodeView *node, TsrTaskSink *sink, const NnQuantPorts *ports,
                   const NnQuantWeights *w, uint32_t *out_arg);

/* The limits of y's elements: those of its type, narrowed by the attributes low and high. */
void nn_q_limits(const TsrNodeView *node, int32_t *out_low, int32_t *out_high);

/* The scale and zero point of a per-tensor port pair; constants, checked before. */
float nn_q_scale(const TsrNodeView *node, int port);
int32_t nn_q_zero(const TsrNodeView *node, int port);

/* Whether elements of both lie in the same places, shapes being equal. */
static inline int nn_q_same_storage(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    return nn_is_internal(a) || nn_is_internal(b) ? a->storage_format == b->storage_format : 1;
}

/* Adds the task of POOL2D_I8. */
int32_t nn_quant_pool(TsrTaskSink *sink, const TsrPool2dParams *pool, const TsrRequant *requant,
                      double factor);

#endif
