/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.c: the one exported symbol of nn_engine and the table of its interfaces. Pure
 * data; the work is in engine.c, selector.c, fusion.c, executor.c and ops.c.
 */
#include "nn.h"

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    static const struct {
        const char *name;
        const void *table;
    } interfaces[] = {
        { TSR_INTERFACE_ENGINE, &nn_engine },
        { TSR_INTERFACE_EXECUTOR, &nn_executor },
        { TSR_INTERFACE_FORMAT_SELECTOR, &nn_selector },
        { TSR_INTERFACE_FUSION, &nn_fusion },
        { TSR_INTERFACE_OPS, &nn_op_definitions },
    };
    (void)plugin;
    for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++)
        if (version == TSR_INTERFACE_VERSION && strcmp(interfaces[i].name, name) == 0)
            return interfaces[i].table;
    return NULL;
}

static const TsrPlugin nn_plugin = {
    .struct_size = sizeof(TsrPlugin),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304,
    .name = "nn_engine",
    .version = "0.1.0",
    .vendor = "Tessera",
    .license = "Apache-2.0",
    .url = "https://example.org/tessera",
    .description = "Neural engine: fused, blocked float kernels on the simulated NPU",
    .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (host->abi_major != TSR_ABI_MAJOR)
        return host->set_error(host, TSR_INCOMPATIBLE,
                               "nn_engine: built for plugin ABI %u, the host has %u",
                               TSR_ABI_MAJOR, host->abi_major);
    *out_plugin = &nn_plugin;
    return TSR_OK;
}
