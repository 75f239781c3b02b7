/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h: a program bound to a device and ready to run, as a task list or node by
 * node; checks what a caller brings and gives back arrays.
 */
#ifndef TSR_RUNTIME_MODEL_H
#define TSR_RUNTIME_MODEL_H

#include "build/program.h"
#include "runtime/host_exec.h"
#include "runtime/sink.h"

typedef struct TsrBoundModel TsrBoundModel;

/* Takes the program; weights is shared. (transfer full) */
TsrBoundModel *tsr_bound_model_new(TsrProgram *program, GBytes *weights,
                                   const TsrPluginSet *set, TsrOpenDevice *device,
                                   GError **error);
void tsr_bound_model_free(TsrBoundModel *model); /* NULL is a no-op */

TsrProgram *tsr_bound_model_program(TsrBoundModel *model);
TsrSink *tsr_bound_model_sink(TsrBoundModel *model);          /* or NULL */
TsrHostExec *tsr_bound_model_host_exec(TsrBoundModel *model); /* or NULL */
/* Launches the tasks of a task list one by one from now on. */
void tsr_bound_model_set_one_by_one(TsrBoundModel *model, gboolean one_by_one);

/* See tsr_model_run. */
gboolean tsr_bound_model_run(TsrBoundModel *model, TsrArray *const *inputs, TsrArray **outputs,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
