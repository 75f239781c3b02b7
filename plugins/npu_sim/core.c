/* SPDX-License-Identifier: Apache-2.0
 *
 * core.c: worker threads, the parallel jobs and how idle cores wait. Called by
 * execute.c (runs), device.c (parallel) and nobody else. Invariants: a worker
 * touches a run only while it is counted in `inside`, and a job slot's fields only
 * while it holds a chunk of that job, so that whoever waits for inside == 0 or
 * done == chunks may free or reuse what they point to.
 */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum {
    CACHE_LINE = 64,
    JOB_SLOTS = 16,
    /* A pause takes 10 to 60 ns by processor: about 20 us of spinning, far longer
     * than tasks are apart, before the CPU is offered to others. */
    SPINS_BEFORE_YIELD = 1000,
    /* With more cores than CPUs the core waited for may not be running at all. */
    SPINS_BEFORE_YIELD_CROWDED = 16,
    SPINS_PER_CLOCK = 64,
    /* Chunks per core of a job: enough to even out blocks of different cost, few
     * enough that claiming them costs nothing. */
    CHUNKS_PER_CORE = 8,
};

/* An idle worker spins this long outside an execution before it sleeps: waking a
 * sleeper costs 5 to 50 us. */
static const uint64_t idle_before_sleep_ns = 80000;

/* A parallel job. claim is (chunks << 32 | chunks claimed): a chunk is taken by
 * compare and swap, so a slot at rest (0) gives none. */
typedef struct JobSlot {
    _Alignas(CACHE_LINE) _Atomic uint64_t claim;
    _Atomic uint32_t done;
    _Atomic uint32_t busy;
    uint32_t block_dim;
    uint32_t chunk_blocks;
    void (*fn)(void *arg, uint32_t block, uint32_t block_dim);
    void *arg;
} JobSlot;

typedef struct Worker {
    TsrNpuCrew *crew;
    uint32_t core;
    pthread_t thread;
} Worker;

struct TsrNpuCrew {
    uint32_t core_count;
    bool crowded;
    Worker *workers;
    uint32_t worker_count;
    pthread_mutex_t sleep_lock;
    pthread_cond_t wake;
    /* Written once per execution, read by every idle core. */
    _Alignas(CACHE_LINE) _Atomic(TsrNpuRun *) run;
    _Atomic bool closing;
    _Atomic uint32_t jobs_open;
    _Alignas(CACHE_LINE) _Atomic uint32_t inside;
    _Alignas(CACHE_LINE) _Atomic uint32_t sleepers;
    JobSlot slots[JOB_SLOTS];
};

static inline void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void tsr_npu_crew_relax(const TsrNpuCrew *crew, uint32_t *spins)
{
    uint32_t limit = crew->crowded ? SPINS_BEFORE_YIELD_CROWDED : SPINS_BEFORE_YIELD;
    if (++*spins < limit) {
        pause_cpu();
    } else {
        *spins = limit;
        sched_yield();
    }
}

/* -------------------------------------------------------------------- frames */

static _Thread_local TsrNpuFrame *innermost;

void tsr_npu_crew_enter(const TsrNpuCrew *crew, const void *work, TsrNpuFrame *frame)
{
    frame->crew = crew;
    frame->work = work;
    frame->outer = innermost;
    innermost = frame;
}

void tsr_npu_crew_leave(TsrNpuFrame *frame)
{
    innermost = frame->outer;
}

const TsrNpuFrame *tsr_npu_crew_frame(const TsrNpuCrew *crew, const TsrNpuFrame *inner)
{
    const TsrNpuFrame *frame = inner != NULL ? inner->outer : innermost;
    while (frame != NULL && frame->crew != crew)
        frame = frame->outer;
    return frame;
}

bool tsr_npu_crew_is_inside(const TsrNpuCrew *crew)
{
    return tsr_npu_crew_frame(crew, NULL) != NULL;
}

/* ---------------------------------------------------------------------- jobs */

static bool job_claim(JobSlot *slot, uint32_t *out_chunk)
{
    uint64_t claim = atomic_load_explicit(&slot->claim, memory_order_acquire);
    while ((uint32_t)claim < (uint32_t)(claim >> 32)) {
        if (atomic_compare_exchange_weak_explicit(&slot->claim, &claim, claim + 1,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *out_chunk = (uint32_t)claim;
            return true;
        }
    }
    return false;
}

/* Works on chunks of the slot until none is left to claim; false when there was none. */
static bool job_work(JobSlot *slot)
{
    uint32_t chunk, finished = 0;
    while (job_claim(slot, &chunk)) {
        uint64_t begin = (uint64_t)chunk * slot->chunk_blocks;
        uint64_t end = begin + slot->chunk_blocks;
        if (end > slot->block_dim)
            end = slot->block_dim;
        for (uint64_t block = begin; block < end; block++)
            slot->fn(slot->arg, (uint32_t)block, slot->block_dim);
        /* Reported chunk by chunk: a chunk claimed later may be of the slot's next
         * job, which must not be mixed with this one. */
        atomic_fetch_add_explicit(&slot->done, 1, memory_order_acq_rel);
        finished++;
    }
    return finished > 0;
}

bool tsr_npu_crew_help(TsrNpuCrew *crew)
{
    bool worked = false;
    if (atomic_load_explicit(&crew->jobs_open, memory_order_acquire) == 0)
        return false;
    for (uint32_t i = 0; i < JOB_SLOTS; i++)
        worked |= job_work(&crew->slots[i]);
    return worked;
}

static JobSlot *slot_take(TsrNpuCrew *crew)
{
    for (uint32_t i = 0; i < JOB_SLOTS; i++) {
        uint32_t free_mark = 0;
        if (atomic_compare_exchange_strong_explicit(&crew->slots[i].busy, &free_mark, 1,
                                                    memory_order_acq_rel,
                                                    memory_order_relaxed))
            return &crew->slots[i];
    }
    return NULL;
}

static void wake_sleepers(TsrNpuCrew *crew)
{
    /* Sequentially consistent, like the publication before it and the two accesses
     * in worker_sleep: either we see the sleeper or it sees the work. */
    if (atomic_load(&crew->sleepers) == 0)
        return;
    pthread_mutex_lock(&crew->sleep_lock);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->sleep_lock);
}

void tsr_npu_crew_parallel(TsrNpuCrew *crew, uint32_t block_dim,
                           void (*fn)(void *arg, uint32_t block, uint32_t block_dim),
                           void *arg)
{
    JobSlot *slot = crew->core_count > 1 && block_dim > 1 ? slot_take(crew) : NULL;
    uint32_t chunks, spins = 0;
    if (slot == NULL) {
        for (uint32_t block = 0; block < block_dim; block++)
            fn(arg, block, block_dim);
        return;
    }
    slot->fn = fn;
    slot->arg = arg;
    slot->block_dim = block_dim;
    slot->chunk_blocks = block_dim / (crew->core_count * CHUNKS_PER_CORE);
    if (slot->chunk_blocks == 0)
        slot->chunk_blocks = 1;
    chunks = (uint32_t)(((uint64_t)block_dim + slot->chunk_blocks - 1) / slot->chunk_blocks);
    atomic_store_explicit(&slot->done, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->claim, (uint64_t)chunks << 32, memory_order_release);
    atomic_fetch_add(&crew->jobs_open, 1);
    wake_sleepers(crew);
    job_work(slot);
    while (atomic_load_explicit(&slot->done, memory_order_acquire) != chunks)
        tsr_npu_crew_relax(crew, &spins);
    atomic_fetch_sub_explicit(&crew->jobs_open, 1, memory_order_acq_rel);
    atomic_store_explicit(&slot->claim, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->busy, 0, memory_order_release);
}

/* ---------------------------------------------------------------------- runs */

void tsr_npu_crew_run(TsrNpuCrew *crew, TsrNpuRun *run)
{
    uint32_t spins = 0;
    if (crew->worker_count == 0) {
        run->work(run, 0);
        return;
    }
    atomic_store(&crew->run, run);
    wake_sleepers(crew);
    run->work(run, 0);
    /* A worker that still holds the old pointer counts itself before it looks again:
     * it is seen here or it sees NULL. */
    atomic_store(&crew->run, NULL);
    while (atomic_load(&crew->inside) != 0)
        tsr_npu_crew_relax(crew, &spins);
}

static bool work_on_run(TsrNpuCrew *crew, uint32_t core)
{
    TsrNpuRun *run = atomic_load_explicit(&crew->run, memory_order_acquire);
    bool entered;
    if (run == NULL)
        return false;
    atomic_fetch_add(&crew->inside, 1);
    entered = atomic_load(&crew->run) == run;
    if (entered)
        run->work(run, core);
    atomic_fetch_sub_explicit(&crew->inside, 1, memory_order_acq_rel);
    return entered;
}

static void worker_sleep(TsrNpuCrew *crew)
{
    pthread_mutex_lock(&crew->sleep_lock);
    atomic_fetch_add(&crew->sleepers, 1);
    while (atomic_load(&crew->run) == NULL && atomic_load(&crew->jobs_open) == 0 &&
           !atomic_load(&crew->closing))
        pthread_cond_wait(&crew->wake, &crew->sleep_lock);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->sleep_lock);
}

static void *worker_main(void *data)
{
    const Worker *worker = data;
    TsrNpuCrew *crew = worker->crew;
    uint64_t idle_since_ns = 0;
    uint32_t spins = 0, turns = 0;
    TsrNpuFrame frame;
    tsr_npu_crew_enter(crew, NULL, &frame);
    while (!atomic_load_explicit(&crew->closing, memory_order_acquire)) {
        if (work_on_run(crew, worker->core) || tsr_npu_crew_help(crew)) {
            spins = 0;
            turns = 0;
            idle_since_ns = 0;
            continue;
        }
        tsr_npu_crew_relax(crew, &spins);
        if (++turns % SPINS_PER_CLOCK != 0)
            continue;
        if (idle_since_ns == 0) {
            idle_since_ns = tsr_npu_now_ns();
        } else if (tsr_npu_now_ns() - idle_since_ns > idle_before_sleep_ns) {
            worker_sleep(crew);
            idle_since_ns = 0;
        }
    }
    tsr_npu_crew_leave(&frame);
    return NULL;
}

/* ---------------------------------------------------------------------- crew */

uint32_t tsr_npu_cpu_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

static void crew_join(TsrNpuCrew *crew)
{
    pthread_mutex_lock(&crew->sleep_lock);
    atomic_store(&crew->closing, true);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->sleep_lock);
    for (uint32_t i = 0; i < crew->worker_count; i++)
        pthread_join(crew->workers[i].thread, NULL);
}

TsrNpuCrew *tsr_npu_crew_create(uint32_t core_count, int *out_reason)
{
    size_t size = (sizeof(TsrNpuCrew) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    TsrNpuCrew *crew = aligned_alloc(CACHE_LINE, size);
    Worker *workers = calloc(core_count, sizeof(*workers));
    *out_reason = ENOMEM;
    if (crew == NULL || workers == NULL) {
        free(crew);
        free(workers);
        return NULL;
    }
    memset(crew, 0, size);
    crew->core_count = core_count;
    crew->crowded = core_count > tsr_npu_cpu_count();
    crew->workers = workers;
    pthread_mutex_init(&crew->sleep_lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    for (uint32_t i = 0; i + 1 < core_count; i++) {
        workers[i].crew = crew;
        workers[i].core = i + 1;
        *out_reason = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
        if (*out_reason != 0) {
            tsr_npu_crew_destroy(crew);
            return NULL;
        }
        crew->worker_count = i + 1;
    }
    *out_reason = 0;
    return crew;
}

void tsr_npu_crew_destroy(TsrNpuCrew *crew)
{
    if (crew == NULL)
        return;
    crew_join(crew);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->sleep_lock);
    free(crew->workers);
    free(crew);
}

uint32_t tsr_npu_crew_core_count(const TsrNpuCrew *crew)
{
    return crew->core_count;
}
