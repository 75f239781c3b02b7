/* SPDX-License-Identifier: Apache-2.0
 *
 * compile.c: `tessera compile MODEL.onnx -o OUT.om`.
 */
#include <stdio.h>

#include "build/known_parts.h"
#include "json.h"
#include "optimize/pass_stats.h"
#include "options.h"
#include "report.h"
#include "tools.h"

static void add_counts(JsonBuilder *json, const char *name, GHashTable *counts)
{
    GList *keys = g_list_sort(g_hash_table_get_keys(counts), (GCompareFunc)g_strcmp0);
    tsr_json_begin_object(json, name);
    for (GList *at = keys; at != NULL; at = at->next) {
        json_builder_set_member_name(json, at->data);
        json_builder_add_int_value(json,
                                   GPOINTER_TO_UINT(g_hash_table_lookup(counts, at->data)));
    }
    json_builder_end_object(json);
    g_list_free(keys);
}

static void add_passes(JsonBuilder *json, GHashTable *passes)
{
    GList *names = g_list_sort(g_hash_table_get_keys(passes), (GCompareFunc)g_strcmp0);
    tsr_json_begin_object(json, "fusions");
    for (GList *at = names; at != NULL; at = at->next)
        tsr_json_int(json, at->data, tsr_pass_stats_get(passes, at->data).matches);
    json_builder_end_object(json);
    tsr_json_begin_object(json, "fusion_removed");
    for (GList *at = names; at != NULL; at = at->next) {
        json_builder_set_member_name(json, at->data);
        json_builder_add_int_value(json, tsr_pass_stats_get(passes, at->data).removed);
    }
    json_builder_end_object(json);
    g_list_free(names);
}

/* Inputs and outputs, each "float[batch,3,h,w]". */
static void add_ends(JsonBuilder *json, TsrModel *model)
{
    tsr_json_begin_object(json, "inputs");
    for (guint i = 0; i < tsr_model_input_count(model); i++) {
        g_autofree char *text = tsr_model_input_text(model, i);
        tsr_json_string(json, tsr_model_input(model, i, NULL, NULL, NULL), text);
    }
    json_builder_end_object(json);
    tsr_json_begin_object(json, "outputs");
    for (guint i = 0; i < tsr_model_output_count(model); i++) {
        g_autofree char *text = tsr_model_output_text(model, i);
        tsr_json_string(json, tsr_model_output(model, i, NULL, NULL, NULL), text);
    }
    json_builder_end_object(json);
}

static void print_outputs(TsrModel *model)
{
    for (guint i = 0; i < tsr_model_output_count(model); i++) {
        g_autofree char *text = tsr_model_output_text(model, i);
        printf("  output %s: %s\n", tsr_model_output(model, i, NULL, NULL, NULL), text);
    }
}

static void print_host(const TsrProgram *program)
{
    guint inside = 0;
    for (guint i = 0; i < program->parts->len; i++)
        inside += ((const TsrKnownPart *)g_ptr_array_index(program->parts, i))->nodes->len;
    printf("  nodes run one by one: %s; weights %.2f MiB\n",
           program->why_not_sink != NULL ? program->why_not_sink : "as compiled",
           (double)program->stats.weight_bytes / 1048576.0);
    if (inside != 0)
        printf("  but for %u of them in %u task list%s, activations %.2f MiB\n", inside,
               program->parts->len, program->parts->len == 1 ? "" : "s",
               (double)program->stats.activation_bytes / 1048576.0);
}

static void print_json(const TsrModel *model)
{
    const TsrCompileReport *report = model->report;
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_int(json, "nodes", report->nodes);
    add_counts(json, "engines", report->engines);
    add_ends(json, (TsrModel *)model);
    tsr_json_int(json, "clusters", report->clusters);
    tsr_json_int(json, "transdata", report->formats.transdata);
    tsr_json_int(json, "transdata_folded", report->formats.transdata_folded);
    tsr_json_int(json, "converted_bytes", report->formats.converted_bytes);
    add_passes(json, report->fusions);
    tsr_json_int(json, "streams", program->stream_count);
    tsr_json_int(json, "events", program->event_count);
    tsr_json_int(json, "notifies", program->notify_count);
    tsr_json_int(json, "tasks", program->tasks->len);
    tsr_json_string(json, "mode",
                    program->is_sink           ? "sink"
                    : program->parts->len != 0 ? "mixed"
                                               : "host");
    tsr_json_int(json, "parts", program->parts->len);
    tsr_json_string(json, "why_host", program->why_not_sink);
    tsr_json_begin_array(json, "gears");
    for (guint i = 0; model->plans != NULL && i < tsr_plans_gear_count(model->plans); i++) {
        g_autofree char *text = tsr_plans_gear_to_text(model->plans, i);
        json_builder_add_string_value(json, text);
    }
    json_builder_end_array(json);
    tsr_json_begin_object(json, "memory");
    tsr_json_int(json, "activation_bytes", program->stats.activation_bytes);
    tsr_json_int(json, "lower_bound_bytes", program->stats.lower_bound_bytes);
    tsr_json_int(json, "no_reuse_bytes", program->stats.no_reuse_bytes);
    tsr_json_int(json, "weight_bytes", program->stats.weight_bytes);
    tsr_json_int(json, "workspace_bytes", program->stats.workspace_bytes);
    tsr_json_string(json, "planner", program->stats.planner);
    json_builder_end_object(json);
    tsr_report_json(json, report);
    tsr_json_double(json, "compile_ms", report->compile_ms);
    json_builder_end_object(json);
    tsr_json_print(json);
}

static void print_text(const TsrModel *model, const char *output)
{
    const TsrCompileReport *report = model->report;
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    GHashTableIter iter;
    gpointer name, count, stat;
    printf("%s: %u nodes in %u clusters", output, report->nodes, report->clusters);
    g_hash_table_iter_init(&iter, report->engines);
    while (g_hash_table_iter_next(&iter, &name, &count))
        printf(", %u on %s", GPOINTER_TO_UINT(count), (const char *)name);
    printf("\n");
    g_hash_table_iter_init(&iter, report->fusions);
    while (g_hash_table_iter_next(&iter, &name, &stat))
        if (((const TsrPassStat *)stat)->matches != 0)
            printf("  fused %u x %s: %d operators fewer\n", ((const TsrPassStat *)stat)->matches,
                   (const char *)name, ((const TsrPassStat *)stat)->removed);
    printf("  %u format conversions to run, %u folded away\n", report->formats.transdata,
           report->formats.transdata_folded);
    if (report->precision.mode != TSR_MUST_KEEP_ORIGIN)
        printf("  %s: %u operators in %s, %u in float; %u casts, %u constants converted\n",
               tsr_precision_mode_name(report->precision.mode),
               report->precision.ops[TSR_DTYPE_FLOAT16] +
                   report->precision.ops[TSR_DTYPE_BFLOAT16],
               report->precision.ops[TSR_DTYPE_BFLOAT16] != 0 ? "bfloat16" : "float16",
               report->precision.ops[TSR_DTYPE_FLOAT], report->precision.casts,
               report->precision.constants);
    if (program->is_sink)
        printf("  %u tasks, activations %.2f MiB (%.2f without reuse), weights %.2f MiB\n",
               program->tasks->len, (double)program->stats.activation_bytes / 1048576.0,
               (double)program->stats.no_reuse_bytes / 1048576.0,
               (double)program->stats.weight_bytes / 1048576.0);
    else {
        print_host(program);
        print_outputs((TsrModel *)model);
    }
    printf("  compiled in %.0f ms\n", report->compile_ms);
}

int tsr_tool_compile(int argc, char **argv)
{
    TsrToolOptions options = {0};
    g_autofree char *output = NULL;
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "offline model to write", "OUT.om"},
        {0},
    };
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrModel) model = NULL;
    GError *error = NULL;
    int status = TSR_EXIT_FAILED;

    if (!tsr_options_parse(&options, &argc, &argv, own, TRUE, "MODEL.onnx -o OUT.om",
                           "Compiles an ONNX model and writes the offline model.", 1, 1))
        status = TSR_EXIT_USAGE;
    else if (output == NULL)
        status = tsr_tool_usage("compile: -o OUT.om is missing");
    else if ((session = tsr_options_session(&options)) != NULL) {
        model = tsr_options_model(&options, session, argv[1], &error);
        if (model != NULL && model->report == NULL)
            status = tsr_tool_usage("compile: '%s' is an offline model already", argv[1]);
        else if (model == NULL || !tsr_model_save(model, output, &error))
            status = tsr_tool_fail(error);
        else {
            status = TSR_EXIT_DONE;
            if (options.json)
                print_json(model);
            else
                print_text(model, output);
        }
    }
    tsr_options_clear(&options);
    return status;
}
