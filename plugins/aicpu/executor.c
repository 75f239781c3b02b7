/* SPDX-License-Identifier: Apache-2.0
 *
 * executor.c: runs a node of aicpu. The state that runs share is the row itself, which
 * is static, so that there is nothing to release. At compile time dtypes may be
 * unknown: the row is then looked up again by the dtypes of the run.
 */
#include "aicpu.h"

static int32_t prepare(const TsrExecutor *executor, const TsrNodeView *node, void **out_state)
{
    uint32_t reason;
    (void)executor;
    *out_state = (void *)(uintptr_t)aicpu_kernel_find(node, &reason);
    return TSR_OK;
}

static void release(const TsrExecutor *executor, void *state)
{
    (void)executor;
    (void)state;
}

static int32_t run_node(const TsrExecutor *executor, void *state, TsrRunContext *run)
{
    const AicpuKernel *kernel = state;
    uint32_t reason, index;
    const TsrTensor *tensor = NULL;
    (void)executor;
    if (kernel != NULL) {
        index = kernel->port & ~AICPU_PORT_OUTPUT;
        tensor = kernel->port & AICPU_PORT_OUTPUT ? aicpu_output(run, index)
                                                  : aicpu_input(run, index);
    }
    if (kernel == NULL || (kernel->dtypes != 0 && tensor != NULL &&
                           !(kernel->dtypes & TSR_BIT(tensor->desc->dtype))))
        kernel = aicpu_kernel_find(run->node, &reason);
    if (kernel == NULL)
        return run->fail(run, TSR_UNSUPPORTED, "aicpu has no kernel for %s version %u of %s",
                         run->node->op_type, run->node->since_version,
                         tensor != NULL ? tsr_dtype_name(tensor->desc->dtype) : "these types");
    return kernel->run(kernel, run);
}

static uint64_t inplace(const TsrExecutor *executor, const TsrNodeView *node, uint32_t output)
{
    uint32_t reason;
    const AicpuKernel *kernel = aicpu_kernel_find(node, &reason);
    (void)executor;
    return output == 0 && kernel != NULL && aicpu_is_unary(kernel);
}

const TsrExecutor aicpu_executor = {
    .struct_size = sizeof(TsrExecutor),
    .prepare = prepare,
    .release = release,
    .run = run_node,
    .inplace = inplace,
};
