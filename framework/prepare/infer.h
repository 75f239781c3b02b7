/* SPDX-License-Identifier: Apache-2.0
 *
 * infer.h: dtype and shape of a node's outputs, by its definition's infer function
 * or follow rule. The compiler infers whole graphs; the host executor infers one
 * node again with the shapes and values of a run.
 */
#ifndef TSR_PREPARE_INFER_H
#define TSR_PREPARE_INFER_H

#include "ir/value_dims.h"

/* Infers a subgraph for the given inputs; see TsrInferContext.infer_subgraph. */
typedef gboolean (*TsrInferSubgraphFn)(gpointer user, guint32 index,
                                       const TsrTensorDesc *const *inputs, guint32 input_count,
                                       const TsrTensorDesc *const **out_outputs,
                                       guint32 *out_output_count, GError **error);

/* Of a graph that is compiled: where inference keeps what only a run knows. */
typedef struct TsrInferDims {
    const TsrNode *node;     /* of a graph, whose subgraphs may be looked at */
    TsrDims *table;
    TsrValue *const *inputs; /* of the node; NULL where one is omitted */
    TsrValueDims *outputs;   /* filled; rank and element_count as the caller left them where
                                nothing is said */
} TsrInferDims;

/* Fills outputs[view->output_count] (initialised descs; not wanted ones are ignored).
 * Only values of inputs that the definition declares are shown to it. dims NULL: every extent is
 * a number or unknown. infer_subgraph NULL: asking for a subgraph is an error.
 * Errors: INVALID_ARGUMENT names operator, node, input descriptors. */
gboolean tsr_infer_view(const TsrOpDef *def, const TsrNodeView *view, TsrDesc *outputs,
                        const TsrInferDims *dims, TsrInferSubgraphFn infer_subgraph,
                        gpointer user, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Infers a whole subgraph whose inputs have their descriptors. */
typedef gboolean (*TsrInferGraphFn)(TsrGraph *graph, gpointer user, GError **error);

/* Infers one operator node of a graph and writes its values' descriptors; subgraphs
 * that it asks for go through infer_graph. */
gboolean tsr_infer_node(TsrNode *node, TsrInferGraphFn infer_graph, gpointer user,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Infers every node in order, subgraphs where their nodes ask for them. A
 * TsrInferGraphFn; user is passed on. */
gboolean tsr_infer_graph(TsrGraph *graph, gpointer user, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
