/* SPDX-License-Identifier: Apache-2.0
 *
 * exits_at_load.c: ends its process before anybody asks it anything.
 */
#include "good_engine.h"

__attribute__((constructor)) static void library_starts(void)
{
    exit(7);
}

#define PLUGIN_NAME "exits_at_load"
#include "good_plugin.h"
