/* SPDX-License-Identifier: Apache-2.0
 *
 * leaves_thread.c: does not join its thread, nor close its file, when it is shut down.
 */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "good_engine.h"

static void *wait_for_ever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    pthread_t thread;
    (void)plugin;
    if (open("/dev/null", O_RDONLY) < 0 ||
        pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        return host->set_error(host, TSR_OUT_OF_MEMORY, "no file or no thread");
    return TSR_OK;
}

static void shut_down(const TsrPlugin *plugin)
{
    (void)plugin;
}

#define PLUGIN_NAME "leaves_thread"
#define PLUGIN_INIT init
#define PLUGIN_SHUTDOWN shut_down
#include "good_plugin.h"
