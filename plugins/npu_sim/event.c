/* SPDX-License-Identifier: Apache-2.0
 *
 * event.c: events of plain streams. A record is an entry of the context's queue,
 * and the event remembers the number of its last one: that number is the
 * generation. A wait copies it at the call, so recording the event again later
 * changes nothing for those who wait already. A record in a capture counts there instead.
 */
#include <stdlib.h>

#include "model.h"
#include "stream.h"

struct TsrEvent {
    TsrNpuHandle handle;
    TsrDeviceContext *context;
    uint64_t record;  /* number of the last record; 0: never recorded */
    uint64_t capture; /* id of the capture that has it, and record is a place there; or 0 */
};

int32_t tsr_npu_event_create(TsrDeviceContext *context, TsrEvent **out_event)
{
    TsrEvent *event;
    if (!tsr_npu_handle_is_live(context, TSR_NPU_CONTEXT))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "event_create: the context is closed");
    event = calloc(1, sizeof(*event));
    if (event == NULL)
        return TSR_NPU_FAIL(TSR_OUT_OF_MEMORY, "no memory for an event");
    event->context = context;
    tsr_npu_handle_add(&event->handle, TSR_NPU_EVENT, context);
    *out_event = event;
    return TSR_OK;
}

void tsr_npu_event_destroy(TsrEvent *event)
{
    if (event != NULL && tsr_npu_handle_remove(event, TSR_NPU_EVENT))
        free(event);
}

/* Both live and of one context. */
static int32_t pair_check(const char *what, const TsrEvent *event, const TsrStream *stream)
{
    if (!tsr_npu_handle_is_live(event, TSR_NPU_EVENT))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: the event is destroyed", what);
    if (!tsr_npu_handle_is_live(stream, TSR_NPU_STREAM))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "%s: the stream is destroyed", what);
    if (event->context != stream->context)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "%s: the event and stream %u belong to different contexts", what,
                            stream->id);
    return TSR_OK;
}

int32_t tsr_npu_event_record(TsrEvent *event, TsrStream *stream)
{
    TsrNpuQueued entry = {.task = {.struct_size = sizeof(TsrTask),
                                   .kind = TSR_TASK_EVENT_RECORD},
                          .owner = stream};
    uint64_t number;
    int32_t status = pair_check("event_record", event, stream);
    if (status != TSR_OK)
        return status;
    pthread_mutex_lock(&event->context->queue_lock);
    status = tsr_npu_queue_push(&entry, &number);
    if (status == TSR_OK) {
        event->record = number;
        event->capture = stream->capture != NULL ? tsr_npu_capture_id(stream->capture) : 0;
    }
    pthread_mutex_unlock(&event->context->queue_lock);
    return status;
}

/* A wait of a stream that captures, or for a record in a capture. */
static int32_t wait_captured(TsrStream *stream, const TsrEvent *event, TsrNpuQueued *entry)
{
    TsrNpuCapture *capture = tsr_npu_capture_find_locked(event->context, event->capture);
    uint64_t number;
    int32_t status;
    if (event->capture == 0 && event->record == 0)
        return TSR_OK; /* never recorded */
    if (capture == NULL && stream->capture == NULL)
        return TSR_OK; /* recorded in a capture that has ended: never in this life */
    if (stream->capture != NULL && stream->capture != capture)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "event_wait: stream %u captures and would wait for a record outside "
                            "of its capture",
                            stream->id);
    status = tsr_npu_capture_push_locked(capture, entry, &number);
    if (status == TSR_OK)
        stream->capture = capture;
    return status;
}

static int32_t wait_queued(TsrStream *stream, const TsrEvent *event, const TsrNpuQueued *entry)
{
    uint64_t number;
    /* A record that is no longer queued is done, or is being run by an execution that
     * ends before this stream's next one begins: unless that very execution asks. */
    if (event->record >= event->context->queue_first)
        return tsr_npu_queue_push(entry, &number);
    if (tsr_npu_queue_is_running(event->context, event->record) &&
        tsr_npu_is_inside_batch(event->context))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT,
                            "event_wait: deadlock: stream %u would wait for a record in the "
                            "execution that this call is made from",
                            stream->id);
    return TSR_OK;
}

int32_t tsr_npu_event_wait(TsrStream *stream, TsrEvent *event)
{
    TsrNpuQueued entry = {.task = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_EVENT_WAIT},
                          .owner = stream};
    int32_t status = pair_check("event_wait", event, stream);
    if (status != TSR_OK)
        return status;
    pthread_mutex_lock(&event->context->queue_lock);
    entry.record = event->record;
    status = stream->capture != NULL || event->capture != 0
                 ? wait_captured(stream, event, &entry)
                 : wait_queued(stream, event, &entry);
    pthread_mutex_unlock(&event->context->queue_lock);
    return status;
}

/* Whether the last record is in a capture: one that has not ended is an error, one that has
 * was never made. */
static int32_t query_captured(const TsrEvent *event, bool *out_captured, uint32_t *out_done)
{
    *out_captured = event->capture != 0;
    if (event->capture == 0)
        return TSR_OK;
    if (tsr_npu_capture_find_locked(event->context, event->capture) != NULL)
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "event_query: the event's last record is in a "
                                                  "capture that has not ended");
    *out_done = 1;
    return TSR_OK;
}

int32_t tsr_npu_event_query(TsrEvent *event, uint32_t *out_done)
{
    bool is_queued, is_captured;
    int32_t status;
    if (!tsr_npu_handle_is_live(event, TSR_NPU_EVENT))
        return TSR_NPU_FAIL(TSR_INVALID_ARGUMENT, "event_query: the event is destroyed");
    pthread_mutex_lock(&event->context->queue_lock);
    status = query_captured(event, &is_captured, out_done);
    is_queued = !is_captured && event->record >= event->context->queue_first;
    pthread_mutex_unlock(&event->context->queue_lock);
    if (status != TSR_OK || is_captured)
        return status;
    /* Asking is what makes queued tasks run: a caller that polls must come through. */
    if (is_queued)
        (void)tsr_npu_queue_run(event->context);
    pthread_mutex_lock(&event->context->queue_lock);
    *out_done = event->record < event->context->queue_first &&
                !tsr_npu_queue_is_running(event->context, event->record);
    pthread_mutex_unlock(&event->context->queue_lock);
    return TSR_OK;
}
