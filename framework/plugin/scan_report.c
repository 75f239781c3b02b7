/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_report.c: see scan_report.h.
 */
#include "plugin/scan_report.h"

#include <string.h>

#define PLUGIN_GROUP "plugin"


const char *tsr_scan_build(void)
{
    static char text[64];
    static gsize once;
    if (g_once_init_enter(&once)) {
        g_snprintf(text, sizeof(text), "%u.%u/%d/%s", TSR_ABI_MAJOR, TSR_ABI_MINOR,
                   TSR_BUILD_SANITIZER, TSR_VERSION);
        g_once_init_leave(&once, 1);
    }
    return text;
}

static void set_text(GKeyFile *report, const char *group, const char *key, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text != NULL ? text : "", -1);
    g_key_file_set_string(report, group, key, valid);
}

static void add_descriptor(GKeyFile *report, const TsrLoadedPlugin *record)
{
    const TsrPlugin *plugin = record->plugin;
    const struct {
        const char *name;
        gconstpointer table;
    } interfaces[] = {
        {"engine", record->engine},     {"format_selector", record->selector},
        {"fusion", record->fusion},     {"executor", record->executor},
        {"device", record->device},     {"ops", record->ops},
    };
    g_autoptr(GString) list = g_string_new(NULL);
    const struct {
        const char *key, *text;
    } texts[] = {
        {"name", plugin->name},       {"version", plugin->version}, {"vendor", plugin->vendor},
        {"license", plugin->license}, {"url", plugin->url},
        {"description", plugin->description},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        set_text(report, PLUGIN_GROUP, texts[i].key, texts[i].text);
    g_key_file_set_uint64(report, PLUGIN_GROUP, "abi_major", plugin->abi_major);
    g_key_file_set_uint64(report, PLUGIN_GROUP, "abi_minor", plugin->abi_minor);
    for (gsize i = 0; i < G_N_ELEMENTS(interfaces); i++)
        if (interfaces[i].table != NULL)
            g_string_append_printf(list, "%s;", interfaces[i].name);
    g_key_file_set_value(report, PLUGIN_GROUP, "interfaces", list->str);
    if (record->engine != NULL) {
        set_text(report, PLUGIN_GROUP, "engine", record->engine->name);
        g_key_file_set_integer(report, PLUGIN_GROUP, "default_priority",
                               record->engine->default_priority);
    }
}

GKeyFile *tsr_scan_report_new(const TsrLoadedPlugin *record)
{
    GKeyFile *report = g_key_file_new();
    tsr_scan_report_set_fault(report, record->fault, record->reason);
    if (record->plugin != NULL)
        add_descriptor(report, record);
    return report;
}

void tsr_scan_report_set_fault(GKeyFile *report, TsrPluginFault fault, const char *reason)
{
    set_text(report, TSR_SCAN_GROUP, "fault", tsr_plugin_fault_name(fault));
    set_text(report, TSR_SCAN_GROUP, "reason", reason);
}

TsrPluginFault tsr_scan_report_fault(GKeyFile *report)
{
    g_autofree char *name = g_key_file_get_string(report, TSR_SCAN_GROUP, "fault", NULL);
    int fault = 0;
    while (fault < TSR_FAULT_COUNT &&
           g_strcmp0(name, tsr_plugin_fault_name((TsrPluginFault)fault)) != 0)
        fault++;
    return (TsrPluginFault)fault;
}
