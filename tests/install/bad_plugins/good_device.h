/* SPDX-License-Identifier: Apache-2.0
 *
 * good_device.h: what a sound device does, in the plainest way: a stream keeps its tasks until
 * somebody waits for them, and then runs them one after the other; an event is a place in a
 * stream, and waiting for it runs that stream up to there. It has no threads and runs no task
 * lists with jumps. A plugin defines PLUGIN_NAME, and whatever of the following it does
 * otherwise, before it includes this: DEVICE_COPY DEVICE_SYNCHRONIZE DEVICE_DESTROY_STREAM
 * DEVICE_WAIT. The host calls it from one thread at a time for each stream; streams of several
 * threads share nothing.
 */
#ifndef BAD_PLUGINS_GOOD_DEVICE_H
#define BAD_PLUGINS_GOOD_DEVICE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin_util.h>

struct TsrDeviceContext {
    uint32_t core_count;
};

/* A task of a stream; with waits, instead, the other stream up to a number of tasks. */
typedef struct Entry {
    TsrTask task;
    struct TsrStream *waits;
    size_t up_to;
} Entry;

struct TsrStream {
    Entry *entries;
    size_t count, room, done;
};

struct TsrEvent {
    struct TsrStream *stream; /* NULL: never recorded */
    size_t up_to;
};

struct TsrDeviceModel {
    TsrTask *tasks;
    uint32_t count;
};

static const TsrHost *device_host;

static inline void good_copy(void *to, const void *from, uint64_t bytes)
{
    if (bytes != 0)
        memcpy(to, from, (size_t)bytes);
}

#ifndef DEVICE_COPY
#define DEVICE_COPY good_copy
#endif

static inline int32_t run_task(const TsrTask *task)
{
    if (task->kind == TSR_TASK_HOST_CALL)
        return task->host_fn(task->host_arg);
    if (task->kind == TSR_TASK_MEMCPY)
        DEVICE_COPY(task->args[0], task->args[1], task->bytes);
    for (uint32_t i = 0; task->kind == TSR_TASK_KERNEL && i < task->block_dim; i++)
        task->kernel(task->args, task->params, i, task->block_dim);
    return TSR_OK;
}

/* Waits reach backwards only, so this ends. */
static inline int32_t run_stream(TsrStream *stream, size_t up_to)
{
    int32_t status = TSR_OK;
    while (stream->done < up_to && status == TSR_OK) {
        const Entry *entry = &stream->entries[stream->done++];
        status = entry->waits != NULL ? run_stream(entry->waits, entry->up_to)
                                      : run_task(&entry->task);
    }
    return status;
}

static inline int32_t append(TsrStream *stream, const Entry *entry)
{
    if (stream->count == stream->room) {
        const size_t room = 2 * stream->room + 8;
        Entry *entries = realloc(stream->entries, room * sizeof(*entries));
        if (entries == NULL)
            return device_host->set_error(device_host, TSR_OUT_OF_MEMORY, "no room for a task");
        stream->entries = entries;
        stream->room = room;
    }
    stream->entries[stream->count++] = *entry;
    return TSR_OK;
}

static inline int32_t good_open(const TsrDevice *device, uint32_t core_count,
                                TsrDeviceContext **out_context)
{
    (void)device;
    *out_context = calloc(1, sizeof(**out_context));
    if (*out_context == NULL)
        return device_host->set_error(device_host, TSR_OUT_OF_MEMORY, "no room for a device");
    (*out_context)->core_count = core_count != 0 ? core_count : 1;
    return TSR_OK;
}

static inline void good_close(TsrDeviceContext *context)
{
    free(context);
}

static inline int32_t good_info(TsrDeviceContext *context, TsrDeviceInfo *out_info)
{
    const uint32_t size = out_info->struct_size;
    memset(out_info, 0, sizeof(*out_info));
    out_info->struct_size = size;
    out_info->core_count = context->core_count;
    out_info->c0_lanes = 16;
    out_info->alignment = 64;
    return TSR_OK;
}

static inline int32_t good_alloc(TsrDeviceContext *context, uint64_t size_bytes,
                                 void **out_memory)
{
    (void)context;
    *out_memory = size_bytes < UINT64_MAX / 2
                      ? aligned_alloc(64, ((size_t)size_bytes + 64) / 64 * 64)
                      : NULL;
    return *out_memory != NULL
               ? TSR_OK
               : device_host->set_error(device_host, TSR_OUT_OF_MEMORY, "no %llu bytes",
                                        (unsigned long long)size_bytes);
}

static inline void good_free(TsrDeviceContext *context, void *memory)
{
    (void)context;
    free(memory);
}

static inline TsrKernelFn good_find(TsrDeviceContext *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static inline int32_t good_create_stream(TsrDeviceContext *context, TsrStream **out_stream)
{
    (void)context;
    *out_stream = calloc(1, sizeof(**out_stream));
    return *out_stream != NULL
               ? TSR_OK
               : device_host->set_error(device_host, TSR_OUT_OF_MEMORY, "no room for a stream");
}

static inline void good_destroy_stream(TsrStream *stream)
{
    run_stream(stream, stream->count);
    free(stream->entries);
    free(stream);
}

static inline int32_t good_launch(TsrStream *stream, const TsrTask *task)
{
    const Entry entry = {.task = *task};
    return append(stream, &entry);
}

static inline int32_t good_synchronize(TsrStream *stream)
{
    return run_stream(stream, stream->count);
}

static inline int32_t good_create_event(TsrDeviceContext *context, TsrEvent **out_event)
{
    (void)context;
    *out_event = calloc(1, sizeof(**out_event));
    return *out_event != NULL
               ? TSR_OK
               : device_host->set_error(device_host, TSR_OUT_OF_MEMORY, "no room for an event");
}

static inline void good_destroy_event(TsrEvent *event)
{
    free(event);
}

static inline int32_t good_record(TsrEvent *event, TsrStream *stream)
{
    event->stream = stream;
    event->up_to = stream->count;
    return TSR_OK;
}

static inline int32_t good_wait(TsrStream *stream, TsrEvent *event)
{
    const Entry entry = {.waits = event->stream, .up_to = event->up_to};
    return event->stream != NULL ? append(stream, &entry) : TSR_OK;
}

static inline int32_t good_query(TsrEvent *event, uint32_t *out_done)
{
    *out_done = event->stream == NULL || event->stream->done >= event->up_to;
    return TSR_OK;
}

static inline const TsrTask *task_at(const TsrTaskList *list, uint32_t index)
{
    return (const void *)((const char *)list->tasks + (size_t)index * list->task_stride);
}

/* Whether an earlier task records what this one waits for. */
static inline int is_recorded(const TsrTaskList *list, uint32_t index, uint32_t kind)
{
    const uint32_t wanted = task_at(list, index)->event;
    for (uint32_t i = 0; i < index; i++)
        if (task_at(list, i)->kind == kind && task_at(list, i)->event == wanted)
            return 1;
    return 0;
}

static inline const char *task_fault(const TsrTaskList *list, uint32_t index)
{
    const TsrTask *task = task_at(list, index);
    if (task->stream >= list->stream_count)
        return "uses a stream that is not there";
    switch (task->kind) {
    case TSR_TASK_KERNEL:
        return task->kernel == NULL ? "has no kernel" : NULL;
    case TSR_TASK_HOST_CALL:
    case TSR_TASK_MEMCPY:
        return NULL;
    case TSR_TASK_EVENT_RECORD:
        return task->event >= list->event_count ? "records an event that is not there" : NULL;
    case TSR_TASK_NOTIFY_RECORD:
        return task->event >= list->notify_count ? "records a notify that is not there" : NULL;
    case TSR_TASK_EVENT_WAIT:
        return task->event >= list->event_count || !is_recorded(list, index, TSR_TASK_EVENT_RECORD)
                   ? "waits for an event that nobody records"
                   : NULL;
    case TSR_TASK_NOTIFY_WAIT:
        return task->event >= list->notify_count ||
                       !is_recorded(list, index, TSR_TASK_NOTIFY_RECORD)
                   ? "waits for a notify that nobody records"
                   : NULL;
    default:
        return "is of a kind that this device does not run";
    }
}

static inline int32_t good_load(TsrDeviceContext *context, const TsrTaskList *list,
                                TsrDeviceModel **out_model)
{
    TsrDeviceModel *model;
    (void)context;
    for (uint32_t i = 0; i < list->task_count; i++)
        if (task_fault(list, i) != NULL)
            return device_host->set_error(device_host, TSR_INVALID_ARGUMENT, "task %u %s", i,
                                          task_fault(list, i));
    model = calloc(1, sizeof(*model));
    if (model != NULL)
        model->tasks = calloc((size_t)list->task_count + 1, sizeof(TsrTask));
    if (model == NULL || model->tasks == NULL) {
        free(model);
        return device_host->set_error(device_host, TSR_OUT_OF_MEMORY, "no room for a model");
    }
    model->count = list->task_count;
    for (uint32_t i = 0; i < list->task_count; i++)
        model->tasks[i] = *task_at(list, i);
    *out_model = model;
    return TSR_OK;
}

/* The order of the list is a legal one, in which nobody waits. */
static inline int32_t good_execute(TsrDeviceModel *model, uint64_t timeout_us)
{
    int32_t status = TSR_OK;
    (void)timeout_us;
    for (uint32_t i = 0; i < model->count && status == TSR_OK; i++)
        status = run_task(&model->tasks[i]);
    return status;
}

static inline void good_unload(TsrDeviceModel *model)
{
    free(model->tasks);
    free(model);
}

static inline void good_parallel(TsrDeviceContext *context, uint32_t block_dim,
                                 void (*fn)(void *arg, uint32_t block, uint32_t block_dim),
                                 void *arg)
{
    (void)context;
    for (uint32_t i = 0; i < block_dim; i++)
        fn(arg, i, block_dim);
}

#ifndef DEVICE_SYNCHRONIZE
#define DEVICE_SYNCHRONIZE good_synchronize
#endif
#ifndef DEVICE_DESTROY_STREAM
#define DEVICE_DESTROY_STREAM good_destroy_stream
#endif
#ifndef DEVICE_WAIT
#define DEVICE_WAIT good_wait
#endif

static const TsrDevice device_table = {
    .struct_size = sizeof(TsrDevice), .flags = TSR_DEVICE_HOST_ACCESSIBLE, .name = PLUGIN_NAME,
    .open = good_open, .close = good_close, .get_info = good_info, .memory_alloc = good_alloc,
    .memory_free = good_free, .kernel_find = good_find, .stream_create = good_create_stream,
    .stream_destroy = DEVICE_DESTROY_STREAM, .launch = good_launch,
    .stream_synchronize = DEVICE_SYNCHRONIZE, .event_create = good_create_event,
    .event_destroy = good_destroy_event, .event_record = good_record, .event_wait = DEVICE_WAIT,
    .event_query = good_query, .model_load = good_load, .model_execute = good_execute,
    .model_unload = good_unload, .parallel = good_parallel,
};

static inline int32_t device_init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    device_host = host;
    return TSR_OK;
}

#define PLUGIN_DEVICE &device_table
#define PLUGIN_INIT device_init
#include "good_plugin.h"

#endif
