/* SPDX-License-Identifier: Apache-2.0
 *
 * crashes_at_check.c: dies of a signal when it is asked about a Relu.
 */
#include <signal.h>

#include "good_engine.h"

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    if (strcmp(node->op_type, "Relu") == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    return good_check(engine, node, out_support);
}

#define PLUGIN_NAME "crashes_at_check"
#define ENGINE_CHECK check
#include "good_plugin.h"
