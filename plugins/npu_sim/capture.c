/* SPDX-License-Identifier: Apache-2.0
 *
 * capture.c: launches that are kept and become a model instead of being run. A capture begins
 * on one stream; another stream joins it by waiting for an event that was recorded in it. What
 * is kept is in the order of the calls, which is one legal serial execution, so that the end
 * has nothing to do but to number streams and events and to load the list. Whoever calls holds
 * the context's queue_lock where the name ends in _locked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"
#include "stream.h"

struct TsrNpuCapture {
    TsrNpuCapture *next;    /* in the context */
    uint64_t id;
    const TsrStream *origin;
    TsrNpuQueued *entries;  /* records and waits count entries, from 0 */
    uint32_t count;
    uint32_t capacity;
    uint32_t lost;          /* id of a stream that joined and was destroyed, + 1; or 0 */
};

int32_t tsr_npu_capture_push_locked(TsrNpuCapture *capture, const TsrNpuQueued *entry,
                                    uint64_t *out_number)
{
    if (capture->count == capture->capacity) {
        uint32_t capacity = capture->capacity > 0 ? capture->capacity * 2 : 64;
        TsrNpuQueued *entries = capacity < TSR_NPU_MAX_STEPS
                                    ? realloc(capture->entries, capacity * sizeof(*entries))
                                    : NULL;
        if (entries == NULL)
            return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY,
                                "launch: no room for more than the %u tasks that are captured",
                                capture->count);
        capture->entries = entries;
        capture->capacity = capacity;
    }
    capture->entries[capture->count] = *entry;
    *out_number = capture->count++;
    return TSR_OK;
}

uint64_t tsr_npu_capture_id(const TsrNpuCapture *capture)
{
    return capture->id;
}

TsrNpuCapture *tsr_npu_capture_find_locked(const TsrDeviceContext *context, uint64_t id)
{
    TsrNpuCapture *capture = context->captures;
    while (capture != NULL && capture->id != id)
        capture = capture->next;
    return capture;
}

static void capture_free(TsrNpuCapture *capture)
{
    free(capture->entries);
    free(capture);
}

/* Takes the capture away from its streams and its context. */
static void detach_locked(TsrDeviceContext *context, TsrNpuCapture *capture)
{
    for (TsrStream *stream = context->streams; stream != NULL; stream = stream->next)
        if (stream->capture == capture)
            stream->capture = NULL;
    for (TsrNpuCapture **link = &context->captures; *link != NULL; link = &(*link)->next) {
        if (*link == capture) {
            *link = capture->next;
            break;
        }
    }
}

void tsr_npu_capture_leave_locked(TsrStream *stream)
{
    TsrNpuCapture *capture = stream->capture;
    if (capture == NULL)
        return;
    if (capture->origin == stream) {
        detach_locked(stream->context, capture);
        capture_free(capture);
    } else {
        capture->lost = stream->id + 1;
        stream->capture = NULL;
    }
}

void tsr_npu_captures_free(TsrDeviceContext *context)
{
    while (context->captures != NULL) {
        TsrNpuCapture *capture = context->captures;
        context->captures = capture->next;
        capture_free(capture);
    }
}

/* --------------------------------------------------------------------- slots */

int32_t tsr_npu_capture_begin(TsrStream *stream)
{
    TsrNpuCapture *capture;
    bool is_nested;
    if (!tsr_npu_handle_is_live(stream, TSR_NPU_STREAM))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "capture_begin: the stream is destroyed");
    capture = calloc(1, sizeof(*capture));
    if (capture == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for a capture");
    pthread_mutex_lock(&stream->context->queue_lock);
    is_nested = stream->capture != NULL;
    if (!is_nested) {
        capture->id = ++stream->context->last_capture;
        capture->origin = stream;
        capture->next = stream->context->captures;
        stream->context->captures = capture;
        stream->capture = capture;
    }
    pthread_mutex_unlock(&stream->context->queue_lock);
    if (!is_nested)
        return TSR_OK;
    free(capture);
    return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "capture_begin: stream %u captures already",
                        stream->id);
}

/* The first task that the stream at index origin does not wait for in the end; UINT32_MAX: none.
 * Backwards: bound is per stream behind the last entry that is known to be waited for. */
static uint32_t first_loose(const TsrNpuBatch *batch, uint32_t origin, uint32_t *bound)
{
    uint32_t loose = UINT32_MAX;
    bound[origin] = batch->count;
    for (uint32_t i = batch->count; i > 0; i--) {
        const TsrTask *task = &batch->entries[i - 1].task;
        const bool is_waited_for = i <= bound[task->stream];
        if (!is_waited_for && task->kind != TSR_TASK_EVENT_RECORD &&
            task->kind != TSR_TASK_EVENT_WAIT)
            loose = i - 1;
        if (is_waited_for && task->kind == TSR_TASK_EVENT_WAIT) {
            const uint32_t other = batch->entries[task->event].task.stream;
            if (bound[other] < task->event + 1)
                bound[other] = task->event + 1;
        }
    }
    return loose;
}

static int32_t check_joined(const TsrNpuBatch *batch, const TsrStream *origin)
{
    uint32_t *bound = calloc((size_t)batch->stream_count + 1, sizeof(*bound));
    uint32_t at = 0, loose;
    char text[120];
    if (bound == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory to end a capture");
    while (at < batch->stream_count && batch->streams[at] != origin)
        at++;
    loose = first_loose(batch, at, bound);
    free(bound);
    if (loose == UINT32_MAX)
        return TSR_OK;
    snprintf(text, sizeof(text), "%s",
             batch->entries[loose].task.name != NULL ? batch->entries[loose].task.name : "");
    return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                        "capture_end: stream %u does not wait for task %u '%s' of stream %u, "
                        "which joined",
                        origin->id, loose, text,
                        batch->streams[batch->entries[loose].task.stream]->id);
}

/* Numbers streams and events; the streams are there as long as the lock is held. */
static int32_t prepare_locked(const TsrNpuCapture *capture, TsrNpuBatch *batch)
{
    batch->entries = capture->entries;
    batch->count = capture->count;
    if (capture->lost != 0)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "capture_end: stream %u, which joined, was destroyed",
                            capture->lost - 1);
    if (capture->count > 0 && !tsr_npu_batch_prepare(batch))
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for the streams of %u tasks",
                            batch->count);
    return check_joined(batch, capture->origin);
}

int32_t tsr_npu_capture_end(TsrStream *stream, TsrDeviceModel **out_model)
{
    TsrNpuBatch batch = {0};
    TsrNpuCapture *capture;
    TsrDeviceContext *context;
    TsrTaskList list;
    int32_t status;
    if (!tsr_npu_handle_is_live(stream, TSR_NPU_STREAM))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "capture_end: the stream is destroyed");
    context = stream->context;
    pthread_mutex_lock(&context->queue_lock);
    capture = stream->capture;
    if (capture == NULL)
        status = TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "capture_end: stream %u does not capture",
                              stream->id);
    else if (capture->origin != stream)
        status = TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                              "capture_end: stream %u only joined a capture, which began on "
                              "stream %u",
                              stream->id, capture->origin->id);
    else
        status = prepare_locked(capture, &batch);
    if (capture != NULL)
        detach_locked(context, capture);
    pthread_mutex_unlock(&context->queue_lock);
    if (status == TSR_OK) {
        list = (TsrTaskList){
            .struct_size = sizeof(list),
            .task_count = batch.count,
            .task_stride = sizeof(TsrNpuQueued),
            .stream_count = batch.stream_count > 0 ? batch.stream_count : 1,
            .event_count = batch.count,
            .tasks = batch.count > 0 ? &batch.entries[0].task : NULL,
        };
        status = tsr_npu_model_load(context, &list, out_model);
    }
    free(batch.streams);
    if (capture != NULL)
        capture_free(capture);
    return status;
}
