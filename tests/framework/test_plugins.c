/* SPDX-License-Identifier: Apache-2.0
 *
 * test_plugins.c: loading. Every plugin of tests/plugins/bad is refused with its reason
 * and closed again, the others go on; the order of engines; the device.
 */
#include <dlfcn.h>

#include "fixture.h"
#include "ops/ops.h"
#include "plugin/rank.h"

/* A configuration over the bad plugins and the real ones of the build. (transfer full) */
static char *write_conf(const char *plugins, const char *more)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *text =
        g_strdup_printf("[tessera]\nsearch_path=%s;%s;%s\n[plugins]\n%s%s", directory,
                        BAD_PLUGINS_DIR, PLUGINS_DIR, plugins, more != NULL ? more : "");
    g_autofree char *no_elf = fixture_file(directory, "bad_not_elf.so", "not a library\n", -1);
    g_autofree char *empty = fixture_file(directory, "bad_empty.so", "", 0);
    return fixture_file(directory, "plugins.conf", text, -1);
}

static TsrPluginSet *open_set(const char *conf, const char *const *priority, int fallback,
                              gboolean safe_mode, GError **error)
{
    TsrPluginOptions options = {conf, priority, fallback, safe_mode};
    guint32 count;
    const TsrOps *const *builtin = tsr_ops_builtin(&count);
    return tsr_plugin_set_new(&options, builtin, count, error);
}

static TsrPluginSet *load(const char *plugins, const char *more)
{
    g_autofree char *conf = write_conf(plugins, more);
    GError *error = NULL;
    TsrPluginSet *set = open_set(conf, NULL, -1, FALSE, &error);
    ck_no_error(error);
    return set;
}

static const TsrLoadedPlugin *find(const TsrPluginSet *set, const char *name)
{
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (strcmp(record->name, name) == 0)
            return record;
    }
    ck_abort_msg("no record of '%s'", name);
    return NULL;
}

static gboolean is_warned(const TsrPluginSet *set, const char *part)
{
    for (guint i = 0; i < set->warnings->len; i++)
        if (strstr(g_ptr_array_index(set->warnings, i), part) != NULL)
            return TRUE;
    return FALSE;
}

START_TEST(refused)
{
    static const struct {
        const char *name, *reason;
    } rows[] = {
        {"bad_not_elf", "is not a plugin: "},
        {"bad_empty", "is not a plugin: "},
        {"bad_no_symbol", "does not export tsr_plugin_query"},
        {"bad_wrong_abi", "speaks plugin ABI 2.0, this host speaks 1.0"},
        {"bad_short_descriptor", "descriptor is 8 bytes long"},
        {"bad_no_fields", "lacks mandatory fields: vendor, url"},
        {"bad_other_name", "calls itself 'somebody_else'"},
        {"bad_other_machine", "another machine (16-bit pointers)"},
        {"bad_sanitizer", "sanitizer"},
        {"bad_query_fails", "this host is not good enough"},
        {"bad_init_fails", "the moon is in the wrong phase"},
        {"bad_init_silent", "failed without saying why"},
        {"bad_no_check", "tessera.engine lacks mandatory slots: check"},
        {"bad_host_no_run", "lacks mandatory slots: run (host engine)"},
        {"bad_device_no_build", "lacks mandatory slots: build (device engine)"},
        {"bad_no_device", "names no device"},
        {"bad_bad_selector", "tessera.format_selector lacks mandatory slots: columns"},
        {"bad_bad_device", "tessera.device lacks mandatory slots: open, close, get_info"},
        {"bad_bad_fusion", "fusion pass 0 lacks its name or apply"},
        {"bad_duplicate_op", "is defined by both 'builtin' and 'bad_duplicate_op'"},
        {"bad_bad_ops", "is malformed"},
    };
    g_autoptr(GString) list = g_string_new("bad_fine=on\n");
    g_autoptr(TsrPluginSet) set = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        g_string_append_printf(list, "%s=on\n", rows[i].name);
    set = load(list->str, NULL);
    ck_assert_uint_eq(set->plugins->len, G_N_ELEMENTS(rows) + 1);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const TsrLoadedPlugin *record = find(set, rows[i].name);
        void *open;
        ck_assert_msg(record->state == TSR_PLUGIN_REFUSED, "%s is %s", rows[i].name,
                      tsr_plugin_state_name(record->state));
        ck_assert_msg(strstr(record->reason, rows[i].reason) != NULL, "%s: '%s' lacks '%s'",
                      rows[i].name, record->reason, rows[i].reason);
        ck_assert_msg(is_warned(set, rows[i].name), "no warning names %s", rows[i].name);
        ck_assert(g_path_is_absolute(record->path));
        ck_assert_ptr_null(record->engine);
        ck_assert_ptr_null(record->ops);
        open = dlopen(record->path, RTLD_NOW | RTLD_NOLOAD);
        ck_assert_msg(open == NULL, "%s is still open", rows[i].name);
    }
    /* The one without a fault is there all the same. */
    ck_assert_int_eq(find(set, "bad_fine")->state, TSR_PLUGIN_LOADED);
    ck_assert_uint_eq(set->engines->len, 1);
    ck_assert_ptr_nonnull(tsr_plugin_set_find_engine(set, "BAD_Fine"));
}
END_TEST

START_TEST(missing_and_off)
{
    g_autoptr(TsrPluginSet) set = load("bad_fine=on\nnobody=on\nbad_no_check=off\n", NULL);
    ck_assert_int_eq(find(set, "nobody")->state, TSR_PLUGIN_MISSING);
    ck_assert_ptr_nonnull(strstr(find(set, "nobody")->reason, BAD_PLUGINS_DIR));
    ck_assert(is_warned(set, "'nobody'"));
    ck_assert_int_eq(find(set, "bad_no_check")->state, TSR_PLUGIN_DISABLED);
    ck_assert_ptr_nonnull(strstr(find(set, "bad_no_check")->reason, "switched off"));
    ck_assert(!is_warned(set, "bad_no_check")); /* what the user wants is no warning */
}
END_TEST

START_TEST(no_engine_at_all)
{
    g_autofree char *conf = write_conf("nobody=on\n", NULL);
    GError *error = NULL;
    ck_assert_ptr_null(open_set(conf, NULL, -1, FALSE, &error));
    ck_error(error, TSR_NOT_FOUND, "no engine is usable");
    ck_assert_ptr_null(open_set("/nonexistent.conf", NULL, -1, FALSE, &error));
    ck_error(error, TSR_IO, "/nonexistent.conf");
}
END_TEST

static void ck_order(const TsrPluginSet *set, const char *const *names, const char *source)
{
    guint count = g_strv_length((char **)names);
    ck_assert_uint_eq(set->engines->len, count);
    for (guint i = 0; i < count; i++)
        ck_assert_str_eq(g_array_index(set->engines, TsrRankedEngine, i).name, names[i]);
    ck_assert_msg(strstr(g_array_index(set->engines, TsrRankedEngine, 0).source, source) != NULL,
                  "source is '%s'", g_array_index(set->engines, TsrRankedEngine, 0).source);
}

static const char plugins[] = "aicpu=on\nbad_fine=on\nnn_engine=on\nnpu_sim=on\n";

START_TEST(order_by_default)
{
    g_autoptr(TsrPluginSet) set = load(plugins, NULL);
    const char *last = g_array_index(set->engines, TsrRankedEngine, set->engines->len - 1).name;
    ck_assert_uint_eq(set->engines->len, 3);
    for (guint i = 1; i < set->engines->len; i++)
        ck_assert_int_ge(
            g_array_index(set->engines, TsrRankedEngine, i - 1).engine->default_priority,
            g_array_index(set->engines, TsrRankedEngine, i).engine->default_priority);
    ck_assert_str_eq(last, "aicpu");
    ck_assert_ptr_nonnull(set->device);
    ck_assert_str_eq(tsr_plugin_set_reference(set)->name, "aicpu");
}
END_TEST

START_TEST(order_of_the_configuration)
{
    g_autoptr(TsrPluginSet) set =
        load(plugins, "[engines]\npriority=bad_fine;NN_Engine;nobody\n");
    ck_order(set, (const char *const[]){"bad_fine", "nn_engine", "aicpu", NULL}, "priority of");
    ck_assert(is_warned(set, "'nobody'")); /* named, but not there: told, not fatal */
}
END_TEST

START_TEST(order_of_the_options)
{
    g_autofree char *conf = write_conf(plugins, "[engines]\npriority=nn_engine\n");
    const char *const wanted[] = {"bad_fine", NULL}, *const absent[] = {"nobody", NULL};
    GError *error = NULL;
    TsrPluginSet *set = open_set(conf, wanted, -1, FALSE, &error);
    ck_no_error(error);
    ck_order(set, (const char *const[]){"bad_fine", "aicpu", NULL}, "--engine-priority");
    tsr_plugin_set_free(set);
    set = open_set(conf, wanted, TSR_FALLBACK_STRICT, FALSE, &error);
    ck_no_error(error);
    ck_order(set, (const char *const[]){"bad_fine", NULL}, "--engine-priority");
    tsr_plugin_set_free(set);
    ck_assert_ptr_null(open_set(conf, absent, -1, FALSE, &error));
    ck_error(error, TSR_NOT_FOUND, "there are: aicpu, bad_fine, nn_engine");
}
END_TEST

/* The reason of a refused plugin is what the user hears when its engine is asked for. */
START_TEST(absent_engine_says_why)
{
    g_autofree char *conf = write_conf("aicpu=on\nbad_init_fails=on\n", NULL);
    const char *const wanted[] = {"bad_init_fails", NULL};
    GError *error = NULL;
    ck_assert_ptr_null(open_set(conf, wanted, -1, FALSE, &error));
    ck_error(error, TSR_NOT_FOUND, "its plugin is refused: bad_init_fails: init: the moon");
}
END_TEST

START_TEST(safe_mode)
{
    g_autofree char *conf = write_conf(plugins, NULL);
    GError *error = NULL;
    g_autoptr(TsrPluginSet) set = open_set(conf, NULL, -1, TRUE, &error);
    ck_no_error(error);
    ck_assert_uint_eq(set->engines->len, 1);
    ck_assert_str_eq(g_array_index(set->engines, TsrRankedEngine, 0).name, "aicpu");
}
END_TEST

static TsrPluginSet *open_ruled(const char *more, const char *const *modes, GError **error)
{
    g_autofree char *conf = write_conf(plugins, more);
    TsrPluginOptions options = {.conf_path = conf, .fallback = -1, .engine_modes = modes};
    guint32 count;
    const TsrOps *const *builtin = tsr_ops_builtin(&count);
    return tsr_plugin_set_new(&options, builtin, count, error);
}

/* What the user says of one engine, in the configuration and before it by option. */
START_TEST(rules)
{
    static const struct {
        const char *conf, *mode, *order, *source;
    } rows[] = {
        {"", "nn_engine=deny", "bad_fine aicpu", "default priority"},
        {"NN_engine=deny\n", NULL, "bad_fine aicpu", "default priority"},
        {"nn_engine=deny\n", "NN_ENGINE=allow", "nn_engine bad_fine aicpu", "default priority"},
        {"priority=nn_engine\n", NULL, "nn_engine aicpu", "priority of"},
        {"priority=nn_engine\n", "bad_fine=allow", "nn_engine bad_fine aicpu", "priority of"},
        {"priority=nn_engine\nbad_fine=require\n", NULL, "nn_engine bad_fine aicpu",
         "priority of"},
        {"priority=nn_engine;bad_fine\n", "nn_engine=deny", "bad_fine aicpu", "priority of"},
        {"priority=nn_engine;bad_fine\n", "nn_engine=off", "bad_fine aicpu", "priority of"},
        {"priority=nn_engine\n", "aicpu=deny", "nn_engine", "priority of"},
        {"", "nobody=allow", "nn_engine bad_fine aicpu", "default priority"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const modes[] = {rows[i].mode, NULL};
        g_autofree char *more = g_strconcat("[engines]\n", rows[i].conf, NULL);
        g_auto(GStrv) order = g_strsplit(rows[i].order, " ", -1);
        GError *error = NULL;
        g_autoptr(TsrPluginSet) set = open_ruled(more, modes, &error);
        ck_no_error(error);
        ck_order(set, (const char *const *)order, rows[i].source);
        if (g_strcmp0(rows[i].mode, "nn_engine=off") == 0)
            ck_assert_int_eq(find(set, "nn_engine")->state, TSR_PLUGIN_DISABLED);
        else
            ck_assert_int_eq(find(set, "nn_engine")->state, TSR_PLUGIN_LOADED);
    }
}
END_TEST

START_TEST(rules_that_fail)
{
    static const struct {
        const char *conf, *mode, *part;
        gint32 code;
    } rows[] = {
        {"", "nobody=require", "engine 'nobody' is required by --engine: no loaded plugin",
         TSR_NOT_FOUND},
        {"", "nn_engin=require", "did you mean 'nn_engine'?", TSR_NOT_FOUND},
        {"nobody=require\n", NULL, "required by [engines] of the configuration", TSR_NOT_FOUND},
        {"nobody=maybe\n", NULL, "'maybe' is not off, allow, deny or require",
         TSR_INVALID_ARGUMENT},
        {"", "aicpu=maybe", "wanted NAME=off, allow, deny or require, got 'aicpu=maybe'",
         TSR_INVALID_ARGUMENT},
        {"", "aicpu", "got 'aicpu'", TSR_INVALID_ARGUMENT},
        {"priority=nn_engine\nnn_engine=deny\n", "aicpu=deny", "no engine is usable",
         TSR_NOT_FOUND},
    };
    const char *const misspelt[] = {"nn_engin=deny", NULL};
    GError *error = NULL;
    g_autoptr(TsrPluginSet) set = open_ruled(NULL, misspelt, &error);
    ck_no_error(error);
    ck_assert(is_warned(set, "engine 'nn_engin' of --engine: no loaded plugin"));
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const modes[] = {rows[i].mode, NULL};
        g_autofree char *more = g_strconcat("[engines]\n", rows[i].conf, NULL);
        ck_assert_ptr_null(open_ruled(more, modes, &error));
        ck_error(error, rows[i].code, rows[i].part);
    }
}
END_TEST

/* Why a loaded engine is in no order. */
START_TEST(unused_engines)
{
    const char *const modes[] = {"nn_engine=deny", NULL};
    GError *error = NULL;
    g_autoptr(TsrPluginSet) set = open_ruled("[engines]\npriority=aicpu\n", modes, &error);
    g_autofree char *denied = NULL, *unnamed = NULL, *used = NULL;
    ck_no_error(error);
    denied = tsr_rank_unused_reason(set, find(set, "nn_engine"));
    unnamed = tsr_rank_unused_reason(set, find(set, "bad_fine"));
    used = tsr_rank_unused_reason(set, find(set, "aicpu"));
    ck_assert_str_eq(denied, "denied by --engine");
    ck_assert_str_eq(unnamed, "no list names it");
    ck_assert_ptr_null(used);
}
END_TEST

START_TEST(fallback_modes)
{
    static const struct {
        const char *conf;
        int option;
        TsrFallback wanted;
    } rows[] = {
        {"", -1, TSR_FALLBACK_WARN},
        {"fallback=strict\n", -1, TSR_FALLBACK_STRICT},
        {"fallback=silent\n", -1, TSR_FALLBACK_SILENT},
        {"fallback=warn\n", -1, TSR_FALLBACK_WARN},
        {"fallback=strict\n", TSR_FALLBACK_SILENT, TSR_FALLBACK_SILENT},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *more = g_strdup_printf("[tessera]\n%s", rows[i].conf);
        g_autofree char *conf = write_conf("aicpu=on\n", more);
        GError *error = NULL;
        g_autoptr(TsrPluginSet) set = open_set(conf, NULL, rows[i].option, FALSE, &error);
        ck_no_error(error);
        ck_assert_int_eq(set->fallback, rows[i].wanted);
    }
}
END_TEST

START_TEST(device_is_not_there)
{
    g_autoptr(TsrPluginSet) set = load("aicpu=on\nbad_orphan=on\n", NULL);
    g_autoptr(TsrPluginSet) half = load("aicpu=on\nnn_engine=on\nnpu_sim=off\n", NULL);
    g_autoptr(TsrPluginSet) whole = load(plugins, NULL);
    GError *error = NULL;
    ck_assert(!tsr_plugin_set_check_device(set, &error));
    ck_error(error, TSR_NOT_FOUND,
             "engine 'bad_orphan' launches on device 'no_such_device', which is not there: no "
             "plugin of that name is listed");
    ck_assert(!tsr_plugin_set_check_device(half, &error));
    ck_error(error, TSR_NOT_FOUND, "switched off");
    ck_assert(tsr_plugin_set_check_device(whole, &error));
}
END_TEST

/* The device that the configuration names, and no other. */
START_TEST(device_by_name)
{
    g_autoptr(TsrPluginSet) set = load(plugins, "[tessera]\ndevice=other\n");
    ck_assert_ptr_null(set->device);
    tsr_plugin_set_free(NULL);
}
END_TEST

START_TEST(search_path_of_the_environment)
{
    g_autofree char *conf = write_conf("bad_fine=on\naicpu=on\n", NULL);
    GError *error = NULL;
    TsrPluginSet *set;
    g_setenv("TESSERA_PLUGIN_PATH", BAD_PLUGINS_DIR ":relative", TRUE);
    set = open_set(conf, NULL, -1, FALSE, &error);
    ck_no_error(error);
    ck_assert_uint_eq(set->searched->len, 1); /* replaces all; what is relative is ignored */
    ck_assert_int_eq(find(set, "aicpu")->state, TSR_PLUGIN_MISSING);
    tsr_plugin_set_free(set);
    g_unsetenv("TESSERA_PLUGIN_PATH");
    g_setenv("TESSERA_PLUGIN_PATH_ADD", PLUGINS_DIR, TRUE);
    set = open_set(conf, NULL, -1, FALSE, &error);
    ck_no_error(error);
    ck_assert_str_eq(g_ptr_array_index(set->searched, 0), PLUGINS_DIR);
    ck_assert_int_eq(find(set, "aicpu")->state, TSR_PLUGIN_LOADED);
    tsr_plugin_set_free(set);
}
END_TEST

/* A session may come and go: what is closed can be opened again. */
START_TEST(again_and_again)
{
    for (int i = 0; i < 3; i++) {
        g_autoptr(TsrPluginSet) set = load("aicpu=on\nnn_engine=on\nnpu_sim=on\nbad_no_check=on\n",
                                           NULL);
        ck_assert_uint_eq(set->engines->len, 2);
        ck_assert_int_eq(find(set, "bad_no_check")->state, TSR_PLUGIN_REFUSED);
    }
}
END_TEST

FIXTURE_MAIN("plugins", refused, missing_and_off, no_engine_at_all, order_by_default,
             order_of_the_configuration, order_of_the_options, absent_engine_says_why,
             safe_mode, rules, rules_that_fail, unused_engines, fallback_modes,
             device_is_not_there, device_by_name, search_path_of_the_environment,
             again_and_again)
