/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h: a task list as the device keeps it. Loading (model.c) turns tasks into
 * steps and resolves every wait to a position in the stream that it waits for: the
 * list order is one legal serial execution, so the record that a wait means is the
 * last one before it in the list. At run time (execute.c) an event is therefore
 * nothing but "that stream has come past that position", which can neither be
 * missed nor dead-lock.
 */
#ifndef TSR_NPU_MODEL_H
#define TSR_NPU_MODEL_H

#include "device.h"

enum {
    TSR_NPU_MAX_CHUNKS = 1 << 19,  /* of a step; leaves the fields of `claim` room */
    TSR_NPU_MAX_STEPS = 1 << 24,   /* of a stream */
    TSR_NPU_TEXT_SIZE = 480,
};

/* The larger tensor of a TSR_TASK_MEMCPY_AT. */
typedef struct TsrNpuPlaces {
    uint64_t bytes;
    uint64_t rows;
    uint64_t places;
    uint32_t flags;        /* TSR_AT_ */
} TsrNpuPlaces;

/* One task. kind is a TSR_TASK_; notifies have become events. */
typedef struct TsrNpuStep {
    uint32_t kind;
    uint32_t chunks;       /* units that cores claim; 1: a core runs it alone */
    uint32_t chunk_blocks; /* blocks of a chunk, the last may have fewer */
    uint32_t block_dim;
    union {
        struct {
            TsrKernelFn fn;
            void *const *args;
            const void *params;
        } kernel;
        struct {
            int32_t (*fn)(void *arg);
            void *arg;
        } host;
        struct {
            void *const *args;
            uint64_t bytes;
        } copy;
        struct {
            uint32_t stream;
            uint32_t position; /* steps of that stream that must be done */
        } wait;
        struct {
            void *const *args; /* of a switch */
            struct TsrNpuStep **targets; /* the labels, owned */
            uint32_t count;
            uint32_t bytes;
        } jump;
        struct {
            void *const *args;
            TsrNpuPlaces *places; /* owned */
        } at;
        struct {
            void *const *args;
        } counter;
    };
    uint32_t task;         /* index into the task list */
    uint32_t stream;
} TsrNpuStep;

/* A stream of a model. claim, the one word that cores contend for, holds the
 * current step (24 bits), the chunks claimed from its front (20) and from its back
 * (20). Cores with an even number take from the front, odd ones from the back: two
 * cores then keep meeting the same blocks from step to step, which lie in their
 * caches, and still share uneven work. */
typedef struct TsrNpuStreamState {
    _Alignas(64) _Atomic uint64_t claim;
    _Atomic uint32_t done; /* chunks of the current step that are finished */
    int32_t status;        /* first failure, where streams fail alone */
    TsrNpuStep *steps;
    uint32_t step_count;
} TsrNpuStreamState;

struct TsrDeviceModel {
    TsrNpuHandle handle;
    TsrNpuRun run;
    TsrDeviceContext *context;
    TsrNpuCrew *crew;
    uint32_t task_count;
    uint32_t stream_count;
    bool alone;            /* nothing in it can use a second core */
    bool isolate;          /* a failed host call ends its stream, not the execution;
                              such a list runs once */
    TsrNpuStep *steps;     /* stream after stream */
    TsrNpuStep **serial;   /* the same in list order */
    TsrNpuStreamState *streams;
    const char **names;    /* per task; the strings belong to the caller */
    /* Read by executions, written by model_profile when there is none. */
    pthread_rwlock_t profile_lock;
    TsrTaskProfileFn profile;
    void *profile_arg;
    bool profile_counts;   /* its times are readings of the counter, see clock.h */
    /* State of the execution that has the crew; one in list order keeps none. */
    uint64_t deadline_ns;
    pthread_t caller;
    _Alignas(64) _Atomic uint32_t streams_left;
    _Alignas(64) _Atomic bool stop;
    _Atomic int32_t status;
    bool text_is_set;      /* by a host call, on the caller's own thread */
    char text[TSR_NPU_TEXT_SIZE];
};

/* Checks and builds; does not register a handle. isolate as in the model. */
int32_t tsr_npu_model_build(TsrDeviceContext *context, const TsrTaskList *list, bool isolate,
                            TsrDeviceModel **out_model);
void tsr_npu_model_free(TsrDeviceModel *model);
/* Runs it: on all cores when it can use them and nobody else has them, else in list order
 * on this thread. From within an execution of the context always in list order, but idle
 * cores help. */
int32_t tsr_npu_model_run(TsrDeviceModel *model, uint64_t timeout_us);
/* Whether this thread runs a batch of plain streams of that context. */
bool tsr_npu_is_inside_batch(const TsrDeviceContext *context);

/* --- control.c: labels, jumps, counters and computed places --- */

/* Fills the step of such a task; jumps get their targets by tsr_npu_jumps_resolve, when
 * every label is known. INVALID_ARGUMENT leaves a text that begins with the task's. */
int32_t tsr_npu_control_add(const TsrTaskList *list, uint32_t index, TsrNpuStep *step);
int32_t tsr_npu_jumps_resolve(TsrDeviceModel *model, const TsrTaskList *list);
void tsr_npu_control_free(TsrNpuStep *step);
/* Runs a counter or a copy to or from a place. */
int32_t tsr_npu_control_run(const TsrNpuStep *step);
/* Where its stream goes on after a jump. */
const TsrNpuStep *tsr_npu_jump_target(const TsrNpuStep *step);

static inline bool tsr_npu_is_jump(const TsrNpuStep *step)
{
    return step->kind == TSR_TASK_GOTO || step->kind == TSR_TASK_SWITCH;
}

/* The task at index of a list; what its writer did not know is zero. */
TsrTask tsr_npu_list_task(const TsrTaskList *list, uint32_t index);
/* Writes "task 3 'conv1'" and returns text. */
const char *tsr_npu_list_text(const TsrTaskList *list, uint32_t index, char *text, size_t size);
/* Writes "task 3 'conv1'" and returns text. */
const char *tsr_npu_task_text(const TsrDeviceModel *model, uint32_t task, char *text,
                              size_t size);

#endif
