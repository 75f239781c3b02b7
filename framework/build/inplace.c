/* SPDX-License-Identifier: Apache-2.0
 *
 * inplace.c: see inplace.h.
 */
#include "build/inplace.h"

/* One output that could be written over one input. */
typedef struct Pair {
    TsrSymbols *symbols;
    const TsrMemoryUse *use;
    const TsrNode *node;
    TsrMember *x;        /* the input */
    TsrMember *y;        /* the output */
    guint64 allowed;     /* bits of inputs */
} Pair;

static gboolean overlaps(const TsrMember *a, const TsrMember *b)
{
    return a->symbol == b->symbol && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static char *no(const Pair *pair, const char *reason)
{
    return g_strdup_printf("not over '%s': %s", pair->x->value->name, reason);
}

/* The node itself may meet the input's memory only through inputs that allow it. */
static gboolean node_allows(const Pair *pair)
{
    const TsrNode *node = pair->node;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        const TsrMember *other = value != NULL ? tsr_symbols_member(pair->symbols, value) : NULL;
        if (other == NULL || !overlaps(other, pair->x))
            continue;
        if (i >= 64 || (pair->allowed >> i & 1) == 0 || other->offset != pair->x->offset ||
            other->bytes != pair->x->bytes)
            return FALSE;
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && overlaps(tsr_symbols_member(pair->symbols, value), pair->x))
            return FALSE;
    }
    return TRUE;
}

/* Another task that uses the input's memory and is not done before the node begins. */
static const TsrProgramTask *later_user(const Pair *pair)
{
    const TsrSymbol *symbol = pair->x->symbol;
    const guint begin = pair->use->first_task[pair->node->index];
    for (guint i = 0; i < symbol->members->len; i++) {
        const TsrMember *other = g_ptr_array_index(symbol->members, i);
        const GArray *tasks = tsr_memory_use_of(pair->use, other->value);
        if (!overlaps(other, pair->x))
            continue;
        for (guint t = 0; tasks != NULL && t < tasks->len; t++) {
            const guint index = g_array_index(tasks, guint, t);
            const TsrProgramTask *task = g_ptr_array_index(pair->use->program->tasks, index);
            if (task->node != pair->node->index &&
                !tsr_task_order_before(pair->use->order, index, begin))
                return task;
        }
    }
    return NULL;
}

/* Joins the two symbols one way or the other, so that at no time more memory is in use
 * than apart: the larger one must not live longer for it. */
static gboolean join(const Pair *pair)
{
    TsrSymbol *input = pair->x->symbol, *output = pair->y->symbol;
    const gboolean input_is_all = pair->x->offset == 0 && input->bytes == pair->x->bytes;
    const gboolean output_is_all = pair->y->offset == 0 && output->bytes == pair->y->bytes;
    guint32 input_first, input_last, output_first, output_last;
    if (!tsr_memory_use_span(pair->use, input, &input_first, &input_last) ||
        !tsr_memory_use_span(pair->use, output, &output_first, &output_last))
        return FALSE;
    if (output_is_all && output->output < 0 &&
        (input->bytes == output->bytes || output_last <= input_last)) {
        pair->y->kind = TSR_MEMORY_INPLACE;
        pair->y->with = pair->x->value;
        tsr_symbols_merge(output, input, pair->x->offset);
        return TRUE;
    }
    if (input_is_all && (output->output >= 0 || output->bytes == input->bytes ||
                         output_first <= input_first)) {
        TsrMember *base = tsr_symbols_member(pair->symbols, input->base);
        base->kind = TSR_MEMORY_INPLACE;
        base->with = pair->y->value;
        tsr_symbols_merge(input, output, pair->y->offset);
        return TRUE;
    }
    return FALSE;
}

/* NULL when the output now lies over the input; else why not. (transfer full) */
static char *try_pair(const Pair *pair)
{
    const TsrSymbol *symbol = pair->x->symbol;
    const TsrProgramTask *later;
    if (!tsr_symbol_is_written(symbol))
        return no(pair, "it is a graph input or a constant");
    if (symbol->output >= 0)
        return no(pair, "its memory is that of a graph output");
    if (pair->x->bytes != pair->y->bytes)
        return no(pair, "it has another size");
    if (symbol == pair->y->symbol || !node_allows(pair))
        return no(pair, "the node reads the same memory in another way");
    later = later_user(pair);
    if (later != NULL)
        return g_strdup_printf("not over '%s': task '%s' still uses it", pair->x->value->name,
                               later->name);
    return join(pair) ? NULL : no(pair, "what it lies in would live longer");
}

static void try_output(Pair *pair)
{
    g_autofree char *note = NULL;
    if (pair->y->symbol->is_state)
        return; /* it shares already, and with more than this node knows of */
    for (guint i = 0; i < MIN(pair->node->inputs->len, 64); i++) {
        const TsrValue *value = g_ptr_array_index(pair->node->inputs, i);
        char *reason;
        if ((pair->allowed >> i & 1) == 0 || value == NULL)
            continue;
        pair->x = tsr_symbols_member(pair->symbols, value);
        reason = try_pair(pair);
        if (reason == NULL)
            return;
        g_free(note);
        note = reason;
    }
    if (pair->y->note == NULL)
        pair->y->note = g_steal_pointer(&note);
}

void tsr_inplace_join(TsrSymbols *symbols, const TsrMemoryUse *use, const GPtrArray *nodes,
                      const TsrPluginSet *set)
{
    for (guint i = 0; i < nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(nodes, i);
        for (guint k = 0; use->first_task[i] != G_MAXUINT32 && k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            Pair pair = {.symbols = symbols, .use = use, .node = node};
            if (value == NULL || tsr_memory_use_of(use, value) == NULL)
                continue;
            pair.y = tsr_symbols_member(symbols, value);
            pair.allowed = pair.y->bytes != 0 ? tsr_plugin_set_inplace(set, node, k) : 0;
            if (pair.allowed != 0)
                try_output(&pair);
        }
    }
}
