/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_gather.c: what explain.h promises, gathered from a compiled graph and its report.
 */
#include <tessera/plugin_util.h>

#include "explain.h"
#include "ir/desc.h"
#include "plugin/rank.h"

static guint64 bytes_of(const TsrValue *value)
{
    guint64 bytes;
    return tsr_desc_is_static(&value->desc.view) &&
                   tsr_desc_storage_bytes(&value->desc.view, &bytes)
               ? bytes
               : 0;
}

static gboolean is_conversion(const TsrNode *node, GHashTable *imported)
{
    if (node->inputs->len == 0 || g_ptr_array_index(node->inputs, 0) == NULL ||
        node->outputs->len == 0 || g_ptr_array_index(node->outputs, 0) == NULL)
        return FALSE;
    if (strcmp(node->def->name, "TransData") == 0)
        return TRUE;
    return strcmp(node->def->name, "Cast") == 0 && node->origin_names->len == 0 &&
           !g_hash_table_contains(imported, node->name);
}

static void note_borders(TsrExplained *explained, const TsrNode *node)
{
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
        for (guint k = 0; value != NULL && k < value->users->len; k++) {
            const TsrNode *user = g_ptr_array_index(value->users, k);
            TsrBorder border = {value, node->engine, user->engine, bytes_of(value)};
            if (user->kind == TSR_NODE_OPERATOR && user->engine != node->engine &&
                g_hash_table_add(seen, (gpointer)user->engine))
                g_array_append_val(explained->borders, border);
        }
    }
}

static void note_became(GHashTable *became, const char *name, const TsrNode *node)
{
    GPtrArray *names = g_hash_table_lookup(became, name);
    if (names == NULL) {
        names = g_ptr_array_new();
        g_hash_table_insert(became, (gpointer)name, names);
    }
    g_ptr_array_add(names, node->name);
}

typedef struct Gathering {
    TsrExplained *explained;
    GHashTable *imported;
} Gathering;

static void gather_nodes(TsrGraph *graph, gpointer data)
{
    const Gathering *gathering = data;
    TsrExplained *explained = gathering->explained;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        note_borders(explained, node);
        note_became(explained->became, node->name, node);
        for (guint k = 0; k < node->origin_names->len; k++) {
            const char *name = g_ptr_array_index(node->origin_names, k);
            if (strcmp(name, node->name) != 0)
                note_became(explained->became, name, node);
        }
        if (is_conversion(node, gathering->imported)) {
            const TsrValue *to = g_ptr_array_index(node->outputs, 0);
            TsrConversion conversion = {node, g_ptr_array_index(node->inputs, 0), to,
                                        bytes_of(to)};
            g_array_append_val(explained->conversions, conversion);
        }
    }
}

/* The model's nodes that were gone when engines were asked. */
static void gather_gone(TsrExplained *explained)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < explained->report->placed->len; i++) {
        const TsrPlacedNode *node = g_ptr_array_index(explained->report->placed, i);
        g_hash_table_add(known, node->name);
        for (guint k = 0; k < node->origin_names->len; k++)
            g_hash_table_add(known, g_ptr_array_index(node->origin_names, k));
    }
    for (guint i = 0; i < explained->report->imported->len; i++) {
        char *name = g_ptr_array_index(explained->report->imported, i);
        if (!g_hash_table_contains(known, name))
            g_ptr_array_add(explained->gone, name);
    }
}

static void gather_absent(TsrExplained *explained)
{
    for (guint i = 0; i < explained->set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(explained->set->plugins, i);
        TsrAbsentEngine absent = {.plugin = record->name, .name = record->name,
                                  .state = tsr_plugin_state_name(record->state)};
        if (record->state != TSR_PLUGIN_LOADED) {
            absent.reason = g_strdup(record->reason);
        } else if (record->engine != NULL) {
            absent.name = record->engine->name;
            absent.reason = tsr_rank_unused_reason(explained->set, record);
        }
        if (absent.reason != NULL)
            g_array_append_val(explained->absent, absent);
    }
}

static void absent_clear(gpointer data)
{
    g_free(((TsrAbsentEngine *)data)->reason);
}

void tsr_explained_init(TsrExplained *explained, TsrGraph *graph, const TsrPluginSet *set,
                        const TsrCompileReport *report)
{
    Gathering gathering = {explained, g_hash_table_new(g_str_hash, g_str_equal)};
    *explained = (TsrExplained){
        .graph = graph,
        .set = set,
        .report = report,
        .conversions = g_array_new(FALSE, FALSE, sizeof(TsrConversion)),
        .borders = g_array_new(FALSE, FALSE, sizeof(TsrBorder)),
        .absent = g_array_new(FALSE, FALSE, sizeof(TsrAbsentEngine)),
        .gone = g_ptr_array_new(),
        .became = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
                                        (GDestroyNotify)g_ptr_array_unref),
    };
    g_array_set_clear_func(explained->absent, absent_clear);
    for (guint i = 0; i < report->imported->len; i++)
        g_hash_table_add(gathering.imported, g_ptr_array_index(report->imported, i));
    tsr_graph_foreach(graph, gather_nodes, &gathering);
    g_hash_table_unref(gathering.imported);
    gather_gone(explained);
    gather_absent(explained);
}

void tsr_explained_clear(TsrExplained *explained)
{
    g_array_unref(explained->conversions);
    g_array_unref(explained->borders);
    g_array_unref(explained->absent);
    g_ptr_array_unref(explained->gone);
    g_hash_table_unref(explained->became);
}

const char *tsr_selector_kind_name(guint32 selector)
{
    static const char *const names[] = {"none", "kernel", "builtin", "customize"};
    return selector < G_N_ELEMENTS(names) ? names[selector] : "unknown";
}

char *tsr_conversion_to_text(const TsrConversion *conversion)
{
    const TsrTensorDesc *from = &conversion->from->desc.view, *to = &conversion->to->desc.view;
    if (from->dtype != to->dtype)
        return g_strdup_printf("%s -> %s", tsr_dtype_name(from->dtype),
                               tsr_dtype_name(to->dtype));
    return g_strdup_printf("%s %s -> %s", tsr_dtype_name(from->dtype),
                           tsr_format_name(from->storage_format),
                           tsr_format_name(to->storage_format));
}
