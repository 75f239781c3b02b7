/* SPDX-License-Identifier: Apache-2.0
 *
 * sort.c: the topological order of a graph. A node waits for the producers of
 * what it reads, of what its subgraphs capture, and for its control inputs.
 */
#include "base/error.h"
#include "ir/graph.h"

typedef struct Sorter {
    TsrGraph *graph;
    GHashTable *waiting;   /* node -> number of producers not done */
    GHashTable *followers; /* node -> GPtrArray of nodes that wait for it */
    GHashTable *seen;      /* producers counted for the node at hand */
} Sorter;

static void wait_for(Sorter *sorter, TsrNode *node, TsrNode *producer)
{
    GPtrArray *list;
    if (producer == NULL || producer->graph != sorter->graph || producer == node ||
        !g_hash_table_add(sorter->seen, producer))
        return;
    list = g_hash_table_lookup(sorter->followers, producer);
    if (list == NULL) {
        list = g_ptr_array_new();
        g_hash_table_insert(sorter->followers, producer, list);
    }
    g_ptr_array_add(list, node);
    g_hash_table_insert(
        sorter->waiting, node,
        GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(sorter->waiting, node)) + 1));
}

/* Waits for what the reader (the node itself, or one inside its subgraphs) reads. */
static void wait_for_reads(Sorter *sorter, TsrNode *node, TsrNode *reader)
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL)
            wait_for(sorter, node, value->producer);
    }
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        TsrGraph *subgraph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            wait_for_reads(sorter, node, g_ptr_array_index(subgraph->nodes, i));
        for (guint i = 0; i < subgraph->outputs->len; i++)
            wait_for(sorter, node,
                     g_array_index(subgraph->outputs, TsrGraphOutput, i).value->producer);
    }
}

static gint by_index(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return ((const TsrNode *)a)->index < ((const TsrNode *)b)->index ? -1 : 1;
}

GPtrArray *tsr_graph_sort(TsrGraph *graph, GError **error)
{
    Sorter sorter = {graph, g_hash_table_new(NULL, NULL),
                     g_hash_table_new_full(NULL, NULL, NULL,
                                           (GDestroyNotify)g_ptr_array_unref),
                     g_hash_table_new(NULL, NULL)};
    GPtrArray *order = g_ptr_array_sized_new(graph->nodes->len);
    GSequence *ready = g_sequence_new(NULL);

    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        node->index = i;
        g_hash_table_remove_all(sorter.seen);
        wait_for_reads(&sorter, node, node);
        for (guint c = 0; c < node->control_inputs->len; c++)
            wait_for(&sorter, node, g_ptr_array_index(node->control_inputs, c));
        if (!g_hash_table_contains(sorter.waiting, node))
            g_sequence_insert_sorted(ready, node, by_index, NULL);
    }
    while (!g_sequence_is_empty(ready)) {
        GSequenceIter *first = g_sequence_get_begin_iter(ready);
        TsrNode *node = g_sequence_get(first);
        GPtrArray *list = g_hash_table_lookup(sorter.followers, node);
        g_sequence_remove(first);
        g_ptr_array_add(order, node);
        for (guint i = 0; list != NULL && i < list->len; i++) {
            TsrNode *next = g_ptr_array_index(list, i);
            guint left = GPOINTER_TO_UINT(g_hash_table_lookup(sorter.waiting, next)) - 1;
            g_hash_table_insert(sorter.waiting, next, GUINT_TO_POINTER(left));
            if (left == 0)
                g_sequence_insert_sorted(ready, next, by_index, NULL);
        }
    }
    if (order->len != graph->nodes->len) {
        for (guint i = 0; i < graph->nodes->len; i++) {
            TsrNode *node = g_ptr_array_index(graph->nodes, i);
            if (!g_ptr_array_find(order, node, NULL)) {
                g_autofree char *text = tsr_node_to_text(node);
                g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                            "graph '%s' has a cycle through %s", graph->name, text);
                break;
            }
        }
        g_clear_pointer(&order, g_ptr_array_unref);
    } else {
        for (guint i = 0; i < order->len; i++)
            ((TsrNode *)g_ptr_array_index(order, i))->index = i;
    }
    g_hash_table_unref(sorter.waiting);
    g_hash_table_unref(sorter.followers);
    g_hash_table_unref(sorter.seen);
    g_sequence_free(ready);
    return order;
}
