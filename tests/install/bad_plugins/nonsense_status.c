/* SPDX-License-Identifier: Apache-2.0
 *
 * nonsense_status.c: fails with a status that there is not, and says nothing.
 */
#include "good_engine.h"

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    return strcmp(node->op_type, "Relu") == 0 ? -12345 : good_check(engine, node, out_support);
}

#define PLUGIN_NAME "nonsense_status"
#define ENGINE_CHECK check
#include "good_plugin.h"
