/* SPDX-License-Identifier: Apache-2.0
 *
 * session.c: a session: its plugins, its device, its graphs.
 */
#include "api/session.h"

#include "base/error.h"
#include "onnx/import.h"
#include "ops/ops.h"

const char *tsr_version(void)
{
    return TSR_VERSION;
}

/* Whether the caller's struct reaches as far as a field that was appended. */
#define REACHES(options, field)                                                     \
    ((options)->struct_size >=                                                      \
     offsetof(TsrSessionOptions, field) + sizeof((options)->field))

TsrSession *tsr_session_new(const TsrSessionOptions *options, GError **error)
{
    static const TsrSessionOptions defaults = TSR_SESSION_OPTIONS_INIT;
    TsrPluginOptions plugin_options;
    const TsrOps *const *builtin;
    guint32 builtin_count;
    TsrPluginSet *set;
    TsrSession *session;

    if (options == NULL)
        options = &defaults;
    builtin = tsr_ops_builtin(&builtin_count);
    plugin_options = (TsrPluginOptions){
        .conf_path = options->plugins_conf,
        .engine_priority = options->engine_priority,
        .fallback = options->fallback,
        .safe_mode = options->safe_mode,
        .engine_modes = REACHES(options, engine_modes) ? options->engine_modes : NULL,
        .pins = REACHES(options, pins) ? options->pins : NULL,
        .placement = REACHES(options, placement) ? options->placement : NULL,
        .device_file = REACHES(options, device_file) ? options->device_file : NULL,
        .rescan = REACHES(options, rescan) && options->rescan,
    };
    set = tsr_plugin_set_new(&plugin_options, builtin, builtin_count, error);
    if (set == NULL)
        return NULL;
    g_ptr_array_add(set->warnings, NULL);
    session = g_new0(TsrSession, 1);
    g_atomic_ref_count_init(&session->refs);
    session->set = set;
    g_mutex_init(&session->plan_lock);
    session->threads = options->threads;
    session->priority_is_explicit = options->engine_priority != NULL;
    return session;
}

TsrSession *tsr_session_ref(TsrSession *session)
{
    g_atomic_ref_count_inc(&session->refs);
    return session;
}

void tsr_session_free(TsrSession *session)
{
    if (session == NULL || !g_atomic_ref_count_dec(&session->refs))
        return;
    g_mutex_clear(&session->plan_lock);
    tsr_device_close(session->device);
    tsr_plugin_set_free(session->set);
    g_free(session);
}

const char *const *tsr_session_warnings(TsrSession *session)
{
    return (const char *const *)session->set->warnings->pdata;
}

TsrOpenDevice *tsr_session_device(TsrSession *session, GError **error)
{
    if (!session->device_tried) {
        if (!tsr_plugin_set_check_device(session->set, error))
            return NULL;
        session->device = tsr_device_open(session->set, session->threads, error);
        session->device_tried = session->device != NULL || session->set->device == NULL;
    }
    return session->device;
}

TsrGraph *tsr_session_import(TsrSession *session, const char *path, GError **error)
{
    return tsr_onnx_import_file(session->set->registry, path, error);
}

TsrGraph *tsr_session_graph(TsrSession *session, const char *name)
{
    return tsr_graph_new(session->set->registry, name);
}
