/* SPDX-License-Identifier: Apache-2.0
 *
 * page_memory.c: the memory of a report, see page.h. Tasks go to the right, addresses up: two
 * pieces that are drawn over each other would be a fault.
 */
#include "page.h"

enum { WIDTH = 1000, HEIGHT = 420, MARGIN = 10 };

static gboolean is_piece(const TsrMemoryRow *row)
{
    return row->address.space == TSR_SPACE_ARENA &&
           (row->kind == TSR_MEMORY_OWN || row->kind == TSR_MEMORY_WORKSPACE);
}

static double scale(guint64 at, guint64 most, guint length)
{
    return most != 0 ? (double)at / (double)most * length : 0.0;
}

static void draw_piece(GString *out, const TsrMemoryTable *table, guint index)
{
    const TsrMemoryRow *row = &g_array_index(table->rows, TsrMemoryRow, index);
    const guint64 all = table->stats.activation_bytes;
    const double x = scale(row->birth, table->tasks->len, WIDTH);
    const double width = scale(row->death - row->birth + 1, table->tasks->len, WIDTH);
    const double y = HEIGHT - scale(row->address.offset + row->size, all, HEIGHT);
    g_autofree char *why = tsr_memory_table_why(table, index);
    g_string_append_printf(out,
                           "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                           "fill=\"hsl(%u 55%% %d%%)\"><title>",
                           MARGIN + x, MARGIN + y, width, scale(row->size, all, HEIGHT),
                           index * 47 % 360, row->kind == TSR_MEMORY_WORKSPACE ? 85 : 70);
    tsr_page_text(out, row->name);
    g_string_append_printf(out, ": %" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT
                                ", tasks %u to %u; ",
                           row->size, row->address.offset, row->birth, row->death);
    tsr_page_text(out, why);
    g_string_append(out, "</title></rect>\n");
}

static void add_row(GString *out, const TsrMemoryTable *table, guint index)
{
    const TsrMemoryRow *row = &g_array_index(table->rows, TsrMemoryRow, index);
    g_autofree char *why = tsr_memory_table_why(table, index);
    g_string_append_printf(out,
                           "<tr><td>%s<td class=\"r\">%" G_GUINT64_FORMAT
                           "<td class=\"r\">%" G_GUINT64_FORMAT "<td>",
                           tsr_memory_space_name(row->address.space), row->address.offset,
                           row->size);
    tsr_page_text(out, row->name);
    g_string_append_printf(out, "<td>%u ", row->birth);
    tsr_page_text(out, tsr_memory_table_task(table, row->birth));
    g_string_append_printf(out, "<td>%u ", row->death);
    tsr_page_text(out, tsr_memory_table_task(table, row->death));
    g_string_append_printf(out, "<td>%s<td>", tsr_memory_kind_name(row->kind));
    tsr_page_text(out, why);
    g_string_append(out, "</tr>\n");
}

void tsr_page_memory(GString *out, const TsrMemoryTable *table)
{
    g_string_append(out, "<h2 id=\"memory\">Memory</h2>\n");
    g_string_append_printf(out,
                           "<p>Activations take %" G_GUINT64_FORMAT " bytes; all that lives at "
                           "once needs %" G_GUINT64_FORMAT ", without reuse it were %"
                           G_GUINT64_FORMAT ". Weights take %" G_GUINT64_FORMAT ".</p>\n",
                           table->stats.activation_bytes, table->stats.lower_bound_bytes,
                           table->stats.no_reuse_bytes, table->stats.weight_bytes);
    if (table->tasks->len == 0 || table->stats.activation_bytes == 0)
        return;
    g_string_append_printf(out, "<svg class=\"memory\" width=\"%d\" height=\"%d\">\n",
                           WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN);
    for (guint i = 0; i < table->rows->len; i++)
        if (is_piece(&g_array_index(table->rows, TsrMemoryRow, i)))
            draw_piece(out, table, i);
    g_string_append_printf(out, "</svg><p>%u tasks to the right, addresses up.</p>\n",
                           table->tasks->len);
    g_string_append(out, "<details><summary>Every tensor</summary><table><tr><th>space"
                         "<th>begin<th>size<th>tensor<th>birth<th>death<th>kind<th>why</tr>\n");
    for (guint i = 0; i < table->rows->len; i++)
        add_row(out, table, i);
    g_string_append(out, "</table></details>\n");
}
