/* SPDX-License-Identifier: Apache-2.0
 *
 * shows_symbols.c: shows a symbol of its own to all other libraries.
 */
#include "good_engine.h"

TSR_EXPORT int parse_everything(void);

int parse_everything(void)
{
    return 1;
}

#define PLUGIN_NAME "shows_symbols"
#include "good_plugin.h"
