/* SPDX-License-Identifier: Apache-2.0
 *
 * prints_at_check.c: tells the user what it is asked.
 */
#include "good_engine.h"

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    fprintf(stderr, "prints_at_check: a %s, is it?\n", node->op_type);
    return good_check(engine, node, out_support);
}

#define PLUGIN_NAME "prints_at_check"
#define ENGINE_CHECK check
#include "good_plugin.h"
