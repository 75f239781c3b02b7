/* SPDX-License-Identifier: Apache-2.0
 *
 * good_plugin.h: the tables of a plugin around good_engine.h. A plugin defines PLUGIN_NAME,
 * and whatever of the following it does otherwise, before it includes this:
 *
 *   ENGINE_CHECK ENGINE_CONFIRM ENGINE_DESCRIBE EXECUTOR_RUN PLUGIN_INIT
 *   PLUGIN_SHUTDOWN                                                         functions
 *   PLUGIN_SELECTOR PLUGIN_FUSION PLUGIN_OPS                                tables
 *   PLUGIN_DEVICE                                a table; the plugin then has no engine
 *   PLUGIN_ABI_MAJOR
 */
#include "good_engine.h"

#ifndef ENGINE_CHECK
#define ENGINE_CHECK good_check
#endif
#ifndef ENGINE_CONFIRM
#define ENGINE_CONFIRM NULL
#endif
#ifndef ENGINE_DESCRIBE
#define ENGINE_DESCRIBE NULL
#endif
#ifndef EXECUTOR_RUN
#define EXECUTOR_RUN good_run
#endif
#ifndef PLUGIN_INIT
#define PLUGIN_INIT NULL
#endif
#ifndef PLUGIN_SHUTDOWN
#define PLUGIN_SHUTDOWN NULL
#endif
#ifndef PLUGIN_SELECTOR
#define PLUGIN_SELECTOR NULL
#endif
#ifndef PLUGIN_FUSION
#define PLUGIN_FUSION NULL
#endif
#ifndef PLUGIN_OPS
#define PLUGIN_OPS NULL
#endif
#ifndef PLUGIN_ABI_MAJOR
#define PLUGIN_ABI_MAJOR TSR_ABI_MAJOR
#endif
#ifndef TSR_BUILD_SANITIZER
#define TSR_BUILD_SANITIZER TSR_SANITIZER_NONE
#endif

#ifdef PLUGIN_DEVICE
#define PLUGIN_ENGINE NULL
#define PLUGIN_EXECUTOR NULL
#else
#define PLUGIN_DEVICE NULL
#define PLUGIN_ENGINE &engine_table
#define PLUGIN_EXECUTOR &executor_table
static const TsrEngine engine_table = {
    .struct_size = sizeof(TsrEngine), .flags = TSR_ENGINE_HOST, .name = PLUGIN_NAME,
    .default_priority = 50, .blob_version = 1, .check = ENGINE_CHECK, .confirm = ENGINE_CONFIRM,
    .describe = ENGINE_DESCRIBE,
};
static const TsrExecutor executor_table = {.struct_size = sizeof(TsrExecutor),
                                           .run = EXECUTOR_RUN};
#endif

static const void *plugin_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    const struct {
        const char *name;
        const void *table;
    } rows[] = {
        {TSR_INTERFACE_ENGINE, PLUGIN_ENGINE},
        {TSR_INTERFACE_EXECUTOR, PLUGIN_EXECUTOR},
        {TSR_INTERFACE_DEVICE, PLUGIN_DEVICE},
        {TSR_INTERFACE_FORMAT_SELECTOR, PLUGIN_SELECTOR},
        {TSR_INTERFACE_FUSION, PLUGIN_FUSION},
        {TSR_INTERFACE_OPS, PLUGIN_OPS},
    };
    (void)plugin;
    for (size_t i = 0; version == TSR_INTERFACE_VERSION && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].table;
    return NULL;
}

static const TsrPlugin plugin_table = {
    .struct_size = sizeof(TsrPlugin), .abi_major = PLUGIN_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR, .sanitizer = TSR_BUILD_SANITIZER,
    .pointer_bits = 8 * sizeof(void *), .byte_order = 0x01020304u, .name = PLUGIN_NAME,
    .version = "1.0", .vendor = "Tessera tests", .license = "Apache-2.0",
    .url = "tests/install/bad_plugins", .description = "departs from a sound plugin in one thing",
    .init = PLUGIN_INIT, .shutdown = PLUGIN_SHUTDOWN, .get_interface = plugin_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    (void)host;
    *out_plugin = &plugin_table;
    return TSR_OK;
}
