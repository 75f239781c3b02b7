/* SPDX-License-Identifier: Apache-2.0
 *
 * task_depend.c: see task_depend.h.
 */
#include "build/task_depend.h"

#include <tessera/plugin.h>

typedef struct Finder {
    const TsrProgram *program;
    const GPtrArray *nodes;
    guint32 *last_task;  /* per node of the root graph: its last task so far, or G_MAXUINT32 */
    guint32 *seen;       /* per node: the task + 1 that asked last */
} Finder;

static void add_value(Finder *finder, const TsrValue *value, guint task, GArray *out);

/* What the node's results wait for: its tasks, or what makes its inputs. */
static void add_node(Finder *finder, const TsrNode *node, guint task, GArray *out)
{
    if (node->kind != TSR_NODE_OPERATOR || finder->seen[node->index] == task + 1)
        return;
    finder->seen[node->index] = task + 1;
    if (finder->last_task[node->index] != G_MAXUINT32) {
        g_array_append_val(out, finder->last_task[node->index]);
        return;
    }
    for (guint i = 0; i < node->inputs->len; i++)
        add_value(finder, g_ptr_array_index(node->inputs, i), task, out);
}

static void add_value(Finder *finder, const TsrValue *value, guint task, GArray *out)
{
    if (value != NULL)
        add_node(finder, value->producer, task, out);
}

const TsrNode *tsr_task_root(const GPtrArray *nodes, const TsrProgramTask *task)
{
    const TsrNode *node = task->node < nodes->len ? g_ptr_array_index(nodes, task->node) : NULL;
    while (node != NULL && node->graph->parent != NULL)
        node = node->graph->parent;
    return node;
}

/* What a node reads, and what the nodes inside of it read, of the root graph. */
static void add_reads(Finder *finder, const TsrNode *node, guint task, GArray *out)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && value->producer->graph == finder->program->graph)
            add_value(finder, value, task, out);
    }
    for (guint s = 0; s < node->subgraphs->len; s++) {
        const TsrGraph *graph = g_ptr_array_index(node->subgraphs, s);
        for (guint i = 0; i < graph->nodes->len; i++)
            add_reads(finder, g_ptr_array_index(graph->nodes, i), task, out);
        for (guint i = 0; i < graph->outputs->len; i++) {
            const TsrValue *value = g_array_index(graph->outputs, TsrGraphOutput, i).value;
            if (value->producer->graph == finder->program->graph)
                add_value(finder, value, task, out);
        }
    }
}

static gint ascending(gconstpointer a, gconstpointer b)
{
    const guint x = *(const guint *)a, y = *(const guint *)b;
    return x < y ? -1 : x > y;
}

static GArray *find(Finder *finder, guint index)
{
    const TsrProgramTask *task = g_ptr_array_index(finder->program->tasks, index);
    GArray *out = g_array_new(FALSE, FALSE, sizeof(guint));
    const TsrNode *node = tsr_task_root(finder->nodes, task);
    if (node == NULL) {
        /* The copy of a graph output: its index is in the reference of its arguments. */
        const guint output = g_array_index(task->args, TsrTaskArg, 0).ref & 0x00ffffffu;
        add_value(finder,
                  g_array_index(finder->program->graph->outputs, TsrGraphOutput, output).value,
                  index, out);
    } else if (finder->last_task[node->index] != G_MAXUINT32) {
        g_array_append_val(out, finder->last_task[node->index]);
    } else {
        add_reads(finder, node, index, out);
    }
    g_array_sort(out, ascending);
    if (node != NULL)
        finder->last_task[node->index] = index;
    return out;
}

GPtrArray *tsr_task_depend(const TsrProgram *program, const GPtrArray *nodes)
{
    g_autofree guint32 *last_task = g_new(guint32, nodes->len + 1);
    g_autofree guint32 *seen = g_new0(guint32, nodes->len + 1);
    Finder finder = {program, nodes, last_task, seen};
    GPtrArray *depend = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < nodes->len; i++)
        last_task[i] = G_MAXUINT32;
    for (guint i = 0; i < program->tasks->len; i++)
        g_ptr_array_add(depend, find(&finder, i));
    return depend;
}
