/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.c: the tables that the general engine hands to the host. aicpu takes any
 * operator that it has a row for, on the host, with static or dynamic shapes; it is
 * the reference that constants are folded with and other engines are compared to.
 */
#include "aicpu.h"

#ifndef TSR_BUILD_SANITIZER
#define TSR_BUILD_SANITIZER TSR_SANITIZER_NONE
#endif

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    (void)plugin;
    if (version != TSR_INTERFACE_VERSION)
        return NULL;
    if (strcmp(name, TSR_INTERFACE_ENGINE) == 0)
        return &aicpu_engine;
    if (strcmp(name, TSR_INTERFACE_EXECUTOR) == 0)
        return &aicpu_executor;
    return NULL;
}

static const TsrPlugin plugin = {
    .struct_size = sizeof(TsrPlugin),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304,
    .name = "aicpu",
    .version = "0.1.0",
    .vendor = "Tessera",
    .license = "Apache-2.0",
    .url = "",
    .description = "General engine: every operator on the host, right before fast",
    .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (host->abi_major != TSR_ABI_MAJOR)
        return host->set_error(host, TSR_INCOMPATIBLE, "aicpu speaks ABI %u, the host %u",
                               TSR_ABI_MAJOR, host->abi_major);
    *out_plugin = &plugin;
    return TSR_OK;
}
