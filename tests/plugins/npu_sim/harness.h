/* SPDX-License-Identifier: Apache-2.0
 *
 * harness.h: opens the simulated NPU's plugin the way a host does and keeps the
 * last error text per thread. Included by every test of this folder.
 */
#ifndef TSR_TEST_NPU_HARNESS_H
#define TSR_TEST_NPU_HARNESS_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <tessera/plugin.h>

#include "../../support/check_main.h"

static _Thread_local char error_text[1024];
static _Thread_local int32_t error_code;

static int32_t host_set_error(const TsrHost *host, int32_t code, const char *format, ...)
{
    va_list args;
    (void)host;
    va_start(args, format);
    vsnprintf(error_text, sizeof(error_text), format, args);
    va_end(args);
    error_code = code;
    return code;
}

static void host_log(const TsrHost *host, uint32_t level, const char *text)
{
    (void)host;
    (void)level;
    snprintf(error_text, sizeof(error_text), "log: %s", text);
}

static const TsrHost test_host = {
    .struct_size = sizeof(TsrHost),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .log = host_log,
    .set_error = host_set_error,
};

static const TsrDevice *npu;

/* Loads the plugin once per process. */
static inline void npu_load(void)
{
    const TsrPlugin *plugin = NULL;
    TsrPluginQuery query;
    void *library, *symbol;
    if (npu != NULL)
        return;
    library = dlopen(NPU_SIM_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    symbol = dlsym(library, TSR_PLUGIN_SYMBOL);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&query, &symbol, sizeof(query));
    ck_assert_int_eq(query(&test_host, &plugin), TSR_OK);
    ck_assert_int_eq(plugin->init(plugin, &test_host), TSR_OK);
    npu = plugin->get_interface(plugin, TSR_INTERFACE_DEVICE, TSR_INTERFACE_VERSION);
    ck_assert_ptr_nonnull(npu);
}

static inline TsrDeviceContext *npu_open(uint32_t cores)
{
    TsrDeviceContext *context = NULL;
    npu_load();
    ck_assert_msg(npu->open(npu, cores, &context) == TSR_OK, "%s", error_text);
    return context;
}

/* Loads count tasks of one stream and event set; the status of model_load. */
static inline int32_t npu_load_list(TsrDeviceContext *context, const TsrTask *tasks,
                                    uint32_t count, uint32_t streams, uint32_t events,
                                    TsrDeviceModel **out_model)
{
    TsrTaskList list = {.struct_size = sizeof(list), .task_count = count,
                        .task_stride = sizeof(TsrTask), .stream_count = streams,
                        .event_count = events, .notify_count = events, .tasks = tasks};
    return npu->model_load(context, &list, out_model);
}

#define TASK .struct_size = sizeof(TsrTask)

/* The error text of this thread holds that part. */
#define ck_assert_error(part)                                                       \
    ck_assert_msg(strstr(error_text, part) != NULL, "text '%s' lacks '%s'", error_text, part)

static inline int npu_run_suite(const char *name, const TTest *const *tests, size_t count)
{
    TCase *tcase = tcase_create(name);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    return check_main(name, tcase);
}

#endif
