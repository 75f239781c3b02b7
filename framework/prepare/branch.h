/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.h: an If whose condition is known becomes the nodes of the branch taken.
 */
#ifndef TSR_PREPARE_BRANCH_H
#define TSR_PREPARE_BRANCH_H

#include "ir/graph.h"

/* Moves the nodes of the branch taken into the node's graph and lets its users read
 * them. FALSE when the node is no If or its condition is not constant. The node and
 * the other branch are left for dead-code removal. Source: ONNX If. */
gboolean tsr_branch_inline(TsrNode *node);

#endif
