/* SPDX-License-Identifier: Apache-2.0
 *
 * group_claims.c: what the engine says it supports it runs, and with the reference engine's
 * numbers: every case that it says yes to is compiled, with its shapes known and, where the
 * engine takes that, with shapes that only the run knows.
 */
#include <string.h>

#include "base/error.h"
#include "conformance_variant.h"
#include "plugin_check/claimed.h"

/* Why the engine has not got the node that it said yes to. (transfer full) */
static char *where_it_went(const PcContext *context, TsrGraph *graph)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; node->refusals != NULL && k < node->refusals->len; k++) {
            const TsrRefusal *refusal = &g_array_index(node->refusals, TsrRefusal, k);
            if (strcmp(refusal->engine, context->plugin->engine) == 0)
                return g_strdup_printf("then refused it: %s", refusal->reason);
        }
    }
    return g_strdup("but has not got it");
}

/* Whether all of the graph's operators went to the engine. */
static gboolean check_placed(const PcContext *context, TsrModel *model, TsrGraph *graph,
                             GError **error)
{
    const guint got = GPOINTER_TO_UINT(
        g_hash_table_lookup(model->report->engines, context->plugin->engine));
    g_autofree char *why = NULL;
    if (got != 0 || model->report->nodes == 0)
        return TRUE;
    why = where_it_went(context, graph);
    g_set_error(error, TSR_ERROR, TSR_INTERNAL, "the engine said yes to the node, %s", why);
    return FALSE;
}

/* Runs the model. A reference that is not there yet is what it gives. */
static gboolean run_once(const PcCase *item, TsrModel *model, GPtrArray *inputs,
                         GPtrArray **wanted, GError **error)
{
    g_autoptr(GPtrArray) got = pc_run_model(model, inputs, error);
    if (got == NULL)
        return FALSE;
    if (*wanted == NULL) {
        *wanted = g_steal_pointer(&got);
        return TRUE;
    }
    return item->is_random ? pc_same_form(got, *wanted, error)
                           : pc_same(got, *wanted, FALSE, error);
}

static gboolean run_form(const PcContext *context, const PcStart *start, const PcCase *item,
                         GPtrArray **wanted, gboolean dynamic, GError **error)
{
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrGraph) graph = pc_case_graph(item, start->session, inputs, error);
    g_autoptr(TsrModel) model = NULL;
    if (graph == NULL)
        return FALSE;
    if (dynamic)
        tsr_variant_forget_shapes(graph);
    model = tsr_session_compile(start->session, graph, NULL, error);
    if (model == NULL || (!dynamic && !check_placed(context, model, graph, error)) ||
        !run_once(item, model, inputs, wanted, error))
        return FALSE;
    /* A second run must not depend on what the first one left. */
    if (run_once(item, model, inputs, wanted, error))
        return TRUE;
    g_prefix_error(error, "second run: ");
    return FALSE;
}

/* The reference engine's results, or NULL with the reason why there are none. */
static GPtrArray *reference_of(TsrSession *reference, const PcCase *item, GError **error)
{
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrGraph) graph = pc_case_graph(item, reference, inputs, error);
    return graph != NULL ? pc_run(reference, graph, NULL, inputs, error) : NULL;
}

/* What the cases were found to be. */
typedef struct Seen {
    TsrSession *reference;  /* NULL: the plugin is the reference engine */
    GHashTable *asked;      /* operators that the engine was asked about */
    guint claimed;
} Seen;

static void check_case(PcContext *context, const PcStart *start, const PcCase *item, Seen *seen)
{
    g_autoptr(GPtrArray) wanted = NULL;
    GError *error = NULL;
    TsrSupport support = {0};
    PcAsked asked;
    gboolean dynamic = FALSE;
    gboolean asks = pc_asked_make(&asked, item, start->session, NULL) && asked.node != NULL;
    if (asks)
        g_hash_table_add(seen->asked, item->op);
    if (asks && !pc_ask(context, start->record, &asked, &support, &error)) {
        pc_asked_clear(&asked);
        pc_end(context, error);
        return;
    }
    pc_asked_clear(&asked);
    if (!asks || support.answer != TSR_SUPPORT_YES) {
        pc_drop(context);
        return;
    }
    seen->claimed++;
    if (seen->reference != NULL)
        wanted = reference_of(seen->reference, item, &error);
    if (seen->reference != NULL && wanted == NULL) {
        pc_skip(context, "the reference engine cannot tell: %s", error->message);
        g_clear_error(&error);
        return;
    }
    dynamic = (start->record->engine->flags & TSR_ENGINE_DYNAMIC) != 0;
    if (!run_form(context, start, item, &wanted, FALSE, &error) && error == NULL)
        error = g_error_new(TSR_ERROR, TSR_INTERNAL, "failed without an error");
    if (error == NULL && dynamic && !run_form(context, start, item, &wanted, TRUE, &error))
        g_prefix_error(&error, "with shapes that only the run knows: ");
    pc_end(context, error);
}

static void add_name(GString *names, guint *count, const char *name)
{
    g_string_append_printf(names, "%s%s", *count == 0 ? "" : " ", name);
    ++*count;
}

/* A skip for each reason why operators have no case. */
static void report_missing(PcContext *context, const PcStart *start)
{
    g_autoptr(GPtrArray) missing = pc_cases_missing(start->session, start->cases);
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < missing->len; i++) {
        const char *reason = pc_missing_reason(g_ptr_array_index(missing, i));
        g_autoptr(GString) names = g_string_new(NULL);
        guint count = 0;
        if (!g_hash_table_add(told, (gpointer)(guintptr)reason))
            continue;
        for (guint k = i; k < missing->len; k++)
            if (pc_missing_reason(g_ptr_array_index(missing, k)) == reason)
                add_name(names, &count, g_ptr_array_index(missing, k));
        if (pc_begin(context, "%u operators without a case", count))
            pc_skip(context, "%s: %s", reason, names->str);
    }
}

/* Operators that have cases, but never came before the engine. */
static void report_unasked(PcContext *context, const PcStart *start, const Seen *seen)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const char *last = "";
    guint count = 0;
    if (!pc_begin(context, "operators that the engine is not asked about"))
        return;
    for (guint i = 0; i < start->cases->len; i++) {
        const char *op = ((const PcCase *)g_ptr_array_index(start->cases, i))->op;
        if (!g_hash_table_contains(seen->asked, op) && strcmp(op, last) != 0)
            add_name(names, &count, op);
        last = op;
    }
    if (count == 0 || context->resume != 0) /* an earlier child may have asked */
        pc_drop(context);
    else
        pc_skip(context, "the compiler computes or removes every case of them: %s", names->str);
}

static void run(PcContext *context)
{
    PcStart start;
    g_autoptr(TsrSession) reference = NULL;
    g_autoptr(GHashTable) asked = g_hash_table_new(g_str_hash, g_str_equal);
    Seen seen = {.asked = asked};
    GError *error = NULL;
    if (!pc_start(context, &start))
        return;
    if (strcmp(start.record->engine->name, "aicpu") != 0)
        reference = pc_reference(context, &error);
    if (error != NULL) {
        pc_skip_check(context, "cases", "there is no reference engine: %s", error->message);
        g_clear_error(&error);
        pc_start_clear(&start);
        return;
    }
    seen.reference = reference;
    for (guint i = 0; i < start.cases->len; i++) {
        const PcCase *item = g_ptr_array_index(start.cases, i);
        if (pc_begin(context, "%s", item->text))
            check_case(context, &start, item, &seen);
    }
    if (pc_begin(context, "any of the %u cases", start.cases->len)) {
        if (seen.claimed == 0 && context->resume == 0)
            pc_skip(context, "the engine takes none of them");
        else
            pc_pass(context);
    }
    report_unasked(context, &start, &seen);
    report_missing(context, &start);
    pc_start_clear(&start);
}

const PcGroup pc_group_claims = {"claims", "what the engine says it supports runs, and is right",
                                 run, TRUE};
