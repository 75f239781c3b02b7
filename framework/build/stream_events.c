/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_events.c: see stream_events.h. First the waits are found with vector clocks, as
 * task_order.c has them; then the list is written anew and events are numbered.
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
    guint32 *last_wait;     /* per task: the last one that waits for it, or 0 */
} Inserter;

static guint stream_of(const Inserter *inserter, guint task)
{
    return ((const TsrProgramTask *)g_ptr_array_index(inserter->program->tasks, task))->stream;
}

static void add_wait(Inserter *inserter, guint task, guint before)
{
    if (inserter->waits[task] == NULL)
        inserter->waits[task] = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(inserter->waits[task], before);
    inserter->last_wait[before] = task;
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
        add_wait(inserter, task, before);
        for (guint s = 0; s < inserter->width; s++)
            now[s] = MAX(now[s], inserter->clock[(gsize)before * inserter->width + s]);
    }
    inserter->position[task] = ++now[stream];
    memcpy(inserter->clock + (gsize)task * inserter->width, now,
           inserter->width * sizeof(*now));
}

static TsrProgramTask *event_task(guint32 kind, guint32 stream, guint32 event, const char *name)
{
    TsrProgramTask *task = tsr_program_task_new(kind, name);
    task->stream = stream;
    task->event = event;
    return task;
}

/* The first event whose last wait is past. */
static guint take_event(GArray *busy_until, guint task, guint last_wait)
{
    guint event = 0;
    while (event < busy_until->len && g_array_index(busy_until, guint, event) > task)
        event++;
    if (event == busy_until->len)
        g_array_set_size(busy_until, event + 1);
    g_array_index(busy_until, guint, event) = last_wait;
    return event;
}

static void write_list(Inserter *inserter)
{
    TsrProgram *program = inserter->program;
    const guint count = program->tasks->len;
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_program_task_free);
    g_autoptr(GArray) busy_until = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree guint *event_of = g_new0(guint, count + 1);
    for (guint i = 0; i < count; i++) {
        TsrProgramTask *task = g_steal_pointer(&g_ptr_array_index(program->tasks, i));
        for (guint w = 0; inserter->waits[i] != NULL && w < inserter->waits[i]->len; w++)
            g_ptr_array_add(list,
                            event_task(TSR_TASK_EVENT_WAIT, task->stream,
                                       event_of[g_array_index(inserter->waits[i], guint, w)],
                                       task->name));
        g_ptr_array_add(list, task);
        if (inserter->last_wait[i] == 0)
            continue;
        event_of[i] = take_event(busy_until, i, inserter->last_wait[i]);
        g_ptr_array_add(list, event_task(TSR_TASK_EVENT_RECORD, task->stream, event_of[i],
                                         task->name));
    }
    program->event_count = busy_until->len;
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
    g_autofree guint32 *last_wait = g_new0(guint32, count + 1);
    Inserter inserter = {program, width, position, clock, waits, last_wait};
    for (guint i = 0; i < count; i++)
        find_waits(&inserter, i, g_ptr_array_index(depend, i),
                   now + (gsize)stream_of(&inserter, i) * width);
    write_list(&inserter);
    for (guint i = 0; i < count; i++)
        if (waits[i] != NULL)
            g_array_unref(waits[i]);
}
