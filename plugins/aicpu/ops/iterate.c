/* SPDX-License-Identifier: Apache-2.0
 *
 * iterate.c: collects what the iterations of Loop and Scan give.
 */
#include "iterate.h"
#include "../walk.h"

void aicpu_stacks_init(AicpuStacks *stacks, TsrRunContext *run, uint32_t count)
{
    memset(stacks, 0, sizeof(*stacks));
    stacks->run = run;
    stacks->count = count;
}

int32_t aicpu_stacks_push(AicpuStacks *stacks, uint32_t index, const TsrTensor *tensor)
{
    if (stacks->used[index] == stacks->room[index]) {
        int64_t room = stacks->room[index] == 0 ? 16 : 2 * stacks->room[index];
        const TsrTensor **list =
            stacks->run->scratch(stacks->run, (uint64_t)room * sizeof(*list));
        if (list == NULL)
            return TSR_OUT_OF_MEMORY;
        if (stacks->used[index] > 0)
            memcpy(list, stacks->list[index], (size_t)stacks->used[index] * sizeof(*list));
        stacks->list[index] = list;
        stacks->room[index] = room;
    }
    stacks->list[index][stacks->used[index]++] = tensor;
    return TSR_OK;
}

int32_t aicpu_stacks_output(AicpuStacks *stacks, uint32_t index, uint32_t output, int64_t axis,
                            int reverse)
{
    TsrRunContext *run = stacks->run;
    int64_t n = stacks->used[index], shape[TSR_MAX_RANK], outer, inner;
    const TsrTensorDesc *first = n > 0 ? stacks->list[index][0]->desc : run->node->outputs[output];
    uint32_t rank = n > 0 ? first->rank + 1 : first->rank;
    int32_t status;
    if (n == 0 && rank == TSR_RANK_UNKNOWN)
        rank = 1;
    if (rank > TSR_MAX_RANK)
        return run->fail(run, TSR_UNSUPPORTED, "output %u would have rank %u, at most %d", output,
                         rank, TSR_MAX_RANK);
    axis = tsr_axis_normalize(axis, rank);
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "the axis of output %u is outside of rank %u",
                         output, rank);
    for (uint32_t i = 0, k = 0; i < rank; i++)
        if (i == axis)
            shape[i] = n;
        else if (n > 0)
            shape[i] = first->shape[k++];
        else /* no iteration ran: what inference knows, else nothing */
            shape[i] = first->rank != TSR_RANK_UNKNOWN && first->shape[i] > 0 ? first->shape[i]
                                                                              : 0;
    status = run->alloc_output(run, output, first->dtype, rank, shape);
    if (status != TSR_OK || n == 0)
        return status;
    outer = tsr_shape_elements((uint32_t)axis, shape);
    inner = tsr_shape_elements(rank - (uint32_t)axis - 1, shape + axis + 1);
    for (int64_t k = 0; k < n; k++) {
        const TsrTensor *tensor = stacks->list[index][reverse ? n - 1 - k : k];
        if (tensor->desc->dtype != first->dtype || tensor->desc->rank != first->rank ||
            memcmp(tensor->desc->shape, first->shape, first->rank * sizeof(int64_t)) != 0)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "iterations give output %u different shapes or types", output);
        for (int64_t o = 0; o < outer; o++) {
            status = aicpu_copy_dense(run, first->dtype, run->outputs[output]->data,
                                      (o * n + k) * inner, tensor->data, o * inner, inner);
            if (status != TSR_OK)
                return status;
        }
    }
    return TSR_OK;
}
