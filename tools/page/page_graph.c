/* SPDX-License-Identifier: Apache-2.0
 *
 * page_graph.c: the graph of a report, see page.h. A node's layer is one below the lowest that
 * it reads; what lies side by side could run side by side.
 */
#include "page.h"

enum { WIDTH = 150, HEIGHT = 34, GAP_X = 14, GAP_Y = 26, MARGIN = 10, MOST_DRAWN = 1500 };

typedef struct Drawing {
    GPtrArray *nodes;     /* operators of the outermost graph, in order */
    GHashTable *index;    /* TsrNode -> index + 1 */
    guint *layer;
    guint *column;
    guint layers;
    guint columns;        /* of the widest layer */
} Drawing;

static guint index_of(const Drawing *drawing, const TsrNode *node)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(drawing->index, node));
}

static void place(Drawing *drawing)
{
    g_autofree guint *filled = g_new0(guint, drawing->nodes->len + 1);
    for (guint i = 0; i < drawing->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(drawing->nodes, i);
        guint layer = 0;
        for (guint k = 0; k < node->inputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->inputs, k);
            const guint from = value != NULL ? index_of(drawing, value->producer) : 0;
            if (from != 0 && from - 1 < i)
                layer = MAX(layer, drawing->layer[from - 1] + 1);
        }
        drawing->layer[i] = layer;
        drawing->column[i] = filled[layer]++;
        drawing->layers = MAX(drawing->layers, layer + 1);
        drawing->columns = MAX(drawing->columns, filled[layer]);
    }
}

static guint left(const Drawing *drawing, guint i)
{
    return MARGIN + drawing->column[i] * (WIDTH + GAP_X);
}

static guint top(const Drawing *drawing, guint i)
{
    return MARGIN + drawing->layer[i] * (HEIGHT + GAP_Y);
}

static void draw_edges(GString *out, const Drawing *drawing, guint i)
{
    const TsrNode *node = g_ptr_array_index(drawing->nodes, i);
    for (guint k = 0; k < node->inputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, k);
        const guint from = value != NULL ? index_of(drawing, value->producer) : 0;
        g_autofree char *text = NULL;
        if (from == 0)
            continue;
        text = tsr_desc_to_text(&value->desc.view);
        g_string_append_printf(out, "<path d=\"M%u %uL%u %u\"><title>",
                               left(drawing, from - 1) + WIDTH / 2,
                               top(drawing, from - 1) + HEIGHT, left(drawing, i) + WIDTH / 2,
                               top(drawing, i));
        tsr_page_text(out, value->name);
        g_string_append_c(out, ' ');
        tsr_page_text(out, text);
        g_string_append(out, "</title></path>");
    }
}

static void draw_node(GString *out, const Drawing *drawing, guint i)
{
    const TsrNode *node = g_ptr_array_index(drawing->nodes, i);
    const guint x = left(drawing, i), y = top(drawing, i);
    g_string_append_printf(out,
                           "<g><rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" rx=\"4\" "
                           "fill=\"%s\"/><text x=\"%u\" y=\"%u\">",
                           x, y, WIDTH, HEIGHT, tsr_page_colour(node->engine), x + 5, y + 14);
    tsr_page_text(out, node->def->name);
    g_string_append_printf(out, "</text><text class=\"n\" x=\"%u\" y=\"%u\">", x + 5, y + 27);
    tsr_page_text(out, node->name);
    g_string_append(out, "</text><title>");
    tsr_page_text(out, node->name);
    g_string_append(out, " on ");
    tsr_page_text(out, node->engine != NULL ? node->engine : "no engine");
    g_string_append(out, "</title></g>\n");
}

static void draw(GString *out, const TsrProgram *program)
{
    g_autoptr(GPtrArray) nodes = g_ptr_array_new();
    g_autoptr(GHashTable) index = g_hash_table_new(NULL, NULL);
    g_autofree guint *layer = g_new0(guint, program->nodes->len + 1);
    g_autofree guint *column = g_new0(guint, program->nodes->len + 1);
    Drawing drawing = {nodes, index, layer, column, 0, 0};
    for (guint i = 0; i < program->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(program->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR || node->graph != program->graph)
            continue;
        g_ptr_array_add(nodes, node);
        g_hash_table_insert(index, node, GUINT_TO_POINTER(nodes->len));
    }
    if (nodes->len > MOST_DRAWN) {
        g_string_append_printf(out, "<p>%u nodes are too many for a drawing: see "
                                    "<code>tessera explain --dot</code>.</p>\n",
                               nodes->len);
        return;
    }
    place(&drawing);
    g_string_append_printf(out, "<div class=\"scroll\"><svg class=\"graph\" width=\"%u\" "
                                "height=\"%u\">\n",
                           2 * MARGIN + drawing.columns * (WIDTH + GAP_X),
                           2 * MARGIN + drawing.layers * (HEIGHT + GAP_Y));
    for (guint i = 0; i < nodes->len; i++)
        draw_edges(out, &drawing, i);
    for (guint i = 0; i < nodes->len; i++)
        draw_node(out, &drawing, i);
    g_string_append(out, "</svg></div>\n");
}

static void add_values(GString *out, const GPtrArray *values)
{
    gboolean first = TRUE;
    for (guint i = 0; i < values->len; i++) {
        const TsrValue *value = g_ptr_array_index(values, i);
        g_autofree char *text = NULL;
        if (value == NULL || value->constant != NULL)
            continue;
        text = tsr_desc_to_text(&value->desc.view);
        g_string_append(out, first ? "" : "<br>");
        tsr_page_text(out, text);
        first = FALSE;
    }
}

static void add_row(GString *out, const TsrNode *node)
{
    g_string_append(out, "<tr><td>");
    tsr_page_text(out, node->name);
    g_string_append(out, "</td><td>");
    tsr_page_text(out, node->def->name);
    g_string_append_printf(out, "</td><td style=\"background:%s\">",
                           tsr_page_colour(node->engine));
    tsr_page_text(out, node->engine != NULL ? node->engine : "");
    g_string_append_printf(out, "</td><td>%d</td><td>", node->cluster);
    add_values(out, node->inputs);
    g_string_append(out, "</td><td>");
    add_values(out, node->outputs);
    g_string_append(out, "</td><td>");
    for (guint i = 0; i < node->origin_names->len; i++) {
        g_string_append(out, i != 0 ? ", " : "");
        tsr_page_text(out, g_ptr_array_index(node->origin_names, i));
    }
    g_string_append(out, "</td></tr>\n");
}

void tsr_page_graph(GString *out, const TsrProgram *program)
{
    g_string_append(out, "<h2 id=\"graph\">Graph and placement</h2>\n");
    draw(out, program);
    g_string_append(out, "<details><summary>Nodes, engines, formats</summary><table><tr>"
                         "<th>node<th>operator<th>engine<th>cluster<th>reads<th>makes"
                         "<th>stands for</tr>\n");
    for (guint i = 0; i < program->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(program->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR)
            add_row(out, node);
    }
    g_string_append(out, "</table></details>\n");
}
