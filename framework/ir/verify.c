/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.c: see verify.h.
 */
#include "ir/verify.h"

#include "base/error.h"

static gboolean broken(const TsrNode *node, GError **error, const char *what, const char *value)
{
    g_autofree char *text = tsr_node_to_text(node);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "graph '%s': %s: %s '%s'",
                node->graph->name, text, what, value);
    return FALSE;
}

static gboolean encloses(const TsrGraph *outer, const TsrGraph *inner)
{
    while (inner != NULL && inner != outer)
        inner = inner->parent != NULL ? inner->parent->graph : NULL;
    return inner == outer;
}

static guint count_uses(const TsrNode *node, const TsrValue *value)
{
    guint uses = 0;
    for (guint i = 0; i < node->inputs->len; i++)
        uses += g_ptr_array_index(node->inputs, i) == value;
    return uses;
}

static guint count_user(const TsrValue *value, const TsrNode *node)
{
    guint uses = 0;
    for (guint i = 0; i < value->users->len; i++)
        uses += g_ptr_array_index(value->users, i) == node;
    return uses;
}

static gboolean check_inputs(const TsrNode *node, GError **error)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL)
            continue;
        if (!encloses(value->producer->graph, node->graph))
            return broken(node, error, "reads a value of a graph that does not enclose it:",
                          value->name);
        if (count_user(value, node) != count_uses(node, value))
            return broken(node, error, "is not listed as often as it reads", value->name);
    }
    return TRUE;
}

static gboolean check_outputs(const TsrNode *node, GError **error)
{
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value == NULL)
            continue;
        if (value->producer != node || value->output_index != i)
            return broken(node, error, "is not the producer of its output", value->name);
        for (guint u = 0; u < value->users->len; u++)
            if (count_uses(g_ptr_array_index(value->users, u), value) == 0)
                return broken(node, error, "has a user that does not read", value->name);
        if ((node->kind == TSR_NODE_CONSTANT) != (value->constant != NULL))
            return broken(node, error, "constant and data disagree on", value->name);
        if (value->constant != NULL) {
            guint64 wanted;
            if (!tsr_desc_storage_bytes(&value->desc.view, &wanted) ||
                wanted != g_bytes_get_size(value->constant))
                return broken(node, error, "has data of another size than its shape:",
                              value->name);
        }
    }
    return TRUE;
}

gboolean tsr_graph_verify(TsrGraph *graph, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (!check_inputs(node, error) || !check_outputs(node, error))
            return FALSE;
        for (guint s = 0; s < node->subgraphs->len; s++) {
            TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
            if (subgraph->parent != node)
                return broken(node, error, "is not the parent of its subgraph", subgraph->name);
            if (!tsr_graph_verify(subgraph, error))
                return FALSE;
        }
    }
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        if (!encloses(output->value->producer->graph, graph)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "graph '%s': output '%s' comes from a graph that does not enclose it",
                        graph->name, output->name);
            return FALSE;
        }
    }
    return TRUE;
}
