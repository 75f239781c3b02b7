/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.c: see branch.h.
 */
#include "prepare/branch.h"

#include <string.h>

static void rename_value(TsrGraph *graph, TsrValue *value)
{
    char *name = tsr_graph_unique_name(graph, value->name);
    g_free(value->name);
    value->name = name;
    value->desc.view.name = name;
    g_hash_table_add(graph->names, g_strdup(name));
}

/* Moves every node of a subgraph without inputs into another graph. */
static void move_nodes(TsrGraph *from, TsrGraph *to)
{
    for (guint i = 0; i < from->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(from->nodes, i);
        node->graph = to;
        for (guint k = 0; k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value != NULL)
                rename_value(to, value);
        }
        g_ptr_array_add(to->nodes, node);
    }
    g_ptr_array_set_size(from->nodes, 0);
    g_hash_table_remove_all(from->names);
}

gboolean tsr_branch_inline(TsrNode *node)
{
    const TsrValue *condition;
    const TsrAttr *branch;
    TsrGraph *taken;
    if (node->kind != TSR_NODE_OPERATOR || strcmp(node->def->name, "If") != 0 ||
        node->def->domain[0] != '\0' || node->inputs->len != 1)
        return FALSE;
    condition = g_ptr_array_index(node->inputs, 0);
    if (condition == NULL || condition->constant == NULL ||
        g_bytes_get_size(condition->constant) < 1)
        return FALSE;
    branch = tsr_node_attr(node, *(const guint8 *)condition->tensor.data != 0 ? "then_branch"
                                                                              : "else_branch");
    if (branch == NULL || branch->i < 0 || branch->i >= (gint64)node->subgraphs->len)
        return FALSE;
    taken = g_ptr_array_index(node->subgraphs, (guint)branch->i);
    if (taken->outputs->len < node->outputs->len || taken->inputs->len != 0)
        return FALSE;
    move_nodes(taken, node->graph);
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL)
            tsr_value_replace_uses(value,
                                   g_array_index(taken->outputs, TsrGraphOutput, i).value);
    }
    return TRUE;
}
