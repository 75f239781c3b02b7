/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h: a program bound to a device and ready to run, as a task list or node by
 * node; checks what a caller brings and gives back arrays. Several threads may run it at once.
 */
#ifndef TSR_RUNTIME_MODEL_H
#define TSR_RUNTIME_MODEL_H

#include "build/program.h"
#include "runtime/host_exec.h"
#include "runtime/sink.h"

typedef struct TsrBoundModel TsrBoundModel;

/* Takes the program. Runs take activation memory from the pool; NULL: from one of their own.
 * (transfer full) */
TsrBoundModel *tsr_bound_model_new(TsrProgram *program, const TsrPluginSet *set,
                                   TsrOpenDevice *device, TsrArenaPool *pool, GError **error);
void tsr_bound_model_free(TsrBoundModel *model); /* NULL is a no-op */

TsrProgram *tsr_bound_model_program(TsrBoundModel *model);
/* What the next run uses when no other is on: for hooks. Or NULL. */
TsrSink *tsr_bound_model_sink(TsrBoundModel *model);
TsrHostExec *tsr_bound_model_host_exec(TsrBoundModel *model);
/* Launches the tasks of a task list one by one from now on. */
void tsr_bound_model_set_one_by_one(TsrBoundModel *model, gboolean one_by_one);

/* Whether the inputs are what the program takes: dtypes, shapes, bounds. Errors:
 * INVALID_ARGUMENT names input, wanted and got. */
gboolean tsr_bound_model_check_inputs(const TsrBoundModel *model, TsrArray *const *inputs,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* See tsr_model_run. Threads: any; runs of several threads go side by side, each with its own
 * activations. */
gboolean tsr_bound_model_run(TsrBoundModel *model, TsrArray *const *inputs, TsrArray **outputs,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
