/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c: `tessera show MODEL.om`: header, sections with hashes, tasks, memory table.
 * Reads the file alone: no plugin is asked.
 */
#include <stdio.h>
#include <tessera/plugin.h>

#include "base/error.h"
#include "build/memory_table.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "tools.h"

static const char *kind_name(guint32 kind)
{
    static const char *const names[] = {
        [TSR_TASK_KERNEL] = "kernel",
        [TSR_TASK_HOST_CALL] = "host_call",
        [TSR_TASK_EVENT_RECORD] = "event_record",
        [TSR_TASK_EVENT_WAIT] = "event_wait",
        [TSR_TASK_MEMCPY] = "memcpy",
        [TSR_TASK_NOTIFY_RECORD] = "notify_record",
        [TSR_TASK_NOTIFY_WAIT] = "notify_wait",
        [TSR_TASK_LABEL] = "label",
        [TSR_TASK_GOTO] = "goto",
        [TSR_TASK_SWITCH] = "switch",
        [TSR_TASK_COUNT_BEGIN] = "count_begin",
        [TSR_TASK_COUNT_NEXT] = "count_next",
        [TSR_TASK_MEMCPY_AT] = "memcpy_at",
    };
    return kind < G_N_ELEMENTS(names) && names[kind] != NULL ? names[kind] : "?";
}

/* Whether it is of an event, a notify or a label, which have numbers. */
static gboolean has_number(guint32 kind)
{
    return kind == TSR_TASK_EVENT_RECORD || kind == TSR_TASK_EVENT_WAIT ||
           kind == TSR_TASK_NOTIFY_RECORD || kind == TSR_TASK_NOTIFY_WAIT ||
           kind == TSR_TASK_LABEL || kind == TSR_TASK_GOTO;
}

static void json_sections(JsonBuilder *json, const TsrOmFile *file)
{
    tsr_json_begin_array(json, "sections");
    for (guint32 i = 0; i < file->header->section_count; i++) {
        g_autofree char *hash =
            g_strdup_printf("%016" G_GINT64_MODIFIER "x", file->sections[i].hash);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", file->sections[i].name);
        tsr_json_int(json, "offset", file->sections[i].offset);
        tsr_json_int(json, "size", file->sections[i].size);
        tsr_json_string(json, "hash", hash);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void json_tasks(JsonBuilder *json, GVariant *tasks)
{
    tsr_json_begin_array(json, "tasks");
    for (gsize i = 0; i < g_variant_n_children(tasks); i++) {
        guint32 kind, block_dim, stream, number;
        const char *kernel, *name;
        g_autoptr(GVariant) task = g_variant_get_child_value(tasks, i);
        g_variant_get(task, "(uuuuu&s&sa(uutut)ayt)", &kind, &block_dim, &stream, &number, NULL,
                      &kernel, &name, NULL, NULL, NULL);
        json_builder_begin_object(json);
        tsr_json_string(json, "kind", kind_name(kind));
        tsr_json_string(json, "kernel", kernel);
        tsr_json_string(json, "name", name);
        tsr_json_int(json, "stream", stream);
        tsr_json_int(json, "blocks", block_dim);
        if (has_number(kind))
            tsr_json_int(json, "number", number);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void json_memory(JsonBuilder *json, const TsrMemoryTable *table)
{
    tsr_json_begin_array(json, "memory_table");
    for (guint i = 0; i < table->rows->len; i++) {
        const TsrMemoryRow *row = &g_array_index(table->rows, TsrMemoryRow, i);
        g_autofree char *why = tsr_memory_table_why(table, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "tensor", row->name);
        tsr_json_string(json, "space", tsr_memory_space_name(row->address.space));
        tsr_json_int(json, "index", row->address.index);
        tsr_json_int(json, "begin", row->address.offset);
        tsr_json_int(json, "end", row->address.offset + row->size);
        tsr_json_int(json, "size", row->size);
        tsr_json_int(json, "birth", row->birth);
        tsr_json_int(json, "death", row->death);
        tsr_json_string(json, "birth_task", tsr_memory_table_task(table, row->birth));
        tsr_json_string(json, "death_task", tsr_memory_table_task(table, row->death));
        tsr_json_string(json, "kind", tsr_memory_kind_name(row->kind));
        tsr_json_bool(json, "workspace", row->kind == TSR_MEMORY_WORKSPACE);
        tsr_json_string(json, "with", row->with);
        tsr_json_string(json, "why", why);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void json_stats(JsonBuilder *json, const TsrMemoryTable *table)
{
    tsr_json_begin_object(json, "memory");
    tsr_json_int(json, "activation_bytes", table->stats.activation_bytes);
    tsr_json_int(json, "lower_bound_bytes", table->stats.lower_bound_bytes);
    tsr_json_int(json, "no_reuse_bytes", table->stats.no_reuse_bytes);
    tsr_json_int(json, "weight_bytes", table->stats.weight_bytes);
    tsr_json_int(json, "workspace_bytes", table->stats.workspace_bytes);
    tsr_json_string(json, "planner", table->stats.planner);
    json_builder_end_object(json);
}

static void text_memory(const TsrMemoryTable *table)
{
    const TsrMemoryStats *stats = &table->stats;
    printf("\nactivations %" G_GUINT64_FORMAT " bytes (at least %" G_GUINT64_FORMAT
           ", without reuse %" G_GUINT64_FORMAT "), by %s\n",
           stats->activation_bytes, stats->lower_bound_bytes, stats->no_reuse_bytes,
           stats->planner);
    printf("%-12s %12s %12s %10s %5s %5s  tensor, tasks, why\n", "space", "begin", "end", "size",
           "birth", "death");
    for (guint i = 0; i < table->rows->len; i++) {
        const TsrMemoryRow *row = &g_array_index(table->rows, TsrMemoryRow, i);
        g_autofree char *why = tsr_memory_table_why(table, i);
        const guint64 begin = row->address.offset;
        printf("%-12s %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT
               " %5u %5u  %s, %s .. %s, %s\n",
               tsr_memory_space_name(row->address.space), begin, begin + row->size, row->size,
               row->birth, row->death, row->name, tsr_memory_table_task(table, row->birth),
               tsr_memory_table_task(table, row->death), why);
    }
}

static void text_tables(const TsrOmFile *file, GVariant *meta, GVariant *tasks,
                        const TsrMemoryTable *memory)
{
    g_autoptr(GArray) engines = tsr_om_engines(meta);
    g_autoptr(GArray) clusters = tsr_om_clusters(meta);
    const char *producer = "", *device = "";
    g_variant_lookup(meta, "producer", "&s", &producer);
    g_variant_lookup(meta, "device", "&s", &device);
    printf("offline model, format %u, by %s, for device '%s', %" G_GUINT64_FORMAT " bytes\n",
           file->header->version, producer, device, file->header->file_size);
    for (guint i = 0; i < engines->len; i++) {
        const TsrOmEngine *engine = &g_array_index(engines, TsrOmEngine, i);
        printf("  engine %s, plugin version %s, ABI %u, task version %u\n", engine->name,
               engine->plugin_version, engine->abi_major, engine->blob_version);
    }
    for (guint i = 0; i < clusters->len; i++) {
        const TsrOmCluster *cluster = &g_array_index(clusters, TsrOmCluster, i);
        printf("  cluster of %u nodes from '%s' on %s, %016" G_GINT64_MODIFIER "x%s%s\n",
               cluster->nodes, cluster->first, cluster->engine, cluster->hash,
               cluster->compat[0] != '\0' ? ", " : "", cluster->compat);
    }
    printf("\n%-10s %12s %14s  hash\n", "section", "offset", "size");
    for (guint32 i = 0; i < file->header->section_count; i++)
        printf("%-10s %12" G_GUINT64_FORMAT " %14" G_GUINT64_FORMAT "  %016" G_GINT64_MODIFIER
               "x\n",
               file->sections[i].name, file->sections[i].offset, file->sections[i].size,
               file->sections[i].hash);
    printf("\n%5s %-13s %6s %6s  %-26s node\n", "task", "kind", "stream", "blocks", "kernel");
    for (gsize i = 0; i < g_variant_n_children(tasks); i++) {
        guint32 kind, block_dim, stream, number;
        const char *kernel, *name;
        g_autofree char *text = NULL;
        g_autoptr(GVariant) task = g_variant_get_child_value(tasks, i);
        g_variant_get(task, "(uuuuu&s&sa(uutut)ayt)", &kind, &block_dim, &stream, &number, NULL,
                      &kernel, &name, NULL, NULL, NULL);
        text = has_number(kind) ? g_strdup_printf("%u", number) : g_strdup(kernel);
        printf("%5zu %-13s %6u %6u  %-26s %s\n", i, kind_name(kind), stream, block_dim, text,
               name);
    }
    text_memory(memory);
}

static int show(const char *path, gboolean as_json)
{
    g_autoptr(GVariant) meta = NULL;
    g_autoptr(GVariant) tasks = NULL;
    g_autoptr(TsrMemoryTable) memory = NULL;
    GError *error = NULL;
    TsrOmFile file;
    if (!tsr_om_open(path, &file, &error))
        return tsr_tool_fail(error);
    meta = tsr_om_section(&file, TSR_OM_META, "a{sv}", &error);
    tasks = meta != NULL ? tsr_om_section(&file, TSR_OM_TASKS, TSR_OM_TASKS_TYPE, &error) : NULL;
    memory = tasks != NULL ? tsr_om_memory_table(&file, &error) : NULL;
    if (memory != NULL && as_json) {
        g_autoptr(JsonBuilder) json = json_builder_new();
        json_builder_begin_object(json);
        tsr_json_int(json, "version", file.header->version);
        tsr_json_int(json, "file_bytes", file.header->file_size);
        tsr_report_engines_json(json, &file);
        json_sections(json, &file);
        json_tasks(json, tasks);
        json_stats(json, memory);
        json_memory(json, memory);
        json_builder_end_object(json);
        tsr_json_print(json);
    } else if (memory != NULL) {
        text_tables(&file, meta, tasks, memory);
    }
    tsr_om_close(&file);
    return memory != NULL ? TSR_EXIT_DONE : tsr_tool_fail(error);
}

int tsr_tool_show(int argc, char **argv)
{
    TsrToolOptions options = {0};
    int status = TSR_EXIT_USAGE;
    if (tsr_options_parse(&options, &argc, &argv, NULL, FALSE, "MODEL.om",
                          "Prints what an offline model holds.", 1, 1))
        status = show(argv[1], options.json);
    tsr_options_clear(&options);
    return status;
}
