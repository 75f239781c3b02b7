/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conf.c: every key of plugins.conf, and what is refused in it.
 */
#include "fixture.h"

static TsrConf *load(const char *text, GError **error)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = fixture_file(directory, "plugins.conf", text, -1);
    return tsr_conf_load(path, error);
}

START_TEST(every_key)
{
    GError *error = NULL;
    g_autoptr(TsrConf) conf = load("[tessera]\n"
                                   "search_path=sub;/abs/dir;\n"
                                   "device=dev\n"
                                   "fallback=strict\n"
                                   "[plugins]\n"
                                   "one=on\n"
                                   "two=off\n"
                                   "[engines]\n"
                                   "priority= One ;TWO;\n"
                                   "[fusion]\n"
                                   "default=off\n"
                                   "conv_add=on\n"
                                   "[selectors]\n"
                                   "one=off\n"
                                   "[pins.op]\n"
                                   "Softmax=two\n"
                                   "[pins.node]\n"
                                   "my/node:0=one\n",
                                   &error);
    const char *sub;
    ck_no_error(error);
    ck_assert(g_path_is_absolute(conf->path));
    ck_assert_uint_eq(conf->search_path->len, 2);
    sub = g_ptr_array_index(conf->search_path, 0);
    ck_assert(g_path_is_absolute(sub) && g_str_has_suffix(sub, "/sub")); /* of the file */
    ck_assert_str_eq(g_ptr_array_index(conf->search_path, 1), "/abs/dir");
    ck_assert_str_eq(conf->device, "dev");
    ck_assert_str_eq(conf->fallback, "strict");
    ck_assert_uint_eq(conf->plugins->len, 2);
    ck_assert_str_eq(g_ptr_array_index(conf->plugins, 1), "two");
    ck_assert(g_hash_table_contains(conf->switched_off, "two"));
    ck_assert(!g_hash_table_contains(conf->switched_off, "one"));
    ck_assert_uint_eq(conf->priority->len, 2);
    ck_assert_str_eq(g_ptr_array_index(conf->priority, 0), "one");
    ck_assert_str_eq(g_ptr_array_index(conf->priority, 1), "two");
    ck_assert_str_eq(g_hash_table_lookup(conf->fusion, "*"), "off");
    ck_assert_str_eq(g_hash_table_lookup(conf->fusion, "conv_add"), "on");
    ck_assert_str_eq(g_hash_table_lookup(conf->selectors, "one"), "off");
    ck_assert_str_eq(tsr_pins_find(conf->pins, "any", "", "Softmax")->engine, "two");
    ck_assert_str_eq(tsr_pins_find(conf->pins, "my/node:0", "", "Softmax")->engine, "one");
    ck_assert_ptr_null(tsr_pins_find(conf->pins, "any", "", "Relu"));
}
END_TEST

START_TEST(empty_file)
{
    GError *error = NULL;
    g_autoptr(TsrConf) conf = load("", &error);
    ck_no_error(error);
    ck_assert_uint_eq(conf->plugins->len, 0);
    ck_assert_uint_eq(conf->priority->len, 0);
    ck_assert_ptr_null(conf->device);
    ck_assert_ptr_null(conf->fallback);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"[tessera]\nserch_path=x\n", "[tessera] serch_path: unknown key"},
        {"[engine]\npriority=a\n", "[engine] priority: unknown group"},
        {"[engines]\npriorities=a\n", "[engines] priorities: 'a' is not off, allow"},
        {"[tessera]\nfallback=never\n", "'never' is not strict, warn or silent"},
        {"[tessera]\nplacement=best\n", "placement: 'best' is not priority or cost"},
        {"[tessera]\nmin_cluster_nodes=0\n", "'0' is not a number of nodes from 1 to"},
        {"[plugins]\na=yes\n", "[plugins] a: 'yes' is not on or off"},
        {"[fusion]\ndefault=1\n", "[fusion] default: '1' is not on or off"},
        {"[selectors]\na=\n", "[selectors] a: '' is not on or off"},
        {"[tessera]\ndevice=\\q\n", "device"},
        {"[engines]\npriority=\\q\n", "priority"},
        {"[tessera]\nsearch_path=\\q\n", "search_path"},
        {"[pins.op]\nAdd=\\q\n", "Add"},
        {"[pins.node]\nn=\\q\n", "n"},
        {"[plugins]\na=\\q\n", "a"},
        {"no group\n", "configuration '"},
        {"[plugins\n", "configuration '"},
        {"key=value\n", "configuration '"},
        {"[tessera]\ndevice=\xff\xfe\n", "device"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        GError *error = NULL;
        TsrConf *conf = load(rows[i].text, &error);
        ck_assert_msg(conf == NULL, "row %zu was taken", i);
        ck_error(error, TSR_INVALID_ARGUMENT, rows[i].part);
    }
}
END_TEST

START_TEST(no_file)
{
    GError *error = NULL;
    ck_assert_ptr_null(tsr_conf_load("/nonexistent/plugins.conf", &error));
    ck_error(error, TSR_IO, "/nonexistent/plugins.conf");
    ck_assert_ptr_null(tsr_conf_load("/", &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "'/'"); /* there, but no file */
}
END_TEST

/* Cut anywhere, a file is read or refused, never a crash. */
START_TEST(cut_anywhere)
{
    static const char text[] = "[tessera]\nsearch_path=a;b\ndevice=d\nfallback=warn\n[plugins]\n"
                               "a=on\n[engines]\npriority=a\n[fusion]\ndefault=on\n[pins.op]\n"
                               "A=a\n";
    for (gsize size = 0; size < sizeof(text); size++) {
        g_autofree char *cut = g_strndup(text, size);
        GError *error = NULL;
        TsrConf *conf = load(cut, &error);
        ck_assert((conf == NULL) == (error != NULL));
        ck_assert(error == NULL || error->domain == TSR_ERROR);
        g_clear_error(&error);
        tsr_conf_free(conf);
    }
}
END_TEST

START_TEST(default_path)
{
    char *path;
    g_setenv("TESSERA_PLUGINS_CONF", "/some/where.conf", TRUE);
    path = tsr_conf_default_path();
    ck_assert_str_eq(path, "/some/where.conf");
    g_free(path);
    tsr_conf_free(NULL);
}
END_TEST

FIXTURE_MAIN("conf", every_key, empty_file, refused, no_file, cut_anywhere, default_path)
