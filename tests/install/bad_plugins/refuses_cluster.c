/* SPDX-License-Identifier: Apache-2.0
 *
 * refuses_cluster.c: says yes to each node, and no to every cluster of them.
 */
#include "good_engine.h"

static int32_t confirm(const TsrEngine *engine, const TsrNodeView *const *nodes,
                       uint32_t node_count, TsrSupport *out_support)
{
    (void)engine;
    (void)nodes;
    return tsr_support_no(out_support, TSR_REFUSE_CLUSTER, "not these %u together", node_count);
}

#define PLUGIN_NAME "refuses_cluster"
#define ENGINE_CONFIRM confirm
#include "good_plugin.h"
