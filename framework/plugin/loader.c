/* SPDX-License-Identifier: Apache-2.0
 *
 * loader.c: see loader.h. Mandatory slots of each interface are rows of a table;
 * a report lists all that are missing.
 */
#include "plugin/loader.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ir/op_registry.h"
#include "plugin/host.h"
#include "plugin/manifest.h"

typedef struct Slot {
    const char *name;
    gsize offset;
} Slot;

#define SLOT(type, field) {#field, offsetof(type, field)}

static const Slot engine_slots[] = {SLOT(TsrEngine, name), SLOT(TsrEngine, check)};
static const Slot selector_slots[] = {SLOT(TsrFormatSelector, name),
                                      SLOT(TsrFormatSelector, columns)};
static const Slot device_slots[] = {
    SLOT(TsrDevice, name),           SLOT(TsrDevice, open),
    SLOT(TsrDevice, close),          SLOT(TsrDevice, get_info),
    SLOT(TsrDevice, memory_alloc),   SLOT(TsrDevice, memory_free),
    SLOT(TsrDevice, kernel_find),    SLOT(TsrDevice, stream_create),
    SLOT(TsrDevice, stream_destroy), SLOT(TsrDevice, launch),
    SLOT(TsrDevice, stream_synchronize), SLOT(TsrDevice, event_create),
    SLOT(TsrDevice, event_destroy),  SLOT(TsrDevice, event_record),
    SLOT(TsrDevice, event_wait),     SLOT(TsrDevice, event_query),
    SLOT(TsrDevice, model_load),     SLOT(TsrDevice, model_execute),
    SLOT(TsrDevice, model_unload),   SLOT(TsrDevice, parallel),
};
static const Slot text_slots[] = {
    SLOT(TsrPlugin, name),    SLOT(TsrPlugin, version), SLOT(TsrPlugin, vendor),
    SLOT(TsrPlugin, license), SLOT(TsrPlugin, url),     SLOT(TsrPlugin, description),
    SLOT(TsrPlugin, get_interface),
};

/* Names of the slots that a table does not reach or leaves NULL; NULL when all are
 * there. Every slot listed is a pointer. (transfer full) */
static char *missing_slots(gconstpointer table, const Slot *slots, gsize count)
{
    guint32 struct_size = *(const guint32 *)table;
    GString *missing = NULL;
    for (gsize i = 0; i < count; i++) {
        gconstpointer filled = NULL;
        if (struct_size >= slots[i].offset + sizeof(filled))
            memcpy(&filled, (const char *)table + slots[i].offset, sizeof(filled));
        if (filled != NULL)
            continue;
        if (missing == NULL)
            missing = g_string_new(NULL);
        g_string_append_printf(missing, "%s%s", missing->len != 0 ? ", " : "", slots[i].name);
    }
    return missing != NULL ? g_string_free(missing, FALSE) : NULL;
}

static gboolean G_GNUC_PRINTF(3, 4) refuse(TsrLoadedPlugin *record, TsrPluginFault fault,
                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_free(record->reason);
    record->reason = g_strdup_vprintf(format, args);
    va_end(args);
    record->state = TSR_PLUGIN_REFUSED;
    record->fault = fault;
    return FALSE;
}

static void enter(const TsrLoadedPlugin *record, const char *step)
{
    if (record->watch != NULL)
        record->watch(step);
}

static gboolean check_table(TsrLoadedPlugin *record, const char *interface, gconstpointer table,
                            const Slot *slots, gsize count)
{
    g_autofree char *missing = table != NULL ? missing_slots(table, slots, count) : NULL;
    if (missing == NULL)
        return TRUE;
    return refuse(record, TSR_FAULT_MISSING_SLOTS, "interface %s lacks mandatory slots: %s",
                  interface, missing);
}

static gboolean check_descriptor(TsrLoadedPlugin *record)
{
    const TsrPlugin *plugin = record->plugin;
    g_autofree char *missing = NULL;
    if (plugin->struct_size < offsetof(TsrPlugin, name))
        return refuse(record, TSR_FAULT_DESCRIPTOR,
                      "descriptor is %u bytes long, wanted at least %zu", plugin->struct_size,
                      offsetof(TsrPlugin, name));
    if (plugin->abi_major != TSR_ABI_MAJOR)
        return refuse(record, TSR_FAULT_ABI,
                      "speaks plugin ABI %u.%u, this host speaks %u.%u: rebuild the plugin "
                      "against this version's headers",
                      plugin->abi_major, plugin->abi_minor, TSR_ABI_MAJOR, TSR_ABI_MINOR);
    if (plugin->pointer_bits != 8 * sizeof(gpointer) || plugin->byte_order != 0x01020304u)
        return refuse(record, TSR_FAULT_BUILD, "is built for another machine (%u-bit pointers)",
                      plugin->pointer_bits);
    if (plugin->sanitizer != TSR_BUILD_SANITIZER)
        return refuse(record, TSR_FAULT_BUILD,
                      "is built with sanitizer kind %u, this host with %d", plugin->sanitizer,
                      TSR_BUILD_SANITIZER);
    missing = missing_slots(plugin, text_slots, G_N_ELEMENTS(text_slots));
    if (missing != NULL)
        return refuse(record, TSR_FAULT_DESCRIPTOR, "descriptor lacks mandatory fields: %s",
                      missing);
    if (strcmp(plugin->name, record->name) != 0)
        return refuse(record, TSR_FAULT_DESCRIPTOR,
                      "calls itself '%s', but the configuration calls it '%s'", plugin->name,
                      record->name);
    return TRUE;
}

static gboolean works_on_anyone(const TsrFusionPass *pass)
{
    return TSR_HAS(pass, stage) && (pass->stage == TSR_STAGE_BEFORE_FORMATS ||
                                    pass->stage == TSR_STAGE_AFTER_FORMATS);
}

/* Far above what anybody has; a larger number is no count. */
enum { PASSES_MAX = 4096, ROOTS_MAX = 4096, PRIORITY_MAX = 100 };

static gboolean check_pass(TsrLoadedPlugin *record, const TsrFusionPass *pass, guint32 index)
{
    if (!TSR_HAS(pass, apply) || pass->name == NULL)
        return refuse(record, TSR_FAULT_MISSING_SLOTS,
                      "fusion pass %u lacks its name or apply", index);
    if (pass->root_count > ROOTS_MAX || (pass->root_count != 0 && pass->root_ops == NULL))
        return refuse(record, TSR_FAULT_NONSENSE,
                      "fusion pass '%s' says that it has %u root operators, at %p; wanted at "
                      "most %d and where they are",
                      pass->name, pass->root_count, (const void *)pass->root_ops, ROOTS_MAX);
    for (guint32 i = 0; i < pass->root_count; i++)
        if (pass->root_ops[i] == NULL)
            return refuse(record, TSR_FAULT_NONSENSE,
                          "fusion pass '%s': root operator %u of %u has no name", pass->name, i,
                          pass->root_count);
    if (record->engine == NULL && !works_on_anyone(pass))
        return refuse(record, TSR_FAULT_DESCRIPTOR,
                      "fusion pass '%s' works on nodes of its plugin's engine, and the "
                      "plugin has none",
                      pass->name);
    return TRUE;
}

static gboolean check_fusion(TsrLoadedPlugin *record)
{
    const TsrFusion *fusion = record->fusion;
    const guint32 count = fusion != NULL ? fusion->pass_count : 0;
    if (count > PASSES_MAX || (count != 0 && !TSR_HAS(fusion, passes)))
        return refuse(record, TSR_FAULT_NONSENSE,
                      "interface %s says that it has %u passes, and %s; wanted at most %d and "
                      "where they are",
                      TSR_INTERFACE_FUSION, count,
                      TSR_HAS(fusion, passes) ? "shows where" : "shows none", PASSES_MAX);
    for (guint32 i = 0; i < count; i++)
        if (!check_pass(record, fusion->passes[i], i))
            return FALSE;
    return TRUE;
}

static gboolean check_ops(TsrLoadedPlugin *record)
{
    g_autoptr(GError) error = NULL;
    if (record->ops == NULL || tsr_op_registry_check(record->ops, record->name, &error))
        return TRUE;
    return refuse(record, TSR_FAULT_OPS, "%s", error->message);
}

static gboolean read_interfaces(TsrLoadedPlugin *record)
{
    const TsrPlugin *plugin = record->plugin;
    record->engine = plugin->get_interface(plugin, TSR_INTERFACE_ENGINE, TSR_INTERFACE_VERSION);
    record->selector = plugin->get_interface(plugin, TSR_INTERFACE_FORMAT_SELECTOR,
                                             TSR_INTERFACE_VERSION);
    record->fusion = plugin->get_interface(plugin, TSR_INTERFACE_FUSION, TSR_INTERFACE_VERSION);
    record->executor =
        plugin->get_interface(plugin, TSR_INTERFACE_EXECUTOR, TSR_INTERFACE_VERSION);
    record->device = plugin->get_interface(plugin, TSR_INTERFACE_DEVICE, TSR_INTERFACE_VERSION);
    record->ops = plugin->get_interface(plugin, TSR_INTERFACE_OPS, TSR_INTERFACE_VERSION);

    if (!check_table(record, TSR_INTERFACE_ENGINE, record->engine, engine_slots,
                     G_N_ELEMENTS(engine_slots)) ||
        !check_table(record, TSR_INTERFACE_FORMAT_SELECTOR, record->selector, selector_slots,
                     G_N_ELEMENTS(selector_slots)) ||
        !check_table(record, TSR_INTERFACE_DEVICE, record->device, device_slots,
                     G_N_ELEMENTS(device_slots)))
        return FALSE;
    if (record->engine != NULL) {
        gboolean host = (record->engine->flags & TSR_ENGINE_HOST) != 0;
        if (!TSR_HAS(record->executor, run) && host)
            return refuse(record, TSR_FAULT_MISSING_SLOTS,
                          "interface %s lacks mandatory slots: run (host engine)",
                          TSR_INTERFACE_EXECUTOR);
        if (!TSR_HAS(record->executor, build) && !host)
            return refuse(record, TSR_FAULT_MISSING_SLOTS,
                          "interface %s lacks mandatory slots: build (device engine)",
                          TSR_INTERFACE_EXECUTOR);
        if (!host && record->engine->device == NULL)
            return refuse(record, TSR_FAULT_DESCRIPTOR,
                          "engine '%s' is no host engine and names no device",
                          record->engine->name);
        if (record->engine->default_priority < 0 ||
            record->engine->default_priority > PRIORITY_MAX)
            return refuse(record, TSR_FAULT_NONSENSE,
                          "engine '%s' has the default priority %d; wanted 1 to %d",
                          record->engine->name, record->engine->default_priority, PRIORITY_MAX);
    }
    return check_fusion(record) && check_ops(record);
}

static gboolean query(TsrLoadedPlugin *record)
{
    TsrPluginQuery entry = (TsrPluginQuery)dlsym(record->handle, TSR_PLUGIN_SYMBOL);
    const TsrPlugin *plugin = NULL;
    gint32 status;
    if (entry == NULL)
        return refuse(record, TSR_FAULT_NOT_A_PLUGIN,
                      "is not a plugin: it does not export %s", TSR_PLUGIN_SYMBOL);
    enter(record, "query");
    tsr_host_clear_error();
    status = entry(tsr_host_get(), &plugin);
    if (status != TSR_OK || plugin == NULL) {
        g_autoptr(GError) error = NULL;
        tsr_host_take_error(status != TSR_OK ? status : TSR_INTERNAL, record->name, "query",
                            &error);
        return refuse(record, TSR_FAULT_QUERY, "%s", error->message);
    }
    record->plugin = plugin;
    enter(record, "interfaces");
    if (!check_descriptor(record) || !read_interfaces(record))
        return FALSE;
    if (TSR_HAS(plugin, init)) {
        enter(record, "init");
        tsr_host_clear_error();
        status = plugin->init(plugin, tsr_host_get());
        if (status != TSR_OK) {
            g_autoptr(GError) error = NULL;
            tsr_host_take_error(status, record->name, "init", &error);
            return refuse(record, TSR_FAULT_INIT, "%s", error->message);
        }
    }
    return TRUE;
}

static void clear_tables(TsrLoadedPlugin *record)
{
    record->plugin = NULL;
    record->engine = NULL;
    record->selector = NULL;
    record->fusion = NULL;
    record->executor = NULL;
    record->device = NULL;
    record->ops = NULL;
}

static void close_library(TsrLoadedPlugin *record)
{
    clear_tables(record);
    dlclose(record->handle);
    record->handle = NULL;
}

/* The system's loader tells its reasons apart only in its text. */
static TsrPluginFault loader_fault(const char *text)
{
    static const struct {
        const char *part;
        TsrPluginFault fault;
    } rows[] = {
        {"invalid ELF header", TSR_FAULT_NOT_A_PLUGIN},
        {"file too short", TSR_FAULT_NOT_A_PLUGIN},
        {"undefined symbol", TSR_FAULT_MISSING_SYMBOL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        if (strstr(text, rows[i].part) != NULL)
            return rows[i].fault;
    return TSR_FAULT_LOADER;
}

void tsr_plugin_open(TsrLoadedPlugin *record)
{
    enter(record, "dlopen");
    record->handle = dlopen(record->path, RTLD_NOW | RTLD_LOCAL);
    if (record->handle == NULL) {
        const char *text = dlerror();
        TsrPluginFault fault = text != NULL ? loader_fault(text) : TSR_FAULT_LOADER;
        refuse(record, fault, "%s%s",
               fault == TSR_FAULT_NOT_A_PLUGIN ? "is not a plugin: " : "cannot be loaded: ",
               text != NULL ? text : "unknown reason");
        return;
    }
    if (query(record))
        record->state = TSR_PLUGIN_LOADED;
    else
        close_library(record);
}

gboolean tsr_plugin_set_fault(TsrLoadedPlugin *record, TsrPluginFault fault, const char *reason)
{
    return refuse(record, fault, "%s", reason);
}

void tsr_plugin_refuse(TsrLoadedPlugin *record, TsrPluginFault fault, const char *reason)
{
    if (TSR_HAS(record->plugin, shutdown))
        record->plugin->shutdown(record->plugin);
    refuse(record, fault, "%s", reason);
    close_library(record);
}

const char *tsr_plugin_state_name(TsrPluginState state)
{
    static const char *const names[] = {"disabled", "missing", "refused", "loaded"};
    return names[state];
}

const char *tsr_plugin_fault_name(TsrPluginFault fault)
{
    static const char *const names[TSR_FAULT_COUNT] = {
        [TSR_FAULT_NONE] = "none",
        [TSR_FAULT_NOT_A_PLUGIN] = "not a plugin",
        [TSR_FAULT_LOADER] = "loader error",
        [TSR_FAULT_MISSING_SYMBOL] = "missing symbol",
        [TSR_FAULT_ABI] = "abi version",
        [TSR_FAULT_BUILD] = "build",
        [TSR_FAULT_DESCRIPTOR] = "descriptor",
        [TSR_FAULT_MISSING_SLOTS] = "missing slots",
        [TSR_FAULT_QUERY] = "query",
        [TSR_FAULT_INIT] = "init",
        [TSR_FAULT_OPS] = "operators",
        [TSR_FAULT_NONSENSE] = "nonsense",
        [TSR_FAULT_MANIFEST] = "manifest",
        [TSR_FAULT_SIGNAL] = "signal",
        [TSR_FAULT_EXIT] = "exit",
        [TSR_FAULT_TIMEOUT] = "timeout",
        [TSR_FAULT_PRINTED] = "printed",
        [TSR_FAULT_LEFT_BEHIND] = "left behind",
    };
    return names[fault];
}

void tsr_plugin_free(TsrLoadedPlugin *record)
{
    const char *unload;
    if (record == NULL)
        return;
    if (record->plugin != NULL && TSR_HAS(record->plugin, shutdown))
        record->plugin->shutdown(record->plugin);
    unload = secure_getenv("TESSERA_UNLOAD");
    if (record->handle != NULL && unload != NULL && strcmp(unload, "1") == 0)
        close_library(record);
    tsr_manifest_free(record->manifest);
    g_free(record->name);
    g_free(record->path);
    g_free(record->shadowed);
    g_free(record->reason);
    g_free(record);
}
