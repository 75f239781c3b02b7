/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.c: see sink.h. Arguments of all tasks lie in one array; those that are inputs or
 * outputs are listed and written at every run, those in the activation memory when a run has
 * been given another block of it than the last one.
 */
#include "runtime/sink.h"

#include <string.h>

#include "base/error.h"
#include "plugin/host.h"
#include "runtime/host_call.h"

/* An argument that follows the caller's memory. */
typedef struct Patch {
    void **slot;
    guint64 offset;
    guint32 index;
    gboolean output;
} Patch;

/* An argument in the activation memory. */
typedef struct ArenaPatch {
    void **slot;
    guint64 offset;
} ArenaPatch;

struct TsrSink {
    TsrProgram *program;
    TsrOpenDevice *device;
    TsrArenaPool *pool;
    guint8 *arena;         /* that the arguments point into */
    TsrTask *tasks;
    void **args;
    GArray *patches;
    GArray *arena_patches;
    TsrHostCalls calls;
    TsrDeviceModel *model;
    TsrStream *stream;     /* of host mode; made when first needed */
    TsrAfterTask after;
    gpointer after_user;
    TsrArray *const *inputs;  /* of the run that is on */
    TsrArray *const *outputs;
};

static void resolve(TsrSink *sink, const TsrAddress *address, void **slot)
{
    Patch patch = {slot, address->offset, address->index, address->space == TSR_SPACE_OUTPUT};
    ArenaPatch arena_patch = {slot, address->offset};
    switch (address->space) {
    case TSR_SPACE_ARENA:
        g_array_append_val(sink->arena_patches, arena_patch);
        break;
    case TSR_SPACE_WEIGHTS:
        *slot = (gpointer)tsr_weights_at(sink->program->weights, address->offset);
        break;
    case TSR_SPACE_INPUT:
    case TSR_SPACE_OUTPUT:
        g_array_append_val(sink->patches, patch);
        break;
    default:
        *slot = NULL;
    }
}

/* What only tasks of control flow have. */
static void add_control(const TsrProgramTask *source, TsrTask *task)
{
    if (source->kind == TSR_TASK_SWITCH) {
        task->label_count = tsr_task_labels(source, &task->labels);
    } else if (source->kind == TSR_TASK_MEMCPY_AT) {
        const TsrPlaceParams *params = task->params;
        task->rows = params->rows;
        task->places = params->places;
        task->flags = params->flags;
    }
}

static gboolean bind_call(TsrSink *sink, const TsrProgramTask *source, TsrTask *task,
                          GError **error)
{
    TsrNode *node = g_ptr_array_index(sink->program->nodes, source->node);
    if (node->subgraphs->len == 0)
        return tsr_host_calls_add(&sink->calls, node, task, error);
    /* The proof of memory has seen that it is a branch. */
    tsr_host_calls_add_fault(
        &sink->calls, g_ptr_array_index(node->subgraphs, *(const guint32 *)task->params), task);
    return TRUE;
}

static gboolean bind_task(TsrSink *sink, guint index, void **args, GError **error)
{
    const TsrProgramTask *source = g_ptr_array_index(sink->program->tasks, index);
    TsrTask *task = &sink->tasks[index];
    *task = (TsrTask){
        .struct_size = sizeof(TsrTask),
        .kind = source->kind,
        .stream = source->stream,
        .block_dim = source->block_dim,
        .event = source->event,
        .arg_count = source->args->len,
        .args = args,
        .params = source->params != NULL ? g_bytes_get_data(source->params, NULL) : NULL,
        .bytes = source->bytes,
        .name = source->name,
    };
    add_control(source, task);
    for (guint a = 0; a < source->args->len; a++)
        resolve(sink, &g_array_index(source->args, TsrTaskArg, a).address, &args[a]);
    if (task->kind == TSR_TASK_KERNEL) {
        task->kernel = tsr_device_kernel(sink->device, source->name, source->kernel,
                                         source->params, error);
        return task->kernel != NULL;
    }
    return task->kind != TSR_TASK_HOST_CALL || bind_call(sink, source, task, error);
}

static gboolean bind_tasks(TsrSink *sink, GError **error)
{
    gsize count = 0, at = 0;
    for (guint i = 0; i < sink->program->tasks->len; i++)
        count += ((TsrProgramTask *)g_ptr_array_index(sink->program->tasks, i))->args->len;
    sink->args = g_new0(void *, count + 1);
    sink->tasks = g_new0(TsrTask, sink->program->tasks->len + 1);
    for (guint i = 0; i < sink->program->tasks->len; i++) {
        if (!bind_task(sink, i, sink->args + at, error))
            return FALSE;
        at += sink->tasks[i].arg_count;
    }
    return TRUE;
}

static gboolean load_model(TsrSink *sink, GError **error)
{
    TsrTaskList list = {
        .struct_size = sizeof(list),
        .task_count = sink->program->tasks->len,
        .task_stride = sizeof(TsrTask),
        .stream_count = sink->program->stream_count,
        .event_count = sink->program->event_count,
        .notify_count = sink->program->notify_count,
        .tasks = sink->tasks,
        .label_count = sink->program->label_count,
    };
    const TsrDevice *device = sink->device->device;
    gint32 status;
    tsr_host_clear_error();
    status = device->model_load(sink->device->context, &list, &sink->model);
    return status == TSR_OK || tsr_host_take_error(status, device->name, "model load", error);
}

/* Takes a block of activation memory and points the arguments into it. */
static gboolean take_arena(TsrSink *sink, guint8 **out_arena, GError **error)
{
    if (!tsr_arena_pool_take(sink->pool, sink->program->stats.activation_bytes, sink->arena,
                             out_arena, error))
        return FALSE;
    if (*out_arena == sink->arena)
        return TRUE;
    sink->arena = *out_arena;
    for (guint i = 0; i < sink->arena_patches->len; i++) {
        const ArenaPatch *patch = &g_array_index(sink->arena_patches, ArenaPatch, i);
        *patch->slot = sink->arena + patch->offset;
    }
    return TRUE;
}

/* So that a model that cannot have its memory fails when it is loaded. */
static gboolean try_arena(TsrSink *sink, GError **error)
{
    guint8 *arena;
    if (!take_arena(sink, &arena, error))
        return FALSE;
    tsr_arena_pool_give(sink->pool, arena);
    return TRUE;
}

TsrSink *tsr_sink_new(TsrProgram *program, const TsrPluginSet *set, TsrOpenDevice *device,
                      TsrArenaPool *pool, GError **error)
{
    TsrSink *sink;
    if (device == NULL ||
        (program->device[0] != '\0' && strcmp(device->device->name, program->device) != 0)) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "was compiled for device '%s', which is %s",
                    program->device, device == NULL ? "not loaded" : "not the one in use");
        return NULL;
    }
    sink = g_new0(TsrSink, 1);
    sink->program = program;
    sink->device = device;
    sink->pool = pool;
    sink->patches = g_array_new(FALSE, FALSE, sizeof(Patch));
    sink->arena_patches = g_array_new(FALSE, FALSE, sizeof(ArenaPatch));
    tsr_host_calls_init(&sink->calls, set, device);
    if (!bind_tasks(sink, error) || !try_arena(sink, error) || !load_model(sink, error)) {
        tsr_sink_free(sink);
        return NULL;
    }
    return sink;
}

void tsr_sink_free(TsrSink *sink)
{
    const TsrDevice *device;
    if (sink == NULL)
        return;
    device = sink->device->device;
    if (sink->model != NULL)
        device->model_unload(sink->model);
    if (sink->stream != NULL)
        device->stream_destroy(sink->stream);
    tsr_host_calls_clear(&sink->calls);
    g_array_unref(sink->patches);
    g_array_unref(sink->arena_patches);
    g_free(sink->tasks);
    g_free(sink->args);
    g_free(sink);
}

void tsr_sink_set_after_task(TsrSink *sink, TsrAfterTask after, gpointer user)
{
    sink->after = after;
    sink->after_user = user;
}

static void *at(const TsrArray *array, guint64 offset)
{
    return offset != 0 ? (guint8 *)array->tensor.data + offset : array->tensor.data;
}

gconstpointer tsr_sink_memory(const TsrSink *sink, const TsrAddress *address)
{
    switch (address->space) {
    case TSR_SPACE_ARENA:
        return sink->arena + address->offset;
    case TSR_SPACE_WEIGHTS:
        return tsr_weights_at(sink->program->weights, address->offset);
    case TSR_SPACE_INPUT:
        return sink->inputs != NULL ? at(sink->inputs[address->index], address->offset) : NULL;
    case TSR_SPACE_OUTPUT:
        return sink->outputs != NULL ? at(sink->outputs[address->index], address->offset) : NULL;
    default:
        return NULL;
    }
}

static gboolean is_event(const TsrTask *task)
{
    return task->kind == TSR_TASK_EVENT_RECORD || task->kind == TSR_TASK_EVENT_WAIT ||
           task->kind == TSR_TASK_NOTIFY_RECORD || task->kind == TSR_TASK_NOTIFY_WAIT;
}

static gboolean is_control(const TsrTask *task)
{
    return task->kind == TSR_TASK_LABEL || task->kind == TSR_TASK_GOTO ||
           task->kind == TSR_TASK_SWITCH;
}

static guint find_label(const TsrSink *sink, guint32 label)
{
    guint at = 0;
    while (sink->tasks[at].kind != TSR_TASK_LABEL || sink->tasks[at].event != label)
        at++; /* there is one: the model is loaded */
    return at;
}

/* The task behind the one at hand, which is done. */
static guint next_task(const TsrSink *sink, guint index)
{
    const TsrTask *task = &sink->tasks[index];
    gint32 value = 0;
    if (task->kind == TSR_TASK_GOTO)
        return find_label(sink, task->event) + 1;
    if (task->kind != TSR_TASK_SWITCH)
        return index + 1;
    if (task->bytes == 1)
        value = *(const guint8 *)task->args[0];
    else
        memcpy(&value, task->args[0], sizeof(value));
    return find_label(sink, task->labels[MIN((guint32)value, task->label_count - 1)]) + 1;
}

/* A callback that fails leaves its error in the sink, as a host call does. */
static gint32 launch_one_by_one(TsrSink *sink)
{
    const TsrDevice *device = sink->device->device;
    gint32 status = TSR_OK;
    if (sink->stream == NULL)
        status = device->stream_create(sink->device->context, &sink->stream);
    for (guint i = 0; status == TSR_OK && i < sink->program->tasks->len;
         i = next_task(sink, i)) {
        if (is_event(&sink->tasks[i]))
            continue; /* the order of the list is theirs as well */
        if (!is_control(&sink->tasks[i])) {
            status = device->launch(sink->stream, &sink->tasks[i]);
            if (status == TSR_OK)
                status = device->stream_synchronize(sink->stream);
        }
        if (status == TSR_OK && sink->after != NULL &&
            !sink->after(sink->after_user, i, &sink->calls.error))
            status = TSR_INTERNAL;
    }
    return status;
}

gboolean tsr_sink_run(TsrSink *sink, TsrArray *const *inputs, TsrArray *const *outputs,
                      gboolean one_by_one, GError **error)
{
    guint8 *arena;
    gint32 status;
    if (!take_arena(sink, &arena, error))
        return FALSE;
    for (guint i = 0; i < sink->patches->len; i++) {
        const Patch *patch = &g_array_index(sink->patches, Patch, i);
        *patch->slot = at((patch->output ? outputs : inputs)[patch->index], patch->offset);
    }
    sink->inputs = inputs;
    sink->outputs = outputs;
    tsr_host_clear_error();
    status = one_by_one || sink->after != NULL
                 ? launch_one_by_one(sink)
                 : sink->device->device->model_execute(sink->model, 0);
    sink->inputs = sink->outputs = NULL;
    tsr_arena_pool_give(sink->pool, arena);
    if (sink->calls.error != NULL) {
        g_propagate_error(error, g_steal_pointer(&sink->calls.error));
        return FALSE;
    }
    return status == TSR_OK ||
           tsr_host_take_error(status, sink->device->device->name, "execution", error);
}

gboolean tsr_sink_set_hook(TsrSink *sink, TsrTaskHook hook, gpointer user)
{
    const TsrDevice *device = sink->device->device;
    if (!TSR_HAS(device, model_profile))
        return FALSE;
    return device->model_profile(sink->model, hook, user) == TSR_OK;
}

static void read_clock(gpointer user, guint64 *out_ticks, guint64 *out_ns)
{
    const TsrOpenDevice *device = user;
    device->device->profile_clock(device->context, out_ticks, out_ns);
}

gboolean tsr_sink_set_log(TsrSink *sink, TsrTaskLog *log)
{
    const TsrDevice *device = sink->device->device;
    if (log == NULL)
        return tsr_sink_set_hook(sink, NULL, NULL);
    if (!TSR_HAS(device, model_profile_ticks) || !TSR_HAS(device, profile_clock))
        return tsr_sink_set_hook(sink, tsr_task_log_hook, log);
    tsr_task_log_set_clock(log, read_clock, sink->device);
    return device->model_profile_ticks(sink->model, tsr_task_log_hook, log) == TSR_OK;
}
