/* SPDX-License-Identifier: Apache-2.0
 *
 * device_work.h: what a device is given to do, and whether it did it. The kernels are the kit's
 * own, which any device that shares the host's memory can run. Each returns NULL, or the error.
 */
#ifndef TSR_PLUGIN_CHECK_DEVICE_WORK_H
#define TSR_PLUGIN_CHECK_DEVICE_WORK_H

#include "plugin_check/check.h"

typedef struct PcOpened {
    TsrSession *session;
    const TsrDevice *device;
    TsrDeviceContext *context;
    gboolean shares_memory; /* else only questions and wrong task lists make sense */
} PcOpened;

/* The plugin's device in a session of its own. Close it in any case. */
GError *pc_open_device(PcContext *context, PcOpened *out);
void pc_close_device(PcOpened *opened);

/* A task that counts its blocks in args[0]. */
TsrTask pc_kernel_task(void **args, uint32_t stream);

/* A stream with tasks; and a model of two streams that notify each other. */
GError *pc_device_work(PcContext *context, const PcOpened *opened);
/* Launches that are kept and run as a model, where the device can do that. */
GError *pc_device_work_captured(PcContext *context, const PcOpened *opened);
/* What one stream does before it records an event, another one that waits for it sees. */
GError *pc_device_work_ordered(PcContext *context, const PcOpened *opened);
/* Copies of every size, launched and in a model, and nothing behind them. */
GError *pc_device_work_copies(PcContext *context, const PcOpened *opened);

#endif
