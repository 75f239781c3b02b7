/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h: what the files of the simulated NPU share: the context, the host
 * services and the registry of live handles. Private to this plugin. Every handle
 * (context, stream, event, model) begins with a TsrNpuHandle, so that a call with
 * one that was destroyed is answered with an error and never reads freed memory.
 */
#ifndef TSR_NPU_DEVICE_H
#define TSR_NPU_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <tessera/device_kernels.h>
#include <tessera/plugin.h>

#include "core.h"

enum { TSR_NPU_ALIGNMENT = 64, TSR_NPU_MAX_CORES = 256 };

typedef enum TsrNpuKind {
    TSR_NPU_CONTEXT = 0,
    TSR_NPU_STREAM = 1,
    TSR_NPU_EVENT = 2,
    TSR_NPU_MODEL = 3,
} TsrNpuKind;

/* Link of a live object in the registry. */
typedef struct TsrNpuHandle {
    struct TsrNpuHandle *next;
    const TsrDeviceContext *owner; /* NULL for a context */
    TsrNpuKind kind;
    _Atomic uint32_t users;        /* calls that hold it by acquire, and 1 until it is removed */
} TsrNpuHandle;

void tsr_npu_handle_add(TsrNpuHandle *handle, TsrNpuKind kind, const TsrDeviceContext *owner);
/* false when the object is not live (any more); then nothing is touched. */
bool tsr_npu_handle_remove(const void *object, TsrNpuKind kind);
/* Removes and returns some live object of that context, or NULL. */
TsrNpuHandle *tsr_npu_handle_take(const TsrDeviceContext *owner);
bool tsr_npu_handle_is_live(const void *object, TsrNpuKind kind);
/* Counts a user of a live object, so that whoever removes it can wait for that user; false
 * when it is not live. The user ends with a decrement of users. */
bool tsr_npu_handle_acquire(void *object, TsrNpuKind kind);

/* An entry of the queue of plain streams, see stream.c. */
typedef struct TsrNpuQueued {
    TsrTask task;
    TsrStream *owner;
    uint64_t record; /* EVENT_WAIT: number of the record that it waits for */
} TsrNpuQueued;

typedef struct TsrNpuCapture TsrNpuCapture; /* capture.c */

struct TsrDeviceContext {
    TsrNpuHandle handle;
    TsrNpuCrew *crew;
    /* Held by the execution that has the crew; only ever tried, never waited for. */
    pthread_mutex_t crew_lock;
    /* Held while a batch of plain streams runs, so that streams keep their order. */
    pthread_mutex_t batch_lock;
    /* Everything below is under queue_lock. */
    pthread_mutex_t queue_lock;
    TsrNpuQueued *queue;      /* launched and not yet taken by an execution */
    uint32_t queue_count;
    uint32_t queue_capacity;
    uint64_t queue_first;     /* running number of queue[0], from 1 */
    struct TsrNpuBatch *running; /* batches taken from the queue and not done */
    uint32_t next_stream_id;
    TsrStream *streams;       /* all that are not freed */
    TsrNpuCapture *captures;  /* that have not ended */
    uint64_t last_capture;    /* id, from 1 */
};

/* The host that the plugin was initialised with. */
extern const TsrHost *tsr_npu_host;
#define TSR_NPU_FAIL(code, ...) tsr_npu_host->set_error(tsr_npu_host, code, __VA_ARGS__)

/* Slots of TsrDevice, grouped by the file that has them. */
int32_t tsr_npu_open(const TsrDevice *device, uint32_t core_count,
                     TsrDeviceContext **out_context);
void tsr_npu_close(TsrDeviceContext *context);
int32_t tsr_npu_get_info(TsrDeviceContext *context, TsrDeviceInfo *out_info);
int32_t tsr_npu_memory_alloc(TsrDeviceContext *context, uint64_t size_bytes,
                             void **out_memory);
void tsr_npu_memory_free(TsrDeviceContext *context, void *memory);
TsrKernelFn tsr_npu_kernel_find(TsrDeviceContext *context, const char *name);
uint32_t tsr_npu_kernel_params_size(TsrDeviceContext *context, const char *name);
void tsr_npu_parallel(TsrDeviceContext *context, uint32_t block_dim,
                      void (*fn)(void *arg, uint32_t block, uint32_t block_dim), void *arg);

int32_t tsr_npu_stream_create(TsrDeviceContext *context, TsrStream **out_stream);
void tsr_npu_stream_destroy(TsrStream *stream);
int32_t tsr_npu_launch(TsrStream *stream, const TsrTask *task);
int32_t tsr_npu_stream_synchronize(TsrStream *stream);

int32_t tsr_npu_capture_begin(TsrStream *stream);
int32_t tsr_npu_capture_end(TsrStream *stream, TsrDeviceModel **out_model);

int32_t tsr_npu_event_create(TsrDeviceContext *context, TsrEvent **out_event);
void tsr_npu_event_destroy(TsrEvent *event);
int32_t tsr_npu_event_record(TsrEvent *event, TsrStream *stream);
int32_t tsr_npu_event_wait(TsrStream *stream, TsrEvent *event);
int32_t tsr_npu_event_query(TsrEvent *event, uint32_t *out_done);

int32_t tsr_npu_model_load(TsrDeviceContext *context, const TsrTaskList *tasks,
                           TsrDeviceModel **out_model);
int32_t tsr_npu_model_execute(TsrDeviceModel *model, uint64_t timeout_us);
void tsr_npu_model_unload(TsrDeviceModel *model);
int32_t tsr_npu_model_profile(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg);
int32_t tsr_npu_model_profile_ticks(TsrDeviceModel *model, TsrTaskProfileFn fn, void *arg);
void tsr_npu_profile_clock(TsrDeviceContext *context, uint64_t *out_ticks, uint64_t *out_ns);

#endif
