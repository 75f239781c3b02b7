/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster.h: groups neighbouring nodes of one engine into convex clusters: no path
 * leaves a cluster and comes back.
 */
#ifndef TSR_ENGINE_CLUSTER_H
#define TSR_ENGINE_CLUSTER_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

/* Numbers the clusters of one graph in TsrNode.cluster; returns how many. */
guint tsr_cluster_form(TsrGraph *graph);

/* Forms clusters in the graph and below it and asks each engine to confirm its own.
 * FALSE when one refused: its nodes have lost their engine and carry the refusal. */
gboolean tsr_cluster_confirm(TsrGraph *graph, const TsrPluginSet *set)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
