/* SPDX-License-Identifier: Apache-2.0
 *
 * device_checks.c: see device_checks.h. The kernels that it launches are the kit's own, which
 * any device that shares the host's memory can run; one that does not is asked for its
 * errors only.
 */
#include "plugin_check/device_checks.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "plugin/host.h"

enum { BLOCKS = 8, CHAIN = 50 };

/* args[0] is a counter. */
static void count_blocks(void *const *args, const void *params, uint32_t block_index,
                         uint32_t block_dim)
{
    (void)params;
    (void)block_index;
    (void)block_dim;
    atomic_fetch_add((atomic_uint *)args[0], 1);
}

typedef struct Opened {
    TsrSession *session;
    const TsrDevice *device;
    TsrDeviceContext *context;
    gboolean shares_memory;
} Opened;

static GError *open_device(PcContext *context, Opened *out)
{
    GError *error = NULL;
    gint32 status;
    *out = (Opened){.session = pc_session(context, &error)};
    if (out->session == NULL || pc_loaded(context, out->session, &error) == NULL)
        return error;
    out->device = pc_loaded(context, out->session, &error)->device;
    out->shares_memory = (out->device->flags & TSR_DEVICE_HOST_ACCESSIBLE) != 0;
    tsr_host_clear_error();
    status = out->device->open(out->device, 2, &out->context);
    if (status != TSR_OK)
        pc_slot_error(context, status, "open", &error);
    return error;
}

static void close_device(Opened *opened)
{
    if (opened->device != NULL && opened->context != NULL)
        opened->device->close(opened->context);
    tsr_session_free(opened->session);
}

static TsrTask kernel_task(void **args, uint32_t stream)
{
    return (TsrTask){.struct_size = sizeof(TsrTask), .kind = TSR_TASK_KERNEL, .stream = stream,
                     .block_dim = BLOCKS, .arg_count = 1, .kernel = count_blocks, .args = args,
                     .name = "count"};
}

/* Launches that are kept and run as a model, where the device can do that. */
static GError *work_captured(PcContext *context, const Opened *opened)
{
    const TsrDevice *device = opened->device;
    atomic_uint counter = 0;
    void *args[] = {&counter};
    const TsrTask task = kernel_task(args, 0);
    TsrStream *stream = NULL;
    TsrDeviceModel *model = NULL;
    GError *error = NULL;
    gint32 status;
    if (!TSR_HAS(device, capture_begin) || !TSR_HAS(device, capture_end))
        return NULL;
    tsr_host_clear_error();
    status = device->stream_create(opened->context, &stream);
    if (status == TSR_OK)
        status = device->capture_begin(stream);
    for (int i = 0; i < CHAIN && status == TSR_OK; i++)
        status = device->launch(stream, &task);
    if (status == TSR_OK)
        status = device->capture_end(stream, &model);
    if (status == TSR_OK && atomic_load(&counter) != 0)
        error = g_error_new(TSR_ERROR, TSR_INTERNAL, "tasks ran while they were captured");
    for (int i = 0; i < 2 && status == TSR_OK; i++)
        status = device->model_execute(model, 0);
    if (status != TSR_OK)
        pc_slot_error(context, status, "capture", &error);
    else if (error == NULL && atomic_load(&counter) != 2 * CHAIN * BLOCKS)
        error = g_error_new(TSR_ERROR, TSR_INTERNAL, "%u captured blocks were run, wanted %u",
                            atomic_load(&counter), 2 * CHAIN * BLOCKS);
    if (model != NULL)
        device->model_unload(model);
    if (stream != NULL)
        device->stream_destroy(stream);
    return error;
}

/* args[0] is a number that becomes 1 late. */
static void set_late(void *const *args, const void *params, uint32_t block_index,
                     uint32_t block_dim)
{
    (void)params;
    (void)block_dim;
    if (block_index != 0)
        return;
    g_usleep(2000);
    atomic_store((atomic_uint *)args[0], 1);
}

/* args[1] becomes what args[0] is. */
static void take(void *const *args, const void *params, uint32_t block_index,
                 uint32_t block_dim)
{
    (void)params;
    (void)block_dim;
    if (block_index == 0)
        atomic_store((atomic_uint *)args[1], atomic_load((atomic_uint *)args[0]));
}

/* What one stream does before it records an event, another one that waits for it sees. */
static GError *work_ordered(PcContext *context, const Opened *opened)
{
    const TsrDevice *device = opened->device;
    atomic_uint late = 0, taken = 0;
    void *args[] = {&late, &taken};
    TsrTask first = kernel_task(args, 0), second = kernel_task(args, 0);
    TsrStream *streams[2] = {NULL, NULL};
    TsrEvent *event = NULL;
    GError *error = NULL;
    gint32 status;
    first.kernel = set_late;
    second.kernel = take;
    first.arg_count = second.arg_count = 2;
    tsr_host_clear_error();
    if ((status = device->stream_create(opened->context, &streams[0])) != TSR_OK ||
        (status = device->stream_create(opened->context, &streams[1])) != TSR_OK ||
        (status = device->event_create(opened->context, &event)) != TSR_OK ||
        (status = device->launch(streams[0], &first)) != TSR_OK ||
        (status = device->event_record(event, streams[0])) != TSR_OK ||
        (status = device->event_wait(streams[1], event)) != TSR_OK ||
        (status = device->launch(streams[1], &second)) != TSR_OK ||
        (status = device->stream_synchronize(streams[1])) != TSR_OK)
        pc_slot_error(context, status, "streams and an event", &error);
    else if (atomic_load(&taken) != 1)
        error = g_error_new(TSR_ERROR, TSR_INTERNAL,
                            "a stream went on before the event that it waits for");
    for (int i = 0; i < 2; i++)
        if (streams[i] != NULL)
            device->stream_destroy(streams[i]);
    if (event != NULL)
        device->event_destroy(event);
    return error;
}

/* A stream with tasks; and a model of two streams that notify each other. */
static GError *work(PcContext *context, const Opened *opened)
{
    const TsrDevice *device = opened->device;
    atomic_uint counter = 0;
    void *args[] = {&counter};
    const TsrTask task = kernel_task(args, 0);
    const TsrTask tasks[] = {task,
                             {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_NOTIFY_RECORD},
                             {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_NOTIFY_WAIT,
                              .stream = 1},
                             kernel_task(args, 1)};
    const TsrTaskList list = {.struct_size = sizeof(list), .task_count = G_N_ELEMENTS(tasks),
                              .task_stride = sizeof(TsrTask), .stream_count = 2,
                              .notify_count = 1, .tasks = tasks};
    TsrStream *stream = NULL;
    TsrDeviceModel *model = NULL;
    GError *error = NULL;
    const char *step = "stream_create";
    gint32 status;
    tsr_host_clear_error();
    status = device->stream_create(opened->context, &stream);
    for (int i = 0; i < CHAIN && status == TSR_OK; i++, step = "launch")
        status = device->launch(stream, &task);
    if (status == TSR_OK) {
        step = "stream_synchronize";
        status = device->stream_synchronize(stream);
    }
    if (status == TSR_OK) {
        step = "model_load";
        status = device->model_load(opened->context, &list, &model);
    }
    for (int i = 0; i < CHAIN && status == TSR_OK; i++, step = "model_execute")
        status = device->model_execute(model, 0);
    if (status != TSR_OK)
        pc_slot_error(context, status, step, &error);
    else if (atomic_load(&counter) != 3 * CHAIN * BLOCKS)
        g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "%u blocks were run, wanted %u",
                    atomic_load(&counter), 3 * CHAIN * BLOCKS);
    if (model != NULL)
        device->model_unload(model);
    if (stream != NULL)
        device->stream_destroy(stream);
    return error;
}

void pc_device_lifecycle(PcContext *context)
{
    GError *error = NULL;
    if (context->plugin->device == NULL ||
        !pc_begin(context, "the device opened, used and closed %d times",
                  context->settings->cycles))
        return;
    for (gint i = 0; i < context->settings->cycles && error == NULL; i++) {
        Opened opened;
        error = open_device(context, &opened);
        if (error == NULL && opened.shares_memory)
            error = work(context, &opened);
        if (error == NULL && opened.shares_memory)
            error = work_captured(context, &opened);
        if (error == NULL && opened.shares_memory && i == 0)
            error = work_ordered(context, &opened);
        close_device(&opened);
    }
    pc_end(context, error);
}

void pc_device_purity(PcContext *context)
{
    TsrDeviceInfo first = {.struct_size = sizeof(first)}, second = first;
    GError *error = NULL;
    Opened opened;
    if (context->plugin->device == NULL ||
        !pc_begin(context, "the device says the same of itself twice"))
        return;
    error = open_device(context, &opened);
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
    close_device(&opened);
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
    Opened opened;
    GError *error;
    gint32 status;
    if (!pc_begin(context, "a task list with %s", what))
        return;
    error = open_device(context, &opened);
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
    close_device(&opened);
    pc_end(context, error);
}

void pc_device_errors(PcContext *context)
{
    static void *args[] = {NULL};
    TsrTask bad_stream = kernel_task(args, 7), bad_kernel = kernel_task(args, 0);
    const TsrTask waits = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_EVENT_WAIT,
                           .name = "waits"};
    const TsrTask jumps = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_GOTO, .event = 3,
                           .name = "jumps"};
    TsrTask bad_event = waits, bad_kind = kernel_task(args, 0), bad_notify = waits;
    Opened opened;
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
    error = open_device(context, &opened);
    if (error == NULL) {
        void *memory = NULL;
        tsr_host_clear_error();
        if (opened.device->memory_alloc(opened.context, UINT64_MAX - 4096, &memory) == TSR_OK)
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "memory_alloc gives 2^64 - 4096 bytes");
    }
    close_device(&opened);
    pc_end(context, error);
}

typedef struct Worker {
    PcContext *context;
    const Opened *opened;
    GError *error;
} Worker;

static gpointer work_thread(gpointer data)
{
    Worker *worker = data;
    worker->error = work(worker->context, worker->opened);
    return NULL;
}

void pc_device_threads(PcContext *context)
{
    enum { THREADS = 4 };
    Worker workers[THREADS];
    GThread *threads[THREADS];
    Opened opened;
    GError *error;
    if (context->plugin->device == NULL ||
        !pc_begin(context, "streams and models of the device in %d threads", THREADS))
        return;
    error = open_device(context, &opened);
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
    close_device(&opened);
    pc_end(context, error);
}
