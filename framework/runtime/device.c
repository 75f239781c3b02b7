/* SPDX-License-Identifier: Apache-2.0
 *
 * device.c: see device.h.
 */
#include "runtime/device.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/host.h"
#include "plugin/virtual_device.h"

TsrOpenDevice *tsr_device_open(const TsrPluginSet *set, guint32 core_count, GError **error)
{
    const TsrDevice *device = set->device != NULL ? set->device->device : NULL;
    TsrOpenDevice *opened;
    gint32 status;
    if (device == NULL)
        return NULL;
    if ((device->flags & TSR_DEVICE_HOST_ACCESSIBLE) == 0) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "device '%s' has memory that the host cannot reach, which is not supported",
                    device->name);
        return NULL;
    }
    opened = g_new0(TsrOpenDevice, 1);
    opened->device = device;
    opened->info.struct_size = sizeof(opened->info);
    tsr_host_clear_error();
    status = device->open(device, core_count, &opened->context);
    if (status == TSR_OK)
        status = device->get_info(opened->context, &opened->info);
    if (status != TSR_OK)
        tsr_host_take_error(status, device->name, "open", error);
    else if (tsr_device_info_check(&opened->info, device->name, error))
        return opened;
    tsr_device_close(opened);
    return NULL;
}

void tsr_device_close(TsrOpenDevice *device)
{
    if (device == NULL)
        return;
    if (device->context != NULL)
        device->device->close(device->context);
    g_free(device);
}

TsrDeviceTraits tsr_device_traits(const TsrOpenDevice *device)
{
    TsrDeviceTraits traits = {1, 16, 1u << 20, TSR_MEMORY_ALIGNMENT};
    if (device != NULL) {
        traits.core_count = MAX(device->info.core_count, 1);
        traits.c0_lanes = device->info.c0_lanes != 0 ? device->info.c0_lanes : traits.c0_lanes;
        traits.l2_bytes = device->info.l2_bytes != 0 ? (guint32)device->info.l2_bytes
                                                     : traits.l2_bytes;
        traits.alignment = MAX(device->info.alignment, traits.alignment);
    }
    return traits;
}

TsrKernelFn tsr_device_kernel(const TsrOpenDevice *device, const char *task, const char *kernel,
                              GBytes *params, GError **error)
{
    const TsrDevice *table = device->device;
    TsrKernelFn fn = table->kernel_find(device->context, kernel);
    gsize size = 0;
    gconstpointer data = params != NULL ? g_bytes_get_data(params, &size) : NULL;
    guint32 wanted, got = 0;
    if (fn == NULL) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "'%s': device '%s' has no kernel '%s'", task,
                    table->name, kernel);
        return NULL;
    }
    if (!TSR_HAS(table, kernel_params_size))
        return fn;
    wanted = table->kernel_params_size(device->context, kernel);
    if (size >= sizeof(got))
        memcpy(&got, data, sizeof(got));
    got = (guint32)MIN(got, size);
    if (got == wanted)
        return fn;
    g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                "'%s': kernel '%s' of device '%s' takes %u bytes of parameters, got %u: engine "
                "and device were built from different versions",
                task, kernel, table->name, wanted, got);
    return NULL;
}

static void run_on_cores(gpointer user, guint32 block_dim,
                         void (*fn)(void *arg, uint32_t block, uint32_t block_dim), void *arg)
{
    TsrOpenDevice *device = user;
    device->device->parallel(device->context, block_dim, fn, arg);
}

void tsr_device_lend_cores(TsrOpenDevice *device, TsrRunServices *services)
{
    services->core_count = 1;
    if (device == NULL)
        return;
    services->parallel_user = device;
    services->parallel = run_on_cores;
    services->core_count = MAX(device->info.core_count, 1);
}
