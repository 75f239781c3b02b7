/* SPDX-License-Identifier: Apache-2.0
 *
 * dump.c: see dump.h. With a task list a value is taken right after the last task of the node
 * that makes it, before its memory is anyone else's; node by node, when the value is put. A
 * second taking of a value (a loop's body, a further run) replaces the first.
 */
#include "dump.h"

#include <glib/gstdio.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/npy.h"
#include "inputs.h"
#include "ir/array.h"
#include "ir/storage_walk.h"
#include "json.h"

/* One row of the index. */
typedef struct Entry {
    const TsrValue *value;
    TsrDesc desc;        /* of the run */
    char *file;          /* NULL where there is none: why tells */
    char *storage_file;
    char *why;
    guint32 task;        /* G_MAXUINT32: none */
    guint32 stream;
    guint taken;
} Entry;

struct TsrDump {
    TsrModel *model;
    TsrDumpOptions options;
    GHashTable *wanted;   /* TsrValue; NULL: all */
    GHashTable *entries;  /* TsrValue -> Entry */
    GPtrArray *order;     /* Entry, owned */
    GHashTable *files;    /* names in use */
    GArray *last_task;    /* per node of the root graph: its last task + 1, or 0 */
    gboolean inputs_taken;
    GError *error;        /* of a run without a task list */
};

static void entry_free(gpointer data)
{
    Entry *entry = data;
    g_free(entry->file);
    g_free(entry->storage_file);
    g_free(entry->why);
    g_free(entry);
}

/* ------------------------------------------------------------------- taking */

/* A file name that no other value has. */
static char *new_file(TsrDump *dump, const char *name, const char *suffix)
{
    char *file = tsr_tool_file_name(name, suffix);
    for (guint i = 2; g_hash_table_contains(dump->files, file); i++) {
        g_autofree char *stem = g_strdup_printf("%s_%u", name, i);
        g_free(file);
        file = tsr_tool_file_name(stem, suffix);
    }
    g_hash_table_add(dump->files, g_strdup(file));
    return file;
}

static Entry *entry_of(TsrDump *dump, const TsrValue *value)
{
    Entry *entry = g_hash_table_lookup(dump->entries, value);
    if (entry != NULL)
        return entry;
    entry = g_new0(Entry, 1);
    entry->value = value;
    entry->task = G_MAXUINT32;
    tsr_desc_init(&entry->desc);
    g_hash_table_insert(dump->entries, (gpointer)value, entry);
    g_ptr_array_add(dump->order, entry);
    return entry;
}

static gboolean write_file(const TsrDump *dump, const char *file, guint32 dtype, guint32 rank,
                           const gint64 *shape, gconstpointer data, gsize size, GError **error)
{
    g_autofree char *path = g_build_filename(dump->options.directory, file, NULL);
    return tsr_npy_write(path, dtype, rank, shape, data, size, error);
}

static gboolean write_files(TsrDump *dump, Entry *entry, gconstpointer data, gsize size_bytes,
                            GError **error)
{
    const TsrTensorDesc *desc = &entry->desc.view;
    gsize origin_bytes = tsr_dtype_bytes(desc->dtype, (guint64)tsr_desc_elements(desc));
    gpointer origin = tsr_memory_alloc(origin_bytes);
    gboolean done = origin != NULL;
    if (!done)
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY, "dump of '%s'", entry->value->name);
    done = done && tsr_storage_to_origin(desc, data, size_bytes, origin, error);
    if (done && entry->file == NULL)
        entry->file = new_file(dump, entry->value->name, ".npy");
    done = done && write_file(dump, entry->file, desc->dtype, desc->rank, desc->shape, origin,
                              origin_bytes, error);
    if (done && dump->options.storage) {
        if (entry->storage_file == NULL)
            entry->storage_file = new_file(dump, entry->value->name, ".storage.npy");
        done = write_file(dump, entry->storage_file, desc->dtype, desc->storage_rank,
                          desc->storage_shape, data, size_bytes, error);
    }
    tsr_memory_free(origin);
    return done;
}

/* Takes a value. One that has no .npy form is in the index with the reason. */
static gboolean take(TsrDump *dump, const TsrValue *value, const TsrTensorDesc *desc,
                     gconstpointer data, gsize size_bytes, guint32 task, GError **error)
{
    g_autoptr(GError) cause = NULL;
    Entry *entry;
    if (dump->wanted != NULL && !g_hash_table_contains(dump->wanted, value))
        return TRUE;
    entry = entry_of(dump, value);
    entry->taken++;
    entry->task = task;
    tsr_desc_copy(&entry->desc, desc);
    if (task != G_MAXUINT32) {
        const TsrProgram *program = tsr_bound_model_program(dump->model->bound);
        entry->stream = ((const TsrProgramTask *)g_ptr_array_index(program->tasks, task))->stream;
    }
    if (desc->kind != TSR_KIND_TENSOR) {
        g_free(entry->why);
        entry->why = g_strdup_printf("a %s has no .npy form", tsr_kind_name(desc->kind));
        return TRUE;
    }
    if (write_files(dump, entry, data, size_bytes, &cause))
        return TRUE;
    if (!g_error_matches(cause, TSR_ERROR, TSR_UNSUPPORTED)) {
        g_propagate_error(error, g_steal_pointer(&cause));
        return FALSE;
    }
    g_free(entry->why);
    entry->why = g_strdup(cause->message);
    g_clear_pointer(&entry->file, g_free);
    return TRUE;
}

static gboolean take_place(TsrDump *dump, const TsrValuePlace *place, guint32 task,
                           GError **error)
{
    const TsrProgram *program = tsr_bound_model_program(dump->model->bound);
    const TsrNode *node = g_ptr_array_index(program->nodes, place->node);
    const TsrValue *value = g_ptr_array_index(node->outputs, place->output);
    const TsrSink *sink = tsr_bound_model_sink(dump->model->bound);
    guint64 size_bytes = 0;
    if (!tsr_desc_storage_bytes(&value->desc.view, &size_bytes))
        size_bytes = 0; /* checked when the file was read */
    return take(dump, value, &value->desc.view, tsr_sink_memory(sink, &place->address),
                size_bytes, task, error);
}

/* A node without a task of its own is a view: it is complete when all that it looks at is. */
static guint32 last_task_of(const TsrDump *dump, const TsrNode *node)
{
    guint32 last = g_array_index(dump->last_task, guint32, node->index);
    if (last == 0 && node->kind == TSR_NODE_DATA && node->graph->parent != NULL)
        return last_task_of(dump, node->graph->parent); /* a state, in the last round */
    if (last != 0 || node->kind != TSR_NODE_OPERATOR)
        return last;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *input = g_ptr_array_index(node->inputs, i);
        if (input != NULL)
            last = MAX(last, last_task_of(dump, input->producer));
    }
    return last;
}

static guint32 task_of_place(const TsrDump *dump, const TsrValuePlace *place)
{
    const TsrProgram *program = tsr_bound_model_program(dump->model->bound);
    const TsrNode *node = g_ptr_array_index(program->nodes, place->node);
    return last_task_of(dump, node);
}

static gboolean after_task(gpointer user, guint32 task, GError **error)
{
    TsrDump *dump = user;
    const TsrProgram *program = tsr_bound_model_program(dump->model->bound);
    for (guint i = 0; i < program->places->len; i++) {
        const TsrValuePlace *place = &g_array_index(program->places, TsrValuePlace, i);
        guint32 last = task_of_place(dump, place);
        /* What no task makes is there from the start: inputs, and views of them. */
        if (last == task + 1 || (last == 0 && !dump->inputs_taken)) {
            if (!take_place(dump, place, last != 0 ? task : G_MAXUINT32, error))
                return FALSE;
        }
    }
    dump->inputs_taken = TRUE;
    return TRUE;
}

static void on_value(gpointer user, const TsrValue *value, TsrArray *array)
{
    TsrDump *dump = user;
    if (dump->error == NULL)
        (void)!take(dump, value, &array->desc.view, array->tensor.data,
                    array->tensor.size_bytes, G_MAXUINT32, &dump->error);
}

/* -------------------------------------------------------------------- names */

typedef struct Search {
    const char *name;
    GHashTable *wanted;
    GPtrArray *names;        /* all there are */
    const TsrNode *fused_in; /* the node that swallowed a value of that name */
    guint found;
} Search;

static gboolean stands_for(const TsrNode *node, const char *name)
{
    for (guint i = 0; i < node->origin_names->len; i++)
        if (strcmp(g_ptr_array_index(node->origin_names, i), name) == 0)
            return TRUE;
    return strcmp(node->name, name) == 0;
}

static void search_graph(TsrGraph *graph, gpointer data)
{
    Search *search = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        gboolean all = node->kind == TSR_NODE_OPERATOR && stands_for(node, search->name);
        g_ptr_array_add(search->names, node->name);
        for (guint k = 0; k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value == NULL)
                continue;
            g_ptr_array_add(search->names, value->name);
            if (all || strcmp(value->name, search->name) == 0) {
                g_hash_table_add(search->wanted, value);
                search->found++;
            }
        }
        for (guint k = 0; k < node->fused_values->len; k++)
            if (strcmp(g_ptr_array_index(node->fused_values, k), search->name) == 0)
                search->fused_in = node;
    }
}

static gboolean find_wanted(TsrDump *dump, GError **error)
{
    g_auto(GStrv) words = g_strsplit(dump->options.nodes, ",", -1);
    TsrGraph *graph = tsr_bound_model_program(dump->model->bound)->graph;
    dump->wanted = g_hash_table_new(NULL, NULL);
    for (guint i = 0; words[i] != NULL; i++) {
        g_autoptr(GPtrArray) names = g_ptr_array_new();
        Search search = {g_strstrip(words[i]), dump->wanted, names, NULL, 0};
        const char *nearest;
        if (search.name[0] == '\0')
            continue;
        tsr_graph_foreach(graph, search_graph, &search);
        if (search.found != 0)
            continue;
        nearest = tsr_nearest_word(search.name, (const char *const *)names->pdata, names->len);
        if (search.fused_in != NULL)
            g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                        "--dump-nodes: '%s' was fused into '%s': switch that off with "
                        "--disable-fusion",
                        search.name, search.fused_in->name);
        else
            g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                        "--dump-nodes: there is no value and no node '%s'%s%s%s", search.name,
                        nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "'?" : "");
        return FALSE;
    }
    return TRUE;
}

static void number_nodes(TsrDump *dump)
{
    const TsrProgram *program = tsr_bound_model_program(dump->model->bound);
    g_array_set_size(dump->last_task, program->nodes->len);
    for (guint i = 0; i < program->nodes->len; i++)
        ((TsrNode *)g_ptr_array_index(program->nodes, i))->index = i;
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        if (task->node < dump->last_task->len)
            g_array_index(dump->last_task, guint32, task->node) = i + 1;
    }
}

TsrDump *tsr_dump_new(TsrModel *model, const TsrDumpOptions *options, GError **error)
{
    g_autoptr(TsrDump) dump = g_new0(TsrDump, 1);
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    dump->model = model;
    dump->options = *options;
    dump->entries = g_hash_table_new(NULL, NULL);
    dump->order = g_ptr_array_new_with_free_func(entry_free);
    dump->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    dump->last_task = g_array_new(FALSE, TRUE, sizeof(guint32));
    if (options->nodes != NULL && !find_wanted(dump, error))
        return NULL;
    if (program->is_sink && program->places->len == 0 && program->tasks->len != 0) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "--dump: the offline model does not say where its values lie: compile it "
                    "again");
        return NULL;
    }
    if (g_mkdir_with_parents(options->directory, 0755) != 0) {
        g_set_error(error, TSR_ERROR, TSR_IO, "cannot make directory '%s'", options->directory);
        return NULL;
    }
    if (program->is_sink) {
        number_nodes(dump);
        tsr_sink_set_after_task(tsr_bound_model_sink(model->bound), after_task, dump);
    } else {
        tsr_host_exec_set_hook(tsr_bound_model_host_exec(model->bound), on_value, dump);
    }
    return g_steal_pointer(&dump);
}

void tsr_dump_free(TsrDump *dump)
{
    if (dump == NULL)
        return;
    if (tsr_bound_model_sink(dump->model->bound) != NULL)
        tsr_sink_set_after_task(tsr_bound_model_sink(dump->model->bound), NULL, NULL);
    else
        tsr_host_exec_set_hook(tsr_bound_model_host_exec(dump->model->bound), NULL, NULL);
    g_clear_pointer(&dump->wanted, g_hash_table_unref);
    g_hash_table_unref(dump->entries);
    g_ptr_array_unref(dump->order);
    g_hash_table_unref(dump->files);
    g_array_unref(dump->last_task);
    g_clear_error(&dump->error);
    g_free(dump);
}

/* -------------------------------------------------------------------- index */

static void add_shape(JsonBuilder *json, const char *name, guint32 rank, const gint64 *shape)
{
    tsr_json_begin_array(json, name);
    for (guint32 i = 0; rank != TSR_RANK_UNKNOWN && i < rank; i++)
        json_builder_add_int_value(json, shape[i]);
    json_builder_end_array(json);
}

/* The axes of NCHW that a tensor of lower rank has, as "NCW". */
static void add_axes(JsonBuilder *json, guint32 rule)
{
    static const char letters[] = "NCHW";
    char text[5] = "";
    guint length = 0;
    for (guint i = 0; i < 4; i++)
        if ((rule >> i & 1) != 0)
            text[length++] = letters[i];
    tsr_json_string(json, "origin_axes", text);
}

static void add_entry(JsonBuilder *json, const Entry *entry, gboolean has_tasks)
{
    const TsrNode *node = entry->value->producer;
    const TsrTensorDesc *desc = &entry->desc.view;
    json_builder_begin_object(json);
    tsr_json_string(json, "value", entry->value->name);
    tsr_json_string(json, "file", entry->file);
    if (entry->storage_file != NULL)
        tsr_json_string(json, "storage_file", entry->storage_file);
    if (entry->file == NULL)
        tsr_json_string(json, "why", entry->why);
    tsr_json_string(json, "node", node->name);
    tsr_json_string(json, "op", node->kind == TSR_NODE_OPERATOR ? node->def->name : "input");
    tsr_json_string(json, "engine", node->engine);
    tsr_json_begin_array(json, "stands_for");
    for (guint i = 0; i < node->origin_names->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(node->origin_names, i));
    json_builder_end_array(json);
    tsr_json_string(json, "dtype", tsr_dtype_name(desc->dtype));
    tsr_json_string(json, "origin_format", tsr_format_name(desc->origin_format));
    if (desc->expand_dims != 0)
        add_axes(json, desc->expand_dims);
    add_shape(json, "origin_shape", desc->rank, desc->shape);
    tsr_json_string(json, "storage_format", tsr_format_name(desc->storage_format));
    add_shape(json, "storage_shape", desc->storage_rank, desc->storage_shape);
    if (has_tasks && entry->task != G_MAXUINT32) {
        tsr_json_int(json, "task", entry->task);
        tsr_json_int(json, "stream", entry->stream);
    }
    if (entry->taken > 1)
        tsr_json_int(json, "taken", entry->taken);
    json_builder_end_object(json);
}

static void add_fused(TsrGraph *graph, gpointer data)
{
    JsonBuilder *json = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->fused_values->len; k++) {
            json_builder_begin_object(json);
            tsr_json_string(json, "value", g_ptr_array_index(node->fused_values, k));
            tsr_json_string(json, "into", node->name);
            json_builder_end_object(json);
        }
    }
}

gboolean tsr_dump_finish(TsrDump *dump, GError **error)
{
    const TsrProgram *program = tsr_bound_model_program(dump->model->bound);
    g_autoptr(JsonBuilder) json = json_builder_new();
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = NULL;
    g_autoptr(GError) cause = NULL;
    g_autofree char *path = g_build_filename(dump->options.directory, "index.json", NULL);
    if (dump->error != NULL) {
        g_propagate_error(error, g_steal_pointer(&dump->error));
        return FALSE;
    }
    json_builder_begin_object(json);
    tsr_json_begin_array(json, "values");
    for (guint i = 0; i < dump->order->len; i++)
        add_entry(json, g_ptr_array_index(dump->order, i), program->is_sink);
    json_builder_end_array(json);
    tsr_json_begin_array(json, "fused");
    tsr_graph_foreach(program->graph, add_fused, json);
    json_builder_end_array(json);
    json_builder_end_object(json);
    root = json_builder_get_root(json);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    if (json_generator_to_file(generator, path, &cause))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_IO, "'%s': %s", path, cause->message);
    return FALSE;
}
