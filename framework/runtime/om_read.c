/* SPDX-License-Identifier: Apache-2.0
 *
 * om_read.c: see om_read.h.
 */
#include "runtime/om_read.h"

#include <string.h>
#include <tessera/plugin.h>
#include <xxhash.h>

#include "base/error.h"
#include "build/graph_variant.h"
#include "ir/input_dim.h"

static gboolean G_GNUC_PRINTF(2, 3) corrupt(GError **error, const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, TSR_ERROR, TSR_CORRUPT, "%s", text);
    return FALSE;
}

static gboolean check_section(const TsrOmFile *file, const TsrOmSection *section,
                              gboolean skip_weights, GError **error)
{
    gsize size;
    const guint8 *data = g_bytes_get_data(file->bytes, &size);
    guint64 hash;
    if (memchr(section->name, '\0', sizeof(section->name)) == NULL)
        return corrupt(error, "a section's name has no end");
    if (section->offset % 64 != 0 || section->offset > size ||
        section->size > size - section->offset)
        return corrupt(error,
                       "section '%s' (%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT
                       ") leaves the file of %zu bytes",
                       section->name, section->size, section->offset, size);
    if (skip_weights && strcmp(section->name, TSR_OM_WEIGHTS) == 0)
        return TRUE;
    hash = XXH3_64bits(data + section->offset, section->size);
    if (hash != section->hash)
        return corrupt(error,
                       "section '%s' has hash %016" G_GINT64_MODIFIER "x, wanted %016"
                       G_GINT64_MODIFIER "x: the file is damaged",
                       section->name, hash, section->hash);
    return TRUE;
}

static gboolean check_header(TsrOmFile *file, GError **error)
{
    gsize size;
    const guint8 *data = g_bytes_get_data(file->bytes, &size);
    const TsrOmHeader *header = (const TsrOmHeader *)data;
    if (size < sizeof(*header))
        return corrupt(error, "truncated: %zu bytes are less than the header's %zu", size,
                       sizeof(*header));
    if (memcmp(header->magic, TSR_OM_MAGIC, sizeof(header->magic)) != 0)
        return corrupt(error, "not an offline model: it does not begin with " TSR_OM_MAGIC);
    if (header->version > TSR_OM_VERSION) {
        g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                    "has format version %u, newer than the %u that this program reads: compile "
                    "it again or update",
                    header->version, TSR_OM_VERSION);
        return FALSE;
    }
    if (header->version == 0)
        return corrupt(error, "has format version 0, which never was");
    if (header->version < TSR_OM_VERSION) {
        g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                    "has format version %u, older than the %u that this program reads: compile "
                    "it again",
                    header->version, TSR_OM_VERSION);
        return FALSE;
    }
    if (header->file_size != size)
        return corrupt(error, "truncated: %zu bytes, the header wants %" G_GUINT64_FORMAT, size,
                       header->file_size);
    if (header->section_count == 0 || header->section_count > TSR_OM_MAX_SECTIONS ||
        sizeof(*header) + header->section_count * sizeof(TsrOmSection) > size)
        return corrupt(error, "has %u sections, wanted 1 to %u", header->section_count,
                       TSR_OM_MAX_SECTIONS);
    file->header = header;
    file->sections = (const TsrOmSection *)(data + sizeof(*header));
    if (XXH3_64bits(file->sections, header->section_count * sizeof(TsrOmSection)) !=
        header->table_hash)
        return corrupt(error, "the hash of the section table is wrong: the file is damaged");
    return TRUE;
}

static gboolean open_bytes(GBytes *bytes, gboolean skip_weights, TsrOmFile *out_file,
                           GError **error)
{
    TsrOmFile file = {g_bytes_ref(bytes), NULL, NULL};
    gboolean done = check_header(&file, error);
    for (guint32 i = 0; done && i < file.header->section_count; i++)
        done = check_section(&file, &file.sections[i], skip_weights, error);
    if (done)
        *out_file = file;
    else
        tsr_om_close(&file);
    return done;
}

gboolean tsr_om_open_bytes(GBytes *bytes, TsrOmFile *out_file, GError **error)
{
    return open_bytes(bytes, FALSE, out_file, error);
}

static gboolean open_path(const char *path, gboolean skip_weights, TsrOmFile *out_file,
                          GError **error)
{
    g_autoptr(GError) cause = NULL;
    GMappedFile *mapped = g_mapped_file_new(path, FALSE, &cause);
    g_autoptr(GBytes) bytes = NULL;
    gboolean done;
    if (mapped == NULL) {
        g_set_error(error, TSR_ERROR, TSR_IO, "offline model '%s': %s", path, cause->message);
        return FALSE;
    }
    bytes = g_mapped_file_get_bytes(mapped);
    g_mapped_file_unref(mapped);
    done = open_bytes(bytes, skip_weights, out_file, error);
    if (!done)
        g_prefix_error(error, "offline model '%s': ", path);
    return done;
}

gboolean tsr_om_open(const char *path, TsrOmFile *out_file, GError **error)
{
    return open_path(path, FALSE, out_file, error);
}

gboolean tsr_om_open_tables(const char *path, TsrOmFile *out_file, GError **error)
{
    return open_path(path, TRUE, out_file, error);
}

void tsr_om_close(TsrOmFile *file)
{
    g_clear_pointer(&file->bytes, g_bytes_unref);
}

GBytes *tsr_om_section_bytes(const TsrOmFile *file, const char *name, GError **error)
{
    for (guint32 i = 0; i < file->header->section_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return g_bytes_new_from_bytes(file->bytes, file->sections[i].offset,
                                          file->sections[i].size);
    corrupt(error, "has no section '%s'", name);
    return NULL;
}

GVariant *tsr_om_section(const TsrOmFile *file, const char *name, const char *type,
                         GError **error)
{
    g_autoptr(GBytes) bytes = tsr_om_section_bytes(file, name, error);
    GVariant *variant;
    if (bytes == NULL)
        return NULL;
    variant = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, FALSE));
    if (!g_variant_is_normal_form(variant)) {
        g_clear_pointer(&variant, g_variant_unref);
        corrupt(error, "section '%s' is not a %s", name, type);
    }
    return variant;
}

static void clear_engine(gpointer data)
{
    TsrOmEngine *engine = data;
    g_free(engine->name);
    g_free(engine->plugin_version);
    g_free(engine->compat);
}

GArray *tsr_om_engines(GVariant *meta)
{
    GArray *engines = g_array_new(FALSE, FALSE, sizeof(TsrOmEngine));
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "engines", G_VARIANT_TYPE("a(ssuus)"));
    g_array_set_clear_func(engines, clear_engine);
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        TsrOmEngine engine;
        g_variant_get_child(list, i, "(ssuus)", &engine.name, &engine.plugin_version,
                            &engine.abi_major, &engine.blob_version, &engine.compat);
        g_array_append_val(engines, engine);
    }
    return engines;
}

static void clear_cluster(gpointer data)
{
    TsrOmCluster *cluster = data;
    g_free(cluster->engine);
    g_free(cluster->first);
    g_free(cluster->compat);
}

GArray *tsr_om_clusters(GVariant *meta)
{
    GArray *clusters = g_array_new(FALSE, FALSE, sizeof(TsrOmCluster));
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "clusters", G_VARIANT_TYPE(TSR_OM_CLUSTERS_TYPE));
    g_array_set_clear_func(clusters, clear_cluster);
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        TsrOmCluster cluster;
        g_variant_get_child(list, i, "(susst)", &cluster.engine, &cluster.nodes, &cluster.first,
                            &cluster.compat, &cluster.hash);
        g_array_append_val(clusters, cluster);
    }
    return clusters;
}

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
        return corrupt(error, "section '%s' lacks a key", TSR_OM_META);
    (void)g_variant_lookup(meta, "labels", "u", &program->label_count);
    (void)g_variant_lookup(meta, "why_not_sink", "s", &program->why_not_sink);
    if (program->stream_count == 0 || program->stream_count > 1024)
        return corrupt(error, "has %u streams, wanted 1 to 1024", program->stream_count);
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
            return corrupt(error, "place %zu is of no value", i);
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
            return corrupt(error, "dimension %zu is of no input", i);
        tsr_graph_set_input_dim(graph, input, axis, name, least, most);
    }
    return TRUE;
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
                          : corrupt(error, "task '%s': %zu bytes of parameters, wanted %zu",
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
            return corrupt(error, "task '%s': argument %u has no place", task->name, i);
    if (task->stream >= program->stream_count)
        return corrupt(error, "task '%s': stream %u of %u", task->name, task->stream,
                       program->stream_count);
    switch (task->kind) {
    case TSR_TASK_KERNEL:
        return task->block_dim != 0 ? TRUE : corrupt(error, "task '%s' has no block", task->name);
    case TSR_TASK_HOST_CALL:
        if (node == NULL || node->kind != TSR_NODE_OPERATOR ||
            task->args->len != node->inputs->len + node->outputs->len)
            return corrupt(error, "task '%s' calls no node", task->name);
        return TRUE;
    case TSR_TASK_EVENT_RECORD:
    case TSR_TASK_EVENT_WAIT:
        return task->event < program->event_count
                   ? TRUE
                   : corrupt(error, "task '%s': event %u of %u", task->name, task->event,
                             program->event_count);
    case TSR_TASK_MEMCPY:
        return task->args->len == 2 ? TRUE
                                    : corrupt(error, "task '%s' copies nothing", task->name);
    case TSR_TASK_LABEL:
    case TSR_TASK_GOTO:
    case TSR_TASK_SWITCH:
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
    case TSR_TASK_MEMCPY_AT:
        return control_is_sound(task, error);
    default:
        return corrupt(error, "task '%s' is of unknown kind %u", task->name, task->kind);
    }
}

static gboolean read_tasks(TsrProgram *program, GVariant *variant, GError **error)
{
    const gsize count = g_variant_n_children(variant);
    if (program->stream_count > MAX(count, 1) || program->event_count > count ||
        program->label_count > count)
        return corrupt(error, "has %u streams, %u events and %u labels for %zu tasks",
                       program->stream_count, program->event_count, program->label_count, count);
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

/* The variants of a program: meta, graph, tasks, memory. */
static const char *const part_names[] = {TSR_OM_META, TSR_OM_GRAPH, TSR_OM_TASKS, TSR_OM_MEMORY};
static const char *const part_types[] = {"a{sv}", TSR_GRAPH_VARIANT_TYPE, TSR_OM_TASKS_TYPE,
                                         TSR_OM_MEMORY_TYPE};
enum { PART_META, PART_GRAPH, PART_TASKS, PART_MEMORY, PARTS };

static TsrProgram *read_program(GVariant *const *parts, TsrOpRegistry *registry,
                                TsrWeights *weights, GError **error)
{
    g_autoptr(TsrGraph) graph = tsr_graph_from_variant(registry, parts[PART_GRAPH], weights, error);
    g_autoptr(TsrProgram) program = NULL;
    if (graph == NULL)
        return NULL;
    program = tsr_program_new(graph, weights);
    if (!read_meta(program, parts[PART_META], error) ||
        !read_dims(graph, parts[PART_META], error))
        return NULL;
    if (program->stats.weight_bytes > tsr_weights_size(weights)) {
        corrupt(error,
                "weights have %" G_GUINT64_FORMAT " bytes, wanted %" G_GUINT64_FORMAT,
                tsr_weights_size(weights), program->stats.weight_bytes);
        return NULL;
    }
    read_memory(program->memory, parts[PART_MEMORY]);
    read_fused(program, parts[PART_META]);
    if (!read_tasks(program, parts[PART_TASKS], error) ||
        !read_places(program, parts[PART_META], error))
        return NULL;
    return g_steal_pointer(&program);
}

TsrWeights *tsr_om_weights(const TsrOmFile *file, GError **error)
{
    g_autoptr(GBytes) block = tsr_om_section_bytes(file, TSR_OM_WEIGHTS, error);
    return block != NULL ? tsr_weights_new_block(block) : NULL;
}

TsrProgram *tsr_om_read(const TsrOmFile *file, TsrOpRegistry *registry, TsrWeights *weights,
                        GError **error)
{
    GVariant *parts[PARTS] = {NULL};
    TsrProgram *program = NULL;
    guint count = 0;
    while (count < PARTS && (parts[count] = tsr_om_section(file, part_names[count],
                                                           part_types[count], error)) != NULL)
        count++;
    if (count == PARTS)
        program = read_program(parts, registry, weights, error);
    for (guint i = 0; i < count; i++)
        g_variant_unref(parts[i]);
    return program;
}

gboolean tsr_om_has_section(const TsrOmFile *file, const char *name)
{
    for (guint32 i = 0; i < file->header->section_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return TRUE;
    return FALSE;
}

gboolean tsr_om_only_gears(const TsrOmFile *file)
{
    g_autoptr(GVariant) meta = tsr_om_section(file, TSR_OM_META, "a{sv}", NULL);
    gboolean only = FALSE;
    if (meta != NULL)
        (void)g_variant_lookup(meta, "only_gears", "b", &only);
    return only;
}

guint tsr_om_gear_count(const TsrOmFile *file)
{
    guint count = 0;
    for (;; count++) {
        g_autofree char *name = g_strdup_printf(TSR_OM_GEAR "%u", count);
        if (!tsr_om_has_section(file, name))
            return count;
    }
}

static GVariant *gear_section(const TsrOmFile *file, guint index, GError **error)
{
    static const char type[] = "(a{sv}" TSR_GRAPH_VARIANT_TYPE TSR_OM_TASKS_TYPE
                               TSR_OM_MEMORY_TYPE ")";
    g_autofree char *name = g_strdup_printf(TSR_OM_GEAR "%u", index);
    return tsr_om_section(file, name, type, error);
}

gboolean tsr_om_gear_tables(const TsrOmFile *file, guint index, GVariant **out_meta,
                            GVariant **out_tasks, GError **error)
{
    g_autoptr(GVariant) whole = gear_section(file, index, error);
    if (whole == NULL)
        return FALSE;
    *out_meta = g_variant_get_child_value(whole, PART_META);
    *out_tasks = g_variant_get_child_value(whole, PART_TASKS);
    return TRUE;
}

TsrProgram *tsr_om_read_gear(const TsrOmFile *file, guint index, TsrOpRegistry *registry,
                             TsrWeights *weights, GError **error)
{
    g_autoptr(GVariant) whole = gear_section(file, index, error);
    GVariant *parts[PARTS];
    TsrProgram *program;
    if (whole == NULL)
        return NULL;
    for (guint i = 0; i < PARTS; i++)
        parts[i] = g_variant_get_child_value(whole, i);
    program = read_program(parts, registry, weights, error);
    for (guint i = 0; i < PARTS; i++)
        g_variant_unref(parts[i]);
    if (program == NULL)
        g_prefix_error(error, "section '" TSR_OM_GEAR "%u': ", index);
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
        corrupt(error, "section '%s' lacks a key", TSR_OM_META);
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
