/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_events.h: puts events and notifies between the streams of a task list.
 */
#ifndef TSR_BUILD_STREAM_EVENTS_H
#define TSR_BUILD_STREAM_EVENTS_H

#include "build/program.h"

/* Where a task depends (task_depend.h) on one of another stream and nothing orders the two
 * yet, the other one is followed by a record and the task preceded by a wait: of a notify,
 * which its wait resets, where one task waits; of an event where several do. What follows from
 * the order of streams and from what is already there gets none. A number serves again behind a
 * task that comes after all waits for its last record, in every execution. Writes event_count,
 * notify_count and the new list, in which tasks keep their order. */
void tsr_stream_events_insert(TsrProgram *program, const GPtrArray *depend);

#endif
