/* SPDX-License-Identifier: Apache-2.0
 *
 * device_checks.c: see device_checks.h. One that does not share the host's memory is asked for
 * its errors only.
 */
#include "plugin_check/device_checks.h"

#include <string.h>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin_check/device_work.h"

void pc_device_lifecycle(PcContext *context)
{
    GError *error = NULL;
    if (context->plugin->device == NULL ||
        !pc_begin(context, "the device opened, used and closed %d times",
                  context->settings->cycles))
        return;
    for (gint i = 0; i < context->settings->cycles && error == NULL; i++) {
        PcOpened opened;
        error = pc_open_device(context, &opened);
        if (error == NULL && opened.shares_memory)
            error = pc_device_work(context, &opened);
        if (error == NULL && opened.shares_memory)
            error = pc_device_work_captured(context, &opened);
        if (error == NULL && opened.shares_memory && i == 0)
            error = pc_device_work_ordered(context, &opened);
        if (error == NULL && opened.shares_memory && i == 0)
            error = pc_device_work_copies(context, &opened);
        pc_close_device(&opened);
    }
    pc_end(context, error);
}

gboolean pc_device_round(PcContext *context, GError **error)
{
    PcOpened opened;
    GError *fault = pc_open_device(context, &opened);
    if (fault == NULL && opened.shares_memory)
        fault = pc_device_work(context, &opened);
    if (fault == NULL && opened.shares_memory)
        fault = pc_device_work_captured(context, &opened);
    if (fault == NULL && opened.shares_memory)
        fault = pc_device_work_copies(context, &opened);
    pc_close_device(&opened);
    if (fault != NULL)
        g_propagate_error(error, fault);
    return fault == NULL;
}

void pc_device_purity(PcContext *context)
{
    TsrDeviceInfo first = {.struct_size = sizeof(first)}, second = first;
    GError *error = NULL;
    PcOpened opened;
    if (context->plugin->device == NULL ||
        !pc_begin(context, "the device says the same of itself twice"))
        return;
    error = pc_open_device(context, &opened);
    if (error == NULL) {
        opened.device->get_info(opened.context, &first);
        opened.device->get_info(opened.context, &second);
        if (memcmp(&first, &second, sizeof(first)) != 0)
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "get_info gives two answers");
        else if (first.core_count != 2 || first.c0_lanes == 0 || first.alignment == 0 ||
                 (first.alignment & (first.alignment - 1)) != 0)
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL,
                        "opened with 2 cores it says %u cores, C0 of %u, alignment %u",
                        first.core_count, first.c0_lanes, first.alignment);
        else if (opened.device->kernel_find(opened.context, "no such kernel") != NULL)
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "it finds a kernel 'no such kernel'");
        else if (opened.device->kernel_find(opened.context, "") !=
                 opened.device->kernel_find(opened.context, ""))
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "kernel_find gives two answers");
    }
    pc_close_device(&opened);
    pc_end(context, error);
}

/* A task list that no device may take. */
static void check_list(PcContext *context, const char *what, const TsrTask *tasks, guint count,
                       guint events)
{
    const TsrTaskList list = {.struct_size = sizeof(list), .task_count = count,
                              .task_stride = sizeof(TsrTask), .stream_count = 1,
                              .event_count = events, .notify_count = events, .tasks = tasks};
    TsrDeviceModel *model = NULL;
    PcOpened opened;
    GError *error;
    gint32 status;
    if (!pc_begin(context, "a task list with %s", what))
        return;
    error = pc_open_device(context, &opened);
    if (error == NULL) {
        tsr_host_clear_error();
        status = opened.device->model_load(opened.context, &list, &model);
        if (status == TSR_OK) {
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "model_load takes it");
            opened.device->model_unload(model);
        } else {
            g_autoptr(GError) cause = NULL;
            pc_slot_error(context, status, "model_load", &cause);
            if (strstr(cause->message, "without saying why") != NULL)
                error = g_steal_pointer(&cause);
        }
    }
    pc_close_device(&opened);
    pc_end(context, error);
}

void pc_device_errors(PcContext *context)
{
    static void *args[] = {NULL};
    TsrTask bad_stream = pc_kernel_task(args, 7), bad_kernel = pc_kernel_task(args, 0);
    const TsrTask waits = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_EVENT_WAIT,
                           .name = "waits"};
    const TsrTask jumps = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_GOTO, .event = 3,
                           .name = "jumps"};
    TsrTask bad_event = waits, bad_kind = pc_kernel_task(args, 0), bad_notify = waits;
    PcOpened opened;
    GError *error;
    if (context->plugin->device == NULL)
        return;
    bad_kernel.kernel = NULL;
    bad_event.event = 9;
    bad_kind.kind = 4711;
    bad_notify.kind = TSR_TASK_NOTIFY_WAIT;
    check_list(context, "a stream that is not there", &bad_stream, 1, 0);
    check_list(context, "a task without a kernel", &bad_kernel, 1, 0);
    check_list(context, "an event that is not there", &bad_event, 1, 1);
    check_list(context, "an event that nobody records", &waits, 1, 1);
    check_list(context, "a notify that nobody records", &bad_notify, 1, 1);
    check_list(context, "a jump to a label that is not there", &jumps, 1, 0);
    check_list(context, "a task of an unknown kind", &bad_kind, 1, 0);
    if (!pc_begin(context, "more memory than there is"))
        return;
    error = pc_open_device(context, &opened);
    if (error == NULL) {
        void *memory = NULL;
        tsr_host_clear_error();
        if (opened.device->memory_alloc(opened.context, UINT64_MAX - 4096, &memory) == TSR_OK)
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "memory_alloc gives 2^64 - 4096 bytes");
    }
    pc_close_device(&opened);
    pc_end(context, error);
}

typedef struct Worker {
    PcContext *context;
    const PcOpened *opened;
    GError *error;
} Worker;

static gpointer work_thread(gpointer data)
{
    Worker *worker = data;
    worker->error = pc_device_work(worker->context, worker->opened);
    return NULL;
}

void pc_device_threads(PcContext *context)
{
    enum { THREADS = 4 };
    Worker workers[THREADS];
    GThread *threads[THREADS];
    PcOpened opened;
    GError *error;
    if (context->plugin->device == NULL ||
        !pc_begin(context, "streams and models of the device in %d threads", THREADS))
        return;
    error = pc_open_device(context, &opened);
    if (error == NULL && opened.shares_memory) {
        for (guint i = 0; i < THREADS; i++) {
            workers[i] = (Worker){context, &opened, NULL};
            threads[i] = g_thread_new("plugin check", work_thread, &workers[i]);
        }
        for (guint i = 0; i < THREADS; i++) {
            g_thread_join(threads[i]);
            if (error == NULL)
                error = workers[i].error;
            else
                g_clear_error(&workers[i].error);
        }
    }
    pc_close_device(&opened);
    pc_end(context, error);
}
