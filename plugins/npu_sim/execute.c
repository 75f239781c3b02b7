/* SPDX-License-Identifier: Apache-2.0
 *
 * execute.c: runs a loaded task list; the hot path of the device. Called by
 * model.c and stream.c. Between two tasks there is no lock, no allocation and no
 * string: a core takes chunks of a stream's current step by compare and swap, and
 * the core that finishes the last chunk moves the stream on, taking the first chunk
 * of the next step in the same store. A step of one chunk costs that one store.
 * With one core, or nothing to share, the list runs in list order and costs less.
 */
#include "model.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"

enum { STEP_SHIFT = 40, FRONT_SHIFT = 20, FIELD_MASK = (1 << 20) - 1 };

static inline uint32_t claim_step(uint64_t claim)
{
    return (uint32_t)(claim >> STEP_SHIFT);
}

static inline uint32_t claim_front(uint64_t claim)
{
    return (uint32_t)(claim >> FRONT_SHIFT) & FIELD_MASK;
}

static inline uint32_t claim_back(uint64_t claim)
{
    return (uint32_t)claim & FIELD_MASK;
}

/* What a core adds to a claim to take a chunk. */
static inline uint64_t claim_unit(uint32_t core)
{
    return core & 1 ? 1 : UINT64_C(1) << FRONT_SHIFT;
}

static inline uint32_t claim_chunk(uint64_t claim, uint32_t chunks, uint32_t core)
{
    return core & 1 ? chunks - 1 - claim_back(claim) : claim_front(claim);
}

static inline bool is_reached(const TsrDeviceModel *model, const TsrNpuStep *wait)
{
    uint64_t claim = atomic_load_explicit(&model->streams[wait->wait.stream].claim,
                                          memory_order_acquire);
    return claim_step(claim) >= wait->wait.position;
}

/* ----------------------------------------------------------------- one chunk */

static void copy_block(const TsrNpuStep *step, uint64_t begin, uint64_t end)
{
    /* Blocks are equal parts; memmove, since the caller may copy within a tensor. */
    uint64_t part = step->copy.bytes / step->block_dim;
    uint64_t from = begin * part;
    uint64_t to = end == step->block_dim ? step->copy.bytes : end * part;
    if (to > from)
        memmove((char *)step->copy.args[0] + from, (const char *)step->copy.args[1] + from,
                to - from);
}

static inline int32_t run_blocks(const TsrNpuStep *step, uint64_t begin, uint64_t end)
{
    switch (step->kind) {
    case TSR_TASK_KERNEL:
        for (uint64_t block = begin; block < end; block++)
            step->kernel.fn(step->kernel.args, step->kernel.params, (uint32_t)block,
                            step->block_dim);
        return TSR_OK;
    case TSR_TASK_HOST_CALL:
        return step->host.fn(step->host.arg);
    case TSR_TASK_MEMCPY:
        copy_block(step, begin, end);
        return TSR_OK;
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
    case TSR_TASK_MEMCPY_AT:
        return tsr_npu_control_run(step);
    default: /* a jump, a record, a wait that is satisfied: the move itself is the effect */
        return TSR_OK;
    }
}

static inline int32_t run_chunk(const TsrNpuStep *step, uint32_t chunk)
{
    uint64_t begin = (uint64_t)chunk * step->chunk_blocks, end = begin + step->chunk_blocks;
    return run_blocks(step, begin, end < step->block_dim ? end : step->block_dim);
}

/* ------------------------------------------------------------------ failures */

const char *tsr_npu_task_text(const TsrDeviceModel *model, uint32_t task, char *text, size_t size)
{
    const char *name = model->names[task];
    snprintf(text, size, name != NULL ? "task %u '%.100s'" : "task %u", task, name);
    return text;
}

static void failure_text(const TsrDeviceModel *model, const TsrNpuStep *step, int32_t status,
                           char *text, size_t size)
{
    char task[160];
    const char *format = step->kind == TSR_TASK_HOST_CALL
                             ? "%s on stream %u: its host call failed with status %d"
                             : "%s on stream %u: its index is no place of the tensor (%d)";
    snprintf(text, size, format, tsr_npu_task_text(model, step->task, task, sizeof(task)),
             step->stream, status);
}

/* Ends the execution; the first core to come keeps its status and text. */
static bool stop_begin(TsrDeviceModel *model, int32_t status)
{
    int32_t ok = TSR_OK;
    return atomic_compare_exchange_strong(&model->status, &ok, status);
}

static void stop_failed(TsrDeviceModel *model, const TsrNpuStep *step, int32_t status)
{
    if (stop_begin(model, status)) {
        model->text_is_set = step->kind == TSR_TASK_HOST_CALL &&
                             pthread_equal(pthread_self(), model->caller) != 0;
        failure_text(model, step, status, model->text, sizeof(model->text));
    }
    atomic_store_explicit(&model->stop, true, memory_order_release);
}

/* Names the task just finished and whatever the other streams are at. */
static void stop_deadline(TsrDeviceModel *model, const TsrNpuStep *step)
{
    char task[160];
    size_t used;
    if (stop_begin(model, TSR_DEADLINE_EXCEEDED)) {
        used = (size_t)snprintf(model->text, sizeof(model->text),
                                "the execution passed its deadline in %s on stream %u",
                                tsr_npu_task_text(model, step->task, task, sizeof(task)),
                                step->stream);
        for (uint32_t i = 0; i < model->stream_count; i++) {
            const TsrNpuStreamState *stream = &model->streams[i];
            uint64_t claim = atomic_load_explicit(&stream->claim, memory_order_acquire);
            if (i == step->stream || claim_step(claim) >= stream->step_count ||
                claim_front(claim) + claim_back(claim) == 0 || used + 200 > sizeof(model->text))
                continue;
            used += (size_t)snprintf(
                model->text + used, sizeof(model->text) - used, ", %s on stream %u",
                tsr_npu_task_text(model, stream->steps[claim_step(claim)].task, task,
                                  sizeof(task)),
                i);
        }
    }
    atomic_store_explicit(&model->stop, true, memory_order_release);
}

static inline bool is_past(uint64_t deadline_ns)
{
    return deadline_ns != 0 && tsr_npu_now_ns() > deadline_ns;
}

/* --------------------------------------------------------- streams, all cores */

/* Takes a chunk of the stream's current step. */
static bool stream_claim(TsrDeviceModel *model, TsrNpuStreamState *stream, uint32_t core,
                         uint32_t *out_step, uint32_t *out_chunk)
{
    uint64_t claim = atomic_load_explicit(&stream->claim, memory_order_acquire);
    for (;;) {
        uint32_t index = claim_step(claim);
        const TsrNpuStep *step = &stream->steps[index];
        if (index >= stream->step_count ||
            claim_front(claim) + claim_back(claim) >= step->chunks)
            return false;
        if (step->kind == TSR_TASK_EVENT_WAIT && !is_reached(model, step))
            return false;
        if (atomic_compare_exchange_weak_explicit(&stream->claim, &claim,
                                                  claim + claim_unit(core),
                                                  memory_order_acq_rel, memory_order_acquire)) {
            *out_step = index;
            *out_chunk = claim_chunk(claim, step->chunks, core);
            return true;
        }
    }
}

/* Takes a further chunk of step index, which cannot pass while this core still owes
 * the report of a chunk of it. */
static inline bool stream_claim_more(TsrNpuStreamState *stream, const TsrNpuStep *step,
                                     uint32_t core, uint32_t *out_chunk)
{
    uint64_t claim = atomic_load_explicit(&stream->claim, memory_order_relaxed);
    while (claim_front(claim) + claim_back(claim) < step->chunks) {
        if (atomic_compare_exchange_weak_explicit(&stream->claim, &claim,
                                                  claim + claim_unit(core),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            *out_chunk = claim_chunk(claim, step->chunks, core);
            return true;
        }
    }
    return false;
}

/* Runs chunks of a step from one that is claimed on. Returns how many are finished,
 * 0 when the execution stops. */
static uint32_t step_work(TsrDeviceModel *model, TsrNpuStreamState *stream,
                          const TsrNpuStep *step, uint32_t chunk, uint32_t core)
{
    uint32_t finished = 0;
    do {
        if (stream->status == TSR_OK) {
            int32_t status = run_chunk(step, chunk);
            if (status != TSR_OK && model->isolate) {
                stream->status = status; /* one chunk, so nobody else writes */
            } else if (status != TSR_OK) {
                stop_failed(model, step, status);
                return 0;
            }
        }
        finished++;
        if (is_past(model->deadline_ns))
            stop_deadline(model, step);
        if (atomic_load_explicit(&model->stop, memory_order_relaxed))
            return 0;
    } while (finished < step->chunks && stream_claim_more(stream, step, core, &chunk));
    return finished;
}

static inline uint64_t profile_now(const TsrDeviceModel *model)
{
    return model->profile_counts ? tsr_npu_ticks() : tsr_npu_now_ns();
}

/* Tells what this core did of a step since begin; returns when it was done. What only moves a
 * stream on takes no time, so that the clock is not asked. */
static uint64_t profile_step(const TsrDeviceModel *model, const TsrNpuStep *step, uint32_t core,
                             uint64_t begin)
{
    const bool works = step->kind != TSR_TASK_EVENT_RECORD && step->kind != TSR_TASK_EVENT_WAIT &&
                       step->kind != TSR_TASK_LABEL && !tsr_npu_is_jump(step);
    const uint64_t end = works ? profile_now(model) : begin;
    model->profile(model->profile_arg, step->task, core, begin, end);
    return end;
}

/* Works on a stream from a claimed chunk until there is nothing to claim. */
static void stream_work(TsrDeviceModel *model, TsrNpuStreamState *stream, uint32_t index,
                        uint32_t chunk, uint32_t core)
{
    uint64_t begin = model->profile != NULL ? profile_now(model) : 0;
    for (;;) {
        const TsrNpuStep *step = &stream->steps[index], *next;
        uint32_t finished = step_work(model, stream, step, chunk, core);
        uint64_t claim;
        if (finished == 0)
            return;
        if (model->profile != NULL)
            begin = profile_step(model, step, core, begin);
        if (finished != step->chunks) {
            if (atomic_fetch_add_explicit(&stream->done, finished, memory_order_acq_rel) +
                    finished != step->chunks)
                return;
            atomic_store_explicit(&stream->done, 0, memory_order_relaxed);
        }
        next = tsr_npu_is_jump(step) ? tsr_npu_jump_target(step) : step + 1;
        index = (uint32_t)(next - stream->steps);
        claim = (uint64_t)index << STEP_SHIFT;
        if (index == stream->step_count) {
            atomic_store_explicit(&stream->claim, claim, memory_order_release);
            atomic_fetch_sub_explicit(&model->streams_left, 1, memory_order_acq_rel);
            return;
        }
        if (next->kind == TSR_TASK_EVENT_WAIT && !is_reached(model, next)) {
            atomic_store_explicit(&stream->claim, claim, memory_order_release);
            return;
        }
        chunk = claim_chunk(0, next->chunks, core);
        atomic_store_explicit(&stream->claim, claim + claim_unit(core), memory_order_release);
    }
}

static inline bool is_over(TsrDeviceModel *model)
{
    return atomic_load_explicit(&model->streams_left, memory_order_acquire) == 0 ||
           atomic_load_explicit(&model->stop, memory_order_acquire);
}

/* TsrNpuRun.work: each core starts its round at a stream of its own. */
static void model_work(TsrNpuRun *run, uint32_t core)
{
    TsrDeviceModel *model = (TsrDeviceModel *)((char *)run - offsetof(TsrDeviceModel, run));
    uint32_t first = core % model->stream_count, spins = 0;
    TsrNpuFrame frame;
    tsr_npu_crew_enter(model->crew, model, &frame);
    while (!is_over(model)) {
        bool worked = false;
        for (uint32_t i = 0; i < model->stream_count && !worked; i++) {
            uint32_t at = first + i < model->stream_count ? first + i
                                                          : first + i - model->stream_count;
            uint32_t index, chunk;
            if (stream_claim(model, &model->streams[at], core, &index, &chunk)) {
                stream_work(model, &model->streams[at], index, chunk, core);
                worked = true;
            }
        }
        if (worked || tsr_npu_crew_help(model->crew))
            spins = 0;
        else
            tsr_npu_crew_relax(model->crew, &spins);
    }
    tsr_npu_crew_leave(&frame);
}

static int32_t run_shared(TsrDeviceModel *model, uint64_t deadline_ns)
{
    uint32_t busy = 0;
    int32_t status;
    for (uint32_t i = 0; i < model->stream_count; i++) {
        TsrNpuStreamState *stream = &model->streams[i];
        atomic_store_explicit(&stream->claim, 0, memory_order_relaxed);
        atomic_store_explicit(&stream->done, 0, memory_order_relaxed);
        busy += stream->step_count > 0;
    }
    atomic_store_explicit(&model->stop, false, memory_order_relaxed);
    atomic_store_explicit(&model->status, TSR_OK, memory_order_relaxed);
    atomic_store_explicit(&model->streams_left, busy, memory_order_relaxed);
    model->run.work = model_work;
    model->deadline_ns = deadline_ns;
    model->text_is_set = false;
    model->caller = pthread_self();
    tsr_npu_crew_run(model->crew, &model->run);
    status = atomic_load(&model->status);
    if (status == TSR_OK || model->text_is_set)
        return status;
    return TSR_NPU_FAIL(status, "%s", model->text);
}

/* ------------------------------------------------------- list order, one core */

static void parallel_block(void *arg, uint32_t block, uint32_t block_dim)
{
    (void)block_dim;
    (void)run_blocks(arg, block, (uint64_t)block + 1);
}

/* Keeps no state in the model (but the streams' status of an isolated list, which
 * runs only once), so that a model may even run within itself or beside itself. share: idle
 * cores help with its blocks. */
static int32_t run_serial(TsrDeviceModel *model, uint64_t deadline_ns, bool share)
{
    uint64_t begin = model->profile != NULL ? profile_now(model) : 0;
    char text[TSR_NPU_TEXT_SIZE];
    for (uint32_t i = 0, next; i < model->task_count; i = next) {
        TsrNpuStep *step = model->serial[i];
        int32_t status = TSR_OK;
        next = tsr_npu_is_jump(step) ? tsr_npu_jump_target(step)->task : i + 1;
        if (model->isolate && model->streams[step->stream].status != TSR_OK)
            continue;
        if (share && step->chunks > 1)
            tsr_npu_crew_parallel(model->crew, step->block_dim, parallel_block, step);
        else
            status = run_blocks(step, 0, step->block_dim);
        if (status != TSR_OK && !model->isolate && step->kind == TSR_TASK_HOST_CALL)
            return status; /* on the caller's thread: it has left its text */
        if (status != TSR_OK && !model->isolate) {
            failure_text(model, step, status, text, sizeof(text));
            return TSR_NPU_FAIL(status, "%s", text);
        }
        if (status != TSR_OK)
            model->streams[step->stream].status = status;
        if (model->profile != NULL)
            begin = profile_step(model, step, 0, begin);
        if (is_past(deadline_ns))
            return TSR_NPU_FAIL(TSR_DEADLINE_EXCEEDED,
                                "the execution passed its deadline in %s on stream %u",
                                tsr_npu_task_text(model, step->task, text, sizeof(text)),
                                step->stream);
    }
    return TSR_OK;
}

bool tsr_npu_is_inside_batch(const TsrDeviceContext *context)
{
    const TsrNpuFrame *frame = NULL;
    while ((frame = tsr_npu_crew_frame(context->crew, frame)) != NULL) {
        const TsrDeviceModel *model = frame->work;
        if (model != NULL && model->isolate)
            return true;
    }
    return false;
}

int32_t tsr_npu_model_run(TsrDeviceModel *model, uint64_t timeout_us)
{
    bool one_core = tsr_npu_crew_core_count(model->crew) == 1;
    uint64_t deadline_ns = 0;
    TsrNpuFrame frame;
    int32_t status;
    if (model->task_count == 0)
        return TSR_OK;
    if (timeout_us != 0) {
        uint64_t now_ns = tsr_npu_now_ns();
        /* A time beyond the clock's range is no limit. */
        deadline_ns = timeout_us < (UINT64_MAX - now_ns) / 1000 ? now_ns + timeout_us * 1000 : 0;
    }
    if (one_core || model->alone || tsr_npu_crew_is_inside(model->crew)) {
        tsr_npu_crew_enter(model->crew, model, &frame);
        status = run_serial(model, deadline_ns, !one_core);
        tsr_npu_crew_leave(&frame);
    } else if (pthread_mutex_trylock(&model->context->crew_lock) == 0) {
        status = run_shared(model, deadline_ns);
        pthread_mutex_unlock(&model->context->crew_lock);
    } else { /* the cores have work: asking them for help would only make both wait */
        tsr_npu_crew_enter(model->crew, model, &frame);
        status = run_serial(model, deadline_ns, false);
        tsr_npu_crew_leave(&frame);
    }
    return status;
}
