/* SPDX-License-Identifier: Apache-2.0
 *
 * task_build.c: see task_build.h. First every node is built, which gives the
 * workspaces; then memory is planned; then the tasks get their addresses.
 */
#include "build/task_build.h"

#include <tessera/plugin_util.h>

#include "base/error.h"
#include "build/memory_plan.h"
#include "build/symbols.h"

typedef struct Builder {
    TsrProgram *program;
    const TsrPluginSet *set;
    const TsrBuildOptions *options;
    GPtrArray *order;
    TsrSymbols *symbols;
    GHashTable *row_of;     /* root value -> row index + 1 */
    GHashTable *output_of;  /* root value -> output index + 1 */
    GHashTable *input_of;   /* data value -> input index + 1 */
    GPtrArray *built;       /* per node of the order: TsrBuiltNode or NULL */
    GArray *first_workspace;/* per node: row index of its first workspace */
} Builder;

static gboolean node_can_sink(const TsrNode *node)
{
    if (node->kind == TSR_NODE_OPERATOR &&
        (node->subgraphs->len != 0 || (node->def->flags & TSR_OP_DATA_DEPENDENT) != 0))
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && (!tsr_desc_is_static(&value->desc.view) ||
                              value->desc.view.dtype == TSR_DTYPE_STRING ||
                              value->desc.view.dtype == TSR_DTYPE_UNDEFINED))
            return FALSE;
    }
    return TRUE;
}

static gboolean graph_can_sink(const TsrGraph *graph)
{
    for (guint i = 0; i < graph->nodes->len; i++)
        if (!node_can_sink(g_ptr_array_index(graph->nodes, i)))
            return FALSE;
    return TRUE;
}

static void keep_constants(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_CONSTANT)
            tsr_program_add_constant(data, g_ptr_array_index(node->outputs, 0));
    }
}

static TsrValue *root_of(Builder *builder, gpointer value)
{
    return tsr_symbols_root(builder->symbols, value);
}

/* A graph output lives in the caller's memory when its producer can write there. */
static void assign_outputs(Builder *builder)
{
    TsrGraph *graph = builder->program->graph;
    for (guint i = 0; i < graph->inputs->len; i++)
        g_hash_table_insert(builder->input_of, g_ptr_array_index(graph->inputs, i),
                            GUINT_TO_POINTER(i + 1));
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrValue *root =
            root_of(builder, g_array_index(graph->outputs, TsrGraphOutput, i).value);
        if (root->producer->kind == TSR_NODE_OPERATOR &&
            !g_hash_table_contains(builder->output_of, root))
            g_hash_table_insert(builder->output_of, root, GUINT_TO_POINTER(i + 1));
    }
}

static gboolean build_node(Builder *builder, TsrNode *node, GError **error)
{
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(builder->set, node->engine);
    TsrBuiltNode *built = NULL;
    guint64 total = 0;
    guint first = builder->program->memory->len;
    if ((ranked->engine->flags & TSR_ENGINE_HOST) == 0) {
        built = tsr_task_sink_build(ranked->plugin, tsr_node_view(node),
                                    &builder->options->traits, error);
        if (built == NULL)
            return FALSE;
        for (guint i = 0; i < built->workspaces->len; i++) {
            guint64 size = g_array_index(built->workspaces, guint64, i);
            TsrMemoryRow row = {g_strdup_printf("%s workspace %u", node->name, i), 0, size,
                                node->index, node->index, TRUE};
            g_array_append_val(builder->program->memory, row);
            total += size;
        }
    }
    builder->program->stats.workspace_bytes =
        MAX(builder->program->stats.workspace_bytes, total);
    g_ptr_array_index(builder->built, node->index) = built;
    g_array_index(builder->first_workspace, guint, node->index) = first;
    return TRUE;
}

static gboolean build_nodes(Builder *builder, GError **error)
{
    for (guint i = 0; i < builder->order->len; i++) {
        TsrNode *node = g_ptr_array_index(builder->order, i);
        if (node->kind == TSR_NODE_OPERATOR && !tsr_symbols_is_view(builder->symbols, node) &&
            !build_node(builder, node, error))
            return FALSE;
    }
    return TRUE;
}

static void add_row(Builder *builder, TsrValue *root)
{
    TsrMemoryRow row = {g_strdup(root->name), 0, 0, root->producer->index,
                        root->producer->index, FALSE};
    if (!tsr_desc_storage_bytes(&root->desc.view, &row.size))
        row.size = 0; /* cannot be: node_can_sink saw static shapes only */
    g_array_append_val(builder->program->memory, row);
    g_hash_table_insert(builder->row_of, root,
                        GUINT_TO_POINTER(builder->program->memory->len));
}

static void extend_life(Builder *builder, TsrValue *value)
{
    TsrValue *root = root_of(builder, value);
    guint row = GPOINTER_TO_UINT(g_hash_table_lookup(builder->row_of, root));
    guint32 last = 0;
    for (guint u = 0; u < value->users->len; u++)
        last = MAX(last, ((const TsrNode *)g_ptr_array_index(value->users, u))->index);
    if (row != 0) {
        TsrMemoryRow *entry = &g_array_index(builder->program->memory, TsrMemoryRow, row - 1);
        entry->death = MAX(entry->death, last);
    }
}

/* A value that is copied to a further graph output at the end lives until then. */
static void live_to_end(Builder *builder, TsrValue *root)
{
    guint row = GPOINTER_TO_UINT(g_hash_table_lookup(builder->row_of, root));
    if (row != 0)
        g_array_index(builder->program->memory, TsrMemoryRow, row - 1).death =
            builder->order->len;
}

static void plan_memory(Builder *builder)
{
    TsrGraph *graph = builder->program->graph;
    for (guint i = 0; i < builder->order->len; i++) {
        TsrNode *node = g_ptr_array_index(builder->order, i);
        for (guint k = 0; node->kind == TSR_NODE_OPERATOR && k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value == NULL)
                continue;
            if (root_of(builder, value) == value &&
                !g_hash_table_contains(builder->output_of, value))
                add_row(builder, value);
            extend_life(builder, value);
        }
    }
    for (guint i = 0; i < graph->outputs->len; i++)
        live_to_end(builder,
                    root_of(builder, g_array_index(graph->outputs, TsrGraphOutput, i).value));
    tsr_memory_plan(builder->program->memory, builder->options->reuse,
                    &builder->program->stats);
}

static TsrAddress address_of(Builder *builder, TsrValue *value)
{
    TsrAddress address = {TSR_SPACE_NULL, 0};
    TsrValue *root = value != NULL ? root_of(builder, value) : NULL;
    guint index;
    if (root == NULL)
        return address;
    if (root->constant != NULL) {
        address.space = TSR_SPACE_WEIGHTS;
        address.offset = tsr_program_add_constant(builder->program, root);
    } else if ((index = GPOINTER_TO_UINT(g_hash_table_lookup(builder->input_of, root))) != 0) {
        address.space = TSR_SPACE_INPUT;
        address.offset = index - 1;
    } else if ((index = GPOINTER_TO_UINT(g_hash_table_lookup(builder->output_of, root))) != 0) {
        address.space = TSR_SPACE_OUTPUT;
        address.offset = index - 1;
    } else {
        index = GPOINTER_TO_UINT(g_hash_table_lookup(builder->row_of, root));
        address.space = TSR_SPACE_ARENA;
        address.offset = g_array_index(builder->program->memory, TsrMemoryRow, index - 1).offset;
    }
    return address;
}

static TsrAddress resolve(Builder *builder, TsrNode *node, const guint64 *constants, guint32 ref)
{
    TsrAddress address = {TSR_SPACE_NULL, 0};
    guint index = ref & 0x00ffffffu;
    switch (ref & 0xff000000u) {
    case TSR_ARG_INPUT:
        return address_of(builder, g_ptr_array_index(node->inputs, index));
    case TSR_ARG_OUTPUT:
        return address_of(builder, g_ptr_array_index(node->outputs, index));
    case TSR_ARG_WORKSPACE:
        index += g_array_index(builder->first_workspace, guint, node->index);
        address.space = TSR_SPACE_ARENA;
        address.offset = g_array_index(builder->program->memory, TsrMemoryRow, index).offset;
        return address;
    case TSR_ARG_CONSTANT:
        address.space = TSR_SPACE_WEIGHTS;
        address.offset = constants[index];
        return address;
    default:
        return address;
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
        task->params = source->params != NULL ? g_bytes_ref(source->params) : NULL;
        for (guint a = 0; a < source->args->len; a++) {
            TsrAddress address =
                resolve(builder, node, constants, g_array_index(source->args, guint32, a));
            g_array_append_val(task->args, address);
        }
        g_ptr_array_add(builder->program->tasks, task);
    }
}

static void emit_host_call(Builder *builder, TsrNode *node)
{
    TsrProgramTask *task = tsr_program_task_new(TSR_TASK_HOST_CALL, node->name);
    task->node = node->index;
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrAddress address = address_of(builder, g_ptr_array_index(node->inputs, i));
        g_array_append_val(task->args, address);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrAddress address = address_of(builder, g_ptr_array_index(node->outputs, i));
        g_array_append_val(task->args, address);
    }
    g_ptr_array_add(builder->program->tasks, task);
}

/* Outputs that nobody writes directly: inputs, constants, a value that is an output
 * twice. */
static void emit_copies(Builder *builder)
{
    TsrGraph *graph = builder->program->graph;
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        TsrAddress target = {TSR_SPACE_OUTPUT, i}, source = address_of(builder, output->value);
        TsrProgramTask *task;
        if (source.space == TSR_SPACE_OUTPUT && source.offset == i)
            continue;
        task = tsr_program_task_new(TSR_TASK_MEMCPY, output->name);
        g_array_append_val(task->args, target);
        g_array_append_val(task->args, source);
        if (!tsr_desc_storage_bytes(&output->value->desc.view, &task->bytes))
            task->bytes = 0;
        g_ptr_array_add(builder->program->tasks, task);
    }
}

static void emit_tasks(Builder *builder)
{
    for (guint i = 0; i < builder->order->len; i++) {
        TsrNode *node = g_ptr_array_index(builder->order, i);
        const TsrBuiltNode *built = g_ptr_array_index(builder->built, i);
        if (node->kind != TSR_NODE_OPERATOR || tsr_symbols_is_view(builder->symbols, node))
            continue;
        if (built != NULL)
            emit_kernels(builder, node, built);
        else
            emit_host_call(builder, node);
    }
    emit_copies(builder);
}

/* Constants are left out: what tasks read of them may be packed. */
static void note_places(Builder *builder)
{
    for (guint i = 0; i < builder->order->len; i++) {
        TsrNode *node = g_ptr_array_index(builder->order, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            TsrValuePlace place = {node->index, k, {TSR_SPACE_NULL, 0}};
            if (value == NULL || root_of(builder, value)->constant != NULL)
                continue;
            place.address = address_of(builder, value);
            g_array_append_val(builder->program->places, place);
        }
    }
}

static gboolean build_sink(TsrProgram *program, const TsrPluginSet *set,
                           const TsrBuildOptions *options, GError **error)
{
    Builder builder = {.program = program, .set = set, .options = options};
    gboolean done;
    builder.order = tsr_graph_sort(program->graph, error);
    if (builder.order == NULL)
        return FALSE;
    builder.symbols = tsr_symbols_new(builder.order);
    builder.row_of = g_hash_table_new(NULL, NULL);
    builder.output_of = g_hash_table_new(NULL, NULL);
    builder.input_of = g_hash_table_new(NULL, NULL);
    builder.built = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_built_node_free);
    g_ptr_array_set_size(builder.built, (gint)builder.order->len);
    builder.first_workspace = g_array_new(FALSE, TRUE, sizeof(guint));
    g_array_set_size(builder.first_workspace, builder.order->len);

    assign_outputs(&builder);
    done = build_nodes(&builder, error);
    if (done) {
        plan_memory(&builder);
        done = tsr_memory_check(program->memory, program->stats.activation_bytes, error);
    }
    if (done) {
        emit_tasks(&builder);
        note_places(&builder);
    }

    g_ptr_array_unref(builder.order);
    tsr_symbols_free(builder.symbols);
    g_hash_table_unref(builder.row_of);
    g_hash_table_unref(builder.output_of);
    g_hash_table_unref(builder.input_of);
    g_ptr_array_unref(builder.built);
    g_array_unref(builder.first_workspace);
    return done;
}

TsrProgram *tsr_task_build(TsrGraph *graph, const TsrPluginSet *set,
                           const TsrBuildOptions *options, GError **error)
{
    g_autoptr(TsrProgram) program = tsr_program_new(graph);
    program->c0_lanes = options->traits.c0_lanes;
    program->core_count = options->traits.core_count;
    program->device = set->device != NULL ? g_strdup(set->device->device->name) : NULL;
    program->is_sink = !options->host_mode && set->device != NULL && graph_can_sink(graph);
    if (!program->is_sink)
        tsr_graph_foreach(graph, keep_constants, program);
    else if (!build_sink(program, set, options, error))
        return NULL;
    return g_steal_pointer(&program);
}
