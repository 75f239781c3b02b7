/* SPDX-License-Identifier: Apache-2.0
 *
 * format_select.c: see format_select.h.
 *
 * Nodes are visited in order. Each takes, of the columns with the best score, the one
 * that converts the fewest bytes from the formats its inputs already have. Constants
 * cost nothing: their conversion is folded.
 */
#include "optimize/format_select.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/storage.h"
#include "optimize/transdata.h"
#include "plugin/host.h"

#define COLUMN_CAPACITY 64


static TsrValue *port_value(const TsrNode *node, guint port)
{
    return port < node->inputs->len
               ? g_ptr_array_index(node->inputs, port)
               : g_ptr_array_index(node->outputs, port - node->inputs->len);
}

static gboolean can_store(const TsrValue *value, guint32 format, guint32 c0_lanes)
{
    TsrDesc trial;
    tsr_desc_init(&trial);
    tsr_desc_copy(&trial, &value->desc.view);
    return tsr_desc_set_storage(&trial, format, c0_lanes);
}

static guint32 plain_format(const TsrValue *value)
{
    return value != NULL ? value->desc.view.origin_format : TSR_FORMAT_ND;
}

static gboolean is_plain(const TsrValue *value, guint32 format)
{
    return format == TSR_FORMAT_ND || format == plain_format(value);
}

/* Gives the TSR_FORMAT_ANY ports of a column the one format among those its inputs
 * have that saves most, or the plain one. FALSE when a port cannot be stored so. */
static gboolean resolve_any(const TsrNode *node, const guint32 *column, guint32 any,
                            guint32 c0_lanes, guint32 *out_formats)
{
    guint ports = node->inputs->len + node->outputs->len;
    for (guint i = 0; i < ports; i++) {
        TsrValue *value = port_value(node, i);
        guint32 format = column[i] == TSR_FORMAT_ANY ? any : column[i];
        if (value == NULL)
            format = TSR_FORMAT_ND;
        else if (is_plain(value, format))
            format = plain_format(value);
        else if (!can_store(value, format, c0_lanes))
            return FALSE;
        out_formats[i] = format;
    }
    return TRUE;
}

static guint64 conversion_cost(const TsrNode *node, const guint32 *formats)
{
    guint64 cost = 0;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        guint64 size_bytes;
        if (value == NULL || value->constant != NULL ||
            value->desc.view.storage_format == formats[i])
            continue;
        if (tsr_desc_storage_bytes(&value->desc.view, &size_bytes))
            cost += size_bytes;
    }
    return cost;
}

static void consider(const TsrNode *node, const guint32 *formats, float score, float *best_score,
                     guint64 *best_cost, guint32 *best)
{
    guint64 cost = conversion_cost(node, formats);
    if (score < *best_score || (score == *best_score && cost >= *best_cost))
        return;
    *best_score = score;
    *best_cost = cost;
    memcpy(best, formats, (node->inputs->len + node->outputs->len) * sizeof(*best));
}

static void choose(TsrNode *node, const TsrLoadedPlugin *plugin, guint32 c0_lanes, guint32 *best)
{
    guint ports = node->inputs->len + node->outputs->len;
    g_autofree guint32 *columns = g_new0(guint32, (gsize)COLUMN_CAPACITY * ports + 1);
    g_autofree guint32 *formats = g_new0(guint32, ports + 1);
    float scores[COLUMN_CAPACITY] = {0}, best_score = -G_MAXFLOAT;
    TsrColumnSet set = {.struct_size = sizeof(set), .port_count = ports,
                        .capacity = COLUMN_CAPACITY, .formats = columns, .scores = scores};
    guint64 best_cost = G_MAXUINT64;

    for (guint i = 0; i < ports; i++)
        best[i] = plain_format(port_value(node, i));
    if (plugin->selector->columns(plugin->selector, tsr_node_view(node), &set) != TSR_OK)
        return;
    node->selector = set.selector;
    for (guint32 c = 0; c < MIN(set.count, COLUMN_CAPACITY); c++) {
        const guint32 *column = columns + (gsize)c * ports;
        gboolean any = FALSE;
        for (guint i = 0; i < ports; i++)
            any |= column[i] == TSR_FORMAT_ANY;
        if (resolve_any(node, column, TSR_FORMAT_ND, c0_lanes, formats))
            consider(node, formats, scores[c], &best_score, &best_cost, best);
        for (guint i = 0; any && i < node->inputs->len; i++) {
            const TsrValue *value = g_ptr_array_index(node->inputs, i);
            if (value != NULL && column[i] == TSR_FORMAT_ANY &&
                resolve_any(node, column, value->desc.view.storage_format, c0_lanes, formats))
                consider(node, formats, scores[c], &best_score, &best_cost, best);
        }
    }
}

static const TsrLoadedPlugin *selector_of(const TsrNode *node, const TsrPluginSet *set)
{
    const TsrRankedEngine *ranked =
        node->engine != NULL ? tsr_plugin_set_find_engine(set, node->engine) : NULL;
    const char *word;
    if (ranked == NULL || ranked->plugin->selector == NULL)
        return NULL;
    word = g_hash_table_lookup(set->conf->selectors, ranked->plugin->name);
    return word != NULL && strcmp(word, "off") == 0 ? NULL : ranked->plugin;
}

static gboolean is_static(const TsrNode *node)
{
    for (guint i = 0; i < node->inputs->len + node->outputs->len; i++) {
        const TsrValue *value = port_value(node, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return FALSE;
    }
    return TRUE;
}

/* Brings one node's inputs to the formats it chose and marks its outputs. */
static gboolean apply(TsrNode *node, const guint32 *formats, TsrTransInserter *inserter,
                      guint32 c0_lanes, GError **error)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i), *converted;
        if (value == NULL || value->desc.view.storage_format == formats[i])
            continue;
        converted = tsr_trans_convert(inserter, node->graph, value, formats[i], node->engine,
                                      error);
        if (converted == NULL)
            return FALSE;
        tsr_node_set_input(node, i, converted);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        guint32 format = formats[node->inputs->len + i];
        if (value == NULL || tsr_desc_set_storage(&value->desc, format, c0_lanes))
            continue;
        g_set_error(error, TSR_ERROR, TSR_INTERNAL, "'%s' cannot be stored as %s", value->name,
                    tsr_format_name(format));
        return FALSE;
    }
    return TRUE;
}

/* Outputs of the graph, and what subgraphs read, are plain. */
static gboolean restore_borders(TsrGraph *graph, TsrTransInserter *inserter, GError **error)
{
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        TsrValue *value = output->value;
        if (value->desc.view.storage_format == value->desc.view.origin_format ||
            value->producer->graph != graph)
            continue;
        value = tsr_trans_convert(inserter, graph, value, value->desc.view.origin_format,
                                  value->producer->engine, error);
        if (value == NULL)
            return FALSE;
        output->value = value;
    }
    return TRUE;
}

static gboolean restore_captured(TsrGraph *root, TsrGraph *graph, TsrTransInserter *inserter,
                                 GError **error)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; graph != root && k < node->inputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->inputs, k);
            if (value == NULL || value->desc.view.storage_format ==
                                     value->desc.view.origin_format)
                continue;
            value = tsr_trans_convert(inserter, value->producer->graph, value,
                                      value->desc.view.origin_format, value->producer->engine,
                                      error);
            if (value == NULL)
                return FALSE;
            tsr_node_set_input(node, k, value);
        }
        for (guint s = 0; s < node->subgraphs->len; s++) {
            TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
            for (guint k = 0; k < subgraph->outputs->len; k++) {
                TsrGraphOutput *output = &g_array_index(subgraph->outputs, TsrGraphOutput, k);
                if (output->value->desc.view.storage_format ==
                    output->value->desc.view.origin_format)
                    continue;
                output->value = tsr_trans_convert(
                    inserter, output->value->producer->graph, output->value,
                    output->value->desc.view.origin_format, output->value->producer->engine,
                    error);
                if (output->value == NULL)
                    return FALSE;
            }
            if (!restore_captured(root, subgraph, inserter, error))
                return FALSE;
        }
    }
    return TRUE;
}

gboolean tsr_format_select(TsrGraph *graph, const TsrPluginSet *set, guint32 c0_lanes,
                           TsrFormatReport *out_report, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    TsrTransInserter *inserter;
    gboolean done = order != NULL;
    if (!done)
        return FALSE;
    inserter = tsr_trans_inserter_new(set, c0_lanes);
    for (guint i = 0; i < order->len && done; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        const TsrLoadedPlugin *plugin =
            node->kind == TSR_NODE_OPERATOR ? selector_of(node, set) : NULL;
        g_autofree guint32 *formats = NULL;
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        formats = g_new0(guint32, node->inputs->len + node->outputs->len + 1);
        if (plugin != NULL && is_static(node))
            choose(node, plugin, c0_lanes, formats);
        else
            for (guint p = 0; p < node->inputs->len + node->outputs->len; p++)
                formats[p] = plain_format(port_value(node, p));
        done = apply(node, formats, inserter, c0_lanes, error);
    }
    done = done && restore_borders(graph, inserter, error) &&
           restore_captured(graph, graph, inserter, error);
    tsr_trans_inserter_finish(inserter, out_report);
    return done;
}
