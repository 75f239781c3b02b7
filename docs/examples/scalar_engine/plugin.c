/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.c: the tables of the scalar engine by name, and what it says of itself.
 */
#include "scalar.h"

const TsrHost *scalar_host;

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    static const struct {
        const char *name;
        const void *table;
    } rows[] = {
        {TSR_INTERFACE_ENGINE, &scalar_engine},
        {TSR_INTERFACE_EXECUTOR, &scalar_executor},
        {TSR_INTERFACE_FORMAT_SELECTOR, &scalar_selector},
        {TSR_INTERFACE_FUSION, &scalar_fusion},
        {TSR_INTERFACE_OPS, &scalar_ops},
    };
    (void)plugin;
    for (size_t i = 0; version == TSR_INTERFACE_VERSION && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].table;
    return NULL;
}

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    scalar_host = host;
    return TSR_OK;
}

static const TsrPlugin plugin_table = {
    .struct_size = sizeof(TsrPlugin),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304,
    .name = "scalar_engine",
    .version = "1.0",
    .vendor = "Tessera examples",
    .license = "Apache-2.0",
    .url = "docs/add-an-engine.md",
    .description = "scale * x + shift on the host",
    .init = init,
    .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (host->abi_major != TSR_ABI_MAJOR)
        return host->set_error(host, TSR_INCOMPATIBLE, "scalar_engine speaks ABI %u, the host %u",
                               TSR_ABI_MAJOR, host->abi_major);
    *out_plugin = &plugin_table;
    return TSR_OK;
}
