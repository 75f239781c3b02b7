/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.c: `tessera explain MODEL.onnx`: per node its engine, the reason of every
 * refusal, its formats and where they came from, and the conversions.
 */
#include <stdio.h>
#include <tessera/plugin_util.h>

#include "ir/print.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "tools.h"

static const char *code_name(guint32 code)
{
    static const char *const names[] = {"none",    "op",   "version", "dtype",   "shape",
                                        "dynamic", "attr", "value",   "cluster", "user"};
    return code < G_N_ELEMENTS(names) ? names[code] : "unknown";
}

static const char *selector_name(guint32 selector)
{
    static const char *const names[] = {"none", "kernel", "builtin", "customize"};
    return selector < G_N_ELEMENTS(names) ? names[selector] : "unknown";
}

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

static void print_choices(const TsrNode *node)
{
    const guint inputs = node->inputs->len, ports = inputs + node->outputs->len;
    for (guint c = 0; node->choices != NULL && node->choices->len > 1 && c < node->choices->len;
         c++) {
        const TsrFormatChoice *choice = &g_array_index(node->choices, TsrFormatChoice, c);
        printf("    %s column", choice->chosen ? "takes" : "  not");
        for (guint i = 0; i < ports; i++)
            printf("%s %s", i == inputs ? " ->" : "", tsr_format_name(choice->formats[i]));
        printf(", score %g, graph costs %" G_GUINT64_FORMAT " bytes\n", (double)choice->score,
               choice->cost);
    }
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
            tsr_json_string(json, "code", code_name(refusal->code));
            tsr_json_string(json, "reason", refusal->reason);
            json_builder_end_object(json);
        }
        json_builder_end_array(json);
        tsr_json_begin_object(json, "formats");
        tsr_json_string(json, "selector", selector_name(node->selector));
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

static void text_nodes(TsrGraph *graph, gpointer data)
{
    (void)data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        printf("%s%s%s '%s'\n    on %s by %s, cluster %d", node->def->domain,
               node->def->domain[0] != '\0' ? "::" : "", node->def->name, node->name,
               node->engine, node->placed_by != NULL ? node->placed_by : "a pass",
               node->cluster);
        printf(", formats (%s%s%s):", selector_name(node->selector),
               node->selector_name != NULL ? " of " : "",
               node->selector_name != NULL ? node->selector_name : "");
        for (guint k = 0; k < node->inputs->len; k++)
            printf(" %s", format_of(g_ptr_array_index(node->inputs, k)));
        printf(" ->");
        for (guint k = 0; k < node->outputs->len; k++)
            printf(" %s", format_of(g_ptr_array_index(node->outputs, k)));
        printf("\n");
        if (node->selector_fault != NULL)
            printf("    dropped: %s\n", node->selector_fault);
        print_choices(node);
        for (guint k = 0; k < node->refusals->len; k++) {
            const TsrRefusal *refusal = &g_array_index(node->refusals, TsrRefusal, k);
            printf("    refused by %s (%s): %s\n", refusal->engine, code_name(refusal->code),
                   refusal->reason);
        }
        for (guint k = 0; k < node->origin_names->len; k++)
            printf("    %s '%s'\n", k == 0 ? "stands for" : "and",
                   (const char *)g_ptr_array_index(node->origin_names, k));
    }
}

static void print_json(TsrGraph *graph, const TsrCompileReport *report)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_begin_array(json, "nodes");
    tsr_graph_foreach(graph, json_nodes, json);
    json_builder_end_array(json);
    tsr_json_int(json, "clusters", report->clusters);
    tsr_json_int(json, "transdata", report->formats.transdata);
    tsr_json_int(json, "converted_bytes", (gint64)report->formats.converted_bytes);
    tsr_json_begin_object(json, "format_cost");
    tsr_json_int(json, "chosen", (gint64)report->formats.cost);
    tsr_json_int(json, "propagated", (gint64)report->formats.cost_propagated);
    tsr_json_int(json, "plain", (gint64)report->formats.cost_plain);
    json_builder_end_object(json);
    tsr_report_json(json, report);
    json_builder_end_object(json);
    tsr_json_print(json);
}

static int explain(const TsrToolOptions *options, TsrSession *session, const char *path,
                   gboolean dot)
{
    g_autoptr(TsrCompileReport) report = tsr_compile_report_new();
    TsrToolCompile compile = {0};
    GError *error = NULL;
    g_autoptr(TsrGraph) graph = tsr_options_import(options, session, path, &error);
    gboolean done;
    done = graph != NULL && tsr_options_fill(options, &compile, &error) &&
           tsr_compile_graph(session, graph, &compile.options, report, &error);
    tsr_tool_compile_clear(&compile);
    if (!done)
        return tsr_tool_fail(error);
    tsr_report_warn(report);
    if (dot) {
        g_autofree char *text = tsr_graph_to_dot(graph);
        fputs(text, stdout);
    } else if (options->json) {
        print_json(graph, report);
    } else {
        tsr_graph_foreach(graph, text_nodes, NULL);
        printf("storage formats cost %" G_GUINT64_FORMAT " bytes (conversions, and what lower "
               "scores weigh); %" G_GUINT64_FORMAT " by propagation alone, %" G_GUINT64_FORMAT
               " in plain storage\n",
               report->formats.cost, report->formats.cost_propagated,
               report->formats.cost_plain);
    }
    return TSR_EXIT_DONE;
}

int tsr_tool_explain(int argc, char **argv)
{
    TsrToolOptions options = {0};
    gboolean dot = FALSE;
    const GOptionEntry own[] = {
        {"dot", 0, 0, G_OPTION_ARG_NONE, &dot, "prints GraphViz", NULL},
        {0},
    };
    g_autoptr(TsrSession) session = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, own, TRUE, "MODEL.onnx",
                           "Tells why each node of a model is where it is.", 1, 1))
        status = TSR_EXIT_USAGE;
    else if ((session = tsr_options_session(&options)) != NULL)
        status = explain(&options, session, argv[1], dot);
    tsr_options_clear(&options);
    return status;
}
