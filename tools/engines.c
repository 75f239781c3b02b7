/* SPDX-License-Identifier: Apache-2.0
 *
 * engines.c: `tessera engines`: the effective order of engines with where each rank
 * came from, and every plugin with its state and the stored reason.
 */
#include <stdio.h>

#include "options.h"
#include "tools.h"

static void add_string(JsonBuilder *json, const char *name, const char *value)
{
    json_builder_set_member_name(json, name);
    if (value != NULL)
        json_builder_add_string_value(json, value);
    else
        json_builder_add_null_value(json);
}

static void print_json(const TsrPluginSet *set)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    add_string(json, "configuration", set->conf->path);
    json_builder_set_member_name(json, "engines");
    json_builder_begin_array(json);
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        json_builder_begin_object(json);
        add_string(json, "name", ranked->name);
        json_builder_set_member_name(json, "rank");
        json_builder_add_int_value(json, i);
        add_string(json, "source", ranked->source);
        json_builder_set_member_name(json, "default_priority");
        json_builder_add_int_value(json, ranked->engine->default_priority);
        add_string(json, "device", ranked->engine->device);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_set_member_name(json, "plugins");
    json_builder_begin_array(json);
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        json_builder_begin_object(json);
        add_string(json, "name", record->name);
        add_string(json, "state", tsr_plugin_state_name(record->state));
        add_string(json, "path", record->path);
        add_string(json, "version", record->plugin != NULL ? record->plugin->version : NULL);
        add_string(json, "reason", record->reason);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
    tsr_tool_print_json(json);
}

static void print_text(const TsrPluginSet *set)
{
    printf("configuration %s\n\nengines, best first:\n", set->conf->path);
    for (guint i = 0; i < set->engines->len; i++) {
        const TsrRankedEngine *ranked = &g_array_index(set->engines, TsrRankedEngine, i);
        printf("  %u. %-12s rank from %s (its own priority: %d)%s%s\n", i + 1, ranked->name,
               ranked->source, ranked->engine->default_priority,
               ranked->engine->device != NULL ? ", launches on " : "",
               ranked->engine->device != NULL ? ranked->engine->device : "");
    }
    printf("\nplugins:\n");
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        printf("  %-12s %-9s", record->name, tsr_plugin_state_name(record->state));
        if (record->plugin != NULL)
            printf(" %s, %s", record->plugin->version, record->plugin->description);
        if (record->path != NULL)
            printf("\n  %-22s %s", "", record->path);
        if (record->reason != NULL)
            printf("\n  %-22s %s", "", record->reason);
        printf("\n");
    }
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
