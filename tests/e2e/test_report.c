/* SPDX-License-Identifier: Apache-2.0
 *
 * test_report.c: the page of `tessera report` has every node, every tensor of the memory table
 * and every task of a run, with names that HTML would take for its own; and the command says
 * what it cannot do.
 */
#include <sys/wait.h>

#include "api/session.h"
#include "fixture.h"
#include "page/page.h"

static TsrModel *model_of(TsrSession *session, gboolean dynamic)
{
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "report");
    static const char *const all[] = {"all", NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options), .disable_fusion = all};
    TsrValue *a = fixture_input(graph, "x", SHAPE(dynamic ? -1 : 4, 6));
    GError *error = NULL;
    TsrModel *model;
    a = fixture_node(graph, "Exp", "a<b>&c", VALUES(a), NULL);
    a = fixture_node(graph, "Softmax", "soft", VALUES(a), "axis=1");
    a = fixture_node(graph, "Transpose", "turn", VALUES(a), NULL);
    tsr_build_output(graph, "y", fixture_node(graph, "Neg", "neg", VALUES(a), NULL));
    model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    return model;
}

static guint count(const char *text, const char *part)
{
    guint found = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        found++;
    return found;
}

START_TEST(graph_and_placement)
{
    g_autoptr(TsrSession) session = tsr_session_new(NULL, NULL);
    g_autoptr(TsrModel) model = model_of(session, FALSE);
    g_autoptr(GString) html = g_string_new(NULL);
    tsr_page_graph(html, tsr_bound_model_program(model->bound));
    ck_assert_uint_eq(count(html->str, "<rect "), 4);
    ck_assert_uint_eq(count(html->str, "<path "), 3);
    ck_assert_uint_eq(count(html->str, "<tr><td>"), 4);
    ck_assert_uint_ge(count(html->str, "a&lt;b&gt;&amp;c"), 3);
    ck_assert_uint_eq(count(html->str, "a<b>"), 0);
    ck_assert_uint_eq(count(html->str, ">Softmax<"), 2);
    ck_assert_str_eq(tsr_page_colour("one"), tsr_page_colour("one"));
    ck_assert_str_ne(tsr_page_colour("one"), tsr_page_colour("two"));
}
END_TEST

START_TEST(memory)
{
    g_autoptr(TsrMemoryTable) table = tsr_memory_table_new();
    g_autoptr(GString) html = g_string_new(NULL);
    const TsrMemoryRow rows[] = {
        {g_strdup("one<"), {TSR_SPACE_ARENA, 0, 0}, 64, 0, 1, TSR_MEMORY_OWN, NULL, NULL},
        {g_strdup("two"), {TSR_SPACE_ARENA, 0, 64}, 64, 1, 1, TSR_MEMORY_WORKSPACE, NULL, NULL},
        {g_strdup("view"), {TSR_SPACE_ARENA, 0, 0}, 64, 0, 1, TSR_MEMORY_VIEW, g_strdup("one<"),
         NULL},
    };
    g_array_append_vals(table->rows, rows, G_N_ELEMENTS(rows));
    g_ptr_array_add(table->tasks, g_strdup("first"));
    g_ptr_array_add(table->tasks, g_strdup("second"));
    table->stats.activation_bytes = 128;
    tsr_page_memory(html, table);
    ck_assert_uint_eq(count(html->str, "<rect "), 2);
    /* The second lies in the upper half, over the second task alone. */
    ck_assert_uint_eq(count(html->str, "<rect x=\"510.0\" y=\"10.0\" width=\"500.0\" "
                                       "height=\"210.0\""), 1);
    ck_assert_uint_eq(count(html->str, "<tr><td>"), 3);
    ck_assert_uint_eq(count(html->str, "one<"), 0);
}
END_TEST

static int run(const char *arguments, char **out_text)
{
    g_autofree char *command = g_strdup_printf("%s report %s", TESSERA, arguments);
    g_autofree char *text = NULL;
    int status = 0;
    ck_assert(g_spawn_command_line_sync(command, NULL, out_text != NULL ? out_text : &text,
                                        &status, NULL));
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(the_command)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *page = g_build_filename(directory, "page.html", NULL);
    g_autofree char *good = g_strdup_printf("%s/test_basic_conv_with_padding/model.onnx -o %s",
                                            ONNX_DIR, page);
    g_autofree char *nowhere = g_strdup_printf("%s/test_relu/model.onnx -o %s/none/page.html",
                                               ONNX_DIR, directory);
    g_autofree char *unnamed = g_strdup_printf("%s/test_relu/model.onnx", ONNX_DIR);
    g_autofree char *html = NULL;
    g_autofree char *text = NULL;
    ck_assert_int_eq(run(good, NULL), 0);
    ck_assert(g_file_get_contents(page, &html, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(html, "id=\"graph\""));
    ck_assert_ptr_nonnull(strstr(html, "id=\"memory\""));
    ck_assert_ptr_nonnull(strstr(html, "One run with random inputs here"));
    ck_assert_ptr_null(strstr(html, "http"));
    ck_assert_int_eq(run(nowhere, &text), 1);
    ck_assert_ptr_nonnull(strstr(text, "none/page.html"));
    ck_assert_int_eq(run(unnamed, NULL), 2);
}
END_TEST

START_TEST(no_run)
{
    g_autoptr(TsrSession) session = tsr_session_new(NULL, NULL);
    g_autoptr(TsrModel) model = model_of(session, TRUE);
    g_autoptr(GString) html = g_string_new(NULL);
    tsr_page_timeline(html, NULL, tsr_bound_model_program(model->bound), "x & y");
    ck_assert_ptr_nonnull(strstr(html->str, "There is none: x &amp; y"));
}
END_TEST

FIXTURE_MAIN("report", graph_and_placement, memory, the_command, no_run)
