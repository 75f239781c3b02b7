/* SPDX-License-Identifier: Apache-2.0
 *
 * changes_its_mind.c: says yes to a Relu, and no when it is asked again.
 */
#include "good_engine.h"

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    static int asked;
    if (strcmp(node->op_type, "Relu") == 0 && asked++ % 2 == 1)
        return tsr_support_no(out_support, TSR_REFUSE_OP, "not this time");
    return good_check(engine, node, out_support);
}

#define PLUGIN_NAME "changes_its_mind"
#define ENGINE_CHECK check
#include "good_plugin.h"
