/* SPDX-License-Identifier: Apache-2.0
 *
 * build_model.c: a graph to an offline model, and an offline model to one that runs. A model
 * that was just compiled is bound the way one from a file is.
 */
#include "api/gears.h"
#include "api/session.h"
#include "api/source.h"
#include "base/error.h"
#include "build/known_parts.h"
#include "build/memory_check.h"
#include "build/om_write.h"

/* ---------------------------------------------------------------- building */

/* Everything of one offline model while it is made. */
typedef struct Content {
    TsrWeights *weights;
    GVariant *source;
    GPtrArray *gears;     /* TsrProgram */
    gboolean only_gears;
} Content;

static void content_clear(Content *content)
{
    tsr_weights_unref(content->weights);
    g_clear_pointer(&content->source, g_variant_unref);
    g_clear_pointer(&content->gears, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Content, content_clear)

static gboolean build_gear(TsrSession *session, const TsrCompileOptions *options,
                           const TsrFreeDims *dims, const gint64 *values, Content *content,
                           GError **error)
{
    g_autoptr(TsrCompileReport) report = tsr_compile_report_new();
    TsrCompileOptions own = *options;
    TsrProgram *program = NULL;
    g_autoptr(TsrGraph) graph = tsr_source_graph(content->source, session->set->registry,
                                                 content->weights, error);
    own.dump_graph_dir = NULL; /* that of the program for all shapes stays */
    if (graph != NULL) {
        tsr_gear_apply(dims, values, graph);
        program = tsr_build_program(session, graph, &own, content->weights, report, error);
    }
    if (program == NULL) {
        g_autofree char *text = tsr_gear_to_text(dims, values);
        g_prefix_error(error, "gear %s: ", text);
        return FALSE;
    }
    g_ptr_array_add(content->gears, program);
    return TRUE;
}

static gboolean build_gears(TsrSession *session, const TsrGraph *graph,
                            const TsrCompileOptions *options, Content *content, GError **error)
{
    g_autoptr(TsrFreeDims) dims = tsr_free_dims_new(graph, error);
    g_autoptr(TsrGears) gears =
        dims != NULL ? tsr_gears_parse(dims, options->dynamic_dims, error) : NULL;
    if (gears == NULL)
        return FALSE;
    for (guint i = 0; i < gears->values->len; i++)
        if (!build_gear(session, options, dims, g_ptr_array_index(gears->values, i), content,
                        error))
            return FALSE;
    content->only_gears = !gears->others;
    return TRUE;
}

/* The source and the gears, before the graph is compiled for all shapes. */
static gboolean build_fixed(TsrSession *session, TsrGraph *graph,
                            const TsrCompileOptions *options, Content *content, GError **error)
{
    const char *why;
    const gboolean wanted = tsr_source_wanted(graph, options, &why);
    if (options->dynamic_dims != NULL && !wanted) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "dynamic dims '%s': the model can have no gears: %s", options->dynamic_dims,
                    why);
        return FALSE;
    }
    if (!wanted || (options->disable_plans && options->dynamic_dims == NULL))
        return TRUE;
    content->source = g_variant_ref_sink(tsr_source_new(graph, options, content->weights));
    return options->dynamic_dims == NULL ||
           build_gears(session, graph, options, content, error);
}

static GBytes *assemble(const TsrSession *session, TsrProgram *program, const Content *content,
                        const TsrCompileOptions *options, GError **error)
{
    const TsrOmContent om = {
        .program = program,
        .gears = content->gears,
        .only_gears = content->only_gears,
        .source = content->only_gears || options->disable_plans ? NULL : content->source,
    };
    return tsr_om_assemble(&om, session->set, error);
}

/* ----------------------------------------------------------------- binding */

/* Nothing in a file is believed: its plan is proved again. */
static TsrProgram *checked(TsrSession *session, TsrProgram *program, GError **error)
{
    gboolean sound =
        program != NULL && tsr_memory_check(program, program->nodes, session->set, error);
    for (guint i = 0; sound && i < program->parts->len; i++) {
        TsrProgram *part = ((TsrKnownPart *)g_ptr_array_index(program->parts, i))->program;
        sound = tsr_memory_check(part, part->nodes, session->set, error);
    }
    if (!sound)
        g_clear_pointer(&program, tsr_program_free);
    return program;
}

static gboolean bind_gears(TsrModel *model, const TsrOmFile *file, TsrWeights *weights,
                           GError **error)
{
    TsrSession *session = model->session;
    const guint count = tsr_om_gear_count(file);
    for (guint i = 0; i < count; i++) {
        TsrProgram *program = checked(
            session, tsr_om_read_gear(file, i, session->set->registry, weights, error), error);
        if (program == NULL || !tsr_plans_add_gear(model->plans, program, error))
            return FALSE;
    }
    return TRUE;
}

/* The programs for fixed shapes, if the file has any or can have. */
static gboolean bind_plans(TsrModel *model, const TsrOmFile *file, TsrWeights *weights,
                           GError **error)
{
    g_autoptr(GVariant) source = NULL;
    const gboolean has_source = tsr_om_has_section(file, TSR_OM_SOURCE);
    if (!has_source && tsr_om_gear_count(file) == 0)
        return TRUE;
    if (has_source) {
        source = tsr_om_section(file, TSR_OM_SOURCE, TSR_SOURCE_TYPE, error);
        if (source == NULL)
            return FALSE;
    }
    model->plans = tsr_plans_new(model->session, tsr_bound_model_program(model->bound)->graph,
                                 source, weights);
    if (tsr_om_only_gears(file))
        tsr_plans_only_gears(model->plans);
    return bind_gears(model, file, weights, error);
}

/* (transfer full) */
static TsrModel *bind(TsrSession *session, const TsrOmFile *file, GError **error)
{
    g_autoptr(TsrWeights) weights = tsr_om_weights(file, error);
    TsrProgram *program =
        weights != NULL
            ? checked(session, tsr_om_read(file, session->set->registry, weights, error), error)
            : NULL;
    TsrBoundModel *bound =
        program != NULL
            ? tsr_bound_model_new(program, session->set, session->device, NULL, error)
            : NULL;
    TsrModel *model;
    if (bound == NULL)
        return NULL;
    model = g_new0(TsrModel, 1);
    model->session = tsr_session_ref(session);
    model->om = g_bytes_ref(file->bytes);
    model->bound = bound;
    if (!bind_plans(model, file, weights, error))
        g_clear_pointer(&model, tsr_model_free);
    return model;
}

TsrModel *tsr_session_compile(TsrSession *session, TsrGraph *graph,
                              const TsrCompileOptions *options, GError **error)
{
    g_autoptr(TsrCompileReport) report = tsr_compile_report_new();
    g_autoptr(TsrProgram) program = NULL;
    g_autoptr(GBytes) om = NULL;
    gint64 begin = g_get_monotonic_time();
    const TsrCompileOptions known = tsr_compile_options_known(options);
    g_auto(Content) content = {.weights = tsr_weights_new()};
    TsrOmFile file;
    TsrModel *model;

    content.gears = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_program_free);
    if (!build_fixed(session, graph, &known, &content, error))
        return NULL;
    program = tsr_build_program(session, graph, &known, content.weights, report, error);
    om = program != NULL ? assemble(session, program, &content, &known, error) : NULL;
    if (om == NULL || !tsr_om_open_bytes(om, &file, error))
        return NULL;
    report->compile_ms = (double)(g_get_monotonic_time() - begin) / 1000.0;
    model = bind(session, &file, error);
    tsr_om_close(&file);
    if (model != NULL)
        model->report = g_steal_pointer(&report);
    return model;
}

TsrModel *tsr_session_load(TsrSession *session, const char *path, GError **error)
{
    g_autoptr(GError) device_error = NULL;
    TsrOmFile file;
    TsrModel *model = NULL;
    if (!tsr_om_open(path, &file, error))
        return NULL;
    tsr_session_device(session, &device_error);
    if (device_error != NULL)
        g_propagate_error(error, g_steal_pointer(&device_error));
    else if (tsr_session_check_engines(session, &file, error))
        model = bind(session, &file, error);
    if (model == NULL)
        g_prefix_error(error, "offline model '%s': ", path);
    tsr_om_close(&file);
    return model;
}
