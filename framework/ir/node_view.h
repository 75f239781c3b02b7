/* SPDX-License-Identifier: Apache-2.0
 *
 * node_view.h: the memory behind a TsrNodeView. The graph keeps one per node;
 * the host executor makes its own for each run, with that run's shapes.
 */
#ifndef TSR_IR_NODE_VIEW_H
#define TSR_IR_NODE_VIEW_H

#include "ir/graph.h"

typedef struct TsrViewCache {
    TsrNodeView view;
    const TsrTensorDesc **inputs;
    const TsrTensorDesc **outputs;
    const TsrTensor **values;
    const TsrAttr **attrs;
    guint capacity[4];    /* of inputs, outputs, values, attrs */
} TsrViewCache;

/* Fills a view from the node as it is now. Arrays move only when the node has grown, so a
 * view handed out before stays what it was as long as the node does. */
void tsr_view_cache_fill(TsrViewCache *cache, const TsrNode *node);
void tsr_view_cache_clear(TsrViewCache *cache); /* frees the arrays */
void tsr_view_cache_free(TsrViewCache *cache);  /* NULL is a no-op */

#endif
