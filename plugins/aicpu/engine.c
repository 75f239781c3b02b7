/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.c: answers whether aicpu runs a node: it does when a row of its tables fits.
 * A refusal says which of operator, version and dtype is missing.
 */
#include "aicpu.h"

/* The dtype at a row's port; undefined when the node has nothing there. */
static uint32_t port_dtype(const TsrNodeView *node, uint32_t port)
{
    uint32_t index = port & ~AICPU_PORT_OUTPUT;
    if (port & AICPU_PORT_OUTPUT)
        return index < node->output_count && node->outputs[index] != NULL
                   ? node->outputs[index]->dtype
                   : TSR_DTYPE_UNDEFINED;
    return index < node->input_count && node->inputs[index] != NULL ? node->inputs[index]->dtype
                                                                    : TSR_DTYPE_UNDEFINED;
}

const AicpuKernel *aicpu_kernel_find(const TsrNodeView *node, uint32_t *out_reason)
{
    *out_reason = TSR_REFUSE_OP;
    for (uint32_t f = 0; f < aicpu_family_count; f++)
        for (uint32_t k = 0; k < aicpu_families[f]->count; k++) {
            const AicpuKernel *kernel = &aicpu_families[f]->kernels[k];
            uint32_t dtype;
            if (strcmp(kernel->op, node->op_type) != 0 ||
                strcmp(kernel->domain != NULL ? kernel->domain : "", node->domain) != 0)
                continue;
            if (node->since_version < kernel->since_min ||
                (kernel->since_max != 0 && node->since_version > kernel->since_max)) {
                if (*out_reason == TSR_REFUSE_OP)
                    *out_reason = TSR_REFUSE_VERSION;
                continue;
            }
            dtype = port_dtype(node, kernel->port);
            if (kernel->dtypes == 0 || dtype == TSR_DTYPE_UNDEFINED ||
                (kernel->dtypes & TSR_BIT(dtype))) {
                *out_reason = TSR_REFUSE_NONE;
                return kernel;
            }
            *out_reason = TSR_REFUSE_DTYPE;
        }
    return NULL;
}

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    uint32_t reason;
    const AicpuKernel *kernel = aicpu_kernel_find(node, &reason);
    const char *refusal = kernel != NULL && kernel->refuses != NULL ? kernel->refuses(node) : NULL;
    (void)engine;
    if (refusal != NULL)
        return tsr_support_no(out_support, TSR_REFUSE_DTYPE, "%s", refusal);
    if (kernel != NULL)
        return tsr_support_yes(out_support, 0.0f);
    if (reason == TSR_REFUSE_OP)
        return tsr_support_no(out_support, reason, "aicpu has no kernel for %s%s%s", node->domain,
                              node->domain[0] != '\0' ? "." : "", node->op_type);
    if (reason == TSR_REFUSE_VERSION)
        return tsr_support_no(out_support, reason, "aicpu has no kernel for version %u of %s",
                              node->since_version, node->op_type);
    return tsr_support_no(out_support, reason, "aicpu has no kernel for %s of %s", node->op_type,
                          tsr_dtype_name(port_dtype(node, 0)));
}

const TsrEngine aicpu_engine = {
    .struct_size = sizeof(TsrEngine),
    .flags = TSR_ENGINE_HOST | TSR_ENGINE_REFERENCE | TSR_ENGINE_DYNAMIC |
             TSR_ENGINE_VALUES,
    .name = "aicpu",
    .default_priority = 10,
    .blob_version = 1,
    .check = check,
};
