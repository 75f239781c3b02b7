/* SPDX-License-Identifier: Apache-2.0
 *
 * lies_about_numbers.c: says that it runs a Relu, and lets small negative numbers through.
 */
#include "good_engine.h"

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    const float *x = context->inputs[0]->data;
    float *to = context->outputs[0]->data;
    const int64_t count = tsr_desc_elements(context->inputs[0]->desc);
    if (strcmp(context->node->op_type, "Relu") != 0)
        return good_run(executor, state, context);
    for (int64_t i = 0; i < count; i++)
        to[i] = x[i] > -0.5f ? x[i] : 0.0f;
    return TSR_OK;
}

#define PLUGIN_NAME "lies_about_numbers"
#define EXECUTOR_RUN run
#include "good_plugin.h"
