/* SPDX-License-Identifier: Apache-2.0
 *
 * place.c: see place.h.
 */
#include "engine/place.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/nearest.h"
#include "engine/answer.h"
#include "engine/cluster.h"
#include "engine/place_cost.h"
#include "plugin/host.h"

/* Beyond this an engine's word on its cost, a day for one node, is no word. */
#define COST_LIMIT_US 86400e6f

static gboolean has_unknown_shape(const TsrNode *node)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return TRUE;
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return TRUE;
    }
    return FALSE;
}

static gboolean has_value_kinds(const TsrNode *node)
{
    for (guint i = 0; i < node->inputs->len + node->outputs->len; i++) {
        const TsrValue *value = i < node->inputs->len
                                    ? g_ptr_array_index(node->inputs, i)
                                    : g_ptr_array_index(node->outputs, i - node->inputs->len);
        if (value != NULL && value->desc.view.kind != TSR_KIND_TENSOR)
            return TRUE;
    }
    return FALSE;
}

static gboolean say_no(TsrSupport *support, guint32 code, const char *reason)
{
    support->answer = TSR_SUPPORT_NO;
    support->reason_code = code;
    g_strlcpy(support->reason, reason, sizeof(support->reason));
    return FALSE;
}

gboolean tsr_place_ask(TsrNode *node, const TsrRankedEngine *ranked, TsrSupport *out_support)
{
    /* An engine that writes nothing has not said yes. */
    TsrSupport support = {.struct_size = sizeof(support), .answer = TSR_SUPPORT_NO};
    gboolean takes;
    gint32 status;
    *out_support = support;
    if (has_unknown_shape(node) && (ranked->engine->flags & TSR_ENGINE_DYNAMIC) == 0)
        return say_no(out_support, TSR_REFUSE_DYNAMIC, "the shapes are known only at run time");
    if ((ranked->engine->flags & TSR_ENGINE_VALUES) == 0 && has_value_kinds(node))
        return say_no(out_support, TSR_REFUSE_DTYPE,
                      "it takes tensors only, no sequences, optionals or maps");
    tsr_host_clear_error();
    status = ranked->engine->check(ranked->engine, tsr_node_view(node), &support);
    takes = tsr_answer_settle(&support, status, ranked->name, "check", TSR_REFUSE_OP);
    if (!takes || !(support.cost > 0.0f) || support.cost > COST_LIMIT_US)
        support.cost = 0.0f;
    *out_support = support;
    return takes;
}

/* Asks one engine; FALSE notes the refusal on the node. *out_cost, which may be NULL, is the
 * engine's hint in microseconds, 0 for none. */
static gboolean ask_cost(TsrNode *node, const TsrRankedEngine *ranked, double *out_cost)
{
    TsrSupport support;
    for (guint i = 0; i < node->refusals->len; i++)
        if (g_array_index(node->refusals, TsrRefusal, i).engine == ranked->name)
            return FALSE; /* it refused before, alone or in a cluster */
    if (!tsr_place_ask(node, ranked, &support)) {
        tsr_node_add_refusal(node, ranked->name, support.reason_code, support.reason);
        return FALSE;
    }
    if (out_cost != NULL)
        *out_cost = (double)support.cost;
    return TRUE;
}

static gboolean ask(TsrNode *node, const TsrRankedEngine *ranked)
{
    return ask_cost(node, ranked, NULL);
}

static const TsrPin *find_pin(const TsrNode *node, const TsrConf *conf)
{
    return tsr_pins_find(conf->pins, node->name, node->def->domain, node->def->name);
}

/* The name of an engine in use that may have been meant. (transfer full) */
static char *engine_hint(const TsrPluginSet *set, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < set->engines->len; i++)
        g_ptr_array_add(names, (gpointer)g_array_index(set->engines, TsrRankedEngine, i).name);
    return tsr_nearest_hint(name, (const char *const *)names->pdata, names->len);
}

static gboolean place_pinned(TsrNode *node, const TsrPluginSet *set, const TsrPin *pin,
                             GError **error)
{
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(set, pin->engine);
    g_autofree char *text = tsr_node_to_text(node);
    if (ranked == NULL) {
        g_autofree char *hint = engine_hint(set, pin->engine);
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "%s is pinned to engine '%s', which is not in use (%s '%s')%s", text,
                    pin->engine, pin->source, pin->pattern, hint);
        return FALSE;
    }
    if (!ask(node, ranked)) {
        const TsrRefusal *last =
            &g_array_index(node->refusals, TsrRefusal, node->refusals->len - 1);
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "%s is pinned to engine '%s', which refuses it: %s (%s '%s')", text,
                    pin->engine, last->reason, pin->source, pin->pattern);
        return FALSE;
    }
    node->engine = ranked->name;
    node->placed_by = pin->source;
    return TRUE;
}

typedef struct PinMatch {
    const TsrPin *pin;
    gboolean matched;
    GPtrArray *names; /* of nodes or operators that there are */
} PinMatch;

static void match_nodes(TsrGraph *graph, gpointer data)
{
    PinMatch *match = data;
    g_autoptr(GPtrArray) one = g_ptr_array_new();
    g_ptr_array_add(one, (gpointer)match->pin);
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        match->matched |= tsr_pins_find(one, node->name, node->def->domain,
                                        node->def->name) != NULL;
        g_ptr_array_add(match->names,
                        (gpointer)(match->pin->is_op ? node->def->name : node->name));
    }
}

gboolean tsr_place_check_pins(TsrGraph *graph, const TsrPluginSet *set, GError **error)
{
    for (guint i = 0; i < set->conf->pins->len; i++) {
        const TsrPin *pin = g_ptr_array_index(set->conf->pins, i);
        g_autoptr(GPtrArray) names = g_ptr_array_new();
        g_autofree char *hint = NULL;
        PinMatch match = {pin, FALSE, names};
        if (!pin->is_option)
            continue;
        tsr_graph_foreach(graph, match_nodes, &match);
        if (match.matched)
            continue;
        hint = tsr_nearest_hint(pin->pattern, (const char *const *)names->pdata, names->len);
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "%s: the model has no %s '%s'%s",
                    pin->source, pin->is_op ? "operator" : "node", pin->pattern, hint);
        return FALSE;
    }
    return TRUE;
}

static void describe_refusals(const TsrNode *node, GString *out)
{
    g_autofree char *text = tsr_node_to_text(node);
    g_string_append_printf(out, "no engine takes %s", text);
    for (guint i = 0; i < node->refusals->len; i++) {
        const TsrRefusal *refusal = &g_array_index(node->refusals, TsrRefusal, i);
        g_string_append_printf(out, "%s%s: %s", i == 0 ? " (" : "; ", refusal->engine,
                               refusal->reason);
    }
    if (node->refusals->len != 0)
        g_string_append_c(out, ')');
}

static gboolean place(TsrNode *node, const TsrPluginSet *set, const char *preferred)
{
    const TsrRankedEngine *first =
        preferred != NULL ? tsr_plugin_set_find_engine(set, preferred) : NULL;
    if (first != NULL && ask(node, first)) {
        node->engine = first->name;
        node->placed_by = "the pass that made it";
        return TRUE;
    }
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        if (ask(node, ranked)) {
            node->engine = ranked->name;
            node->placed_by = "priority";
            return TRUE;
        }
    }
    return FALSE;
}

gboolean tsr_place_node(TsrNode *node, const TsrPluginSet *set, const char *preferred,
                        GError **error)
{
    g_autoptr(GString) missing = NULL;
    if (place(node, set, preferred))
        return TRUE;
    missing = g_string_new(NULL);
    describe_refusals(node, missing);
    g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "%s", missing->str);
    return FALSE;
}

typedef struct Placing {
    const TsrPluginSet *set;
    GString *missing;
    GError *error;
} Placing;

static void place_nodes(TsrGraph *graph, gpointer data)
{
    Placing *placing = data;
    for (guint i = 0; i < graph->nodes->len && placing->error == NULL; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        const TsrPin *pin;
        if (node->kind != TSR_NODE_OPERATOR || node->engine != NULL)
            continue;
        pin = find_pin(node, placing->set->conf);
        if (pin != NULL) {
            if (!place_pinned(node, placing->set, pin, &placing->error))
                return;
        } else if (!place(node, placing->set, NULL)) {
            if (placing->missing->len != 0)
                g_string_append(placing->missing, "\n");
            describe_refusals(node, placing->missing);
        }
    }
}

/* Whether a node may be on an engine, and its price there. */
static gboolean price(TsrNode *node, const TsrRankedEngine *ranked, gpointer data,
                      double *out_cost)
{
    const TsrPluginSet *set = data;
    const TsrPin *pin = find_pin(node, set->conf);
    if (pin != NULL && g_ascii_strcasecmp(pin->engine, ranked->name) != 0)
        return FALSE;
    if (!ask_cost(node, ranked, out_cost))
        return FALSE;
    if (*out_cost == 0.0)
        *out_cost = tsr_place_estimate(node, ranked->engine);
    return TRUE;
}

/* All nodes of one graph anew: a refusal of a cluster changes what is best for the others. */
static void place_by_cost(TsrGraph *graph, gpointer data)
{
    Placing *placing = data;
    for (guint i = 0; i < graph->nodes->len && placing->error == NULL; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        const TsrPin *pin =
            node->kind == TSR_NODE_OPERATOR ? find_pin(node, placing->set->conf) : NULL;
        if (pin != NULL && !place_pinned(node, placing->set, pin, &placing->error))
            return;
    }
    tsr_place_by_cost(graph, placing->set, placing->set->conf->min_cluster_nodes, price,
                      (gpointer)placing->set);
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        const TsrPin *pin =
            node->kind == TSR_NODE_OPERATOR ? find_pin(node, placing->set->conf) : NULL;
        if (pin != NULL)
            node->placed_by = pin->source;
        if (node->kind != TSR_NODE_OPERATOR || node->engine != NULL)
            continue;
        if (placing->missing->len != 0)
            g_string_append(placing->missing, "\n");
        describe_refusals(node, placing->missing);
    }
}

double tsr_place_cost(TsrGraph *graph, const TsrPluginSet *set)
{
    return tsr_place_cost_of(graph, set, price, (gpointer)set);
}

gboolean tsr_place_graph(TsrGraph *graph, const TsrPluginSet *set, GError **error)
{
    Placing placing = {set, g_string_new(NULL), NULL};
    gboolean again = TRUE;
    /* Each round a refused cluster loses one engine for good, so this ends. */
    while (again && placing.error == NULL && placing.missing->len == 0) {
        tsr_graph_foreach(graph, set->conf->by_cost ? place_by_cost : place_nodes, &placing);
        again = FALSE;
        if (placing.error == NULL && placing.missing->len == 0)
            again = !tsr_cluster_confirm(graph, set);
    }
    if (placing.error == NULL && placing.missing->len != 0)
        g_set_error(&placing.error, TSR_ERROR, TSR_UNSUPPORTED, "%s", placing.missing->str);
    g_string_free(placing.missing, TRUE);
    if (placing.error == NULL)
        return TRUE;
    g_propagate_error(error, placing.error);
    return FALSE;
}

typedef struct Tally {
    const char *first;
    guint total, elsewhere;
    GHashTable *reasons; /* text -> count */
} Tally;

static void tally_nodes(TsrGraph *graph, gpointer data)
{
    Tally *tally = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        tally->total++;
        if (node->engine == tally->first)
            continue;
        tally->elsewhere++;
        for (guint k = 0; k < node->refusals->len; k++) {
            const TsrRefusal *refusal = &g_array_index(node->refusals, TsrRefusal, k);
            char *text;
            guint count;
            if (refusal->engine != tally->first)
                continue;
            text = g_strdup_printf("%s: %s", node->def->name, refusal->reason);
            count = GPOINTER_TO_UINT(g_hash_table_lookup(tally->reasons, text));
            g_hash_table_replace(tally->reasons, text, GUINT_TO_POINTER(count + 1));
            break;
        }
    }
}

char *tsr_place_fallback_text(TsrGraph *graph, const TsrPluginSet *set)
{
    Tally tally = {g_array_index(set->engines, TsrRankedEngine, 0).name, 0, 0,
                   g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    GString *out = NULL;
    tsr_graph_foreach(graph, tally_nodes, &tally);
    if (tally.elsewhere != 0) {
        GList *texts = g_list_sort(g_hash_table_get_keys(tally.reasons), (GCompareFunc)strcmp);
        out = g_string_new(NULL);
        g_string_append_printf(out, "%u of %u nodes are not on engine '%s'", tally.elsewhere,
                               tally.total, tally.first);
        for (GList *at = texts; at != NULL; at = at->next)
            g_string_append_printf(
                out, "\n  %u x %s", GPOINTER_TO_UINT(g_hash_table_lookup(tally.reasons, at->data)),
                (const char *)at->data);
        g_list_free(texts);
    }
    g_hash_table_unref(tally.reasons);
    return out != NULL ? g_string_free(out, FALSE) : NULL;
}

void tsr_place_forget(TsrNode *node)
{
    node->engine = NULL;
    tsr_node_clear_refusals(node);
}
