/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c: see program.h.
 */
#include "build/program.h"

#include <tessera/plugin.h>

#include "build/known_parts.h"

static void clear_row(gpointer row)
{
    TsrMemoryRow *entry = row;
    g_free(entry->name);
    g_free(entry->with);
    g_free(entry->note);
}

static void add_nodes(TsrGraph *graph, GPtrArray *nodes)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    for (guint i = 0; order != NULL && i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            add_nodes(g_ptr_array_index(node->subgraphs, s), nodes);
        g_ptr_array_add(nodes, node);
    }
}

TsrProgram *tsr_program_new(TsrGraph *graph, TsrWeights *weights)
{
    TsrProgram *program = g_new0(TsrProgram, 1);
    program->graph = tsr_graph_ref(graph);
    program->nodes = g_ptr_array_new();
    add_nodes(graph, program->nodes);
    for (guint i = 0; i < program->nodes->len; i++)
        ((TsrNode *)g_ptr_array_index(program->nodes, i))->index = i;
    program->tasks = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_program_task_free);
    program->memory = g_array_new(FALSE, FALSE, sizeof(TsrMemoryRow));
    g_array_set_clear_func(program->memory, clear_row);
    program->weights = weights != NULL ? tsr_weights_ref(weights) : tsr_weights_new();
    program->constants = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    program->places = g_array_new(FALSE, FALSE, sizeof(TsrValuePlace));
    program->parts = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_known_part_free);
    program->stream_count = 1;
    return program;
}

void tsr_program_free(TsrProgram *program)
{
    if (program == NULL)
        return;
    g_ptr_array_unref(program->parts);
    g_ptr_array_unref(program->tasks);
    g_array_unref(program->memory);
    tsr_weights_unref(program->weights);
    g_hash_table_unref(program->constants);
    g_array_unref(program->places);
    g_free(program->device);
    g_free(program->why_not_sink);
    g_ptr_array_unref(program->nodes);
    tsr_graph_unref(program->graph);
    g_free(program);
}

TsrProgramTask *tsr_program_task_new(guint32 kind, const char *name)
{
    TsrProgramTask *task = g_new0(TsrProgramTask, 1);
    task->kind = kind;
    task->name = g_strdup(name);
    task->node = G_MAXUINT32;
    task->block_dim = 1;
    task->args = g_array_new(FALSE, FALSE, sizeof(TsrTaskArg));
    return task;
}

void tsr_program_task_free(TsrProgramTask *task)
{
    if (task == NULL)
        return;
    g_free(task->kernel);
    g_free(task->name);
    g_array_unref(task->args);
    g_clear_pointer(&task->params, g_bytes_unref);
    g_free(task);
}

gboolean tsr_task_writes(const TsrProgramTask *task, guint index)
{
    const guint32 kind = g_array_index(task->args, TsrTaskArg, index).ref & 0xff000000u;
    switch (task->kind) {
    case TSR_TASK_SWITCH:
        return FALSE;
    case TSR_TASK_MEMCPY:
    case TSR_TASK_MEMCPY_AT:
        return index == 0;
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
        return index < 2 || index > 3;
    default:
        return kind == TSR_ARG_OUTPUT || kind == TSR_ARG_WORKSPACE;
    }
}

guint tsr_task_labels(const TsrProgramTask *task, const guint32 **out_labels)
{
    gsize size = 0;
    if (task->kind == TSR_TASK_GOTO) {
        *out_labels = &task->event;
        return 1;
    }
    *out_labels = task->kind == TSR_TASK_SWITCH && task->params != NULL
                      ? g_bytes_get_data(task->params, &size)
                      : NULL;
    return (guint)(size / sizeof(guint32));
}

gboolean tsr_program_space_bytes(const TsrProgram *program, const TsrAddress *address,
                                 guint64 *out_bytes)
{
    const TsrGraph *graph = program->graph;
    const TsrValue *value = NULL;
    switch (address->space) {
    case TSR_SPACE_ARENA:
        *out_bytes = program->stats.activation_bytes;
        return TRUE;
    case TSR_SPACE_WEIGHTS:
        *out_bytes = program->stats.weight_bytes;
        return TRUE;
    case TSR_SPACE_INPUT:
        if (address->index < graph->inputs->len)
            value = g_ptr_array_index(graph->inputs, address->index);
        break;
    case TSR_SPACE_OUTPUT:
        if (address->index < graph->outputs->len)
            value = g_array_index(graph->outputs, TsrGraphOutput, address->index).value;
        break;
    default:
        break;
    }
    return value != NULL && tsr_desc_storage_bytes(&value->desc.view, out_bytes);
}

guint64 tsr_program_add_weights(TsrProgram *program, GBytes *bytes)
{
    const guint64 offset = tsr_weights_add(program->weights, bytes);
    program->stats.weight_bytes = tsr_weights_size(program->weights);
    return offset;
}

/* Strings are stored as their sizes (64-bit each), then their texts. */
static GBytes *pack_strings(const TsrTensor *tensor)
{
    const TsrString *strings = tensor->data;
    gsize count = tensor->size_bytes / sizeof(TsrString);
    GByteArray *packed = g_byte_array_new();
    for (gsize i = 0; i < count; i++)
        g_byte_array_append(packed, (const guint8 *)&strings[i].size, sizeof(guint64));
    for (gsize i = 0; i < count; i++)
        g_byte_array_append(packed, (const guint8 *)strings[i].data, (guint)strings[i].size);
    return g_byte_array_free_to_bytes(packed);
}

guint64 tsr_program_add_constant(TsrProgram *program, TsrValue *value)
{
    guint64 *known = g_hash_table_lookup(program->constants, value);
    if (known == NULL) {
        g_autoptr(GBytes) packed = value->desc.view.dtype == TSR_DTYPE_STRING
                                       ? pack_strings(&value->tensor)
                                       : g_bytes_ref(value->constant);
        known = g_new(guint64, 1);
        *known = tsr_program_add_weights(program, packed) + 1;
        g_hash_table_insert(program->constants, value, known);
    }
    return *known - 1;
}

static void keep_constants(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_CONSTANT)
            tsr_program_add_constant(data, g_ptr_array_index(node->outputs, 0));
    }
}

void tsr_program_keep_constants(TsrProgram *program)
{
    tsr_graph_foreach(program->graph, keep_constants, program);
}
