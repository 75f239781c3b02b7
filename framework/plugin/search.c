/* SPDX-License-Identifier: Apache-2.0
 *
 * search.c: see search.h.
 */
#include "plugin/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

enum { NAMES_SHOWN = 12 };

static const struct {
    const char *suffix;
    gboolean is_manifest;
} forms[] = {{".plugin", TRUE}, {".so", FALSE}};

void tsr_found_plugin_free(TsrFoundPlugin *found)
{
    if (found == NULL)
        return;
    g_free(found->name);
    g_free(found->path);
    g_free(found);
}

static void add_env_dirs(GPtrArray *dirs, const char *variable)
{
    const char *list = secure_getenv(variable);
    g_auto(GStrv) parts = list != NULL ? g_strsplit(list, ":", -1) : NULL;
    for (guint i = 0; parts != NULL && parts[i] != NULL; i++)
        if (g_path_is_absolute(parts[i]))
            g_ptr_array_add(dirs, g_strdup(parts[i]));
}

GPtrArray *tsr_search_dirs(const TsrConf *conf)
{
    GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) library = tsr_conf_library_dirs();
    add_env_dirs(dirs, "TESSERA_PLUGIN_PATH");
    if (dirs->len != 0)
        return dirs;
    add_env_dirs(dirs, "TESSERA_PLUGIN_PATH_ADD");
    for (guint i = 0; i < conf->search_path->len; i++)
        g_ptr_array_add(dirs, g_strdup(g_ptr_array_index(conf->search_path, i)));
    for (guint i = 0; i < library->len; i++)
        g_ptr_array_add(dirs, g_strdup(g_ptr_array_index(library, i)));
    return dirs;
}

/* The plugin of that name in a directory, flat or in a folder of its own. */
static TsrFoundPlugin *find_in(const char *dir, const char *name)
{
    for (guint i = 0; i < 2 * G_N_ELEMENTS(forms); i++) {
        const guint form = i % G_N_ELEMENTS(forms);
        g_autofree char *file = g_strconcat(name, forms[form].suffix, NULL);
        g_autofree char *path = i < G_N_ELEMENTS(forms)
                                    ? g_build_filename(dir, file, NULL)
                                    : g_build_filename(dir, name, file, NULL);
        char *real = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? realpath(path, NULL) : NULL;
        if (real != NULL) {
            TsrFoundPlugin *found = g_new(TsrFoundPlugin, 1);
            *found = (TsrFoundPlugin){g_strdup(name), real, forms[form].is_manifest};
            return found;
        }
    }
    return NULL;
}

TsrFoundPlugin *tsr_search_find(const GPtrArray *dirs, const char *name, guint *at)
{
    TsrFoundPlugin *found = NULL;
    while (*at < dirs->len && found == NULL)
        found = find_in(g_ptr_array_index(dirs, (*at)++), name);
    return found;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    const TsrFoundPlugin *first = *(TsrFoundPlugin *const *)a;
    const TsrFoundPlugin *second = *(TsrFoundPlugin *const *)b;
    return strcmp(first->name, second->name);
}

GPtrArray *tsr_search_list(const char *dir)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_found_plugin_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GDir) folder = g_dir_open(dir, 0, NULL);
    const char *entry;
    while (folder != NULL && (entry = g_dir_read_name(folder)) != NULL) {
        g_autofree char *name = g_strdup(entry);
        TsrFoundPlugin *found;
        for (gsize i = 0; i < G_N_ELEMENTS(forms); i++)
            if (g_str_has_suffix(entry, forms[i].suffix))
                name[strlen(entry) - strlen(forms[i].suffix)] = '\0';
        found = g_hash_table_contains(seen, name) ? NULL : find_in(dir, name);
        if (found == NULL)
            continue;
        g_ptr_array_add(list, found);
        g_hash_table_add(seen, g_steal_pointer(&name));
    }
    g_ptr_array_sort(list, by_name);
    return list;
}

char *tsr_search_missing_text(const GPtrArray *dirs, const char *name)
{
    GString *text = g_string_new(NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *hint = NULL;
    g_string_append_printf(text, "no '%s.plugin' or '%s.so' in ", name, name);
    for (guint i = 0; i < dirs->len; i++) {
        const char *dir = g_ptr_array_index(dirs, i);
        g_autoptr(GPtrArray) list = tsr_search_list(dir);
        g_string_append_printf(text, "%s%s (", i != 0 ? ", " : "", dir);
        for (guint k = 0; k < list->len; k++) {
            const TsrFoundPlugin *found = g_ptr_array_index(list, k);
            if (k < NAMES_SHOWN)
                g_string_append_printf(text, "%s%s", k != 0 ? ", " : "has ", found->name);
            else if (k == NAMES_SHOWN)
                g_string_append_printf(text, " and %u more", list->len - NAMES_SHOWN);
            g_ptr_array_add(names, g_strdup(found->name));
        }
        if (list->len == 0)
            g_string_append(text, g_file_test(dir, G_FILE_TEST_IS_DIR) ? "has no plugin"
                                                                       : "is not there");
        g_string_append_c(text, ')');
    }
    hint = tsr_nearest_hint(name, (const char *const *)names->pdata, names->len);
    g_string_append(text, hint);
    return g_string_free(text, FALSE);
}
