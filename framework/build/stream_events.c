/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_events.c: see stream_events.h. First the waits are found with vector clocks, as
 * task_order.c has them; then the list is written anew and events and notifies are numbered.
 */
#include "build/stream_events.h"

#include <string.h>
#include <tessera/plugin.h>

typedef struct Inserter {
    TsrProgram *program;
    guint width;            /* streams */
    guint32 *position;      /* per task: its place in its stream, from 1 */
    guint32 *clock;         /* per task and stream: what is done when it is */
    GArray **waits;         /* per task: the tasks that it waits for, or NULL */
    GArray **waiters;       /* per task: the tasks that wait for it, or NULL */
} Inserter;

static guint stream_of(const Inserter *inserter, guint task)
{
    return ((const TsrProgramTask *)g_ptr_array_index(inserter->program->tasks, task))->stream;
}

static void append(GArray **list, guint task)
{
    if (*list == NULL)
        *list = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(*list, task);
}

/* The latest dependencies first: they bring most of the others with them. */
static void find_waits(Inserter *inserter, guint task, const GArray *depend, guint32 *now)
{
    const guint stream = stream_of(inserter, task);
    for (guint i = depend->len; i > 0; i--) {
        const guint before = g_array_index(depend, guint, i - 1);
        const guint other = stream_of(inserter, before);
        if (now[other] >= inserter->position[before])
            continue;
        append(&inserter->waits[task], before);
        append(&inserter->waiters[before], task);
        for (guint s = 0; s < inserter->width; s++)
            now[s] = MAX(now[s], inserter->clock[(gsize)before * inserter->width + s]);
    }
    inserter->position[task] = ++now[stream];
    memcpy(inserter->clock + (gsize)task * inserter->width, now,
           inserter->width * sizeof(*now));
}

/* Whether all who wait for a record behind `recorder` are done, in every execution, when `task`
 * is. */
static gboolean is_past(const Inserter *inserter, guint recorder, guint task)
{
    const GArray *waiters = inserter->waiters[recorder];
    const guint32 *clock = inserter->clock + (gsize)task * inserter->width;
    for (guint i = 0; i < waiters->len; i++) {
        const guint waiter = g_array_index(waiters, guint, i);
        if (clock[stream_of(inserter, waiter)] < inserter->position[waiter])
            return FALSE;
    }
    return TRUE;
}

/* The first number that is free again once `task` is done; recorders has, per number, the task
 * that recorded it last. */
static guint take_number(const Inserter *inserter, GArray *recorders, guint task)
{
    guint number = 0;
    while (number < recorders->len &&
           !is_past(inserter, g_array_index(recorders, guint, number), task))
        number++;
    if (number == recorders->len)
        g_array_set_size(recorders, number + 1);
    g_array_index(recorders, guint, number) = task;
    return number;
}

static void add_sync(GPtrArray *list, guint32 kind, const TsrProgramTask *beside, guint32 number)
{
    TsrProgramTask *task = tsr_program_task_new(kind, beside->name);
    task->stream = beside->stream;
    task->event = number;
    g_ptr_array_add(list, task);
}

static gboolean is_notify(const Inserter *inserter, guint recorder)
{
    return inserter->waiters[recorder]->len == 1;
}

static void write_list(Inserter *inserter)
{
    TsrProgram *program = inserter->program;
    const guint count = program->tasks->len;
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_program_task_free);
    g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) notifies = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree guint *number_of = g_new0(guint, count + 1);
    for (guint i = 0; i < count; i++) {
        TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        const GArray *waits = inserter->waits[i];
        for (guint w = 0; waits != NULL && w < waits->len; w++) {
            const guint recorder = g_array_index(waits, guint, w);
            add_sync(list,
                     is_notify(inserter, recorder) ? TSR_TASK_NOTIFY_WAIT : TSR_TASK_EVENT_WAIT,
                     task, number_of[recorder]);
        }
        g_ptr_array_add(list, task);
        if (inserter->waiters[i] == NULL)
            continue;
        if (is_notify(inserter, i)) {
            number_of[i] = take_number(inserter, notifies, i);
            add_sync(list, TSR_TASK_NOTIFY_RECORD, task, number_of[i]);
        } else {
            number_of[i] = take_number(inserter, events, i);
            add_sync(list, TSR_TASK_EVENT_RECORD, task, number_of[i]);
        }
    }
    program->event_count = events->len;
    program->notify_count = notifies->len;
    g_ptr_array_set_free_func(program->tasks, NULL); /* the new list has them */
    g_ptr_array_unref(program->tasks);
    program->tasks = list;
}

void tsr_stream_events_insert(TsrProgram *program, const GPtrArray *depend)
{
    const guint count = program->tasks->len, width = program->stream_count;
    g_autofree guint32 *position = g_new0(guint32, count + 1);
    g_autofree guint32 *clock = g_new0(guint32, (gsize)count * width + 1);
    g_autofree guint32 *now = g_new0(guint32, (gsize)width * width + 1);
    g_autofree GArray **waits = g_new0(GArray *, count + 1);
    g_autofree GArray **waiters = g_new0(GArray *, count + 1);
    Inserter inserter = {program, width, position, clock, waits, waiters};
    for (guint i = 0; i < count; i++)
        find_waits(&inserter, i, g_ptr_array_index(depend, i),
                   now + (gsize)stream_of(&inserter, i) * width);
    write_list(&inserter);
    for (guint i = 0; i < count; i++) {
        g_clear_pointer(&waits[i], g_array_unref);
        g_clear_pointer(&waiters[i], g_array_unref);
    }
}
