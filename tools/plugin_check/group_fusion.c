/* SPDX-License-Identifier: Apache-2.0
 *
 * group_fusion.c: a pass changes the graph and no number. Graphs in which passes find
 * something (nets.h, and each operator that a pass is called at behind common ones) give the
 * reference engine's results with all passes, with none, and without each pass alone; a pass
 * that none of them makes work is a skip that says so.
 */
#include <string.h>

#include "base/error.h"
#include "optimize/pass_stats.h"
#include "plugin_check/claimed.h"
#include "plugin_check/nets.h"

/* What stands before the operator at which a pass is called; %s is its first input. */
static const char *const befores[] = {
    "Relu(x)", "Sigmoid(x)", "Add(x f=0.5)", "Mul(x f=2)", "Sub(x f=0.25)", "Neg(x)", "Softmax(x)",
    "Identity(x)",
};

typedef struct Work {
    PcContext *context;
    TsrSession *session, *reference;
    const TsrFusion *fusion;
    GHashTable *fired; /* names of passes that have changed anything */
} Work;

static GPtrArray *run_net(TsrSession *session, const char *text, const char *disable,
                          GHashTable *fired, GError **error)
{
    const char *const off[] = {disable, NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options),
                                       .disable_fusion = disable != NULL ? off : NULL};
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrGraph) graph = pc_net_graph(text, session, inputs, error);
    g_autoptr(TsrModel) model =
        graph != NULL ? tsr_session_compile(session, graph, &options, error) : NULL;
    GHashTableIter iter;
    gpointer name, stat;
    if (model == NULL)
        return NULL;
    g_hash_table_iter_init(&iter, model->report->fusions);
    while (fired != NULL && g_hash_table_iter_next(&iter, &name, &stat))
        if (((TsrPassStat *)stat)->matches != 0)
            g_hash_table_add(fired, name);
    return pc_run_model(model, inputs, error);
}

static gboolean run_form(const Work *work, const char *text, const char *disable,
                         GHashTable *fired, GPtrArray *wanted, GError **error)
{
    g_autoptr(GPtrArray) got = run_net(work->session, text, disable, fired, error);
    if (got != NULL && pc_same(got, wanted, FALSE, error))
        return TRUE;
    g_prefix_error(error, "%s%s: ", disable != NULL ? "without " : "with all passes",
                   disable != NULL ? disable : "");
    return FALSE;
}

static void check_net(const Work *work, const char *text, gboolean must_build)
{
    g_autoptr(GHashTable) fired = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) wanted = NULL;
    GHashTableIter iter;
    GError *error = NULL;
    gpointer name;
    wanted = run_net(work->reference, text, NULL, NULL, &error);
    if (wanted == NULL) {
        if (must_build)
            pc_skip(work->context, "the reference engine cannot tell: %s", error->message);
        else
            pc_drop(work->context);
        g_clear_error(&error);
        return;
    }
    if (run_form(work, text, NULL, fired, wanted, &error) &&
        run_form(work, text, "all", NULL, wanted, &error)) {
        g_hash_table_iter_init(&iter, fired);
        while (error == NULL && g_hash_table_iter_next(&iter, &name, NULL))
            run_form(work, text, name, NULL, wanted, &error);
    }
    g_hash_table_iter_init(&iter, fired);
    while (g_hash_table_iter_next(&iter, &name, NULL))
        g_hash_table_add(work->fired, name);
    pc_end(work->context, error);
}

/* The first case of an operator on floats whose first input is data: "T3x17 T=2" into
 * "y=Op(p f=2){attrs}" with p of that shape. */
static void check_root(const Work *work, const char *op, GPtrArray *cases)
{
    for (guint i = 0; i < cases->len; i++) {
        const PcCase *item = g_ptr_array_index(cases, i);
        g_autofree char *inputs = g_strdup(item->inputs);
        char *rest;
        if (strcmp(item->op, op) != 0 || item->dtype != TSR_DTYPE_FLOAT || inputs[0] != 'T' ||
            item->outputs != 1)
            continue;
        g_strdelimit(inputs, "T", 'f');
        rest = strchr(inputs, ' ');
        if (rest != NULL)
            *rest++ = '\0';
        for (gsize b = 0; b < G_N_ELEMENTS(befores); b++) {
            g_autofree char *text = g_strdup_printf(
                "x=%s; p=%s; y=%s(p%s%s)%s%s%s", inputs, befores[b], op, rest != NULL ? " " : "",
                rest != NULL ? rest : "", item->attrs != NULL ? "{" : "",
                item->attrs != NULL ? item->attrs : "", item->attrs != NULL ? "}" : "");
            if (pc_begin(work->context, "%s behind %s", op, befores[b]))
                check_net(work, text, FALSE);
        }
        return;
    }
}

static void check_tables(PcContext *context, const TsrFusion *fusion)
{
    if (!pc_begin(context, "names, roots and stages of %u passes", fusion->pass_count))
        return;
    for (guint32 i = 0; i < fusion->pass_count; i++) {
        const TsrFusionPass *pass = fusion->passes[i];
        if (pass->name[0] == '\0' || pass->root_count == 0 || pass->root_count > 10000) {
            pc_fail(context, "pass %u, '%s', is called at %u operators", i, pass->name,
                    pass->root_count);
            return;
        }
        if (TSR_HAS(pass, stage) && pass->stage > TSR_STAGE_AFTER_FORMATS) {
            pc_fail(context, "pass '%s' works in stage %u, which is none", pass->name,
                    pass->stage);
            return;
        }
        for (guint32 k = 0; k < i; k++)
            if (strcmp(pass->name, fusion->passes[k]->name) == 0) {
                pc_fail(context, "two passes are called '%s'", pass->name);
                return;
            }
    }
    pc_pass(context);
}

static void run_all(const Work *work, GPtrArray *cases)
{
    g_autoptr(GHashTable) roots = g_hash_table_new(g_str_hash, g_str_equal);
    for (const PcNet *net = pc_nets; net->text != NULL; net++)
        if (pc_begin(work->context, "%s", net->about))
            check_net(work, net->text, TRUE);
    for (guint32 i = 0; i < work->fusion->pass_count; i++)
        for (guint32 k = 0; k < work->fusion->passes[i]->root_count; k++)
            if (g_hash_table_add(roots, (gpointer)work->fusion->passes[i]->root_ops[k]))
                check_root(work, work->fusion->passes[i]->root_ops[k], cases);
    for (guint32 i = 0; i < work->fusion->pass_count; i++) {
        const char *name = work->fusion->passes[i]->name;
        if (!pc_begin(work->context, "pass %s", name))
            continue;
        if (g_hash_table_contains(work->fired, name))
            pc_pass(work->context);
        else
            pc_skip(work->context, "no graph of the kit makes it work");
    }
}

static void run(PcContext *context)
{
    Work work = {.context = context};
    PcStart start = {0};
    GError *error = NULL;
    if (!context->plugin->has_fusion) {
        pc_skip_check(context, "passes", "the plugin brings no fusion pass");
        return;
    }
    if (context->plugin->needs_other_device) {
        pc_skip_check(context, "passes", "the device of the engine is not here");
        return;
    }
    start.session = pc_session(context, &error);
    start.record = start.session != NULL ? pc_loaded(context, start.session, &error) : NULL;
    work.reference = start.record != NULL ? pc_reference(context, &error) : NULL;
    if (work.reference == NULL) {
        pc_skip_check(context, "passes", "no session: %s", error->message);
        g_clear_error(&error);
    } else {
        start.cases = pc_cases_new(start.session, FALSE);
        work.session = start.session;
        work.fusion = start.record->fusion;
        work.fired = g_hash_table_new(g_str_hash, g_str_equal);
        check_tables(context, work.fusion);
        run_all(&work, start.cases);
        g_hash_table_unref(work.fired);
        tsr_session_free(work.reference);
    }
    pc_start_clear(&start);
}

const PcGroup pc_group_fusion = {"fusion", "passes change the graph and no number", run, FALSE};
