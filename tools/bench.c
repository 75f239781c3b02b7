/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c: `tessera bench MODEL`: loads, warms up, times.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "inputs.h"
#include "json.h"
#include "options.h"
#include "profile.h"
#include "timing.h"
#include "tools.h"

typedef struct BenchOptions {
    char **inputs;
    gint runs;
    double seconds;
    gboolean per_op;
    gboolean profile_cost;
} BenchOptions;

typedef struct BenchResult {
    double load_ms;
    GArray *samples; /* double ms, ascending */
    double profile_ratio; /* of a run that is profiled to one that is not; 0: not measured */
} BenchResult;

static gboolean run_once(TsrModel *model, GPtrArray *inputs, TsrArray **outputs, double *out_ms,
                         GError **error)
{
    double begin = tsr_now_ms();
    if (tsr_bound_model_sink(model->bound) == NULL)
        for (guint k = 0; k < tsr_model_output_count(model); k++)
            g_clear_pointer(&outputs[k], tsr_array_unref);
    if (!tsr_model_run(model, (TsrArray *const *)inputs->pdata, outputs, error))
        return FALSE;
    *out_ms = tsr_now_ms() - begin;
    return TRUE;
}

/* Three runs, or half a second of them, are not counted; then --runs, or as many as fit
 * --seconds, but at least five. */
static gboolean measure(TsrModel *model, GPtrArray *inputs, const BenchOptions *bench,
                        TsrArray **outputs, GArray *samples, GError **error)
{
    double begin = tsr_now_ms(), spent;
    for (guint i = 0; i < 3 || (i < 20 && tsr_now_ms() - begin < 500.0); i++)
        if (!run_once(model, inputs, outputs, &spent, error))
            return FALSE;
    begin = tsr_now_ms();
    while (bench->runs > 0 ? samples->len < (guint)bench->runs
                           : samples->len < 5 || (tsr_now_ms() - begin < bench->seconds * 1000.0 &&
                                                  samples->len < 100000)) {
        if (!run_once(model, inputs, outputs, &spent, error))
            return FALSE;
        g_array_append_val(samples, spent);
    }
    g_array_sort(samples, tsr_by_value);
    return TRUE;
}

/* The fastest of some batches of runs; FALSE when one fails. */
static gboolean fastest(TsrModel *model, GPtrArray *inputs, TsrArray **outputs, guint runs,
                        double *out_ms, GError **error)
{
    enum { BATCHES = 5 };
    *out_ms = G_MAXDOUBLE;
    for (guint b = 0; b < BATCHES; b++) {
        const double begin = tsr_now_ms();
        double spent;
        for (guint i = 0; i < runs; i++)
            if (!run_once(model, inputs, outputs, &spent, error))
                return FALSE;
        *out_ms = MIN(*out_ms, tsr_now_ms() - begin);
    }
    return TRUE;
}

/* Runs with and without a profile take turns, so that the machine's other work falls on both;
 * the middle of the ratios of all rounds counts. */
static gboolean measure_profile(TsrModel *model, GPtrArray *inputs, TsrArray **outputs,
                                BenchResult *result, GError **error)
{
    enum { COST_ROUNDS = 21 };
    const double median = tsr_quantile(result->samples, 0.5);
    const guint runs = (guint)CLAMP(3.0 / MAX(median, 0.001), 1.0, 3000.0);
    g_autoptr(GArray) ratios = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint round = 0; round < COST_ROUNDS; round++) {
        double on = 0.0, off = 0.0, ratio;
        for (guint half = 0; half < 2; half++) {
            const gboolean is_on = half == round % 2;
            g_autoptr(TsrProfile) profile = is_on ? tsr_profile_new(model, error) : NULL;
            if ((is_on && profile == NULL) ||
                !fastest(model, inputs, outputs, runs, is_on ? &on : &off, error))
                return FALSE;
        }
        ratio = on / off;
        g_array_append_val(ratios, ratio);
    }
    g_array_sort(ratios, tsr_by_value);
    result->profile_ratio = tsr_quantile(ratios, 0.5);
    return TRUE;
}

static guint64 peak_rss_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (guint64)usage.ru_maxrss * 1024 : 0;
}

static void add_per_op(JsonBuilder *json, TsrModel *model, TsrProfile *profile, guint runs)
{
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    tsr_json_begin_array(json, "per_op");
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", task->name);
        tsr_json_string(json, "kernel", task->kernel);
        tsr_json_double(json, "core_us", tsr_profile_task_us(profile, i) / runs);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static void print_result(const TsrToolOptions *options, TsrModel *model,
                         const BenchResult *result, TsrProfile *profile, guint profiled_runs)
{
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    guint threads = tsr_device_traits(model->session->device).core_count;
    g_autoptr(JsonBuilder) json = NULL;
    if (!options->json) {
        printf("load %.2f ms; %u runs on %u cores: median %.3f ms, p10 %.3f, p90 %.3f, min %.3f\n",
               result->load_ms, result->samples->len, threads, tsr_quantile(result->samples, 0.5),
               tsr_quantile(result->samples, 0.1), tsr_quantile(result->samples, 0.9),
               tsr_quantile(result->samples, 0.0));
        if (result->profile_ratio != 0.0)
            printf("with a profile: %.4f times the time\n", result->profile_ratio);
        for (guint i = 0; profile != NULL && i < program->tasks->len; i++) {
            const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
            printf("%10.1f us  %-28s %s\n", tsr_profile_task_us(profile, i) / profiled_runs,
                   task->kernel, task->name);
        }
        return;
    }
    json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_double(json, "load_ms", result->load_ms);
    tsr_json_double(json, "median_ms", tsr_quantile(result->samples, 0.5));
    tsr_json_double(json, "p10_ms", tsr_quantile(result->samples, 0.1));
    tsr_json_double(json, "p90_ms", tsr_quantile(result->samples, 0.9));
    tsr_json_double(json, "min_ms", tsr_quantile(result->samples, 0.0));
    tsr_json_int(json, "runs", result->samples->len);
    tsr_json_int(json, "threads", threads);
    tsr_json_int(json, "peak_rss_bytes", peak_rss_bytes());
    tsr_json_int(json, "activation_bytes", program->stats.activation_bytes);
    if (result->profile_ratio != 0.0)
        tsr_json_double(json, "profile_ratio", result->profile_ratio);
    if (profile != NULL)
        add_per_op(json, model, profile, profiled_runs);
    json_builder_end_object(json);
    tsr_json_print(json);
}

static int bench_model(const TsrToolOptions *options, const BenchOptions *bench,
                       TsrSession *session, const char *path)
{
    enum { PROFILED_RUNS = 10 };
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GPtrArray) inputs = NULL;
    g_autoptr(TsrProfile) profile = NULL;
    g_autofree TsrArray **outputs = NULL;
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(double));
    BenchResult result = {.samples = samples};
    GError *error = NULL;
    gboolean done;
    double begin = tsr_now_ms(), spent;

    model = tsr_options_model(options, session, path, &error);
    result.load_ms = tsr_now_ms() - begin;
    if (model != NULL)
        inputs = tsr_tool_make_inputs(model, bench->inputs, options->input_shapes, &error);
    if (inputs != NULL && !tsr_options_settle(options, model, inputs, &error))
        g_clear_pointer(&inputs, g_ptr_array_unref);
    if (inputs == NULL)
        return tsr_tool_fail(error);
    outputs = g_new0(TsrArray *, tsr_model_output_count(model) + 1);
    done = measure(model, inputs, bench, outputs, samples, &error);
    if (done && bench->profile_cost)
        done = measure_profile(model, inputs, outputs, &result, &error);
    if (done && bench->per_op) {
        profile = tsr_profile_new(model, &error);
        done = profile != NULL;
        for (guint i = 0; done && i < PROFILED_RUNS; i++)
            done = run_once(model, inputs, outputs, &spent, &error);
    }
    if (done)
        print_result(options, model, &result, profile, PROFILED_RUNS);
    for (guint i = 0; i < tsr_model_output_count(model); i++)
        tsr_array_unref(outputs[i]);
    return done ? TSR_EXIT_DONE : tsr_tool_fail(error);
}

int tsr_tool_bench(int argc, char **argv)
{
    TsrToolOptions options = {0};
    BenchOptions bench = {.seconds = 2.0};
    const GOptionEntry own[] = {
        {"input", 0, 0, G_OPTION_ARG_STRING_ARRAY, &bench.inputs,
         "NAME=FILE.npy, NAME=FILE.pb, NAME=random[:SEED] or NAME=zeros; repeatable", "NAME=.."},
        {"runs", 0, 0, G_OPTION_ARG_INT, &bench.runs, "counted runs", "N"},
        {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &bench.seconds,
         "time for the counted runs, where --runs is not given (2)", "S"},
        {"per-op", 0, 0, G_OPTION_ARG_NONE, &bench.per_op, "core time of each task as well",
         NULL},
        {"profile-cost", 0, 0, G_OPTION_ARG_NONE, &bench.profile_cost,
         "what recording each task costs, as a ratio of runs that take turns", NULL},
        {0},
    };
    g_autoptr(TsrSession) session = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, own, TRUE, "MODEL.om|MODEL.onnx",
                           "Loads a model, warms up and times it.", 1, 1))
        status = TSR_EXIT_USAGE;
    else if ((session = tsr_options_session(&options)) != NULL)
        status = bench_model(&options, &bench, session, argv[1]);
    g_strfreev(bench.inputs);
    tsr_options_clear(&options);
    return status;
}
