/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_pass.h: the framework's own passes over what moves and converts elements: they know
 * no engine and run before placement. Named and switched like the fusion passes of plugins.
 */
#ifndef TSR_OPTIMIZE_GRAPH_PASS_H
#define TSR_OPTIMIZE_GRAPH_PASS_H

#include "optimize/fusion.h"

typedef struct TsrGraphPass {
    const char *name;
    const char *description;
    /* One sweep over a graph (not those below it); *out_count is the number of changes. What
     * is no longer read stays for tsr_clean_dead. */
    gboolean (*run)(TsrGraph *graph, const TsrPluginSet *set, guint *out_count, GError **error);
} TsrGraphPass;

/* All passes in their order. */
const TsrGraphPass *const *tsr_graph_passes(guint *out_count);

/* Runs those that are on in the graph and below it, each until it changes nothing; stats
 * (pass_stats.h) gets what each of them did. Errors: a graph that cannot be inferred. */
gboolean tsr_graph_passes_run(TsrGraph *graph, const TsrPluginSet *set,
                              const TsrFusionSwitches *switches, GHashTable *stats,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

extern const TsrGraphPass tsr_pass_transpose_unchanged, tsr_pass_transpose_to_reshape,
    tsr_pass_transpose_merge, tsr_pass_transpose_meet, tsr_pass_cast_unchanged,
    tsr_pass_cast_pair;

/* Whether the node is that operator of the ONNX domain. */
gboolean tsr_node_is_onnx(const TsrNode *node, const char *op);

#endif
