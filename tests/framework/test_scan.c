/* SPDX-License-Identifier: Apache-2.0
 *
 * test_scan.c: plugins that crash, hang, exit or print while they are loaded are found in a
 * child process; what was found is remembered until the file changes.
 */
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "fixture.h"
#include "ops/ops.h"

/* A folder with copies of these libraries and a configuration that lists them, so that what
 * is known of other tests' files does not matter. */
typedef struct Place {
    char *folder;
    char *conf;
} Place;

static void copy(const char *from_folder, const char *name, const char *to_folder)
{
    g_autofree char *file = g_strconcat(name, ".so", NULL);
    g_autofree char *from = g_build_filename(from_folder, file, NULL);
    g_autofree char *data = NULL;
    gsize size;
    GError *error = NULL;
    g_file_get_contents(from, &data, &size, &error);
    ck_no_error(error);
    g_free(fixture_file(to_folder, file, data, (gssize)size));
}

static Place place_new(const char *const *names, const char *more)
{
    Place place = {.folder = fixture_directory()};
    g_autoptr(GString) text = g_string_new("[tessera]\nscan_timeout=1\n");
    g_autofree char *cache = g_build_filename(place.folder, "cache", NULL);
    g_string_append_printf(text, "search_path=%s;%s\n%s[plugins]\n", place.folder, PLUGINS_DIR,
                           more != NULL ? more : "");
    for (guint i = 0; names[i] != NULL; i++) {
        if (g_str_has_prefix(names[i], "bad_") && strcmp(names[i], "bad_not_elf") != 0)
            copy(BAD_PLUGINS_DIR, names[i], place.folder);
        g_string_append_printf(text, "%s=on\n", names[i]);
    }
    g_free(fixture_file(place.folder, "bad_not_elf.so", "no library\n", -1));
    place.conf = fixture_file(place.folder, "plugins.conf", text->str, -1);
    g_setenv("XDG_CACHE_HOME", cache, TRUE);
    return place;
}

static void place_clear(Place *place)
{
    g_free(place->folder);
    g_free(place->conf);
}

static TsrPluginSet *load(const Place *place, gboolean rescan)
{
    TsrPluginOptions options = {place->conf, NULL, -1, FALSE, rescan};
    guint32 count;
    const TsrOps *const *builtin = tsr_ops_builtin(&count);
    GError *error = NULL;
    TsrPluginSet *set = tsr_plugin_set_new(&options, builtin, count, &error);
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

static const struct {
    const char *name;
    TsrPluginFault fault;
    const char *reason;
} rows[] = {
    {"bad_load_crashes", TSR_FAULT_SIGNAL,
     "died of signal 11 (SIGSEGV, Segmentation fault) in step 'init'"},
    {"bad_load_dies_early", TSR_FAULT_SIGNAL, "(SIGABRT, Aborted) in step 'dlopen'"},
    {"bad_load_exits", TSR_FAULT_EXIT, "ended its process with status 7 in step 'init'"},
    {"bad_load_floods", TSR_FAULT_PRINTED, "printed 2300000 bytes"},
    {"bad_load_hangs", TSR_FAULT_TIMEOUT, "was still in step 'query' of loading after 1 s"},
    {"bad_load_prints", TSR_FAULT_PRINTED,
     "printed 22 bytes while it was loaded, which a plugin never does; it printed 'hello from "
     "the plugin'"},
    {"bad_undefined", TSR_FAULT_MISSING_SYMBOL, "tsr_test_nobody_defines_this"},
    {"bad_no_symbol", TSR_FAULT_NOT_A_PLUGIN, "does not export tsr_plugin_query"},
    {"bad_not_elf", TSR_FAULT_NOT_A_PLUGIN, "is not a plugin"},
    {"bad_wrong_abi", TSR_FAULT_ABI, "speaks plugin ABI 2."},
    {"bad_sanitizer", TSR_FAULT_BUILD, "sanitizer"},
    {"bad_no_check", TSR_FAULT_MISSING_SLOTS, "check"},
    {"bad_no_fields", TSR_FAULT_DESCRIPTOR, "vendor, url"},
    {"bad_query_fails", TSR_FAULT_QUERY, "not good enough"},
    {"bad_init_fails", TSR_FAULT_INIT, "wrong phase"},
};

/* Each with its own reason, and this process and the good plugins live on. */
START_TEST(found_without_harm)
{
    const char *names[G_N_ELEMENTS(rows) + 3] = {"bad_fine", "aicpu"};
    g_autoptr(TsrPluginSet) set = NULL;
    Place place;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        names[i + 2] = rows[i].name;
    place = place_new(names, NULL);
    set = load(&place, FALSE);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const TsrLoadedPlugin *record = find(set, rows[i].name);
        ck_assert_msg(record->state == TSR_PLUGIN_REFUSED, "%s is %s", rows[i].name,
                      tsr_plugin_state_name(record->state));
        ck_assert_msg(record->fault == rows[i].fault, "%s: wanted %s, got %s: %s", rows[i].name,
                      tsr_plugin_fault_name(rows[i].fault), tsr_plugin_fault_name(record->fault),
                      record->reason);
        ck_assert_msg(strstr(record->reason, rows[i].reason) != NULL, "%s: '%s' lacks '%s'",
                      rows[i].name, record->reason, rows[i].reason);
        ck_assert_str_eq(record->looked_at, "scanned");
    }
    ck_assert_int_eq(find(set, "bad_fine")->state, TSR_PLUGIN_LOADED);
    ck_assert_int_eq(find(set, "aicpu")->state, TSR_PLUGIN_LOADED);
    ck_assert_uint_eq(set->engines->len, 2);
    /* No child is left, dead or alive. */
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    place_clear(&place);
}
END_TEST

static void ck_looked_at(const Place *place, gboolean rescan, const char *fine,
                         const char *crashes, const char *init_fails)
{
    g_autoptr(TsrPluginSet) set = load(place, rescan);
    ck_assert_str_eq(find(set, "bad_fine")->looked_at, fine);
    ck_assert_str_eq(find(set, "bad_load_crashes")->looked_at, crashes);
    ck_assert_str_eq(find(set, "bad_init_fails")->looked_at, init_fails);
    ck_assert_int_eq(find(set, "bad_fine")->state, TSR_PLUGIN_LOADED);
    ck_assert_int_eq(find(set, "bad_load_crashes")->fault, TSR_FAULT_SIGNAL);
    ck_assert_ptr_nonnull(strstr(find(set, "bad_load_crashes")->reason, "SIGSEGV"));
    ck_assert_int_eq(find(set, "bad_init_fails")->fault, TSR_FAULT_INIT);
}

static const char *const three[] = {"bad_fine", "bad_load_crashes", "bad_init_fails", NULL};

START_TEST(remembered_until_it_changes)
{
    Place place = place_new(three, NULL);
    g_autofree char *file = g_build_filename(place.folder, "bad_load_crashes.so", NULL);
    g_autofree char *cache = g_build_filename(place.folder, "cache", "tessera", "plugins", NULL);
    struct utimbuf long_ago = {1000000000, 1000000000};
    g_autoptr(GDir) folder = NULL;
    const char *name;
    ck_looked_at(&place, FALSE, "scanned", "scanned", "scanned");
    /* What a plugin says of the moment it may say otherwise next time. */
    ck_looked_at(&place, FALSE, "cached", "cached", "scanned");
    ck_looked_at(&place, TRUE, "scanned", "scanned", "scanned");
    ck_assert_int_eq(utime(file, &long_ago), 0);
    ck_looked_at(&place, FALSE, "cached", "scanned", "scanned");
    ck_looked_at(&place, FALSE, "cached", "cached", "scanned");
    /* A damaged store is as none. */
    folder = g_dir_open(cache, 0, NULL);
    while ((name = g_dir_read_name(folder)) != NULL)
        g_free(fixture_file(cache, name, "[library\n", -1));
    ck_looked_at(&place, FALSE, "scanned", "scanned", "scanned");
    /* So is one that others may write. */
    ck_assert_int_eq(g_chmod(cache, 0777), 0);
    ck_looked_at(&place, FALSE, "scanned", "scanned", "scanned");
    place_clear(&place);
}
END_TEST

START_TEST(nowhere_to_store)
{
    Place place = place_new(three, NULL);
    g_setenv("XDG_CACHE_HOME", "/proc/nothing", TRUE);
    ck_looked_at(&place, FALSE, "scanned", "scanned", "scanned");
    ck_looked_at(&place, FALSE, "scanned", "scanned", "scanned");
    place_clear(&place);
}
END_TEST

/* Many processes that look and store at once leave a store that serves. */
START_TEST(many_processes)
{
    Place place = place_new(three, NULL);
    pid_t children[6];
    for (gsize i = 0; i < G_N_ELEMENTS(children); i++) {
        children[i] = fork();
        if (children[i] == 0) {
            for (int round = 0; round < 3; round++) {
                g_autoptr(TsrPluginSet) set = load(&place, TRUE);
                if (find(set, "bad_load_crashes")->fault != TSR_FAULT_SIGNAL)
                    _exit(1);
            }
            _exit(0);
        }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(children); i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_looked_at(&place, FALSE, "cached", "cached", "scanned");
    place_clear(&place);
}
END_TEST

static gboolean is_warned(const TsrPluginSet *set, const char *part)
{
    for (guint i = 0; i < set->warnings->len; i++)
        if (strstr(g_ptr_array_index(set->warnings, i), part) != NULL)
            return TRUE;
    return FALSE;
}

/* Without a scanner plugins are loaded as they are, and the user is told once. */
START_TEST(no_scanner)
{
    static const char *const harmless[] = {"bad_fine", "bad_init_fails", NULL};
    static const struct {
        const char *program, *warning;
    } programs[] = {
        {"/nonexistent/tessera-scan", "there is no program '/nonexistent/tessera-scan'"},
        {"relative/tessera-scan", "TESSERA_SCAN is no absolute path"},
        {"/bin/false", "/bin/false' ended with status 1"},
        {"/etc", "cannot be started"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
        Place place = place_new(harmless, NULL);
        g_autoptr(TsrPluginSet) set = NULL;
        g_setenv("TESSERA_SCAN", programs[i].program, TRUE);
        set = load(&place, FALSE);
        ck_assert_str_eq(find(set, "bad_fine")->looked_at, "in process");
        ck_assert_int_eq(find(set, "bad_fine")->state, TSR_PLUGIN_LOADED);
        ck_assert_int_eq(find(set, "bad_init_fails")->fault, TSR_FAULT_INIT);
        ck_assert_msg(is_warned(set, programs[i].warning), "no warning '%s' but '%s'",
                      programs[i].warning, (char *)g_ptr_array_index(set->warnings, 0));
        ck_assert_uint_eq(set->warnings->len, 2); /* that, and the bad plugin */
        place_clear(&place);
    }
}
END_TEST

START_TEST(switched_off)
{
    static const char *const harmless[] = {"bad_fine", NULL};
    Place place = place_new(harmless, "scan=off\n");
    g_autoptr(TsrPluginSet) set = load(&place, FALSE);
    ck_assert_str_eq(find(set, "bad_fine")->looked_at, "in process");
    ck_assert_uint_eq(set->warnings->len, 0);
    place_clear(&place);
}
END_TEST

FIXTURE_MAIN("scan", found_without_harm, remembered_until_it_changes, nowhere_to_store,
             many_processes, no_scanner, switched_off)
