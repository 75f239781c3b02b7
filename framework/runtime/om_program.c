/* SPDX-License-Identifier: Apache-2.0
 *
 * om_program.c: see om_program.h.
 */
#include "runtime/om_program.h"

#include <tessera/plugin.h>

#include "base/error.h"
#include "build/graph_variant.h"
#include "build/extents_variant.h"
#include "ir/input_dim.h"
#include "runtime/om_read.h"

static gboolean read_stats(TsrMemoryStats *stats, GVariant *meta)
{
    const char *planner;
    if (!g_variant_lookup(meta, "activation_bytes", "t", &stats->activation_bytes) ||
        !g_variant_lookup(meta, "lower_bound_bytes", "t", &stats->lower_bound_bytes) ||
        !g_variant_lookup(meta, "no_reuse_bytes", "t", &stats->no_reuse_bytes) ||
        !g_variant_lookup(meta, "planner", "&s", &planner) ||
        !g_variant_lookup(meta, "weight_bytes", "t", &stats->weight_bytes) ||
        !g_variant_lookup(meta, "workspace_bytes", "t", &stats->workspace_bytes))
        return FALSE;
    stats->planner = g_intern_string(planner);
    return TRUE;
}

static gboolean read_meta(TsrProgram *program, GVariant *meta, GError **error)
{
    if (!g_variant_lookup(meta, "sink", "b", &program->is_sink) ||
        !g_variant_lookup(meta, "device", "s", &program->device) ||
        !g_variant_lookup(meta, "c0_lanes", "u", &program->c0_lanes) ||
        !g_variant_lookup(meta, "core_count", "u", &program->core_count) ||
        !g_variant_lookup(meta, "streams", "u", &program->stream_count) ||
        !g_variant_lookup(meta, "events", "u", &program->event_count) ||
        !read_stats(&program->stats, meta))
        return tsr_om_corrupt(error, "section '%s' lacks a key", TSR_OM_META);
    (void)g_variant_lookup(meta, "notifies", "u", &program->notify_count);
    (void)g_variant_lookup(meta, "labels", "u", &program->label_count);
    (void)g_variant_lookup(meta, "why_not_sink", "s", &program->why_not_sink);
    if (program->stream_count == 0 || program->stream_count > 1024)
        return tsr_om_corrupt(error, "has %u streams, wanted 1 to 1024", program->stream_count);
    return TRUE;
}

static gboolean address_is_sound(const TsrProgram *program, const TsrAddress *address)
{
    switch (address->space) {
    case TSR_SPACE_NULL:
        return TRUE;
    case TSR_SPACE_ARENA:
        return address->offset < MAX(program->stats.activation_bytes, 1);
    case TSR_SPACE_WEIGHTS:
        return address->offset < MAX(program->stats.weight_bytes, 1);
    case TSR_SPACE_INPUT:
        return address->index < program->graph->inputs->len;
    case TSR_SPACE_OUTPUT:
        return address->index < program->graph->outputs->len;
    default:
        return FALSE;
    }
}

/* An address with room for the value behind it. */
static gboolean place_is_sound(const TsrProgram *program, const TsrNode *node,
                               const TsrValuePlace *place)
{
    const TsrValue *value = g_ptr_array_index(node->outputs, place->output);
    guint64 size_bytes, most;
    return address_is_sound(program, &place->address) &&
           tsr_desc_storage_bytes(&value->desc.view, &size_bytes) &&
           tsr_program_space_bytes(program, &place->address, &most) && size_bytes <= most &&
           place->address.offset <= most - size_bytes;
}

/* What only a dump needs: a file of an older version has none. */
static gboolean read_places(TsrProgram *program, GVariant *meta, GError **error)
{
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "places", G_VARIANT_TYPE(TSR_OM_PLACES_TYPE));
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        TsrValuePlace place;
        const TsrNode *node;
        g_variant_get_child(list, i, "(uuuut)", &place.node, &place.output, &place.address.space,
                            &place.address.index, &place.address.offset);
        node = place.node < program->nodes->len ? g_ptr_array_index(program->nodes, place.node)
                                                : NULL;
        if (node == NULL || place.output >= node->outputs->len ||
            g_ptr_array_index(node->outputs, place.output) == NULL ||
            !place_is_sound(program, node, &place))
            return tsr_om_corrupt(error, "place %zu is of no value", i);
        g_array_append_val(program->places, place);
    }
    return TRUE;
}

static gboolean read_dims(TsrGraph *graph, GVariant *meta, GError **error)
{
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "dims", G_VARIANT_TYPE(TSR_OM_DIMS_TYPE));
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        const char *name;
        gint64 least, most;
        guint32 input, axis;
        g_variant_get_child(list, i, "(uu&sxx)", &input, &axis, &name, &least, &most);
        if (input >= graph->inputs->len || axis >= TSR_MAX_RANK || least < 0 || most < -1)
            return tsr_om_corrupt(error, "dimension %zu is of no input", i);
        tsr_graph_set_input_dim(graph, input, axis, name, least, most);
    }
    return TRUE;
}

/* A file of an older version has none: shapes are inferred then. */
static gboolean read_extents(TsrGraph *graph, GVariant *meta, GError **error)
{
    g_autoptr(GVariant) extents =
        g_variant_lookup_value(meta, "extents", G_VARIANT_TYPE(TSR_OM_EXTENTS_TYPE));
    return extents == NULL || tsr_extents_from_variant(graph, extents, error);
}

static void index_nodes(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        g_hash_table_insert(data, node->name, node);
    }
}

static void read_fused(TsrProgram *program, GVariant *meta)
{
    g_autoptr(GHashTable) nodes = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "fused", G_VARIANT_TYPE(TSR_OM_FUSED_TYPE));
    tsr_graph_foreach(program->graph, index_nodes, nodes);
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        const char *name, *value;
        TsrNode *node;
        g_variant_get_child(list, i, "(&s&s)", &name, &value);
        node = g_hash_table_lookup(nodes, name);
        if (node != NULL)
            g_ptr_array_add(node->fused_values, g_strdup(value));
    }
}

/* What may be read of a task before the proof of memory has looked at it. */
static gboolean control_is_sound(const TsrProgramTask *task, GError **error)
{
    const gsize size = task->params != NULL ? g_bytes_get_size(task->params) : 0;
    const gsize wanted = task->kind == TSR_TASK_MEMCPY_AT ? sizeof(TsrPlaceParams)
                         : task->kind == TSR_TASK_SWITCH  ? 2 * sizeof(guint32)
                                                          : 0;
    return size == wanted ? TRUE
                          : tsr_om_corrupt(error, "task '%s': %zu bytes of parameters, wanted %zu",
                                           task->name, size, wanted);
}

static gboolean task_is_sound(const TsrProgram *program, const TsrProgramTask *task,
                              GError **error)
{
    const TsrNode *node = task->node < program->nodes->len
                              ? g_ptr_array_index(program->nodes, task->node)
                              : NULL;
    for (guint i = 0; i < task->args->len; i++)
        if (!address_is_sound(program, &g_array_index(task->args, TsrTaskArg, i).address))
            return tsr_om_corrupt(error, "task '%s': argument %u has no place", task->name, i);
    if (task->stream >= program->stream_count)
        return tsr_om_corrupt(error, "task '%s': stream %u of %u", task->name, task->stream,
                              program->stream_count);
    switch (task->kind) {
    case TSR_TASK_KERNEL:
        return task->block_dim != 0 ? TRUE
                                    : tsr_om_corrupt(error, "task '%s' has no block", task->name);
    case TSR_TASK_HOST_CALL:
        if (node == NULL || node->kind != TSR_NODE_OPERATOR ||
            task->args->len != node->inputs->len + node->outputs->len)
            return tsr_om_corrupt(error, "task '%s' calls no node", task->name);
        return TRUE;
    case TSR_TASK_EVENT_RECORD:
    case TSR_TASK_EVENT_WAIT:
        return task->event < program->event_count
                   ? TRUE
                   : tsr_om_corrupt(error, "task '%s': event %u of %u", task->name, task->event,
                                    program->event_count);
    case TSR_TASK_NOTIFY_RECORD:
    case TSR_TASK_NOTIFY_WAIT:
        return task->event < program->notify_count
                   ? TRUE
                   : tsr_om_corrupt(error, "task '%s': notify %u of %u", task->name, task->event,
                                    program->notify_count);
    case TSR_TASK_MEMCPY:
        return task->args->len == 2 ? TRUE
                                    : tsr_om_corrupt(error, "task '%s' copies nothing", task->name);
    case TSR_TASK_LABEL:
    case TSR_TASK_GOTO:
    case TSR_TASK_SWITCH:
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
    case TSR_TASK_MEMCPY_AT:
        return control_is_sound(task, error);
    default:
        return tsr_om_corrupt(error, "task '%s' is of unknown kind %u", task->name, task->kind);
    }
}

static gboolean read_tasks(TsrProgram *program, GVariant *variant, GError **error)
{
    const gsize count = g_variant_n_children(variant);
    if (program->stream_count > MAX(count, 1) || program->event_count > count ||
        program->notify_count > count || program->label_count > count)
        return tsr_om_corrupt(error,
                              "has %u streams, %u events, %u notifies and %u labels for %zu tasks",
                              program->stream_count, program->event_count,
                              program->notify_count, program->label_count, count);
    for (gsize i = 0; i < count; i++) {
        TsrProgramTask *task = tsr_program_task_new(0, NULL);
        g_autoptr(GVariant) args = NULL;
        g_autoptr(GVariant) params = NULL;
        gsize size;
        gconstpointer data;
        g_variant_get_child(variant, i, "(uuuuuss@a(uutut)@ayt)", &task->kind, &task->block_dim,
                            &task->stream, &task->event, &task->node, &task->kernel, &task->name,
                            &args, &params, &task->bytes);
        g_ptr_array_add(program->tasks, task);
        for (gsize a = 0; a < g_variant_n_children(args); a++) {
            TsrTaskArg arg;
            g_variant_get_child(args, a, "(uutut)", &arg.address.space, &arg.address.index,
                                &arg.address.offset, &arg.ref, &arg.bytes);
            g_array_append_val(task->args, arg);
        }
        data = g_variant_get_fixed_array(params, &size, 1);
        if (size != 0)
            task->params = g_bytes_new(data, size);
        if (!task_is_sound(program, task, error))
            return FALSE;
    }
    return TRUE;
}

static void read_memory(GArray *rows, GVariant *variant)
{
    for (gsize i = 0; i < g_variant_n_children(variant); i++) {
        TsrMemoryRow row;
        g_variant_get_child(variant, i, "(suuttuuuss)", &row.name, &row.address.space,
                            &row.address.index, &row.address.offset, &row.size, &row.birth,
                            &row.death, &row.kind, &row.with, &row.note);
        g_array_append_val(rows, row);
    }
}
TsrProgram *tsr_om_program(GVariant *const *parts, TsrOpRegistry *registry,
                                TsrWeights *weights, GError **error)
{
    g_autoptr(TsrGraph) graph =
        tsr_graph_from_variant(registry, parts[TSR_OM_PART_GRAPH], weights, error);
    g_autoptr(TsrProgram) program = NULL;
    if (graph == NULL)
        return NULL;
    program = tsr_program_new(graph, weights);
    if (!read_meta(program, parts[TSR_OM_PART_META], error) ||
        !read_dims(graph, parts[TSR_OM_PART_META], error) ||
        !read_extents(graph, parts[TSR_OM_PART_META], error))
        return NULL;
    if (program->stats.weight_bytes > tsr_weights_size(weights)) {
        tsr_om_corrupt(error,
                       "weights have %" G_GUINT64_FORMAT " bytes, wanted %" G_GUINT64_FORMAT,
                       tsr_weights_size(weights), program->stats.weight_bytes);
        return NULL;
    }
    read_memory(program->memory, parts[TSR_OM_PART_MEMORY]);
    read_fused(program, parts[TSR_OM_PART_META]);
    if (!read_tasks(program, parts[TSR_OM_PART_TASKS], error) ||
        !read_places(program, parts[TSR_OM_PART_META], error))
        return NULL;
    return g_steal_pointer(&program);
}
/* The four variants of a program in a tuple. */
TsrProgram *tsr_om_program_of_tuple(GVariant *whole, TsrOpRegistry *registry, TsrWeights *weights,
                              GError **error)
{
    GVariant *parts[TSR_OM_PARTS];
    TsrProgram *program;
    for (guint i = 0; i < TSR_OM_PARTS; i++)
        parts[i] = g_variant_get_child_value(whole, i);
    program = tsr_om_program(parts, registry, weights, error);
    for (guint i = 0; i < TSR_OM_PARTS; i++)
        g_variant_unref(parts[i]);
    return program;
}
TsrMemoryTable *tsr_om_memory_table(const TsrOmFile *file, GError **error)
{
    g_autoptr(GVariant) meta = tsr_om_section(file, TSR_OM_META, "a{sv}", error);
    g_autoptr(GVariant) tasks =
        meta != NULL ? tsr_om_section(file, TSR_OM_TASKS, TSR_OM_TASKS_TYPE, error) : NULL;
    g_autoptr(GVariant) memory =
        tasks != NULL ? tsr_om_section(file, TSR_OM_MEMORY, TSR_OM_MEMORY_TYPE, error) : NULL;
    g_autoptr(TsrMemoryTable) table = NULL;
    if (memory == NULL)
        return NULL;
    table = tsr_memory_table_new();
    if (!read_stats(&table->stats, meta)) {
        tsr_om_corrupt(error, "section '%s' lacks a key", TSR_OM_META);
        return NULL;
    }
    read_memory(table->rows, memory);
    for (gsize i = 0; i < g_variant_n_children(tasks); i++) {
        g_autoptr(GVariant) task = g_variant_get_child_value(tasks, i);
        char *name;
        g_variant_get_child(task, 6, "s", &name);
        g_ptr_array_add(table->tasks, name);
    }
    return g_steal_pointer(&table);
}
