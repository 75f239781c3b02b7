/* SPDX-License-Identifier: Apache-2.0
 *
 * crashes_at_load.c: dies of a signal while it is started.
 */
#include <signal.h>

#include "good_engine.h"

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    (void)host;
    signal(SIGSEGV, SIG_DFL); /* nor may a sanitizer make something else of it */
    raise(SIGSEGV);
    return TSR_OK;
}

#define PLUGIN_NAME "crashes_at_load"
#define PLUGIN_INIT init
#include "good_plugin.h"
