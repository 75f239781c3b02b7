/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c: loads task lists for the sink: checks every task and turns it into a
 * step. Called through TsrDevice and by stream.c. Afterwards nothing about a list
 * can fail but its host calls and its deadline: every stream index is in range and
 * every wait is for a position that comes earlier in the list.
 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum {
    /* Chunks per core and step: enough to even out, few enough to cost nothing. */
    CHUNKS_PER_CORE = 16,
    /* A copy below this stays on one core; above, blocks of about that size. */
    COPY_BLOCK_BYTES = 256 * 1024,
    COPY_BLOCKS_MAX = 64,
    /* Far above any plan; a list beyond it is garbage and must not take the memory. */
    STREAMS_MAX = 1 << 16,
    EVENTS_MAX = 1 << 24,
};

/* Where an event or a notify was last recorded, while the list is walked. */
typedef struct Record {
    bool is_set;
    uint32_t stream;
    uint32_t position;
} Record;

typedef struct Builder {
    TsrDeviceModel *model;
    const TsrTaskList *list;
    Record *events;
    Record *notifies;
    uint32_t *positions; /* per stream: steps so far */
} Builder;

TsrTask tsr_npu_list_task(const TsrTaskList *list, uint32_t index)
{
    const char *at = (const char *)list->tasks + (size_t)index * list->task_stride;
    uint32_t size;
    TsrTask task;
    memset(&task, 0, sizeof(task));
    memcpy(&size, at, sizeof(size));
    if (size > list->task_stride)
        size = list->task_stride;
    memcpy(&task, at, size < sizeof(task) ? size : sizeof(task));
    return task;
}

static const char *task_text(uint32_t index, const TsrTask *task, char *text, size_t size)
{
    snprintf(text, size, task->name != NULL ? "task %u '%.100s'" : "task %u", index, task->name);
    return text;
}

const char *tsr_npu_list_text(const TsrTaskList *list, uint32_t index, char *text, size_t size)
{
    const TsrTask task = tsr_npu_list_task(list, index);
    return task_text(index, &task, text, size);
}

/* ------------------------------------------------------------------- waiting */

static bool is_notify(const TsrTask *task)
{
    return task->kind == TSR_TASK_NOTIFY_RECORD || task->kind == TSR_TASK_NOTIFY_WAIT;
}

/* Says why a wait has no record: none at all, used up, or in a circle. */
static int32_t wait_fail(const Builder *builder, uint32_t index, const TsrTask *task,
                         bool is_used_up)
{
    const char *word = is_notify(task) ? "notify" : "event";
    uint32_t record_kind = is_notify(task) ? TSR_TASK_NOTIFY_RECORD : TSR_TASK_EVENT_RECORD;
    char text[160], other[160];
    task_text(index, task, text, sizeof(text));
    for (uint32_t i = index + 1; i < builder->list->task_count; i++) {
        TsrTask later = tsr_npu_list_task(builder->list, i);
        if (later.kind == record_kind && later.event == task->event)
            return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                                "%s: deadlock: stream %u waits for %s %u, which stream %u "
                                "records only later in the list (%s)",
                                text, task->stream, word, task->event, later.stream,
                                task_text(i, &later, other, sizeof(other)));
    }
    return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: stream %u waits for %s %u, %s", text,
                        task->stream, word, task->event,
                        is_used_up ? "whose records are all used up by earlier waits"
                                   : "which no earlier task of the list records");
}

static int32_t sync_add(Builder *builder, uint32_t index, const TsrTask *task, TsrNpuStep *step)
{
    bool notify = is_notify(task);
    uint32_t count = notify ? builder->list->notify_count : builder->list->event_count;
    Record *record;
    char text[160];
    if (task->event >= count)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: %s %u is out of range, the list has %u",
                            task_text(index, task, text, sizeof(text)),
                            notify ? "notify" : "event", task->event, count);
    record = notify ? &builder->notifies[task->event] : &builder->events[task->event];
    if (task->kind == TSR_TASK_EVENT_RECORD || task->kind == TSR_TASK_NOTIFY_RECORD) {
        step->kind = TSR_TASK_EVENT_RECORD;
        record->is_set = true;
        record->stream = task->stream;
        record->position = builder->positions[task->stream] + 1;
        return TSR_OK;
    }
    if (!record->is_set)
        return wait_fail(builder, index, task, record->position > 0);
    step->kind = TSR_TASK_EVENT_WAIT;
    step->wait.stream = record->stream;
    step->wait.position = record->position;
    record->is_set = !notify; /* a notify is reset by its wait */
    return TSR_OK;
}

/* --------------------------------------------------------------------- tasks */

/* Shares block_dim blocks out in chunks. */
static void step_share(Builder *builder, TsrNpuStep *step, uint32_t block_dim)
{
    uint32_t cores = tsr_npu_crew_core_count(builder->model->crew);
    uint32_t blocks = block_dim / (cores * CHUNKS_PER_CORE);
    if (blocks < block_dim / TSR_NPU_MAX_CHUNKS + 1)
        blocks = block_dim / TSR_NPU_MAX_CHUNKS + 1;
    step->block_dim = block_dim;
    step->chunk_blocks = blocks;
    step->chunks = (uint32_t)(((uint64_t)block_dim + blocks - 1) / blocks);
}

static int32_t kernel_add(Builder *builder, uint32_t index, const TsrTask *task,
                          TsrNpuStep *step)
{
    const char *fault = NULL;
    char text[160];
    if (task->kernel == NULL)
        fault = "it has no kernel";
    else if (task->block_dim == 0)
        fault = "its block_dim is 0, wanted at least 1";
    else if (task->args == NULL && task->arg_count > 0)
        fault = "it has arg_count but no args";
    if (fault != NULL)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: %s",
                            task_text(index, task, text, sizeof(text)), fault);
    step->kernel.fn = task->kernel;
    step->kernel.args = task->args;
    step->kernel.params = task->params;
    step_share(builder, step, task->block_dim);
    return TSR_OK;
}

static int32_t host_call_add(uint32_t index, const TsrTask *task, TsrNpuStep *step)
{
    char text[160];
    if (task->host_fn == NULL)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: it has no host function",
                            task_text(index, task, text, sizeof(text)));
    step->host.fn = task->host_fn;
    step->host.arg = task->host_arg;
    return TSR_OK;
}

static int32_t copy_add(Builder *builder, uint32_t index, const TsrTask *task, TsrNpuStep *step)
{
    uint64_t blocks = task->bytes / COPY_BLOCK_BYTES;
    char text[160];
    if (task->args == NULL || task->arg_count < 2)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "%s: a copy wants args {to, from}, it has %u",
                            task_text(index, task, text, sizeof(text)),
                            task->args == NULL ? 0 : task->arg_count);
    step->copy.args = task->args;
    step->copy.bytes = task->bytes;
    if (blocks > 1)
        step_share(builder, step, (uint32_t)(blocks < COPY_BLOCKS_MAX ? blocks
                                                                      : COPY_BLOCKS_MAX));
    return TSR_OK;
}

static int32_t task_add(Builder *builder, uint32_t index)
{
    TsrTask task = tsr_npu_list_task(builder->list, index);
    TsrDeviceModel *model = builder->model;
    TsrNpuStep *step;
    char text[160];
    int32_t status;
    if (task.stream >= model->stream_count)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: stream %u is out of range, the list has %u",
                            task_text(index, &task, text, sizeof(text)), task.stream,
                            model->stream_count);
    step = &model->streams[task.stream].steps[builder->positions[task.stream]];
    step->kind = task.kind;
    step->chunks = step->chunk_blocks = step->block_dim = 1;
    step->task = index;
    step->stream = task.stream;
    model->serial[index] = step;
    model->names[index] = task.name;
    switch (task.kind) {
    case TSR_TASK_KERNEL: status = kernel_add(builder, index, &task, step); break;
    case TSR_TASK_HOST_CALL: status = host_call_add(index, &task, step); break;
    case TSR_TASK_MEMCPY: status = copy_add(builder, index, &task, step); break;
    case TSR_TASK_EVENT_RECORD:
    case TSR_TASK_EVENT_WAIT:
    case TSR_TASK_NOTIFY_RECORD:
    case TSR_TASK_NOTIFY_WAIT: status = sync_add(builder, index, &task, step); break;
    case TSR_TASK_LABEL:
    case TSR_TASK_GOTO:
    case TSR_TASK_SWITCH:
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
    case TSR_TASK_MEMCPY_AT:
        status = tsr_npu_control_add(builder->list, index, step);
        break;
    default:
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: unknown kind %u",
                            task_text(index, &task, text, sizeof(text)), task.kind);
    }
    if (status == TSR_OK)
        builder->positions[task.stream]++;
    return status;
}

/* -------------------------------------------------------------------- models */

/* Gives every stream its part of the step array. Out-of-range streams are left to
 * task_add, which names them. */
static int32_t streams_lay_out(TsrDeviceModel *model, const TsrTaskList *list)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < list->task_count; i++) {
        uint32_t stream = tsr_npu_list_task(list, i).stream;
        if (stream < model->stream_count)
            model->streams[stream].step_count++;
    }
    for (uint32_t i = 0; i < model->stream_count; i++) {
        TsrNpuStreamState *stream = &model->streams[i];
        if (stream->step_count >= TSR_NPU_MAX_STEPS)
            return TSR_NPU_FAIL(TSR_UNSUPPORTED, "stream %u has %u tasks, the device takes %d",
                                i, stream->step_count, TSR_NPU_MAX_STEPS - 1);
        stream->steps = model->steps + at;
        at += stream->step_count;
    }
    return TSR_OK;
}

/* Whether one core does it as well as many: one stream in use, no step to share. */
static bool is_alone(const TsrDeviceModel *model)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < model->stream_count; i++)
        busy += model->streams[i].step_count > 0;
    for (uint32_t i = 0; i < model->task_count; i++)
        if (model->steps[i].chunks > 1)
            return false;
    return busy <= 1;
}

static TsrDeviceModel *model_alloc(const TsrTaskList *list)
{
    TsrDeviceModel *model;
    size_t streams = list->stream_count > 0 ? list->stream_count : 1;
    if (posix_memalign((void **)&model, 64, sizeof(*model)) != 0)
        return NULL;
    memset(model, 0, sizeof(*model));
    pthread_rwlock_init(&model->profile_lock, NULL);
    if (posix_memalign((void **)&model->streams, 64, streams * sizeof(*model->streams)) != 0)
        model->streams = NULL;
    /* One step more than there are: execute.c computes the address of the next. */
    model->steps = calloc((size_t)list->task_count + 1, sizeof(*model->steps));
    model->serial = calloc((size_t)list->task_count + 1, sizeof(*model->serial));
    model->names = calloc((size_t)list->task_count + 1, sizeof(*model->names));
    if (model->streams == NULL || model->steps == NULL || model->serial == NULL ||
        model->names == NULL) {
        tsr_npu_model_free(model);
        return NULL;
    }
    memset(model->streams, 0, streams * sizeof(*model->streams));
    return model;
}

static int32_t tasks_add(Builder *builder)
{
    int32_t status = streams_lay_out(builder->model, builder->list);
    for (uint32_t i = 0; i < builder->list->task_count && status == TSR_OK; i++)
        status = task_add(builder, i);
    return status == TSR_OK ? tsr_npu_jumps_resolve(builder->model, builder->list) : status;
}

int32_t tsr_npu_model_build(TsrDeviceContext *context, const TsrTaskList *list, bool isolate,
                            TsrDeviceModel **out_model)
{
    Builder builder = {.list = list};
    int32_t status = TSR_OUT_OF_MEMORY;
    if (list->task_count > 0 && (list->tasks == NULL || list->task_stride < sizeof(uint32_t) * 2))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "a list of %u tasks with a stride of %u bytes and %s",
                            list->task_count, list->task_stride,
                            list->tasks == NULL ? "no tasks" : "no room for one");
    if (list->stream_count > STREAMS_MAX || list->event_count > EVENTS_MAX ||
        list->notify_count > EVENTS_MAX)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "a list with %u streams, %u events and %u notifies; the device "
                            "takes up to %d, %d and %d",
                            list->stream_count, list->event_count, list->notify_count,
                            STREAMS_MAX, EVENTS_MAX, EVENTS_MAX);
    builder.model = model_alloc(list);
    builder.events = calloc((size_t)list->event_count + 1, sizeof(Record));
    builder.notifies = calloc((size_t)list->notify_count + 1, sizeof(Record));
    builder.positions = calloc((size_t)list->stream_count + 1, sizeof(uint32_t));
    if (builder.model == NULL || builder.events == NULL || builder.notifies == NULL ||
        builder.positions == NULL) {
        TSR_NPU_FAIL(status, "no memory for a model of %u tasks", list->task_count);
    } else {
        builder.model->context = context;
        builder.model->crew = context->crew;
        builder.model->isolate = isolate;
        builder.model->task_count = list->task_count;
        builder.model->stream_count = list->stream_count;
        status = tasks_add(&builder);
    }
    free(builder.events);
    free(builder.notifies);
    free(builder.positions);
    if (status != TSR_OK) {
        tsr_npu_model_free(builder.model);
        return status;
    }
    builder.model->alone = is_alone(builder.model);
    *out_model = builder.model;
    return TSR_OK;
}

void tsr_npu_model_free(TsrDeviceModel *model)
{
    if (model == NULL)
        return;
    pthread_rwlock_destroy(&model->profile_lock);
    for (uint32_t i = 0; model->steps != NULL && i < model->task_count; i++)
        tsr_npu_control_free(&model->steps[i]);
    free(model->streams);
    free(model->steps);
    free(model->serial);
    free(model->names);
    free(model);
}

/* --------------------------------------------------------------------- slots */

int32_t tsr_npu_model_load(TsrDeviceContext *context, const TsrTaskList *tasks,
                           TsrDeviceModel **out_model)
{
    int32_t status;
    if (!tsr_npu_handle_is_live(context, TSR_NPU_CONTEXT))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "model_load: the context is closed");
    status = tsr_npu_model_build(context, tasks, false, out_model);
    if (status == TSR_OK)
        tsr_npu_handle_add(&(*out_model)->handle, TSR_NPU_MODEL, context);
    return status;
}

/* Ends a use of the model; the last one of an unloaded model frees it. */
static void model_release(TsrDeviceModel *model)
{
    if (atomic_fetch_sub(&model->handle.users, 1) == 1)
        tsr_npu_model_free(model);
}

int32_t tsr_npu_model_execute(TsrDeviceModel *model, uint64_t timeout_us)
{
    int32_t status;
    if (!tsr_npu_handle_acquire(model, TSR_NPU_MODEL))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "model_execute: the model is unloaded");
    pthread_rwlock_rdlock(&model->profile_lock);
    status = tsr_npu_model_run(model, timeout_us);
    pthread_rwlock_unlock(&model->profile_lock);
    model_release(model);
    return status;
}

void tsr_npu_model_unload(TsrDeviceModel *model)
{
    if (model == NULL || !tsr_npu_handle_remove(model, TSR_NPU_MODEL))
        return;
    /* Executions in other threads end first. From within one, which may be of this very
     * model, the last execution frees it. */
    if (!tsr_npu_crew_is_inside(model->crew)) {
        uint32_t spins = 0;
        while (atomic_load(&model->handle.users) > 1)
            tsr_npu_crew_relax(model->crew, &spins);
    }
    model_release(model);
}

static int32_t profile(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg, bool counts)
{
    if (!tsr_npu_handle_acquire(model, TSR_NPU_MODEL))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "model_profile: the model is unloaded");
    if (tsr_npu_crew_is_inside(model->crew)) {
        model_release(model);
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "model_profile: called from within an execution of the context");
    }
    pthread_rwlock_wrlock(&model->profile_lock);
    model->profile = fn;
    model->profile_arg = arg;
    model->profile_counts = counts;
    pthread_rwlock_unlock(&model->profile_lock);
    model_release(model);
    return TSR_OK;
}

int32_t tsr_npu_model_profile(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg)
{
    return profile(model, fn, arg, false);
}

int32_t tsr_npu_model_profile_ticks(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg)
{
    return profile(model, fn, arg, tsr_npu_has_counter());
}
