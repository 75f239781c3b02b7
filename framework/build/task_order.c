/* SPDX-License-Identifier: Apache-2.0
 *
 * task_order.c: see task_order.h.
 */
#include "build/task_order.h"

#include <string.h>
#include <tessera/plugin.h>

static void join(guint32 *clock, const guint32 *other, guint count)
{
    for (guint i = 0; i < count; i++)
        clock[i] = MAX(clock[i], other[i]);
}

/* What a task records or waits for, if it does: its clock in `events`, where notifies follow. */
static guint32 *find_clock(const TsrProgramTask *task, guint32 *events, guint width,
                           guint event_count, guint notify_count)
{
    switch (task->kind) {
    case TSR_TASK_EVENT_RECORD:
    case TSR_TASK_EVENT_WAIT:
        return task->event < event_count ? events + (gsize)task->event * width : NULL;
    case TSR_TASK_NOTIFY_RECORD:
    case TSR_TASK_NOTIFY_WAIT:
        return task->event < notify_count
                   ? events + ((gsize)event_count + task->event) * width
                   : NULL;
    default:
        return NULL;
    }
}

TsrTaskOrder *tsr_task_order_new(const GPtrArray *tasks, guint stream_count, guint event_count,
                                 guint notify_count)
{
    TsrTaskOrder *order = g_new0(TsrTaskOrder, 1);
    const guint width = MAX(stream_count, 1);
    g_autofree guint32 *now = g_new0(guint32, (gsize)width * width);
    g_autofree guint32 *events =
        g_new0(guint32, (gsize)width * ((gsize)event_count + notify_count) + 1);
    order->stream_count = width;
    order->task_count = tasks->len;
    order->stream = g_new0(guint32, tasks->len + 1);
    order->position = g_new0(guint32, tasks->len + 1);
    order->clock = g_new0(guint32, (gsize)width * tasks->len + 1);
    for (guint i = 0; i < tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(tasks, i);
        const guint stream = MIN(task->stream, width - 1);
        guint32 *clock = now + (gsize)stream * width;
        guint32 *event = find_clock(task, events, width, event_count, notify_count);
        const gboolean records =
            task->kind == TSR_TASK_EVENT_RECORD || task->kind == TSR_TASK_NOTIFY_RECORD;
        if (event != NULL && !records)
            join(clock, event, width);
        if (event != NULL && task->kind == TSR_TASK_NOTIFY_WAIT)
            memset(event, 0, width * sizeof(*event));
        join(order->clock + (gsize)i * width, clock, width);
        order->stream[i] = stream;
        order->position[i] = ++clock[stream];
        if (event != NULL && records)
            memcpy(event, clock, width * sizeof(*event));
    }
    return order;
}

void tsr_task_order_free(TsrTaskOrder *order)
{
    if (order == NULL)
        return;
    g_free(order->stream);
    g_free(order->position);
    g_free(order->clock);
    g_free(order);
}

gboolean tsr_task_order_before(const TsrTaskOrder *order, guint a, guint b)
{
    return order->clock[(gsize)b * order->stream_count + order->stream[a]] >= order->position[a];
}
