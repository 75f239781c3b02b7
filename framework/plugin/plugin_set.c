/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin_set.c: see plugin_set.h.
 */
#include "plugin/plugin_set.h"

#include <string.h>

#include "base/error.h"
#include "plugin/rank.h"
#include "plugin/scan.h"
#include "plugin/search.h"
#include "plugin/virtual_device.h"

void tsr_plugin_set_warn(TsrPluginSet *set, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_ptr_array_add(set->warnings, g_strdup_vprintf(format, args));
    va_end(args);
}

enum { SCAN_TIMEOUT_MS = 5000 };

/* Looks at the plugin in a child process first, unless that is switched off or cannot be done,
 * which is told once. FALSE: it is refused. */
static gboolean passes_scan(TsrPluginSet *set, TsrLoadedPlugin *record, gboolean rescan)
{
    g_autofree char *trouble = NULL;
    TsrScanOptions options = {.rescan = rescan, .timeout_ms = SCAN_TIMEOUT_MS};
    gboolean passes = TRUE;
    record->looked_at = "in process";
    if (set->conf->no_scan || set->scan_failed)
        return TRUE;
    if (set->scan_program == NULL)
        set->scan_program = tsr_scan_find_program(&trouble);
    options.program = set->scan_program;
    if (set->conf->scan_timeout_s != 0)
        options.timeout_ms = set->conf->scan_timeout_s * 1000;
    if (options.program != NULL)
        passes = tsr_scan_plugin(record, &options, &trouble);
    if (trouble != NULL) {
        set->scan_failed = TRUE;
        tsr_plugin_set_warn(set,
                            "plugins are loaded without a look at them in a process of their "
                            "own: %s",
                            trouble);
    }
    return passes;
}

/* Finds the files of a plugin; FALSE: it is missing, or its manifest refuses it. */
static gboolean find_plugin(TsrPluginSet *set, TsrLoadedPlugin *record)
{
    guint at = 0;
    g_autoptr(TsrFoundPlugin) found = tsr_search_find(set->searched, record->name, &at);
    g_autoptr(TsrFoundPlugin) other = NULL;
    g_autoptr(GError) error = NULL;
    if (found == NULL) {
        record->state = TSR_PLUGIN_MISSING;
        record->reason = tsr_search_missing_text(set->searched, record->name);
        return FALSE;
    }
    record->path = g_strdup(found->path);
    while (record->shadowed == NULL &&
           (other = tsr_search_find(set->searched, record->name, &at)) != NULL) {
        if (strcmp(other->path, found->path) != 0)
            record->shadowed = g_strdup(other->path);
        g_clear_pointer(&other, tsr_found_plugin_free);
    }
    if (!found->is_manifest)
        return TRUE;
    record->manifest = tsr_manifest_load(found->path, &error);
    record->looked_at = "manifest";
    if (record->manifest == NULL)
        return tsr_plugin_set_fault(record, TSR_FAULT_MANIFEST, error->message);
    g_free(record->path);
    record->path = g_strdup(record->manifest->library);
    if (strcmp(record->manifest->name, record->name) != 0) {
        g_autofree char *text = g_strdup_printf(
            "manifest '%s' is of a plugin '%s', but the configuration calls it '%s'", found->path,
            record->manifest->name, record->name);
        return tsr_plugin_set_fault(record, TSR_FAULT_MANIFEST, text);
    }
    if (record->manifest->abi_major != TSR_ABI_MAJOR) {
        g_autofree char *text = g_strdup_printf(
            "manifest '%s' says plugin ABI %u, this host speaks %u.%u: rebuild the plugin against "
            "this version's headers",
            found->path, record->manifest->abi_major, TSR_ABI_MAJOR, TSR_ABI_MINOR);
        return tsr_plugin_set_fault(record, TSR_FAULT_ABI, text);
    }
    return TRUE;
}

/* Whether the user switched off the engine that the plugin brings, as far as its name or its
 * manifest tells. */
static gboolean is_off(const TsrPluginSet *set, const TsrLoadedPlugin *record)
{
    char *const none[] = {NULL}, *const *engines = none;
    if (record->manifest != NULL && record->manifest->engines != NULL)
        engines = record->manifest->engines;
    for (guint i = 0; engines[i] != NULL; i++)
        if (tsr_rank_rule(set->conf, engines[i]) == TSR_RULE_OFF)
            return TRUE;
    return tsr_rank_rule(set->conf, record->name) == TSR_RULE_OFF;
}

static void load_plugin(TsrPluginSet *set, const char *name, gboolean rescan)
{
    TsrLoadedPlugin *record = g_new0(TsrLoadedPlugin, 1);
    gboolean found;
    record->name = g_strdup(name);
    g_ptr_array_add(set->plugins, record);
    found = find_plugin(set, record);
    if (g_hash_table_contains(set->conf->switched_off, name) || is_off(set, record)) {
        record->state = TSR_PLUGIN_DISABLED;
        g_free(record->reason);
        record->reason = g_hash_table_contains(set->conf->switched_off, name)
                             ? g_strdup_printf("switched off in '%s'", set->conf->path)
                             : g_strdup("its engine is off");
        return;
    }
    if (record->state == TSR_PLUGIN_MISSING) {
        tsr_plugin_set_warn(set, "plugin '%s': %s", name, record->reason);
        return;
    }
    if (found && passes_scan(set, record, rescan))
        tsr_plugin_open(record);
    if (record->state == TSR_PLUGIN_LOADED && record->manifest != NULL) {
        g_autoptr(GError) error = NULL;
        if (!tsr_manifest_check(record->manifest, record, &error))
            tsr_plugin_refuse(record, TSR_FAULT_MANIFEST, error->message);
    }
    if (record->state == TSR_PLUGIN_LOADED && record->ops != NULL) {
        g_autoptr(GError) error = NULL;
        if (!tsr_op_registry_add(set->registry, record->ops, name, &error))
            tsr_plugin_refuse(record, TSR_FAULT_OPS, error->message);
    }
    if (record->state == TSR_PLUGIN_REFUSED)
        tsr_plugin_set_warn(set, "plugin '%s' ('%s') is refused: %s%s", name, record->path,
                            record->reason,
                            strcmp(record->looked_at, "cached") == 0
                                ? " (known from before; --rescan looks again)"
                                : "");
}

/* A custom operator is asked for by name, so one that cannot be had is an error. */
static gboolean load_custom_ops(TsrPluginSet *set, GError **error)
{
    set->custom = tsr_custom_ops_new();
    /* Graphs borrow its definitions, and may outlive the set. */
    tsr_op_registry_keep(set->registry, set->custom, (GDestroyNotify)tsr_custom_ops_free);
    for (guint i = 0; i < set->conf->custom_ops->len; i++)
        if (!tsr_custom_ops_add(set->custom, g_ptr_array_index(set->conf->custom_ops, i), error))
            return FALSE;
    return tsr_op_registry_add(set->registry, tsr_custom_ops_table(set->custom),
                               TSR_CUSTOM_ENGINE, error);
}

static void choose_device(TsrPluginSet *set)
{
    if (set->declared != NULL) {
        set->device = set->declared;
        return;
    }
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (record->state != TSR_PLUGIN_LOADED || record->device == NULL)
            continue;
        if (set->conf->device == NULL || strcmp(record->device->name, set->conf->device) == 0) {
            set->device = record;
            return;
        }
    }
}

/* Two plugins may bring engines of one name; the first is the one. */
static void warn_repeated_engines(TsrPluginSet *set)
{
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        const TsrRankedEngine *ranked =
            record->state == TSR_PLUGIN_LOADED && record->engine != NULL
                ? tsr_plugin_set_find_engine(set, record->engine->name)
                : NULL;
        if (ranked != NULL && ranked->plugin != record)
            tsr_plugin_set_warn(set,
                                "engine '%s' is brought by plugin '%s' ('%s') and by '%s' ('%s'); "
                                "the first is used",
                                ranked->name, ranked->plugin->name, ranked->plugin->path,
                                record->name, record->path);
    }
}

TsrPluginSet *tsr_plugin_set_new(const TsrPluginOptions *options, const TsrOps *const *builtin,
                                 guint32 builtin_count, GError **error)
{
    g_autoptr(TsrPluginSet) set = g_new0(TsrPluginSet, 1);
    g_autofree char *default_path =
        options->conf_path == NULL ? tsr_conf_default_path() : NULL;
    const char *path = options->conf_path != NULL ? options->conf_path : default_path;

    set->registry = tsr_op_registry_new();
    set->plugins = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_plugin_free);
    set->engines = g_array_new(FALSE, FALSE, sizeof(TsrRankedEngine));
    set->warnings = g_ptr_array_new_with_free_func(g_free);
    if (path == NULL) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "no plugins.conf: none is named, and none lies beside the library");
        return NULL;
    }
    set->conf = tsr_conf_load(path, error);
    if (set->conf == NULL)
        return NULL;
    if (!tsr_rank_read_modes(set->conf, options->engine_modes, error) ||
        !tsr_pins_add_options(set->conf->pins, options->pins, error))
        return NULL;
    if (options->placement != NULL &&
        !tsr_conf_read_placement(options->placement, &set->conf->by_cost)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "--placement: wanted priority or cost, got '%s'", options->placement);
        return NULL;
    }
    if (options->device_file != NULL) {
        set->declared = tsr_virtual_device_new(options->device_file, error);
        if (set->declared == NULL)
            return NULL;
    }
    set->searched = tsr_search_dirs(set->conf);
    set->fallback = TSR_FALLBACK_WARN;
    if (set->conf->fallback != NULL)
        set->fallback = strcmp(set->conf->fallback, "strict") == 0 ? TSR_FALLBACK_STRICT
                        : strcmp(set->conf->fallback, "silent") == 0 ? TSR_FALLBACK_SILENT
                                                                     : TSR_FALLBACK_WARN;
    if (options->fallback >= 0)
        set->fallback = (TsrFallback)options->fallback;
    for (guint32 i = 0; i < builtin_count; i++)
        if (!tsr_op_registry_add(set->registry, builtin[i], "builtin", error))
            return NULL;
    for (guint i = 0; i < set->conf->plugins->len; i++)
        load_plugin(set, g_ptr_array_index(set->conf->plugins, i), options->rescan);
    if (!load_custom_ops(set, error))
        return NULL;
    choose_device(set);
    if (!tsr_rank_engines(set, options, error))
        return NULL;
    warn_repeated_engines(set);
    return g_steal_pointer(&set);
}

void tsr_plugin_set_free(TsrPluginSet *set)
{
    if (set == NULL)
        return;
    g_clear_pointer(&set->engines, g_array_unref);
    g_clear_pointer(&set->plugins, g_ptr_array_unref);
    g_clear_pointer(&set->warnings, g_ptr_array_unref);
    g_clear_pointer(&set->searched, g_ptr_array_unref);
    tsr_op_registry_unref(set->registry);
    tsr_virtual_device_free(set->declared);
    tsr_conf_free(set->conf);
    g_free(set->scan_program);
    g_free(set);
}

const TsrRankedEngine *tsr_plugin_set_find_engine(const TsrPluginSet *set, const char *name)
{
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        if (g_ascii_strcasecmp(ranked->name, name) == 0)
            return ranked;
    }
    return NULL;
}

static gboolean is_listed(const TsrPluginSet *set, const char *name)
{
    for (guint i = 0; i < set->plugins->len; i++)
        if (strcmp(((TsrLoadedPlugin *)g_ptr_array_index(set->plugins, i))->name, name) == 0)
            return TRUE;
    return FALSE;
}

GPtrArray *tsr_plugin_set_unlisted(const TsrPluginSet *set)
{
    GPtrArray *manifests = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_manifest_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < set->searched->len; i++) {
        g_autoptr(GPtrArray) list = tsr_search_list(g_ptr_array_index(set->searched, i));
        for (guint k = 0; k < list->len; k++) {
            const TsrFoundPlugin *found = g_ptr_array_index(list, k);
            TsrManifest *manifest;
            if (!found->is_manifest || is_listed(set, found->name) ||
                g_hash_table_contains(seen, found->name))
                continue;
            manifest = tsr_manifest_load(found->path, NULL);
            if (manifest == NULL)
                continue; /* what nobody asked for may be broken */
            g_ptr_array_add(manifests, manifest);
            g_hash_table_add(seen, manifest->name);
        }
    }
    return manifests;
}

const TsrLoadedPlugin *tsr_plugin_set_reference(const TsrPluginSet *set)
{
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (record->state == TSR_PLUGIN_LOADED && record->engine != NULL &&
            (record->engine->flags & TSR_ENGINE_REFERENCE) != 0)
            return record;
    }
    return NULL;
}

static gboolean serves(const TsrPluginSet *set, const TsrLoadedPlugin *record,
                       const char *engine, gboolean foreign)
{
    const char *word = g_hash_table_lookup(set->conf->selectors, record->name);
    const gboolean names_one = TSR_HAS(record->selector, engine);
    if (record->selector == NULL || names_one != foreign || g_strcmp0(word, "off") == 0)
        return FALSE;
    return names_one ? g_ascii_strcasecmp(record->selector->engine, engine) == 0
                     : record->engine != NULL && strcmp(record->engine->name, engine) == 0;
}

GPtrArray *tsr_plugin_set_selectors(const TsrPluginSet *set, const char *engine)
{
    GPtrArray *found = g_ptr_array_new();
    for (int foreign = 1; foreign >= 0; foreign--)
        for (guint i = 0; i < set->plugins->len; i++) {
            const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
            if (record->state == TSR_PLUGIN_LOADED && serves(set, record, engine, foreign))
                g_ptr_array_add(found, (gpointer)record->selector);
        }
    return found;
}

gboolean tsr_plugin_set_check_device(const TsrPluginSet *set, GError **error)
{
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        const char *wanted = ranked->engine->device, *why = "no plugin of that name is listed";
        if (wanted == NULL ||
            (set->device != NULL && strcmp(set->device->device->name, wanted) == 0))
            continue;
        for (guint k = 0; k < set->plugins->len; k++) {
            const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, k);
            if (strcmp(record->name, wanted) == 0 && record->reason != NULL)
                why = record->reason;
        }
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "engine '%s' launches on device '%s', which is not there: %s", ranked->name,
                    wanted, why);
        return FALSE;
    }
    return TRUE;
}

guint64 tsr_plugin_set_inplace(const TsrPluginSet *set, TsrNode *node, guint32 output)
{
    const TsrRankedEngine *ranked =
        node->kind == TSR_NODE_OPERATOR && node->engine != NULL
            ? tsr_plugin_set_find_engine(set, node->engine)
            : NULL;
    const TsrExecutor *executor = ranked != NULL ? ranked->plugin->executor : NULL;
    return TSR_HAS(executor, inplace)
               ? executor->inplace(executor, tsr_node_view(node), output)
               : 0;
}
