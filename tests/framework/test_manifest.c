/* SPDX-License-Identifier: Apache-2.0
 *
 * test_manifest.c: manifests beside the libraries, what is found where, and what the user is
 * told of a plugin that is not.
 */
#include <glib/gstdio.h>

#include "fixture.h"
#include "ops/ops.h"

static const char good[] =
    "[plugin]\nname=bad_fine\nlibrary=lib/fine.so\nversion=1.0\nabi_major=1\nkind=engine\n"
    "engines=bad_fine\ndefault_priority=50\ncapabilities=host\ndescription=as it says\n";

/* A folder with lib/fine.so, which is bad_fine, a manifest, and a configuration. */
typedef struct Place {
    char *folder;
    char *manifest;
    char *conf;
} Place;

static Place place_new(const char *manifest, const char *plugins)
{
    Place place = {.folder = fixture_directory()};
    g_autofree char *lib = g_build_filename(place.folder, "lib", NULL);
    g_autofree char *from = g_build_filename(BAD_PLUGINS_DIR, "bad_fine.so", NULL);
    g_autofree char *text = g_strdup_printf("[tessera]\nsearch_path=%s;/nonexistent;%s\n"
                                            "[plugins]\n%s",
                                            place.folder, PLUGINS_DIR, plugins);
    g_autofree char *data = NULL;
    gsize size;
    ck_assert_int_eq(g_mkdir(lib, 0700), 0);
    ck_assert(g_file_get_contents(from, &data, &size, NULL));
    g_free(fixture_file(lib, "fine.so", data, (gssize)size));
    place.manifest = fixture_file(place.folder, "bad_fine.plugin", manifest, -1);
    place.conf = fixture_file(place.folder, "plugins.conf", text, -1);
    return place;
}

static void place_clear(Place *place)
{
    g_free(place->folder);
    g_free(place->manifest);
    g_free(place->conf);
}

static TsrPluginSet *load(const Place *place)
{
    TsrPluginOptions options = {place->conf, NULL, -1, FALSE, FALSE};
    guint32 count;
    const TsrOps *const *builtin = tsr_ops_builtin(&count);
    GError *error = NULL;
    TsrPluginSet *set = tsr_plugin_set_new(&options, builtin, count, &error);
    ck_no_error(error);
    return set;
}

static const TsrLoadedPlugin *first(const TsrPluginSet *set)
{
    return g_ptr_array_index(set->plugins, 0);
}

START_TEST(loaded_by_it)
{
    Place place = place_new(good, "bad_fine=on\naicpu=on\n");
    g_autoptr(TsrPluginSet) set = load(&place);
    g_autofree char *library = g_build_filename(place.folder, "lib", "fine.so", NULL);
    ck_assert_msg(first(set)->state == TSR_PLUGIN_LOADED, "%s", first(set)->reason);
    ck_assert_str_eq(first(set)->manifest->path, place.manifest);
    ck_assert_str_eq(first(set)->path, library);
    ck_assert_uint_eq(set->warnings->len, 0);
    place_clear(&place);
}
END_TEST

/* What a manifest says wrong, and what the user then reads. */
START_TEST(refused)
{
    static const struct {
        const char *from, *to, *reason;
        TsrPluginFault fault;
    } rows[] = {
        {"version=1.0", "version=1.1", "says version '1.1', but the library", TSR_FAULT_MANIFEST},
        {"kind=engine", "kind=device;engine", "says kind 'device;engine'", TSR_FAULT_MANIFEST},
        {"engines=bad_fine", "engines=other", "says 'bad_fine'", TSR_FAULT_MANIFEST},
        {"priority=50", "priority=51", "default_priority '51'", TSR_FAULT_MANIFEST},
        {"capabilities=host", "capabilities=host;values", "says 'host'", TSR_FAULT_MANIFEST},
        {"name=bad_fine", "name=somebody", "is of a plugin 'somebody'", TSR_FAULT_MANIFEST},
        {"abi_major=1", "abi_major=2", "says plugin ABI 2, this host speaks 1.", TSR_FAULT_ABI},
        {"abi_major=1", "abi_major=one", "abi_major: wanted a number", TSR_FAULT_MANIFEST},
        {"priority=50", "priority=500", "from 1 to 100, got '500'", TSR_FAULT_MANIFEST},
        {"lib/fine.so", "lib/gone.so", "lib/gone.so' is not there", TSR_FAULT_MANIFEST},
        {"lib/fine.so", "../fine.so", "below the manifest's folder", TSR_FAULT_MANIFEST},
        {"lib/fine.so", "/lib/fine.so", "below the manifest's folder", TSR_FAULT_MANIFEST},
        {"version=1.0\n", "", "lacks 'version'", TSR_FAULT_MANIFEST},
        {"engines=", "engine=", "unknown key 'engine'; did you mean 'engines'?",
         TSR_FAULT_MANIFEST},
        {"[plugin]", "[plug-in]", "unknown group [plug-in]", TSR_FAULT_MANIFEST},
        {"[plugin]", "plugin", "manifest '", TSR_FAULT_MANIFEST},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) text = g_string_new(good);
        g_autoptr(TsrPluginSet) set = NULL;
        Place place;
        ck_assert_uint_eq(g_string_replace(text, rows[i].from, rows[i].to, 1), 1);
        place = place_new(text->str, "bad_fine=on\naicpu=on\n");
        set = load(&place);
        ck_assert_int_eq(first(set)->state, TSR_PLUGIN_REFUSED);
        ck_assert_msg(first(set)->fault == rows[i].fault, "row %zu: %s: %s", i,
                      tsr_plugin_fault_name(first(set)->fault), first(set)->reason);
        ck_assert_msg(strstr(first(set)->reason, rows[i].reason) != NULL, "'%s' lacks '%s'",
                      first(set)->reason, rows[i].reason);
        ck_assert_msg(strstr(first(set)->reason, place.manifest) != NULL, "'%s' lacks '%s'",
                      first(set)->reason, place.manifest);
        ck_assert_uint_eq(set->engines->len, 1);
        place_clear(&place);
    }
}
END_TEST

/* A manifest tells of what is not loaded, and of what nobody listed. */
START_TEST(listed_without_loading)
{
    Place off = place_new(good, "bad_fine=off\naicpu=on\n");
    Place unlisted = place_new(good, "aicpu=on\n");
    g_autoptr(TsrPluginSet) set = load(&off);
    g_autoptr(TsrPluginSet) other = load(&unlisted);
    g_autoptr(GPtrArray) nobody = tsr_plugin_set_unlisted(set);
    g_autoptr(GPtrArray) found = tsr_plugin_set_unlisted(other);
    gboolean seen = FALSE;
    ck_assert_int_eq(first(set)->state, TSR_PLUGIN_DISABLED);
    ck_assert_str_eq(first(set)->manifest->description, "as it says");
    ck_assert_ptr_null(first(set)->handle);
    for (guint i = 0; i < found->len; i++)
        seen |= strcmp(((TsrManifest *)g_ptr_array_index(found, i))->name, "bad_fine") == 0;
    ck_assert(seen);
    for (guint i = 0; i < nobody->len; i++)
        ck_assert_str_ne(((TsrManifest *)g_ptr_array_index(nobody, i))->name, "bad_fine");
    place_clear(&off);
    place_clear(&unlisted);
}
END_TEST

/* A bare library serves as well, and the first of two files is the one. */
START_TEST(bare_and_shadowed)
{
    Place place = place_new(good, "aicpu=on\n");
    g_autofree char *copy = g_build_filename(place.folder, "aicpu", NULL);
    g_autofree char *from = g_build_filename(PLUGINS_DIR, "aicpu", "aicpu.so", NULL);
    g_autofree char *data = NULL;
    g_autoptr(TsrPluginSet) set = NULL;
    gsize size;
    ck_assert_int_eq(g_mkdir(copy, 0700), 0);
    ck_assert(g_file_get_contents(from, &data, &size, NULL));
    g_free(fixture_file(copy, "aicpu.so", data, (gssize)size));
    set = load(&place);
    ck_assert_msg(first(set)->state == TSR_PLUGIN_LOADED, "%s", first(set)->reason);
    ck_assert(g_str_has_prefix(first(set)->path, place.folder));
    ck_assert_ptr_null(first(set)->manifest);
    ck_assert(g_str_has_prefix(first(set)->shadowed, PLUGINS_DIR));
    place_clear(&place);
}
END_TEST

/* Every directory with what it has, and the name that may have been meant. */
START_TEST(missing)
{
    Place place = place_new(good, "bad_fin=on\naicpu=on\n");
    g_autoptr(TsrPluginSet) set = load(&place);
    g_autofree char *own = g_strdup_printf("in %s (has bad_fine), ", place.folder);
    g_autofree char *built = g_strdup_printf("%s (has aicpu, nn_engine, npu_sim", PLUGINS_DIR);
    const char *const parts[] = {"no 'bad_fin.plugin' or 'bad_fin.so'", own,
                                 "/nonexistent (is not there)", built,
                                 "did you mean 'bad_fine'?"};
    ck_assert_int_eq(first(set)->state, TSR_PLUGIN_MISSING);
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
        ck_assert_msg(strstr(first(set)->reason, parts[i]) != NULL, "'%s' lacks '%s'",
                      first(set)->reason, parts[i]);
    place_clear(&place);
}
END_TEST

FIXTURE_MAIN("manifest", loaded_by_it, refused, listed_without_loading, bare_and_shadowed, missing)
