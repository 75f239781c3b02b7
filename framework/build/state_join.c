/* SPDX-License-Identifier: Apache-2.0
 *
 * state_join.c: see state_join.h. All tasks of a loop are on one stream, so the order of the list
 * is the order of a round.
 */
#include "build/state_join.h"

#include <tessera/plugin.h>

#include "build/sinkable.h"

typedef struct Joiner {
    TsrSymbols *symbols;
    const TsrMemoryUse *use;
    const TsrPluginSet *set;
    const TsrNode *node;   /* the loop */
    const TsrGraph *body;
    guint subgraph;        /* the body's number */
    guint begin;           /* the label that a round begins with */
    guint end;             /* the jump back */
} Joiner;

static const TsrProgramTask *task_at(const Joiner *joiner, guint index)
{
    return g_ptr_array_index(joiner->use->program->tasks, index);
}

/* FALSE: the loop has no tasks, as a view has none. */
static gboolean find_round(Joiner *joiner)
{
    joiner->begin = joiner->end = G_MAXUINT;
    for (guint i = 0; i < joiner->use->program->tasks->len; i++) {
        const TsrProgramTask *task = task_at(joiner, i);
        if (task->node != joiner->node->index)
            continue;
        if (task->kind == TSR_TASK_LABEL && joiner->begin == G_MAXUINT)
            joiner->begin = i;
        else if (task->kind == TSR_TASK_GOTO)
            joiner->end = i;
    }
    return joiner->end != G_MAXUINT && joiner->begin < joiner->end;
}

/* The task that makes a result the next state, or G_MAXUINT. */
static guint find_copy(const Joiner *joiner, guint input, guint output)
{
    const guint32 to = TSR_REF_BODY_INPUT | joiner->subgraph << 16 | input;
    const guint32 from = TSR_REF_BODY_OUTPUT | joiner->subgraph << 16 | output;
    for (guint i = joiner->begin; i < joiner->end; i++) {
        const TsrProgramTask *task = task_at(joiner, i);
        if (task->kind == TSR_TASK_MEMCPY && task->node == joiner->node->index &&
            g_array_index(task->args, TsrTaskArg, 0).ref == to &&
            g_array_index(task->args, TsrTaskArg, 1).ref == from)
            return i;
    }
    return G_MAXUINT;
}

static const TsrValue *result_at(const Joiner *joiner, guint output)
{
    return g_array_index(joiner->body->outputs, TsrGraphOutput, output).value;
}

/* Whether it becomes that one state and nothing else that a round hands on. */
static gboolean is_of_one_state(const Joiner *joiner, guint output)
{
    const guint last = tsr_control_first_output(joiner->node) + tsr_control_states(joiner->node);
    for (guint i = 0; i < last; i++)
        if (i != output && result_at(joiner, i) == result_at(joiner, output))
            return FALSE;
    return TRUE;
}

static gboolean is_whole(const TsrMember *member)
{
    return member->symbol->base == member->value && member->offset == 0 &&
           member->bytes == member->symbol->bytes && member->symbol->output < 0;
}

/* Whether the node that makes the result may read the state's memory while it does. */
static gboolean may_overwrite(const Joiner *joiner, TsrMember *state, const TsrValue *result)
{
    TsrNode *maker = result->producer;
    const guint64 allowed = tsr_plugin_set_inplace(joiner->set, maker, result->output_index);
    for (guint i = 0; i < maker->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(maker->inputs, i);
        const TsrMember *input =
            value != NULL ? tsr_symbols_member(joiner->symbols, value) : NULL;
        if (input == NULL || input->symbol != state->symbol)
            continue;
        if (i >= 64 || (allowed >> i & 1) == 0 || input->offset != 0 ||
            input->bytes != state->bytes)
            return FALSE;
    }
    return TRUE;
}

/* Whether nobody in the body uses the state's memory once the result is being made; the copy
 * is what would go. */
static gboolean is_dead(const Joiner *joiner, TsrMember *state, const TsrValue *result, guint copy)
{
    const guint32 maker = result->producer->index;
    const guint first = joiner->use->first_task[maker];
    for (guint m = 0; m < state->symbol->members->len; m++) {
        const TsrMember *member = g_ptr_array_index(state->symbol->members, m);
        const GArray *tasks = tsr_memory_use_of(joiner->use, member->value);
        for (guint t = 0; tasks != NULL && t < tasks->len; t++) {
            const guint index = g_array_index(tasks, guint, t);
            if (index >= first && index < joiner->end && index != copy &&
                task_at(joiner, index)->node != maker)
                return FALSE;
        }
    }
    return may_overwrite(joiner, state, result);
}

static void try_state(const Joiner *joiner, guint input, guint output)
{
    const TsrValue *value = g_ptr_array_index(joiner->body->inputs, input);
    const TsrValue *result = result_at(joiner, output);
    TsrMember *state = tsr_symbols_member(joiner->symbols, value);
    TsrMember *made = tsr_symbols_member(joiner->symbols, result);
    const guint copy = find_copy(joiner, input, output);
    if (copy == G_MAXUINT || result->producer->kind != TSR_NODE_OPERATOR ||
        result->producer->graph != joiner->body || result->producer->subgraphs->len != 0 ||
        joiner->use->first_task[result->producer->index] == G_MAXUINT32)
        return;
    if (!is_whole(state) || !is_whole(made) || state->symbol == made->symbol ||
        state->bytes != made->bytes || state->bytes == 0 || !is_of_one_state(joiner, output) ||
        !is_dead(joiner, state, result, copy))
        return;
    made->kind = TSR_MEMORY_INPLACE;
    made->with = value;
    tsr_symbols_merge(made->symbol, state->symbol, 0);
    state->symbol->is_state = TRUE;
}

void tsr_state_join(TsrSymbols *symbols, const TsrMemoryUse *use, const GPtrArray *nodes,
                    const TsrPluginSet *set)
{
    for (guint i = 0; i < nodes->len; i++) {
        Joiner joiner = {.symbols = symbols, .use = use, .set = set,
                         .node = g_ptr_array_index(nodes, i)};
        if (joiner.node->def == NULL ||
            (joiner.node->def->flags & (TSR_OP_LOOP | TSR_OP_SCAN)) == 0 || !find_round(&joiner))
            continue;
        joiner.subgraph = tsr_control_subgraph(joiner.node, "body");
        joiner.body = g_ptr_array_index(joiner.node->subgraphs, joiner.subgraph);
        for (guint s = 0; s < tsr_control_states(joiner.node); s++)
            try_state(&joiner, tsr_control_first_input(joiner.node) + s,
                      tsr_control_first_output(joiner.node) + s);
    }
}

/* -------------------------------------------------------------------- copies */

static gboolean copies_nothing(const TsrProgramTask *task)
{
    const TsrTaskArg *to, *from;
    if (task->kind != TSR_TASK_MEMCPY || task->args->len != 2)
        return FALSE;
    to = &g_array_index(task->args, TsrTaskArg, 0);
    from = &g_array_index(task->args, TsrTaskArg, 1);
    return (to->ref & 0xff000000u) == TSR_REF_BODY_INPUT &&
           (from->ref & 0xff000000u) == TSR_REF_BODY_OUTPUT &&
           to->address.space == TSR_SPACE_ARENA && from->address.space == TSR_SPACE_ARENA &&
           to->address.offset == from->address.offset;
}

void tsr_state_drop_copies(TsrProgram *program)
{
    const guint count = program->tasks->len;
    g_autofree guint32 *kept = g_new(guint32, count + 1); /* of the tasks before each */
    guint left = 0;
    for (guint i = 0; i < count; i++) {
        TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        kept[i] = left;
        if (copies_nothing(task))
            tsr_program_task_free(task);
        else
            program->tasks->pdata[left++] = task;
    }
    kept[count] = left;
    if (left == count)
        return;
    for (guint i = left; i < count; i++)
        program->tasks->pdata[i] = NULL;
    g_ptr_array_set_size(program->tasks, (gint)left);
    for (guint i = 0; i < program->memory->len; i++) {
        TsrMemoryRow *row = &g_array_index(program->memory, TsrMemoryRow, i);
        const guint32 after = kept[MIN(row->death, count - 1) + 1];
        row->birth = kept[MIN(row->birth, count)];
        row->death = MAX(after, row->birth + 1) - 1;
    }
}
