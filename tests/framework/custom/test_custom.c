/* SPDX-License-Identifier: Apache-2.0
 *
 * test_custom.c: an operator that is a C function and one that a plugin brings, through
 * the public API alone. The build folder of this test is the first argument; it holds the
 * examples of docs/custom-ops.md.
 */
#include "../../support/check_main.h"
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>

static const char *build_dir;

static char *write_file(const char *name, const char *text)
{
    g_autofree char *dir = g_dir_make_tmp("tessera-custom-XXXXXX", NULL);
    char *path = g_build_filename(dir, name, NULL);
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* plugins.conf with the plugin example and one key file. */
static char *write_conf(const char *key_file)
{
    g_autofree char *root = g_build_filename(build_dir, "..", "..", "..", "plugins", NULL);
    g_autofree char *text =
        g_strdup_printf("[tessera]\nsearch_path=%s;%s\ncustom_ops=%s\n[plugins]\naicpu=on\n"
                        "square=on\n[engines]\npriority=square;aicpu\n",
                        build_dir, root, key_file);
    return write_file("plugins.conf", text);
}

static TsrSession *open_session(const char *key_file, GError **error)
{
    g_autofree char *conf = write_conf(key_file);
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    options.plugins_conf = conf;
    return tsr_session_new(&options, error);
}

static char *example_key_file(void)
{
    return g_build_filename(build_dir, "scale_shift.ini", NULL);
}

START_TEST(test_both_kinds_run)
{
    g_autofree char *key_file = example_key_file();
    g_autoptr(GError) error = NULL;
    g_autoptr(TsrSession) session = open_session(key_file, &error);
    g_autoptr(TsrGraph) graph = NULL;
    g_autoptr(TsrModel) model = NULL;
    const gint64 shape[] = {3};
    const float data[] = {1.0f, -2.0f, 3.0f};
    TsrArray *input, *output = NULL;
    TsrValue *x, *scaled, *squared;
    ck_assert_msg(session != NULL, "%s", error ? error->message : "");
    graph = tsr_session_graph(session, "both");
    x = tsr_build_input(graph, "x", TSR_DTYPE_FLOAT, 1, shape, &error);
    scaled = tsr_build_node(graph, "example::ScaleShift", "scale", (TsrValue *[]){x, NULL},
                            "scale=2 shift=1", &error);
    ck_assert_msg(scaled != NULL, "%s", error ? error->message : "");
    squared = tsr_build_node(graph, "example.square::Square", "square",
                             (TsrValue *[]){scaled, NULL}, NULL, &error);
    ck_assert_msg(squared != NULL, "%s", error ? error->message : "");
    tsr_build_output(graph, "y", squared);
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_assert_msg(model != NULL, "%s", error ? error->message : "");
    input = tsr_array_create_from(TSR_DTYPE_FLOAT, 1, shape, data, sizeof(data), &error);
    ck_assert(tsr_model_run(model, &input, &output, &error));
    for (int i = 0; i < 3; i++) {
        float wanted = (2.0f * data[i] + 1.0f) * (2.0f * data[i] + 1.0f);
        ck_assert_float_eq(((float *)tsr_array_data(output))[i], wanted);
    }
    tsr_array_unref(input);
    tsr_array_unref(output);
}
END_TEST

START_TEST(test_required_attribute_is_checked)
{
    g_autofree char *key_file = example_key_file();
    g_autoptr(GError) error = NULL;
    g_autoptr(TsrSession) session = open_session(key_file, &error);
    g_autoptr(TsrGraph) graph = NULL;
    const gint64 shape[] = {3};
    TsrValue *x;
    ck_assert(session != NULL);
    graph = tsr_session_graph(session, "g");
    x = tsr_build_input(graph, "x", TSR_DTYPE_FLOAT, 1, shape, &error);
    ck_assert_ptr_null(tsr_build_node(graph, "example::ScaleShift", "scale",
                                      (TsrValue *[]){x, NULL}, NULL, &error));
    ck_assert(g_error_matches(error, TSR_ERROR, TSR_INVALID_ARGUMENT));
    ck_assert_msg(strstr(error->message, "'shift'") != NULL, "%s", error->message);
}
END_TEST

/* A change of the example that must be refused, and a word that the error must hold. */
static const struct {
    const char *from;
    const char *to;
    const char *wanted;
} broken[] = {
    {"int64,float,float", "int64,float", "lists 5"},
    {"pointer,pointer", "pointer,float", "'y.data' cannot be passed as float"},
    {"int32(", "double(", "its result"},
    {"int32(", "int32[", "has no parentheses"},
    {"function=scale_shift", "function=nowhere", "nowhere"},
    {"library=scale_shift.so", "library=absent.so", "absent.so"},
    {"x.elements", "x.colour", "'x.colour'"},
    {"x.elements", "z.elements", "'z.elements'"},
    {"dtypes=float\n\n[output", "dtypes=quaternion\n\n[output", "'quaternion'"},
    {"[attribute shift]", "[colour]", "unknown group"},
    {"follow=y=x", "", "follow"},
    {"type=float\n", "type=matrix\n", "'matrix'"},
};

START_TEST(test_broken_key_files)
{
    g_autofree char *key_file = example_key_file();
    g_autofree char *text = NULL;
    g_autofree char *changed = NULL;
    g_autofree char *path = NULL;
    g_autofree char *absolute = NULL;
    g_autoptr(GError) error = NULL;
    GString *work;
    ck_assert(g_file_get_contents(key_file, &text, NULL, NULL));
    work = g_string_new(text);
    g_string_replace(work, broken[_i].from, broken[_i].to, 1);
    ck_assert_str_ne(work->str, text);
    /* The changed file lies elsewhere, so its library is named absolutely. */
    absolute = g_strdup_printf("library=%s/", build_dir);
    g_string_replace(work, "library=", absolute, 1);
    changed = g_string_free(work, FALSE);
    path = write_file("broken.ini", changed);
    ck_assert_ptr_null(open_session(path, &error));
    ck_assert_msg(strstr(error->message, broken[_i].wanted) != NULL, "%s", error->message);
    ck_assert_msg(strstr(error->message, "broken.ini") != NULL, "%s", error->message);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *tcase = tcase_create("custom");
    if (argc < 2)
        return 2;
    build_dir = argv[1];
    tcase_add_test(tcase, test_both_kinds_run);
    tcase_add_test(tcase, test_required_attribute_is_checked);
    tcase_add_loop_test(tcase, test_broken_key_files, 0, G_N_ELEMENTS(broken));
    return check_main("custom", tcase);
}
