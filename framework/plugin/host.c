/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c: see host.h.
 */
#include "plugin/host.h"

#include <stdarg.h>

#include "base/error.h"
#include "base/memory.h"

static GPrivate last_error = G_PRIVATE_INIT(g_free);

static void host_log(const TsrHost *host, uint32_t level, const char *text)
{
    static const GLogLevelFlags levels[] = {
        G_LOG_LEVEL_DEBUG, G_LOG_LEVEL_INFO, G_LOG_LEVEL_WARNING,
        G_LOG_LEVEL_WARNING, /* an error that a plugin logs must not end the process */
    };
    (void)host;
    g_log("tessera", levels[MIN(level, G_N_ELEMENTS(levels) - 1)], "%s", text);
}

static int32_t host_set_error(const TsrHost *host, int32_t code, const char *format, ...)
{
    va_list args;
    (void)host;
    va_start(args, format);
    g_private_replace(&last_error, g_strdup_vprintf(format, args));
    va_end(args);
    return code;
}

static void *host_alloc(const TsrHost *host, uint64_t size_bytes)
{
    (void)host;
    return tsr_memory_alloc(size_bytes);
}

static void host_free(const TsrHost *host, void *memory)
{
    (void)host;
    tsr_memory_free(memory);
}

static const void *host_find_service(const TsrHost *host, const char *name,
                                     uint32_t min_version)
{
    (void)host;
    (void)name;
    (void)min_version;
    return NULL;
}

static const TsrHost host_table = {
    .struct_size = sizeof(TsrHost),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .log = host_log,
    .set_error = host_set_error,
    .alloc = host_alloc,
    .free = host_free,
    .find_service = host_find_service,
};

const TsrHost *tsr_host_get(void)
{
    return &host_table;
}

void tsr_host_clear_error(void)
{
    g_private_replace(&last_error, NULL);
}

gboolean tsr_host_take_error(gint32 status, const char *who, const char *what, GError **error)
{
    const char *text = g_private_get(&last_error);
    g_set_error(error, TSR_ERROR, status, "%s: %s: %s (%s)", who, what,
                text != NULL ? text : "failed without saying why", tsr_status_name(status));
    tsr_host_clear_error();
    return FALSE;
}
