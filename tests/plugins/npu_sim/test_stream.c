/* SPDX-License-Identifier: Apache-2.0
 *
 * test_stream.c: streams and events outside models: order, generations, failures
 * that stay in their stream, misuse that is named.
 */
#include "harness.h"

static void append(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    char *text = args[0];
    size_t used = strlen(text);
    (void)block, (void)block_dim;
    text[used] = *(const char *)params;
    text[used + 1] = '\0';
}

static int32_t host_fail(void *arg)
{
    return *(int32_t *)arg;
}

static char text[64];
static void *text_args[1] = {text};

static void launch(TsrStream *stream, const char *letter)
{
    TsrTask task = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = append,
                    .args = text_args, .arg_count = 1, .params = letter};
    ck_assert_msg(npu->launch(stream, &task) == TSR_OK, "%s", error_text);
}

START_TEST(a_stream_keeps_its_order)
{
    for (uint32_t cores = 1; cores <= 3; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        TsrStream *stream;
        text[0] = '\0';
        ck_assert_int_eq(npu->stream_create(context, &stream), TSR_OK);
        launch(stream, "a");
        launch(stream, "b");
        launch(stream, "c");
        ck_assert_int_eq(npu->stream_synchronize(stream), TSR_OK);
        ck_assert_str_eq(text, "abc");
        launch(stream, "d");
        npu->stream_destroy(stream); /* waits for its tasks */
        ck_assert_str_eq(text, "abcd");
        npu->close(context);
    }
}
END_TEST

START_TEST(an_event_orders_two_streams)
{
    for (int round = 0; round < 200; round++) {
        TsrDeviceContext *context = npu_open(1 + (uint32_t)round % 3);
        TsrStream *a, *b;
        TsrEvent *event;
        uint32_t done = 7;
        text[0] = '\0';
        ck_assert_int_eq(npu->stream_create(context, &a), TSR_OK);
        ck_assert_int_eq(npu->stream_create(context, &b), TSR_OK);
        ck_assert_int_eq(npu->event_create(context, &event), TSR_OK);
        ck_assert_int_eq(npu->event_query(event, &done), TSR_OK);
        ck_assert_uint_eq(done, 1); /* never recorded */
        ck_assert_int_eq(npu->event_wait(b, event), TSR_OK);
        launch(a, "a");
        ck_assert_int_eq(npu->event_record(event, a), TSR_OK);
        ck_assert_int_eq(npu->event_wait(b, event), TSR_OK);
        launch(b, "b");
        ck_assert_int_eq(npu->event_record(event, b), TSR_OK); /* next generation */
        ck_assert_int_eq(npu->event_wait(a, event), TSR_OK);
        launch(a, "c");
        ck_assert_int_eq(npu->event_query(event, &done), TSR_OK);
        ck_assert_uint_eq(done, 1);
        ck_assert_int_eq(npu->stream_synchronize(a), TSR_OK);
        ck_assert_int_eq(npu->stream_synchronize(b), TSR_OK);
        ck_assert_str_eq(text, "abc");
        npu->event_destroy(event);
        npu->stream_destroy(a);
        npu->stream_destroy(b);
        npu->close(context);
    }
}
END_TEST

START_TEST(a_destroyed_event_keeps_its_waiters)
{
    TsrDeviceContext *context = npu_open(2);
    TsrStream *a, *b;
    TsrEvent *event;
    text[0] = '\0';
    ck_assert_int_eq(npu->stream_create(context, &a), TSR_OK);
    ck_assert_int_eq(npu->stream_create(context, &b), TSR_OK);
    ck_assert_int_eq(npu->event_create(context, &event), TSR_OK);
    launch(a, "a");
    ck_assert_int_eq(npu->event_record(event, a), TSR_OK);
    ck_assert_int_eq(npu->event_wait(b, event), TSR_OK);
    npu->event_destroy(event);
    launch(b, "b");
    ck_assert_int_eq(npu->stream_synchronize(b), TSR_OK);
    ck_assert_str_eq(text, "ab");
    npu->close(context); /* frees the streams too */
}
END_TEST

START_TEST(a_failure_stays_in_its_stream)
{
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        TsrStream *good, *bad;
        int32_t status = TSR_IO;
        TsrTask task = {TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = host_fail,
                        .host_arg = &status};
        text[0] = '\0';
        ck_assert_int_eq(npu->stream_create(context, &good), TSR_OK);
        ck_assert_int_eq(npu->stream_create(context, &bad), TSR_OK);
        ck_assert_int_eq(npu->launch(bad, &task), TSR_OK);
        launch(bad, "x");
        launch(good, "g");
        ck_assert_int_eq(npu->stream_synchronize(good), TSR_OK);
        ck_assert_str_eq(text, "g");
        launch(bad, "y"); /* still before the failure is fetched */
        ck_assert_int_eq(npu->stream_synchronize(bad), TSR_IO);
        ck_assert_error("stream 1: a task failed with status 7");
        ck_assert_str_eq(text, "g");
        launch(bad, "z");
        ck_assert_int_eq(npu->stream_synchronize(bad), TSR_OK);
        ck_assert_str_eq(text, "gz");
        npu->close(context);
    }
}
END_TEST

START_TEST(misuse_is_named)
{
    TsrDeviceContext *context = npu_open(1), *other = npu_open(1);
    TsrStream *stream;
    TsrEvent *event;
    TsrTask wait = {TASK, .kind = TSR_TASK_EVENT_WAIT, .name = "w"};
    TsrTask empty = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .name = "e"};
    ck_assert_int_eq(npu->stream_create(context, &stream), TSR_OK);
    ck_assert_int_eq(npu->event_create(other, &event), TSR_OK);
    ck_assert_int_eq(npu->launch(stream, &wait), TSR_INVALID_ARGUMENT);
    ck_assert_error("'w' (kind 4) on stream 0");
    ck_assert_int_eq(npu->launch(stream, &empty), TSR_INVALID_ARGUMENT);
    ck_assert_error("'e' (kind 1) on stream 0: it has no kernel");
    ck_assert_int_eq(npu->event_record(event, stream), TSR_INVALID_ARGUMENT);
    ck_assert_error("different contexts");
    npu->event_destroy(event);
    npu->close(context);
    npu->close(other);
}
END_TEST

typedef struct Inner {
    TsrStream *outer;
    TsrStream *inner;
    int32_t outer_status;
    int32_t inner_status;
} Inner;

static int32_t synchronize_within(void *arg)
{
    Inner *inner = arg;
    inner->outer_status = npu->stream_synchronize(inner->outer);
    if (strstr(error_text, "deadlock: stream 0") == NULL)
        return TSR_INTERNAL;
    launch(inner->inner, "i");
    inner->inner_status = npu->stream_synchronize(inner->inner);
    return TSR_OK;
}

START_TEST(a_stream_cannot_wait_for_itself)
{
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        Inner inner = {.inner_status = -1};
        TsrTask task = {TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = synchronize_within,
                        .host_arg = &inner};
        text[0] = '\0';
        ck_assert_int_eq(npu->stream_create(context, &inner.outer), TSR_OK);
        ck_assert_int_eq(npu->stream_create(context, &inner.inner), TSR_OK);
        ck_assert_int_eq(npu->launch(inner.outer, &task), TSR_OK);
        launch(inner.outer, "o");
        ck_assert_int_eq(npu->stream_synchronize(inner.outer), TSR_OK);
        ck_assert_int_eq(inner.outer_status, TSR_INVALID_ARGUMENT);
        ck_assert_int_eq(inner.inner_status, TSR_OK);
        ck_assert_str_eq(text, "io");
        npu->close(context);
    }
}
END_TEST

START_TEST(closing_with_pending_tasks_warns)
{
    TsrDeviceContext *context = npu_open(2);
    TsrStream *stream;
    text[0] = '\0';
    ck_assert_int_eq(npu->stream_create(context, &stream), TSR_OK);
    launch(stream, "n");
    error_text[0] = '\0';
    npu->close(context);
    ck_assert_error("never synchronized");
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(npu->stream_synchronize(stream), TSR_INVALID_ARGUMENT);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_stream_keeps_its_order, an_event_orders_two_streams,
        a_destroyed_event_keeps_its_waiters, a_failure_stays_in_its_stream, misuse_is_named,
        a_stream_cannot_wait_for_itself, closing_with_pending_tasks_warns,
    };
    return npu_run_suite("npu_sim stream", tests, sizeof(tests) / sizeof(tests[0]));
}
