/* SPDX-License-Identifier: Apache-2.0
 *
 * place.h: gives every operator node an engine, within the user's pins: the first in the
 * effective order that supports it or, where the configuration says so, the one with which
 * the whole graph costs least (place_cost.h). Every refusal is kept on the node.
 */
#ifndef TSR_ENGINE_PLACE_H
#define TSR_ENGINE_PLACE_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

/* Places the nodes of the graph and below it, forms clusters (cluster.h) and has the
 * engines confirm them; a refused cluster goes on to the next engine. Errors:
 * UNSUPPORTED lists every node that nobody takes, with each engine's reason; a pin
 * that cannot be met. */
gboolean tsr_place_graph(TsrGraph *graph, const TsrPluginSet *set, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Whether every pin that was given for this session (not by the configuration, which serves
 * any model) means a node of the graph. Errors: NOT_FOUND with the name that may be meant. */
gboolean tsr_place_check_pins(TsrGraph *graph, const TsrPluginSet *set, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Places one node that a pass made, asking preferred first (may be NULL). */
gboolean tsr_place_node(TsrNode *node, const TsrPluginSet *set, const char *preferred,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What an engine of the set says of a node, without noting it: TRUE for yes, with a cost of 0
 * where it says none that can be; FALSE with code and reason. */
gboolean tsr_place_ask(TsrNode *node, const TsrRankedEngine *ranked, TsrSupport *out_support);

/* What the engines that the nodes of the graph have now cost, in microseconds, with what
 * passes between them. */
double tsr_place_cost(TsrGraph *graph, const TsrPluginSet *set);

/* Makes a node as it was before it was placed. */
void tsr_place_forget(TsrNode *node);

/* Operator nodes that are not on the engine of highest rank, by operator and reason;
 * NULL when there are none. (transfer full) */
char *tsr_place_fallback_text(TsrGraph *graph, const TsrPluginSet *set);

#endif
