/* SPDX-License-Identifier: Apache-2.0
 *
 * device_returns_early.c: says that a stream is done before its tasks have run; they run
 * when it is destroyed.
 */
#include <tessera/plugin.h>

static int32_t synchronize(TsrStream *stream)
{
    (void)stream;
    return TSR_OK;
}

#define PLUGIN_NAME "device_returns_early"
#define DEVICE_SYNCHRONIZE synchronize
#include "good_device.h"
