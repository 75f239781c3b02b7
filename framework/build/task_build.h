/* SPDX-License-Identifier: Apache-2.0
 *
 * task_build.h: from a placed graph with storage formats to a program.
 */
#ifndef TSR_BUILD_TASK_BUILD_H
#define TSR_BUILD_TASK_BUILD_H

#include "build/program.h"
#include "build/task_sink.h"
#include "plugin/plugin_set.h"

typedef struct TsrBuildOptions {
    gboolean reuse;          /* of activation memory */
    gboolean in_place;       /* outputs over inputs; Concat and Split without copies */
    gboolean host_mode;      /* no task list even where one is possible */
    guint streams;           /* at most so many; 0: as many as are worth it */
    TsrDeviceTraits traits;
} TsrBuildOptions;

/* Builds the tasks of every node, plans and checks the memory. A graph with shapes
 * that only a run knows, with strings or control flow that jumps cannot follow gets no task list
 * (is_sink FALSE, why_not_sink says why): its nodes run one by one, but for the parts of it that
 * could be one. Constants go into weights, or
 * into new ones when that is NULL. (transfer full) */
TsrProgram *tsr_task_build(TsrGraph *graph, const TsrPluginSet *set,
                           const TsrBuildOptions *options, TsrWeights *weights, GError **error);

#endif
