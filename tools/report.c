/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c: see report.h.
 */
#include "report.h"

#include <stdio.h>
#include <tessera/plugin_util.h>

void tsr_report_warn(const TsrCompileReport *report)
{
    const GPtrArray *conflicts = report->format_conflicts;
    const GPtrArray *warnings = report->precision.warnings;
    for (guint i = 0; conflicts != NULL && i < conflicts->len; i++) {
        g_autofree char *text = tsr_format_conflict_to_text(g_ptr_array_index(conflicts, i));
        fprintf(stderr, "warning: formats: %s\n", text);
    }
    for (guint i = 0; warnings != NULL && i < warnings->len; i++)
        fprintf(stderr, "warning: precision: %s\n",
                (const char *)g_ptr_array_index(warnings, i));
}

static void precision_json(JsonBuilder *json, const TsrPrecisionReport *report)
{
    tsr_json_begin_object(json, "precision");
    tsr_json_string(json, "mode", tsr_precision_mode_name(report->mode));
    tsr_json_begin_object(json, "ops");
    for (guint32 dtype = 0; dtype < TSR_DTYPE_COUNT; dtype++)
        if (report->ops[dtype] != 0)
            tsr_json_int(json, tsr_dtype_name(dtype), report->ops[dtype]);
    json_builder_end_object(json);
    tsr_json_int(json, "casts", report->casts);
    tsr_json_int(json, "constants", report->constants);
    tsr_json_begin_array(json, "warnings");
    for (guint i = 0; report->warnings != NULL && i < report->warnings->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(report->warnings, i));
    json_builder_end_array(json);
    json_builder_end_object(json);
}

void tsr_report_json(JsonBuilder *json, const TsrCompileReport *report)
{
    const GPtrArray *conflicts = report->format_conflicts;
    tsr_json_begin_array(json, "format_conflicts");
    for (guint i = 0; conflicts != NULL && i < conflicts->len; i++) {
        const TsrFormatConflict *conflict = g_ptr_array_index(conflicts, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "value", conflict->value);
        tsr_json_string(json, "format", tsr_format_name(conflict->format));
        tsr_json_string(json, "anchor", conflict->anchor);
        tsr_json_string(json, "wanted", tsr_format_name(conflict->wanted));
        tsr_json_string(json, "wanted_by", conflict->wanted_by);
        tsr_json_string(json, "node", conflict->node);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    precision_json(json, &report->precision);
}

static void engine_json(JsonBuilder *json, const TsrOmEngine *engine)
{
    json_builder_begin_object(json);
    tsr_json_string(json, "engine", engine->name);
    tsr_json_string(json, "plugin_version", engine->plugin_version);
    tsr_json_int(json, "abi_major", engine->abi_major);
    tsr_json_int(json, "blob_version", engine->blob_version);
    tsr_json_string(json, "compat", engine->compat);
    json_builder_end_object(json);
}

static void cluster_json(JsonBuilder *json, const TsrOmCluster *cluster)
{
    g_autofree char *hash = g_strdup_printf("%016" G_GINT64_MODIFIER "x", cluster->hash);
    json_builder_begin_object(json);
    tsr_json_string(json, "engine", cluster->engine);
    tsr_json_int(json, "nodes", cluster->nodes);
    tsr_json_string(json, "first_node", cluster->first);
    tsr_json_string(json, "compat", cluster->compat);
    tsr_json_string(json, "hash", hash);
    json_builder_end_object(json);
}

void tsr_report_engines_json(JsonBuilder *json, const TsrOmFile *file)
{
    g_autoptr(GVariant) meta = tsr_om_section(file, TSR_OM_META, "a{sv}", NULL);
    g_autoptr(GArray) engines = meta != NULL ? tsr_om_engines(meta) : NULL;
    g_autoptr(GArray) clusters = meta != NULL ? tsr_om_clusters(meta) : NULL;
    const char *device = "", *producer = "";
    if (meta == NULL)
        return;
    g_variant_lookup(meta, "device", "&s", &device);
    g_variant_lookup(meta, "producer", "&s", &producer);
    tsr_json_string(json, "producer", producer);
    tsr_json_string(json, "device", device);
    tsr_json_begin_array(json, "engines");
    for (guint i = 0; i < engines->len; i++)
        engine_json(json, &g_array_index(engines, TsrOmEngine, i));
    json_builder_end_array(json);
    tsr_json_begin_array(json, "clusters");
    for (guint i = 0; i < clusters->len; i++)
        cluster_json(json, &g_array_index(clusters, TsrOmCluster, i));
    json_builder_end_array(json);
}
