/* SPDX-License-Identifier: Apache-2.0
 *
 * print.h: a graph as text to read and to compare, and as .dot to draw.
 */
#ifndef TSR_IR_PRINT_H
#define TSR_IR_PRINT_H

#include "ir/graph.h"

/* One node with the graphs below it. (transfer full) */
char *tsr_node_to_line(TsrNode *node);

/* tsr_graph_to_text (tessera.h): one line a node: engine, operator, name, outputs with
 * descriptors, inputs, attributes; subgraphs indented; deterministic.
 * tsr_graph_to_dot: nodes coloured by engine, subgraphs as clusters. */

#endif
