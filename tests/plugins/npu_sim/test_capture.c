/* SPDX-License-Identifier: Apache-2.0
 *
 * test_capture.c: launches that are captured into a model: nothing runs before it is executed,
 * streams join by events, the model runs any number of times and in any thread, and whatever
 * cannot be captured is an error that names it.
 */
#include <pthread.h>

#include "harness.h"

static char text[256];
static void *text_args[1] = {text};

static void append(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    char *target = args[0];
    size_t used = strlen(target);
    (void)block, (void)block_dim;
    target[used] = *(const char *)params;
    target[used + 1] = '\0';
}

static void launch(TsrStream *stream, const char *letter)
{
    TsrTask task = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = append,
                    .args = text_args, .arg_count = 1, .params = letter, .name = letter};
    ck_assert_msg(npu->launch(stream, &task) == TSR_OK, "%s", error_text);
}

#define ck_ok(call) ck_assert_msg((call) == TSR_OK, "%s", error_text)

static void ck_refused(int32_t status, const char *part)
{
    ck_assert_int_eq(status, TSR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error_text, part) != NULL, "'%s' is not in: %s", part, error_text);
}

typedef struct Bench {
    TsrDeviceContext *context;
    TsrStream *a;
    TsrStream *b;
    TsrEvent *event;
    TsrEvent *other;
} Bench;

static void bench_open(Bench *bench, uint32_t cores)
{
    bench->context = npu_open(cores);
    ck_ok(npu->stream_create(bench->context, &bench->a));
    ck_ok(npu->stream_create(bench->context, &bench->b));
    ck_ok(npu->event_create(bench->context, &bench->event));
    ck_ok(npu->event_create(bench->context, &bench->other));
    text[0] = '\0';
}

static void bench_close(Bench *bench)
{
    npu->event_destroy(bench->event);
    npu->event_destroy(bench->other);
    npu->stream_destroy(bench->a);
    npu->stream_destroy(bench->b);
    npu->close(bench->context);
}

static void *execute_once(void *arg)
{
    return (void *)(intptr_t)npu->model_execute(arg, 0);
}

START_TEST(runs_as_often_as_one_likes)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        Bench bench;
        TsrDeviceModel *model;
        bench_open(&bench, cores);
        launch(bench.a, "x"); /* before the capture: runs as ever */
        ck_ok(npu->capture_begin(bench.a));
        launch(bench.a, "1");
        launch(bench.a, "2");
        launch(bench.b, "y"); /* the other stream has nothing to do with it */
        ck_ok(npu->stream_synchronize(bench.b));
        ck_assert_str_eq(text, "xy");
        launch(bench.a, "3");
        ck_ok(npu->capture_end(bench.a, &model));
        ck_ok(npu->stream_synchronize(bench.a));
        ck_assert_str_eq(text, "xy");
        for (int i = 0; i < 3; i++)
            ck_ok(npu->model_execute(model, 0));
        ck_assert_str_eq(text, "xy123123123");
        for (int i = 0; i < 2; i++) { /* from other threads, one after the other */
            pthread_t thread;
            void *status;
            ck_assert_int_eq(pthread_create(&thread, NULL, execute_once, model), 0);
            ck_assert_int_eq(pthread_join(thread, &status), 0);
            ck_assert_int_eq((int)(intptr_t)status, TSR_OK);
        }
        ck_assert_str_eq(text, "xy123123123123123");
        launch(bench.a, "z"); /* the stream is a plain one again */
        ck_ok(npu->stream_synchronize(bench.a));
        ck_assert_str_eq(text + 17, "z");
        npu->model_unload(model);
        bench_close(&bench);
    }
}
END_TEST

/* b joins a by the first event and comes back by the second. */
START_TEST(streams_join_by_events)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        Bench bench;
        TsrDeviceModel *model;
        uint32_t done = 7;
        bench_open(&bench, cores);
        ck_ok(npu->capture_begin(bench.a));
        launch(bench.a, "1");
        ck_ok(npu->event_record(bench.event, bench.a));
        ck_ok(npu->event_wait(bench.b, bench.event));
        launch(bench.b, "2");
        ck_ok(npu->event_record(bench.event, bench.b)); /* a new generation */
        ck_ok(npu->event_wait(bench.a, bench.event));
        launch(bench.a, "3");
        ck_refused(npu->event_query(bench.event, &done), "has not ended");
        ck_ok(npu->capture_end(bench.a, &model));
        for (int i = 0; i < 200; i++) {
            text[0] = '\0';
            ck_ok(npu->model_execute(model, 0));
            ck_assert_str_eq(text, "123");
        }
        /* The record was of the capture: as an event it was never made. */
        ck_ok(npu->event_query(bench.event, &done));
        ck_assert_uint_eq(done, 1);
        ck_ok(npu->event_wait(bench.b, bench.event));
        launch(bench.b, "4"); /* b is plain again as well */
        ck_ok(npu->stream_synchronize(bench.b));
        ck_assert_str_eq(text, "1234");
        npu->model_unload(model);
        bench_close(&bench);
    }
}
END_TEST

START_TEST(args_are_read_at_each_run)
{
    char elsewhere[8] = "";
    Bench bench;
    TsrDeviceModel *model;
    bench_open(&bench, 2);
    ck_ok(npu->capture_begin(bench.a));
    launch(bench.a, "1");
    ck_ok(npu->capture_end(bench.a, &model));
    text_args[0] = elsewhere;
    ck_ok(npu->model_execute(model, 0));
    text_args[0] = text;
    ck_assert_str_eq(elsewhere, "1");
    ck_assert_str_eq(text, "");
    npu->model_unload(model);
    /* An empty capture is a model that does nothing. */
    ck_ok(npu->capture_begin(bench.a));
    ck_ok(npu->capture_end(bench.a, &model));
    ck_ok(npu->model_execute(model, 0));
    npu->model_unload(model);
    bench_close(&bench);
}
END_TEST

START_TEST(what_cannot_be_captured)
{
    Bench bench;
    TsrDeviceModel *model;
    TsrTask jump = {TASK, .kind = TSR_TASK_GOTO};
    bench_open(&bench, 2);
    ck_refused(npu->capture_end(bench.a, &model), "stream 0 does not capture");
    launch(bench.b, "o");
    ck_ok(npu->event_record(bench.other, bench.b));
    ck_ok(npu->capture_begin(bench.a));
    ck_refused(npu->capture_begin(bench.a), "stream 0 captures already");
    ck_refused(npu->stream_synchronize(bench.a), "stream 0 captures");
    ck_refused(npu->event_wait(bench.a, bench.other), "outside of its capture");
    ck_assert_int_ne(npu->launch(bench.a, &jump), TSR_OK);
    launch(bench.a, "1");
    ck_ok(npu->capture_end(bench.a, &model)); /* all of that did no harm */
    ck_ok(npu->stream_synchronize(bench.b));
    ck_ok(npu->model_execute(model, 0));
    ck_assert_str_eq(text, "o1");
    npu->model_unload(model);
    bench_close(&bench);
}
END_TEST

/* A stream of another capture, and one that joined a first one. */
START_TEST(captures_do_not_mix)
{
    Bench bench;
    TsrDeviceModel *model;
    bench_open(&bench, 2);
    ck_ok(npu->capture_begin(bench.a));
    launch(bench.a, "1");
    ck_ok(npu->event_record(bench.event, bench.a));
    ck_ok(npu->capture_begin(bench.b));
    ck_refused(npu->event_wait(bench.b, bench.event), "outside of its capture");
    launch(bench.b, "2");
    ck_ok(npu->capture_end(bench.b, &model));
    ck_ok(npu->model_execute(model, 0));
    ck_assert_str_eq(text, "2");
    npu->model_unload(model);
    ck_ok(npu->event_wait(bench.b, bench.event));
    ck_refused(npu->capture_begin(bench.b), "captures already");
    ck_refused(npu->capture_end(bench.b, &model), "only joined a capture, which began on stream 0");
    ck_refused(npu->capture_end(bench.a, &model), "does not capture"); /* it is gone as well */
    bench_close(&bench);
}
END_TEST

START_TEST(streams_that_are_left_behind)
{
    Bench bench;
    TsrDeviceModel *model;
    bench_open(&bench, 2);
    ck_ok(npu->capture_begin(bench.a));
    ck_ok(npu->event_record(bench.event, bench.a));
    ck_ok(npu->event_wait(bench.b, bench.event));
    launch(bench.b, "2");
    ck_ok(npu->event_record(bench.event, bench.b));
    launch(bench.b, "3");
    ck_ok(npu->event_wait(bench.a, bench.event)); /* for 2, but not for 3 */
    ck_refused(npu->capture_end(bench.a, &model), "does not wait for task 4 '3' of stream 1");
    launch(bench.b, "p"); /* nobody captures any more */
    ck_ok(npu->stream_synchronize(bench.b));
    ck_assert_str_eq(text, "p");

    ck_ok(npu->capture_begin(bench.a));
    ck_ok(npu->event_record(bench.event, bench.a));
    ck_ok(npu->event_wait(bench.b, bench.event));
    npu->stream_destroy(bench.b);
    ck_refused(npu->capture_end(bench.a, &model), "stream 1, which joined, was destroyed");

    ck_ok(npu->stream_create(bench.context, &bench.b));
    ck_ok(npu->capture_begin(bench.a));
    ck_ok(npu->event_record(bench.event, bench.a));
    ck_ok(npu->event_wait(bench.b, bench.event));
    launch(bench.b, "q");
    npu->stream_destroy(bench.a); /* the capture goes with the stream that it began on */
    ck_refused(npu->capture_begin(bench.a), "destroyed");
    ck_ok(npu->stream_synchronize(bench.b));
    ck_assert_str_eq(text, "p");
    ck_ok(npu->stream_create(bench.context, &bench.a));
    ck_ok(npu->capture_begin(bench.a)); /* left to the close */
    launch(bench.a, "r");
    npu->close(bench.context);
    ck_assert_str_eq(text, "p");
}
END_TEST

static int32_t host_fail(void *arg)
{
    return *(int32_t *)arg;
}

/* A failed host call ends the execution, not a stream for good. */
START_TEST(a_failure_is_of_one_execution)
{
    Bench bench;
    TsrDeviceModel *model;
    int32_t status = TSR_INTERNAL;
    TsrTask call = {TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = host_fail, .host_arg = &status};
    bench_open(&bench, 2);
    ck_ok(npu->capture_begin(bench.a));
    launch(bench.a, "1");
    ck_ok(npu->launch(bench.a, &call));
    launch(bench.a, "2");
    ck_ok(npu->capture_end(bench.a, &model));
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_INTERNAL);
    ck_assert_str_eq(text, "1");
    status = TSR_OK;
    ck_ok(npu->model_execute(model, 0));
    ck_assert_str_eq(text, "112");
    npu->model_unload(model);
    bench_close(&bench);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        runs_as_often_as_one_likes, streams_join_by_events, args_are_read_at_each_run,
        what_cannot_be_captured, captures_do_not_mix, streams_that_are_left_behind,
        a_failure_is_of_one_execution,
    };
    return npu_run_suite("npu_sim capture", tests, sizeof(tests) / sizeof(tests[0]));
}
