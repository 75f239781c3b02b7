/* SPDX-License-Identifier: Apache-2.0
 *
 * place_cost.h: chooses engines for all nodes of a graph at once, so that what the engines
 * say their work costs, and what values cost that pass from one engine to another, are least
 * together. Used by place.c, which knows who may have which node.
 */
#ifndef TSR_ENGINE_PLACE_COST_H
#define TSR_ENGINE_PLACE_COST_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

/* What a node costs on an engine of the set, in microseconds. FALSE when it may not be
 * there. Called once per node and engine. */
typedef gboolean (*TsrPriceFn)(TsrNode *node, const TsrRankedEngine *ranked, gpointer data,
                               double *out_cost);

/* Gives every operator node of the graph (not below it) that some engine may have the engine
 * of the choice with the least cost; the others have none. Exact for two engines, else no
 * worse than any choice that differs from it in one engine's nodes. Clusters of fewer than
 * min_cluster_nodes nodes then go to other engines that may have them, cheapest first, as far
 * as that makes fewer such nodes. */
void tsr_place_by_cost(TsrGraph *graph, const TsrPluginSet *set, guint min_cluster_nodes,
                       TsrPriceFn price, gpointer data);

/* What the engines that the nodes have now cost. */
double tsr_place_cost_of(TsrGraph *graph, const TsrPluginSet *set, TsrPriceFn price,
                         gpointer data);

/* What a node is taken to cost on an engine that does not say: the bytes that it reads and
 * writes, and more on an engine that is right before fast. */
double tsr_place_estimate(const TsrNode *node, const TsrEngine *engine);

#endif
