/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion.c: see fusion.h.
 */
#include "optimize/fusion.h"

#include <string.h>

#include "base/error.h"
#include "optimize/graph_edit.h"
#include "plugin/host.h"

typedef struct Pass {
    const TsrFusionPass *pass;
    const TsrLoadedPlugin *plugin;
} Pass;

static gint by_order(gconstpointer a, gconstpointer b)
{
    const Pass *first = a, *second = b;
    if (first->pass->order != second->pass->order)
        return first->pass->order < second->pass->order ? -1 : 1;
    return strcmp(first->pass->name, second->pass->name);
}

/* The passes of every engine in use. (transfer full) */
static GArray *collect_passes(const TsrPluginSet *set)
{
    GArray *passes = g_array_new(FALSE, FALSE, sizeof(Pass));
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrLoadedPlugin *plugin =
            g_array_index(set->engines, TsrRankedEngine, i).plugin;
        for (guint32 k = 0; plugin->fusion != NULL && k < plugin->fusion->pass_count; k++) {
            Pass pass = {plugin->fusion->passes[k], plugin};
            g_array_append_val(passes, pass);
        }
    }
    g_array_sort(passes, by_order);
    return passes;
}

static gboolean is_listed(const char *const *list, const char *name)
{
    return list != NULL && (g_strv_contains(list, name) || g_strv_contains(list, "all"));
}

static gboolean is_on(const TsrFusionPass *pass, const TsrConf *conf,
                      const TsrFusionSwitches *switches)
{
    const char *set = g_hash_table_lookup(conf->fusion, pass->name);
    if (switches->disable != NULL && g_strv_contains(switches->disable, pass->name))
        return FALSE;
    if (switches->enable != NULL && g_strv_contains(switches->enable, pass->name))
        return TRUE;
    if (is_listed(switches->disable, pass->name))
        return FALSE;
    if (is_listed(switches->enable, pass->name))
        return TRUE;
    if (set == NULL)
        set = g_hash_table_lookup(conf->fusion, "*");
    if (set != NULL && strcmp(set, "off") == 0)
        return FALSE;
    return set != NULL && g_hash_table_contains(conf->fusion, pass->name) ? TRUE
                                                                            : pass->default_on != 0;
}

static gboolean check_names(const GArray *passes, const char *const *names, GError **error)
{
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        gboolean known = strcmp(names[i], "all") == 0;
        GString *list;
        for (guint k = 0; k < passes->len; k++)
            known |= strcmp(g_array_index(passes, Pass, k).pass->name, names[i]) == 0;
        if (known)
            continue;
        list = g_string_new(NULL);
        for (guint k = 0; k < passes->len; k++)
            g_string_append_printf(list, "%s%s", k != 0 ? ", " : "",
                                   g_array_index(passes, Pass, k).pass->name);
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "no fusion pass is called '%s'; there are: %s", names[i], list->str);
        g_string_free(list, TRUE);
        return FALSE;
    }
    return TRUE;
}

static gboolean is_root(const TsrFusionPass *pass, const TsrNode *node)
{
    for (guint32 i = 0; i < pass->root_count; i++)
        if (strcmp(pass->root_ops[i], node->def->name) == 0)
            return TRUE;
    return FALSE;
}

/* One sweep over the graph; *out_count is the number of fusions. */
static gboolean sweep(TsrGraph *graph, const Pass *pass, TsrEditor *editor, guint *out_count,
                      GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    const char *engine = g_intern_string(pass->plugin->engine->name);
    g_autoptr(GArray) roots = g_array_new(FALSE, FALSE, sizeof(guint32));
    *out_count = 0;
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        guint32 id = tsr_editor_node_id(editor, node);
        if (node->kind == TSR_NODE_OPERATOR && node->engine == engine &&
            is_root(pass->pass, node) && id != G_MAXUINT32)
            g_array_append_val(roots, id);
    }
    for (guint i = 0; i < roots->len; i++) {
        const TsrGraphEdit *edit = tsr_editor_interface(editor);
        guint32 id = g_array_index(roots, guint32, i);
        gint32 status;
        if (edit->node(edit, id) == NULL)
            continue; /* fused away by an earlier root */
        tsr_host_clear_error();
        status = pass->pass->apply(pass->pass, edit, id);
        if (status == TSR_OK)
            (*out_count)++;
        else if (status != TSR_UNSUPPORTED)
            return tsr_host_take_error(status, pass->plugin->name, pass->pass->name, error);
    }
    return TRUE;
}

static gboolean run_pass(TsrGraph *graph, const TsrPluginSet *set, const Pass *pass,
                         GHashTable *counts, GError **error)
{
    guint count = 1, total = 0;
    while (count != 0) {
        g_autoptr(TsrEditor) editor = tsr_editor_new(graph, set);
        tsr_editor_set_engine(editor, pass->plugin->engine->name);
        if (!sweep(graph, pass, editor, &count, error))
            return FALSE;
        total += count;
        if (total > graph->nodes->len + 100000) {
            g_set_error(error, TSR_ERROR, TSR_INTERNAL, "%s: pass '%s' does not come to an end",
                        pass->plugin->name, pass->pass->name);
            return FALSE;
        }
    }
    total += GPOINTER_TO_UINT(g_hash_table_lookup(counts, pass->pass->name));
    g_hash_table_insert(counts, (gpointer)g_intern_string(pass->pass->name),
                        GUINT_TO_POINTER(total));
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            if (!run_pass(g_ptr_array_index(node->subgraphs, s), set, pass, counts, error))
                return FALSE;
    }
    return TRUE;
}

gboolean tsr_fusion_run(TsrGraph *graph, const TsrPluginSet *set,
                        const TsrFusionSwitches *switches, GHashTable *counts, GError **error)
{
    g_autoptr(GArray) passes = collect_passes(set);
    if (!check_names(passes, switches->disable, error) ||
        !check_names(passes, switches->enable, error))
        return FALSE;
    for (guint i = 0; i < passes->len; i++) {
        const Pass *pass = &g_array_index(passes, Pass, i);
        if (is_on(pass->pass, set->conf, switches) &&
            !run_pass(graph, set, pass, counts, error))
            return FALSE;
    }
    return TRUE;
}
