/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h: an opened device with what the compiler and the executors ask of it.
 */
#ifndef TSR_RUNTIME_DEVICE_H
#define TSR_RUNTIME_DEVICE_H

#include "build/task_sink.h"
#include "plugin/host_run.h"
#include "plugin/plugin_set.h"

typedef struct TsrOpenDevice {
    const TsrDevice *device;
    TsrDeviceContext *context;
    TsrDeviceInfo info;
} TsrOpenDevice;

/* Opens the set's device with that many cores (0: all). NULL without an error when the
 * set has no device. (transfer full) */
TsrOpenDevice *tsr_device_open(const TsrPluginSet *set, guint32 core_count, GError **error);
void tsr_device_close(TsrOpenDevice *device); /* NULL is a no-op */

/* What engines build for; defaults where there is no device. */
TsrDeviceTraits tsr_device_traits(const TsrOpenDevice *device);
/* The kernel that a task of an engine wants, once it is sure that both mean the same by its
 * parameters. Every parameter struct begins with its struct_size. Errors: NOT_FOUND,
 * INCOMPATIBLE name task, kernel and device. */
TsrKernelFn tsr_device_kernel(const TsrOpenDevice *device, const char *task, const char *kernel,
                              GBytes *params, GError **error);
/* Fills the parallel part of services. */
void tsr_device_lend_cores(TsrOpenDevice *device, TsrRunServices *services);

#endif
