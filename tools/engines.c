/* SPDX-License-Identifier: Apache-2.0
 *
 * engines.c: `tessera engines`: the effective order of engines with where each rank
 * came from, and every plugin with its state and the stored reason.
 */
#include <stdio.h>

#include "json.h"
#include "options.h"
#include "plugin/rank.h"
#include "tools.h"

/* What is not loaded is known by its manifest. */
static const char *version_of(const TsrLoadedPlugin *record)
{
    return record->plugin != NULL     ? record->plugin->version
           : record->manifest != NULL ? record->manifest->version
                                      : NULL;
}

static const char *description_of(const TsrLoadedPlugin *record)
{
    return record->plugin != NULL     ? record->plugin->description
           : record->manifest != NULL ? record->manifest->description
                                      : NULL;
}

/* The user's word on an engine, or NULL. */
static const char *rule_name(const TsrPluginSet *set, const char *engine)
{
    static const char *const names[] = {NULL, "off", "allow", "deny", "require"};
    return names[tsr_rank_rule(set->conf, engine)];
}

/* Who says what an engine's own priority is. */
static const char *number_source(const TsrLoadedPlugin *record)
{
    return record->manifest != NULL && record->manifest->has_priority ? "manifest and library"
                                                                      : "library";
}

static char *unused_reason(const TsrPluginSet *set, const TsrLoadedPlugin *record)
{
    return record->state == TSR_PLUGIN_LOADED && record->engine != NULL
               ? tsr_rank_unused_reason(set, record)
               : NULL;
}

static void print_json(const TsrPluginSet *set)
{
    g_autoptr(GPtrArray) unlisted = tsr_plugin_set_unlisted(set);
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_string(json, "configuration", set->conf->path);
    tsr_json_begin_array(json, "engines");
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", ranked->name);
        tsr_json_int(json, "rank", i);
        tsr_json_string(json, "source", ranked->source);
        tsr_json_string(json, "rule", rule_name(set, ranked->name));
        tsr_json_int(json, "default_priority", ranked->engine->default_priority);
        tsr_json_string(json, "default_priority_source", number_source(ranked->plugin));
        tsr_json_string(json, "plugin", ranked->plugin->name);
        tsr_json_string(json, "device", ranked->engine->device);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    tsr_json_begin_array(json, "unused_engines");
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        g_autofree char *reason = unused_reason(set, record);
        if (reason == NULL)
            continue;
        json_builder_begin_object(json);
        tsr_json_string(json, "name", record->engine->name);
        tsr_json_string(json, "plugin", record->name);
        tsr_json_string(json, "reason", reason);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    tsr_json_begin_array(json, "plugins");
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", record->name);
        tsr_json_string(json, "state", tsr_plugin_state_name(record->state));
        tsr_json_string(json, "path", record->path);
        tsr_json_string(json, "manifest",
                        record->manifest != NULL ? record->manifest->path : NULL);
        tsr_json_string(json, "version", version_of(record));
        tsr_json_string(json, "description", description_of(record));
        tsr_json_string(json, "shadowed", record->shadowed);
        tsr_json_string(json, "reason", record->reason);
        tsr_json_string(json, "fault", record->state == TSR_PLUGIN_REFUSED
                                           ? tsr_plugin_fault_name(record->fault)
                                           : NULL);
        tsr_json_string(json, "looked_at", record->looked_at);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    tsr_json_begin_array(json, "unlisted");
    for (guint i = 0; i < unlisted->len; i++) {
        const TsrManifest *manifest = g_ptr_array_index(unlisted, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", manifest->name);
        tsr_json_string(json, "manifest", manifest->path);
        tsr_json_string(json, "version", manifest->version);
        tsr_json_string(json, "description", manifest->description);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
    tsr_json_print(json);
}

static void print_unused(const TsrPluginSet *set)
{
    gboolean first = TRUE;
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        g_autofree char *reason = unused_reason(set, record);
        if (reason == NULL)
            continue;
        printf("%s  %-15s %s\n", first ? "\nengines that are not used:\n" : "",
               record->engine->name, reason);
        first = FALSE;
    }
}

static void print_unlisted(const TsrPluginSet *set)
{
    g_autoptr(GPtrArray) unlisted = tsr_plugin_set_unlisted(set);
    if (unlisted->len != 0)
        printf("\nfound, but not in [plugins] of the configuration:\n");
    for (guint i = 0; i < unlisted->len; i++) {
        const TsrManifest *manifest = g_ptr_array_index(unlisted, i);
        printf("  %-12s %s%s%s\n  %-22s %s\n", manifest->name, manifest->version,
               manifest->description != NULL ? ", " : "",
               manifest->description != NULL ? manifest->description : "", "", manifest->path);
    }
}

static void print_text(const TsrPluginSet *set)
{
    printf("configuration %s\n\nengines, best first:\n", set->conf->path);
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        printf("  %u. %-12s rank from %s (its own priority: %d, by its %s)%s%s%s%s\n", i + 1,
               ranked->name, ranked->source, ranked->engine->default_priority,
               number_source(ranked->plugin), rule_name(set, ranked->name) != NULL ? ", " : "",
               rule_name(set, ranked->name) != NULL ? rule_name(set, ranked->name) : "",
               ranked->engine->device != NULL ? ", launches on " : "",
               ranked->engine->device != NULL ? ranked->engine->device : "");
    }
    print_unused(set);
    printf("\nplugins:\n");
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        printf("  %-12s %-9s", record->name, tsr_plugin_state_name(record->state));
        if (version_of(record) != NULL)
            printf(" %s", version_of(record));
        if (description_of(record) != NULL)
            printf(", %s", description_of(record));
        if (record->path != NULL)
            printf("\n  %-22s %s", "", record->path);
        if (record->shadowed != NULL)
            printf("\n  %-22s before %s, which is not used", "", record->shadowed);
        if (record->reason != NULL && record->state == TSR_PLUGIN_REFUSED)
            printf("\n  %-22s %s (%s): %s", "", tsr_plugin_fault_name(record->fault),
                   record->looked_at, record->reason);
        else if (record->reason != NULL)
            printf("\n  %-22s %s", "", record->reason);
        printf("\n");
    }
    print_unlisted(set);
}

int tsr_tool_engines(int argc, char **argv)
{
    TsrToolOptions options = {0};
    g_autoptr(TsrSession) session = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, NULL, FALSE, "",
                           "Lists engines in their effective order, and plugins.", 0, 0)) {
        status = TSR_EXIT_USAGE;
    } else if ((session = tsr_options_session(&options)) != NULL) {
        status = TSR_EXIT_DONE;
        if (options.json)
            print_json(session->set);
        else
            print_text(session->set);
    }
    tsr_options_clear(&options);
    return status;
}
