/* SPDX-License-Identifier: Apache-2.0
 *
 * host_exec.h: runs a placed graph node by node: shapes that only a run knows,
 * control flow, strings. Shapes are inferred again where the compiler did not know
 * them; a device engine builds its tasks for the shapes at hand and keeps them for
 * the next run of the same shapes.
 */
#ifndef TSR_RUNTIME_HOST_EXEC_H
#define TSR_RUNTIME_HOST_EXEC_H

#include "ir/array.h"
#include "ir/graph.h"
#include "build/program.h"
#include "runtime/arena_pool.h"
#include "runtime/device.h"

typedef struct TsrHostExec TsrHostExec;

/* Called with every value that a run computes. */
typedef void (*TsrValueHook)(gpointer user, const TsrValue *value, TsrArray *array);

/* Prepares every node and part. program, set, device and pool outlive it; device may be NULL
 * when no engine of the graph needs one. (transfer full) */
TsrHostExec *tsr_host_exec_new(const TsrProgram *program, const TsrPluginSet *set,
                               TsrOpenDevice *device, TsrArenaPool *pool, GError **error);
/* Another one of the same program, for a run at the same time. The graph is not touched.
 * (transfer full) */
TsrHostExec *tsr_host_exec_clone(const TsrHostExec *exec, GError **error);
void tsr_host_exec_free(TsrHostExec *exec); /* NULL is a no-op */

/* Runs once; inputs in the graph's order. out_outputs gets new references. Not
 * reentrant: one executor, one run. */
gboolean tsr_host_exec_run(TsrHostExec *exec, TsrArray *const *inputs, TsrArray **out_outputs,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* With a hook, parts are run node by node too. */
void tsr_host_exec_set_hook(TsrHostExec *exec, TsrValueHook hook, gpointer user);

#endif
