/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check_control.c: the tasks that a node with subgraphs becomes (control_lower.h). Each
 * may only do what the node means: copy a value to the one that it becomes, count, choose.
 */
#include <string.h>
#include <tessera/plugin.h>

#include "build/control_lower.h"
#include "build/memory_checker.h"
#include "build/memory_use.h"
#include "build/sinkable.h"

static guint32 kind_of(const TsrCheckUse *use)
{
    return use->arg->ref & 0xff000000u;
}

static guint subgraph_of(const TsrCheckUse *use)
{
    return use->arg->ref >> 16 & 0xffu;
}

/* Which one of the node's or the body's values. */
static guint index_of(const TsrCheckUse *use)
{
    const gboolean is_body =
        kind_of(use) == TSR_REF_BODY_INPUT || kind_of(use) == TSR_REF_BODY_OUTPUT;
    return use->arg->ref & (is_body ? 0xffffu : 0xffffffu);
}

static const TsrNode *node_of(const TsrChecker *checker)
{
    return g_ptr_array_index(checker->nodes, checker->task->node);
}

static gboolean is_workspace(const TsrCheckUse *use, guint32 index, guint64 bytes)
{
    return use->arg->ref == (TSR_ARG_WORKSPACE | index) && use->arg->bytes == bytes;
}

/* Reads a constant of that many bytes; FALSE: it is none. */
static gboolean read_stored(const TsrChecker *checker, const TsrCheckUse *use, gpointer out,
                            gsize bytes)
{
    const TsrWeights *weights = checker->program->weights;
    const guint64 offset = use->arg->address.offset;
    if (kind_of(use) != TSR_ARG_CONSTANT || use->arg->bytes != bytes ||
        tsr_weights_at(weights, offset) == NULL || tsr_weights_left(weights, offset) < bytes)
        return FALSE;
    memcpy(out, tsr_weights_at(weights, offset), bytes);
    return TRUE;
}

/* -------------------------------------------------------------------- copies */

static gboolean wrong_copy(TsrChecker *checker)
{
    return tsr_checker_wrong(checker, "copies something else than its node means");
}

static gboolean to_output(TsrChecker *checker, const TsrCheckUse *to, const TsrCheckUse *from)
{
    const TsrNode *node = node_of(checker);
    const gboolean branch = tsr_checker_flag(node, TSR_OP_BRANCH) &&
                            kind_of(from) == TSR_REF_BODY_OUTPUT && index_of(from) == index_of(to);
    const gboolean last = tsr_checker_repeats(node) && kind_of(from) == TSR_REF_BODY_INPUT &&
                          index_of(to) < tsr_control_states(node) &&
                          index_of(from) == index_of(to) + tsr_control_first_input(node);
    if (!branch && !last)
        return wrong_copy(checker);
    return tsr_checker_read(checker, from) && tsr_checker_put(checker, to, to->value);
}

/* The first state, or the next one from the body's result or from where that was set aside. */
static gboolean to_state(TsrChecker *checker, const TsrCheckUse *to, const TsrCheckUse *from)
{
    const TsrNode *node = node_of(checker);
    const guint input = index_of(to);
    const gboolean always = tsr_checker_flag(node, TSR_OP_LOOP) && input == 1 &&
                            kind_of(from) == TSR_ARG_CONSTANT &&
                            (node->inputs->len < 2 || g_ptr_array_index(node->inputs, 1) == NULL);
    guint8 stored;
    if (!tsr_checker_repeats(node) || !tsr_checker_is_state(node, input))
        return wrong_copy(checker);
    if (always)
        return read_stored(checker, from, &stored, sizeof(stored)) && stored == 1
                   ? tsr_checker_put(checker, to, to->value)
                   : wrong_copy(checker);
    switch (kind_of(from)) {
    case TSR_ARG_INPUT:
        return index_of(from) == input
                   ? tsr_checker_read(checker, from) && tsr_checker_put(checker, to, to->value)
                   : wrong_copy(checker);
    case TSR_REF_BODY_OUTPUT:
        return index_of(from) == input - tsr_checker_first_state(node)
                   ? tsr_checker_read(checker, from) &&
                         tsr_checker_put(checker, to, tsr_checker_next(checker, to->value))
                   : wrong_copy(checker);
    case TSR_ARG_WORKSPACE:
        return tsr_checker_read_source(checker, from, tsr_checker_next(checker, to->value)) &&
               tsr_checker_put(checker, to, tsr_checker_next(checker, to->value));
    default:
        return wrong_copy(checker);
    }
}

/* A workspace that holds the next state until the states may change. */
static gboolean set_aside(TsrChecker *checker, const TsrCheckUse *to, const TsrCheckUse *from)
{
    const TsrNode *node = node_of(checker);
    const guint input = index_of(from) + tsr_checker_first_state(node);
    const TsrValue *state;
    if (!tsr_checker_repeats(node) || kind_of(from) != TSR_REF_BODY_OUTPUT ||
        !tsr_checker_is_state(node, input))
        return wrong_copy(checker);
    state = g_ptr_array_index(tsr_checker_body(node)->inputs, input);
    return tsr_checker_read(checker, from) &&
           tsr_checker_put(checker, to, tsr_checker_next(checker, state));
}

static gboolean check_copy(TsrChecker *checker, const GArray *uses)
{
    const TsrCheckUse *to, *from;
    if (uses->len != 2)
        return tsr_checker_wrong(checker, "copies nothing");
    to = &g_array_index(uses, TsrCheckUse, 0);
    from = &g_array_index(uses, TsrCheckUse, 1);
    if (to->end - to->begin != checker->task->bytes ||
        from->end - from->begin != checker->task->bytes)
        return wrong_copy(checker);
    switch (kind_of(to)) {
    case TSR_ARG_OUTPUT:
        return to_output(checker, to, from);
    case TSR_REF_BODY_INPUT:
        return to_state(checker, to, from);
    case TSR_ARG_WORKSPACE:
        return set_aside(checker, to, from);
    default:
        return wrong_copy(checker);
    }
}

/* ----------------------------------------------------- counters and places */

/* Whether the use is the count: the body's first input in a Loop, else a workspace. */
static gboolean is_counter(const TsrChecker *checker, const TsrCheckUse *use)
{
    return tsr_checker_flag(node_of(checker), TSR_OP_LOOP)
               ? kind_of(use) == TSR_REF_BODY_INPUT && index_of(use) == 0 &&
                     use->end - use->begin == sizeof(gint64)
               : is_workspace(use, TSR_CONTROL_COUNTER, sizeof(gint64));
}

static gboolean check_limit(TsrChecker *checker, const TsrCheckUse *limit)
{
    gint64 rounds;
    const gboolean counts_known = tsr_control_rounds(node_of(checker), &rounds);
    if (kind_of(limit) == TSR_ARG_NULL)
        return !counts_known;
    if (kind_of(limit) == TSR_ARG_CONSTANT) {
        gint64 stored;
        return counts_known && read_stored(checker, limit, &stored, sizeof(stored)) &&
               stored == rounds;
    }
    return limit->arg->ref == (TSR_ARG_INPUT | 0) && !counts_known &&
           tsr_checker_read(checker, limit);
}

static gboolean check_condition(TsrChecker *checker, const TsrCheckUse *condition)
{
    const gboolean begins = checker->task->kind == TSR_TASK_COUNT_BEGIN;
    gint64 rounds;
    if (tsr_control_rounds(node_of(checker), &rounds))
        return kind_of(condition) == TSR_ARG_NULL;
    if (kind_of(condition) == TSR_ARG_NULL)
        return begins;
    if (begins)
        return condition->arg->ref == (TSR_ARG_INPUT | 1) &&
               tsr_checker_read(checker, condition);
    return kind_of(condition) == TSR_REF_BODY_INPUT && index_of(condition) == 1 &&
           tsr_checker_read_source(checker, condition,
                                   tsr_checker_now_or_next(checker, node_of(checker), 1));
}

static gboolean check_counter(TsrChecker *checker, const GArray *uses)
{
    const TsrNode *node = node_of(checker);
    const gboolean begins = checker->task->kind == TSR_TASK_COUNT_BEGIN;
    const TsrCheckUse *use = (const TsrCheckUse *)(const void *)uses->data;
    if (!tsr_checker_repeats(node) || uses->len < 4 || (!begins && uses->len != 4) ||
        !is_counter(checker, &use[0]) || !is_workspace(&use[1], TSR_CONTROL_GO, sizeof(gint32)))
        return tsr_checker_wrong(checker, "is not the counter of a loop");
    if (!begins && !tsr_checker_read_source(checker, &use[0], use[0].source))
        return FALSE;
    if (!check_limit(checker, &use[2]) || !check_condition(checker, &use[3]))
        return *checker->error == NULL
                   ? tsr_checker_wrong(checker, "counts by something else than its node means")
                   : FALSE;
    for (guint i = 0; i < 2; i++) /* the count, and whether the loop goes on */
        if (!tsr_checker_put(checker, &use[i],
                             begins ? use[i].source : tsr_checker_next(checker, use[i].source)))
            return FALSE;
    for (guint i = 4; i < uses->len; i++)
        if (kind_of(&use[i]) != TSR_ARG_OUTPUT || index_of(&use[i]) < tsr_control_states(node))
            return tsr_checker_wrong(checker, "begins what its node does not stack");
        else if (!tsr_checker_put(checker, &use[i], use[i].value))
            return FALSE;
    return TRUE;
}

static gboolean check_place(TsrChecker *checker, const GArray *uses)
{
    const TsrNode *node = node_of(checker);
    const TsrCheckUse *use = (const TsrCheckUse *)(const void *)uses->data;
    const guint states = tsr_control_states(node);
    guint moved;
    const TsrPlaceParams *params;
    gboolean output;
    TsrSlices slices;
    gsize size = 0;
    params = checker->task->params != NULL ? g_bytes_get_data(checker->task->params, &size)
                                           : NULL;
    if (!tsr_checker_repeats(node) || uses->len != 3 || size != sizeof(*params) ||
        !is_counter(checker, &use[2]))
        return wrong_copy(checker);
    output = kind_of(&use[0]) == TSR_ARG_OUTPUT;
    moved = output ? tsr_control_first_output(node) : 0;
    if (index_of(&use[0]) < states || index_of(&use[1]) != index_of(&use[0]) + moved ||
        kind_of(&use[0]) != (output ? TSR_ARG_OUTPUT : TSR_REF_BODY_INPUT) ||
        kind_of(&use[1]) != (output ? TSR_REF_BODY_OUTPUT : TSR_ARG_INPUT) ||
        !tsr_control_slices(node, output, index_of(&use[0]) - states, &slices) ||
        params->rows != slices.rows || params->places != slices.places ||
        checker->task->bytes != slices.bytes ||
        params->flags != ((output ? 0 : TSR_AT_FROM) | (slices.backward ? TSR_AT_BACKWARD : 0)))
        return wrong_copy(checker);
    if (!tsr_checker_read_source(checker, &use[2], use[2].source) ||
        !tsr_checker_read(checker, &use[1]))
        return FALSE;
    /* What is stacked began with the counter; here it goes on. */
    if (output && use[0].begin != use[0].end &&
        (tsr_checker_map(checker, &use[0].arg->address) == NULL ||
         !tsr_checker_holds(checker, &use[0], use[0].begin, use[0].end, use[0].value, 0,
                            "goes on with")))
        return *checker->error == NULL ? wrong_copy(checker) : FALSE;
    return tsr_checker_put(checker, &use[0],
                           output ? (gconstpointer)tsr_checker_next(checker, use[0].value)
                                  : use[0].value);
}

static gboolean check_switch(TsrChecker *checker, const GArray *uses)
{
    const TsrNode *node = node_of(checker);
    const TsrCheckUse *use = (const TsrCheckUse *)(const void *)uses->data;
    const guint32 *labels;
    if (uses->len != 1 || tsr_task_labels(checker->task, &labels) != 2)
        return tsr_checker_wrong(checker, "does not choose between two labels by one value");
    if (tsr_checker_flag(node, TSR_OP_BRANCH) && use->arg->ref == (TSR_ARG_INPUT | 0) &&
        checker->task->bytes == 1 && use->end - use->begin == 1)
        return tsr_checker_read(checker, use);
    if (tsr_checker_repeats(node) && is_workspace(use, TSR_CONTROL_GO, sizeof(gint32)) &&
        checker->task->bytes == sizeof(gint32))
        return tsr_checker_read_source(checker, use, use->source);
    return tsr_checker_wrong(checker, "chooses by something else than its node means");
}

/* A call that only ever fails: nobody gets to see what it leaves. */
static gboolean check_fault(TsrChecker *checker, const GArray *uses)
{
    const TsrNode *node = node_of(checker);
    const guint32 *body;
    gsize size = 0;
    body = checker->task->params != NULL ? g_bytes_get_data(checker->task->params, &size) : NULL;
    if (!tsr_checker_flag(node, TSR_OP_BRANCH) || size != sizeof(*body) ||
        *body >= node->subgraphs->len ||
        ((const TsrGraph *)g_ptr_array_index(node->subgraphs, *body))->fault == NULL)
        return tsr_checker_wrong(checker, "calls a node that has tasks of its own");
    for (guint i = 0; i < uses->len; i++) {
        const TsrCheckUse *use = &g_array_index(uses, TsrCheckUse, i);
        if (kind_of(use) == TSR_ARG_OUTPUT && !tsr_checker_put(checker, use, use->value))
            return FALSE;
    }
    return TRUE;
}

gboolean tsr_checker_control(TsrChecker *checker, const GArray *uses)
{
    for (guint i = 0; i < uses->len; i++) {
        const TsrCheckUse *use = &g_array_index(uses, TsrCheckUse, i);
        if (tsr_checker_repeats(node_of(checker)) &&
            (kind_of(use) == TSR_REF_BODY_INPUT || kind_of(use) == TSR_REF_BODY_OUTPUT) &&
            subgraph_of(use) != tsr_control_subgraph(node_of(checker), "body"))
            return tsr_checker_wrong(checker, "uses a subgraph that is not its body");
    }
    switch (checker->task->kind) {
    case TSR_TASK_MEMCPY:
        return check_copy(checker, uses);
    case TSR_TASK_MEMCPY_AT:
        return check_place(checker, uses);
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
        return check_counter(checker, uses);
    case TSR_TASK_SWITCH:
        return check_switch(checker, uses);
    case TSR_TASK_HOST_CALL:
        return check_fault(checker, uses);
    case TSR_TASK_LABEL:
    case TSR_TASK_GOTO:
        return TRUE;
    default:
        return tsr_checker_wrong(checker, "is no control flow, but its node is");
    }
}
