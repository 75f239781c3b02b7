/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest.c: see manifest.h. One row a key; lists are compared as sets.
 */
#include "plugin/manifest.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"

#define GROUP "plugin"

static const char *const keys[] = {"name", "library", "version", "description", "kind",
                                   "abi_major", "default_priority", "engines", "capabilities",
                                   NULL};
static const char *const mandatory[] = {"name", "library", "version", "kind", "abi_major"};

static gboolean G_GNUC_PRINTF(3, 4) fail(const char *path, GError **error, const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "manifest '%s': %s", path, text);
    return FALSE;
}

static gboolean check_keys(GKeyFile *file, const char *path, GError **error)
{
    g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
    g_auto(GStrv) found = g_key_file_get_keys(file, GROUP, NULL, NULL);
    for (guint i = 0; groups[i] != NULL; i++)
        if (strcmp(groups[i], GROUP) != 0)
            return fail(path, error, "unknown group [%s]; wanted [%s] alone", groups[i], GROUP);
    for (guint i = 0; found != NULL && found[i] != NULL; i++) {
        g_autofree char *hint = NULL;
        if (g_strv_contains(keys, found[i]))
            continue;
        hint = tsr_nearest_hint(found[i], keys, G_N_ELEMENTS(keys) - 1);
        return fail(path, error, "unknown key '%s'%s", found[i], hint);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(mandatory); i++) {
        g_autofree char *word = g_key_file_get_string(file, GROUP, mandatory[i], NULL);
        if (word == NULL || word[0] == '\0')
            return fail(path, error, "[%s] lacks '%s'", GROUP, mandatory[i]);
    }
    return TRUE;
}

/* A whole number in a range; a key that is missing leaves *out alone. */
static gboolean read_number(GKeyFile *file, const char *path, const char *key, guint64 least,
                            guint64 most, guint64 *out, GError **error)
{
    g_autofree char *word = g_key_file_get_string(file, GROUP, key, NULL);
    if (word == NULL || g_ascii_string_to_unsigned(word, 10, least, most, out, NULL))
        return TRUE;
    return fail(path, error,
                "%s: wanted a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                ", got '%s'",
                key, least, most, word);
}

/* The library lies beside the manifest or below, never anywhere else. */
static gboolean set_library(TsrManifest *manifest, GKeyFile *file, GError **error)
{
    g_autofree char *word = g_key_file_get_string(file, GROUP, "library", NULL);
    g_autofree char *folder = g_path_get_dirname(manifest->path);
    g_auto(GStrv) parts = g_strsplit(word, "/", -1);
    if (g_path_is_absolute(word) || g_strv_contains((const char *const *)parts, ".."))
        return fail(manifest->path, error,
                    "library: wanted a path below the manifest's folder, got '%s'", word);
    manifest->library = g_build_filename(folder, word, NULL);
    if (!g_file_test(manifest->library, G_FILE_TEST_IS_REGULAR))
        return fail(manifest->path, error, "the library '%s' is not there", manifest->library);
    return TRUE;
}

TsrManifest *tsr_manifest_load(const char *path, GError **error)
{
    g_autoptr(TsrManifest) manifest = g_new0(TsrManifest, 1);
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(GError) cause = NULL;
    guint64 abi_major = 0, priority = 0;
    manifest->path = g_strdup(path);
    if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &cause)) {
        fail(path, error, "%s", cause->message);
        return NULL;
    }
    if (!check_keys(file, path, error) || !set_library(manifest, file, error) ||
        !read_number(file, path, "abi_major", 0, G_MAXUINT32, &abi_major, error) ||
        !read_number(file, path, "default_priority", 1, 100, &priority, error))
        return NULL;
    manifest->abi_major = (guint32)abi_major;
    manifest->default_priority = (gint)priority;
    manifest->has_priority = priority != 0;
    manifest->name = g_key_file_get_string(file, GROUP, "name", NULL);
    manifest->version = g_key_file_get_string(file, GROUP, "version", NULL);
    manifest->description = g_key_file_get_string(file, GROUP, "description", NULL);
    manifest->kind = g_key_file_get_string_list(file, GROUP, "kind", NULL, NULL);
    manifest->engines = g_key_file_get_string_list(file, GROUP, "engines", NULL, NULL);
    manifest->capabilities = g_key_file_get_string_list(file, GROUP, "capabilities", NULL, NULL);
    return g_steal_pointer(&manifest);
}

void tsr_manifest_free(TsrManifest *manifest)
{
    if (manifest == NULL)
        return;
    g_free(manifest->path);
    g_free(manifest->library);
    g_free(manifest->name);
    g_free(manifest->version);
    g_free(manifest->description);
    g_strfreev(manifest->kind);
    g_strfreev(manifest->engines);
    g_strfreev(manifest->capabilities);
    g_free(manifest);
}

/* ------------------------------------------------------------- the library's word */

static GPtrArray *kinds_of(const TsrLoadedPlugin *record)
{
    const struct {
        const char *name;
        gconstpointer table;
    } rows[] = {
        {"engine", record->engine}, {"device", record->device}, {"ops", record->ops},
        {"fusion", record->fusion}, {"selector", record->selector},
    };
    GPtrArray *words = g_ptr_array_new();
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].table != NULL)
            g_ptr_array_add(words, (gpointer)rows[i].name);
    return words;
}

static GPtrArray *engines_of(const TsrLoadedPlugin *record)
{
    GPtrArray *words = g_ptr_array_new();
    if (record->engine != NULL)
        g_ptr_array_add(words, (gpointer)record->engine->name);
    return words;
}

static GPtrArray *capabilities_of(const TsrLoadedPlugin *record)
{
    static const struct {
        const char *name;
        guint32 engine_flag, device_flag;
    } rows[] = {
        {"host", TSR_ENGINE_HOST, 0},
        {"reference", TSR_ENGINE_REFERENCE, 0},
        {"dynamic", TSR_ENGINE_DYNAMIC, 0},
        {"values", TSR_ENGINE_VALUES, 0},
        {"host_accessible", 0, TSR_DEVICE_HOST_ACCESSIBLE},
    };
    GPtrArray *words = g_ptr_array_new();
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        if ((record->engine != NULL && (record->engine->flags & rows[i].engine_flag) != 0) ||
            (record->device != NULL && (record->device->flags & rows[i].device_flag) != 0))
            g_ptr_array_add(words, (gpointer)rows[i].name);
    return words;
}

static int by_word(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "a;b", sorted. Takes the words. (transfer full) */
static char *sorted_text(GPtrArray *words)
{
    GString *text = g_string_new(NULL);
    g_ptr_array_sort(words, by_word);
    for (guint i = 0; i < words->len; i++)
        g_string_append_printf(text, "%s%s", i != 0 ? ";" : "",
                               (const char *)g_ptr_array_index(words, i));
    g_ptr_array_unref(words);
    return g_string_free(text, FALSE);
}

static char *list_text(char **list)
{
    GPtrArray *words = g_ptr_array_new();
    for (guint i = 0; list != NULL && list[i] != NULL; i++)
        g_ptr_array_add(words, list[i]);
    return sorted_text(words);
}

static gboolean same(const TsrManifest *manifest, const TsrLoadedPlugin *record, const char *key,
                     const char *said, const char *is, GError **error)
{
    if (strcmp(said, is) == 0)
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                "manifest '%s' says %s '%s', but the library '%s' says '%s'", manifest->path, key,
                said, record->path, is);
    return FALSE;
}

gboolean tsr_manifest_check(const TsrManifest *manifest, const TsrLoadedPlugin *record,
                            GError **error)
{
    const struct {
        const char *key;
        char **said;
        GPtrArray *(*is)(const TsrLoadedPlugin *record);
    } lists[] = {
        {"kind", manifest->kind, kinds_of},
        {"engines", manifest->engines, engines_of},
        {"capabilities", manifest->capabilities, capabilities_of},
    };
    if (!same(manifest, record, "name", manifest->name, record->plugin->name, error) ||
        !same(manifest, record, "version", manifest->version, record->plugin->version, error))
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
        g_autofree char *said = list_text(lists[i].said);
        g_autofree char *is = sorted_text(lists[i].is(record));
        /* What is optional and not given claims nothing. */
        if (lists[i].said != NULL && !same(manifest, record, lists[i].key, said, is, error))
            return FALSE;
    }
    if (manifest->has_priority) {
        g_autofree char *said = g_strdup_printf("%d", manifest->default_priority);
        g_autofree char *is = g_strdup_printf(
            "%d", record->engine != NULL ? record->engine->default_priority : 0);
        return same(manifest, record, "default_priority", said, is, error);
    }
    return TRUE;
}
