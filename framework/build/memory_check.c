/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check.c: see memory_check.h. The walk: the list in its order, where a jump hands what
 * memory holds to its label, and a label goes on with what all who come there agree on. With
 * jumps back the list is walked again until no label learns anything new.
 */
#include "build/memory_check.h"

#include <tessera/plugin.h>

#include "base/error.h"
#include "build/memory_checker.h"
#include "build/memory_use.h"
#include "build/sinkable.h"

/* More rounds than any nest of loops needs; a forged list ends here. */
enum { MAX_WALKS = 64 };

/* ------------------------------------------------------------------ prepare */

static void note_write(TsrChecker *checker, guint arg_index)
{
    const TsrTaskArg *arg = &g_array_index(checker->task->args, TsrTaskArg, arg_index);
    const TsrValue *value =
        tsr_task_arg_value(checker->program->graph, checker->nodes, checker->task, arg);
    gpointer source = (gpointer)value;
    if ((arg->ref & 0xff000000u) == TSR_ARG_WORKSPACE)
        source = tsr_checker_workspace(checker, arg);
    if (source == NULL || !tsr_task_writes(checker->task, arg_index))
        return;
    if (!g_hash_table_contains(checker->first_write, source))
        g_hash_table_insert(checker->first_write, source,
                            GUINT_TO_POINTER(checker->task_index + 1));
    if (value != NULL &&
        (checker->task->kind == TSR_TASK_KERNEL || checker->task->kind == TSR_TASK_HOST_CALL))
        g_hash_table_insert(checker->last_write, source,
                            GUINT_TO_POINTER(checker->task_index + 1));
}

static void note_writes(TsrChecker *checker)
{
    for (guint i = 0; i < checker->program->tasks->len; i++) {
        checker->task_index = i;
        checker->task = g_ptr_array_index(checker->program->tasks, i);
        if (checker->task->node >= checker->nodes->len)
            continue;
        checker->has_task[checker->task->node] = 1;
        for (guint a = 0; a < checker->task->args->len; a++)
            note_write(checker, a);
    }
    checker->task = NULL;
}

/* --------------------------------------------------------------------- state */

static TsrCheckState state_new(const TsrProgram *program)
{
    const GArray *outputs = program->graph->outputs;
    TsrCheckState state = {
        tsr_memory_map_new(program->stats.activation_bytes, program->stream_count),
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_memory_map_free)};
    for (guint i = 0; i < outputs->len; i++)
        g_ptr_array_add(state.outputs,
                        tsr_memory_map_new(
                            tsr_checker_bytes(g_array_index(outputs, TsrGraphOutput, i).value),
                            program->stream_count));
    return state;
}

static void state_clear(TsrCheckState *state)
{
    g_clear_pointer(&state->arena, tsr_memory_map_free);
    g_clear_pointer(&state->outputs, g_ptr_array_unref);
}

static TsrCheckState state_copy(const TsrCheckState *state)
{
    TsrCheckState copy = {
        tsr_memory_map_copy(state->arena),
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_memory_map_free)};
    for (guint i = 0; i < state->outputs->len; i++)
        g_ptr_array_add(copy.outputs,
                        tsr_memory_map_copy(g_ptr_array_index(state->outputs, i)));
    return copy;
}

static gboolean state_meet(TsrCheckState *state, const TsrCheckState *other)
{
    gboolean changed = tsr_memory_map_meet(state->arena, other->arena);
    for (guint i = 0; i < state->outputs->len; i++)
        changed |= tsr_memory_map_meet(g_ptr_array_index(state->outputs, i),
                                       g_ptr_array_index(other->outputs, i));
    return changed;
}

/* ---------------------------------------------------------------------- walk */

typedef struct Label {
    guint task;           /* that sets it, or G_MAXUINT */
    TsrCheckState state;  /* of all who come here; arena NULL: nobody did yet */
} Label;

typedef struct Walk {
    TsrChecker *checker;
    Label *labels;
    gboolean is_live;     /* something comes to the task at hand */
    gboolean again;       /* a label that the walk is past learned something */
} Walk;

static gboolean find_labels(Walk *walk)
{
    TsrChecker *checker = walk->checker;
    for (guint l = 0; l < checker->program->label_count; l++)
        walk->labels[l].task = G_MAXUINT;
    for (guint i = 0; i < checker->program->tasks->len; i++) {
        checker->task_index = i;
        checker->task = g_ptr_array_index(checker->program->tasks, i);
        if (checker->task->kind != TSR_TASK_LABEL)
            continue;
        if (checker->task->event >= checker->program->label_count ||
            walk->labels[checker->task->event].task != G_MAXUINT)
            return tsr_checker_wrong(checker, "sets label %u of %u, or once more",
                                     checker->task->event, checker->program->label_count);
        walk->labels[checker->task->event].task = i;
    }
    checker->task = NULL;
    return TRUE;
}

static void come_to(Walk *walk, Label *label)
{
    gboolean changed = TRUE;
    if (label->state.arena == NULL)
        label->state = state_copy(&walk->checker->state);
    else
        changed = state_meet(&label->state, &walk->checker->state);
    walk->again |= changed && label->task <= walk->checker->task_index;
}

static gboolean jump(Walk *walk)
{
    TsrChecker *checker = walk->checker;
    const guint32 *labels;
    const guint count = tsr_task_labels(checker->task, &labels);
    for (guint i = 0; i < count; i++) {
        Label *label = labels[i] < checker->program->label_count ? &walk->labels[labels[i]] : NULL;
        if (label == NULL || label->task == G_MAXUINT)
            return tsr_checker_wrong(checker, "jumps to label %u, which no task sets", labels[i]);
        if (label->task <= checker->task_index && !tsr_checker_again(checker, label->task))
            return FALSE;
        come_to(walk, label);
    }
    walk->is_live = FALSE;
    return TRUE;
}

static gboolean step(Walk *walk, GArray *uses)
{
    TsrChecker *checker = walk->checker;
    if (checker->task->kind == TSR_TASK_LABEL) {
        Label *label = &walk->labels[checker->task->event];
        if (walk->is_live)
            come_to(walk, label);
        if (label->state.arena == NULL)
            return tsr_checker_wrong(checker, "is a label that nothing comes to");
        state_clear(&checker->state);
        checker->state = state_copy(&label->state);
        walk->is_live = TRUE;
    }
    if (!walk->is_live)
        return tsr_checker_wrong(checker, "is a task that nothing comes to");
    if (!tsr_checker_task(checker, uses))
        return FALSE;
    return (checker->task->kind != TSR_TASK_GOTO && checker->task->kind != TSR_TASK_SWITCH) ||
           jump(walk);
}

static gboolean walk_once(Walk *walk, GArray *uses)
{
    TsrChecker *checker = walk->checker;
    walk->is_live = TRUE;
    walk->again = FALSE;
    state_clear(&checker->state);
    checker->state = state_new(checker->program);
    for (guint i = 0; i < checker->program->tasks->len; i++) {
        checker->task_index = i;
        checker->task = g_ptr_array_index(checker->program->tasks, i);
        if (!step(walk, uses))
            return FALSE;
    }
    checker->task = NULL;
    return walk->is_live ? TRUE : tsr_checker_wrong(checker, "the list ends in a jump");
}

static gboolean walk_all(TsrChecker *checker)
{
    g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(TsrCheckUse));
    g_autofree Label *labels = g_new0(Label, checker->program->label_count + 1);
    Walk walk = {.checker = checker, .labels = labels, .again = TRUE};
    gboolean right = find_labels(&walk);
    for (guint i = 0; right && walk.again; i++)
        right = i < MAX_WALKS ? walk_once(&walk, uses)
                              : tsr_checker_wrong(checker, "its jumps come to no rest");
    for (guint l = 0; l < checker->program->label_count; l++)
        if (labels[l].state.arena != NULL)
            state_clear(&labels[l].state);
    return right;
}

/* --------------------------------------------------------------------- whole */

/* Every graph output holds its value once all tasks are done. */
static gboolean check_outputs(TsrChecker *checker)
{
    const GArray *outputs = checker->program->graph->outputs;
    for (guint i = 0; i < outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(outputs, TsrGraphOutput, i);
        const GArray *pieces = g_hash_table_lookup(checker->pieces, output->value);
        const TsrMemoryMap *map = g_ptr_array_index(checker->state.outputs, i);
        guint64 covered = 0;
        for (guint r = 0; r < map->runs->len; r++) {
            const TsrMemoryRun *run = tsr_memory_map_run(map, r);
            for (guint k = 0; pieces != NULL && k < pieces->len; k++) {
                const TsrCheckPiece *piece = &g_array_index(pieces, TsrCheckPiece, k);
                const guint64 begin = MAX(run->begin, piece->offset);
                const guint64 end = MIN(run->end, piece->offset + piece->size);
                if (begin < end && run->source == piece->source &&
                    run->at + begin - run->begin == piece->at + begin - piece->offset)
                    covered += end - begin;
            }
        }
        if (covered != tsr_checker_bytes(output->value))
            return tsr_checker_wrong(checker, "graph output '%s' does not hold '%s' in the end",
                                     output->name, output->value->name);
    }
    return TRUE;
}

static void clear_pieces(gpointer data)
{
    g_array_unref(data);
}

static void clear_token(gpointer data)
{
    g_free(((TsrCheckToken *)data)->text);
    g_free(data);
}

/* Tasks can follow the control flow that there is; whoever checks them relies on it. */
static gboolean check_control(TsrChecker *checker)
{
    for (guint i = 0; i < checker->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(checker->nodes, i);
        g_autofree char *obstacle = NULL;
        if (node->subgraphs->len == 0)
            continue;
        obstacle = tsr_graph_obstacle(checker->program->graph);
        return obstacle == NULL || tsr_checker_wrong(checker, "%s", obstacle);
    }
    return TRUE;
}

gboolean tsr_memory_check(const TsrProgram *program, const GPtrArray *nodes,
                          const TsrPluginSet *set, GError **error)
{
    GError *cause = NULL;
    TsrChecker checker = {.program = program, .nodes = nodes, .set = set, .error = &cause};
    if (!program->is_sink)
        return TRUE;
    checker.order = tsr_task_order_new(program->tasks, program->stream_count,
                                       program->event_count, program->notify_count);
    checker.pieces = g_hash_table_new_full(NULL, NULL, NULL, clear_pieces);
    checker.first_write = g_hash_table_new(NULL, NULL);
    checker.last_write = g_hash_table_new(NULL, NULL);
    checker.next = g_hash_table_new(NULL, NULL);
    checker.workspaces = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    checker.tokens = g_hash_table_new_full(NULL, NULL, clear_token, NULL);
    checker.has_task = g_new0(guint8, nodes->len + 1);
    if (check_control(&checker)) {
        note_writes(&checker);
        tsr_checker_trace(&checker);
        (void)(tsr_checker_notifies(&checker) && walk_all(&checker) && check_outputs(&checker));
    }
    tsr_task_order_free(checker.order);
    state_clear(&checker.state);
    g_hash_table_unref(checker.pieces);
    g_hash_table_unref(checker.first_write);
    g_hash_table_unref(checker.last_write);
    g_hash_table_unref(checker.next);
    g_hash_table_unref(checker.workspaces);
    g_hash_table_unref(checker.tokens);
    g_free(checker.has_task);
    if (cause == NULL)
        return TRUE;
    g_propagate_error(error, cause);
    return FALSE;
}
