/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_json.c: `tessera explain --json`: the members are named in docs/cli.md.
 */
#include <tessera/plugin_util.h>

#include "explain.h"
#include "json.h"
#include "report.h"

static const char *format_of(const TsrValue *value)
{
    return value != NULL ? tsr_format_name(value->desc.view.storage_format) : "omitted";
}

static void add_origins(JsonBuilder *json, const char *name, const GPtrArray *values)
{
    tsr_json_begin_array(json, name);
    for (guint i = 0; i < values->len; i++) {
        const TsrValue *value = g_ptr_array_index(values, i);
        json_builder_add_string_value(
            json, value != NULL ? tsr_format_name(value->desc.view.origin_format) : "omitted");
    }
    json_builder_end_array(json);
}

static void add_formats(JsonBuilder *json, const char *name, const GPtrArray *values)
{
    tsr_json_begin_array(json, name);
    for (guint i = 0; i < values->len; i++)
        json_builder_add_string_value(json, format_of(g_ptr_array_index(values, i)));
    json_builder_end_array(json);
}

/* The columns that a node could have taken, each with what the whole graph would then cost. */
static void add_choices(JsonBuilder *json, const TsrNode *node)
{
    const guint ports = node->inputs->len + node->outputs->len;
    tsr_json_begin_array(json, "columns");
    for (guint c = 0; node->choices != NULL && c < node->choices->len; c++) {
        const TsrFormatChoice *choice = &g_array_index(node->choices, TsrFormatChoice, c);
        json_builder_begin_object(json);
        tsr_json_begin_array(json, "formats");
        for (guint i = 0; i < ports; i++)
            json_builder_add_string_value(json, tsr_format_name(choice->formats[i]));
        json_builder_end_array(json);
        tsr_json_double(json, "score", (double)choice->score);
        tsr_json_int(json, "cost", (gint64)choice->cost);
        tsr_json_bool(json, "chosen", choice->chosen);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void json_nodes(TsrGraph *graph, gpointer data)
{
    JsonBuilder *json = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        json_builder_begin_object(json);
        tsr_json_string(json, "name", node->name);
        tsr_json_string(json, "op", node->def->name);
        tsr_json_string(json, "domain", node->def->domain);
        tsr_json_string(json, "engine", node->engine);
        tsr_json_string(json, "placed_by", node->placed_by);
        tsr_json_int(json, "cluster", node->cluster);
        tsr_json_begin_array(json, "refused");
        for (guint k = 0; k < node->refusals->len; k++) {
            const TsrRefusal *refusal = &g_array_index(node->refusals, TsrRefusal, k);
            json_builder_begin_object(json);
            tsr_json_string(json, "engine", refusal->engine);
            tsr_json_string(json, "code", tsr_refusal_name(refusal->code));
            tsr_json_string(json, "reason", refusal->reason);
            json_builder_end_object(json);
        }
        json_builder_end_array(json);
        tsr_json_begin_object(json, "formats");
        tsr_json_string(json, "selector", tsr_selector_kind_name(node->selector));
        tsr_json_string(json, "selected_by",
                        node->selector_name != NULL ? node->selector_name : "");
        tsr_json_string(json, "dropped",
                        node->selector_fault != NULL ? node->selector_fault : "");
        add_formats(json, "inputs", node->inputs);
        add_formats(json, "outputs", node->outputs);
        add_choices(json, node);
        add_origins(json, "origin_inputs", node->inputs);
        add_origins(json, "origin_outputs", node->outputs);
        json_builder_end_object(json);
        tsr_json_begin_array(json, "fused_from");
        for (guint k = 0; k < node->origin_names->len; k++)
            json_builder_add_string_value(json, g_ptr_array_index(node->origin_names, k));
        json_builder_end_array(json);
        json_builder_end_object(json);
    }
}

static void add_verdicts(JsonBuilder *json, const TsrPlacedNode *placed)
{
    tsr_json_begin_array(json, "engines");
    for (guint i = 0; i < placed->verdicts->len; i++) {
        const TsrVerdict *verdict = &g_array_index(placed->verdicts, TsrVerdict, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "engine", verdict->engine);
        tsr_json_string(json, "verdict", tsr_verdict_name(verdict->kind));
        tsr_json_string(json, "code", tsr_refusal_name(verdict->code));
        tsr_json_string(json, "reason", verdict->reason);
        tsr_json_double(json, "cost_us", verdict->cost);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_names(JsonBuilder *json, const char *member, const GPtrArray *names)
{
    tsr_json_begin_array(json, member);
    for (guint i = 0; names != NULL && i < names->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(names, i));
    json_builder_end_array(json);
}

static void add_placement(JsonBuilder *json, const TsrExplained *explained)
{
    tsr_json_begin_array(json, "placement");
    for (guint i = 0; i < explained->report->placed->len; i++) {
        const TsrPlacedNode *placed = g_ptr_array_index(explained->report->placed, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", placed->name);
        tsr_json_string(json, "op", placed->op);
        tsr_json_string(json, "domain", placed->domain);
        tsr_json_string(json, "graph", placed->graph);
        tsr_json_bool(json, "made_by_pass", placed->made);
        tsr_json_string(json, "engine", placed->engine);
        tsr_json_string(json, "placed_by", placed->placed_by);
        tsr_json_int(json, "cluster", (guint64)MAX(placed->cluster, 0));
        add_names(json, "stands_for", placed->origin_names);
        add_names(json, "became", g_hash_table_lookup(explained->became, placed->name));
        add_verdicts(json, placed);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_conversions(JsonBuilder *json, const TsrExplained *explained)
{
    tsr_json_begin_array(json, "conversions");
    for (guint i = 0; i < explained->conversions->len; i++) {
        const TsrConversion *conversion =
            &g_array_index(explained->conversions, TsrConversion, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "node", conversion->node->name);
        tsr_json_string(json, "op", conversion->node->def->name);
        tsr_json_string(json, "engine", conversion->node->engine);
        tsr_json_string(json, "value", conversion->from->name);
        tsr_json_string(json, "from_dtype",
                        tsr_dtype_name(conversion->from->desc.view.dtype));
        tsr_json_string(json, "to_dtype", tsr_dtype_name(conversion->to->desc.view.dtype));
        tsr_json_string(json, "from", format_of(conversion->from));
        tsr_json_string(json, "to", format_of(conversion->to));
        tsr_json_int(json, "bytes", conversion->bytes);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_borders(JsonBuilder *json, const TsrExplained *explained)
{
    tsr_json_begin_array(json, "borders");
    for (guint i = 0; i < explained->borders->len; i++) {
        const TsrBorder *border = &g_array_index(explained->borders, TsrBorder, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "value", border->value->name);
        tsr_json_string(json, "from", border->from);
        tsr_json_string(json, "to", border->to);
        tsr_json_int(json, "bytes", border->bytes);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void add_engines(JsonBuilder *json, const TsrExplained *explained)
{
    tsr_json_begin_array(json, "order");
    for (guint i = 0; i < explained->set->engines->len; i++) {
        const TsrRankedEngine *ranked =
            &g_array_index(explained->set->engines, TsrRankedEngine, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "engine", ranked->name);
        tsr_json_string(json, "source", ranked->source);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    tsr_json_begin_array(json, "absent_engines");
    for (guint i = 0; i < explained->absent->len; i++) {
        const TsrAbsentEngine *absent = &g_array_index(explained->absent, TsrAbsentEngine, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "engine", absent->name);
        tsr_json_string(json, "plugin", absent->plugin);
        tsr_json_string(json, "state", absent->state);
        tsr_json_string(json, "reason", absent->reason);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

void tsr_explain_print_json(const TsrExplained *explained)
{
    const TsrCompileReport *report = explained->report;
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_begin_array(json, "nodes");
    tsr_graph_foreach(explained->graph, json_nodes, json);
    json_builder_end_array(json);
    add_placement(json, explained);
    add_names(json, "gone_before_placement", explained->gone);
    add_engines(json, explained);
    add_conversions(json, explained);
    add_borders(json, explained);
    tsr_json_int(json, "clusters", report->clusters);
    tsr_json_int(json, "transdata", report->formats.transdata);
    tsr_json_int(json, "converted_bytes", report->formats.converted_bytes);
    tsr_json_begin_object(json, "format_cost");
    tsr_json_int(json, "chosen", report->formats.cost);
    tsr_json_int(json, "propagated", report->formats.cost_propagated);
    tsr_json_int(json, "plain", report->formats.cost_plain);
    json_builder_end_object(json);
    tsr_report_json(json, report);
    json_builder_end_object(json);
    tsr_json_print(json);
}
