/* SPDX-License-Identifier: Apache-2.0
 *
 * task_build.c: see task_build.h. First every node is built, which gives the tasks with
 * references for arguments; then stream_assign.c spreads them over streams and memory_assign.c
 * decides where everything lies.
 */
#include "build/task_build.h"

#include <tessera/plugin_util.h>

#include "base/error.h"
#include "build/control_lower.h"
#include "build/known_parts.h"
#include "build/memory_assign.h"
#include "build/memory_check.h"
#include "build/sinkable.h"
#include "build/stream_assign.h"
#include "build/symbols.h"

typedef struct Builder {
    TsrProgram *program;
    const TsrPluginSet *set;
    const TsrBuildOptions *options;
    GPtrArray *order;
    TsrSymbols *symbols;
} Builder;

static guint64 value_bytes(const TsrValue *value)
{
    guint64 bytes;
    /* No failure: only static shapes come here (sinkable.h). */
    return value != NULL && tsr_desc_storage_bytes(&value->desc.view, &bytes) ? bytes : 0;
}

static void add_arg(TsrProgramTask *task, guint32 ref, guint64 bytes)
{
    const TsrTaskArg arg = {{TSR_SPACE_NULL, 0, 0}, ref, bytes};
    g_array_append_val(task->args, arg);
}

/* A constant that a task reads as it is goes into the weights. */
static void add_input(Builder *builder, TsrProgramTask *task, const TsrNode *node, guint index)
{
    const TsrValue *value = g_ptr_array_index(node->inputs, index);
    TsrValue *base = tsr_symbols_member(builder->symbols, value)->symbol->base;
    if (base->producer->kind == TSR_NODE_CONSTANT)
        tsr_program_add_constant(builder->program, base);
    add_arg(task, TSR_ARG_INPUT | index, value_bytes(value));
}

/* An argument that a device engine named; its own constants get their address at once. */
static void add_built_arg(Builder *builder, const TsrNode *node, const TsrBuiltNode *built,
                          const guint64 *constants, guint32 ref, TsrProgramTask *task)
{
    const guint index = ref & 0x00ffffffu;
    switch (ref & 0xff000000u) {
    case TSR_ARG_INPUT:
        add_input(builder, task, node, index);
        break;
    case TSR_ARG_OUTPUT:
        add_arg(task, ref, value_bytes(g_ptr_array_index(node->outputs, index)));
        break;
    case TSR_ARG_WORKSPACE:
        add_arg(task, ref, g_array_index(built->workspaces, guint64, index));
        break;
    case TSR_ARG_CONSTANT: {
        TsrTaskArg arg = {{TSR_SPACE_WEIGHTS, 0, constants[index]}, ref,
                          g_bytes_get_size(g_ptr_array_index(built->constants, index))};
        g_array_append_val(task->args, arg);
        break;
    }
    default:
        add_arg(task, TSR_ARG_NULL, 0);
    }
}

static void emit_kernels(Builder *builder, TsrNode *node, const TsrBuiltNode *built)
{
    g_autofree guint64 *constants = g_new0(guint64, built->constants->len + 1);
    for (guint i = 0; i < built->constants->len; i++)
        constants[i] = tsr_program_add_weights(builder->program,
                                               g_ptr_array_index(built->constants, i));
    for (guint i = 0; i < built->tasks->len; i++) {
        const TsrBuiltTask *source = g_ptr_array_index(built->tasks, i);
        TsrProgramTask *task = tsr_program_task_new(TSR_TASK_KERNEL, node->name);
        task->node = node->index;
        task->kernel = g_strdup(source->kernel);
        task->block_dim = source->block_dim;
        task->operations = source->operations;
        task->params = source->params != NULL ? g_bytes_ref(source->params) : NULL;
        for (guint a = 0; a < source->args->len; a++)
            add_built_arg(builder, node, built, constants,
                          g_array_index(source->args, guint32, a), task);
        g_ptr_array_add(builder->program->tasks, task);
    }
}

static void emit_host_call(Builder *builder, TsrNode *node)
{
    TsrProgramTask *task = tsr_program_task_new(TSR_TASK_HOST_CALL, node->name);
    task->node = node->index;
    for (guint i = 0; i < node->inputs->len; i++) {
        if (g_ptr_array_index(node->inputs, i) != NULL)
            add_input(builder, task, node, i);
        else
            add_arg(task, TSR_ARG_NULL, 0);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        add_arg(task, value != NULL ? TSR_ARG_OUTPUT | i : TSR_ARG_NULL, value_bytes(value));
    }
    g_ptr_array_add(builder->program->tasks, task);
}

/* The data of constants that no later node reads, and no task as it is, is given up, so
 * that a large model is not there twice: engines have packed what they need. */
static void drop_constants(Builder *builder, const TsrNode *node)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        gboolean needed;
        if (value == NULL || value->constant == NULL)
            continue;
        needed = g_hash_table_contains(builder->program->constants, value) ||
                 tsr_symbols_member(builder->symbols, value)->symbol->members->len != 1 ||
                 tsr_value_is_output(value);
        for (guint u = 0; !needed && u < value->users->len; u++)
            needed = ((const TsrNode *)g_ptr_array_index(value->users, u))->index > node->index;
        if (!needed)
            tsr_value_set_constant(value, NULL);
    }
}

static gboolean emit_node(Builder *builder, TsrNode *node, GError **error)
{
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(builder->set, node->engine);
    g_autoptr(TsrBuiltNode) built = NULL;
    if ((ranked->engine->flags & TSR_ENGINE_HOST) != 0) {
        emit_host_call(builder, node);
        return TRUE;
    }
    built = tsr_task_sink_build(ranked->plugin, tsr_node_view(node), &builder->options->traits,
                                error);
    if (built == NULL)
        return FALSE;
    emit_kernels(builder, node, built);
    drop_constants(builder, node);
    return TRUE;
}

/* Outputs that nobody writes directly: inputs, constants, a value that is an output
 * twice. */
static void emit_copies(Builder *builder)
{
    TsrGraph *graph = builder->program->graph;
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        TsrProgramTask *task;
        if (tsr_symbols_member(builder->symbols, output->value)->symbol->output == (gint)i)
            continue;
        task = tsr_program_task_new(TSR_TASK_MEMCPY, output->name);
        task->bytes = value_bytes(output->value);
        add_arg(task, TSR_ARG_OUTPUT | i, task->bytes);
        add_arg(task, TSR_ARG_INPUT | i, task->bytes);
        g_ptr_array_add(builder->program->tasks, task);
    }
}

/* What says where a part lies, so that whoever loads the model can check it. */
static void keep_range(Builder *builder, const TsrNode *node)
{
    for (guint i = 1; (node->def->flags & TSR_OP_RANGE) != 0 && i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && value->constant != NULL)
            tsr_program_add_constant(builder->program, value);
    }
}

/* TsrEmitGraph. */
static gboolean emit_graph(gpointer user, TsrGraph *graph, GError **error)
{
    Builder *builder = user;
    for (guint i = 0; i < builder->order->len; i++) {
        TsrNode *node = g_ptr_array_index(builder->order, i);
        gboolean done = TRUE;
        if (node->kind != TSR_NODE_OPERATOR || node->graph != graph)
            continue;
        if (tsr_symbols_is_view(builder->symbols, node))
            keep_range(builder, node);
        else if (node->subgraphs->len != 0)
            done = tsr_control_lower(builder->program, builder->symbols, node, emit_graph,
                                     builder, error);
        else
            done = emit_node(builder, node, error);
        if (!done)
            return FALSE;
    }
    return TRUE;
}

/* Constants that a subgraph hands on are copied as they are. */
static void keep_handed_on(Builder *builder)
{
    for (guint i = 0; i < builder->order->len; i++) {
        const TsrNode *node = g_ptr_array_index(builder->order, i);
        for (guint s = 0; s < node->subgraphs->len; s++) {
            const TsrGraph *graph = g_ptr_array_index(node->subgraphs, s);
            for (guint k = 0; k < graph->outputs->len; k++) {
                const TsrValue *value = g_array_index(graph->outputs, TsrGraphOutput, k).value;
                TsrValue *base = tsr_symbols_member(builder->symbols, value)->symbol->base;
                if (base->producer->kind == TSR_NODE_CONSTANT)
                    tsr_program_add_constant(builder->program, base);
            }
        }
    }
}

static gboolean emit_tasks(Builder *builder, GError **error)
{
    keep_handed_on(builder);
    if (!emit_graph(builder, builder->program->graph, error))
        return FALSE;
    emit_copies(builder);
    return TRUE;
}

/* Constants are left out: what tasks read of them may be packed. */
static void note_places(Builder *builder)
{
    for (guint i = 0; i < builder->order->len; i++) {
        const TsrNode *node = g_ptr_array_index(builder->order, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            const TsrSymbol *symbol =
                value != NULL ? tsr_symbols_member(builder->symbols, value)->symbol : NULL;
            TsrValuePlace place = {node->index, k, {TSR_SPACE_NULL, 0, 0}};
            /* Neither what is stored in the weights nor what no task ever touches. */
            if (symbol == NULL || symbol->base->producer->kind == TSR_NODE_CONSTANT ||
                (tsr_symbol_is_written(symbol) && symbol->output < 0 && symbol->row == 0))
                continue;
            place.address = tsr_memory_address(builder->program, builder->symbols, value);
            g_array_append_val(builder->program->places, place);
        }
    }
}

static gboolean build_sink(TsrProgram *program, const TsrPluginSet *set,
                           const TsrBuildOptions *options, GError **error)
{
    Builder builder = {.program = program, .set = set, .options = options,
                       .order = program->nodes};
    const gboolean shares = options->reuse && options->in_place;
    const TsrAssignOptions assign = {options->reuse, shares, options->traits.alignment};
    gboolean done;
    builder.symbols = tsr_symbols_new(program->graph, builder.order, shares);
    done = emit_tasks(&builder, error);
    if (done) {
        tsr_stream_assign(program, builder.order, options->streams, options->traits.core_count);
        tsr_memory_assign(program, builder.symbols, builder.order, set, &assign);
        note_places(&builder);
        done = tsr_memory_check(program, builder.order, set, error);
    }
    tsr_symbols_free(builder.symbols);
    return done;
}

/* What of the graph can be a task list: with that much of the graph's activations planned. */
static gboolean build_parts(TsrProgram *program, const TsrPluginSet *set,
                            const TsrBuildOptions *options, GError **error)
{
    g_autoptr(GPtrArray) graphs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_graph_unref);
    g_autoptr(GPtrArray) parts = tsr_known_parts_cut(program, graphs);
    for (guint i = 0; i < parts->len; i++) {
        TsrKnownPart *part = g_ptr_array_index(parts, i);
        part->program = tsr_task_build(g_ptr_array_index(graphs, i), set, options,
                                       program->weights, error);
        if (part->program == NULL)
            return FALSE;
        program->stats.activation_bytes = MAX(program->stats.activation_bytes,
                                              part->program->stats.activation_bytes);
    }
    g_ptr_array_extend_and_steal(program->parts, g_steal_pointer(&parts));
    program->stats.weight_bytes = tsr_weights_size(program->weights);
    return TRUE;
}

TsrProgram *tsr_task_build(TsrGraph *graph, const TsrPluginSet *set,
                           const TsrBuildOptions *options, TsrWeights *weights, GError **error)
{
    g_autoptr(TsrProgram) program = tsr_program_new(graph, weights);
    program->c0_lanes = options->traits.c0_lanes;
    program->core_count = options->traits.core_count;
    program->device = set->device != NULL ? g_strdup(set->device->device->name) : NULL;
    program->why_not_sink = options->host_mode    ? g_strdup("host mode was asked for")
                            : set->device == NULL ? g_strdup("no device is in use")
                                                  : tsr_graph_obstacle(graph);
    program->is_sink = program->why_not_sink == NULL;
    if (!program->is_sink) {
        tsr_program_keep_constants(program);
        if (!options->host_mode && set->device != NULL &&
            !build_parts(program, set, options, error))
            return NULL;
    } else if (!build_sink(program, set, options, error)) {
        return NULL;
    }
    return g_steal_pointer(&program);
}
