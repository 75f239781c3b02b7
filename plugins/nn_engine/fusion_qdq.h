/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_qdq.h: what the two files of the pass nn_qdq share: the tensors and the pattern that
 * fusion_qdq.c reads, and the sums of products that fusion_qdq_product.c makes of them.
 */
#ifndef TSR_NN_FUSION_QDQ_H
#define TSR_NN_FUSION_QDQ_H

#include "fusion_match.h"
#include "quantized.h"

/* A tensor of bytes or int32 behind a DequantizeLinear, or before a QuantizeLinear. */
typedef struct NnQuant {
    uint32_t value;           /* the integers */
    uint32_t scale, zero;     /* values; zero may be TSR_NO_VALUE */
    const TsrTensor *scale_tensor, *zero_tensor;
    uint32_t dtype;
    int64_t scales, axis;     /* axis of x, where there are several */
} NnQuant;

/* A pattern under construction: the operator, what follows it, and the result. */
typedef struct NnQdqMatch {
    uint32_t node;          /* the operator, UINT32_MAX where none of its own may vanish */
    uint32_t tail;          /* what reads it: an activation or the QuantizeLinear */
    NnPattern pattern;
    NnQuant y;
    int32_t low, high;      /* of y's elements */
    int activated;
} NnQdqMatch;

/* The DequantizeLinear that writes that input. */
int nn_qdq_input(const TsrGraphEdit *edit, uint32_t node, uint32_t index, NnQuant *out);

static inline int nn_qdq_is_byte(const NnQuant *q)
{
    return nn_is_byte(q->dtype) && q->scales == 1;
}

static inline float nn_qdq_scale(const NnQuant *q, int64_t i)
{
    return ((const float *)q->scale_tensor->data)[q->scales == 1 ? 0 : i];
}

/* The zero point as a value, made where the node has none. */
uint32_t nn_qdq_zero(const TsrGraphEdit *edit, const NnQuant *q);

/* Replaces the pattern; attributes of the operator with these names are kept. Only the bias
 * of a product may be missing among the inputs. */
int32_t nn_qdq_replace(const TsrGraphEdit *edit, const NnQdqMatch *m, const char *op_type,
                       const uint32_t *inputs, uint32_t count, const char *const *kept);

/* Conv, Gemm and MatMul; an Add of a product and a bias or, behind Conv, a residual. */
int32_t nn_qdq_conv(const TsrGraphEdit *edit, const NnQdqMatch *m);
int32_t nn_qdq_gemm(const TsrGraphEdit *edit, const NnQdqMatch *m);
int32_t nn_qdq_matmul(const TsrGraphEdit *edit, const NnQdqMatch *m);
int32_t nn_qdq_sum(const TsrGraphEdit *edit, const NnQdqMatch *m);

#endif
