/* SPDX-License-Identifier: Apache-2.0
 *
 * build_model.c: a compiled graph to an offline model, and an offline model to one that runs.
 * A model that was just compiled is bound the way one from a file is.
 */
#include <string.h>

#include "api/session.h"
#include "base/error.h"
#include "build/memory_check.h"
#include "build/om_write.h"
#include "build/task_build.h"

/* Nothing in a file is believed: its plan is proved again. */
static TsrProgram *read_program(TsrSession *session, const TsrOmFile *file, TsrWeights *weights,
                                GError **error)
{
    g_autoptr(TsrProgram) program = tsr_om_read(file, session->set->registry, weights, error);
    if (program == NULL ||
        !tsr_memory_check(program, program->graph->nodes, session->set, error))
        return NULL;
    return g_steal_pointer(&program);
}

/* (transfer full) */
static TsrModel *bind(TsrSession *session, const TsrOmFile *file, GError **error)
{
    g_autoptr(TsrWeights) weights = tsr_om_weights(file, error);
    TsrProgram *program = weights != NULL ? read_program(session, file, weights, error) : NULL;
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
    TsrBuildOptions build = {.reuse = !known.disable_memory_reuse,
                             .in_place = !known.disable_inplace,
                             .host_mode = known.host_mode,
                             .streams = known.streams};
    TsrOmContent content = {NULL, NULL, NULL};
    TsrOmFile file;
    TsrModel *model;

    if (!tsr_compile_graph(session, graph, options, report, error))
        return NULL;
    build.traits = tsr_device_traits(session->device);
    program = tsr_task_build(graph, session->set, &build, NULL, error);
    if (program == NULL)
        return NULL;
    content.program = program;
    om = tsr_om_assemble(&content, session->set, error);
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
