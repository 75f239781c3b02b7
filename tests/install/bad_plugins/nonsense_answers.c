/* SPDX-License-Identifier: Apache-2.0
 *
 * nonsense_answers.c: answers with words that there are not, a cost that is no number, and
 * a reason without an end.
 */
#include "good_engine.h"

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    int32_t status = good_check(engine, node, out_support);
    if (strcmp(node->op_type, "Relu") == 0) {
        out_support->answer = 77;
        out_support->reason_code = 4000000000u;
        out_support->cost = NAN;
        memset(out_support->reason, 'x', sizeof(out_support->reason));
    }
    return status;
}

static int32_t confirm(const TsrEngine *engine, const TsrNodeView *const *nodes,
                       uint32_t node_count, TsrSupport *out_support)
{
    (void)engine;
    (void)nodes;
    (void)node_count;
    out_support->answer = 78;
    return TSR_OK;
}

#define PLUGIN_NAME "nonsense_answers"
#define ENGINE_CHECK check
#define ENGINE_CONFIRM confirm
#include "good_plugin.h"
