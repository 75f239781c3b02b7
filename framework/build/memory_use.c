/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_use.c: see memory_use.h.
 */
#include "build/memory_use.h"

#include <tessera/plugin.h>

static TsrValue *body_value(const TsrNode *node, guint32 kind, guint subgraph, guint index)
{
    const TsrGraph *body = subgraph < node->subgraphs->len
                               ? g_ptr_array_index(node->subgraphs, subgraph)
                               : NULL;
    if (body == NULL)
        return NULL;
    if (kind == TSR_REF_BODY_INPUT)
        return index < body->inputs->len ? g_ptr_array_index(body->inputs, index) : NULL;
    return index < body->outputs->len
               ? g_array_index(body->outputs, TsrGraphOutput, index).value
               : NULL;
}

TsrValue *tsr_task_arg_value(const TsrGraph *graph, const GPtrArray *nodes,
                             const TsrProgramTask *task, const TsrTaskArg *arg)
{
    const guint index = arg->ref & 0x00ffffffu, kind = arg->ref & 0xff000000u;
    const TsrNode *node = task->node < nodes->len ? g_ptr_array_index(nodes, task->node) : NULL;
    const GPtrArray *values;
    if (kind == TSR_REF_BODY_INPUT || kind == TSR_REF_BODY_OUTPUT)
        return node != NULL ? body_value(node, kind, index >> 16, index & 0xffffu) : NULL;
    if (kind != TSR_ARG_INPUT && kind != TSR_ARG_OUTPUT)
        return NULL;
    if (task->kind == TSR_TASK_MEMCPY && node == NULL)
        return kind == TSR_ARG_INPUT && index < graph->outputs->len
                   ? g_array_index(graph->outputs, TsrGraphOutput, index).value
                   : NULL;
    values = node == NULL ? NULL : kind == TSR_ARG_INPUT ? node->inputs : node->outputs;
    return values != NULL && index < values->len ? g_ptr_array_index(values, index) : NULL;
}

static void note_use(TsrMemoryUse *use, TsrValue *value, guint task)
{
    GArray *tasks = g_hash_table_lookup(use->tasks, value);
    if (tasks == NULL) {
        tasks = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(use->tasks, value, tasks);
    }
    if (tasks->len == 0 || g_array_index(tasks, guint, tasks->len - 1) != task)
        g_array_append_val(tasks, task);
}

TsrMemoryUse *tsr_memory_use_new(const TsrProgram *program, const GPtrArray *nodes)
{
    TsrMemoryUse *use = g_new0(TsrMemoryUse, 1);
    use->program = program;
    use->nodes = nodes;
    use->order = tsr_task_order_new(program->tasks, program->stream_count, program->event_count,
                                    program->notify_count);
    use->tasks = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    use->first_task = g_new(guint32, nodes->len + 1);
    for (guint i = 0; i < nodes->len; i++)
        use->first_task[i] = G_MAXUINT32;
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        if (task->node < nodes->len)
            use->first_task[task->node] = MIN(use->first_task[task->node], i);
        for (guint a = 0; a < task->args->len; a++) {
            TsrValue *value =
                tsr_task_arg_value(program->graph, nodes, task,
                                   &g_array_index(task->args, TsrTaskArg, a));
            if (value != NULL)
                note_use(use, value, i);
        }
    }
    return use;
}

/* Tasks [begin, end] that a jump back repeats. */
typedef struct Loop {
    guint begin;
    guint end;
} Loop;

static gint by_length(gconstpointer a, gconstpointer b)
{
    const Loop *x = a, *y = b;
    const guint first = x->end - x->begin, second = y->end - y->begin;
    return first < second ? -1 : first > second;
}

/* Inner loops first. (transfer full) */
static GArray *find_loops(const TsrProgram *program)
{
    GArray *loops = g_array_new(FALSE, FALSE, sizeof(Loop));
    g_autofree guint *places = g_new(guint, program->label_count + 1);
    for (guint i = 0; i < program->label_count; i++)
        places[i] = G_MAXUINT;
    for (guint i = 0; program->label_count != 0 && i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        const guint32 *labels;
        const guint count = tsr_task_labels(task, &labels);
        if (task->kind == TSR_TASK_LABEL && task->event < program->label_count)
            places[task->event] = i;
        for (guint k = 0; k < count; k++) {
            const Loop loop = {labels[k] < program->label_count ? places[labels[k]] : G_MAXUINT,
                               i};
            if (loop.begin != G_MAXUINT)
                g_array_append_val(loops, loop);
        }
    }
    g_array_sort(loops, by_length);
    return loops;
}

static void add_uses(GArray *tasks, const Loop *loop)
{
    guint at = 0;
    while (at < tasks->len && g_array_index(tasks, guint, at) < loop->begin)
        at++;
    if (at == tasks->len || g_array_index(tasks, guint, at) != loop->begin)
        g_array_insert_val(tasks, at, loop->begin);
    while (at < tasks->len && g_array_index(tasks, guint, at) < loop->end)
        at++;
    if (at == tasks->len || g_array_index(tasks, guint, at) != loop->end)
        g_array_insert_val(tasks, at, loop->end);
}

void tsr_memory_use_repeat(TsrMemoryUse *use, TsrSymbols *symbols)
{
    g_autoptr(GArray) loops = find_loops(use->program);
    const GPtrArray *all = tsr_symbols_all(symbols);
    for (guint l = 0; l < loops->len; l++) {
        const Loop *loop = &g_array_index(loops, Loop, l);
        for (guint i = 0; i < all->len; i++) {
            const TsrSymbol *symbol = g_ptr_array_index(all, i);
            gboolean inside = FALSE, outside = FALSE;
            for (guint m = 0; m < symbol->members->len; m++) {
                const TsrMember *member = g_ptr_array_index(symbol->members, m);
                const GArray *tasks = tsr_memory_use_of(use, member->value);
                for (guint t = 0; tasks != NULL && t < tasks->len; t++) {
                    const guint task = g_array_index(tasks, guint, t);
                    if (task >= loop->begin && task <= loop->end)
                        inside = TRUE;
                    else
                        outside = TRUE;
                }
            }
            for (guint m = 0; inside && outside && m < symbol->members->len; m++) {
                const TsrMember *member = g_ptr_array_index(symbol->members, m);
                GArray *tasks = g_hash_table_lookup(use->tasks, member->value);
                if (tasks != NULL)
                    add_uses(tasks, loop);
            }
        }
    }
}

void tsr_memory_use_free(TsrMemoryUse *use)
{
    if (use == NULL)
        return;
    tsr_task_order_free(use->order);
    g_hash_table_unref(use->tasks);
    g_free(use->first_task);
    g_free(use);
}

const GArray *tsr_memory_use_of(const TsrMemoryUse *use, const TsrValue *value)
{
    return g_hash_table_lookup(use->tasks, value);
}

gboolean tsr_memory_use_span(const TsrMemoryUse *use, const TsrSymbol *symbol,
                             guint32 *out_first, guint32 *out_last)
{
    *out_first = G_MAXUINT32;
    *out_last = 0;
    for (guint i = 0; i < symbol->members->len; i++) {
        const TsrMember *member = g_ptr_array_index(symbol->members, i);
        const GArray *tasks = tsr_memory_use_of(use, member->value);
        if (tasks == NULL)
            continue;
        *out_first = MIN(*out_first, g_array_index(tasks, guint, 0));
        *out_last = MAX(*out_last, g_array_index(tasks, guint, tasks->len - 1));
    }
    return *out_first != G_MAXUINT32;
}
