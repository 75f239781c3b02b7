/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_cost.c: see stream_cost.h. The list is played through as if work were a fluid: at any
 * time each stream has at most one task under way, the cores are dealt out evenly, and
 * time moves on to the moment at which the next task ends.
 */
#include "build/stream_cost.h"

#include <math.h>
#include <tessera/plugin.h>

/* Of one core of the device; rough, since only ratios count. */
static const double bytes_per_us = 10e3, operations_per_us = 120e3;
static const double launch_us = 0.1;
/* Cores that share a task meet at its end, and half of what they read was written by another
 * one, whose caches give it up slowly. */
static const double meeting_us = 1.0, crossing_bytes_per_us = 5e3;
static const double event_us = 0.3;

double tsr_task_cost(const TsrProgramTask *task)
{
    guint64 bytes = task->bytes;
    for (guint a = 0; a < task->args->len; a++)
        bytes += g_array_index(task->args, TsrTaskArg, a).bytes;
    return launch_us + MAX((double)bytes / bytes_per_us,
                           (double)task->operations / operations_per_us);
}

/* What it costs the task that several cores share it. */
static double sharing_us(const TsrProgramTask *task)
{
    guint64 bytes = 0;
    for (guint a = 0; a < task->args->len; a++) {
        const TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
        if ((arg->ref & 0xff000000u) == TSR_ARG_INPUT && arg->address.space != TSR_SPACE_WEIGHTS)
            bytes += arg->bytes;
    }
    return meeting_us + (double)bytes / 2.0 / crossing_bytes_per_us;
}

typedef struct Player {
    const TsrProgram *program;
    const GPtrArray *depend;
    const guint *stream;
    guint count;
    guint *next;       /* per task: the next one of its stream, or count */
    guint *head;       /* per stream: the task under way or waiting, or count */
    double *left;      /* per stream: what is left of it, once begun; below 0: not begun */
    gboolean *done;    /* per task */
} Player;

static gboolean is_ready(const Player *player, guint task)
{
    const GArray *depend = g_ptr_array_index(player->depend, task);
    for (guint i = 0; i < depend->len; i++)
        if (!player->done[g_array_index(depend, guint, i)])
            return FALSE;
    return TRUE;
}

/* How many cores the task can use. A host call shares its work out itself. */
static double widest(const TsrProgramTask *task, guint core_count)
{
    const guint blocks = task->kind == TSR_TASK_HOST_CALL ? core_count : task->block_dim;
    return (double)MIN(MAX(blocks, 1), core_count);
}

static double begin_cost(const Player *player, guint task)
{
    const GArray *depend = g_ptr_array_index(player->depend, task);
    double cost = tsr_task_cost(g_ptr_array_index(player->program->tasks, task));
    for (guint i = 0; i < depend->len; i++)
        cost += player->stream[g_array_index(depend, guint, i)] != player->stream[task] ? event_us
                                                                                       : 0.0;
    return cost;
}

/* Begins what can begin; returns how many streams are under way. */
static guint begin_ready(Player *player, guint stream_count)
{
    guint active = 0;
    for (guint s = 0; s < stream_count; s++) {
        if (player->head[s] == player->count)
            continue;
        if (player->left[s] < 0.0 && is_ready(player, player->head[s]))
            player->left[s] = begin_cost(player, player->head[s]);
        active += player->left[s] >= 0.0;
    }
    return active;
}

/* Cores that the stream's task has, and the time that it would still take. */
static double time_left(const Player *player, guint stream, double share, guint core_count,
                        double *out_speed)
{
    const TsrProgramTask *task =
        g_ptr_array_index(player->program->tasks, player->head[stream]);
    *out_speed = MIN(share, widest(task, core_count));
    return player->left[stream] / *out_speed + (*out_speed > 1.0 ? sharing_us(task) : 0.0);
}

double tsr_stream_time(const TsrProgram *program, const GPtrArray *depend, const guint *stream,
                       guint stream_count, guint core_count)
{
    const guint count = program->tasks->len;
    g_autofree guint *next = g_new(guint, count + 1);
    g_autofree guint *head = g_new(guint, stream_count + 1);
    g_autofree double *left = g_new(double, stream_count + 1);
    g_autofree gboolean *done = g_new0(gboolean, count + 1);
    Player player = {program, depend, stream, count, next, head, left, done};
    double time = 0.0;
    guint active;
    for (guint s = 0; s < stream_count; s++) {
        head[s] = count;
        left[s] = -1.0;
    }
    for (guint i = count; i > 0; i--) {
        next[i - 1] = head[stream[i - 1]];
        head[stream[i - 1]] = i - 1;
    }
    while ((active = begin_ready(&player, stream_count)) != 0) {
        const double share = (double)core_count / active;
        double step = INFINITY, speed;
        guint first = 0;
        for (guint s = 0; s < stream_count; s++) {
            const double wait = left[s] >= 0.0
                                    ? time_left(&player, s, share, core_count, &speed)
                                    : INFINITY;
            if (wait < step) {
                step = wait;
                first = s;
            }
        }
        time += step;
        for (guint s = 0; s < stream_count; s++) {
            if (left[s] < 0.0 || s == first)
                continue;
            (void)time_left(&player, s, share, core_count, &speed);
            left[s] = MAX(left[s] - step * speed, 0.0);
        }
        done[head[first]] = TRUE;
        head[first] = next[head[first]];
        left[first] = -1.0;
    }
    return time;
}
