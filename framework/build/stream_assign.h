/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_assign.h: spreads the tasks of a list over streams, so that branches of the network
 * run side by side.
 */
#ifndef TSR_BUILD_STREAM_ASSIGN_H
#define TSR_BUILD_STREAM_ASSIGN_H

#include "build/program.h"

/* Writes the stream of every task, stream_count, event_count and notify_count, and puts events
 * and notifies into the list (stream_events.h). Tasks keep their order, which stays a legal serial
 * execution; those of a node of the root graph stay together, control flow and all that is inside.
 * wanted 0: as many streams as are worth it, at most one per core; 1: one; above: at most that
 * many, for any graph with branches. nodes is the order that tasks number nodes in. Memory is not
 * planned yet. */
void tsr_stream_assign(TsrProgram *program, const GPtrArray *nodes, guint wanted,
                       guint core_count);

#endif
