/* SPDX-License-Identifier: Apache-2.0
 *
 * test_device.c: opening, facts, memory and threads of the simulated NPU, and what
 * it answers to dead handles.
 */
#include <dirent.h>
#include <tessera/device_kernels.h>
#include <unistd.h>

#include "harness.h"

static int thread_count(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

START_TEST(info_is_filled)
{
    TsrDeviceContext *context = npu_open(3);
    TsrDeviceInfo info = {.struct_size = sizeof(info)};
    ck_assert_int_eq(npu->get_info(context, &info), TSR_OK);
    ck_assert_uint_eq(info.core_count, 3);
    ck_assert_uint_eq(info.c0_lanes, 16);
    ck_assert_uint_eq(info.alignment, 64);
    ck_assert_uint_gt(info.l1_bytes, 0);
    ck_assert_uint_ge(info.l2_bytes, info.l1_bytes);
    ck_assert_int_gt((int)strlen(info.isa), 0);
    ck_assert_uint_eq(npu->flags & TSR_DEVICE_HOST_ACCESSIBLE, TSR_DEVICE_HOST_ACCESSIBLE);
    ck_assert_str_eq(npu->name, "npu_sim");
    npu->close(context);
}
END_TEST

START_TEST(info_keeps_to_an_older_host)
{
    TsrDeviceContext *context = npu_open(1);
    TsrDeviceInfo info;
    memset(&info, 0x5a, sizeof(info));
    info.struct_size = offsetof(TsrDeviceInfo, isa);
    ck_assert_int_eq(npu->get_info(context, &info), TSR_OK);
    ck_assert_uint_eq(info.struct_size, offsetof(TsrDeviceInfo, isa));
    ck_assert_uint_eq(info.core_count, 1);
    for (size_t i = 0; i < sizeof(info.isa); i++)
        ck_assert_int_eq(info.isa[i], 0x5a);
    npu->close(context);
}
END_TEST

START_TEST(zero_cores_are_all_and_too_many_are_refused)
{
    TsrDeviceContext *context = npu_open(0), *other = NULL;
    TsrDeviceInfo info = {.struct_size = sizeof(info)};
    ck_assert_int_eq(npu->get_info(context, &info), TSR_OK);
    ck_assert_uint_ge(info.core_count, 1);
    npu->close(context);
    ck_assert_int_eq(npu->open(npu, 100000, &other), TSR_INVALID_ARGUMENT);
    ck_assert_error("100000");
    ck_assert_ptr_null(other);
}
END_TEST

START_TEST(one_core_needs_no_thread)
{
    TsrDeviceContext *context;
    int before = thread_count();
    context = npu_open(1);
    ck_assert_int_eq(thread_count(), before);
    npu->close(context);
}
END_TEST

START_TEST(open_and_close_a_thousand_times)
{
    TsrDeviceContext *first = npu_open(2);
    int before;
    npu->close(first); /* a sanitizer starts its own thread with the first one */
    before = thread_count();
    for (uint32_t i = 0; i < 1000; i++) {
        TsrDeviceContext *context = npu_open(1 + i % 4);
        npu->close(context);
    }
    /* A joined thread may stand in /proc for a moment. */
    for (int i = 0; i < 100 && thread_count() != before; i++)
        usleep(1000);
    ck_assert_int_eq(thread_count(), before);
}
END_TEST

START_TEST(memory_is_aligned_and_writable)
{
    static const uint64_t sizes[] = {0, 1, 63, 64, 4097, 5u << 20};
    TsrDeviceContext *context = npu_open(1);
    void *memory[6];
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(npu->memory_alloc(context, sizes[i], &memory[i]), TSR_OK);
        ck_assert_uint_eq((uintptr_t)memory[i] % 64, 0);
        memset(memory[i], i, sizes[i]);
        for (int k = 0; k < i; k++)
            ck_assert_ptr_ne(memory[i], memory[k]);
    }
    for (int i = 0; i < 6; i++)
        npu->memory_free(context, memory[i]);
    npu->memory_free(context, NULL);
    npu->close(context);
}
END_TEST

START_TEST(impossible_memory_is_an_error)
{
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 63, (uint64_t)INT64_MAX,
                                     UINT64_C(1) << 52};
    TsrDeviceContext *context = npu_open(1);
    void *memory = &memory;
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(npu->memory_alloc(context, sizes[i], &memory), TSR_OUT_OF_MEMORY);
        ck_assert_ptr_eq(memory, &memory);
    }
    npu->close(context);
}
END_TEST

START_TEST(unknown_kernel_is_null)
{
    TsrDeviceContext *context = npu_open(1);
    ck_assert(npu->kernel_find(context, "no.such.kernel") == NULL);
    ck_assert_uint_eq(npu->kernel_params_size(context, "no.such.kernel"), 0);
    ck_assert_uint_eq(npu->kernel_params_size(context, TSR_KERNEL_UNARY_F32),
                      sizeof(TsrUnaryParams));
    npu->close(context);
}
END_TEST

START_TEST(dead_handles_are_named)
{
    TsrDeviceContext *context = npu_open(2);
    TsrTaskList list = {.struct_size = sizeof(list), .task_stride = sizeof(TsrTask)};
    TsrDeviceModel *model, *none = NULL;
    TsrStream *stream, *no_stream = NULL;
    TsrEvent *event, *no_event = NULL;
    TsrDeviceInfo info = {.struct_size = sizeof(info)};
    TsrTask task = {TASK};
    uint32_t done;
    ck_assert_int_eq(npu->model_load(context, &list, &model), TSR_OK);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK); /* nothing to do */
    ck_assert_int_eq(npu->stream_create(context, &stream), TSR_OK);
    ck_assert_int_eq(npu->event_create(context, &event), TSR_OK);
    npu->model_unload(model);
    npu->model_unload(model);
    npu->event_destroy(event);
    npu->event_destroy(event);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_INVALID_ARGUMENT);
    ck_assert_error("unloaded");
    ck_assert_int_eq(npu->model_profile(model, NULL, NULL), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->event_record(event, stream), TSR_INVALID_ARGUMENT);
    ck_assert_error("event is destroyed");
    ck_assert_int_eq(npu->event_wait(stream, event), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->event_query(event, &done), TSR_INVALID_ARGUMENT);
    npu->stream_destroy(stream);
    npu->stream_destroy(stream);
    ck_assert_int_eq(npu->launch(stream, &task), TSR_INVALID_ARGUMENT);
    ck_assert_error("stream is destroyed");
    ck_assert_int_eq(npu->stream_synchronize(stream), TSR_INVALID_ARGUMENT);
    npu->close(context);
    npu->close(context);
    npu->close(NULL);
    ck_assert_int_eq(npu->get_info(context, &info), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->model_load(context, &list, &none), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->stream_create(context, &no_stream), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->event_create(context, &no_event), TSR_INVALID_ARGUMENT);
    ck_assert_error("context is closed");
}
END_TEST

START_TEST(closing_ends_every_handle)
{
    TsrDeviceContext *context = npu_open(2);
    TsrTaskList list = {.struct_size = sizeof(list), .task_stride = sizeof(TsrTask)};
    TsrDeviceModel *model;
    TsrStream *stream;
    TsrEvent *event;
    uint32_t done;
    ck_assert_int_eq(npu->model_load(context, &list, &model), TSR_OK);
    ck_assert_int_eq(npu->stream_create(context, &stream), TSR_OK);
    ck_assert_int_eq(npu->event_create(context, &event), TSR_OK);
    npu->close(context);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->stream_synchronize(stream), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->event_query(event, &done), TSR_INVALID_ARGUMENT);
    npu->model_unload(model);
    npu->stream_destroy(stream);
    npu->event_destroy(event);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        info_is_filled, info_keeps_to_an_older_host,
        zero_cores_are_all_and_too_many_are_refused, one_core_needs_no_thread,
        open_and_close_a_thousand_times, memory_is_aligned_and_writable,
        impossible_memory_is_an_error, unknown_kernel_is_null, dead_handles_are_named,
        closing_ends_every_handle,
    };
    return npu_run_suite("npu_sim device", tests, sizeof(tests) / sizeof(tests[0]));
}
