/* SPDX-License-Identifier: Apache-2.0
 *
 * prints_at_load.c: greets the user while it is started, between the lines of whoever
 * parses the output.
 */
#include "good_engine.h"

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    (void)host;
    puts("thank you for choosing prints_at_load");
    return TSR_OK;
}

#define PLUGIN_NAME "prints_at_load"
#define PLUGIN_INIT init
#include "good_plugin.h"
