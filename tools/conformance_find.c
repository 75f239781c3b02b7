/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_find.c: see conformance_find.h.
 */
#include "conformance_find.h"

#include <string.h>

#include "base/error.h"

typedef struct Finder {
    GPtrArray *tests;
    GPatternSpec *filter; /* or NULL */
} Finder;

static void test_free(gpointer data)
{
    TsrConformanceTest *test = data;
    g_free(test->name);
    g_free(test->model);
    g_free(test);
}

static void add_test(Finder *finder, const char *name, const char *model, gboolean is_light,
                     gboolean expects_error)
{
    TsrConformanceTest *test;
    if (finder->filter != NULL && !g_pattern_spec_match_string(finder->filter, name))
        return;
    test = g_new0(TsrConformanceTest, 1);
    test->name = g_strdup(name);
    test->model = g_strdup(model);
    test->is_light = is_light;
    test->expects_error = expects_error;
    g_ptr_array_add(finder->tests, test);
}

static int find_column(char **columns, const char *name)
{
    for (int i = 0; columns[i] != NULL; i++)
        if (strcmp(g_strstrip(columns[i]), name) == 0)
            return i;
    return -1;
}

/* Fills id -> "ok" or "error" from a manifest; no file, no entries. */
static gboolean read_manifest(const char *directory, GHashTable *out_expect, GError **error)
{
    g_autofree char *path = g_build_filename(directory, "manifest.tsv", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    g_auto(GStrv) head = NULL;
    int id, expect;
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    if (!g_file_get_contents(path, &text, NULL, error))
        return FALSE;
    lines = g_strsplit(text, "\n", -1);
    head = g_strsplit(lines[0] != NULL ? lines[0] : "", "\t", -1);
    id = find_column(head, "id");
    expect = find_column(head, "expect");
    if (id < 0 || expect < 0) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "'%s': the first line must name the columns 'id' and 'expect'", path);
        return FALSE;
    }
    for (guint i = 1; lines[i] != NULL; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], "\t", -1);
        const char *word;
        if (g_strstrip(lines[i])[0] == '\0')
            continue;
        if ((int)g_strv_length(cells) <= MAX(id, expect)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "'%s': line %u lacks a column", path, i + 1);
            return FALSE;
        }
        word = g_strstrip(cells[expect]);
        if (strcmp(word, "ok") != 0 && strcmp(word, "error") != 0) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "'%s': line %u: expect is '%s', wanted ok or error", path, i + 1, word);
            return FALSE;
        }
        g_hash_table_insert(out_expect, g_strdup(g_strstrip(cells[id])), g_strdup(word));
    }
    return TRUE;
}

static char *join_name(const char *prefix, const char *name)
{
    return prefix[0] != '\0' ? g_strconcat(prefix, "/", name, NULL) : g_strdup(name);
}

/* X.onnx is a light model when X_output_0.pb lies beside it. */
static void add_light(Finder *finder, const char *directory, const char *prefix,
                      const char *file)
{
    g_autofree char *stem = g_strndup(file, strlen(file) - strlen(".onnx"));
    g_autofree char *output_name = g_strconcat(stem, "_output_0.pb", NULL);
    g_autofree char *output = g_build_filename(directory, output_name, NULL);
    g_autofree char *model = g_build_filename(directory, file, NULL);
    g_autofree char *name = join_name(prefix, stem);
    if (g_file_test(output, G_FILE_TEST_IS_REGULAR))
        add_test(finder, name, model, TRUE, FALSE);
}

static gboolean find_below(Finder *finder, const char *directory, const char *prefix,
                           const char *expect, GError **error)
{
    g_autoptr(GHashTable) expects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                                          g_free);
    g_autofree char *model = g_build_filename(directory, "model.onnx", NULL);
    g_autofree char *base = g_path_get_basename(directory);
    g_autoptr(GDir) dir = NULL;
    GHashTableIter iter;
    gpointer id, word;
    const char *entry;

    /* The manifest wins over the file system: what it lists must be there. */
    if (expect != NULL || g_file_test(model, G_FILE_TEST_IS_REGULAR)) {
        add_test(finder, prefix[0] != '\0' ? prefix : base, model, FALSE,
                 g_strcmp0(expect, "error") == 0);
        return TRUE;
    }
    dir = g_dir_open(directory, 0, error);
    if (dir == NULL || !read_manifest(directory, expects, error))
        return FALSE;
    while ((entry = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(directory, entry, NULL);
        g_autofree char *name = join_name(prefix, entry);
        if (g_str_has_suffix(entry, ".onnx"))
            add_light(finder, directory, prefix, entry);
        else if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_hash_table_contains(expects, entry) &&
                 !find_below(finder, path, name, NULL, error))
            return FALSE;
    }
    g_hash_table_iter_init(&iter, expects);
    while (g_hash_table_iter_next(&iter, &id, &word)) {
        g_autofree char *path = g_build_filename(directory, id, NULL);
        g_autofree char *name = join_name(prefix, id);
        if (!find_below(finder, path, name, word, error))
            return FALSE;
    }
    return TRUE;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp((*(TsrConformanceTest *const *)a)->name,
                  (*(TsrConformanceTest *const *)b)->name);
}

GPtrArray *tsr_conformance_find(char **directories, int count, const char *filter,
                                GError **error)
{
    g_autoptr(GPtrArray) tests = g_ptr_array_new_with_free_func(test_free);
    Finder finder = {tests, filter != NULL ? g_pattern_spec_new(filter) : NULL};
    g_autoptr(GError) cause = NULL;
    for (int i = 0; i < count && cause == NULL; i++)
        if (!find_below(&finder, directories[i], "", NULL, &cause) &&
            cause->domain != TSR_ERROR) {
            g_set_error(error, TSR_ERROR, TSR_IO, "%s", cause->message);
            tests = (g_ptr_array_unref(tests), NULL);
            break;
        }
    if (finder.filter != NULL)
        g_pattern_spec_free(finder.filter);
    if (tests == NULL)
        return NULL;
    if (cause != NULL) {
        g_propagate_error(error, g_steal_pointer(&cause));
        return NULL;
    }
    if (tests->len == 0) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "there is no test below '%s'",
                    directories[0]);
        return NULL;
    }
    g_ptr_array_sort(tests, by_name);
    return g_steal_pointer(&tests);
}
