/* SPDX-License-Identifier: Apache-2.0
 *
 * device_work.c: see device_work.h.
 */
#include "plugin_check/device_work.h"

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

GError *pc_open_device(PcContext *context, PcOpened *out)
{
    GError *error = NULL;
    gint32 status;
    *out = (PcOpened){.session = pc_session(context, &error)};
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

void pc_close_device(PcOpened *opened)
{
    if (opened->device != NULL && opened->context != NULL)
        opened->device->close(opened->context);
    tsr_session_free(opened->session);
}

TsrTask pc_kernel_task(void **args, uint32_t stream)
{
    return (TsrTask){.struct_size = sizeof(TsrTask), .kind = TSR_TASK_KERNEL, .stream = stream,
                     .block_dim = BLOCKS, .arg_count = 1, .kernel = count_blocks, .args = args,
                     .name = "count"};
}

GError *pc_device_work_captured(PcContext *context, const PcOpened *opened)
{
    const TsrDevice *device = opened->device;
    atomic_uint counter = 0;
    void *args[] = {&counter};
    const TsrTask task = pc_kernel_task(args, 0);
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

GError *pc_device_work_ordered(PcContext *context, const PcOpened *opened)
{
    const TsrDevice *device = opened->device;
    atomic_uint late = 0, taken = 0;
    void *args[] = {&late, &taken};
    TsrTask first = pc_kernel_task(args, 0), second = pc_kernel_task(args, 0);
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

GError *pc_device_work(PcContext *context, const PcOpened *opened)
{
    const TsrDevice *device = opened->device;
    atomic_uint counter = 0;
    void *args[] = {&counter};
    const TsrTask task = pc_kernel_task(args, 0);
    const TsrTask tasks[] = {task,
                             {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_NOTIFY_RECORD},
                             {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_NOTIFY_WAIT,
                              .stream = 1},
                             pc_kernel_task(args, 1)};
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

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

/* Whether exactly those bytes were copied. */
static GError *judge_copy(const guint8 *to, gsize bytes, const char *how)
{
    for (gsize i = 0; i < bytes + 2 * GUARD; i++) {
        const gboolean inside = i >= GUARD && i < GUARD + bytes;
        const guint8 wanted = inside ? (guint8)(i * 7 + 1) : GUARD_BYTE;
        if (to[i] != wanted)
            return g_error_new(TSR_ERROR, TSR_INTERNAL, "%s %zu bytes: byte %zd is %#x, wanted %#x",
                               how, bytes, (gssize)i - GUARD, to[i], wanted);
    }
    return NULL;
}

/* A copy by a launch, then the same one as a model. */
static GError *copy_bytes(PcContext *context, const PcOpened *opened, guint8 *to, guint8 *from,
                          gsize bytes)
{
    const TsrDevice *device = opened->device;
    void *args[] = {to + GUARD, from + GUARD};
    const TsrTask task = {.struct_size = sizeof(task), .kind = TSR_TASK_MEMCPY, .arg_count = 2,
                          .args = args, .bytes = bytes, .name = "copy"};
    const TsrTaskList list = {.struct_size = sizeof(list), .task_count = 1,
                              .task_stride = sizeof(task), .stream_count = 1, .tasks = &task};
    TsrStream *stream = NULL;
    TsrDeviceModel *model = NULL;
    GError *error = NULL;
    gint32 status;
    for (gsize i = 0; i < bytes + 2 * GUARD; i++)
        from[i] = (guint8)(i * 7 + 1);
    memset(to, GUARD_BYTE, bytes + 2 * GUARD);
    tsr_host_clear_error();
    if ((status = device->stream_create(opened->context, &stream)) != TSR_OK ||
        (status = device->launch(stream, &task)) != TSR_OK ||
        (status = device->stream_synchronize(stream)) != TSR_OK ||
        (status = device->model_load(opened->context, &list, &model)) != TSR_OK)
        pc_slot_error(context, status, "a copy", &error);
    else
        error = judge_copy(to, bytes, "a launched copy of");
    if (error == NULL) {
        memset(to, GUARD_BYTE, bytes + 2 * GUARD);
        status = device->model_execute(model, 0);
        if (status != TSR_OK)
            pc_slot_error(context, status, "model_execute", &error);
        else
            error = judge_copy(to, bytes, "a model's copy of");
    }
    if (model != NULL)
        device->model_unload(model);
    if (stream != NULL)
        device->stream_destroy(stream);
    return error;
}

GError *pc_device_work_copies(PcContext *context, const PcOpened *opened)
{
    static const gsize sizes[] = {0, 1, 7, 64, 4097, 300001};
    const gsize most = sizes[G_N_ELEMENTS(sizes) - 1] + 2 * GUARD;
    const TsrDevice *device = opened->device;
    void *memory[2] = {NULL, NULL};
    GError *error = NULL;
    tsr_host_clear_error();
    for (int i = 0; i < 2 && error == NULL; i++) {
        const gint32 status = device->memory_alloc(opened->context, most, &memory[i]);
        if (status != TSR_OK)
            pc_slot_error(context, status, "memory_alloc", &error);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(sizes) && error == NULL; i++)
        error = copy_bytes(context, opened, memory[0], memory[1], sizes[i]);
    for (int i = 0; i < 2; i++)
        if (memory[i] != NULL)
            device->memory_free(opened->context, memory[i]);
    return error;
}
