/* SPDX-License-Identifier: Apache-2.0
 *
 * device_ignores_events.c: a stream does not wait for the event that it was told to wait
 * for.
 */
#include <tessera/plugin.h>

static int32_t wait_for(TsrStream *stream, TsrEvent *event)
{
    (void)stream;
    (void)event;
    return TSR_OK;
}

#define PLUGIN_NAME "device_ignores_events"
#define DEVICE_WAIT wait_for
#include "good_device.h"
