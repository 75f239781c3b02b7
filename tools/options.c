/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c: see options.h.
 */
#include "input_shape.h"
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "report.h"

static gboolean parse_with(GOptionContext *context, int *argc, char ***argv, int min_args,
                           int max_args)
{
    g_autoptr(GError) error = NULL;
    if (!g_option_context_parse(context, argc, argv, &error)) {
        fprintf(stderr, "error: %s\n", error->message);
        return FALSE;
    }
    /* A lone "--" that GLib leaves in place. */
    if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
        memmove(*argv + 1, *argv + 2, (gsize)(*argc - 2) * sizeof(char *));
        (*argc)--;
    }
    if (*argc - 1 < min_args || *argc - 1 > max_args) {
        fprintf(stderr, "error: %s: %s arguments: %d given\n", (*argv)[0],
                *argc - 1 < min_args ? "too few" : "too many", *argc - 1);
        return FALSE;
    }
    return TRUE;
}

gboolean tsr_options_parse(TsrToolOptions *options, int *argc, char ***argv,
                           const GOptionEntry *own, gboolean shared, const char *arguments,
                           const char *summary, int min_args, int max_args)
{
    const GOptionEntry session[] = {
        {"plugins-conf", 0, 0, G_OPTION_ARG_FILENAME, &options->plugins_conf,
         "configuration instead of the default", "FILE"},
        {"engine-priority", 0, 0, G_OPTION_ARG_STRING, &options->engine_priority,
         "order of engines, first is best", "A,B,C"},
        {"fallback", 0, 0, G_OPTION_ARG_STRING, &options->fallback,
         "what happens to a node that the wanted engine refuses", "strict|warn|silent"},
        {"safe-mode", 0, 0, G_OPTION_ARG_NONE, &options->safe_mode,
         "reference kernels of the general engine only", NULL},
        {"engine", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->engine_modes,
         "whether one engine is used; repeatable", "NAME=off|allow|deny|require"},
        {"pin", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->pins,
         "the engine of a node, a pattern of nodes, or an operator; repeatable",
         "NODE=ENGINE|op:OPERATOR=ENGINE"},
        {"placement", 0, 0, G_OPTION_ARG_STRING, &options->placement,
         "engines by priority, or by what is least for the whole graph", "priority|cost"},
        {"device-file", 0, 0, G_OPTION_ARG_FILENAME, &options->device_file,
         "compiles for the device that a key file describes, which need not be there", "FILE"},
        {"rescan", 0, 0, G_OPTION_ARG_NONE, &options->rescan,
         "looks at every plugin again, whatever is known of it", NULL},
        {"threads", 0, 0, G_OPTION_ARG_INT, &options->threads, "cores of the device", "N"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &options->json, "one JSON object on standard output",
         NULL},
        {0},
    };
    const GOptionEntry compile[] = {
        {"input-shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->input_shapes,
         "fixes the shape of an input, or bounds it; repeatable", "NAME:1..8,3,224,224"},
        {"input-format", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->input_formats,
         "what the dimensions of an input mean, or of all that nothing tells; repeatable",
         "NAME:NHWC|*:NHWC"},
        {"storage-format", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->storage_formats,
         "storage format of an input or output", "NAME:NC1HWC0"},
        {"force-format", 0, 0, G_OPTION_ARG_STRING, &options->force_format,
         "for bisecting: a storage format that every node takes that can, or plain",
         "FORMAT|plain"},
        {"dynamic-dims", 0, 0, G_OPTION_ARG_STRING, &options->dynamic_dims,
         "gears: values of the dimensions that only a run knows; a last * admits others",
         "1;2;4"},
        {"no-plans", 0, 0, G_OPTION_ARG_NONE, &options->disable_plans,
         "makes no programs for the shapes that runs bring", NULL},
        {"precision", 0, 0, G_OPTION_ARG_STRING, &options->precision,
         "must_keep_origin (default), allow_fp32_to_fp16, allow_bf16, force_fp16, force_bf16, "
         "mix_fp16 or mix_bf16", "MODE"},
        {"precision-list", 0, 0, G_OPTION_ARG_FILENAME, &options->precision_list,
         "which operators or nodes are white, black or grey in a mode", "FILE"},
        {"disable-fusion", 0, 0, G_OPTION_ARG_STRING, &options->disable_fusion,
         "fusion passes to switch off", "A,B|all"},
        {"enable-fusion", 0, 0, G_OPTION_ARG_STRING, &options->enable_fusion,
         "fusion passes to switch on", "A,B|all"},
        {"disable-memory-reuse", 0, 0, G_OPTION_ARG_NONE, &options->disable_memory_reuse,
         "gives every tensor memory of its own", NULL},
        {"disable-inplace", 0, 0, G_OPTION_ARG_NONE, &options->disable_inplace,
         "no output takes over its input's memory", NULL},
        {"streams", 0, 0, G_OPTION_ARG_STRING, &options->streams, "streams of the plan",
         "auto|N"},
        {"mode", 0, 0, G_OPTION_ARG_STRING, &options->mode, "how tasks are launched",
         "sink|host"},
        {"dump-graph", 0, 0, G_OPTION_ARG_FILENAME, &options->dump_graph,
         "writes the graph after each stage as text and .dot", "DIR"},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(arguments);
    g_option_context_set_summary(context, summary);
    if (own != NULL)
        g_option_context_add_main_entries(context, own, NULL);
    g_option_context_add_main_entries(context, session, NULL);
    if (shared)
        g_option_context_add_main_entries(context, compile, NULL);
    return parse_with(context, argc, argv, min_args, max_args);
}

void tsr_options_clear(TsrToolOptions *options)
{
    g_free(options->plugins_conf);
    g_free(options->engine_priority);
    g_free(options->fallback);
    g_strfreev(options->engine_modes);
    g_strfreev(options->pins);
    g_free(options->placement);
    g_free(options->device_file);
    g_strfreev(options->input_shapes);
    g_free(options->precision);
    g_free(options->force_format);
    g_free(options->precision_list);
    g_free(options->disable_fusion);
    g_free(options->enable_fusion);
    g_free(options->streams);
    g_free(options->mode);
    g_free(options->dump_graph);
    g_free(options->dynamic_dims);
    g_strfreev(options->input_formats);
    g_strfreev(options->storage_formats);
    memset(options, 0, sizeof(*options));
}

static gboolean read_fallback(const char *word, TsrFallbackMode *out_mode, GError **error)
{
    static const char *const words[] = {"strict", "warn", "silent"};
    for (guint i = 0; word != NULL && i < G_N_ELEMENTS(words); i++) {
        if (strcmp(word, words[i]) == 0) {
            *out_mode = (TsrFallbackMode)i;
            return TRUE;
        }
    }
    if (word != NULL)
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "--fallback: wanted strict, warn or silent, got '%s'", word);
    return word == NULL;
}

TsrSession *tsr_options_session(const TsrToolOptions *options)
{
    TsrSessionOptions session_options = TSR_SESSION_OPTIONS_INIT;
    g_auto(GStrv) priority = NULL;
    GError *error = NULL;
    TsrSession *session = NULL;
    if (options->engine_priority != NULL)
        priority = g_strsplit(options->engine_priority, ",", -1);
    session_options.plugins_conf = options->plugins_conf;
    session_options.engine_priority = (const char *const *)priority;
    session_options.safe_mode = options->safe_mode;
    session_options.rescan = options->rescan;
    session_options.engine_modes = (const char *const *)options->engine_modes;
    session_options.placement = options->placement;
    session_options.device_file = options->device_file;
    session_options.pins = (const char *const *)options->pins;
    session_options.threads = options->threads > 0 ? (guint)options->threads : 0;
    if (read_fallback(options->fallback, &session_options.fallback, &error))
        session = tsr_session_new(&session_options, &error);
    if (session == NULL) {
        tsr_tool_fail(error);
        return NULL;
    }
    for (const char *const *at = tsr_session_warnings(session); *at != NULL; at++)
        fprintf(stderr, "warning: %s\n", *at);
    return session;
}

TsrGraph *tsr_options_import(const TsrToolOptions *options, TsrSession *session,
                             const char *path, GError **error)
{
    g_autoptr(TsrGraph) graph = NULL;
    graph = tsr_session_import(session, path, error);
    for (char **at = options->input_shapes; graph != NULL && at != NULL && *at != NULL; at++)
        if (!tsr_input_shape_apply(*at, graph, error))
            return NULL;
    return g_steal_pointer(&graph);
}

/* What was settled when an offline model was compiled is no more to be chosen. */
static void warn_settled(const TsrToolOptions *options)
{
    const struct {
        const char *name;
        gboolean given;
    } rows[] = {
        {"--input-format", options->input_formats != NULL},
        {"--precision", options->precision != NULL},
        {"--precision-list", options->precision_list != NULL},
        {"--dynamic-dims", options->dynamic_dims != NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].given)
            fprintf(stderr, "warning: %s is settled when a model is compiled; this one is\n",
                    rows[i].name);
}

static gboolean is_offline_model(const char *path)
{
    char magic[8] = {0};
    FILE *file = fopen(path, "rb");
    gboolean found = FALSE;
    if (file != NULL) {
        found = fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
                memcmp(magic, TSR_OM_MAGIC, sizeof(magic)) == 0;
        fclose(file);
    }
    return found || g_str_has_suffix(path, ".om");
}

static gboolean read_streams(const char *text, guint *out_streams, GError **error)
{
    guint64 count = 0;
    const gboolean sound = text == NULL || strcmp(text, "auto") == 0 ||
                           g_ascii_string_to_unsigned(text, 10, 1, 64, &count, NULL);
    *out_streams = (guint)count;
    if (!sound)
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "--streams: wanted auto or 1 to 64, got '%s'", text);
    return sound;
}

gboolean tsr_options_fill(const TsrToolOptions *options, TsrToolCompile *out, GError **error)
{
    *out = (TsrToolCompile){.options.struct_size = sizeof(TsrCompileOptions)};
    if (options->disable_fusion != NULL)
        out->disable = g_strsplit(options->disable_fusion, ",", -1);
    if (options->enable_fusion != NULL)
        out->enable = g_strsplit(options->enable_fusion, ",", -1);
    out->options.disable_fusion = (const char *const *)out->disable;
    out->options.enable_fusion = (const char *const *)out->enable;
    out->options.disable_memory_reuse = options->disable_memory_reuse;
    out->options.disable_inplace = options->disable_inplace;
    out->options.dump_graph_dir = options->dump_graph;
    out->options.precision = options->precision;
    out->options.precision_list = options->precision_list;
    out->options.storage_formats = (const char *const *)options->storage_formats;
    out->options.force_format = options->force_format;
    out->options.input_formats = (const char *const *)options->input_formats;
    out->options.dynamic_dims = options->dynamic_dims;
    out->options.disable_plans = options->disable_plans;
    return read_streams(options->streams, &out->options.streams, error);
}

void tsr_tool_compile_clear(TsrToolCompile *compile)
{
    g_strfreev(compile->disable);
    g_strfreev(compile->enable);
}

TsrModel *tsr_options_compile(const TsrToolOptions *options, TsrSession *session,
                              TsrGraph *graph, GError **error)
{
    TsrToolCompile compile;
    TsrModel *model = NULL;
    if (tsr_options_fill(options, &compile, error))
        model = tsr_session_compile(session, graph, &compile.options, error);
    tsr_tool_compile_clear(&compile);
    if (model != NULL)
        tsr_report_warn(model->report);
    return model;
}

TsrModel *tsr_options_model(const TsrToolOptions *options, TsrSession *session, const char *path,
                            GError **error)
{
    g_autoptr(TsrGraph) graph = NULL;
    gboolean host_mode = g_strcmp0(options->mode, "host") == 0;
    TsrModel *model;

    if (options->mode != NULL && !host_mode && strcmp(options->mode, "sink") != 0) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "--mode: wanted sink or host, got '%s'", options->mode);
        return NULL;
    }
    if (is_offline_model(path)) {
        warn_settled(options);
        model = tsr_session_load(session, path, error);
    } else {
        graph = tsr_options_import(options, session, path, error);
        if (graph == NULL)
            return NULL;
        tsr_tool_progress("compiling");
        model = tsr_options_compile(options, session, graph, error);
        tsr_tool_progress(NULL);
        if (model == NULL)
            g_prefix_error(error, "'%s': ", path);
    }
    if (model != NULL)
        tsr_bound_model_set_one_by_one(model->bound, host_mode);
    /* A user who names the engines wants to know what they refused. */
    if (model != NULL && model->report != NULL && session->priority_is_explicit &&
        session->set->fallback == TSR_FALLBACK_WARN && model->report->fallback_text != NULL)
        fprintf(stderr, "warning: %s\n", model->report->fallback_text);
    return model;
}

gboolean tsr_options_settle(const TsrToolOptions *options, TsrModel *model,
                            GPtrArray *inputs, GError **error)
{
    if (!tsr_model_settle(model, (TsrArray *const *)inputs->pdata, error))
        return FALSE;
    tsr_bound_model_set_one_by_one(model->bound, g_strcmp0(options->mode, "host") == 0);
    return TRUE;
}

int tsr_tool_fail(GError *error)
{
    fflush(stdout);
    fprintf(stderr, "error: %s\n", error->message);
    g_error_free(error);
    return TSR_EXIT_FAILED;
}

int tsr_tool_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return TSR_EXIT_USAGE;
}

void tsr_tool_progress(const char *text)
{
    if (!isatty(STDERR_FILENO))
        return;
    if (text != NULL)
        fprintf(stderr, "\r\033[K%s ...", text);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}
