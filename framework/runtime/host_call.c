/* SPDX-License-Identifier: Apache-2.0
 *
 * host_call.c: see host_call.h.
 */
#include "runtime/host_call.h"

#include "base/error.h"
#include "ir/node_view.h"
#include "plugin/host.h"
#include "plugin/host_run.h"

/* A task that calls a host engine. */
typedef struct HostCall {
    TsrHostCalls *calls;
    TsrNode *node;
    const TsrLoadedPlugin *plugin;
    gpointer state;
    TsrViewCache view;
    TsrArray **inputs;
    TsrArray **outputs;
    void **args;          /* of the task: inputs, then outputs */
} HostCall;

static void call_free(gpointer data)
{
    HostCall *call = data;
    if (call->state != NULL && TSR_HAS(call->plugin->executor, release))
        call->plugin->executor->release(call->plugin->executor, call->state);
    for (guint i = 0; call->inputs != NULL && i < call->node->inputs->len; i++)
        tsr_array_unref(call->inputs[i]);
    for (guint i = 0; call->outputs != NULL && i < call->node->outputs->len; i++)
        tsr_array_unref(call->outputs[i]);
    g_free(call->inputs);
    g_free(call->outputs);
    tsr_view_cache_clear(&call->view);
    g_free(call);
}

static int32_t run_call(void *arg)
{
    HostCall *call = arg;
    TsrRunServices services = {0};
    GError *error = NULL;
    guint input_count = call->node->inputs->len;
    tsr_device_lend_cores(call->calls->device, &services);
    for (guint i = 0; i < input_count; i++)
        if (call->inputs[i] != NULL)
            call->inputs[i]->tensor.data = call->args[i];
    for (guint i = 0; i < call->node->outputs->len; i++)
        if (call->outputs[i] != NULL)
            call->outputs[i]->tensor.data = call->args[input_count + i];
    if (tsr_host_run(call->plugin, call->state, &call->view.view, call->inputs, call->outputs,
                     FALSE, &services, &error))
        return TSR_OK;
    g_mutex_lock(&call->calls->error_lock);
    if (call->calls->error == NULL)
        call->calls->error = g_steal_pointer(&error);
    g_mutex_unlock(&call->calls->error_lock);
    g_clear_error(&error);
    return TSR_INTERNAL;
}

/* In place of a branch that cannot run. */
typedef struct Fault {
    TsrHostCalls *calls;
    const TsrGraph *graph;
} Fault;

static int32_t run_fault(void *arg)
{
    const Fault *fault = arg;
    g_mutex_lock(&fault->calls->error_lock);
    if (fault->calls->error == NULL)
        g_set_error(&fault->calls->error, TSR_ERROR, TSR_INVALID_ARGUMENT, "graph '%s': %s",
                    fault->graph->name, fault->graph->fault);
    g_mutex_unlock(&fault->calls->error_lock);
    return TSR_INVALID_ARGUMENT;
}

static TsrArray *borrow(const TsrValue *value, GError **error)
{
    guint64 size_bytes;
    if (tsr_desc_storage_bytes(&value->desc.view, &size_bytes))
        return tsr_array_new_borrowed(&value->desc.view, NULL, size_bytes);
    g_set_error(error, TSR_ERROR, TSR_CORRUPT, "value '%s' of a task has no definite size",
                value->name);
    return NULL;
}

static HostCall *call_new(TsrHostCalls *calls, TsrNode *node, void **args, GError **error)
{
    const TsrRankedEngine *ranked =
        node->engine != NULL ? tsr_plugin_set_find_engine(calls->set, node->engine) : NULL;
    HostCall *call;
    gint32 status = TSR_OK;
    if (ranked == NULL || (ranked->engine->flags & TSR_ENGINE_HOST) == 0) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "%s '%s' was placed on host engine '%s', which is not in use",
                    node->def->name, node->name, node->engine != NULL ? node->engine : "");
        return NULL;
    }
    call = g_new0(HostCall, 1);
    call->calls = calls;
    call->node = node;
    call->plugin = ranked->plugin;
    call->args = args;
    tsr_view_cache_fill(&call->view, node);
    call->inputs = g_new0(TsrArray *, node->inputs->len + 1);
    call->outputs = g_new0(TsrArray *, node->outputs->len + 1);
    g_ptr_array_add(calls->calls, call);
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && (call->inputs[i] = borrow(value, error)) == NULL)
            return NULL;
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && (call->outputs[i] = borrow(value, error)) == NULL)
            return NULL;
    }
    if (TSR_HAS(call->plugin->executor, prepare)) {
        tsr_host_clear_error();
        status = call->plugin->executor->prepare(call->plugin->executor, &call->view.view,
                                                 &call->state);
    }
    if (status == TSR_OK)
        return call;
    tsr_host_take_error(status, ranked->name, node->name, error);
    return NULL;
}

void tsr_host_calls_init(TsrHostCalls *calls, const TsrPluginSet *set, TsrOpenDevice *device)
{
    *calls = (TsrHostCalls){.set = set, .device = device,
                            .calls = g_ptr_array_new_with_free_func(call_free),
                            .faults = g_ptr_array_new_with_free_func(g_free)};
    g_mutex_init(&calls->error_lock);
}

void tsr_host_calls_clear(TsrHostCalls *calls)
{
    g_ptr_array_unref(calls->calls);
    g_ptr_array_unref(calls->faults);
    g_clear_error(&calls->error);
    g_mutex_clear(&calls->error_lock);
}

gboolean tsr_host_calls_add(TsrHostCalls *calls, TsrNode *node, TsrTask *task, GError **error)
{
    task->host_fn = run_call;
    task->host_arg = call_new(calls, node, task->args, error);
    return task->host_arg != NULL;
}

void tsr_host_calls_add_fault(TsrHostCalls *calls, const TsrGraph *graph, TsrTask *task)
{
    Fault *fault = g_new(Fault, 1);
    *fault = (Fault){calls, graph};
    g_ptr_array_add(calls->faults, fault);
    task->host_fn = run_fault;
    task->host_arg = fault;
}
