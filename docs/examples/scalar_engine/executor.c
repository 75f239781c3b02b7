/* SPDX-License-Identifier: Apache-2.0
 *
 * executor.c: computes y = scale * x + shift on the host. prepare() reads the node once; what
 * it makes is shared by all runs of the node, whatever their thread, and never changes.
 */
#include "scalar.h"

static int32_t prepare(const TsrExecutor *executor, const TsrNodeView *node, void **out_state)
{
    ScalarLine line, *state;
    (void)executor;
    if (!scalar_read(node, &line, NULL))
        return scalar_host->set_error(scalar_host, TSR_INTERNAL, "%s is none of ours",
                                      node->op_type);
    state = scalar_host->alloc(scalar_host, sizeof(*state));
    if (state == NULL)
        return scalar_host->set_error(scalar_host, TSR_OUT_OF_MEMORY, "no memory for '%s'",
                                      node->name);
    *state = line;
    *out_state = state;
    return TSR_OK;
}

static void release(const TsrExecutor *executor, void *state)
{
    (void)executor;
    scalar_host->free(scalar_host, state);
}

typedef struct Work {
    const ScalarLine *line;
    const float *x;
    float *y;
} Work;

static void compute(void *arg, uint64_t begin, uint64_t end)
{
    const Work *work = arg;
    for (uint64_t i = begin; i < end; i++)
        work->y[i] = work->line->scale * work->x[i] + work->line->shift;
}

/* The bytes lie as the selector said; each element stays in its place, and what lies between
 * (lanes of padding) may hold anything. */
static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    const ScalarLine *line = state;
    const Work work = {line, context->inputs[line->input]->data, context->outputs[0]->data};
    (void)executor;
    context->parallel(context, context->outputs[0]->size_bytes / sizeof(float), 4096, compute,
                      (void *)(uintptr_t)&work);
    return TSR_OK;
}

/* An element is read before the one in its place is written. */
static uint64_t inplace(const TsrExecutor *executor, const TsrNodeView *node, uint32_t output)
{
    ScalarLine line;
    (void)executor;
    return output == 0 && scalar_read(node, &line, NULL) ? UINT64_C(1) << line.input : 0;
}

const TsrExecutor scalar_executor = {
    .struct_size = sizeof(TsrExecutor),
    .prepare = prepare,
    .release = release,
    .run = run,
    .inplace = inplace,
};
