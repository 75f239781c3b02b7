/* SPDX-License-Identifier: Apache-2.0
 *
 * verdict.c: see verdict.h.
 */
#include "engine/verdict.h"

#include "engine/place.h"

static void verdict_clear(gpointer data)
{
    g_free(((TsrVerdict *)data)->reason);
}

void tsr_placed_node_free(TsrPlacedNode *node)
{
    if (node == NULL)
        return;
    g_free(node->name);
    g_free(node->op);
    g_free(node->domain);
    g_ptr_array_unref(node->origin_names);
    g_array_unref(node->verdicts);
    g_free(node);
}

const char *tsr_verdict_name(TsrVerdictKind kind)
{
    static const char *const names[] = {"chosen", "refused", "passed over"};
    return names[kind];
}

const char *tsr_refusal_name(guint32 code)
{
    static const char *const names[] = {"none",    "op",   "version", "dtype",   "shape",
                                        "dynamic", "attr", "value",   "cluster", "user"};
    return code < G_N_ELEMENTS(names) ? names[code] : "unknown";
}

static const TsrRefusal *find_refusal(const TsrNode *node, const char *engine)
{
    for (guint i = 0; i < node->refusals->len; i++)
        if (g_array_index(node->refusals, TsrRefusal, i).engine == engine)
            return &g_array_index(node->refusals, TsrRefusal, i);
    return NULL;
}

/* Why an engine that says yes has not got the node. (transfer full) */
static char *why_passed_over(const TsrNode *node, const TsrPluginSet *set, gboolean is_before)
{
    const TsrPin *pin =
        tsr_pins_find(set->conf->pins, node->name, node->def->domain, node->def->name);
    if (pin != NULL && g_ascii_strcasecmp(pin->engine, node->engine) == 0)
        return g_strdup_printf("would take it, but %s '%s' pins it to %s", pin->source,
                               pin->pattern, node->engine);
    if (!is_before)
        return g_strdup_printf("would take it, but comes after %s", node->engine);
    if (set->conf->by_cost && g_strcmp0(node->placed_by, "cost") == 0)
        return g_strdup_printf("would take it, but the graph costs less with %s", node->engine);
    return g_strdup_printf("would take it, but %s gave it to %s",
                           node->placed_by != NULL ? node->placed_by : "a pass", node->engine);
}

static TsrVerdict judge(TsrNode *node, const TsrPluginSet *set, const TsrRankedEngine *ranked,
                        gboolean is_before)
{
    const TsrRefusal *refusal = find_refusal(node, ranked->name);
    TsrVerdict verdict = {.engine = ranked->name, .kind = TSR_VERDICT_REFUSED};
    TsrSupport support;
    if (refusal != NULL && node->engine != ranked->name) {
        verdict.code = refusal->code;
        verdict.reason = g_strdup(refusal->reason);
    } else if (tsr_place_ask(node, ranked, &support) || node->engine == ranked->name) {
        const gboolean chosen = node->engine == ranked->name;
        verdict.kind = chosen ? TSR_VERDICT_CHOSEN : TSR_VERDICT_PASSED_OVER;
        verdict.reason = chosen ? g_strdup(node->placed_by != NULL ? node->placed_by : "a pass")
                                : why_passed_over(node, set, is_before);
        verdict.cost = (double)support.cost;
    } else {
        verdict.code = support.reason_code;
        verdict.reason = g_strdup(support.reason);
    }
    return verdict;
}

static TsrPlacedNode *placed_node_new(TsrNode *node, const TsrPluginSet *set, gboolean made)
{
    TsrPlacedNode *placed = g_new0(TsrPlacedNode, 1);
    gboolean is_before = TRUE;
    placed->name = g_strdup(node->name);
    placed->op = g_strdup(node->def->name);
    placed->domain = g_strdup(node->def->domain);
    placed->graph = g_intern_string(node->graph->name);
    placed->engine = node->engine;
    placed->placed_by = node->placed_by;
    placed->cluster = node->cluster;
    placed->made = made;
    placed->origin_names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < node->origin_names->len; i++)
        g_ptr_array_add(placed->origin_names,
                        g_strdup(g_ptr_array_index(node->origin_names, i)));
    placed->verdicts = g_array_new(FALSE, FALSE, sizeof(TsrVerdict));
    g_array_set_clear_func(placed->verdicts, verdict_clear);
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        TsrVerdict verdict = judge(node, set, ranked, is_before);
        g_array_append_val(placed->verdicts, verdict);
        is_before &= ranked->name != node->engine;
    }
    return placed;
}

typedef struct Adding {
    GPtrArray *placed;
    const TsrPluginSet *set;
    gboolean made;
    GHashTable *known; /* "graph\nname\noperator" */
} Adding;

static char *key_of(const char *graph, const char *name, const char *op)
{
    return g_strjoin("\n", graph, name, op, NULL);
}

static void add_nodes(TsrGraph *graph, gpointer data)
{
    Adding *adding = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        g_autofree char *key = NULL;
        if (node->kind != TSR_NODE_OPERATOR || node->engine == NULL)
            continue;
        key = key_of(graph->name, node->name, node->def->name);
        if (!g_hash_table_contains(adding->known, key))
            g_ptr_array_add(adding->placed, placed_node_new(node, adding->set, adding->made));
    }
}

void tsr_verdicts_add(GPtrArray *placed, TsrGraph *graph, const TsrPluginSet *set, gboolean made)
{
    Adding adding = {placed, set, made,
                     g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    for (guint i = 0; i < placed->len; i++) {
        const TsrPlacedNode *node = g_ptr_array_index(placed, i);
        g_hash_table_add(adding.known, key_of(node->graph, node->name, node->op));
    }
    tsr_graph_foreach(graph, add_nodes, &adding);
    g_hash_table_unref(adding.known);
}
