/* SPDX-License-Identifier: Apache-2.0
 *
 * lies_about_operator.c: says yes to every operator and runs three.
 */
#include "good_engine.h"

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)engine;
    (void)node;
    return tsr_support_yes(out_support, 0.0f);
}

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    if (!good_takes(context->node))
        return context->fail(context, TSR_UNSUPPORTED, "cannot run %s after all",
                             context->node->op_type);
    return good_run(executor, state, context);
}

#define PLUGIN_NAME "lies_about_operator"
#define ENGINE_CHECK check
#define EXECUTOR_RUN run
#include "good_plugin.h"
