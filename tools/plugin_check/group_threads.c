/* SPDX-License-Identifier: Apache-2.0
 *
 * group_threads.c: slots that plugin.h calls reentrant are called from several threads at
 * once: questions about one node, runs of models of their own, and for a host engine the run
 * slot itself on one shared state; the answers and the bits are those of one thread.
 */
#include <string.h>

#include "base/error.h"
#include "plugin_check/claimed.h"
#include "plugin_check/device_checks.h"
#include "plugin/host.h"
#include "plugin/host_run.h"

enum { MOST_CASES = 200, ROUNDS = 30, MOST_THREADS = 16 };

typedef struct Worker {
    const PcContext *context;
    const PcStart *start;
    const PcAsked *asked;
    const TsrSupport *answer;
    TsrModel *model;
    gpointer state;            /* of prepare, shared */
    const TsrNodeView *view;
    GPtrArray *inputs, *wanted;
    GError *error;
} Worker;

static gpointer ask_often(gpointer data)
{
    Worker *worker = data;
    for (int i = 0; i < ROUNDS && worker->error == NULL; i++) {
        TsrSupport support;
        if (pc_ask(worker->context, worker->start->record, worker->asked, &support,
                   &worker->error) &&
            (support.answer != worker->answer->answer ||
             strcmp(support.reason, worker->answer->reason) != 0))
            worker->error = g_error_new(TSR_ERROR, TSR_INTERNAL,
                                        "check answers %u '%s', alone it answers %u '%s'",
                                        support.answer, support.reason, worker->answer->answer,
                                        worker->answer->reason);
    }
    return NULL;
}

static gpointer run_often(gpointer data)
{
    Worker *worker = data;
    for (int i = 0; i < ROUNDS && worker->error == NULL; i++) {
        g_autoptr(GPtrArray) got = pc_run_model(worker->model, worker->inputs, &worker->error);
        if (got != NULL)
            pc_same(got, worker->wanted, TRUE, &worker->error);
    }
    return NULL;
}

/* Calls the run slot once, with the worker's inputs beside the constants of the node. NULL with
 * an error. (transfer full) */
static GPtrArray *call_run(const Worker *worker, GError **error)
{
    TsrNode *node = worker->asked->node;
    const gboolean allocates = (node->def->flags & TSR_OP_DATA_DEPENDENT) != 0;
    const TsrRunServices services = {.core_count = 1};
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GPtrArray *results = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autofree TsrArray **inputs = g_new0(TsrArray *, node->inputs->len + 1);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, node->outputs->len + 1);
    gboolean good = TRUE;
    for (guint i = 0, next = 0; good && i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL)
            continue;
        if (value->constant != NULL) {
            inputs[i] = tsr_array_new_from_bytes(&value->desc.view, value->constant, error);
            good = inputs[i] != NULL;
            g_ptr_array_add(kept, inputs[i]);
        } else {
            inputs[i] = g_ptr_array_index(worker->inputs, next++);
        }
    }
    for (guint i = 0; good && !allocates && i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        outputs[i] = value != NULL ? tsr_array_new(&value->desc.view, error) : NULL;
        good = value == NULL || outputs[i] != NULL;
    }
    good = good && tsr_host_run(worker->start->record, worker->state, worker->view, inputs, outputs,
                                allocates, &services, error);
    for (guint i = 0; i < node->outputs->len; i++)
        if (outputs[i] != NULL)
            g_ptr_array_add(results, outputs[i]);
    if (!good)
        g_clear_pointer(&results, g_ptr_array_unref);
    return results;
}

static gpointer call_often(gpointer data)
{
    Worker *worker = data;
    for (int i = 0; i < ROUNDS && worker->error == NULL; i++) {
        g_autoptr(GPtrArray) got = call_run(worker, &worker->error);
        if (got != NULL)
            pc_same(got, worker->wanted, TRUE, &worker->error);
    }
    return NULL;
}

/* The first error of any worker. */
static GError *run_workers(Worker *workers, guint count, GThreadFunc fn)
{
    GThread *threads[MOST_THREADS];
    GError *error = NULL;
    for (guint i = 0; i < count; i++)
        threads[i] = g_thread_new("plugin check", fn, &workers[i]);
    for (guint i = 0; i < count; i++) {
        g_thread_join(threads[i]);
        if (error == NULL)
            error = g_steal_pointer(&workers[i].error);
        g_clear_error(&workers[i].error);
    }
    return error;
}

static GError *ask_together(PcContext *context, const PcStart *start, const PcCase *item)
{
    Worker workers[MOST_THREADS] = {0};
    TsrSupport answer;
    GError *error = NULL;
    PcAsked asked;
    if (pc_asked_make(&asked, item, start->session, &error) && asked.node != NULL &&
        pc_ask(context, start->record, &asked, &answer, &error)) {
        for (gint i = 0; i < context->settings->threads; i++)
            workers[i] = (Worker){.context = context, .start = start, .asked = &asked,
                                  .answer = &answer};
        tsr_node_view(asked.node); /* made once, then only read */
        error = run_workers(workers, (guint)context->settings->threads, ask_often);
    }
    pc_asked_clear(&asked);
    return error;
}

/* Each thread has a model and numbers of its own. */
static GError *run_together(PcContext *context, const PcStart *start, const PcCase *item)
{
    const guint count = (guint)context->settings->threads;
    Worker workers[MOST_THREADS] = {0};
    GError *error = NULL;
    for (guint i = 0; i < count && error == NULL; i++) {
        Worker *worker = &workers[i];
        PcCase own = *item;
        g_autoptr(TsrGraph) graph = NULL;
        own.seed = 1000003u * (i + 1);
        worker->inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
        graph = pc_case_graph(&own, start->session, worker->inputs, &error);
        if (graph != NULL)
            worker->model = tsr_session_compile(start->session, graph, NULL, &error);
        if (worker->model != NULL)
            worker->wanted = pc_run_model(worker->model, worker->inputs, &error);
    }
    if (error == NULL)
        error = run_workers(workers, count, run_often);
    for (guint i = 0; i < count; i++) {
        tsr_model_free(workers[i].model);
        g_clear_pointer(&workers[i].inputs, g_ptr_array_unref);
        g_clear_pointer(&workers[i].wanted, g_ptr_array_unref);
    }
    return error;
}

/* The run slot of a host engine; NULL where the node is none that it can be called for. */
static GError *call_together(PcContext *context, const PcStart *start, const PcCase *item)
{
    const TsrExecutor *executor = start->record->executor;
    const guint count = (guint)context->settings->threads;
    Worker workers[MOST_THREADS] = {0};
    GError *error = NULL;
    gpointer state = NULL;
    gboolean asks;
    PcAsked asked;
    asks = pc_asked_make(&asked, item, start->session, &error) && asked.node != NULL &&
           (!asked.is_dynamic || (asked.node->def->flags & TSR_OP_DATA_DEPENDENT) != 0);
    if (asks && TSR_HAS(executor, prepare)) {
        const gint32 status = executor->prepare(executor, tsr_node_view(asked.node), &state);
        if (status != TSR_OK)
            pc_slot_error(context, status, "prepare", &error);
    }
    for (guint i = 0; asks && error == NULL && i < count; i++) {
        PcCase own = *item;
        g_autoptr(TsrGraph) unused = NULL;
        own.seed = 1000003u * (i + 1);
        workers[i] = (Worker){.context = context, .start = start, .asked = &asked, .state = state,
                              .view = tsr_node_view(asked.node)};
        workers[i].inputs =
            g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
        unused = pc_case_graph(&own, start->session, workers[i].inputs, &error);
        if (unused != NULL)
            workers[i].wanted = call_run(&workers[i], &error);
    }
    if (asks && error == NULL)
        error = run_workers(workers, count, call_often);
    for (guint i = 0; i < count; i++) {
        g_clear_pointer(&workers[i].inputs, g_ptr_array_unref);
        g_clear_pointer(&workers[i].wanted, g_ptr_array_unref);
    }
    if (state != NULL && TSR_HAS(executor, release))
        executor->release(executor, state);
    pc_asked_clear(&asked);
    return error;
}

static void run(PcContext *context)
{
    PcStart start;
    g_autoptr(GPtrArray) claimed = NULL;
    pc_device_threads(context);
    if (!pc_start(context, &start))
        return;
    claimed = pc_claimed(context, start.session, start.record, start.cases, MOST_CASES);
    for (guint i = 0; i < claimed->len; i++) {
        const PcCase *item = g_ptr_array_index(claimed, i);
        if (pc_begin(context, "%s, asked in %d threads", item->text, context->settings->threads))
            pc_end(context, ask_together(context, &start, item));
        if (pc_begin(context, "%s, run in %d threads", item->text, context->settings->threads))
            pc_end(context, run_together(context, &start, item));
        if ((start.record->engine->flags & TSR_ENGINE_HOST) == 0)
            continue;
        if (item->bodies != NULL)
            pc_skip_check(context, item->text, "its run slot needs a model around its subgraphs");
        else if (pc_begin(context, "%s, on one state in %d threads", item->text,
                          context->settings->threads))
            pc_end(context, call_together(context, &start, item));
    }
    if (claimed->len == 0)
        pc_skip_check(context, "runs", "the engine takes none of the cases");
    pc_start_clear(&start);
}

const PcGroup pc_group_threads = {"threads", "questions and runs from several threads at once",
                                  run, FALSE};
