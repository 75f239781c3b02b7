/* SPDX-License-Identifier: Apache-2.0
 *
 * leaks_memory.c: keeps a megabyte of every start and a thousand bytes of every run.
 */
#include "good_engine.h"

static char *volatile lost;

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    (void)host;
    lost = malloc(1 << 20);
    if (lost != NULL)
        memset(lost, 1, 1 << 20);
    return TSR_OK;
}

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    lost = malloc(1000);
    if (lost != NULL)
        memset(lost, 1, 1000);
    return good_run(executor, state, context);
}

#define PLUGIN_NAME "leaks_memory"
#define PLUGIN_INIT init
#define EXECUTOR_RUN run
#include "good_plugin.h"
