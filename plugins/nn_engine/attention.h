/* SPDX-License-Identifier: Apache-2.0
 *
 * attention.h: what is known of one attention, in one order of dims whatever the layout of
 * its operands: batch, head, place, element. Read from a node by build_attention.c, for
 * its tasks and for the inference of the fused operator.
 */
#ifndef TSR_NN_ATTENTION_H
#define TSR_NN_ATTENTION_H

#include "nn.h"

/* An operand; unknown dims are TSR_DIM_UNKNOWN, and steps (in elements, 0 along a dim of
 * 1) then mean nothing. Of the mask: batch, head, query, key. */
typedef struct NnAttentionPart {
    int64_t dims[4], steps[4];
} NnAttentionPart;

typedef struct NnAttention {
    NnAttentionPart q, k, v, y, mask;
    int has_mask, causal, zero_rows;
    int64_t scores[4]; /* dims of scale * Q K^T + mask */
    int64_t group;     /* heads of Q to one head of K and V */
    float scale;
} NnAttention;

/* Reads a fused Attention, but for y; a text that says what is wrong, or NULL. */
const char *nn_attention_read(const TsrNodeView *node, NnAttention *out_attention);

/* The shape of Y in its layout. */
void nn_attention_shape(const TsrNodeView *node, const NnAttention *attention,
                        int64_t *out_shape);

#endif
