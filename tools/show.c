/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c: `tessera show MODEL.om`: header, sections with hashes, tasks, memory table.
 * Reads the file alone: no plugin is asked.
 */
#include <stdio.h>

#include "base/error.h"
#include "json.h"
#include "options.h"
#include "tools.h"

static const char *kind_name(guint32 kind)
{
    static const char *const names[] = {"?",          "kernel", "host_call",     "event_record",
                                        "event_wait", "memcpy", "notify_record", "notify_wait"};
    return kind < G_N_ELEMENTS(names) ? names[kind] : "?";
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
        guint32 kind, block_dim, stream;
        const char *kernel, *name;
        g_autoptr(GVariant) task = g_variant_get_child_value(tasks, i);
        g_variant_get(task, "(uuuu&s&sa(ut)ayt)", &kind, &block_dim, &stream, NULL, &kernel,
                      &name, NULL, NULL, NULL);
        json_builder_begin_object(json);
        tsr_json_string(json, "kind", kind_name(kind));
        tsr_json_string(json, "kernel", kernel);
        tsr_json_string(json, "name", name);
        tsr_json_int(json, "stream", stream);
        tsr_json_int(json, "blocks", block_dim);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void json_memory(JsonBuilder *json, GVariant *memory)
{
    tsr_json_begin_array(json, "memory_table");
    for (gsize i = 0; i < g_variant_n_children(memory); i++) {
        g_autofree char *name = NULL;
        guint64 offset, size;
        guint32 birth, death;
        gboolean workspace;
        g_variant_get_child(memory, i, "(sttuub)", &name, &offset, &size, &birth, &death,
                            &workspace);
        json_builder_begin_object(json);
        tsr_json_string(json, "tensor", name);
        tsr_json_int(json, "begin", offset);
        tsr_json_int(json, "end", offset + size);
        tsr_json_int(json, "size", size);
        tsr_json_int(json, "birth", birth);
        tsr_json_int(json, "death", death);
        tsr_json_bool(json, "workspace", workspace);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void text_tables(const TsrOmFile *file, GVariant *meta, GVariant *tasks,
                        GVariant *memory)
{
    g_autoptr(GArray) engines = tsr_om_engines(meta);
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
    printf("\n%-10s %12s %14s  hash\n", "section", "offset", "size");
    for (guint32 i = 0; i < file->header->section_count; i++)
        printf("%-10s %12" G_GUINT64_FORMAT " %14" G_GUINT64_FORMAT "  %016" G_GINT64_MODIFIER
               "x\n",
               file->sections[i].name, file->sections[i].offset, file->sections[i].size,
               file->sections[i].hash);
    printf("\n%5s %-10s %6s %6s  %-26s node\n", "task", "kind", "stream", "blocks", "kernel");
    for (gsize i = 0; i < g_variant_n_children(tasks); i++) {
        guint32 kind, block_dim, stream;
        const char *kernel, *name;
        g_autoptr(GVariant) task = g_variant_get_child_value(tasks, i);
        g_variant_get(task, "(uuuu&s&sa(ut)ayt)", &kind, &block_dim, &stream, NULL, &kernel,
                      &name, NULL, NULL, NULL);
        printf("%5zu %-10s %6u %6u  %-26s %s\n", i, kind_name(kind), stream, block_dim, kernel,
               name);
    }
    printf("\n%12s %12s %10s %6s %6s  tensor\n", "begin", "end", "size", "birth", "death");
    for (gsize i = 0; i < g_variant_n_children(memory); i++) {
        g_autofree char *name = NULL;
        guint64 offset, size;
        guint32 birth, death;
        g_variant_get_child(memory, i, "(sttuub)", &name, &offset, &size, &birth, &death, NULL);
        printf("%12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT
               " %6u %6u  %s\n",
               offset, offset + size, size, birth, death, name);
    }
}

static int show(const char *path, gboolean as_json)
{
    g_autoptr(GVariant) meta = NULL;
    g_autoptr(GVariant) tasks = NULL;
    g_autoptr(GVariant) memory = NULL;
    GError *error = NULL;
    TsrOmFile file;
    if (!tsr_om_open(path, &file, &error))
        return tsr_tool_fail(error);
    meta = tsr_om_section(&file, TSR_OM_META, "a{sv}", &error);
    tasks = meta != NULL ? tsr_om_section(&file, TSR_OM_TASKS, TSR_OM_TASKS_TYPE, &error) : NULL;
    memory =
        tasks != NULL ? tsr_om_section(&file, TSR_OM_MEMORY, TSR_OM_MEMORY_TYPE, &error) : NULL;
    if (memory != NULL && as_json) {
        g_autoptr(JsonBuilder) json = json_builder_new();
        json_builder_begin_object(json);
        tsr_json_int(json, "version", file.header->version);
        tsr_json_int(json, "file_bytes", file.header->file_size);
        json_sections(json, &file);
        json_tasks(json, tasks);
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
