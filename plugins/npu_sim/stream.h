/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.h: plain streams, that is, launches outside a model, and the queue that
 * they share. Tasks run when somebody asks for them (synchronize, query, destroy),
 * never behind the caller's back; streams then run side by side on all cores.
 */
#ifndef TSR_NPU_STREAM_H
#define TSR_NPU_STREAM_H

#include "device.h"

struct TsrStream {
    TsrNpuHandle handle;
    TsrStream *next;          /* in the context */
    TsrDeviceContext *context;
    uint32_t id;              /* in the order of creation, for texts */
    /* Under queue_lock: entries queued or being run, and the first failure since the
     * last synchronize. */
    uint64_t pending;
    int32_t status;
    TsrNpuCapture *capture;   /* that keeps what is launched, or NULL */
};

/* What one execution took from the queue. */
typedef struct TsrNpuBatch {
    struct TsrNpuBatch *next; /* in the context's list of running ones */
    TsrNpuQueued *entries;
    uint32_t count;
    uint32_t stream_count;
    uint64_t first;           /* running number of entries[0] */
    TsrStream **streams;      /* by their index in the task list */
} TsrNpuBatch;

/* Appends to the owner's capture, or to the queue of its context; *out_number is the entry's
 * running number, in a capture its place there. The caller holds queue_lock. */
int32_t tsr_npu_queue_push(const TsrNpuQueued *entry, uint64_t *out_number);
/* Whether the entry of that number is being run; the caller holds queue_lock. */
bool tsr_npu_queue_is_running(const TsrDeviceContext *context, uint64_t number);
/* Numbers the streams of the batch and turns records and waits into events; false: no memory. */
bool tsr_npu_batch_prepare(TsrNpuBatch *batch);
/* Runs what is queued, and waits for what another thread runs. */
int32_t tsr_npu_queue_run(TsrDeviceContext *context);

/* --- capture.c; the caller holds queue_lock where a name ends in _locked --- */

int32_t tsr_npu_capture_push_locked(TsrNpuCapture *capture, const TsrNpuQueued *entry,
                                    uint64_t *out_number);
uint64_t tsr_npu_capture_id(const TsrNpuCapture *capture);
/* The capture of that id, or NULL when it has ended. */
TsrNpuCapture *tsr_npu_capture_find_locked(const TsrDeviceContext *context, uint64_t id);
/* A stream that is destroyed: its own capture is gone, one that it joined cannot end well. */
void tsr_npu_capture_leave_locked(TsrStream *stream);
/* Of a context that closes. */
void tsr_npu_captures_free(TsrDeviceContext *context);

#endif
