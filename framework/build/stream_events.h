/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_events.h: puts events between the streams of a task list.
 */
#ifndef TSR_BUILD_STREAM_EVENTS_H
#define TSR_BUILD_STREAM_EVENTS_H

#include "build/program.h"

/* Where a task depends (task_depend.h) on one of another stream and nothing orders the two
 * yet, the other one is followed by the record of an event and the task preceded by a wait.
 * What follows from the order of streams and from events already there gets none; a task
 * records once for all who wait; an event serves again when its last wait is past. Writes
 * event_count and the new list, in which tasks keep their order. */
void tsr_stream_events_insert(TsrProgram *program, const GPtrArray *depend);

#endif
