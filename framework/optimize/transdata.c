/* SPDX-License-Identifier: Apache-2.0
 *
 * transdata.c: see transdata.h.
 */
#include "optimize/transdata.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/storage_layout.h"
#include "engine/place.h"
#include "prepare/fold.h"

struct TsrTransInserter {
    const TsrPluginSet *set;
    guint32 c0_lanes;
    GHashTable *made; /* value -> GPtrArray of its conversions */
    TsrFormatReport report;
};

TsrTransInserter *tsr_trans_inserter_new(const TsrPluginSet *set, guint32 c0_lanes)
{
    TsrTransInserter *inserter = g_new0(TsrTransInserter, 1);
    inserter->set = set;
    inserter->c0_lanes = c0_lanes;
    inserter->made = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
    return inserter;
}

void tsr_trans_inserter_finish(TsrTransInserter *inserter, TsrFormatReport *out_report)
{
    *out_report = inserter->report;
    g_hash_table_unref(inserter->made);
    g_free(inserter);
}

static TsrValue *find_made(TsrTransInserter *inserter, const TsrValue *value, guint32 format)
{
    GPtrArray *list = g_hash_table_lookup(inserter->made, value);
    for (guint i = 0; list != NULL && i < list->len; i++) {
        TsrValue *made = g_ptr_array_index(list, i);
        if (made->desc.view.storage_format == format)
            return made;
    }
    return NULL;
}

static void remember(TsrTransInserter *inserter, TsrValue *value, TsrValue *made)
{
    GPtrArray *list = g_hash_table_lookup(inserter->made, value);
    if (list == NULL) {
        list = g_ptr_array_new();
        g_hash_table_insert(inserter->made, value, list);
    }
    g_ptr_array_add(list, made);
}

static gboolean is_trans(const TsrNode *node)
{
    return node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, "TransData") == 0 &&
           strcmp(node->def->domain, "tessera") == 0;
}

/* Computes the conversion of a constant; the reading node then gets a constant. */
static TsrValue *fold(TsrTransInserter *inserter, TsrNode *node, GError **error)
{
    TsrValue *output = g_ptr_array_index(node->outputs, 0), *constant = NULL;
    gboolean folded;
    TsrGraph *graph = node->graph;
    if (!tsr_fold_node(node, tsr_plugin_set_reference(inserter->set), &folded, error))
        return NULL;
    if (!folded)
        return output;
    /* Folding appended the constant. */
    constant = g_ptr_array_index(
        ((TsrNode *)g_ptr_array_index(graph->nodes, graph->nodes->len - 1))->outputs, 0);
    constant->desc.view.storage_format = output->desc.view.storage_format;
    tsr_node_remove(node);
    inserter->report.transdata_folded++;
    return constant;
}

TsrValue *tsr_trans_convert(TsrTransInserter *inserter, TsrGraph *graph, TsrValue *value,
                            guint32 format, const char *engine, GError **error)
{
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, "tessera", "TransData", 1, error);
    g_autofree char *name = NULL;
    TsrValue *source = value, *made;
    TsrNode *node;
    guint64 size_bytes = 0;

    /* Converting back what was converted is reading the original. */
    if (is_trans(value->producer)) {
        source = g_ptr_array_index(value->producer->inputs, 0);
        if (source->desc.view.storage_format == format)
            return source;
    }
    made = find_made(inserter, value, format);
    if (made != NULL || def == NULL)
        return made;
    name = g_strdup_printf("%s_%s", value->name, tsr_format_name(format));
    node = tsr_graph_add_node(graph, def, name, &value, 1, NULL, 1, NULL, 0, NULL, 0, error);
    if (node == NULL)
        return NULL;
    made = g_ptr_array_index(node->outputs, 0);
    tsr_desc_copy(&made->desc, &value->desc.view);
    if (!tsr_desc_set_storage(&made->desc, format, inserter->c0_lanes)) {
        g_set_error(error, TSR_ERROR, TSR_INTERNAL, "'%s' cannot be stored as %s", value->name,
                    tsr_format_name(format));
        return NULL;
    }
    if (value->constant != NULL) {
        made = fold(inserter, node, error);
        if (made == NULL)
            return NULL;
    }
    if (is_trans(made->producer)) {
        if (!tsr_place_node(made->producer, inserter->set, engine, error)) {
            g_prefix_error(error, "converting '%s' from %s to %s: ", value->name,
                           tsr_format_name(value->desc.view.storage_format),
                           tsr_format_name(format));
            return NULL;
        }
        if (tsr_storage_same_bytes(&value->desc.view, &made->desc.view)) {
            remember(inserter, value, made);
            return made;
        }
        inserter->report.transdata++;
        if (tsr_desc_storage_bytes(&value->desc.view, &size_bytes))
            inserter->report.converted_bytes += size_bytes;
    }
    remember(inserter, value, made);
    return made;
}
