/* SPDX-License-Identifier: Apache-2.0
 *
 * remembers_runs.c: adds to every Sigmoid how often it has run.
 */
#include "good_engine.h"

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    static int runs;
    float *to = context->outputs[0]->data;
    good_run(executor, state, context);
    if (context->node->op_type[0] != 'S')
        return TSR_OK;
    for (int64_t i = 0; i < tsr_desc_elements(context->inputs[0]->desc); i++)
        to[i] += (float)runs;
    runs++;
    return TSR_OK;
}

#define PLUGIN_NAME "remembers_runs"
#define EXECUTOR_RUN run
#include "good_plugin.h"
