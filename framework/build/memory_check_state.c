/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check_state.c: the states of a loop, which are inputs of its body. Memory holds a state,
 * or the next one from the copy at the end of the body on; a jump back makes the next ones the
 * states. So it does with what the body made of one of them, wherever that lies: without a copy
 * it has to lie where the state is read.
 */
#include <tessera/plugin.h>

#include "build/memory_checker.h"
#include "build/sinkable.h"

gboolean tsr_checker_flag(const TsrNode *node, guint32 flag)
{
    return node->def != NULL && (node->def->flags & flag) != 0;
}

gboolean tsr_checker_repeats(const TsrNode *node)
{
    return tsr_checker_flag(node, TSR_OP_LOOP | TSR_OP_SCAN);
}

TsrCheckToken *tsr_checker_next(TsrChecker *checker, gconstpointer state)
{
    TsrCheckToken *known = g_hash_table_lookup(checker->next, state);
    if (known == NULL) {
        known = g_new0(TsrCheckToken, 1);
        known->text = g_hash_table_contains(checker->tokens, state)
                          ? g_strdup_printf("the next %s", ((const TsrCheckToken *)state)->text)
                          : g_strdup_printf("the next '%s'", ((const TsrValue *)state)->name);
        known->next_of = state;
        g_hash_table_add(checker->tokens, known);
        g_hash_table_insert(checker->next, (gpointer)state, known);
    }
    return known;
}

guint tsr_checker_first_state(const TsrNode *node)
{
    return tsr_checker_flag(node, TSR_OP_LOOP) ? 1 : 0;
}

/* The condition of a Loop included. */
static guint state_count(const TsrNode *node)
{
    return tsr_control_states(node) + (tsr_checker_flag(node, TSR_OP_LOOP) ? 1 : 0);
}

gboolean tsr_checker_is_state(const TsrNode *node, guint input)
{
    const guint first = tsr_checker_first_state(node);
    return input >= first && input - first < state_count(node);
}

/* The body's output that becomes its input of that index, which is a state. */
static const TsrValue *result_of(const TsrNode *node, const TsrGraph *body, guint input)
{
    const guint index = input - tsr_checker_first_state(node);
    return index < body->outputs->len
               ? g_array_index(body->outputs, TsrGraphOutput, index).value
               : NULL;
}

const TsrGraph *tsr_checker_body(const TsrNode *node)
{
    const guint index = tsr_control_subgraph(node, "body");
    return index != G_MAXUINT ? g_ptr_array_index(node->subgraphs, index) : NULL;
}

gconstpointer tsr_checker_now_or_next(TsrChecker *checker, const TsrNode *node, guint input)
{
    const TsrGraph *body = tsr_checker_body(node);
    const TsrValue *state = g_ptr_array_index(body->inputs, input);
    return result_of(node, body, input) == state ? (gconstpointer)state
                                                 : tsr_checker_next(checker, state);
}

/* A jump back, while memory is renamed. */
typedef struct Again {
    TsrChecker *checker;
    const TsrNode *node;
    const TsrGraph *body;
    guint begin;
} Again;

/* Whether it is an input of the loop's body, a workspace of the loop, or what it stacks. */
static gboolean is_own(const Again *again, gconstpointer state)
{
    if (g_hash_table_contains(again->checker->tokens, state))
        return ((const TsrCheckToken *)state)->node == again->checker->task->node;
    return ((const TsrValue *)state)->producer == again->node ||
           (((const TsrValue *)state)->producer->graph == again->body &&
            ((const TsrValue *)state)->producer->kind == TSR_NODE_DATA);
}

/* Whether the body hands a state on as it is, so that it needs no copy. */
static gboolean is_handed_on(const Again *again, gconstpointer state)
{
    for (guint i = 0; i < again->body->inputs->len; i++)
        if (g_ptr_array_index(again->body->inputs, i) == state)
            return tsr_checker_is_state(again->node, i) &&
                   result_of(again->node, again->body, i) == state;
    return FALSE;
}

/* The state that a value becomes which a node of the body made in this round; NULL: none, or not
 * just one, or it is not done. */
static const TsrValue *made_for(const Again *again, gconstpointer source)
{
    const TsrValue *value = source, *state = NULL;
    const guint first = tsr_checker_first_state(again->node);
    if (g_hash_table_contains(again->checker->tokens, source) ||
        value->producer->kind != TSR_NODE_OPERATOR || value->producer->graph != again->body ||
        GPOINTER_TO_UINT(g_hash_table_lookup(again->checker->last_write, value)) >
            again->checker->task_index)
        return NULL;
    for (guint i = 0; i < state_count(again->node); i++) {
        if (result_of(again->node, again->body, first + i) != value)
            continue;
        if (state != NULL)
            return NULL;
        state = g_ptr_array_index(again->body->inputs, first + i);
    }
    return state;
}

/* TsrMemoryRename. */
static gconstpointer begin_again(gpointer user, gconstpointer source)
{
    const Again *again = user;
    const TsrChecker *checker = again->checker;
    const TsrCheckToken *token = g_hash_table_contains(checker->tokens, source) ? source : NULL;
    const gboolean is_next = token != NULL && token->next_of != NULL;
    gconstpointer state = is_next ? token->next_of : source;
    const TsrValue *made = made_for(again, source);
    if (made != NULL)
        return made;
    if (GPOINTER_TO_UINT(g_hash_table_lookup(checker->first_write, state)) > again->begin)
        return NULL; /* of the round that ends */
    if (!is_own(again, state))
        return source;
    return is_next || is_handed_on(again, state) ? state : NULL;
}

gboolean tsr_checker_again(TsrChecker *checker, guint begin)
{
    const TsrNode *node = checker->task->node < checker->nodes->len
                              ? g_ptr_array_index(checker->nodes, checker->task->node)
                              : NULL;
    const TsrProgramTask *label = g_ptr_array_index(checker->program->tasks, begin);
    Again again = {checker, node, NULL, begin};
    if (node == NULL || !tsr_checker_repeats(node) || label->node != checker->task->node ||
        checker->task->kind != TSR_TASK_GOTO)
        return tsr_checker_wrong(checker, "jumps back, but is no end of a loop's body");
    again.body = tsr_checker_body(node);
    tsr_memory_map_rename(checker->state.arena, begin_again, &again);
    for (guint i = 0; i < checker->state.outputs->len; i++)
        tsr_memory_map_rename(g_ptr_array_index(checker->state.outputs, i), begin_again, &again);
    return TRUE;
}
