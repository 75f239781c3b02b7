/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.h: binds a task list to memory and hands it to the device once; a run is one
 * execute call. The same tasks can also be launched one by one (host mode).
 */
#ifndef TSR_RUNTIME_SINK_H
#define TSR_RUNTIME_SINK_H

#include "build/program.h"
#include "ir/array.h"
#include "runtime/arena_pool.h"
#include "runtime/device.h"
#include "runtime/task_log.h"

typedef struct TsrSink TsrSink;

/* Times of one core's part of a task, as the device reports them; a TsrTaskProfileFn. */
typedef void (*TsrTaskHook)(gpointer user, guint32 task, guint32 core, guint64 begin_ns,
                            guint64 end_ns);

/* Resolves kernels and addresses; activation memory comes from the pool, which must have it
 * now. program, set, device and pool outlive it. Several sinks of one program are several runs
 * at once. Errors: a kernel that the device lacks, an engine that is not in use,
 * OUT_OF_MEMORY. (transfer full) */
TsrSink *tsr_sink_new(TsrProgram *program, const TsrPluginSet *set, TsrOpenDevice *device,
                      TsrArenaPool *pool, GError **error);
void tsr_sink_free(TsrSink *sink); /* NULL is a no-op */

/* Runs once: inputs and outputs have their memory, of the graph's shapes and aligned.
 * one_by_one launches each task by itself. Not reentrant: one sink, one run. */
gboolean tsr_sink_run(TsrSink *sink, TsrArray *const *inputs, TsrArray *const *outputs,
                      gboolean one_by_one, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Called after each task of a run, which is then launched one by one; FALSE ends the run with
 * that error. */
typedef gboolean (*TsrAfterTask)(gpointer user, guint32 task, GError **error);
/* Sets it for later runs; NULL takes it away. */
void tsr_sink_set_after_task(TsrSink *sink, TsrAfterTask after, gpointer user);
/* Memory of an address of the program; for inputs and outputs only while a run is on. */
gconstpointer tsr_sink_memory(const TsrSink *sink, const TsrAddress *address);

/* Reports each task of later runs; hook NULL ends that. FALSE: the device cannot. */
gboolean tsr_sink_set_hook(TsrSink *sink, TsrTaskHook hook, gpointer user);
/* The same into a new log, at less cost where the device has a counter for it; NULL ends that.
 * The device outlives the log. */
gboolean tsr_sink_set_log(TsrSink *sink, TsrTaskLog *log);

#endif
