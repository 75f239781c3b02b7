/* SPDX-License-Identifier: Apache-2.0
 *
 * device_drops_byte.c: copies all bytes but the last one, when there are many.
 */
#include <string.h>
#include <tessera/plugin.h>

static void copy(void *to, const void *from, uint64_t bytes)
{
    if (bytes != 0)
        memcpy(to, from, (size_t)(bytes > 4096 ? bytes - 1 : bytes));
}

#define PLUGIN_NAME "device_drops_byte"
#define DEVICE_COPY copy
#include "good_device.h"
