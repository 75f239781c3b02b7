/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.c: `tessera explain MODEL.onnx`: for each node its engine and why not another one,
 * formats and where they came from, conversions, and what passes between engines.
 */
#include <stdio.h>
#include <tessera/plugin_util.h>

#include "explain.h"
#include "options.h"
#include "report.h"
#include "tools.h"

/* Names on one line, before the rest is only counted. */
enum { NAMES_MAX = 12 };

static const char *format_of(const TsrValue *value)
{
    return value != NULL ? tsr_format_name(value->desc.view.storage_format) : "omitted";
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
        printf(", formats (%s%s%s):", tsr_selector_kind_name(node->selector),
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
            printf("    refused by %s (%s): %s\n", refusal->engine, tsr_refusal_name(refusal->code),
                   refusal->reason);
        }
        for (guint k = 0; k < node->origin_names->len; k++)
            printf("    %s '%s'\n", k == 0 ? "stands for" : "and",
                   (const char *)g_ptr_array_index(node->origin_names, k));
    }
}

static void print_placement(const TsrExplained *explained)
{
    printf("\nEvery engine about every node, when it was placed:\n");
    for (guint i = 0; i < explained->report->placed->len; i++) {
        const TsrPlacedNode *placed = g_ptr_array_index(explained->report->placed, i);
        const GPtrArray *became = g_hash_table_lookup(explained->became, placed->name);
        printf("  %s%s%s '%s'%s\n", placed->domain, placed->domain[0] != '\0' ? "::" : "",
               placed->op, placed->name, placed->made ? ", which a pass made" : "");
        for (guint k = 0; k < placed->verdicts->len; k++) {
            const TsrVerdict *verdict = &g_array_index(placed->verdicts, TsrVerdict, k);
            if (verdict->kind == TSR_VERDICT_CHOSEN)
                printf("    on %s: %s\n", verdict->engine, verdict->reason);
            else if (verdict->kind == TSR_VERDICT_REFUSED)
                printf("    not %s (%s): %s\n", verdict->engine,
                       tsr_refusal_name(verdict->code), verdict->reason);
            else
                printf("    not %s: %s\n", verdict->engine, verdict->reason);
        }
        for (guint k = 0; became != NULL && k < became->len; k++)
            if (strcmp(g_ptr_array_index(became, k), placed->name) != 0)
                printf("    is now part of '%s'\n", (const char *)g_ptr_array_index(became, k));
        if (became == NULL)
            printf("    was removed later\n");
    }
}

static void print_gone(const TsrExplained *explained)
{
    const guint count = explained->gone->len;
    if (count == 0)
        return;
    printf("\n%u of the model's %u nodes are computed while it is compiled, or nobody reads "
           "them:",
           count, explained->report->imported->len);
    for (guint i = 0; i < MIN(count, NAMES_MAX); i++)
        printf("%s '%s'", i != 0 ? "," : "",
               (const char *)g_ptr_array_index(explained->gone, i));
    printf("%s\n", count > NAMES_MAX ? ", ... (--json has all)" : "");
}

static void print_absent(const TsrExplained *explained)
{
    if (explained->absent->len != 0)
        printf("\nEngines that no node can have:\n");
    for (guint i = 0; i < explained->absent->len; i++) {
        const TsrAbsentEngine *absent = &g_array_index(explained->absent, TsrAbsentEngine, i);
        printf("  %s (plugin %s, %s): %s\n", absent->name, absent->plugin, absent->state,
               absent->reason);
    }
}

static void print_crossings(const TsrExplained *explained)
{
    guint64 bytes = 0;
    if (explained->conversions->len != 0)
        printf("\nConversions:\n");
    for (guint i = 0; i < explained->conversions->len; i++) {
        const TsrConversion *conversion =
            &g_array_index(explained->conversions, TsrConversion, i);
        g_autofree char *text = tsr_conversion_to_text(conversion);
        printf("  '%s' on %s: %s, %" G_GUINT64_FORMAT " bytes\n", conversion->from->name,
               conversion->node->engine, text, conversion->bytes);
    }
    for (guint i = 0; i < explained->borders->len; i++)
        bytes += g_array_index(explained->borders, TsrBorder, i).bytes;
    printf("\n%u clusters; %u values pass between engines, %" G_GUINT64_FORMAT
           " bytes of known size\n",
           explained->report->clusters, explained->borders->len, bytes);
    for (guint i = 0; i < explained->borders->len; i++) {
        const TsrBorder *border = &g_array_index(explained->borders, TsrBorder, i);
        printf("  '%s' from %s to %s, %" G_GUINT64_FORMAT " bytes\n", border->value->name,
               border->from, border->to, border->bytes);
    }
}

void tsr_explain_print_text(const TsrExplained *explained)
{
    const TsrFormatReport *formats = &explained->report->formats;
    tsr_graph_foreach(explained->graph, text_nodes, NULL);
    print_placement(explained);
    print_gone(explained);
    print_absent(explained);
    print_crossings(explained);
    printf("storage formats cost %" G_GUINT64_FORMAT " bytes (conversions, and what lower "
           "scores weigh); %" G_GUINT64_FORMAT " by propagation alone, %" G_GUINT64_FORMAT
           " in plain storage\n",
           formats->cost, formats->cost_propagated, formats->cost_plain);
}

static int explain(const TsrToolOptions *options, TsrSession *session, const char *path,
                   gboolean dot)
{
    g_autoptr(TsrCompileReport) report = tsr_compile_report_new();
    TsrToolCompile compile = {0};
    TsrExplained explained;
    GError *error = NULL;
    g_autoptr(TsrGraph) graph = tsr_options_import(options, session, path, &error);
    gboolean done;
    tsr_compile_report_ask_all(report);
    done = graph != NULL && tsr_options_fill(options, &compile, &error) &&
           tsr_compile_graph(session, graph, &compile.options, report, &error);
    tsr_tool_compile_clear(&compile);
    if (!done)
        return tsr_tool_fail(error);
    tsr_report_warn(report);
    tsr_explained_init(&explained, graph, session->set, report);
    if (dot)
        tsr_explain_print_dot(&explained);
    else if (options->json)
        tsr_explain_print_json(&explained);
    else
        tsr_explain_print_text(&explained);
    tsr_explained_clear(&explained);
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
