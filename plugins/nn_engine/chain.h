/* SPDX-License-Identifier: Apache-2.0
 *
 * chain.h: the attributes of the fused operator Chain, written by fusion_chain.c and read
 * by build_chain.c: per step four integers (binary, op, input, reversed) and two numbers
 * (alpha, beta). The input of a binary step is 1 or more; input 0 is what the chain runs
 * over.
 */
#ifndef TSR_NN_CHAIN_H
#define TSR_NN_CHAIN_H

#include "nn.h"

enum { NN_CHAIN_INTS = 4, NN_CHAIN_FLOATS = 2 };

typedef struct NnChain {
    uint32_t count;
    uint32_t inputs; /* of the node, input 0 included */
    TsrChainStep steps[TSR_NPU_CHAIN_STEPS]; /* operand 0 is input 1 */
} NnChain;

/* 0 when an attribute is not as described. */
int nn_chain_read(const TsrNodeView *node, NnChain *out_chain);

#endif
