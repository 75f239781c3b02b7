/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion.c: see fusion.h.
 */
#include "optimize/fusion.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "optimize/graph_edit.h"
#include "optimize/graph_pass.h"
#include "optimize/pass_stats.h"
#include "plugin/host.h"

typedef struct Pass {
    const TsrFusionPass *pass;
    const TsrLoadedPlugin *plugin;
} Pass;

#define ANY_STAGE G_MAXUINT32

static guint32 stage_of(const TsrFusionPass *pass)
{
    return TSR_HAS(pass, stage) ? pass->stage : TSR_STAGE_PLACED;
}

static gint by_order(gconstpointer a, gconstpointer b)
{
    const Pass *first = a, *second = b;
    if (first->pass->order != second->pass->order)
        return first->pass->order < second->pass->order ? -1 : 1;
    return strcmp(first->pass->name, second->pass->name);
}

/* The passes of that stage: of engines in use, or of any plugin where they work on anyone's
 * nodes. (transfer full) */
static GArray *collect_passes(const TsrPluginSet *set, guint32 stage)
{
    GArray *passes = g_array_new(FALSE, FALSE, sizeof(Pass));
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *plugin = g_ptr_array_index(set->plugins, i);
        const gboolean in_use = plugin->engine == NULL ||
                                tsr_plugin_set_find_engine(set, plugin->engine->name) != NULL;
        for (guint32 k = 0; in_use && plugin->fusion != NULL && k < plugin->fusion->pass_count;
             k++) {
            Pass pass = {plugin->fusion->passes[k], plugin};
            if (stage == ANY_STAGE || stage_of(pass.pass) == stage)
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

gboolean tsr_fusion_is_on(const char *name, gboolean default_on, const TsrConf *conf,
                          const TsrFusionSwitches *switches)
{
    const char *set = g_hash_table_lookup(conf->fusion, name);
    if (switches->disable != NULL && g_strv_contains(switches->disable, name))
        return FALSE;
    if (switches->enable != NULL && g_strv_contains(switches->enable, name))
        return TRUE;
    if (is_listed(switches->disable, name))
        return FALSE;
    if (is_listed(switches->enable, name))
        return TRUE;
    if (set == NULL)
        set = g_hash_table_lookup(conf->fusion, "*");
    if (set != NULL && strcmp(set, "off") == 0)
        return FALSE;
    return set != NULL && g_hash_table_contains(conf->fusion, name) ? TRUE : default_on;
}

/* Every name that a switch may have. (transfer container) */
static GPtrArray *known_names(const TsrPluginSet *set)
{
    g_autoptr(GArray) passes = collect_passes(set, ANY_STAGE);
    GPtrArray *names = g_ptr_array_new();
    guint count;
    const TsrGraphPass *const *own = tsr_graph_passes(&count);
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(names, (gpointer)own[i]->name);
    for (guint i = 0; i < passes->len; i++)
        g_ptr_array_add(names, (gpointer)g_array_index(passes, Pass, i).pass->name);
    return names;
}

static gboolean check_names(const GPtrArray *known, const char *const *names, GError **error)
{
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        g_autofree char *hint = NULL;
        GString *list;
        if (strcmp(names[i], "all") == 0 ||
            g_ptr_array_find_with_equal_func((GPtrArray *)known, names[i], g_str_equal, NULL))
            continue;
        list = g_string_new(NULL);
        for (guint k = 0; k < known->len; k++)
            g_string_append_printf(list, "%s%s", k != 0 ? ", " : "",
                                   (const char *)g_ptr_array_index(known, k));
        hint = tsr_nearest_hint(names[i], (const char *const *)known->pdata, known->len);
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "no fusion pass is called '%s'; there are: %s%s", names[i], list->str, hint);
        g_string_free(list, TRUE);
        return FALSE;
    }
    return TRUE;
}

gboolean tsr_fusion_check(const TsrPluginSet *set, const TsrFusionSwitches *switches,
                          GError **error)
{
    g_autoptr(GPtrArray) known = known_names(set);
    return check_names(known, switches->disable, error) &&
           check_names(known, switches->enable, error);
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
    const char *engine = stage_of(pass->pass) == TSR_STAGE_PLACED
                             ? g_intern_string(pass->plugin->engine->name)
                             : NULL;
    g_autoptr(GArray) roots = g_array_new(FALSE, FALSE, sizeof(guint32));
    *out_count = 0;
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        guint32 id = tsr_editor_node_id(editor, node);
        if (node->kind == TSR_NODE_OPERATOR &&
            (engine == NULL || node->engine == engine) && is_root(pass->pass, node) &&
            id != G_MAXUINT32)
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
                         GHashTable *stats, GError **error)
{
    guint count = 1, total = 0;
    const gint before = tsr_pass_stats_nodes(graph);
    while (count != 0) {
        g_autoptr(TsrEditor) editor = tsr_editor_new(graph, set);
        tsr_editor_set_engine(editor, pass->plugin->engine != NULL ? pass->plugin->engine->name
                                                                   : NULL);
        tsr_editor_set_placed(editor, stage_of(pass->pass) == TSR_STAGE_PLACED);
        if (!sweep(graph, pass, editor, &count, error))
            return FALSE;
        total += count;
        if (total > graph->nodes->len + 100000) {
            g_set_error(error, TSR_ERROR, TSR_INTERNAL, "%s: pass '%s' does not come to an end",
                        pass->plugin->name, pass->pass->name);
            return FALSE;
        }
    }
    tsr_pass_stats_add(stats, pass->pass->name, total, before - tsr_pass_stats_nodes(graph));
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            if (!run_pass(g_ptr_array_index(node->subgraphs, s), set, pass, stats, error))
                return FALSE;
    }
    return TRUE;
}

gboolean tsr_fusion_run(TsrGraph *graph, const TsrPluginSet *set,
                        const TsrFusionSwitches *switches, guint32 stage, GHashTable *stats,
                        GError **error)
{
    g_autoptr(GArray) passes = collect_passes(set, stage);
    if (!tsr_fusion_check(set, switches, error))
        return FALSE;
    for (guint i = 0; i < passes->len; i++) {
        const Pass *pass = &g_array_index(passes, Pass, i);
        if (tsr_fusion_is_on(pass->pass->name, pass->pass->default_on != 0, set->conf,
                             switches) &&
            !run_pass(graph, set, pass, stats, error))
            return FALSE;
    }
    return TRUE;
}
