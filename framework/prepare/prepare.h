/* SPDX-License-Identifier: Apache-2.0
 *
 * prepare.h: from an imported graph to one with shapes, without constants to
 * compute, dead branches and dead code.
 */
#ifndef TSR_PREPARE_PREPARE_H
#define TSR_PREPARE_PREPARE_H

#include "ir/graph.h"
#include "plugin/loader.h"

/* Infers, folds and cleans the graph and every subgraph. reference folds constants;
 * NULL: nothing is folded. Errors: as of inference and folding. */
gboolean tsr_prepare_graph(TsrGraph *graph, const TsrLoadedPlugin *reference, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Folds what tsr_prepare_graph left for later (TSR_OP_FOLD_LATE), and what depends on it.
 * Does nothing in graphs without such nodes. Errors: as above. */
gboolean tsr_prepare_late(TsrGraph *graph, const TsrLoadedPlugin *reference, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
