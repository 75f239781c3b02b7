/* SPDX-License-Identifier: Apache-2.0
 *
 * task_order.h: which tasks of a list are done before which begin: by the order of a stream and
 * by events and notifies between streams. Vector clocks after Lamport, Fidge and Mattern.
 */
#ifndef TSR_BUILD_TASK_ORDER_H
#define TSR_BUILD_TASK_ORDER_H

#include "build/program.h"

typedef struct TsrTaskOrder {
    guint stream_count;
    guint task_count;
    guint32 *stream;    /* per task */
    guint32 *position;  /* per task: its place in its stream, from 1 */
    guint32 *clock;     /* per task and stream: the last position known to be done before */
} TsrTaskOrder;

/* tasks is in one legal serial order: an event is recorded before it is waited for. A
 * wait for an event that nothing recorded, or for a notify that an earlier wait reset, orders
 * nothing. */
TsrTaskOrder *tsr_task_order_new(const GPtrArray *tasks, guint stream_count, guint event_count,
                                 guint notify_count);
void tsr_task_order_free(TsrTaskOrder *order); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrTaskOrder, tsr_task_order_free)

/* Whether task a is done before task b begins. */
gboolean tsr_task_order_before(const TsrTaskOrder *order, guint a, guint b);

#endif
