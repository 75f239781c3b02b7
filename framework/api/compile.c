/* SPDX-License-Identifier: Apache-2.0
 *
 * compile.c: one network's way through the floors, from an imported graph to one that is placed
 * on engines and has storage formats. build_model.c makes the model of it.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "api/session.h"
#include "base/error.h"
#include "build/task_build.h"
#include "engine/cluster.h"
#include "engine/place.h"
#include "engine/verdict.h"
#include "ir/storage.h"
#include "ir/verify.h"
#include "optimize/fusion.h"
#include "optimize/graph_pass.h"
#include "optimize/pass_stats.h"
#include "optimize/precision_list.h"
#include "optimize/storage_declare.h"
#include "prepare/clean.h"
#include "prepare/format_declare.h"
#include "prepare/prepare.h"

TsrCompileReport *tsr_compile_report_new(void)
{
    TsrCompileReport *report = g_new0(TsrCompileReport, 1);
    report->fusions = tsr_pass_stats_new();
    report->engines = g_hash_table_new(g_str_hash, g_str_equal);
    return report;
}

void tsr_compile_report_ask_all(TsrCompileReport *report)
{
    report->imported = g_ptr_array_new_with_free_func(g_free);
    report->placed = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_placed_node_free);
}

void tsr_compile_report_free(TsrCompileReport *report)
{
    if (report == NULL)
        return;
    g_hash_table_unref(report->fusions);
    g_hash_table_unref(report->engines);
    g_free(report->fallback_text);
    g_clear_pointer(&report->imported, g_ptr_array_unref);
    g_clear_pointer(&report->placed, g_ptr_array_unref);
    g_clear_pointer(&report->format_conflicts, g_ptr_array_unref);
    tsr_precision_report_clear(&report->precision);
    g_free(report);
}

static void list_imported(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR)
            g_ptr_array_add(data, g_strdup(node->name));
    }
}

/* Both always succeed. */
static gboolean note_imported(TsrGraph *graph, TsrCompileReport *report)
{
    if (report->imported != NULL)
        tsr_graph_foreach(graph, list_imported, report->imported);
    return TRUE;
}

static gboolean note_placed(TsrGraph *graph, const TsrPluginSet *set, gboolean made,
                            TsrCompileReport *report)
{
    if (report->placed != NULL)
        tsr_verdicts_add(report->placed, graph, set, made);
    return TRUE;
}

static void count_nodes(TsrGraph *graph, gpointer data)
{
    TsrCompileReport *report = data;
    report->clusters += tsr_cluster_form(graph);
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        guint count;
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        report->nodes++;
        count = GPOINTER_TO_UINT(g_hash_table_lookup(report->engines, node->engine));
        g_hash_table_insert(report->engines, (gpointer)node->engine,
                            GUINT_TO_POINTER(count + 1));
    }
}

static gboolean dump(TsrGraph *graph, const TsrCompileOptions *options, const char *stage,
                     GError **error)
{
    g_autofree char *text = NULL;
    g_autofree char *dot = NULL;
    g_autofree char *text_path = NULL;
    g_autofree char *dot_path = NULL;
    g_autoptr(GError) cause = NULL;
    if (options->dump_graph_dir == NULL)
        return TRUE;
    if (g_mkdir_with_parents(options->dump_graph_dir, 0755) != 0) {
        g_set_error(error, TSR_ERROR, TSR_IO, "cannot make directory '%s'",
                    options->dump_graph_dir);
        return FALSE;
    }
    text = tsr_graph_to_text(graph);
    dot = tsr_graph_to_dot(graph);
    text_path = g_strdup_printf("%s/%s.txt", options->dump_graph_dir, stage);
    dot_path = g_strdup_printf("%s/%s.dot", options->dump_graph_dir, stage);
    if (g_file_set_contents(text_path, text, -1, &cause) &&
        g_file_set_contents(dot_path, dot, -1, &cause))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_IO, "%s", cause->message);
    return FALSE;
}

static gboolean set_precision(TsrGraph *graph, const TsrPluginSet *set,
                              const TsrCompileOptions *options, TsrPrecisionReport *report,
                              GError **error)
{
    g_autoptr(GHashTable) list = NULL;
    TsrPrecisionMode mode;
    if (!tsr_precision_mode(options->precision, &mode, error))
        return FALSE;
    if (options->precision_list != NULL) {
        list = tsr_precision_list_load(options->precision_list, error);
        if (list == NULL)
            return FALSE;
    }
    return tsr_precision_apply(graph, set, mode, list, report, error);
}

TsrCompileOptions tsr_compile_options_known(const TsrCompileOptions *options)
{
    TsrCompileOptions known = {.struct_size = sizeof(TsrCompileOptions)};
    if (options != NULL)
        memcpy(&known, options, MIN(options->struct_size, sizeof(known)));
    known.struct_size = sizeof(known);
    return known;
}

/* Origin formats, with the passes of users before and after: what the first inference told
 * the later passes, the second tells what they made. */
static gboolean settle_formats(TsrGraph *graph, const TsrPluginSet *set,
                               const TsrFusionSwitches *switches, GHashTable *stats,
                               GError **error)
{
    if (!tsr_fusion_run(graph, set, switches, TSR_STAGE_BEFORE_FORMATS, stats, error) ||
        !tsr_prepare_late(graph, tsr_plugin_set_reference(set), error) ||
        !tsr_format_infer(graph, error) ||
        !tsr_fusion_run(graph, set, switches, TSR_STAGE_AFTER_FORMATS, stats, error))
        return FALSE;
    tsr_clean_dead(graph);
    return tsr_format_infer(graph, error) && tsr_graph_verify(graph, error);
}

static gboolean read_force(const char *name, guint32 *out_format, GError **error)
{
    *out_format = name == NULL                              ? TSR_FORMAT_ND
                  : g_ascii_strcasecmp(name, "plain") == 0 ? TSR_FORMAT_ANY
                                                            : tsr_format_from_name(name);
    if (*out_format == G_MAXUINT32)
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "no storage format is called '%s'; wanted plain, NHWC, HWCN, NC1HWC0, "
                    "FRACTAL_Z, FRACTAL_NZ or C1HWNCoC0",
                    name);
    return *out_format != G_MAXUINT32;
}

gboolean tsr_compile_graph(TsrSession *session, TsrGraph *graph,
                           const TsrCompileOptions *given, TsrCompileReport *report,
                           GError **error)
{
    const TsrCompileOptions known = tsr_compile_options_known(given), *options = &known;
    const TsrPluginSet *set = session->set;
    g_autoptr(GError) device_error = NULL;
    TsrFusionSwitches switches;
    TsrDeviceTraits traits;
    guint32 force;
    TsrOpenDevice *device = tsr_session_device(session, &device_error);

    if (device_error != NULL) {
        g_propagate_error(error, g_steal_pointer(&device_error));
        return FALSE;
    }
    switches = (TsrFusionSwitches){options->disable_fusion, options->enable_fusion};
    traits = tsr_device_traits(device);
    if (!read_force(options->force_format, &force, error) ||
        !dump(graph, options, "0_imported", error) ||
        !note_imported(graph, report) || !tsr_place_check_pins(graph, set, error) ||
        !tsr_format_declare(graph, options->input_formats, error) ||
        !tsr_prepare_graph(graph, tsr_plugin_set_reference(set), error) ||
        !tsr_graph_passes_run(graph, set, &switches, report->fusions, error) ||
        !settle_formats(graph, set, &switches, report->fusions, error) ||
        !dump(graph, options, "1_prepared", error) || !tsr_place_graph(graph, set, error) ||
        !dump(graph, options, "2_placed", error) || !note_placed(graph, set, FALSE, report) ||
        !tsr_fusion_run(graph, set, &switches, TSR_STAGE_PLACED, report->fusions, error) ||
        !tsr_format_infer(graph, error))
        return FALSE;
    if (graph->format_conflicts != NULL)
        report->format_conflicts = g_ptr_array_ref(graph->format_conflicts);
    tsr_clean_dead(graph);
    if (!tsr_graph_verify(graph, error) || !dump(graph, options, "3_fused", error) ||
        !set_precision(graph, set, options, &report->precision, error))
        return FALSE;
    tsr_clean_dead(graph);
    if (!tsr_graph_verify(graph, error) || !dump(graph, options, "3_precision", error) ||
        !note_placed(graph, set, TRUE, report) ||
        !tsr_storage_declare(graph, options->storage_formats, traits.c0_lanes, error) ||
        !tsr_format_select(graph, set, traits.c0_lanes, force,
                           &report->formats, error))
        return FALSE;
    tsr_clean_dead(graph);
    if (!tsr_graph_verify(graph, error) || !dump(graph, options, "4_formats", error))
        return FALSE;
    tsr_graph_foreach(graph, count_nodes, report);
    report->fallback_text = tsr_place_fallback_text(graph, set);
    return TRUE;
}

TsrProgram *tsr_build_program(TsrSession *session, TsrGraph *graph,
                              const TsrCompileOptions *options, TsrWeights *weights,
                              TsrCompileReport *report, GError **error)
{
    TsrBuildOptions build = {.reuse = !options->disable_memory_reuse,
                             .in_place = !options->disable_inplace,
                             .host_mode = options->host_mode,
                             .streams = options->streams};
    if (!tsr_compile_graph(session, graph, options, report, error))
        return NULL;
    build.traits = tsr_device_traits(session->device);
    return tsr_task_build(graph, session->set, &build, weights, error);
}
