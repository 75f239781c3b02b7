/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: plain streams. Launches of all streams of a context queue up in the
 * order of the calls, which is one legal serial execution; whoever needs a result
 * takes the whole queue and runs it as a task list (model.c), so that plain
 * streams obey the very rules of the sink. A failed host call ends the tasks of its
 * own stream up to the next synchronize, and those of no other.
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

/* --------------------------------------------------------------------- queue */

int32_t tsr_npu_queue_push(const TsrNpuQueued *entry, uint64_t *out_number)
{
    TsrDeviceContext *context = entry->owner->context;
    if (entry->owner->capture != NULL)
        return tsr_npu_capture_push_locked(entry->owner->capture, entry, out_number);
    if (context->queue_count == context->queue_capacity) {
        uint32_t capacity = context->queue_capacity > 0 ? context->queue_capacity * 2 : 64;
        TsrNpuQueued *queue = capacity < TSR_NPU_MAX_STEPS
                                  ? realloc(context->queue, capacity * sizeof(*queue))
                                  : NULL;
        if (queue == NULL)
            return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY,
                                "launch: no room for more than the %u tasks that wait to run",
                                context->queue_count);
        context->queue = queue;
        context->queue_capacity = capacity;
    }
    context->queue[context->queue_count] = *entry;
    *out_number = context->queue_first + context->queue_count++;
    entry->owner->pending++;
    return TSR_OK;
}

bool tsr_npu_queue_is_running(const TsrDeviceContext *context, uint64_t number)
{
    for (const TsrNpuBatch *batch = context->running; batch != NULL; batch = batch->next)
        if (number >= batch->first && number - batch->first < batch->count)
            return true;
    return false;
}

static int compare_streams(const void *a, const void *b)
{
    TsrStream *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* Event k is the record at entry k. A wait for a record of an earlier batch is over. */
bool tsr_npu_batch_prepare(TsrNpuBatch *batch)
{
    batch->streams = malloc(batch->count * sizeof(TsrStream *));
    if (batch->streams == NULL)
        return false;
    for (uint32_t i = 0; i < batch->count; i++)
        batch->streams[i] = batch->entries[i].owner;
    qsort(batch->streams, batch->count, sizeof(TsrStream *), compare_streams);
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->stream_count == 0 ||
            batch->streams[i] != batch->streams[batch->stream_count - 1])
            batch->streams[batch->stream_count++] = batch->streams[i];
    for (uint32_t i = 0; i < batch->count; i++) {
        TsrTask *task = &batch->entries[i].task;
        TsrStream **found = bsearch(&batch->entries[i].owner, batch->streams,
                                    batch->stream_count, sizeof(TsrStream *), compare_streams);
        task->stream = (uint32_t)(found - batch->streams);
        task->event = i;
        if (task->kind == TSR_TASK_EVENT_WAIT && batch->entries[i].record >= batch->first)
            task->event = (uint32_t)(batch->entries[i].record - batch->first);
        else if (task->kind == TSR_TASK_EVENT_WAIT)
            task->kind = TSR_TASK_EVENT_RECORD; /* of its own number: nobody waits for it */
    }
    return true;
}

static int32_t batch_run(TsrDeviceContext *context, TsrNpuBatch *batch,
                         TsrDeviceModel **out_model)
{
    TsrTaskList list = {
        .struct_size = sizeof(list),
        .task_count = batch->count,
        .task_stride = sizeof(TsrNpuQueued),
        .stream_count = batch->stream_count,
        .event_count = batch->count,
        .tasks = &batch->entries[0].task,
    };
    int32_t status = tsr_npu_model_build(context, &list, true, out_model);
    if (status != TSR_OK)
        return status;
    /* A stream that failed before stays still until its failure is fetched. */
    pthread_mutex_lock(&context->queue_lock);
    for (uint32_t i = 0; i < batch->stream_count; i++)
        (*out_model)->streams[i].status = batch->streams[i]->status;
    pthread_mutex_unlock(&context->queue_lock);
    return tsr_npu_model_run(*out_model, 0);
}

/* Books the batch as done. A failure of the whole (no memory) is every stream's. */
static void batch_finish(TsrDeviceContext *context, const TsrNpuBatch *batch,
                         const TsrDeviceModel *model, int32_t status)
{
    pthread_mutex_lock(&context->queue_lock);
    for (uint32_t i = 0; i < batch->count; i++) {
        TsrStream *stream = batch->entries[i].owner;
        int32_t own = status;
        if (status == TSR_OK && model != NULL)
            own = model->streams[batch->entries[i].task.stream].status;
        stream->pending--;
        if (stream->status == TSR_OK)
            stream->status = own;
    }
    for (TsrNpuBatch **link = &context->running; *link != NULL; link = &(*link)->next) {
        if (*link == batch) {
            *link = batch->next;
            break;
        }
    }
    pthread_mutex_unlock(&context->queue_lock);
}

int32_t tsr_npu_queue_run(TsrDeviceContext *context)
{
    /* A batch waits for the one before it, but not from within that one. */
    bool nested = tsr_npu_is_inside_batch(context);
    TsrDeviceModel *model = NULL;
    TsrNpuBatch batch = {0};
    int32_t status = TSR_OK;
    if (!nested)
        pthread_mutex_lock(&context->batch_lock);
    pthread_mutex_lock(&context->queue_lock);
    batch.entries = context->queue;
    batch.count = context->queue_count;
    batch.first = context->queue_first;
    context->queue = NULL;
    context->queue_capacity = 0;
    context->queue_count = 0;
    context->queue_first += batch.count;
    if (batch.count > 0) {
        batch.next = context->running;
        context->running = &batch;
    }
    pthread_mutex_unlock(&context->queue_lock);
    if (batch.count > 0) {
        status = tsr_npu_batch_prepare(&batch)
                     ? batch_run(context, &batch, &model)
                     : TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory to run %u tasks", batch.count);
        batch_finish(context, &batch, model, status);
    }
    if (!nested)
        pthread_mutex_unlock(&context->batch_lock);
    tsr_npu_model_free(model);
    free(batch.streams);
    free(batch.entries);
    return status;
}

/* --------------------------------------------------------------------- slots */

int32_t tsr_npu_stream_create(TsrDeviceContext *context, TsrStream **out_stream)
{
    TsrStream *stream;
    if (!tsr_npu_handle_is_live(context, TSR_NPU_CONTEXT))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "stream_create: the context is closed");
    stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for a stream");
    stream->context = context;
    pthread_mutex_lock(&context->queue_lock);
    stream->id = context->next_stream_id++;
    stream->next = context->streams;
    context->streams = stream;
    pthread_mutex_unlock(&context->queue_lock);
    tsr_npu_handle_add(&stream->handle, TSR_NPU_STREAM, context);
    *out_stream = stream;
    return TSR_OK;
}

/* Whether all that was launched is done; its status is then taken. */
static bool stream_take_status(TsrStream *stream, int32_t *out_status)
{
    bool is_done;
    pthread_mutex_lock(&stream->context->queue_lock);
    is_done = stream->pending == 0;
    *out_status = stream->status;
    if (is_done)
        stream->status = TSR_OK;
    pthread_mutex_unlock(&stream->context->queue_lock);
    return is_done;
}

static bool is_captured(TsrStream *stream)
{
    bool captures;
    pthread_mutex_lock(&stream->context->queue_lock);
    captures = stream->capture != NULL;
    pthread_mutex_unlock(&stream->context->queue_lock);
    return captures;
}

int32_t tsr_npu_stream_synchronize(TsrStream *stream)
{
    int32_t status;
    if (!tsr_npu_handle_is_live(stream, TSR_NPU_STREAM))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "stream_synchronize: the stream is destroyed");
    if (is_captured(stream))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "stream_synchronize: stream %u captures: its tasks run when the model "
                            "is executed that capture_end makes of them",
                            stream->id);
    if (!stream_take_status(stream, &status)) {
        (void)tsr_npu_queue_run(stream->context); /* booked as the streams' status */
        if (!stream_take_status(stream, &status))
            return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                                "stream_synchronize: deadlock: stream %u is being run by the "
                                "execution that this call is made from",
                                stream->id);
    }
    if (status != TSR_OK)
        return TSR_NPU_FAIL(status, "stream %u: a task failed with status %d", stream->id,
                            status);
    return TSR_OK;
}

void tsr_npu_stream_destroy(TsrStream *stream)
{
    TsrDeviceContext *context;
    int32_t status;
    if (stream == NULL || !tsr_npu_handle_remove(stream, TSR_NPU_STREAM))
        return;
    context = stream->context;
    pthread_mutex_lock(&context->queue_lock);
    tsr_npu_capture_leave_locked(stream);
    pthread_mutex_unlock(&context->queue_lock);
    if (!stream_take_status(stream, &status))
        (void)tsr_npu_queue_run(context);
    /* From within an execution that still runs its tasks, memory stays until close. */
    if (!stream_take_status(stream, &status))
        return;
    pthread_mutex_lock(&context->queue_lock);
    for (TsrStream **link = &context->streams; *link != NULL; link = &(*link)->next) {
        if (*link == stream) {
            *link = stream->next;
            break;
        }
    }
    pthread_mutex_unlock(&context->queue_lock);
    free(stream);
}

int32_t tsr_npu_launch(TsrStream *stream, const TsrTask *task)
{
    TsrNpuQueued entry = {0};
    const char *fault = NULL;
    uint64_t number;
    int32_t status;
    if (!tsr_npu_handle_is_live(stream, TSR_NPU_STREAM))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "launch: the stream is destroyed");
    memcpy(&entry.task, task,
           task->struct_size < sizeof(*task) ? task->struct_size : sizeof(*task));
    entry.task.struct_size = sizeof(entry.task);
    entry.owner = stream;
    switch (entry.task.kind) {
    case TSR_TASK_KERNEL:
        if (entry.task.kernel == NULL)
            fault = "it has no kernel";
        else if (entry.task.block_dim == 0)
            fault = "its block_dim is 0, wanted at least 1";
        else if (entry.task.args == NULL && entry.task.arg_count > 0)
            fault = "it has arg_count but no args";
        break;
    case TSR_TASK_HOST_CALL:
        fault = entry.task.host_fn == NULL ? "it has no host function" : NULL;
        break;
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
    case TSR_TASK_MEMCPY_AT: {
        TsrTaskList list = {.struct_size = sizeof(list), .task_count = 1,
                            .task_stride = sizeof(TsrTask), .tasks = &entry.task};
        TsrNpuStep step = {0};
        status = tsr_npu_control_add(&list, 0, &step);
        tsr_npu_control_free(&step);
        if (status != TSR_OK)
            return status;
        break;
    }
    case TSR_TASK_MEMCPY:
        fault = entry.task.args == NULL || entry.task.arg_count < 2
                    ? "a copy wants args {to, from}" : NULL;
        break;
    default:
        fault = "only kernels, host calls, copies and counters are launched";
        break;
    }
    if (fault != NULL)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "launch of '%s' (kind %u) on stream %u: %s",
                            entry.task.name != NULL ? entry.task.name : "", entry.task.kind,
                            stream->id, fault);
    pthread_mutex_lock(&stream->context->queue_lock);
    status = tsr_npu_queue_push(&entry, &number);
    pthread_mutex_unlock(&stream->context->queue_lock);
    return status;
}
