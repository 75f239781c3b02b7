/* SPDX-License-Identifier: Apache-2.0
 *
 * page.c: `tessera report MODEL -o FILE.html`: one page with everything about a compiled model.
 */
#include "page.h"

#include <stdio.h>

#include "base/error.h"
#include "inputs.h"
#include "options.h"
#include "tools.h"

void tsr_page_text(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *escaped = g_markup_escape_text(valid, -1);
    g_string_append(out, escaped);
}

const char *tsr_page_colour(const char *engine)
{
    g_autofree char *text = NULL;
    if (engine == NULL)
        return "#ddd";
    text = g_strdup_printf("hsl(%u 60%% 78%%)", g_str_hash(engine) * 137 % 360);
    return g_intern_string(text);
}

static const char style[] =
    "body{font:14px sans-serif;margin:24px;max-width:1100px}"
    "table{border-collapse:collapse;font-size:12px}"
    "td,th{border:1px solid #ccc;padding:2px 6px;text-align:left;vertical-align:top}"
    "td.r{text-align:right}.scroll{overflow:auto;max-height:640px;border:1px solid #ccc}"
    "svg text{font:11px sans-serif}svg text.n{font-size:9px;fill:#444}"
    "svg.graph path{stroke:#999;fill:none}svg.graph rect{stroke:#666}"
    "svg.memory{border:1px solid #ccc}svg.memory rect{stroke:#fff;stroke-width:.3}";

static void add_fact(GString *out, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void add_fact(GString *out, const char *name, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_string_append_printf(out, "<tr><th>%s<td>", name);
    tsr_page_text(out, text);
    g_string_append(out, "</tr>\n");
}

static void add_engines(GString *out, const TsrProgram *program)
{
    g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
    GHashTableIter iter;
    gpointer engine, count;
    for (guint i = 0; i < program->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(program->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && node->engine != NULL)
            g_hash_table_insert(counts, (gpointer)node->engine,
                                GUINT_TO_POINTER(1 + GPOINTER_TO_UINT(g_hash_table_lookup(
                                                         counts, node->engine))));
    }
    g_hash_table_iter_init(&iter, counts);
    while (g_hash_table_iter_next(&iter, &engine, &count))
        add_fact(out, "nodes on", "%s: %u", (const char *)engine, GPOINTER_TO_UINT(count));
}

static void add_summary(GString *out, const TsrProgram *program, const char *path)
{
    g_autofree char *name = g_path_get_basename(path);
    g_string_append(out, "<h1>");
    tsr_page_text(out, name);
    g_string_append(out, "</h1>\n<p><a href=\"#graph\">Graph</a> · <a href=\"#memory\">Memory</a> "
                         "· <a href=\"#timeline\">Timeline</a></p>\n<table>\n");
    add_fact(out, "by", "tessera %s", tsr_version());
    add_fact(out, "device", "%s, %u cores, channel blocks of %u",
             program->device != NULL ? program->device : "none", program->core_count,
             program->c0_lanes);
    add_engines(out, program);
    add_fact(out, "tasks", "%u on %u streams with %u events and %u notifies",
             program->tasks->len, program->stream_count, program->event_count,
             program->notify_count);
    if (!program->is_sink)
        add_fact(out, "no task list",
                 "%s", program->why_not_sink != NULL ? program->why_not_sink : "as compiled");
    g_string_append(out, "</table>\n");
}

/* The program's own tables under their names for people. */
static TsrMemoryTable *table_of(const TsrProgram *program)
{
    TsrMemoryTable *table = tsr_memory_table_new();
    table->stats = program->stats;
    for (guint i = 0; i < program->memory->len; i++) {
        TsrMemoryRow row = g_array_index(program->memory, TsrMemoryRow, i);
        row.name = g_strdup(row.name);
        row.with = g_strdup(row.with);
        row.note = g_strdup(row.note);
        g_array_append_val(table->rows, row);
    }
    for (guint i = 0; i < program->tasks->len; i++)
        g_ptr_array_add(table->tasks,
                        g_strdup(((TsrProgramTask *)g_ptr_array_index(program->tasks, i))->name));
    return table;
}

/* One run to warm up, and one that is recorded; NULL with a reason. (transfer full) */
static TsrProfile *record_run(const TsrToolOptions *options, TsrModel *model, char **inputs,
                              GError **error)
{
    g_autoptr(GPtrArray) arrays =
        tsr_tool_make_inputs(model, inputs, options->input_shapes, error);
    g_autoptr(TsrProfile) profile = NULL;
    const guint count = tsr_model_output_count(model);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, count + 1);
    gboolean done = arrays != NULL && tsr_options_settle(options, model, arrays, error);
    done = done && tsr_model_run(model, (TsrArray *const *)arrays->pdata, outputs, error);
    if (done)
        profile = tsr_profile_new(model, error);
    done = profile != NULL &&
           tsr_model_run(model, (TsrArray *const *)arrays->pdata, outputs, error);
    for (guint i = 0; i < count; i++)
        tsr_array_unref(outputs[i]);
    return done ? g_steal_pointer(&profile) : NULL;
}

static int write_page(const TsrToolOptions *options, TsrSession *session, const char *path,
                      char **inputs, const char *output)
{
    GError *error = NULL;
    g_autoptr(GError) no_run = NULL;
    g_autoptr(TsrModel) model = tsr_options_model(options, session, path, &error);
    g_autoptr(TsrProfile) profile = NULL;
    g_autoptr(TsrMemoryTable) table = NULL;
    g_autoptr(GString) html = g_string_new("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
                                           "<title>");
    const TsrProgram *program;
    if (model == NULL)
        return tsr_tool_fail(error);
    profile = record_run(options, model, inputs, &no_run);
    program = tsr_bound_model_program(model->bound); /* which a plan may have replaced */
    table = table_of(program);
    tsr_page_text(html, path);
    g_string_append_printf(html, "</title><style>%s</style></head><body>\n", style);
    add_summary(html, program, path);
    tsr_page_graph(html, program);
    tsr_page_memory(html, table);
    tsr_page_timeline(html, profile, program, no_run != NULL ? no_run->message : NULL);
    g_string_append(html, "</body></html>\n");
    if (!g_file_set_contents(output, html->str, (gssize)html->len, &error)) {
        GError *named = NULL;
        g_set_error(&named, TSR_ERROR, TSR_IO, "%s", error->message);
        g_error_free(error);
        return tsr_tool_fail(named);
    }
    printf("%s: %zu bytes\n", output, html->len);
    return TSR_EXIT_DONE;
}

int tsr_tool_report(int argc, char **argv)
{
    TsrToolOptions options = {0};
    g_autofree char *output = NULL;
    g_auto(GStrv) inputs = NULL;
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "the page", "FILE.html"},
        {"input", 0, 0, G_OPTION_ARG_STRING_ARRAY, &inputs,
         "NAME=FILE.npy, NAME=FILE.pb, NAME=random[:SEED] or NAME=zeros; repeatable", "NAME=.."},
        {0},
    };
    g_autoptr(TsrSession) session = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, own, TRUE, "MODEL.om|MODEL.onnx",
                           "Writes a page about a compiled model: graph, memory, timeline.", 1, 1))
        status = TSR_EXIT_USAGE;
    else if (output == NULL)
        status = tsr_tool_usage("report: give the page a name with -o FILE.html");
    else if ((session = tsr_options_session(&options)) != NULL)
        status = write_page(&options, session, argv[1], inputs, output);
    tsr_options_clear(&options);
    return status;
}
