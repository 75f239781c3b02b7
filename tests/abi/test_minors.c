/* SPDX-License-Identifier: Apache-2.0
 *
 * test_minors.c: a plugin with the smaller structs of an older minor version, and one with the
 * larger structs of a newer one, load, are listed, and compute right numbers. Application side
 * only: tessera.h and the shared library.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <tessera/tessera.h>

#include "../support/check_main.h"

/* A session over the plugin of that name and the reference engine. */
static TsrSession *open_session(const char *name)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    g_autofree char *folder = g_dir_make_tmp("tessera_test_XXXXXX", NULL);
    g_autofree char *conf = g_build_filename(folder, "plugins.conf", NULL);
    g_autofree char *text =
        g_strdup_printf("[tessera]\nsearch_path=%s;%s\n[plugins]\n%s=on\naicpu=on\n",
                        NEIGHBOURS_DIR, PLUGINS_DIR, name);
    GError *error = NULL;
    TsrSession *session;
    g_file_set_contents(conf, text, -1, &error);
    ck_assert_ptr_null(error);
    options.plugins_conf = conf;
    session = tsr_session_new(&options, &error);
    ck_assert_msg(session != NULL, "%s", error != NULL ? error->message : "");
    for (const char *const *at = tsr_session_warnings(session); *at != NULL; at++)
        ck_abort_msg("warning: %s", *at);
    return session;
}

/* y = Twice(Twice(x), times=5) = 10 x */
static void ck_computes(const char *name)
{
    g_autoptr(TsrSession) session = open_session(name);
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "neighbour");
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrArray) x = NULL, y = NULL;
    const gint64 shape[] = {3};
    const float data[] = {1.0f, -2.5f, 7.0f};
    GError *error = NULL;
    TsrValue *value = tsr_build_input(graph, "x", 1, 1, shape, &error);
    value = tsr_build_node(graph, "example.neighbour::Twice", "first",
                           (TsrValue *const[]){value, NULL}, NULL, &error);
    ck_assert_msg(value != NULL, "%s", error != NULL ? error->message : "");
    value = tsr_build_node(graph, "example.neighbour::Twice", "second",
                           (TsrValue *const[]){value, NULL}, "times=5", &error);
    ck_assert_msg(value != NULL, "%s", error != NULL ? error->message : "");
    tsr_build_output(graph, "y", value);
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_assert_msg(model != NULL, "%s", error != NULL ? error->message : "");
    x = tsr_array_create_from(1, 1, shape, data, sizeof(data), &error);
    ck_assert_msg(tsr_model_run(model, &x, &y, &error), "%s",
                  error != NULL ? error->message : "");
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(((const float *)tsr_array_data(y))[i], 10.0f * data[i]);
}

START_TEST(older)
{
    ck_computes("neighbour_older");
}
END_TEST

START_TEST(ours)
{
    ck_computes("neighbour_same");
}
END_TEST

START_TEST(newer)
{
    ck_computes("neighbour_newer");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("minors");
    tcase_add_test(tcase, older);
    tcase_add_test(tcase, ours);
    tcase_add_test(tcase, newer);
    tcase_set_timeout(tcase, 60);
    return check_main("minors", tcase);
}
