/* SPDX-License-Identifier: Apache-2.0
 *
 * device_leaks_stream.c: forgets streams when they are destroyed.
 */
#include <tessera/plugin.h>

static void destroy_stream(TsrStream *stream);

#define PLUGIN_NAME "device_leaks_stream"
#define DEVICE_DESTROY_STREAM destroy_stream
#include "good_device.h"

static void destroy_stream(TsrStream *stream)
{
    run_stream(stream, stream->count);
}
