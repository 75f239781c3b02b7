/* SPDX-License-Identifier: Apache-2.0
 *
 * control_lower.c: see control_lower.h. References of arguments are those of the node and of
 * its subgraphs; where they lie is decided later.
 */
#include "build/control_lower.h"

#include <tessera/plugin.h>

#include "base/error.h"
#include "base/memory.h"
#include "build/memory_use.h"
#include "build/sinkable.h"

typedef struct Lowerer {
    TsrProgram *program;
    TsrSymbols *symbols;
    TsrNode *node;
    TsrEmitGraph emit;
    gpointer user;
    guint body;              /* the subgraph at hand */
    guint32 workspaces;      /* of the node, so far */
    gboolean no_memory;
    GError **error;
} Lowerer;

static guint32 body_ref(const Lowerer *lowerer, guint32 kind, guint index)
{
    return kind | lowerer->body << 16 | index;
}

static TsrProgramTask *add_task(Lowerer *lowerer, guint32 kind)
{
    TsrProgramTask *task = tsr_program_task_new(kind, lowerer->node->name);
    task->node = lowerer->node->index;
    g_ptr_array_add(lowerer->program->tasks, task);
    return task;
}

static void add_arg(TsrProgramTask *task, guint32 ref, guint64 bytes)
{
    const TsrTaskArg arg = {{TSR_SPACE_NULL, 0, 0}, ref, bytes};
    g_array_append_val(task->args, arg);
}

/* An argument that is a value of the node or of a subgraph. */
static guint64 add_value(Lowerer *lowerer, TsrProgramTask *task, guint32 ref)
{
    TsrTaskArg arg = {{TSR_SPACE_NULL, 0, 0}, ref, 0};
    const TsrValue *value =
        tsr_task_arg_value(lowerer->program->graph, lowerer->program->nodes, task, &arg);
    TsrValue *base = tsr_symbols_member(lowerer->symbols, value)->symbol->base;
    if (!tsr_desc_storage_bytes(&value->desc.view, &arg.bytes))
        arg.bytes = 0; /* cannot be: the node has no obstacle */
    if (base->producer->kind == TSR_NODE_CONSTANT)
        tsr_program_add_constant(lowerer->program, base);
    g_array_append_val(task->args, arg);
    return arg.bytes;
}

static void add_stored(Lowerer *lowerer, TsrProgramTask *task, gconstpointer data, gsize size)
{
    g_autoptr(GBytes) bytes = tsr_memory_copy_bytes(data, size);
    TsrTaskArg arg = {{TSR_SPACE_WEIGHTS, 0, 0}, TSR_ARG_CONSTANT, size};
    if (bytes != NULL)
        arg.address.offset = tsr_program_add_weights(lowerer->program, bytes);
    else
        lowerer->no_memory = TRUE;
    g_array_append_val(task->args, arg);
}

static void copy(Lowerer *lowerer, guint32 to, guint32 from)
{
    TsrProgramTask *task = add_task(lowerer, TSR_TASK_MEMCPY);
    task->bytes = add_value(lowerer, task, to);
    add_value(lowerer, task, from);
}

static guint32 new_label(Lowerer *lowerer)
{
    return lowerer->program->label_count++;
}

static void set_label(Lowerer *lowerer, guint32 label)
{
    add_task(lowerer, TSR_TASK_LABEL)->event = label;
}

static void go_to(Lowerer *lowerer, guint32 label)
{
    add_task(lowerer, TSR_TASK_GOTO)->event = label;
}

static TsrProgramTask *add_switch(Lowerer *lowerer, guint32 otherwise, guint32 when_true)
{
    const guint32 labels[] = {otherwise, when_true};
    TsrProgramTask *task = add_task(lowerer, TSR_TASK_SWITCH);
    task->params = g_bytes_new(labels, sizeof(labels));
    return task;
}

static TsrGraph *enter(Lowerer *lowerer, const char *attribute)
{
    lowerer->body = tsr_control_subgraph(lowerer->node, attribute);
    return g_ptr_array_index(lowerer->node->subgraphs, lowerer->body);
}

/* ----------------------------------------------------------------- a branch */

/* A branch that contradicts what it captures ends the run with the reason. */
static void add_fault(Lowerer *lowerer)
{
    const guint32 body = lowerer->body;
    TsrProgramTask *task = add_task(lowerer, TSR_TASK_HOST_CALL);
    task->params = g_bytes_new(&body, sizeof(body));
    for (guint i = 0; i < lowerer->node->inputs->len; i++)
        add_arg(task, TSR_ARG_NULL, 0);
    for (guint i = 0; i < lowerer->node->outputs->len; i++) {
        if (g_ptr_array_index(lowerer->node->outputs, i) != NULL)
            add_value(lowerer, task, TSR_ARG_OUTPUT | i);
        else
            add_arg(task, TSR_ARG_NULL, 0);
    }
}

static gboolean lower_side(Lowerer *lowerer, const char *attribute)
{
    TsrGraph *graph = enter(lowerer, attribute);
    const guint body = lowerer->body;
    if (graph->fault != NULL) {
        add_fault(lowerer);
        return TRUE;
    }
    if (!lowerer->emit(lowerer->user, graph, lowerer->error))
        return FALSE;
    lowerer->body = body;
    for (guint i = 0; i < lowerer->node->outputs->len; i++)
        if (g_ptr_array_index(lowerer->node->outputs, i) != NULL)
            copy(lowerer, TSR_ARG_OUTPUT | i, body_ref(lowerer, TSR_REF_BODY_OUTPUT, i));
    return TRUE;
}

static gboolean lower_branch(Lowerer *lowerer)
{
    const guint32 then_label = new_label(lowerer), else_label = new_label(lowerer);
    const guint32 end_label = new_label(lowerer);
    TsrProgramTask *choice = add_switch(lowerer, else_label, then_label);
    choice->bytes = add_value(lowerer, choice, TSR_ARG_INPUT | 0);
    set_label(lowerer, then_label);
    if (!lower_side(lowerer, "then_branch"))
        return FALSE;
    go_to(lowerer, end_label);
    set_label(lowerer, else_label);
    if (!lower_side(lowerer, "else_branch"))
        return FALSE;
    set_label(lowerer, end_label);
    return TRUE;
}

/* ------------------------------------------------------------------- a loop */

enum {
    GO = TSR_ARG_WORKSPACE | TSR_CONTROL_GO,
    COUNTER = TSR_ARG_WORKSPACE | TSR_CONTROL_COUNTER,
};

static gboolean is_loop(const Lowerer *lowerer)
{
    return (lowerer->node->def->flags & TSR_OP_LOOP) != 0;
}

static const TsrValue *body_value(const Lowerer *lowerer, guint32 kind, guint index)
{
    const TsrProgramTask task = {.node = lowerer->node->index};
    const TsrTaskArg arg = {.ref = body_ref(lowerer, kind, index)};
    return tsr_task_arg_value(lowerer->program->graph, lowerer->program->nodes, &task, &arg);
}

static void add_counter(Lowerer *lowerer, TsrProgramTask *task)
{
    if (is_loop(lowerer))
        add_value(lowerer, task, body_ref(lowerer, TSR_REF_BODY_INPUT, 0));
    else
        add_arg(task, COUNTER, sizeof(gint64));
}

static TsrValue *input_of(const TsrNode *node, guint index)
{
    return index < node->inputs->len ? g_ptr_array_index(node->inputs, index) : NULL;
}

/* The counter's task before the loop, or at the end of the body, where the condition is the
 * next one already. What is stacked begins to be when the counter does. */
static void count(Lowerer *lowerer, guint32 kind)
{
    TsrProgramTask *task = add_task(lowerer, kind);
    const TsrNode *node = lowerer->node;
    gint64 rounds;
    add_counter(lowerer, task);
    add_arg(task, GO, sizeof(gint32));
    if (!tsr_control_rounds(node, &rounds)) {
        if (input_of(node, 0) != NULL)
            add_value(lowerer, task, TSR_ARG_INPUT | 0);
        else
            add_arg(task, TSR_ARG_NULL, 0);
        if (kind == TSR_TASK_COUNT_NEXT)
            add_value(lowerer, task, body_ref(lowerer, TSR_REF_BODY_INPUT, 1));
        else if (input_of(node, 1) != NULL)
            add_value(lowerer, task, TSR_ARG_INPUT | 1);
        else
            add_arg(task, TSR_ARG_NULL, 0);
    } else {
        add_stored(lowerer, task, &rounds, sizeof(rounds));
        add_arg(task, TSR_ARG_NULL, 0);
        for (guint i = tsr_control_states(node);
             kind == TSR_TASK_COUNT_BEGIN && i < node->outputs->len; i++)
            if (g_ptr_array_index(node->outputs, i) != NULL)
                add_value(lowerer, task, TSR_ARG_OUTPUT | i);
    }
}

/* Whether the condition of a Loop is a state: it ends the loop, or its body reads it. */
static gboolean keeps_condition(const Lowerer *lowerer)
{
    const TsrValue *condition =
        is_loop(lowerer) ? body_value(lowerer, TSR_REF_BODY_INPUT, 1) : NULL;
    gint64 rounds;
    return condition != NULL && (!tsr_control_rounds(lowerer->node, &rounds) ||
                                 condition->users->len != 0 || tsr_value_is_output(condition));
}

static void first_states(Lowerer *lowerer)
{
    static const guint8 yes = 1;
    const guint first = tsr_control_first_input(lowerer->node);
    const gboolean condition = keeps_condition(lowerer);
    if (condition && input_of(lowerer->node, 1) != NULL) {
        copy(lowerer, body_ref(lowerer, TSR_REF_BODY_INPUT, 1), TSR_ARG_INPUT | 1);
    } else if (condition) {
        TsrProgramTask *task = add_task(lowerer, TSR_TASK_MEMCPY);
        task->bytes = add_value(lowerer, task, body_ref(lowerer, TSR_REF_BODY_INPUT, 1));
        add_stored(lowerer, task, &yes, sizeof(yes));
    }
    for (guint i = 0; i < tsr_control_states(lowerer->node); i++)
        copy(lowerer, body_ref(lowerer, TSR_REF_BODY_INPUT, first + i),
             TSR_ARG_INPUT | (first + i));
}

/* Whether the result of the body lies in the memory of one of its own states. */
static gboolean is_in_state(const Lowerer *lowerer, const TsrValue *result, guint first,
                            guint count)
{
    for (guint i = 0; i < count; i++)
        if (tsr_symbols_member(lowerer->symbols, result)->symbol ==
            tsr_symbols_member(lowerer->symbols,
                               body_value(lowerer, TSR_REF_BODY_INPUT, first + i))->symbol)
            return TRUE;
    return FALSE;
}

/* Results become states. One that is (a part or view of) another state is set aside before
 * any state changes; one that is its own state has nothing to do. */
static void next_states(Lowerer *lowerer)
{
    /* A Loop's condition is a state like the others, without an output. */
    const guint condition = keeps_condition(lowerer) ? 1 : 0;
    const guint first_input = tsr_control_first_input(lowerer->node) - condition;
    const guint first_output = tsr_control_first_output(lowerer->node) - condition;
    const guint count = tsr_control_states(lowerer->node) + condition;
    g_autofree guint32 *aside = g_new0(guint32, count + 1);
    for (guint i = 0; i < count; i++) {
        const TsrValue *result = body_value(lowerer, TSR_REF_BODY_OUTPUT, first_output + i);
        const TsrValue *state = body_value(lowerer, TSR_REF_BODY_INPUT, first_input + i);
        TsrProgramTask *task;
        if (result == state || !is_in_state(lowerer, result, first_input, count))
            continue;
        aside[i] = TSR_ARG_WORKSPACE | lowerer->workspaces++;
        task = add_task(lowerer, TSR_TASK_MEMCPY);
        add_arg(task, aside[i], 0);
        task->bytes =
            add_value(lowerer, task, body_ref(lowerer, TSR_REF_BODY_OUTPUT, first_output + i));
        g_array_index(task->args, TsrTaskArg, 0).bytes = task->bytes;
    }
    for (guint i = 0; i < count; i++) {
        const guint32 to = body_ref(lowerer, TSR_REF_BODY_INPUT, first_input + i);
        const guint32 from = body_ref(lowerer, TSR_REF_BODY_OUTPUT, first_output + i);
        if (aside[i] != 0) {
            TsrProgramTask *task = add_task(lowerer, TSR_TASK_MEMCPY);
            task->bytes = add_value(lowerer, task, to);
            add_arg(task, aside[i], task->bytes);
        } else if (body_value(lowerer, TSR_REF_BODY_INPUT, first_input + i) !=
                   body_value(lowerer, TSR_REF_BODY_OUTPUT, first_output + i)) {
            copy(lowerer, to, from);
        }
    }
}

/* Copies of one place: what a Scan reads before its body, or what is stacked after it. */
static void copy_places(Lowerer *lowerer, gboolean output)
{
    const TsrNode *node = lowerer->node;
    const guint states = tsr_control_states(node);
    const guint all = output ? node->outputs->len : node->inputs->len;
    const guint first_output = tsr_control_first_output(node);
    for (guint i = states; i < all && (output || !is_loop(lowerer)); i++) {
        TsrProgramTask *task;
        TsrPlaceParams params = {0};
        TsrSlices slices = {0};
        if (output && g_ptr_array_index(node->outputs, i) == NULL)
            continue;
        (void)tsr_control_slices(node, output, i - states, &slices);
        params.rows = slices.rows;
        params.places = slices.places;
        params.flags = (output ? 0 : TSR_AT_FROM) | (slices.backward ? TSR_AT_BACKWARD : 0);
        task = add_task(lowerer, TSR_TASK_MEMCPY_AT);
        task->bytes = slices.bytes;
        task->params = g_bytes_new(&params, sizeof(params));
        add_value(lowerer, task, output ? TSR_ARG_OUTPUT | i
                                        : body_ref(lowerer, TSR_REF_BODY_INPUT, i));
        add_value(lowerer, task, output ? body_ref(lowerer, TSR_REF_BODY_OUTPUT, first_output + i)
                                        : TSR_ARG_INPUT | i);
        add_counter(lowerer, task);
    }
}

static gboolean lower_loop(Lowerer *lowerer)
{
    const guint32 head = new_label(lowerer), begin = new_label(lowerer);
    const guint32 end = new_label(lowerer);
    TsrGraph *graph = enter(lowerer, "body");
    const guint body = lowerer->body;
    TsrProgramTask *choice;
    lowerer->workspaces = TSR_CONTROL_WORKSPACES;
    count(lowerer, TSR_TASK_COUNT_BEGIN);
    first_states(lowerer);
    set_label(lowerer, head);
    choice = add_switch(lowerer, end, begin);
    choice->bytes = sizeof(gint32);
    add_arg(choice, GO, sizeof(gint32));
    set_label(lowerer, begin);
    copy_places(lowerer, FALSE);
    if (!lowerer->emit(lowerer->user, graph, lowerer->error))
        return FALSE;
    lowerer->body = body;
    copy_places(lowerer, TRUE);
    next_states(lowerer);
    count(lowerer, TSR_TASK_COUNT_NEXT);
    go_to(lowerer, head);
    set_label(lowerer, end);
    for (guint i = 0; i < MIN(tsr_control_states(lowerer->node), lowerer->node->outputs->len); i++)
        if (g_ptr_array_index(lowerer->node->outputs, i) != NULL)
            copy(lowerer, TSR_ARG_OUTPUT | i,
                 body_ref(lowerer, TSR_REF_BODY_INPUT,
                          tsr_control_first_input(lowerer->node) + i));
    return TRUE;
}

gboolean tsr_control_lower(TsrProgram *program, TsrSymbols *symbols, TsrNode *node,
                           TsrEmitGraph emit, gpointer user, GError **error)
{
    Lowerer lowerer = {.program = program, .symbols = symbols, .node = node, .emit = emit,
                       .user = user, .error = error};
    if (!((node->def->flags & TSR_OP_BRANCH) != 0 ? lower_branch(&lowerer)
                                                  : lower_loop(&lowerer)))
        return FALSE;
    if (lowerer.no_memory)
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY, "'%s': no memory for its constants",
                    node->name);
    return !lowerer.no_memory;
}
