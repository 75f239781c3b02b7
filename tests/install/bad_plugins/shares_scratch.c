/* SPDX-License-Identifier: Apache-2.0
 *
 * shares_scratch.c: computes in one buffer, whatever thread it is called from.
 */
#include <unistd.h>

#include "good_engine.h"

static float scratch[1 << 16];

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    const size_t size = (size_t)context->outputs[0]->size_bytes;
    if (size > sizeof(scratch))
        return good_run(executor, state, context);
    good_run(executor, state, context);
    memcpy(scratch, context->outputs[0]->data, size);
    usleep(300);
    memcpy(context->outputs[0]->data, scratch, size);
    return TSR_OK;
}

#define PLUGIN_NAME "shares_scratch"
#define EXECUTOR_RUN run
#include "good_plugin.h"
