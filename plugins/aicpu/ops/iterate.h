/* SPDX-License-Identifier: Apache-2.0
 *
 * iterate.h: what Loop and Scan share: lists of the tensors that each iteration gives,
 * and their stacking into one output.
 */
#ifndef AICPU_OPS_ITERATE_H
#define AICPU_OPS_ITERATE_H

#include "../aicpu.h"

enum { AICPU_MAX_PORTS = 64 };

/* Tensors of the scan outputs, iteration by iteration. Lives in scratch memory; the
 * tensors themselves live until the node's run ends. */
typedef struct AicpuStacks {
    TsrRunContext *run;
    uint32_t count;
    int64_t used[AICPU_MAX_PORTS];
    int64_t room[AICPU_MAX_PORTS];
    const TsrTensor **list[AICPU_MAX_PORTS];
} AicpuStacks;

void aicpu_stacks_init(AicpuStacks *stacks, TsrRunContext *run, uint32_t count);
int32_t aicpu_stacks_push(AicpuStacks *stacks, uint32_t index, const TsrTensor *tensor);
/* Stacks the list along a new axis into output; reverse: the last iteration first. */
int32_t aicpu_stacks_output(AicpuStacks *stacks, uint32_t index, uint32_t output, int64_t axis,
                            int reverse);

#endif
