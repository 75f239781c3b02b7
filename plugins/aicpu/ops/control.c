/* SPDX-License-Identifier: Apache-2.0
 *
 * control.c: If and Loop. Subgraphs run through the host, which also binds the outer
 * values that they read; a subgraph's outputs live until the node's run ends, so that
 * the state of one iteration may be the input of the next.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include "iterate.h"

static int32_t run_if(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *condition = run->inputs[0], *outputs[AICPU_MAX_PORTS];
    const TsrAttr *branch;
    int32_t status;
    (void)kernel;
    if (tsr_desc_elements(condition->desc) != 1)
        return run->fail(run, TSR_INVALID_ARGUMENT, "the condition must have one element");
    branch = tsr_attr_find(run->node, *(const uint8_t *)condition->data ? "then_branch"
                                                                        : "else_branch");
    if (branch == NULL || run->output_count > AICPU_MAX_PORTS)
        return run->fail(run, TSR_INVALID_ARGUMENT, "has no branch or more than %d outputs",
                         AICPU_MAX_PORTS);
    status = run->run_subgraph(run, (uint32_t)branch->i, NULL, 0, outputs, run->output_count);
    for (uint32_t i = 0; i < run->output_count && status == TSR_OK; i++)
        if (run->outputs[i] != NULL)
            status = run->forward_output(run, i, outputs[i]);
    return status;
}

/* Loop: body (iteration, condition, states...) -> (condition, states..., scans...). */
static int32_t run_loop(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *limit = aicpu_input(run, 0), *go = aicpu_input(run, 1);
    const TsrTensor *in[AICPU_MAX_PORTS], *out[AICPU_MAX_PORTS];
    const TsrAttr *body = tsr_attr_find(run->node, "body");
    uint32_t states = run->input_count > 2 ? run->input_count - 2 : 0;
    uint32_t scans = run->output_count > states ? run->output_count - states : 0;
    int64_t trips = aicpu_scalar_int64(limit, INT64_MAX), counter = 0;
    uint8_t condition = go == NULL || *(const uint8_t *)go->data != 0;
    TsrTensorDesc counter_desc = {.struct_size = sizeof(TsrTensorDesc),
                                  .dtype = TSR_DTYPE_INT64, .name = ""};
    TsrTensorDesc condition_desc = counter_desc;
    TsrTensor counter_tensor = {.struct_size = sizeof(TsrTensor), .desc = &counter_desc,
                                .data = &counter, .size_bytes = sizeof(counter)};
    TsrTensor condition_tensor = {.struct_size = sizeof(TsrTensor), .desc = &condition_desc,
                                  .data = &condition, .size_bytes = 1};
    AicpuStacks stacks;
    int32_t status;
    (void)kernel;
    condition_desc.dtype = TSR_DTYPE_BOOL;
    if (body == NULL || states + 2 > AICPU_MAX_PORTS || states + scans + 1 > AICPU_MAX_PORTS)
        return run->fail(run, TSR_UNSUPPORTED, "has no body or more than %d values",
                         AICPU_MAX_PORTS - 2);
    aicpu_stacks_init(&stacks, run, scans);
    for (uint32_t i = 0; i < states; i++)
        in[2 + i] = run->inputs[2 + i];
    in[0] = &counter_tensor;
    in[1] = &condition_tensor;
    for (; counter < trips && condition; counter++) {
        status = run->run_subgraph(run, (uint32_t)body->i, in, states + 2, out,
                                   1 + states + scans);
        if (status != TSR_OK)
            return status;
        condition = tsr_desc_elements(out[0]->desc) > 0 && *(const uint8_t *)out[0]->data != 0;
        for (uint32_t i = 0; i < states; i++)
            in[2 + i] = out[1 + i];
        for (uint32_t i = 0; i < scans; i++)
            if ((status = aicpu_stacks_push(&stacks, i, out[1 + states + i])) != TSR_OK)
                return status;
    }
    for (uint32_t i = 0; i < states && i < run->output_count; i++)
        if (run->outputs[i] != NULL &&
            (status = run->forward_output(run, i, in[2 + i])) != TSR_OK)
            return status;
    for (uint32_t i = 0; i < scans; i++)
        if (run->outputs[states + i] != NULL &&
            (status = aicpu_stacks_output(&stacks, i, states + i, 0, 0)) != TSR_OK)
            return status;
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "If", .run = run_if},
    {.op = "Loop", .run = run_loop},
};

const AicpuFamily aicpu_control = AICPU_FAMILY(kernels);
