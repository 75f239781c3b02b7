/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.h: checks the invariants of a graph: every use has a user and the other
 * way round, values come from this graph or one around it, constants have their
 * size, outputs exist, no cycle. Run after import and after every pass.
 */
#ifndef TSR_IR_VERIFY_H
#define TSR_IR_VERIFY_H

#include "ir/graph.h"

/* Errors: INVALID_ARGUMENT names graph, node and value. */
gboolean tsr_graph_verify(TsrGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
