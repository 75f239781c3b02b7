/* SPDX-License-Identifier: Apache-2.0
 *
 * prepare.c: see prepare.h. Inference and folding go node by node, since the shape of
 * one node is often the folded value of another.
 */
#include "prepare/prepare.h"

#include <tessera/plugin_util.h>

#include "ir/value_dims.h"
#include "ir/verify.h"
#include "prepare/branch.h"
#include "prepare/clean.h"
#include "prepare/fold.h"
#include "prepare/gradient.h"
#include "prepare/infer.h"

/* What folds constants, and whether it folds those of TSR_OP_FOLD_LATE too. */
typedef struct Folding {
    const TsrLoadedPlugin *reference;
    gboolean late;
} Folding;

static gboolean settle_graph(TsrGraph *graph, gpointer user, GError **error);

/* A subgraph without inputs depends on nothing that inference may still vary, so it
 * is settled for good; one with inputs (a loop body) is only inferred for now. */
static gboolean infer_subgraph(TsrGraph *graph, gpointer user, GError **error)
{
    return graph->inputs->len == 0 ? settle_graph(graph, user, error)
                                   : tsr_infer_graph(graph, user, error);
}

static gboolean has_open_shape(const TsrNode *node)
{
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return TRUE;
    }
    return FALSE;
}

static gboolean settle_node(TsrNode *node, Folding *folding, GError **error)
{
    gboolean folded, settled = FALSE;
    if (!tsr_infer_node(node, infer_subgraph, folding, error))
        return FALSE;
    for (guint s = 0; s < node->subgraphs->len; s++) {
        TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
        if (subgraph->inputs->len == 0)
            continue;
        if (!settle_graph(subgraph, folding, error))
            return FALSE;
        settled = TRUE;
    }
    /* What was folded in a body may tell how often it runs. */
    if (settled && has_open_shape(node) && !tsr_infer_node(node, infer_subgraph, folding, error))
        return FALSE;
    if ((node->def->flags & TSR_OP_FOLD_LATE) != 0 && !folding->late)
        return TRUE;
    return tsr_fold_node(node, folding->reference, &folded, error) &&
           (folded || tsr_fold_elements(node, error));
}

static gboolean settle_graph(TsrGraph *graph, gpointer user, GError **error)
{
    g_autoptr(GHashTable) done = g_hash_table_new(NULL, NULL);
    gboolean again = TRUE;
    while (again) {
        g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
        if (order == NULL)
            return FALSE;
        again = FALSE;
        for (guint i = 0; i < order->len && !again; i++) {
            TsrNode *node = g_ptr_array_index(order, i);
            if (node->kind != TSR_NODE_OPERATOR || !g_hash_table_add(done, node))
                continue;
            /* Inlined nodes are not in this order: sort again. */
            again = tsr_branch_inline(node);
            if (!again && !settle_node(node, user, error))
                return FALSE;
        }
    }
    return TRUE;
}

gboolean tsr_prepare_graph(TsrGraph *graph, const TsrLoadedPlugin *reference, GError **error)
{
    Folding folding = {reference, FALSE};
    /* Before anything is folded: a constant has no derivative to follow. */
    if (!tsr_gradient_expand(graph, error))
        return FALSE;
    tsr_clean_identities(graph);
    tsr_clean_dead(graph);
    tsr_graph_name_inputs(graph);
    if (!settle_graph(graph, &folding, error))
        return FALSE;
    tsr_clean_identities(graph);
    tsr_clean_dead(graph);
    return tsr_graph_verify(graph, error);
}

static void note_late(TsrGraph *graph, gpointer user)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && (node->def->flags & TSR_OP_FOLD_LATE) != 0)
            *(gboolean *)user = TRUE;
    }
}

gboolean tsr_prepare_late(TsrGraph *graph, const TsrLoadedPlugin *reference, GError **error)
{
    Folding folding = {reference, TRUE};
    gboolean any = FALSE;
    tsr_clean_dead(graph);
    tsr_graph_foreach(graph, note_late, &any);
    if (!any)
        return TRUE;
    if (!settle_graph(graph, &folding, error))
        return FALSE;
    tsr_clean_identities(graph);
    tsr_clean_dead(graph);
    return tsr_graph_verify(graph, error);
}
