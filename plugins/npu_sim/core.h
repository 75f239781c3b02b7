/* SPDX-License-Identifier: Apache-2.0
 *
 * core.h: the cores of the simulated NPU. A crew of N cores is the thread that
 * calls plus N-1 worker threads, so one core needs no thread at all. The crew
 * knows two sources of work: one run (an execution of a task list, execute.c) and
 * a few parallel jobs (core.c). It allocates nothing after it is made.
 */
#ifndef TSR_NPU_CORE_H
#define TSR_NPU_CORE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TsrNpuCrew TsrNpuCrew;

/* Work that all cores share until it is over. */
typedef struct TsrNpuRun TsrNpuRun;
struct TsrNpuRun {
    /* Works on the run as that core and returns when the run is over. */
    void (*work)(TsrNpuRun *run, uint32_t core);
};

/* Marks that a thread executes on a crew, so that a call from within (a host call
 * that runs a model) is known as nested and does not wait for itself. Frames lie on
 * the stack; workers are inside for good, and have a second frame while they work on a
 * run. work tells which execution it is: a model, or NULL. */
typedef struct TsrNpuFrame {
    const TsrNpuCrew *crew;
    const void *work;
    struct TsrNpuFrame *outer;
} TsrNpuFrame;
void tsr_npu_crew_enter(const TsrNpuCrew *crew, const void *work, TsrNpuFrame *frame);
void tsr_npu_crew_leave(TsrNpuFrame *frame);
bool tsr_npu_crew_is_inside(const TsrNpuCrew *crew);
/* The frames of this thread on that crew: the innermost (from NULL), then outwards. */
const TsrNpuFrame *tsr_npu_crew_frame(const TsrNpuCrew *crew, const TsrNpuFrame *inner);

/* NULL when a thread could not be started; *out_reason is then an errno value. */
TsrNpuCrew *tsr_npu_crew_create(uint32_t core_count, int *out_reason);
void tsr_npu_crew_destroy(TsrNpuCrew *crew);
uint32_t tsr_npu_crew_core_count(const TsrNpuCrew *crew);
/* CPUs that this process may use. */
uint32_t tsr_npu_cpu_count(void);

/* Has every core work on run, the caller as core 0; returns when all have left it.
 * One run at a time: the caller holds the context's crew lock. */
void tsr_npu_crew_run(TsrNpuCrew *crew, TsrNpuRun *run);
/* Calls fn for every block; idle cores help. Threads: any, nested too. */
void tsr_npu_crew_parallel(TsrNpuCrew *crew, uint32_t block_dim,
                           void (*fn)(void *arg, uint32_t block, uint32_t block_dim),
                           void *arg);
/* Takes part in parallel jobs that are open; false when there was nothing to do. */
bool tsr_npu_crew_help(TsrNpuCrew *crew);
/* One turn of waiting; *spins counts the turns since the last work. */
void tsr_npu_crew_relax(const TsrNpuCrew *crew, uint32_t *spins);

#endif
