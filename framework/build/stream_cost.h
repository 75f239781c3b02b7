/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_cost.h: what tasks cost and how long a list takes on several streams, as far as that
 * can be told before anything runs. Only ratios of these figures mean something.
 */
#ifndef TSR_BUILD_STREAM_COST_H
#define TSR_BUILD_STREAM_COST_H

#include "build/program.h"

/* Microseconds of the task on one core: by the bytes that its arguments have and the
 * operations that its engine named (TsrKernelTask.operations). */
double tsr_task_cost(const TsrProgramTask *task);

/* Microseconds of the whole list on that many cores, when stream[i] is the stream of task i of
 * stream_count and depend (task_depend.h) says what it waits for. Streams share the cores
 * evenly; a task uses no more of them than it has blocks, and pays for every meeting of cores,
 * for what they read of each other and for every event. */
double tsr_stream_time(const TsrProgram *program, const GPtrArray *depend, const guint *stream,
                       guint stream_count, guint core_count);

#endif
