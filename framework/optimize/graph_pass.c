/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_pass.c: the order of the framework's passes; see graph_pass.h. What vanishes alone
 * goes first, then what vanishes in pairs, last what has to be moved to meet its pair.
 */
#include "optimize/graph_pass.h"

#include <string.h>

#include "optimize/pass_stats.h"
#include "prepare/clean.h"

const TsrGraphPass *const *tsr_graph_passes(guint *out_count)
{
    static const TsrGraphPass *const passes[] = {
        &tsr_pass_cast_unchanged,       &tsr_pass_cast_pair,
        &tsr_pass_transpose_unchanged,  &tsr_pass_transpose_merge,
        &tsr_pass_transpose_to_reshape, &tsr_pass_transpose_meet,
    };
    *out_count = G_N_ELEMENTS(passes);
    return passes;
}

static gboolean run_pass(TsrGraph *graph, const TsrGraphPass *pass, const TsrPluginSet *set,
                         GHashTable *stats, guint *total, GError **error)
{
    const gint before = tsr_pass_stats_nodes(graph);
    guint count = 1, changes = 0;
    while (count != 0) {
        if (!pass->run(graph, set, &count, error)) {
            g_prefix_error(error, "pass '%s': ", pass->name);
            return FALSE;
        }
        changes += count;
        if (count != 0)
            tsr_clean_dead(graph);
    }
    tsr_pass_stats_add(stats, pass->name, changes, before - tsr_pass_stats_nodes(graph));
    *total += changes;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            if (!run_pass(g_ptr_array_index(node->subgraphs, s), pass, set, stats, total,
                          error))
                return FALSE;
    }
    return TRUE;
}

/* One pass makes work for another (a merged Transpose may keep the order), so all of them
 * repeat until none changes anything. */
gboolean tsr_graph_passes_run(TsrGraph *graph, const TsrPluginSet *set,
                              const TsrFusionSwitches *switches, GHashTable *stats,
                              GError **error)
{
    guint count, changes = 1;
    const TsrGraphPass *const *passes = tsr_graph_passes(&count);
    while (changes != 0) {
        changes = 0;
        for (guint i = 0; i < count; i++) {
            if (!tsr_fusion_is_on(passes[i]->name, TRUE, set->conf, switches))
                continue;
            if (!run_pass(graph, passes[i], set, stats, &changes, error))
                return FALSE;
        }
    }
    return TRUE;
}

gboolean tsr_node_is_onnx(const TsrNode *node, const char *op)
{
    return node->kind == TSR_NODE_OPERATOR && node->def->domain[0] == '\0' &&
           strcmp(node->def->name, op) == 0;
}
