/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_assign.c: see stream_assign.h. In the order of the list each task goes to the stream
 * on which it would end first, as list schedulers do; where that is the same, to the one whose
 * last task it waits for, so that a chain stays on its stream.
 */
#include "build/stream_assign.h"

#include "build/stream_cost.h"
#include "build/stream_events.h"
#include "build/task_depend.h"

/* What a task of another stream costs who waits for it, in microseconds. */
static const double crossing_us = 0.5;
/* Streams keep more memory alive and meet less predictably: they have to be worth it. */
static const double least_gain = 1.25;

enum { MAX_STREAMS = 64 };

typedef struct Assigner {
    const TsrProgram *program;
    const GPtrArray *nodes;
    const GPtrArray *depend;
    guint stream_count;
    double *free_at;     /* per stream: when its last task so far ends */
    double *done_at;     /* per task */
    guint *stream;       /* per task */
} Assigner;

static double begin_on(const Assigner *assigner, const GArray *depend, guint stream)
{
    double begin = assigner->free_at[stream];
    for (guint i = 0; i < depend->len; i++) {
        const guint before = g_array_index(depend, guint, i);
        const double known = assigner->done_at[before] +
                             (assigner->stream[before] == stream ? 0.0 : crossing_us);
        begin = MAX(begin, known);
    }
    return begin;
}

/* The stream of the dependency that is done last; G_MAXUINT: there is none. */
static guint last_stream(const Assigner *assigner, const GArray *depend)
{
    guint stream = G_MAXUINT;
    double latest = -1.0;
    for (guint i = 0; i < depend->len; i++) {
        const guint before = g_array_index(depend, guint, i);
        if (assigner->done_at[before] > latest) {
            latest = assigner->done_at[before];
            stream = assigner->stream[before];
        }
    }
    return stream;
}

static void assign_task(Assigner *assigner, guint index)
{
    const TsrProgramTask *task = g_ptr_array_index(assigner->program->tasks, index);
    const TsrProgramTask *previous =
        index != 0 ? g_ptr_array_index(assigner->program->tasks, index - 1) : NULL;
    const GArray *depend = g_ptr_array_index(assigner->depend, index);
    const guint home = last_stream(assigner, depend);
    guint best = home != G_MAXUINT ? home : 0;
    double begin = begin_on(assigner, depend, best);
    const TsrNode *root = tsr_task_root(assigner->nodes, task);
    const gboolean stays =
        previous != NULL && root != NULL && root == tsr_task_root(assigner->nodes, previous);
    for (guint s = 0; s < assigner->stream_count && !stays; s++) {
        const double other = begin_on(assigner, depend, s);
        if (other < begin) {
            begin = other;
            best = s;
        }
    }
    assigner->stream[index] = best;
    assigner->free_at[best] = assigner->done_at[index] = begin + tsr_task_cost(task);
}

/* Numbers streams as they come up; returns how many there are. */
static guint number_streams(guint *stream, guint count)
{
    guint32 number[MAX_STREAMS] = {0};
    guint used = 0;
    for (guint i = 0; i < count; i++) {
        if (number[stream[i]] == 0)
            number[stream[i]] = ++used;
        stream[i] = number[stream[i]] - 1;
    }
    return MAX(used, 1);
}

static guint spread(const TsrProgram *program, const GPtrArray *nodes, const GPtrArray *depend,
                    guint stream_count, guint *stream)
{
    g_autofree double *free_at = g_new0(double, stream_count + 1);
    g_autofree double *done_at = g_new0(double, program->tasks->len + 1);
    Assigner assigner = {program, nodes, depend, stream_count, free_at, done_at, stream};
    for (guint i = 0; i < program->tasks->len; i++)
        assign_task(&assigner, i);
    return number_streams(stream, program->tasks->len);
}

/* As many streams as there are cores, where the list then takes so much less time. */
static guint spread_if_worth(const TsrProgram *program, const GPtrArray *nodes,
                             const GPtrArray *depend, guint core_count, guint *stream)
{
    const guint used = spread(program, nodes, depend, MIN(core_count, MAX_STREAMS), stream);
    g_autofree guint *one = g_new0(guint, program->tasks->len + 1);
    if (used > 1 && tsr_stream_time(program, depend, one, 1, core_count) >=
                        least_gain * tsr_stream_time(program, depend, stream, used, core_count))
        return used;
    return 1;
}

void tsr_stream_assign(TsrProgram *program, const GPtrArray *nodes, guint wanted,
                       guint core_count)
{
    g_autoptr(GPtrArray) depend = NULL;
    g_autofree guint *stream = NULL;
    program->stream_count = 1;
    program->event_count = program->notify_count = 0;
    if (wanted == 1 || (wanted == 0 && core_count < 2) || program->tasks->len < 2)
        return;
    depend = tsr_task_depend(program, nodes);
    stream = g_new0(guint, program->tasks->len);
    program->stream_count = wanted == 0
                                ? spread_if_worth(program, nodes, depend, core_count, stream)
                                : spread(program, nodes, depend, MIN(wanted, MAX_STREAMS),
                                         stream);
    if (program->stream_count == 1)
        return;
    for (guint i = 0; i < program->tasks->len; i++)
        ((TsrProgramTask *)g_ptr_array_index(program->tasks, i))->stream = stream[i];
    tsr_stream_events_insert(program, depend);
}
