/* SPDX-License-Identifier: Apache-2.0
 *
 * sinkable.h: whether a graph can become a task list, and if not, why. Asked by task_build.c
 * and, about control flow alone, by whoever lowers it.
 */
#ifndef TSR_BUILD_SINKABLE_H
#define TSR_BUILD_SINKABLE_H

#include "ir/graph.h"

/* The first thing that keeps the graph, its subgraphs included, from being a task list, with
 * the node's name; NULL: nothing does. (transfer full) */
char *tsr_graph_obstacle(const TsrGraph *graph);
/* The same of one node with its subgraphs. (transfer full) */
char *tsr_node_obstacle(const TsrNode *node);

/* Whether the value is a tensor of one type and known shape. */
gboolean tsr_value_is_known(const TsrValue *value);
/* Whether the results of an operator are, and follow from no data; or, if it has subgraphs,
 * whether tasks can follow it. */
gboolean tsr_node_is_known(const TsrNode *node);

/* Index of the subgraph in that attribute of a control flow node, or G_MAXUINT. */
guint tsr_control_subgraph(const TsrNode *node, const char *attribute);
/* Of a TSR_OP_LOOP or TSR_OP_SCAN that has no obstacle: how many of the body's inputs and
 * outputs come before its states. */
guint tsr_control_first_input(const TsrNode *node);
guint tsr_control_first_output(const TsrNode *node);
/* ... and how many states it has. */
guint tsr_control_states(const TsrNode *node);

/* One slice of a tensor along an axis: rows pieces of `bytes` bytes, one of places in each
 * row. */
typedef struct TsrSlices {
    guint64 rows;
    guint64 places;
    guint64 bytes;
    gboolean backward;
} TsrSlices;
/* How a TSR_OP_SCAN cuts scan input `index`, or it or a TSR_OP_LOOP stacks scan output `index`;
 * FALSE: not in whole bytes, or not as the shape says. */
gboolean tsr_control_slices(const TsrNode *node, gboolean output, guint index, TsrSlices *out);
/* Whether the number of rounds is known, as it is of a TSR_OP_SCAN and of a TSR_OP_LOOP that
 * stacks something. */
gboolean tsr_control_rounds(const TsrNode *node, gint64 *out_rounds);

#endif
