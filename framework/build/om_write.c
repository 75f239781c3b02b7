/* SPDX-License-Identifier: Apache-2.0
 *
 * om_write.c: see om_write.h and om_format.h.
 */
#include "build/om_write.h"

#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/memory.h"
#include "build/extents_variant.h"
#include "build/graph_variant.h"
#include "build/known_parts.h"
#include "build/om_format.h"
#include "engine/cluster.h"
#include "ir/input_dim.h"
#include "ir/print.h"

/* Engines that the graph uses, each with what its plugin says of itself. */
static void collect_engines(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->engine != NULL)
            g_hash_table_add(data, (gpointer)node->engine);
    }
}

static GVariant *engines_variant(TsrProgram *program, const TsrPluginSet *set)
{
    g_autoptr(GHashTable) used = g_hash_table_new(NULL, NULL);
    GVariantBuilder builder;
    tsr_graph_foreach(program->graph, collect_engines, used);
    g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ssuus)"));
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        const TsrEngine *engine = ranked->engine;
        if (g_hash_table_contains(used, ranked->name))
            g_variant_builder_add(&builder, "(ssuus)", ranked->name,
                                  ranked->plugin->plugin->version, TSR_ABI_MAJOR,
                                  engine->blob_version,
                                  TSR_HAS(engine, compat) ? engine->compat : "");
    }
    return g_variant_builder_end(&builder);
}

/* What the engine says that a cluster needs; its words end where they must. */
static void describe_cluster(const TsrEngine *engine, const GPtrArray *nodes, char *out_text,
                             gsize capacity)
{
    g_autoptr(GPtrArray) views = g_ptr_array_new();
    g_strlcpy(out_text, TSR_HAS(engine, compat) ? engine->compat : "", capacity);
    if (!TSR_HAS(engine, describe))
        return;
    for (guint i = 0; i < nodes->len; i++)
        g_ptr_array_add(views,
                        (gpointer)tsr_node_view(g_ptr_array_index((GPtrArray *)nodes, i)));
    if (engine->describe(engine, (const TsrNodeView *const *)views->pdata, views->len, out_text,
                         (guint32)capacity) != TSR_OK)
        out_text[0] = '\0';
    out_text[capacity - 1] = '\0';
}

static guint64 hash_cluster(const GPtrArray *nodes)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < nodes->len; i++) {
        g_autofree char *line = tsr_node_to_line(g_ptr_array_index((GPtrArray *)nodes, i));
        g_string_append(text, line);
    }
    return XXH3_64bits(text->str, text->len);
}

static void add_cluster(const TsrPluginSet *set, const GPtrArray *nodes,
                        GVariantBuilder *builder)
{
    const TsrNode *first = g_ptr_array_index((GPtrArray *)nodes, 0);
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(set, first->engine);
    char text[TSR_OM_COMPAT_BYTES] = "";
    g_autofree char *valid = NULL;
    if (ranked != NULL)
        describe_cluster(ranked->engine, nodes, text, sizeof(text));
    valid = g_utf8_make_valid(text, -1);
    g_variant_builder_add(builder, "(susst)", first->engine, nodes->len, first->name, valid,
                          hash_cluster(nodes));
}

typedef struct Clusters {
    const TsrPluginSet *set;
    GVariantBuilder builder;
} Clusters;

static void add_clusters(TsrGraph *graph, gpointer data)
{
    Clusters *clusters = data;
    const guint count = tsr_cluster_form(graph);
    g_autoptr(GPtrArray) lists =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(lists, g_ptr_array_new());
    for (guint i = 0; order != NULL && i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (node->kind == TSR_NODE_OPERATOR && node->engine != NULL)
            g_ptr_array_add(g_ptr_array_index(lists, node->cluster), node);
    }
    for (guint i = 0; i < count; i++) {
        const GPtrArray *nodes = g_ptr_array_index(lists, i);
        if (nodes->len != 0)
            add_cluster(clusters->set, nodes, &clusters->builder);
    }
}

static GVariant *clusters_variant(const TsrProgram *program, const TsrPluginSet *set)
{
    Clusters clusters = {.set = set};
    g_variant_builder_init(&clusters.builder, G_VARIANT_TYPE(TSR_OM_CLUSTERS_TYPE));
    tsr_graph_foreach(program->graph, add_clusters, &clusters);
    return g_variant_builder_end(&clusters.builder);
}

static GVariant *places_variant(const TsrProgram *program)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE(TSR_OM_PLACES_TYPE));
    for (guint i = 0; i < program->places->len; i++) {
        const TsrValuePlace *place = &g_array_index(program->places, TsrValuePlace, i);
        g_variant_builder_add(&builder, "(uuuut)", place->node, place->output,
                              place->address.space, place->address.index,
                              place->address.offset);
    }
    return g_variant_builder_end(&builder);
}

static void add_fused(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->fused_values->len; k++)
            g_variant_builder_add(data, "(ss)", node->name,
                                  (const char *)g_ptr_array_index(node->fused_values, k));
    }
}

static GVariant *fused_variant(const TsrProgram *program)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE(TSR_OM_FUSED_TYPE));
    tsr_graph_foreach(program->graph, add_fused, &builder);
    return g_variant_builder_end(&builder);
}

static GVariant *dims_variant(const TsrGraph *graph)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE(TSR_OM_DIMS_TYPE));
    for (guint i = 0; i < graph->input_dims->len; i++) {
        const TsrInputDim *dim = &g_array_index(graph->input_dims, TsrInputDim, i);
        g_variant_builder_add(&builder, "(uusxx)", dim->input, dim->axis,
                              dim->name != NULL ? dim->name : "", dim->least, dim->most);
    }
    return g_variant_builder_end(&builder);
}

static void program_variants(TsrProgram *program, gboolean only_gears, const TsrPluginSet *set,
                             GVariant **out);

static GVariant *part_values_variant(const GArray *places)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("a(uu)"));
    for (guint i = 0; i < places->len; i++) {
        const TsrPartValue *place = &g_array_index(places, TsrPartValue, i);
        g_variant_builder_add(&builder, "(uu)", place->node, place->output);
    }
    return g_variant_builder_end(&builder);
}

static GVariant *parts_variant(const TsrProgram *program, const TsrPluginSet *set)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE(TSR_OM_PARTS_TYPE(TSR_GRAPH_VARIANT_TYPE)));
    for (guint i = 0; i < program->parts->len; i++) {
        const TsrKnownPart *part = g_ptr_array_index(program->parts, i);
        GVariant *variants[4];
        program_variants(part->program, FALSE, set, variants);
        g_variant_builder_add(
            &builder, "(@*@au@a(uu)@a(uu))", g_variant_new_tuple(variants, 4),
            g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, part->nodes->data,
                                      part->nodes->len, sizeof(guint32)),
            part_values_variant(part->inputs), part_values_variant(part->outputs));
    }
    return g_variant_builder_end(&builder);
}

static GVariant *meta_variant(TsrProgram *program, gboolean only_gears, const TsrPluginSet *set)
{
    GVariantDict dict;
    GVariant *extents;
    g_variant_dict_init(&dict, NULL);
    g_variant_dict_insert(&dict, "producer", "s", "tessera " TSR_VERSION);
    g_variant_dict_insert(&dict, "sink", "b", program->is_sink);
    if (program->why_not_sink != NULL)
        g_variant_dict_insert(&dict, "why_not_sink", "s", program->why_not_sink);
    g_variant_dict_insert(&dict, "device", "s",
                          program->device != NULL ? program->device : "");
    g_variant_dict_insert(&dict, "c0_lanes", "u", program->c0_lanes);
    g_variant_dict_insert(&dict, "core_count", "u", program->core_count);
    g_variant_dict_insert(&dict, "streams", "u", program->stream_count);
    g_variant_dict_insert(&dict, "events", "u", program->event_count);
    g_variant_dict_insert(&dict, "notifies", "u", program->notify_count);
    g_variant_dict_insert(&dict, "labels", "u", program->label_count);
    g_variant_dict_insert(&dict, "activation_bytes", "t", program->stats.activation_bytes);
    g_variant_dict_insert(&dict, "lower_bound_bytes", "t", program->stats.lower_bound_bytes);
    g_variant_dict_insert(&dict, "no_reuse_bytes", "t", program->stats.no_reuse_bytes);
    g_variant_dict_insert(&dict, "planner", "s",
                          program->stats.planner != NULL ? program->stats.planner : "");
    g_variant_dict_insert(&dict, "weight_bytes", "t", program->stats.weight_bytes);
    g_variant_dict_insert(&dict, "workspace_bytes", "t", program->stats.workspace_bytes);
    g_variant_dict_insert_value(&dict, "engines", engines_variant(program, set));
    g_variant_dict_insert_value(&dict, "clusters", clusters_variant(program, set));
    g_variant_dict_insert_value(&dict, "places", places_variant(program));
    g_variant_dict_insert_value(&dict, "fused", fused_variant(program));
    g_variant_dict_insert(&dict, "only_gears", "b", only_gears);
    g_variant_dict_insert_value(&dict, "dims", dims_variant(program->graph));
    extents = program->is_sink ? NULL : tsr_extents_to_variant(program->graph);
    if (extents != NULL)
        g_variant_dict_insert_value(&dict, "extents", extents);
    if (program->parts->len != 0)
        g_variant_dict_insert_value(&dict, "parts", parts_variant(program, set));
    return g_variant_dict_end(&dict);
}

/* (kind, block_dim, stream, event, node, kernel, name, args, params, bytes); an argument is
 * (space, index, offset, reference, bytes). */
static GVariant *tasks_variant(const TsrProgram *program)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE(TSR_OM_TASKS_TYPE));
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        GVariantBuilder args;
        gsize size = 0;
        gconstpointer params = task->params != NULL ? g_bytes_get_data(task->params, &size) : "";
        g_variant_builder_init(&args, G_VARIANT_TYPE("a(uutut)"));
        for (guint a = 0; a < task->args->len; a++) {
            const TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            g_variant_builder_add(&args, "(uutut)", arg->address.space, arg->address.index,
                                  arg->address.offset, arg->ref, arg->bytes);
        }
        g_variant_builder_add(&builder, "(uuuuussa(uutut)@ayt)", task->kind, task->block_dim,
                              task->stream, task->event, task->node,
                              task->kernel != NULL ? task->kernel : "",
                              task->name != NULL ? task->name : "", &args,
                              g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, params, size, 1),
                              task->bytes);
    }
    return g_variant_builder_end(&builder);
}

/* (tensor, space, index, offset, size, birth, death, kind, with, note) */
static GVariant *memory_variant(const TsrProgram *program)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE(TSR_OM_MEMORY_TYPE));
    for (guint i = 0; i < program->memory->len; i++) {
        const TsrMemoryRow *row = &g_array_index(program->memory, TsrMemoryRow, i);
        g_variant_builder_add(&builder, "(suuttuuuss)", row->name, row->address.space,
                              row->address.index, row->address.offset, row->size, row->birth,
                              row->death, row->kind, row->with != NULL ? row->with : "",
                              row->note != NULL ? row->note : "");
    }
    return g_variant_builder_end(&builder);
}

/* All of a program but the weights, in the order of the sections. (floating) */
static void program_variants(TsrProgram *program, gboolean only_gears, const TsrPluginSet *set,
                             GVariant **out)
{
    program->stats.weight_bytes = tsr_weights_size(program->weights);
    out[1] = tsr_graph_to_variant(program); /* first: it may add constants */
    program->stats.weight_bytes = tsr_weights_size(program->weights);
    out[0] = meta_variant(program, only_gears, set);
    out[2] = tasks_variant(program);
    out[3] = memory_variant(program);
}

/* A section that is a variant. */
typedef struct Part {
    char name[sizeof(((TsrOmSection *)NULL)->name)];
    GVariant *variant;
} Part;

static void add_part(GArray *parts, const char *name, GVariant *variant)
{
    Part part = {.variant = g_variant_ref_sink(variant)};
    g_strlcpy(part.name, name, sizeof(part.name));
    g_array_append_val(parts, part);
}

static void clear_part(gpointer part)
{
    g_variant_unref(((Part *)part)->variant);
}

static GArray *make_parts(const TsrOmContent *content, const TsrPluginSet *set)
{
    static const char *const names[] = {TSR_OM_META, TSR_OM_GRAPH, TSR_OM_TASKS, TSR_OM_MEMORY};
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(Part));
    GVariant *variants[G_N_ELEMENTS(names)];
    g_array_set_clear_func(parts, clear_part);
    program_variants(content->program, content->only_gears, set, variants);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        add_part(parts, names[i], variants[i]);
    for (guint i = 0; content->gears != NULL && i < content->gears->len; i++) {
        g_autofree char *name = g_strdup_printf(TSR_OM_GEAR "%u", i);
        program_variants(g_ptr_array_index(content->gears, i), FALSE, set, variants);
        add_part(parts, name, g_variant_new_tuple(variants, G_N_ELEMENTS(variants)));
    }
    if (content->source != NULL)
        add_part(parts, TSR_OM_SOURCE, content->source);
    return parts;
}

GBytes *tsr_om_assemble(const TsrOmContent *content, const TsrPluginSet *set, GError **error)
{
    g_autoptr(GArray) parts = make_parts(content, set);
    TsrWeights *weights = content->program->weights;
    const guint count = parts->len + 1;
    const gsize table_size = count * sizeof(TsrOmSection);
    g_autofree TsrOmSection *table = g_new0(TsrOmSection, count);
    TsrOmHeader header = {.magic = TSR_OM_MAGIC, .version = TSR_OM_VERSION,
                          .section_count = count};
    guint8 *memory;
    guint64 at = tsr_align_up(sizeof(header) + table_size, TSR_MEMORY_ALIGNMENT);

    for (guint i = 0; i < count; i++) {
        const Part *part = i < parts->len ? &g_array_index(parts, Part, i) : NULL;
        g_strlcpy(table[i].name, part != NULL ? part->name : TSR_OM_WEIGHTS,
                  sizeof(table[i].name));
        table[i].offset = at;
        table[i].size = part != NULL ? g_variant_get_size(part->variant)
                                     : tsr_weights_size(weights);
        at = tsr_align_up(at + table[i].size, TSR_MEMORY_ALIGNMENT);
    }
    header.file_size = at;
    memory = tsr_memory_alloc(at);
    if (memory == NULL) {
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY,
                    "offline model: no memory for %" G_GUINT64_FORMAT " bytes", at);
        return NULL;
    }
    memset(memory, 0, table[parts->len].offset);
    for (guint i = 0; i < parts->len; i++)
        g_variant_store(g_array_index(parts, Part, i).variant, memory + table[i].offset);
    tsr_weights_move(weights, memory + table[parts->len].offset);
    memset(memory + table[parts->len].offset + tsr_weights_size(weights), 0,
           at - table[parts->len].offset - tsr_weights_size(weights));
    for (guint i = 0; i < count; i++)
        table[i].hash = XXH3_64bits(memory + table[i].offset, table[i].size);
    header.table_hash = XXH3_64bits(table, table_size);
    memcpy(memory, &header, sizeof(header));
    memcpy(memory + sizeof(header), table, table_size);
    return tsr_memory_to_bytes(memory, at);
}

gboolean tsr_om_save(GBytes *om, const char *path, GError **error)
{
    g_autoptr(GError) cause = NULL;
    gsize size;
    const char *data = g_bytes_get_data(om, &size);
    if (g_file_set_contents_full(path, data, (gssize)size, G_FILE_SET_CONTENTS_CONSISTENT, 0644,
                                 &cause))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_IO, "offline model '%s': %s", path, cause->message);
    return FALSE;
}
