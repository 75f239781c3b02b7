/* SPDX-License-Identifier: Apache-2.0
 *
 * task_log.h: what each core did of each task of a model's runs. Cores write without a lock,
 * each thread into memory of its own; who reads merges that when no run is on.
 */
#ifndef TSR_RUNTIME_TASK_LOG_H
#define TSR_RUNTIME_TASK_LOG_H

#include <glib.h>

/* A core's part of a task: from its first block to its last. */
typedef struct TsrTaskRecord {
    guint32 task;
    guint32 core;
    guint64 begin_ns;
    guint64 end_ns;
} TsrTaskRecord;

typedef struct TsrTaskLog TsrTaskLog;

TsrTaskLog *tsr_task_log_new(void);
void tsr_task_log_free(TsrTaskLog *log); /* NULL is a no-op; nobody writes any more */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrTaskLog, tsr_task_log_free)

/* Reads a counter, and the nanoseconds of CLOCK_MONOTONIC at the same moment. */
typedef void (*TsrTaskClock)(gpointer user, guint64 *out_ticks, guint64 *out_ns);
/* Times come as ticks of that counter and are turned into nanoseconds when they are read. Before
 * the first record; without it they are nanoseconds. The clock lives as long as is read. */
void tsr_task_log_set_clock(TsrTaskLog *log, TsrTaskClock clock, gpointer user);

/* A TsrTaskHook; user is the log. Threads: any, at the same time. */
void tsr_task_log_hook(gpointer user, guint32 task, guint32 core, guint64 begin, guint64 end);
/* All records (TsrTaskRecord) by the time they began. No run is on. (transfer full) */
GArray *tsr_task_log_records(TsrTaskLog *log);
/* The same per task instead of per core: parts of one task that overlap are one, its core the
 * one that began. (transfer full) */
GArray *tsr_task_log_tasks(TsrTaskLog *log);

#endif
