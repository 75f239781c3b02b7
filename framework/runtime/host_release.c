/* SPDX-License-Identifier: Apache-2.0
 *
 * host_release.c: see host_release.h.
 */
#include "runtime/host_release.h"

TsrLastUses *tsr_last_uses_new(void)
{
    return g_hash_table_new(NULL, NULL);
}

void tsr_last_uses_note(TsrLastUses *uses, TsrValue *value, guint place)
{
    g_hash_table_insert(uses, value, GUINT_TO_POINTER(place + 1));
}

static void note_reads(TsrLastUses *uses, const TsrGraph *graph, const TsrNode *reader,
                       guint place)
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL && value->producer->graph == graph)
            tsr_last_uses_note(uses, value, place);
    }
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        const TsrGraph *subgraph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            note_reads(uses, graph, g_ptr_array_index(subgraph->nodes, i), place);
        for (guint i = 0; i < subgraph->outputs->len; i++) {
            TsrValue *value = g_array_index(subgraph->outputs, TsrGraphOutput, i).value;
            if (value->producer->graph == graph)
                tsr_last_uses_note(uses, value, place);
        }
    }
}

void tsr_last_uses_note_node(TsrLastUses *uses, const TsrGraph *graph, const TsrNode *node,
                             guint place)
{
    for (guint k = 0; k < node->outputs->len; k++)
        if (g_ptr_array_index(node->outputs, k) != NULL)
            tsr_last_uses_note(uses, g_ptr_array_index(node->outputs, k), place);
    note_reads(uses, graph, node, place);
}

static void ids_unref(gpointer ids)
{
    if (ids != NULL)
        g_array_unref(ids);
}

GPtrArray *tsr_last_uses_lists(TsrLastUses *uses, const TsrGraph *graph, guint places)
{
    GPtrArray *lists = g_ptr_array_new_with_free_func(ids_unref);
    GHashTableIter iter;
    gpointer value, place;
    for (guint i = 0; i < graph->outputs->len; i++)
        g_hash_table_remove(uses, g_array_index(graph->outputs, TsrGraphOutput, i).value);
    g_ptr_array_set_size(lists, (gint)places);
    g_hash_table_iter_init(&iter, uses);
    while (g_hash_table_iter_next(&iter, &value, &place)) {
        gpointer *list = &g_ptr_array_index(lists, GPOINTER_TO_UINT(place) - 1);
        if (((TsrValue *)value)->producer->kind == TSR_NODE_CONSTANT)
            continue;
        if (*list == NULL)
            *list = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_val((GArray *)*list, ((TsrValue *)value)->id);
    }
    return lists;
}
