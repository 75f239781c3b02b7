/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.c: see fit.h; and the same as the answers of tessera.h and of loading.
 */
#include <string.h>

#include "api/fit.h"
#include "base/error.h"
#include "build/graph_variant.h"
#include "engine/answer.h"
#include "plugin/host.h"
#include "plugin/rank.h"

typedef struct Checking {
    TsrSession *session;
    const TsrPluginSet *set;
    GHashTable *seen;  /* texts, so that no gear repeats the others' */
    GArray *misfits;
} Checking;

static void misfit_clear(gpointer data)
{
    g_free(((TsrMisfit *)data)->text);
}

static void G_GNUC_PRINTF(4, 5) add(Checking *checking, TsrFit fit, gint32 code,
                                    const char *format, ...)
{
    TsrMisfit misfit = {fit, code, NULL};
    va_list args;
    va_start(args, format);
    misfit.text = g_strdup_vprintf(format, args);
    va_end(args);
    if (!g_hash_table_add(checking->seen, g_strdup(misfit.text))) {
        g_free(misfit.text);
        return;
    }
    g_array_append_val(checking->misfits, misfit);
}

/* ----------------------------------------------------------------- engines */

static gboolean brings(const TsrManifest *manifest, const char *engine)
{
    for (guint i = 0; manifest->engines != NULL && manifest->engines[i] != NULL; i++)
        if (g_ascii_strcasecmp(manifest->engines[i], engine) == 0)
            return TRUE;
    return FALSE;
}

/* Why an engine is not in use, and the file that would give it. (transfer full) */
static char *why_not_in_use(const TsrPluginSet *set, const char *engine)
{
    g_autoptr(GPtrArray) unlisted = NULL;
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (record->state == TSR_PLUGIN_LOADED) {
            if (record->engine != NULL && strcmp(record->engine->name, engine) == 0)
                return tsr_rank_unused_reason(set, record);
        } else if (g_ascii_strcasecmp(record->name, engine) == 0 ||
                   (record->manifest != NULL && brings(record->manifest, engine))) {
            return g_strdup_printf("plugin '%s'%s%s%s is %s: %s", record->name,
                                   record->path != NULL ? " ('" : "",
                                   record->path != NULL ? record->path : "",
                                   record->path != NULL ? "')" : "",
                                   tsr_plugin_state_name(record->state), record->reason);
        }
    }
    unlisted = tsr_plugin_set_unlisted(set);
    for (guint i = 0; i < unlisted->len; i++) {
        const TsrManifest *manifest = g_ptr_array_index(unlisted, i);
        if (brings(manifest, engine))
            return g_strdup_printf("'%s' brings it: put %s=on into [plugins]", manifest->library,
                                   manifest->name);
    }
    return g_strdup_printf("no plugin that was found brings it; '%s' lists plugins",
                           set->conf->path);
}

static void check_engine(Checking *checking, const TsrOmEngine *wanted)
{
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(checking->set, wanted->name);
    const char *version;
    if (ranked == NULL) {
        g_autofree char *why = why_not_in_use(checking->set, wanted->name);
        add(checking, TSR_FIT_NO, TSR_NOT_FOUND,
            "was compiled for engine '%s' (plugin version %s), which is not in use: %s",
            wanted->name, wanted->plugin_version, why);
        return;
    }
    if (wanted->abi_major != TSR_ABI_MAJOR)
        add(checking, TSR_FIT_NO, TSR_INCOMPATIBLE,
            "engine '%s' built it under plugin ABI %u, this is %u: compile it again",
            wanted->name, wanted->abi_major, TSR_ABI_MAJOR);
    if (!TSR_HAS(ranked->engine, validate) &&
        ranked->engine->blob_version != wanted->blob_version)
        add(checking, TSR_FIT_NO, TSR_INCOMPATIBLE,
            "engine '%s' (plugin version %s) cannot run it: its tasks have version %u, the "
            "engine here writes %u: compile it again",
            wanted->name, wanted->plugin_version, wanted->blob_version,
            ranked->engine->blob_version);
    version = ranked->plugin->plugin->version;
    if (strcmp(version, wanted->plugin_version) != 0)
        add(checking, TSR_FIT_RECOMPILE, TSR_INCOMPATIBLE,
            "version %s of the plugin of engine '%s' built it, version %s is here",
            wanted->plugin_version, wanted->name, version);
}

/* The engine's own word on one of its clusters. */
static void check_text(Checking *checking, const TsrOmEngine *wanted, const char *compat)
{
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(checking->set, wanted->name);
    TsrSupport support = TSR_ANSWER_INIT;
    gboolean takes;
    gint32 status;
    if (ranked == NULL || !TSR_HAS(ranked->engine, validate))
        return;
    tsr_host_clear_error();
    status = ranked->engine->validate(ranked->engine, wanted->blob_version, compat, &support);
    takes = tsr_answer_settle(&support, status, ranked->name, "validate", TSR_REFUSE_VERSION);
    if (!takes)
        add(checking, TSR_FIT_NO, TSR_INCOMPATIBLE,
            "engine '%s' (plugin version %s) cannot run it: %s: compile it again", wanted->name,
            wanted->plugin_version, support.reason);
    else if (support.answer == TSR_SUPPORT_IF)
        add(checking, TSR_FIT_RECOMPILE, TSR_INCOMPATIBLE, "engine '%s' can run it, but: %s",
            wanted->name, support.reason[0] != '\0' ? support.reason : "no reason given");
}

static void check_engines(Checking *checking, GVariant *meta)
{
    g_autoptr(GArray) engines = tsr_om_engines(meta);
    g_autoptr(GArray) clusters = tsr_om_clusters(meta);
    for (guint i = 0; i < engines->len; i++) {
        const TsrOmEngine *engine = &g_array_index(engines, TsrOmEngine, i);
        g_autoptr(GHashTable) asked = g_hash_table_new(g_str_hash, g_str_equal);
        check_engine(checking, engine);
        for (guint k = 0; k < clusters->len; k++) {
            const TsrOmCluster *cluster = &g_array_index(clusters, TsrOmCluster, k);
            if (strcmp(cluster->engine, engine->name) == 0 &&
                g_hash_table_add(asked, cluster->compat))
                check_text(checking, engine, cluster->compat);
        }
        if (g_hash_table_size(asked) == 0) /* it is used below the clusters only */
            check_text(checking, engine, engine->compat);
    }
}

/* ------------------------------------------------------------------ device */

/* The device of the session when it is that of the model. */
static const TsrOpenDevice *check_device(Checking *checking, GVariant *meta)
{
    const char *device = "";
    guint32 lanes = 0, cores = 0;
    g_autoptr(GError) error = NULL;
    const TsrOpenDevice *opened;
    TsrDeviceTraits traits;
    g_variant_lookup(meta, "device", "&s", &device);
    g_variant_lookup(meta, "c0_lanes", "u", &lanes);
    g_variant_lookup(meta, "core_count", "u", &cores);
    if (device[0] == '\0')
        return NULL;
    if (checking->set->device == NULL ||
        strcmp(checking->set->device->device->name, device) != 0) {
        add(checking, TSR_FIT_NO, TSR_NOT_FOUND,
            "was compiled for device '%s', which is not loaded", device);
        return NULL;
    }
    opened = tsr_session_device(checking->session, &error);
    if (opened == NULL) {
        add(checking, TSR_FIT_NO, error != NULL ? error->code : TSR_NOT_FOUND, "%s",
            error != NULL ? error->message : "its device cannot be opened");
        return NULL;
    }
    traits = tsr_device_traits(opened);
    if (traits.c0_lanes != lanes)
        add(checking, TSR_FIT_NO, TSR_INCOMPATIBLE,
            "was compiled for channel blocks of %u, device '%s' has blocks of %u: compile it "
            "again",
            lanes, device, traits.c0_lanes);
    if (traits.core_count != cores)
        add(checking, TSR_FIT_RECOMPILE, TSR_INCOMPATIBLE,
            "was compiled for %u cores of device '%s', which has %u now", cores, device,
            traits.core_count);
    return opened;
}

/* Kernels that tasks name, with the parameters that they bring. */
static void check_kernels(Checking *checking, const TsrOpenDevice *device, GVariant *tasks)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (gsize i = 0; i < g_variant_n_children(tasks); i++) {
        g_autoptr(GVariant) task = g_variant_get_child_value(tasks, i);
        g_autoptr(GVariant) params = NULL;
        g_autoptr(GBytes) bytes = NULL;
        g_autoptr(GError) error = NULL;
        const char *kernel, *name;
        guint32 kind;
        g_variant_get(task, "(uuuuu&s&sa(uutut)@ayt)", &kind, NULL, NULL, NULL, NULL, &kernel,
                      &name, NULL, &params, NULL);
        if (kind != TSR_TASK_KERNEL || !g_hash_table_add(known, (gpointer)g_intern_string(kernel)))
            continue;
        bytes = g_variant_get_data_as_bytes(params);
        if (tsr_device_kernel(device, name, kernel, bytes, &error) == NULL)
            add(checking, TSR_FIT_NO, error->code, "%s: compile it again", error->message);
    }
}

/* The same for tasks of known parts; their engines are those of the whole graph. */
static void check_parts(Checking *checking, const TsrOpenDevice *device, GVariant *meta)
{
    g_autoptr(GVariant) parts = g_variant_lookup_value(
        meta, "parts", G_VARIANT_TYPE(TSR_OM_PARTS_TYPE(TSR_GRAPH_VARIANT_TYPE)));
    for (gsize i = 0; parts != NULL && i < g_variant_n_children(parts); i++) {
        g_autoptr(GVariant) part = g_variant_get_child_value(parts, i);
        g_autoptr(GVariant) program = g_variant_get_child_value(part, 0);
        g_autoptr(GVariant) tasks = g_variant_get_child_value(program, 2);
        check_kernels(checking, device, tasks);
    }
}

/* ------------------------------------------------------------------- whole */

static void check_program(Checking *checking, GVariant *meta, GVariant *tasks)
{
    const TsrOpenDevice *device = check_device(checking, meta);
    const char *producer = "";
    check_engines(checking, meta);
    if (device != NULL) {
        check_kernels(checking, device, tasks);
        check_parts(checking, device, meta);
    }
    g_variant_lookup(meta, "producer", "&s", &producer);
    if (strcmp(producer, "tessera " TSR_VERSION) != 0)
        add(checking, TSR_FIT_RECOMPILE, TSR_INCOMPATIBLE, "'%s' made it, this is tessera %s",
            producer, TSR_VERSION);
}

static gint worst_first(gconstpointer a, gconstpointer b)
{
    return (gint)((const TsrMisfit *)b)->fit - (gint)((const TsrMisfit *)a)->fit;
}

GArray *tsr_fit_check(TsrSession *session, const TsrOmFile *file, GError **error)
{
    g_autoptr(GVariant) meta = tsr_om_section(file, TSR_OM_META, "a{sv}", error);
    g_autoptr(GVariant) tasks =
        meta != NULL ? tsr_om_section(file, TSR_OM_TASKS, TSR_OM_TASKS_TYPE, error) : NULL;
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) misfits = g_array_new(FALSE, FALSE, sizeof(TsrMisfit));
    Checking checking = {session, session->set, seen, misfits};
    const guint gears = tsr_om_gear_count(file);
    g_array_set_clear_func(misfits, misfit_clear);
    if (tasks == NULL)
        return NULL;
    check_program(&checking, meta, tasks);
    for (guint i = 0; i < gears; i++) {
        g_autoptr(GVariant) gear_meta = NULL;
        g_autoptr(GVariant) gear_tasks = NULL;
        if (!tsr_om_gear_tables(file, i, &gear_meta, &gear_tasks, error))
            return NULL;
        check_program(&checking, gear_meta, gear_tasks);
    }
    g_array_sort(misfits, worst_first);
    return g_steal_pointer(&misfits);
}

TsrFit tsr_fit_of(const GArray *misfits)
{
    return misfits->len != 0 ? g_array_index(misfits, TsrMisfit, 0).fit : TSR_FIT_YES;
}

const char *tsr_fit_name(TsrFit fit)
{
    static const char *const names[] = {"fit", "recompile", "unfit"};
    return names[fit];
}

gboolean tsr_session_check_engines(TsrSession *session, const TsrOmFile *file, GError **error)
{
    g_autoptr(GArray) misfits = tsr_fit_check(session, file, error);
    const TsrMisfit *worst;
    if (misfits == NULL)
        return FALSE;
    if (tsr_fit_of(misfits) != TSR_FIT_NO)
        return TRUE;
    worst = &g_array_index(misfits, TsrMisfit, 0);
    g_set_error(error, TSR_ERROR, worst->code, "%s", worst->text);
    return FALSE;
}

gboolean tsr_session_validate(TsrSession *session, const char *path, GError **error)
{
    TsrOmFile file;
    gboolean done;
    if (!tsr_om_open_tables(path, &file, error))
        return FALSE;
    done = tsr_session_check_engines(session, &file, error);
    if (!done)
        g_prefix_error(error, "offline model '%s': ", path);
    tsr_om_close(&file);
    return done;
}

gboolean tsr_session_fit(TsrSession *session, const char *path, TsrFit *out_fit,
                         char ***out_reasons, GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autoptr(GPtrArray) reasons = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) misfits = NULL;
    TsrOmFile file;
    if (tsr_om_open_tables(path, &file, &cause)) {
        misfits = tsr_fit_check(session, &file, &cause);
        if (misfits == NULL)
            g_prefix_error(&cause, "offline model '%s': ", path);
        tsr_om_close(&file);
    }
    /* A file of another format is not damaged, but nothing for us. */
    if (misfits == NULL && cause->code != TSR_INCOMPATIBLE) {
        g_propagate_error(error, g_steal_pointer(&cause));
        return FALSE;
    }
    *out_fit = misfits != NULL ? tsr_fit_of(misfits) : TSR_FIT_NO;
    if (misfits == NULL)
        g_ptr_array_add(reasons, g_strdup(cause->message));
    for (guint i = 0; misfits != NULL && i < misfits->len; i++)
        g_ptr_array_add(reasons, g_strdup(g_array_index(misfits, TsrMisfit, i).text));
    g_ptr_array_add(reasons, NULL);
    if (out_reasons != NULL)
        *out_reasons = (char **)g_ptr_array_steal(reasons, NULL);
    return TRUE;
}
