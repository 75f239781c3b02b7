/* SPDX-License-Identifier: Apache-2.0
 *
 * test_model.c: the sink of the simulated NPU on small lists: what is refused at
 * load, the order of tasks, blocks, copies, host calls, deadlines, profiles.
 */
#include <stdatomic.h>
#include <time.h>

#include "harness.h"

enum { CORES_MAX = 4 };

static atomic_int clock_ticks;

/* args[0] receives when it ran. */
static void stamp(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)params, (void)block, (void)block_dim;
    *(int *)args[0] = atomic_fetch_add(&clock_ticks, 1) + 1;
}

/* args[0][block] counts visits. */
static void visit(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)params, (void)block_dim;
    ((uint8_t *)args[0])[block]++;
}

static void nothing(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)args, (void)params, (void)block, (void)block_dim;
}

static void sleep_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void nap(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)args, (void)params, (void)block, (void)block_dim;
    sleep_ms(20);
}

static int32_t host_tick(void *arg)
{
    *(int *)arg = atomic_fetch_add(&clock_ticks, 1) + 1;
    return TSR_OK;
}

static int32_t host_fail(void *arg)
{
    (void)arg;
    return host_set_error(&test_host, TSR_INTERNAL, "the kernel's own text");
}

/* ------------------------------------------------------------------ load */

static void refused(const TsrTask *tasks, uint32_t count, const char *part)
{
    TsrDeviceContext *context = npu_open(2);
    TsrDeviceModel *model = NULL;
    ck_assert_int_eq(npu_load_list(context, tasks, count, 2, 2, &model), TSR_INVALID_ARGUMENT);
    ck_assert_ptr_null(model);
    ck_assert_error(part);
    npu->close(context);
}

START_TEST(load_names_the_faulty_task)
{
    TsrTask good = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = nothing};
    const struct {
        TsrTask task;
        const char *part;
    } rows[] = {
        {{TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .name = "a"}, "'a': it has no kernel"},
        {{TASK, .kind = TSR_TASK_KERNEL, .kernel = nothing, .name = "b"}, "block_dim is 0"},
        {{TASK, .kind = TSR_TASK_KERNEL, .kernel = nothing, .block_dim = 1, .arg_count = 2,
          .name = "c"}, "no args"},
        {{TASK, .kind = TSR_TASK_KERNEL, .kernel = nothing, .block_dim = 1, .stream = 2,
          .name = "d"}, "'d': stream 2 is out of range, the list has 2"},
        {{TASK, .kind = TSR_TASK_EVENT_RECORD, .event = 2, .name = "e"}, "event 2 is out of"},
        {{TASK, .kind = TSR_TASK_NOTIFY_WAIT, .event = 9, .name = "f"}, "notify 9 is out of"},
        {{TASK, .kind = TSR_TASK_EVENT_WAIT, .event = 1, .name = "g"}, "no earlier task"},
        {{TASK, .kind = TSR_TASK_HOST_CALL, .name = "h"}, "no host function"},
        {{TASK, .kind = TSR_TASK_MEMCPY, .bytes = 4, .name = "i"}, "wants args {to, from}"},
        {{TASK, .kind = 99, .name = "j"}, "unknown kind 99"},
        {{TASK, .kind = 99}, "task 1:"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        TsrTask tasks[] = {good, rows[i].task};
        refused(tasks, 2, rows[i].part);
        ck_assert_error("task 1");
    }
}
END_TEST

START_TEST(load_finds_a_deadlock)
{
    /* Each stream waits for what the other records only afterwards. */
    TsrTask circle[] = {
        {TASK, .kind = TSR_TASK_EVENT_WAIT, .stream = 0, .event = 1, .name = "w0"},
        {TASK, .kind = TSR_TASK_EVENT_RECORD, .stream = 0, .event = 0},
        {TASK, .kind = TSR_TASK_EVENT_WAIT, .stream = 1, .event = 0},
        {TASK, .kind = TSR_TASK_EVENT_RECORD, .stream = 1, .event = 1, .name = "r1"},
    };
    TsrTask twice[] = {
        {TASK, .kind = TSR_TASK_NOTIFY_RECORD, .stream = 0, .event = 1},
        {TASK, .kind = TSR_TASK_NOTIFY_WAIT, .stream = 1, .event = 1},
        {TASK, .kind = TSR_TASK_NOTIFY_WAIT, .stream = 1, .event = 1, .name = "second"},
    };
    refused(circle, 4, "'w0': deadlock: stream 0 waits for event 1, which stream 1 records only");
    ck_assert_error("task 3 'r1'");
    refused(twice, 3, "task 2 'second': stream 1 waits for notify 1, whose records are all used");
}
END_TEST

START_TEST(load_refuses_garbage_counts)
{
    TsrDeviceContext *context = npu_open(1);
    TsrDeviceModel *model = NULL;
    TsrTaskList list = {.struct_size = sizeof(list), .task_count = 3};
    ck_assert_int_eq(npu->model_load(context, &list, &model), TSR_INVALID_ARGUMENT);
    list.task_count = 0;
    list.stream_count = UINT32_MAX;
    ck_assert_int_eq(npu->model_load(context, &list, &model), TSR_INVALID_ARGUMENT);
    ck_assert_error("4294967295 streams");
    npu->close(context);
}
END_TEST

START_TEST(load_reads_with_the_writers_stride)
{
    /* A newer host's tasks are longer, an older one's shorter: here without name. */
    struct {
        TsrTask task;
        char more[40];
    } longer[2];
    TsrDeviceContext *context = npu_open(1);
    TsrDeviceModel *model;
    int when[2] = {0};
    void *args[2] = {&when[0], &when[1]};
    TsrTaskList list = {.struct_size = sizeof(list), .task_count = 2,
                        .task_stride = sizeof(longer[0]), .stream_count = 1,
                        .tasks = &longer[0].task};
    memset(longer, 0x5a, sizeof(longer));
    for (int i = 0; i < 2; i++) {
        longer[i].task = (TsrTask){.struct_size = sizeof(longer[0]), .kind = TSR_TASK_KERNEL,
                                   .block_dim = 1, .kernel = stamp, .args = &args[i],
                                   .arg_count = 1};
    }
    longer[1].task.struct_size = offsetof(TsrTask, name);
    longer[1].task.name = (const char *)1;
    ck_assert_int_eq(npu->model_load(context, &list, &model), TSR_OK);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    ck_assert_int_eq(when[1], when[0] + 1);
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

/* ------------------------------------------------------------------- run */

START_TEST(a_stream_keeps_its_order)
{
    enum { TASKS = 200 };
    static int when[TASKS];
    static void *args[TASKS];
    TsrTask tasks[TASKS];
    for (uint32_t cores = 1; cores <= CORES_MAX; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        TsrDeviceModel *model;
        for (int i = 0; i < TASKS; i++) {
            args[i] = &when[i];
            tasks[i] = (TsrTask){TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = stamp,
                                 .args = &args[i], .arg_count = 1, .stream = (uint32_t)i % 2};
            if (i % 5 == 0)
                tasks[i] = (TsrTask){TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = host_tick,
                                     .host_arg = &when[i], .stream = (uint32_t)i % 2};
        }
        ck_assert_int_eq(npu_load_list(context, tasks, TASKS, 2, 0, &model), TSR_OK);
        for (int run = 0; run < 20; run++) {
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
            for (int i = 2; i < TASKS; i++)
                ck_assert_int_gt(when[i], when[i - 2]);
        }
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

START_TEST(every_block_runs_once)
{
    static const uint32_t dims[] = {1, 2, 3, 7, 16, 33, 127, 1000, 700001};
    static uint8_t visits[700001];
    void *args[1] = {visits};
    for (uint32_t cores = 1; cores <= CORES_MAX; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        for (size_t d = 0; d < sizeof(dims) / sizeof(dims[0]); d++) {
            TsrTask task = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = dims[d],
                            .kernel = visit, .args = args, .arg_count = 1};
            TsrDeviceModel *model;
            memset(visits, 0, sizeof(visits));
            ck_assert_int_eq(npu_load_list(context, &task, 1, 1, 0, &model), TSR_OK);
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
            for (uint32_t i = 0; i < dims[d]; i++)
                if (visits[i] != 1)
                    ck_abort_msg("block %u of %u ran %u times", i, dims[d], visits[i]);
            npu->model_unload(model);
        }
        npu->close(context);
    }
}
END_TEST

START_TEST(copies_of_every_size)
{
    static const uint64_t sizes[] = {0, 1, 1000, 600000, 3000001};
    static uint8_t from[3000001], to[3000001];
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (uint8_t)(i * 31 + i / 1000);
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        for (int s = 0; s < 5; s++) {
            void *args[2] = {to, from};
            TsrTask task = {TASK, .kind = TSR_TASK_MEMCPY, .bytes = sizes[s], .args = args,
                            .arg_count = 2};
            TsrDeviceModel *model;
            memset(to, 0, sizeof(to));
            ck_assert_int_eq(npu_load_list(context, &task, 1, 1, 0, &model), TSR_OK);
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
            ck_assert_int_eq(memcmp(to, from, sizes[s]), 0);
            ck_assert(sizes[s] == sizeof(to) || to[sizes[s]] == 0);
            npu->model_unload(model);
        }
        npu->close(context);
    }
}
END_TEST

START_TEST(args_may_change_between_executions)
{
    TsrDeviceContext *context = npu_open(2);
    int first = 0, second = 0;
    void *args[1] = {&first};
    TsrTask task = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = stamp,
                    .args = args, .arg_count = 1};
    TsrDeviceModel *model;
    ck_assert_int_eq(npu_load_list(context, &task, 1, 1, 0, &model), TSR_OK);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    args[0] = &second;
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    ck_assert_int_ne(first, 0);
    ck_assert_int_eq(second, first + 1);
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

START_TEST(a_failed_host_call_stops_the_execution)
{
    for (uint32_t cores = 1; cores <= CORES_MAX; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        int after = 0;
        void *args[1] = {&after};
        TsrTask tasks[] = {
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 64, .kernel = nothing},
            {TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = host_fail, .name = "bad"},
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = stamp, .args = args,
             .arg_count = 1},
        };
        TsrDeviceModel *model;
        ck_assert_int_eq(npu_load_list(context, tasks, 3, 1, 0, &model), TSR_OK);
        for (int run = 0; run < 50; run++) {
            error_text[0] = '\0';
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_INTERNAL);
            ck_assert_int_eq(after, 0);
            /* The call's own text where it ran on this thread, else ours. */
            if (strstr(error_text, "the kernel's own text") == NULL)
                ck_assert_error("'bad' on stream 0: its host call failed with status 10");
        }
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

START_TEST(a_deadline_names_the_task)
{
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        int after = 0;
        void *args[1] = {&after};
        TsrTask tasks[] = {
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 4, .kernel = nap, .name = "slow"},
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = stamp, .args = args,
             .arg_count = 1},
        };
        TsrDeviceModel *model;
        ck_assert_int_eq(npu_load_list(context, tasks, 2, 1, 0, &model), TSR_OK);
        ck_assert_int_eq(npu->model_execute(model, 5000), TSR_DEADLINE_EXCEEDED);
        ck_assert_error("task 0 'slow' on stream 0");
        ck_assert_int_eq(after, 0);
        /* The model is as good as new. */
        ck_assert_int_eq(npu->model_execute(model, 10000000), TSR_OK);
        ck_assert_int_ne(after, 0);
        ck_assert_int_eq(npu->model_execute(model, UINT64_MAX), TSR_OK);
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

/* Per task and core: each reports its own part once. */
typedef struct Seen {
    atomic_int count;
    uint64_t begin[8][2];
    uint64_t end[8][2];
} Seen;

static void see(void *arg, uint32_t task, uint32_t core, uint64_t begin_ns, uint64_t end_ns)
{
    Seen *seen = arg;
    ck_assert_uint_lt(core, 2);
    ck_assert_uint_eq(seen->end[task][core], 0);
    atomic_fetch_add(&seen->count, 1);
    seen->begin[task][core] = begin_ns;
    seen->end[task][core] = end_ns;
}

static uint64_t last_end(const Seen *seen, uint32_t task)
{
    return seen->end[task][0] > seen->end[task][1] ? seen->end[task][0] : seen->end[task][1];
}

START_TEST(a_profile_reports_every_task)
{
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        Seen seen = {0};
        int count;
        TsrTask tasks[] = {
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 2, .kernel = nap},
            {TASK, .kind = TSR_TASK_EVENT_RECORD, .event = 0},
            {TASK, .kind = TSR_TASK_EVENT_WAIT, .event = 0, .stream = 1},
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = nap, .stream = 1},
        };
        TsrDeviceModel *model;
        ck_assert_int_eq(npu_load_list(context, tasks, 4, 2, 1, &model), TSR_OK);
        ck_assert_int_eq(npu->model_profile(model, see, &seen), TSR_OK);
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        /* The first task has two blocks: two cores sleep at the same time, each for itself. */
        ck_assert_int_eq(seen.count, cores == 1 ? 4 : 5);
        for (uint32_t core = 0; core < cores; core++) {
            ck_assert_uint_ge(seen.end[0][core] - seen.begin[0][core], 19000000);
            if (seen.end[3][core] == 0)
                continue;
            ck_assert_uint_ge(seen.end[3][core] - seen.begin[3][core], 19000000);
            ck_assert_uint_ge(seen.begin[3][core], last_end(&seen, 0));
        }
        for (uint32_t task = 0; task < 4; task++)
            ck_assert_uint_ne(last_end(&seen, task), 0);
        count = seen.count;
        ck_assert_int_eq(npu->model_profile(model, NULL, NULL), TSR_OK);
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        ck_assert_int_eq(seen.count, count);
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

/* Ticks are of the counter that profile_clock reads, and nanoseconds follow from two readings. */
START_TEST(a_profile_in_ticks)
{
    TsrDeviceContext *context = npu_open(1);
    Seen seen = {0};
    uint64_t ticks[2], ns[2];
    double begin, end, rate;
    TsrTask task = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = nap};
    TsrDeviceModel *model;
    ck_assert_int_eq(npu_load_list(context, &task, 1, 1, 0, &model), TSR_OK);
    npu->profile_clock(context, &ticks[0], &ns[0]);
    ck_assert_int_eq(npu->model_profile_ticks(model, see, &seen), TSR_OK);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    npu->profile_clock(context, &ticks[1], &ns[1]);
    ck_assert_int_eq(npu->model_profile_ticks(model, NULL, NULL), TSR_OK);
    ck_assert_int_eq(seen.count, 1);
    ck_assert_uint_gt(ns[1], ns[0]);
    ck_assert_uint_ge(seen.begin[0][0], ticks[0]);
    ck_assert_uint_le(seen.end[0][0], ticks[1]);
    rate = (double)(ns[1] - ns[0]) / (double)(ticks[1] - ticks[0]);
    begin = (double)(seen.begin[0][0] - ticks[0]) * rate;
    end = (double)(seen.end[0][0] - ticks[0]) * rate;
    ck_assert_double_ge(end - begin, 19e6);
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

START_TEST(streams_run_side_by_side)
{
    /* Two naps on two streams take the time of one, with cores to spare. */
    TsrDeviceContext *context = npu_open(2);
    TsrTask tasks[10];
    TsrDeviceModel *model;
    struct timespec a, b;
    double elapsed;
    for (uint32_t i = 0; i < 10; i++)
        tasks[i] = (TsrTask){TASK, .kind = TSR_TASK_KERNEL, .block_dim = 1, .kernel = nap,
                             .stream = i % 2};
    ck_assert_int_eq(npu_load_list(context, tasks, 10, 2, 0, &model), TSR_OK);
    clock_gettime(CLOCK_MONOTONIC, &a);
    ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    clock_gettime(CLOCK_MONOTONIC, &b);
    elapsed = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    ck_assert_msg(elapsed < 0.17, "ten naps of 20 ms on two streams took %.3f s", elapsed);
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        load_names_the_faulty_task, load_finds_a_deadlock, load_refuses_garbage_counts,
        load_reads_with_the_writers_stride, a_stream_keeps_its_order, every_block_runs_once,
        copies_of_every_size, args_may_change_between_executions,
        a_failed_host_call_stops_the_execution, a_deadline_names_the_task,
        a_profile_reports_every_task, a_profile_in_ticks, streams_run_side_by_side,
    };
    return npu_run_suite("npu_sim model", tests, sizeof(tests) / sizeof(tests[0]));
}
