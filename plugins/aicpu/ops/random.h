/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h: the generator of the operators that draw numbers: MT19937 (Matsumoto and
 * Nishimura 1998), so that a seed gives the sequence that the ONNX reference draws.
 */
#ifndef AICPU_OPS_RANDOM_H
#define AICPU_OPS_RANDOM_H

#include <stdint.h>
#include <tessera/plugin.h>

enum { AICPU_RANDOM_STATE = 624 };

typedef struct AicpuRandom {
    uint32_t state[AICPU_RANDOM_STATE];
    uint32_t next;
    int has_normal;
    double normal; /* the second of a pair */
} AicpuRandom;

/* Seeds from the attribute "seed" or, without it, differently every time. */
void aicpu_random_init(AicpuRandom *random, const TsrNodeView *node);
/* 53 random bits in [0, 1). */
double aicpu_random_uniform(AicpuRandom *random);
double aicpu_random_normal(AicpuRandom *random);

#endif
