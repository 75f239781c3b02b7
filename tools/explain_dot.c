/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_dot.c: `tessera explain --dot`: the graph for GraphViz. A node has the colour of its
 * engine (the legend says which), conversions are diamonds, values that pass from one engine
 * to another are thick and red, and a node's tooltip says why it is where it is and nowhere
 * else.
 */
#include <stdio.h>
#include <tessera/plugin_util.h>

#include "explain.h"

/* Qualitative colours that letters can be read on. */
static const char *const colours[] = {"#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc",
                                      "#d9d2e9", "#fce5cd", "#d0e0e3", "#ead1dc"};

typedef struct Drawing {
    const TsrExplained *explained;
    GHashTable *placed; /* name -> TsrPlacedNode, the last of that name */
} Drawing;

static const char *colour_of(const TsrPluginSet *set, const char *engine)
{
    for (guint i = 0; i < set->engines->len; i++)
        if (g_array_index(set->engines, TsrRankedEngine, i).name == engine)
            return colours[i % G_N_ELEMENTS(colours)];
    return "#ffffff";
}

static char *quote(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *out = g_string_new(NULL);
    for (const char *at = valid; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            g_string_append_c(out, '\\');
        if (*at == '\n')
            g_string_append(out, "\\n");
        else
            g_string_append_c(out, *at);
    }
    return g_string_free(out, FALSE);
}

static void add_verdicts(GString *out, const TsrPlacedNode *placed)
{
    g_string_append_printf(out, "%s '%s'", placed->op, placed->name);
    for (guint i = 0; i < placed->verdicts->len; i++) {
        const TsrVerdict *verdict = &g_array_index(placed->verdicts, TsrVerdict, i);
        g_string_append_printf(out, "\n%s %s: %s",
                               verdict->kind == TSR_VERDICT_CHOSEN ? "on" : "not",
                               verdict->engine, verdict->reason);
    }
    g_string_append_c(out, '\n');
}

/* Of the node and of the model's nodes that it stands for. (transfer full) */
static char *tooltip_of(const Drawing *drawing, const TsrNode *node)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const TsrPlacedNode *own = g_hash_table_lookup(drawing->placed, node->name);
    if (own != NULL)
        add_verdicts(text, own);
    for (guint i = 0; i < node->origin_names->len; i++) {
        const TsrPlacedNode *one =
            g_hash_table_lookup(drawing->placed, g_ptr_array_index(node->origin_names, i));
        if (one != NULL && one != own)
            add_verdicts(text, one);
    }
    if (node->selector_fault != NULL)
        g_string_append(text, node->selector_fault);
    return quote(text->str);
}

static gboolean is_conversion(const TsrExplained *explained, const TsrNode *node)
{
    for (guint i = 0; i < explained->conversions->len; i++)
        if (g_array_index(explained->conversions, TsrConversion, i).node == node)
            return TRUE;
    return FALSE;
}

static void draw_node(const Drawing *drawing, const TsrNode *node)
{
    g_autofree char *name = quote(node->name);
    g_autofree char *tooltip = NULL;
    if (node->kind == TSR_NODE_DATA) {
        printf("  n%p [label=\"%s\" shape=oval];\n", (const void *)node, name);
        return;
    }
    tooltip = tooltip_of(drawing, node);
    printf("  n%p [label=\"%s\\n%s\\n%s\" shape=%s style=filled fillcolor=\"%s\" "
           "tooltip=\"%s\"];\n",
           (const void *)node, node->def->name, name, node->engine,
           is_conversion(drawing->explained, node) ? "diamond" : "box",
           colour_of(drawing->explained->set, node->engine), tooltip);
}

static void draw_edges(const TsrNode *node)
{
    for (guint k = 0; k < node->inputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, k);
        g_autofree char *desc = NULL;
        gboolean border;
        if (value == NULL || value->constant != NULL)
            continue;
        border = value->producer->kind == TSR_NODE_OPERATOR &&
                 value->producer->engine != node->engine;
        desc = tsr_desc_to_text(&value->desc.view);
        printf("  n%p -> n%p [label=\"%s\"%s];\n", (const void *)value->producer,
               (const void *)node, desc, border ? " color=\"#cc0000\" penwidth=2" : "");
    }
    for (guint k = 0; k < node->control_inputs->len; k++)
        printf("  n%p -> n%p [style=dashed];\n", g_ptr_array_index(node->control_inputs, k),
               (const void *)node);
}

static void draw_graph(const Drawing *drawing, const TsrGraph *graph)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_CONSTANT)
            continue;
        draw_node(drawing, node);
        draw_edges(node);
        for (guint s = 0; s < node->subgraphs->len; s++) {
            const TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
            g_autofree char *name = quote(subgraph->name);
            printf("  subgraph cluster_%p {\n  label=\"%s\";\n", (const void *)subgraph, name);
            draw_graph(drawing, subgraph);
            printf("  }\n");
        }
    }
}

void tsr_explain_print_dot(const TsrExplained *explained)
{
    Drawing drawing = {explained, g_hash_table_new(g_str_hash, g_str_equal)};
    for (guint i = 0; i < explained->report->placed->len; i++) {
        TsrPlacedNode *placed = g_ptr_array_index(explained->report->placed, i);
        g_hash_table_insert(drawing.placed, placed->name, placed);
    }
    printf("digraph tessera {\n  rankdir=TB;\n  node [fontsize=10];\n"
           "  subgraph cluster_legend {\n  label=\"engines\";\n");
    for (guint i = 0; i < explained->set->engines->len; i++) {
        const char *name = g_array_index(explained->set->engines, TsrRankedEngine, i).name;
        printf("  legend%u [label=\"%s\" shape=box style=filled fillcolor=\"%s\"];\n", i, name,
               colour_of(explained->set, name));
    }
    printf("  }\n");
    draw_graph(&drawing, explained->graph);
    printf("}\n");
    g_hash_table_unref(drawing.placed);
}
