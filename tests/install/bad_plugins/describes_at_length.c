/* SPDX-License-Identifier: Apache-2.0
 *
 * describes_at_length.c: writes a hundred bytes about a cluster, whatever room there is.
 */
#include "good_engine.h"

static int32_t describe(const TsrEngine *engine, const TsrNodeView *const *nodes,
                        uint32_t node_count, char *out_text, uint32_t capacity)
{
    (void)engine;
    (void)nodes;
    (void)node_count;
    (void)capacity;
    memset(out_text, 'a', 99);
    out_text[99] = '\0';
    return TSR_OK;
}

#define PLUGIN_NAME "describes_at_length"
#define ENGINE_DESCRIBE describe
#include "good_plugin.h"
