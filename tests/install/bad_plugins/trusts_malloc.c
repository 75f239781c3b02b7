/* SPDX-License-Identifier: Apache-2.0
 *
 * trusts_malloc.c: writes into the memory that it has asked for without looking whether there is
 * any.
 */
#include "good_engine.h"

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    const size_t size = (size_t)context->outputs[0]->size_bytes + 1;
    volatile char *copy = malloc(size);
    for (size_t i = 0; i < size; i++)
        copy[i] = 0;
    free((void *)copy);
    return good_run(executor, state, context);
}

#define PLUGIN_NAME "trusts_malloc"
#define EXECUTOR_RUN run
#include "good_plugin.h"
