/* SPDX-License-Identifier: Apache-2.0
 *
 * infer.c: inference of the nodes of a graph; see infer.h.
 */
#include "prepare/infer.h"

#include "base/error.h"

typedef struct SubgraphCall {
    TsrNode *node;
    GPtrArray *descs; /* TsrDesc of the outputs handed out last, with symbols */
    TsrInferGraphFn infer_graph;
    gpointer user;
} SubgraphCall;

/* Gives a body's input the shape it is called with, which may have symbols. */
static void set_shape(TsrValue *value, guint32 dtype, const TsrTensorDesc *desc)
{
    TsrValueDims dims = {.rank = desc->rank, .element_count = -1};
    gint64 plain[TSR_MAX_RANK];
    for (guint32 i = 0; desc->rank != TSR_RANK_UNKNOWN && i < desc->rank; i++) {
        dims.extents[i] = desc->shape[i];
        plain[i] = MAX(desc->shape[i], TSR_DIM_UNKNOWN);
    }
    tsr_desc_set(&value->desc, dtype, desc->rank, plain);
    tsr_value_set_dims(value, desc->rank != TSR_RANK_UNKNOWN ? &dims : NULL);
}

static gboolean infer_subgraph_of_node(gpointer user, guint32 index,
                                       const TsrTensorDesc *const *inputs, guint32 input_count,
                                       const TsrTensorDesc *const **out_outputs,
                                       guint32 *out_output_count, GError **error)
{
    SubgraphCall *call = user;
    TsrGraph *graph = g_ptr_array_index(call->node->subgraphs, index);
    GError *fault = NULL;
    if (input_count != graph->inputs->len) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "subgraph '%s' has %u inputs, but gets %u", graph->name, graph->inputs->len,
                    input_count);
        return FALSE;
    }
    for (guint32 i = 0; i < input_count; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        guint32 declared = value->desc.view.dtype;
        set_shape(value, inputs[i]->dtype != 0 ? inputs[i]->dtype : declared, inputs[i]);
        value->desc.view.kind = inputs[i]->kind;
    }
    *out_outputs = NULL;
    *out_output_count = 0;
    if (graph->fault != NULL)
        return TRUE;
    if (!call->infer_graph(graph, call->user, &fault)) {
        if (input_count != 0 || graph->parent != call->node) {
            g_propagate_error(error, fault);
            return FALSE;
        }
        tsr_graph_set_fault(graph, fault->message);
        g_error_free(fault);
        return TRUE;
    }
    g_ptr_array_set_size(call->descs, 0);
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrDesc *desc = g_new0(TsrDesc, 1);
        const TsrValue *value = g_array_index(graph->outputs, TsrGraphOutput, i).value;
        tsr_desc_init(desc);
        tsr_desc_copy(desc, &value->desc.view);
        for (guint32 k = 0; desc->view.rank != TSR_RANK_UNKNOWN && k < desc->view.rank; k++)
            desc->shape[k] = tsr_value_extent(value, k);
        g_ptr_array_add(call->descs, desc);
    }
    *out_outputs = (const TsrTensorDesc *const *)call->descs->pdata;
    *out_output_count = call->descs->len;
    return TRUE;
}

/* Writes what is known of an output beyond its descriptor. What is not known now stays as it
 * was: a fused node knows less than those that it stands for. What only this node's run can tell
 * gets a symbol of its own. Neither holds in a body: other calls bring it other shapes, and other
 * bodies have values of the same names. */
static void keep_dims(TsrValue *value, TsrValueDims *dims)
{
    const guint32 rank = value->desc.view.rank;
    const gboolean outermost = value->producer->graph->parent == NULL;
    const gboolean known = outermost && value->dims != NULL && value->dims->rank == rank;
    if (rank == TSR_RANK_UNKNOWN || rank != dims->rank) {
        tsr_value_set_dims(value, NULL);
        return;
    }
    for (guint32 i = 0; known && i < rank; i++)
        if (dims->extents[i] == TSR_DIM_UNKNOWN)
            dims->extents[i] = value->dims->extents[i];
    tsr_value_set_dims(value, dims);
    for (guint32 i = 0; outermost && i < rank; i++)
        if (tsr_value_extent(value, i) == TSR_DIM_UNKNOWN)
            tsr_value_name_extent(value, i, NULL);
}

gboolean tsr_infer_node(TsrNode *node, TsrInferGraphFn infer_graph, gpointer user,
                        GError **error)
{
    const TsrNodeView *view = tsr_node_view(node);
    g_autofree TsrDesc *outputs = g_new0(TsrDesc, node->outputs->len + 1);
    g_autofree TsrValueDims *known = g_new0(TsrValueDims, node->outputs->len + 1);
    g_autoptr(GPtrArray) descs = g_ptr_array_new_with_free_func(g_free);
    SubgraphCall call = {node, descs, infer_graph, user};
    const TsrInferDims dims = {node, tsr_graph_dims(node->graph),
                               (TsrValue *const *)node->inputs->pdata, known};
    for (guint i = 0; i < node->outputs->len; i++) {
        tsr_desc_init(&outputs[i]);
        known[i].element_count = -1;
    }
    if (!tsr_infer_view(node->def, view, outputs, &dims, infer_subgraph_of_node, &call, error))
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value == NULL)
            continue;
        tsr_desc_copy(&value->desc, &outputs[i].view);
        keep_dims(value, &known[i]);
    }
    return TRUE;
}

gboolean tsr_infer_graph(TsrGraph *graph, gpointer user, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (node->kind == TSR_NODE_OPERATOR && !tsr_infer_node(node, tsr_infer_graph, user, error))
            return FALSE;
    }
    return TRUE;
}
