/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: `tessera run MODEL`: runs, prints a summary of each output, writes and
 * compares them.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/npy.h"
#include "compare.h"
#include "dump.h"
#include "inputs.h"
#include "json.h"
#include "options.h"
#include "profile.h"
#include "timing.h"
#include "tools.h"

typedef struct RunOptions {
    char **inputs;
    char *output_dir;
    char *compare_dir;
    char *profile;
    char *dump_dir;
    char *dump_nodes;
    gboolean dump_storage;
    double rtol;
    double atol;
    gint loop;
} RunOptions;

typedef struct RunTimes {
    double load_ms;
    double settle_ms; /* for a plan of the inputs' shapes */
    double first_ms;  /* with it */
    double median_ms;
} RunTimes;

static gboolean run_loop(TsrModel *model, GPtrArray *inputs, TsrArray **outputs, gint loop,
                         RunTimes *times, GError **error)
{
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(double));
    for (gint i = 0; i < loop; i++) {
        double begin = tsr_now_ms(), spent;
        if (i > 0 && tsr_bound_model_sink(model->bound) == NULL)
            for (guint k = 0; k < tsr_model_output_count(model); k++)
                g_clear_pointer(&outputs[k], tsr_array_unref);
        if (!tsr_model_run(model, (TsrArray *const *)inputs->pdata, outputs, error))
            return FALSE;
        spent = tsr_now_ms() - begin;
        if (i == 0)
            times->first_ms = times->settle_ms + spent;
        g_array_append_val(samples, spent);
    }
    g_array_sort(samples, tsr_by_value);
    times->median_ms = g_array_index(samples, double, samples->len / 2);
    return TRUE;
}

static void summarise(TsrArray *array, GString *out)
{
    const float *data = tsr_array_data(array);
    gsize count = tsr_array_size_bytes(array) / sizeof(float);
    double sum = 0.0, least = INFINITY, most = -INFINITY;
    if (tsr_array_dtype(array) != TSR_DTYPE_FLOAT || count == 0)
        return;
    for (gsize i = 0; i < count; i++) {
        sum += (double)data[i];
        least = fmin(least, (double)data[i]);
        most = fmax(most, (double)data[i]);
    }
    g_string_append_printf(out, "  min %.6g  max %.6g  mean %.6g", least, most,
                           sum / (double)count);
}

static void print_text(TsrModel *model, TsrArray **outputs, const RunTimes *times)
{
    for (guint i = 0; i < tsr_model_output_count(model); i++) {
        char shape[TSR_MAX_RANK * 24];
        g_autoptr(GString) line = g_string_new(NULL);
        summarise(outputs[i], line);
        printf("%s: %s%s%s\n", tsr_model_output(model, i, NULL, NULL, NULL),
               tsr_dtype_name(tsr_array_dtype(outputs[i])),
               tsr_shape_text(tsr_array_rank(outputs[i]), tsr_array_shape(outputs[i]), shape,
                              sizeof(shape)),
               line->str);
    }
    printf("load %.2f ms, first run %.2f ms, median %.3f ms\n", times->load_ms, times->first_ms,
           times->median_ms);
}

static const char *mode_of(const TsrToolOptions *options, TsrModel *model)
{
    if (g_strcmp0(options->mode, "host") == 0)
        return "host";
    if (tsr_bound_model_sink(model->bound) != NULL)
        return "sink";
    return tsr_bound_model_program(model->bound)->parts->len != 0 ? "mixed" : "host";
}

static void print_json(const TsrToolOptions *options, TsrModel *model, TsrArray **outputs,
                       const RunTimes *times)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_begin_array(json, "outputs");
    for (guint i = 0; i < tsr_model_output_count(model); i++) {
        json_builder_begin_object(json);
        tsr_json_string(json, "name", tsr_model_output(model, i, NULL, NULL, NULL));
        tsr_json_string(json, "dtype", tsr_dtype_name(tsr_array_dtype(outputs[i])));
        tsr_json_begin_array(json, "shape");
        for (guint32 k = 0; k < tsr_array_rank(outputs[i]); k++)
            json_builder_add_int_value(json, tsr_array_shape(outputs[i])[k]);
        json_builder_end_array(json);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    tsr_json_double(json, "load_ms", times->load_ms);
    tsr_json_double(json, "first_ms", times->first_ms);
    tsr_json_double(json, "median_ms", times->median_ms);
    tsr_json_string(json, "mode", mode_of(options, model));
    json_builder_end_object(json);
    tsr_json_print(json);
}

static gboolean write_outputs(TsrModel *model, TsrArray **outputs, const char *dir,
                              GError **error)
{
    if (g_mkdir_with_parents(dir, 0755) != 0) {
        g_set_error(error, TSR_ERROR, TSR_IO, "cannot make directory '%s'", dir);
        return FALSE;
    }
    for (guint i = 0; i < tsr_model_output_count(model); i++) {
        g_autofree char *name =
            tsr_tool_file_name(tsr_model_output(model, i, NULL, NULL, NULL), ".npy");
        g_autofree char *path = g_build_filename(dir, name, NULL);
        if (!tsr_npy_write(path, tsr_array_dtype(outputs[i]), tsr_array_rank(outputs[i]),
                           tsr_array_shape(outputs[i]), tsr_array_data(outputs[i]),
                           tsr_array_size_bytes(outputs[i]), error))
            return FALSE;
    }
    return TRUE;
}

/* NAME.npy, output_K.npy or output_K.pb; NULL when none is there. */
static char *find_reference(const char *dir, const char *name, guint index)
{
    g_autofree char *by_name = tsr_tool_file_name(name, ".npy");
    g_autofree char *npy = g_strdup_printf("output_%u.npy", index);
    g_autofree char *pb = g_strdup_printf("output_%u.pb", index);
    const char *const names[] = {by_name, npy, pb};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return g_steal_pointer(&path);
    }
    return NULL;
}

static gboolean has_storage_shape(TsrArray *array, TsrModel *model, guint output)
{
    const TsrTensorDesc *desc = tsr_model_output_desc(model, output);
    return tsr_array_rank(array) == desc->storage_rank &&
           memcmp(tsr_array_shape(array), desc->storage_shape,
                  desc->storage_rank * sizeof(*desc->storage_shape)) == 0;
}

static int compare_outputs(TsrModel *model, TsrArray **outputs, const RunOptions *run)
{
    guint different = 0;
    for (guint i = 0; i < tsr_model_output_count(model); i++) {
        const char *name = tsr_model_output(model, i, NULL, NULL, NULL);
        g_autofree char *path = find_reference(run->compare_dir, name, i);
        g_autoptr(TsrArray) wanted = NULL;
        g_autoptr(TsrArray) got = NULL;
        g_autoptr(GString) reason = g_string_new(NULL);
        GError *error = NULL;
        if (path == NULL) {
            g_set_error(&error, TSR_ERROR, TSR_NOT_FOUND,
                        "output '%s': no reference (output_%u.npy or .pb) in '%s'", name, i,
                        run->compare_dir);
            return tsr_tool_fail(error);
        }
        wanted = tsr_tool_read_array(path, &error);
        if (wanted == NULL)
            return tsr_tool_fail(error);
        /* A reference of the user's own shape is compared with what the storage means. */
        got = has_storage_shape(wanted, model, i)
                  ? tsr_array_ref(outputs[i])
                  : tsr_tool_from_storage(tsr_model_output_desc(model, i), outputs[i], &error);
        if (got == NULL)
            return tsr_tool_fail(error);
        if (!tsr_compare_arrays(got, wanted, run->rtol, run->atol, reason)) {
            fprintf(stderr, "difference: output '%s': %s\n", name, reason->str);
            different++;
        }
    }
    return different == 0 ? TSR_EXIT_DONE : TSR_EXIT_DIFFERENT;
}

static int run_model(const TsrToolOptions *options, const RunOptions *run, TsrSession *session,
                     const char *path)
{
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GPtrArray) inputs = NULL;
    g_autoptr(TsrProfile) profile = NULL;
    g_autoptr(TsrDump) dump = NULL;
    const TsrDumpOptions dump_options = {run->dump_dir, run->dump_nodes, run->dump_storage};
    g_autofree TsrArray **outputs = NULL;
    RunTimes times = {0};
    GError *error = NULL;
    int status = TSR_EXIT_DONE;
    double begin = tsr_now_ms();

    model = tsr_options_model(options, session, path, &error);
    times.load_ms = tsr_now_ms() - begin;
    if (model != NULL)
        inputs = tsr_tool_make_inputs(model, run->inputs, options->input_shapes, &error);
    begin = tsr_now_ms();
    if (inputs != NULL && !tsr_options_settle(options, model, inputs, &error))
        g_clear_pointer(&inputs, g_ptr_array_unref);
    times.settle_ms = tsr_now_ms() - begin;
    if (inputs != NULL && run->profile != NULL) {
        profile = tsr_profile_new(model, &error);
        if (profile == NULL)
            g_clear_pointer(&inputs, g_ptr_array_unref);
    }
    if (inputs != NULL && run->dump_dir != NULL) {
        dump = tsr_dump_new(model, &dump_options, &error);
        if (dump == NULL)
            g_clear_pointer(&inputs, g_ptr_array_unref);
    }
    if (inputs == NULL)
        return tsr_tool_fail(error);
    outputs = g_new0(TsrArray *, tsr_model_output_count(model) + 1);
    if (!run_loop(model, inputs, outputs, run->loop, &times, &error) ||
        (dump != NULL && !tsr_dump_finish(dump, &error)) ||
        (run->output_dir != NULL && !write_outputs(model, outputs, run->output_dir, &error)) ||
        (profile != NULL && !tsr_profile_write(profile, run->profile, &error))) {
        status = tsr_tool_fail(error);
    } else {
        if (run->compare_dir != NULL)
            status = compare_outputs(model, outputs, run);
        if (options->json)
            print_json(options, model, outputs, &times);
        else
            print_text(model, outputs, &times);
    }
    for (guint i = 0; i < tsr_model_output_count(model); i++)
        tsr_array_unref(outputs[i]);
    return status;
}

int tsr_tool_run(int argc, char **argv)
{
    TsrToolOptions options = {0};
    RunOptions run = {.rtol = 1e-3, .atol = 1e-5, .loop = 1};
    const GOptionEntry own[] = {
        {"input", 0, 0, G_OPTION_ARG_STRING_ARRAY, &run.inputs,
         "NAME=FILE.npy, NAME=FILE.pb, NAME=random[:SEED] or NAME=zeros; repeatable", "NAME=.."},
        {"output", 0, 0, G_OPTION_ARG_FILENAME, &run.output_dir, "writes each output there",
         "DIR"},
        {"compare", 0, 0, G_OPTION_ARG_FILENAME, &run.compare_dir,
         "compares with NAME.npy, output_K.npy or output_K.pb there", "DIR"},
        {"rtol", 0, 0, G_OPTION_ARG_DOUBLE, &run.rtol, "relative tolerance (1e-3)", "X"},
        {"atol", 0, 0, G_OPTION_ARG_DOUBLE, &run.atol, "absolute tolerance (1e-5)", "X"},
        {"loop", 0, 0, G_OPTION_ARG_INT, &run.loop, "runs that often", "N"},
        {"profile", 0, 0, G_OPTION_ARG_FILENAME, &run.profile,
         "timeline in Chrome trace format", "FILE.json"},
        {"dump", 0, 0, G_OPTION_ARG_FILENAME, &run.dump_dir,
         "writes every tensor of the run there, and index.json", "DIR"},
        {"dump-nodes", 0, 0, G_OPTION_ARG_STRING, &run.dump_nodes,
         "only these values, or those of these nodes", "A,B"},
        {"dump-storage", 0, 0, G_OPTION_ARG_NONE, &run.dump_storage,
         "also as the bytes lie on the device", NULL},
        {0},
    };
    g_autoptr(TsrSession) session = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, own, TRUE, "MODEL.om|MODEL.onnx",
                           "Runs a model and prints its outputs.", 1, 1))
        status = TSR_EXIT_USAGE;
    else if (run.loop < 1)
        status = tsr_tool_usage("run: --loop wants 1 or more, got %d", run.loop);
    else if (run.dump_dir == NULL && (run.dump_nodes != NULL || run.dump_storage))
        status = tsr_tool_usage("run: --dump-nodes and --dump-storage want --dump DIR");
    else if (run.dump_dir != NULL && run.profile != NULL)
        status = tsr_tool_usage("run: --dump runs task by task, which --profile cannot show");
    else if ((session = tsr_options_session(&options)) != NULL)
        status = run_model(&options, &run, session, argv[1]);
    g_strfreev(run.inputs);
    g_free(run.output_dir);
    g_free(run.compare_dir);
    g_free(run.profile);
    g_free(run.dump_dir);
    g_free(run.dump_nodes);
    tsr_options_clear(&options);
    return status;
}
