/* SPDX-License-Identifier: Apache-2.0
 *
 * control_lower.h: turns a node with subgraphs into tasks with jumps. Called by task_build.c,
 * which emits the nodes inside.
 */
#ifndef TSR_BUILD_CONTROL_LOWER_H
#define TSR_BUILD_CONTROL_LOWER_H

#include "build/program.h"
#include "build/symbols.h"

/* Workspaces of a loop: whether it goes on (int32), and how many rounds were (int64), which in a
 * TSR_OP_LOOP is the first input of its body instead. Behind them what next_states sets aside. */
enum { TSR_CONTROL_GO = 0, TSR_CONTROL_COUNTER = 1, TSR_CONTROL_WORKSPACES = 2 };

/* What emits the tasks of a subgraph's nodes. */
typedef gboolean (*TsrEmitGraph)(gpointer user, TsrGraph *graph, GError **error);

/* Appends the tasks of a TSR_OP_BRANCH, TSR_OP_LOOP or TSR_OP_SCAN node without obstacle
 * (sinkable.h):
 *  - a branch: a switch on its condition; each subgraph, whose results are copied to the
 *    node's outputs; in place of one that cannot run (TsrGraph.fault) a host call of the node,
 *    its parameters the number of the subgraph, that ends the run with the reason;
 *  - a loop: its counter and its first states; then, while a switch lets it, the body, whose
 *    results become the states; in the end the states are copied to the outputs. A Scan has
 *    copies of one place in front of the body, and whatever stacks has them behind it; its
 *    number of rounds is known, and its counter asks for nothing else.
 * Constants that the tasks read are stored. */
gboolean tsr_control_lower(TsrProgram *program, TsrSymbols *symbols, TsrNode *node,
                           TsrEmitGraph emit, gpointer user, GError **error);

#endif
