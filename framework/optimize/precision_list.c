/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_list.c: see precision_list.h.
 */
#include "optimize/precision_list.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "plugin/conf.h"

GHashTable *tsr_precision_list_load(const char *path, GError **error)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(GHashTable) table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GError) cause = NULL;
    g_auto(GStrv) groups = NULL;
    if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &cause)) {
        g_set_error(error, TSR_ERROR,
                    cause->domain == G_FILE_ERROR ? TSR_IO : TSR_INVALID_ARGUMENT,
                    "precision list '%s': %s", path, cause->message);
        return NULL;
    }
    groups = g_key_file_get_groups(file, NULL);
    for (guint g = 0; groups[g] != NULL; g++) {
        g_auto(GStrv) keys = g_key_file_get_keys(file, groups[g], NULL, NULL);
        if (strcmp(groups[g], "precision") != 0) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "precision list '%s': wanted the group [precision], got [%s]", path,
                        groups[g]);
            return NULL;
        }
        for (guint k = 0; keys != NULL && keys[k] != NULL; k++)
            if (!tsr_conf_read_precision(table, path, file, keys[k], error)) {
                g_prefix_error(error, "precision list ");
                return NULL;
            }
    }
    return g_steal_pointer(&table);
}

static gboolean look_up(GHashTable *table, const char *name, guint32 *out_class)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(table, name));
    if (found != 0)
        *out_class = found - 1;
    return found != 0;
}

gboolean tsr_precision_list_find(GHashTable *const *tables, guint count, const TsrNode *node,
                                 guint32 *out_class)
{
    for (guint t = 0; t < count; t++) {
        if (tables[t] == NULL)
            continue;
        if (look_up(tables[t], node->name, out_class))
            return TRUE;
        for (guint i = 0; i < node->origin_names->len; i++)
            if (look_up(tables[t], g_ptr_array_index(node->origin_names, i), out_class))
                return TRUE;
        if (look_up(tables[t], node->def->name, out_class))
            return TRUE;
    }
    return FALSE;
}

static void collect_names(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        g_hash_table_add(data, node->name);
        for (guint k = 0; k < node->origin_names->len; k++)
            g_hash_table_add(data, g_ptr_array_index(node->origin_names, k));
    }
}

void tsr_precision_list_check(GHashTable *table, TsrGraph *graph, GPtrArray *warnings)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) defs = tsr_op_registry_list(graph->registry);
    g_autofree const char **words = NULL;
    GHashTableIter iter;
    gpointer name;
    guint count;
    for (guint i = 0; i < defs->len; i++)
        g_hash_table_add(known,
                         (gpointer)((const TsrOpDef *)g_ptr_array_index(defs, i))->name);
    tsr_graph_foreach(graph, collect_names, known);
    words = (const char **)g_hash_table_get_keys_as_array(known, &count);
    g_hash_table_iter_init(&iter, table);
    while (g_hash_table_iter_next(&iter, &name, NULL)) {
        const char *nearest;
        if (g_hash_table_contains(known, name))
            continue;
        nearest = tsr_nearest_word(name, words, count);
        g_ptr_array_add(warnings,
                        g_strdup_printf("the precision list names '%s', which is no operator and "
                                        "no node of the graph%s%s%s",
                                        (const char *)name,
                                        nearest != NULL ? "; did you mean '" : "",
                                        nearest != NULL ? nearest : "",
                                        nearest != NULL ? "'?" : ""));
    }
}
