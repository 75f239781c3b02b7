/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect.c: `tessera inspect PLUGIN.so`: what a plugin says of itself and offers. A child process
 * looks at it before it is loaded here. --check runs the groups of tessera-plugin-check that need
 * no graph.
 */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "json.h"
#include "options.h"
#include "plugin/loader.h"
#include "plugin/scan.h"
#include "tools.h"

enum { TIMEOUT_MS = 10000 };

static void add_problem(GPtrArray *problems, const char *text)
{
    g_ptr_array_add(problems, g_strdup(text));
}

/* Loads the plugin, if that does no harm. */
static void look(TsrLoadedPlugin *record, GPtrArray *problems)
{
    g_autofree char *why_no_scan = NULL;
    g_autofree char *trouble = NULL;
    g_autofree char *program = tsr_scan_find_program(&why_no_scan);
    const TsrScanOptions options = {program, TIMEOUT_MS, TRUE};
    if (program == NULL)
        fprintf(stderr, "warning: the plugin is loaded unseen: %s\n", why_no_scan);
    if (program == NULL || tsr_scan_plugin(record, &options, &trouble))
        tsr_plugin_open(record);
    if (trouble != NULL)
        fprintf(stderr, "warning: %s\n", trouble);
    if (record->state != TSR_PLUGIN_LOADED)
        add_problem(problems, record->reason != NULL ? record->reason : "it is not loaded");
}

/* ------------------------------------------------------------------- checks */

static void add_failed(JsonArray *checks, guint index, JsonNode *node, gpointer user)
{
    JsonObject *check = json_node_get_object(node);
    const char *reason = json_object_get_string_member_with_default(check, "reason", NULL);
    g_autofree char *text = NULL;
    (void)checks, (void)index;
    if (strcmp(json_object_get_string_member(check, "verdict"), "failed") != 0)
        return;
    text = g_strdup_printf("%s: %s%s%s", json_object_get_string_member(check, "group"),
                           json_object_get_string_member(check, "check"),
                           reason != NULL ? ": " : "", reason != NULL ? reason : "");
    add_problem(user, text);
}

/* The kit lies beside this command. */
static gboolean run_checks(const char *path, GPtrArray *problems, GError **error)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = self != NULL ? g_path_get_dirname(self) : g_strdup(".");
    g_autofree char *kit = g_build_filename(folder, "tessera-plugin-check", NULL);
    const char *const words[] = {kit,    (char *)path, "--json", "--group", "load",
                                 "--group", "lifecycle", "--group", "leaks", NULL};
    g_autofree char *text = NULL;
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autoptr(GError) cause = NULL;
    if (!g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text,
                      NULL, NULL, &cause) ||
        !json_parser_load_from_data(parser, text, -1, &cause)) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "--check: '%s': %s", kit, cause->message);
        return FALSE;
    }
    json_array_foreach_element(
        json_object_get_array_member(json_node_get_object(json_parser_get_root(parser)),
                                     "checks"),
        add_failed, problems);
    return TRUE;
}

/* ------------------------------------------------------------------- output */

static void json_interfaces(JsonBuilder *json, const TsrLoadedPlugin *record)
{
    tsr_json_begin_array(json, "interfaces");
    if (record->engine != NULL)
        json_builder_add_string_value(json, TSR_INTERFACE_ENGINE);
    if (record->selector != NULL)
        json_builder_add_string_value(json, TSR_INTERFACE_FORMAT_SELECTOR);
    if (record->fusion != NULL)
        json_builder_add_string_value(json, TSR_INTERFACE_FUSION);
    if (record->executor != NULL)
        json_builder_add_string_value(json, TSR_INTERFACE_EXECUTOR);
    if (record->device != NULL)
        json_builder_add_string_value(json, TSR_INTERFACE_DEVICE);
    if (record->ops != NULL)
        json_builder_add_string_value(json, TSR_INTERFACE_OPS);
    json_builder_end_array(json);
}

static void json_offers(JsonBuilder *json, const TsrLoadedPlugin *record)
{
    if (record->engine != NULL) {
        tsr_json_begin_object(json, "engine");
        tsr_json_string(json, "name", record->engine->name);
        tsr_json_string(json, "device", record->engine->device);
        tsr_json_int(json, "default_priority", (guint64)record->engine->default_priority);
        tsr_json_int(json, "task_version", record->engine->blob_version);
        json_builder_end_object(json);
    }
    if (record->device != NULL)
        tsr_json_string(json, "device", record->device->name);
    tsr_json_begin_array(json, "fusions");
    for (guint32 i = 0; record->fusion != NULL && i < record->fusion->pass_count; i++)
        json_builder_add_string_value(json, record->fusion->passes[i]->name);
    json_builder_end_array(json);
    tsr_json_int(json, "operators", record->ops != NULL ? record->ops->op_count : 0);
}

static void print_json(const TsrLoadedPlugin *record, const GPtrArray *problems)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_bool(json, "ok", problems->len == 0);
    tsr_json_begin_array(json, "problems");
    for (guint i = 0; i < problems->len; i++)
        json_builder_add_string_value(json, g_ptr_array_index(problems, i));
    json_builder_end_array(json);
    tsr_json_string(json, "path", record->path);
    if (record->plugin != NULL) {
        tsr_json_string(json, "name", record->plugin->name);
        tsr_json_string(json, "version", record->plugin->version);
        tsr_json_string(json, "vendor", record->plugin->vendor);
        tsr_json_string(json, "license", record->plugin->license);
        tsr_json_string(json, "description", record->plugin->description);
        tsr_json_int(json, "abi_major", record->plugin->abi_major);
        tsr_json_int(json, "abi_minor", record->plugin->abi_minor);
        json_interfaces(json, record);
        json_offers(json, record);
    }
    json_builder_end_object(json);
    tsr_json_print(json);
}

static const char *or_none(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : "-";
}

static void print_text(const TsrLoadedPlugin *record, const GPtrArray *problems)
{
    const TsrPlugin *plugin = record->plugin;
    printf("%s\n", record->path);
    if (plugin != NULL)
        printf("  %s %s, ABI %u.%u, by %s, licence %s\n  %s\n", plugin->name, plugin->version,
               plugin->abi_major, plugin->abi_minor, or_none(plugin->vendor),
               or_none(plugin->license), or_none(plugin->description));
    if (record->engine != NULL)
        printf("  engine %s, priority %d, tasks of version %u, %s%s\n", record->engine->name,
               record->engine->default_priority, record->engine->blob_version,
               record->engine->device != NULL ? "on device " : "on the host",
               record->engine->device != NULL ? record->engine->device : "");
    if (record->selector != NULL)
        printf("  selector %s\n", record->selector->name);
    if (record->executor != NULL)
        printf("  executor\n");
    if (record->device != NULL)
        printf("  device %s\n", record->device->name);
    for (guint32 i = 0; record->fusion != NULL && i < record->fusion->pass_count; i++)
        printf("  fusion %s: %s\n", record->fusion->passes[i]->name,
               or_none(record->fusion->passes[i]->description));
    if (record->ops != NULL)
        printf("  operators: %u\n", record->ops->op_count);
    for (guint i = 0; i < problems->len; i++)
        printf("  problem: %s\n", (const char *)g_ptr_array_index(problems, i));
}

/* --------------------------------------------------------------- subcommand */

static int inspect(const TsrToolOptions *options, const char *file, gboolean check)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    TsrLoadedPlugin *record = g_new0(TsrLoadedPlugin, 1);
    GError *error = NULL;
    record->path = g_canonicalize_filename(file, NULL);
    record->name = g_path_get_basename(file);
    if (g_str_has_suffix(record->name, ".so"))
        record->name[strlen(record->name) - 3] = '\0';
    look(record, problems);
    if (check && record->state == TSR_PLUGIN_LOADED &&
        !run_checks(record->path, problems, &error)) {
        tsr_plugin_free(record);
        return tsr_tool_fail(error);
    }
    if (options->json)
        print_json(record, problems);
    else
        print_text(record, problems);
    if (problems->len != 0)
        g_set_error(&error, TSR_ERROR, TSR_INCOMPATIBLE, "plugin '%s': %s", record->path,
                    (const char *)g_ptr_array_index(problems, 0));
    tsr_plugin_free(record);
    return error == NULL ? TSR_EXIT_DONE : tsr_tool_fail(error);
}

int tsr_tool_inspect(int argc, char **argv)
{
    TsrToolOptions options = {0};
    gboolean check = FALSE;
    const GOptionEntry own[] = {
        {"check", 0, 0, G_OPTION_ARG_NONE, &check,
         "runs every check of tessera-plugin-check that needs no graph", NULL},
        {0},
    };
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, own, FALSE, "PLUGIN.so",
                           "Tells what a plugin offers.", 1, 1))
        status = TSR_EXIT_USAGE;
    else
        status = inspect(&options, argv[1], check);
    tsr_options_clear(&options);
    return status;
}
