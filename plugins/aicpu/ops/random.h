/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h: the generator of the operators that draw numbers: MT19937 (Matsumoto and
 * Nishimura 1998), so that Dropout draws the masks that the ONNX reference draws.
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

/* The sequence of MT19937 for a seed. */
void aicpu_random_seed(AicpuRandom *random, uint32_t seed);
/* Seeds from the attribute "seed" or, without it, differently every time. stream 0 is the
 * seed's own sequence; other streams keep operators of one seed apart, and apart from data
 * that a script drew with that seed. */
void aicpu_random_init(AicpuRandom *random, const TsrNodeView *node, uint32_t stream);
/* 53 random bits in [0, 1). */
double aicpu_random_uniform(AicpuRandom *random);
double aicpu_random_normal(AicpuRandom *random);

#endif
