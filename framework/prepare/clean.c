/* SPDX-License-Identifier: Apache-2.0
 *
 * clean.c: see clean.h.
 */
#include "prepare/clean.h"

#include <string.h>

/* Values that are outputs of the graph or of any graph below it. */
static void collect_outputs(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->outputs->len; i++)
        g_hash_table_add(data, g_array_index(graph->outputs, TsrGraphOutput, i).value);
}

static gboolean is_dead(const TsrNode *node, GHashTable *outputs)
{
    if (node->kind == TSR_NODE_DATA)
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL &&
            (value->users->len != 0 || g_hash_table_contains(outputs, value)))
            return FALSE;
    }
    return TRUE;
}

static void remove_dead(TsrGraph *graph, GHashTable *outputs)
{
    g_autoptr(GHashTable) needed = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    if (order == NULL)
        return;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->control_inputs->len; k++)
            g_hash_table_add(needed, g_ptr_array_index(node->control_inputs, k));
    }
    /* Users come first, so that a chain falls in one sweep. */
    for (guint i = order->len; i-- > 0;) {
        TsrNode *node = g_ptr_array_index(order, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            remove_dead(g_ptr_array_index(node->subgraphs, s), outputs);
        if (!g_hash_table_contains(needed, node) && is_dead(node, outputs))
            tsr_node_remove(node);
    }
}

void tsr_clean_dead(TsrGraph *graph)
{
    g_autoptr(GHashTable) outputs = g_hash_table_new(NULL, NULL);
    tsr_graph_foreach(graph, collect_outputs, outputs);
    remove_dead(graph, outputs);
}

static void bypass_identities(TsrGraph *graph, gpointer data)
{
    (void)data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        TsrValue *input, *output;
        if (node->kind != TSR_NODE_OPERATOR || strcmp(node->def->name, "Identity") != 0 ||
            node->def->domain[0] != '\0')
            continue;
        input = g_ptr_array_index(node->inputs, 0);
        output = g_ptr_array_index(node->outputs, 0);
        if (input != NULL && output != NULL)
            tsr_value_replace_uses(output, input);
    }
}

void tsr_clean_identities(TsrGraph *graph)
{
    tsr_graph_foreach(graph, bypass_identities, NULL);
}
