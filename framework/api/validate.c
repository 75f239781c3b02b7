/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.c: whether an offline model can run here: the engines that built it, and its device,
 * against those of the session.
 */
#include "api/session.h"
#include "base/error.h"

gboolean tsr_session_check_engines(TsrSession *session, const TsrOmFile *file, GError **error)
{
    g_autoptr(GVariant) meta = tsr_om_section(file, TSR_OM_META, "a{sv}", error);
    g_autoptr(GArray) engines = NULL;
    g_autofree char *device = NULL;
    if (meta == NULL)
        return FALSE;
    engines = tsr_om_engines(meta);
    for (guint i = 0; i < engines->len; i++) {
        const TsrOmEngine *wanted = &g_array_index(engines, TsrOmEngine, i);
        const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(session->set, wanted->name);
        TsrSupport support = {.struct_size = sizeof(support), .answer = TSR_SUPPORT_YES};
        if (ranked == NULL) {
            g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                        "was compiled for engine '%s' (plugin version %s), which is not in use",
                        wanted->name, wanted->plugin_version);
            return FALSE;
        }
        if (wanted->abi_major != TSR_ABI_MAJOR) {
            g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                        "engine '%s' built it under plugin ABI %u, this is %u: compile it again",
                        wanted->name, wanted->abi_major, TSR_ABI_MAJOR);
            return FALSE;
        }
        if (TSR_HAS(ranked->engine, validate)) {
            if (ranked->engine->validate(ranked->engine, wanted->blob_version, wanted->compat,
                                         &support) != TSR_OK)
                support.answer = TSR_SUPPORT_NO;
        } else if (ranked->engine->blob_version != wanted->blob_version) {
            support.answer = TSR_SUPPORT_NO;
            g_snprintf(support.reason, sizeof(support.reason),
                       "its tasks have version %u, the engine here writes %u",
                       wanted->blob_version, ranked->engine->blob_version);
        }
        if (support.answer == TSR_SUPPORT_NO) {
            g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                        "engine '%s' (plugin version %s) cannot run it: %s: compile it again",
                        wanted->name, wanted->plugin_version, support.reason);
            return FALSE;
        }
    }
    if (g_variant_lookup(meta, "device", "s", &device) && device[0] != '\0' &&
        (session->set->device == NULL ||
         g_strcmp0(session->set->device->device->name, device) != 0)) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "was compiled for device '%s', which is not loaded", device);
        return FALSE;
    }
    return TRUE;
}

gboolean tsr_session_validate(TsrSession *session, const char *path, GError **error)
{
    TsrOmFile file;
    gboolean done;
    if (!tsr_om_open(path, &file, error))
        return FALSE;
    done = tsr_session_check_engines(session, &file, error);
    if (!done)
        g_prefix_error(error, "offline model '%s': ", path);
    tsr_om_close(&file);
    return done;
}
