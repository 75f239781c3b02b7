/* SPDX-License-Identifier: Apache-2.0
 *
 * hangs_at_load.c: never comes back from being started.
 */
#include <unistd.h>

#include "good_engine.h"

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    (void)host;
    for (;;)
        pause();
    return TSR_OK;
}

#define PLUGIN_NAME "hangs_at_load"
#define PLUGIN_INIT init
#include "good_plugin.h"
