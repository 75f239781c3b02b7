/* SPDX-License-Identifier: Apache-2.0
 *
 * host_call.h: tasks of a list that are functions of the host: a node of a host engine, and what
 * stands in place of a branch that cannot run.
 */
#ifndef TSR_RUNTIME_HOST_CALL_H
#define TSR_RUNTIME_HOST_CALL_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"
#include "runtime/device.h"

/* Of the calls of one task list. The first error of a run is kept, whichever core it came from. */
typedef struct TsrHostCalls {
    const TsrPluginSet *set;
    TsrOpenDevice *device;
    GPtrArray *calls;
    GPtrArray *faults;
    GError *error;     /* left by a call; whoever runs the list takes it */
    GMutex error_lock;
} TsrHostCalls;

void tsr_host_calls_init(TsrHostCalls *calls, const TsrPluginSet *set, TsrOpenDevice *device);
void tsr_host_calls_clear(TsrHostCalls *calls);

/* Makes the task a call of the node's engine on task->args, its inputs and then its outputs, which
 * are read at each run. Errors: the engine is not in use, its prepare fails, a value has no
 * size. */
gboolean tsr_host_calls_add(TsrHostCalls *calls, TsrNode *node, TsrTask *task, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Makes the task end the run with the graph's fault. */
void tsr_host_calls_add_fault(TsrHostCalls *calls, const TsrGraph *graph, TsrTask *task);

#endif
