/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.c: the tables of the simulated NPU and nothing else. The framework gets
 * here by tsr_plugin_query and finds one interface, the device.
 */
#include <string.h>

#include "device.h"

const TsrHost *tsr_npu_host;

static const TsrDevice device = {
    .struct_size = sizeof(TsrDevice),
    .flags = TSR_DEVICE_HOST_ACCESSIBLE,
    .name = "npu_sim",
    .open = tsr_npu_open,
    .close = tsr_npu_close,
    .get_info = tsr_npu_get_info,
    .memory_alloc = tsr_npu_memory_alloc,
    .memory_free = tsr_npu_memory_free,
    .kernel_find = tsr_npu_kernel_find,
    .stream_create = tsr_npu_stream_create,
    .stream_destroy = tsr_npu_stream_destroy,
    .launch = tsr_npu_launch,
    .stream_synchronize = tsr_npu_stream_synchronize,
    .event_create = tsr_npu_event_create,
    .event_destroy = tsr_npu_event_destroy,
    .event_record = tsr_npu_event_record,
    .event_wait = tsr_npu_event_wait,
    .event_query = tsr_npu_event_query,
    .model_load = tsr_npu_model_load,
    .model_execute = tsr_npu_model_execute,
    .model_unload = tsr_npu_model_unload,
    .model_profile = tsr_npu_model_profile,
    .parallel = tsr_npu_parallel,
    .kernel_params_size = tsr_npu_kernel_params_size,
    .capture_begin = tsr_npu_capture_begin,
    .capture_end = tsr_npu_capture_end,
    .model_profile_ticks = tsr_npu_model_profile_ticks,
    .profile_clock = tsr_npu_profile_clock,
};

static int32_t plugin_init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    tsr_npu_host = host;
    return TSR_OK;
}

static const void *plugin_get_interface(const TsrPlugin *plugin, const char *name,
                                        uint32_t version)
{
    (void)plugin;
    if (version == TSR_INTERFACE_VERSION && strcmp(name, TSR_INTERFACE_DEVICE) == 0)
        return &device;
    return NULL;
}

static const TsrPlugin plugin_table = {
    .struct_size = sizeof(TsrPlugin),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304,
    .name = "npu_sim",
    .version = "0.1.0",
    .vendor = "Tessera",
    .license = "Apache-2.0",
    .url = "https://tessera.invalid/npu_sim",
    .description = "simulated NPU: worker threads as cores, vector kernels, model sink",
    .init = plugin_init,
    .get_interface = plugin_get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (host->abi_major != TSR_ABI_MAJOR)
        return host->set_error(host, TSR_INCOMPATIBLE,
                               "npu_sim: built for ABI %u, the host has %u", TSR_ABI_MAJOR,
                               host->abi_major);
    *out_plugin = &plugin_table;
    return TSR_OK;
}
