/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c: see print.h.
 */
#include "ir/print.h"
#include "ir/value_dims.h"

#include <tessera/plugin_util.h>

static void print_attr(GString *out, const TsrAttr *attr)
{
    g_string_append_printf(out, "%s=", attr->name);
    switch (attr->type) {
    case TSR_ATTR_FLOAT:
        g_string_append_printf(out, "%g", (double)attr->f);
        break;
    case TSR_ATTR_INT:
        g_string_append_printf(out, "%" G_GINT64_FORMAT, attr->i);
        break;
    case TSR_ATTR_STRING:
        g_string_append_printf(out, "\"%.*s\"", (int)attr->s.size, attr->s.data);
        break;
    case TSR_ATTR_TENSOR: {
        g_autofree char *text = tsr_desc_to_text(attr->tensor->desc);
        g_string_append(out, text);
        break;
    }
    case TSR_ATTR_GRAPH:
        g_string_append_printf(out, "@%" G_GINT64_FORMAT, attr->i);
        break;
    default:
        g_string_append_c(out, '[');
        for (guint32 i = 0; i < attr->count; i++) {
            if (i != 0)
                g_string_append_c(out, ',');
            if (attr->type == TSR_ATTR_INTS)
                g_string_append_printf(out, "%" G_GINT64_FORMAT, attr->ints[i]);
            else if (attr->type == TSR_ATTR_FLOATS)
                g_string_append_printf(out, "%g", (double)attr->floats[i]);
            else
                g_string_append_printf(out, "\"%.*s\"", (int)attr->strings[i].size,
                                       attr->strings[i].data);
        }
        g_string_append_c(out, ']');
    }
}

static void print_graph(GString *out, TsrGraph *graph, guint depth);

static void print_node(GString *out, TsrNode *node, guint depth)
{
    g_string_append_printf(out, "%*s", (int)depth * 2, "");
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        g_autofree char *desc = value != NULL ? tsr_value_to_text(value) : NULL;
        g_string_append_printf(out, "%s%s%s%s", i != 0 ? ", " : "",
                               value != NULL ? value->name : "_", desc != NULL ? ": " : "",
                               desc != NULL ? desc : "");
    }
    if (node->kind != TSR_NODE_OPERATOR) {
        g_string_append(out, node->kind == TSR_NODE_DATA ? " = data\n" : " = constant\n");
        return;
    }
    g_string_append_printf(out, " = %s%s%s(", node->def->domain,
                           node->def->domain[0] != '\0' ? "::" : "", node->def->name);
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        g_string_append_printf(out, "%s%s", i != 0 ? ", " : "",
                               value != NULL ? value->name : "_");
    }
    g_string_append(out, ")");
    for (guint i = 0; i < node->attrs->len; i++) {
        g_string_append(out, i == 0 ? " {" : ", ");
        print_attr(out, tsr_attr_view(g_ptr_array_index(node->attrs, i)));
        if (i + 1 == node->attrs->len)
            g_string_append_c(out, '}');
    }
    g_string_append_printf(out, " \"%s\"", node->name);
    for (guint i = 0; i < node->control_inputs->len; i++)
        g_string_append_printf(
            out, " after \"%s\"",
            ((const TsrNode *)g_ptr_array_index(node->control_inputs, i))->name);
    if (node->engine != NULL)
        g_string_append_printf(out, " on %s", node->engine);
    g_string_append_c(out, '\n');
    for (guint s = 0; s < node->subgraphs->len; s++)
        print_graph(out, g_ptr_array_index(node->subgraphs, s), depth + 1);
}

static void print_graph(GString *out, TsrGraph *graph, guint depth)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    g_string_append_printf(out, "%*sgraph \"%s\" {\n", (int)depth * 2, "", graph->name);
    for (guint i = 0; order != NULL && i < order->len; i++)
        print_node(out, g_ptr_array_index(order, i), depth + 1);
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        g_string_append_printf(out, "%*soutput %s = %s\n", (int)depth * 2 + 2, "", output->name,
                               output->value->name);
    }
    g_string_append_printf(out, "%*s}\n", (int)depth * 2, "");
}

char *tsr_node_to_line(TsrNode *node)
{
    GString *out = g_string_new(NULL);
    print_node(out, node, 0);
    return g_string_free(out, FALSE);
}

char *tsr_graph_to_text(TsrGraph *graph)
{
    GString *out = g_string_new(NULL);
    print_graph(out, graph, 0);
    return g_string_free(out, FALSE);
}

/* A colour per engine name, stable from run to run. */
static const char *engine_colour(const char *engine)
{
    static const char *const colours[] = {"#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc", "#d9d2e9"};
    return engine != NULL ? colours[g_str_hash(engine) % G_N_ELEMENTS(colours)] : "#ffffff";
}

static void dot_graph(GString *out, TsrGraph *graph)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        g_autofree char *label = g_strescape(node->name, NULL);
        if (node->kind == TSR_NODE_CONSTANT)
            continue;
        if (node->kind == TSR_NODE_DATA)
            g_string_append_printf(out, "  n%p [label=\"%s\" shape=oval];\n", (gpointer)node,
                                   label);
        else
            g_string_append_printf(out,
                                   "  n%p [label=\"%s\\n%s\\n%s\" shape=box style=filled "
                                   "fillcolor=\"%s\"];\n",
                                   (gpointer)node, node->def->name, label,
                                   node->engine != NULL ? node->engine : "",
                                   engine_colour(node->engine));
        for (guint k = 0; k < node->inputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->inputs, k);
            g_autofree char *desc = NULL;
            if (value == NULL || value->constant != NULL)
                continue;
            desc = tsr_value_to_text(value);
            g_string_append_printf(out, "  n%p -> n%p [label=\"%s\"];\n",
                                   (gpointer)value->producer, (gpointer)node, desc);
        }
        for (guint k = 0; k < node->control_inputs->len; k++)
            g_string_append_printf(out, "  n%p -> n%p [style=dashed];\n",
                                   g_ptr_array_index(node->control_inputs, k), (gpointer)node);
        for (guint s = 0; s < node->subgraphs->len; s++) {
            TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
            g_string_append_printf(out, "  subgraph cluster_%p {\n  label=\"%s\";\n",
                                   (gpointer)subgraph, subgraph->name);
            dot_graph(out, subgraph);
            g_string_append(out, "  }\n");
        }
    }
}

char *tsr_graph_to_dot(TsrGraph *graph)
{
    GString *out = g_string_new("digraph tessera {\n  rankdir=TB;\n  node [fontsize=10];\n");
    dot_graph(out, graph);
    g_string_append(out, "}\n");
    return g_string_free(out, FALSE);
}
