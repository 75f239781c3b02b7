/* SPDX-License-Identifier: Apache-2.0
 *
 * test_side_by_side.c: executions of one context in eight threads at once: none waits for
 * another, each has right results whatever cores it gets, and a deadline or a failing host
 * call of one is nobody else's. Made for ThreadSanitizer as well.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "harness.h"

enum { THREADS = 8, NUMBERS = 96, TASKS = 24, RUNS = 120 };

/* What a thread's model computes: numbers[k] = numbers[k] * 3 + k, TASKS times. */
static void step_kernel(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    uint64_t *numbers = args[0];
    (void)params, (void)block_dim;
    numbers[block] = numbers[block] * 3 + block;
}

static void slow_kernel(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    volatile uint64_t sum = 0;
    (void)args, (void)params, (void)block, (void)block_dim;
    for (int i = 0; i < 20000; i++)
        sum += (uint64_t)i;
}

static int32_t fail_call(void *arg)
{
    (void)arg;
    return test_host.set_error(&test_host, TSR_UNSUPPORTED, "a call that fails");
}

typedef struct Client {
    TsrDeviceContext *context;
    int kind; /* 0: computes, 1: fails in a host call, 2: misses its deadline, 3: plain stream */
    uint64_t numbers[NUMBERS];
    void *args[1];
    TsrTask tasks[TASKS];
    int failures;
} Client;

static uint64_t expected(uint32_t k, int runs)
{
    uint64_t number = k;
    for (int i = 0; i < runs * TASKS; i++)
        number = number * 3 + k;
    return number;
}

static void client_tasks(Client *client)
{
    client->args[0] = client->numbers;
    for (uint32_t i = 0; i < TASKS; i++)
        client->tasks[i] = (TsrTask){TASK, .kind = TSR_TASK_KERNEL, .block_dim = NUMBERS,
                                     .kernel = client->kind == 2 ? slow_kernel : step_kernel,
                                     .args = client->args, .arg_count = 1, .name = "step"};
    if (client->kind == 1)
        client->tasks[TASKS / 2] = (TsrTask){TASK, .kind = TSR_TASK_HOST_CALL,
                                             .host_fn = fail_call, .name = "failing"};
}

static void client_models(Client *client)
{
    static const int32_t wanted[] = {TSR_OK, TSR_UNSUPPORTED, TSR_DEADLINE_EXCEEDED};
    TsrDeviceModel *model;
    if (npu_load_list(client->context, client->tasks, TASKS, 1, 0, &model) != TSR_OK) {
        client->failures++;
        return;
    }
    for (int run = 0; run < RUNS; run++)
        client->failures += npu->model_execute(model, client->kind == 2 ? 1 : 0) !=
                            wanted[client->kind];
    npu->model_unload(model);
}

static void client_stream(Client *client)
{
    TsrStream *stream;
    client->failures += npu->stream_create(client->context, &stream) != TSR_OK;
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < TASKS; i++)
            client->failures += npu->launch(stream, &client->tasks[i]) != TSR_OK;
        client->failures += npu->stream_synchronize(stream) != TSR_OK;
    }
    npu->stream_destroy(stream);
}

static void *client_main(void *data)
{
    Client *client = data;
    client_tasks(client);
    if (client->kind == 3)
        client_stream(client);
    else
        client_models(client);
    return NULL;
}

static void run_clients(uint32_t cores, int kinds)
{
    static Client clients[THREADS];
    TsrDeviceContext *context = npu_open(cores);
    pthread_t threads[THREADS];
    memset(clients, 0, sizeof(clients));
    for (int i = 0; i < THREADS; i++) {
        clients[i].context = context;
        clients[i].kind = i % kinds;
        for (uint32_t k = 0; k < NUMBERS; k++)
            clients[i].numbers[k] = k;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, client_main, &clients[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_msg(clients[i].failures == 0, "%d failures of client %d (kind %d), %u cores",
                      clients[i].failures, i, clients[i].kind, cores);
        for (uint32_t k = 0; k < NUMBERS && (clients[i].kind == 0 || clients[i].kind == 3); k++)
            ck_assert_uint_eq(clients[i].numbers[k], expected(k, RUNS));
    }
    npu->close(context);
}

START_TEST(eight_threads_compute)
{
    for (uint32_t cores = 1; cores <= 4; cores++)
        run_clients(cores, 1);
}
END_TEST

START_TEST(failures_are_their_own)
{
    for (uint32_t cores = 1; cores <= 3; cores++)
        run_clients(cores, 3);
}
END_TEST

START_TEST(plain_streams_beside_models)
{
    for (uint32_t cores = 1; cores <= 3; cores++)
        run_clients(cores, 4);
}
END_TEST

/* Two executions that can only end while both are under way: the device must not make the
 * second wait for the first. */
typedef struct Meeting {
    TsrDeviceModel *model;
    atomic_int *arrived;
    int32_t status;
} Meeting;

static int32_t meet(void *arg)
{
    atomic_int *arrived = arg;
    atomic_fetch_add(arrived, 1);
    for (int turn = 0; turn < 20000000 && atomic_load(arrived) < 2; turn++)
        sched_yield();
    return atomic_load(arrived) == 2 ? TSR_OK : TSR_DEADLINE_EXCEEDED;
}

static void *meeting_main(void *data)
{
    Meeting *meeting = data;
    meeting->status = npu->model_execute(meeting->model, 0);
    return NULL;
}

START_TEST(two_executions_meet)
{
    for (uint32_t cores = 1; cores <= 3; cores++) {
        for (int same = 0; same <= 1; same++) {
            TsrDeviceContext *context = npu_open(cores);
            static uint64_t numbers[2][NUMBERS];
            atomic_int arrived = 0;
            TsrDeviceModel *models[2];
            Meeting meetings[2];
            pthread_t threads[2];
            void *args[2][1] = {{numbers[0]}, {numbers[1]}};
            for (int i = 0; i < 2; i++) {
                TsrTask tasks[2] = {
                    {TASK, .kind = TSR_TASK_KERNEL, .block_dim = NUMBERS, .kernel = slow_kernel,
                     .args = args[i], .arg_count = 1},
                    {TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = meet, .host_arg = &arrived},
                };
                ck_assert_int_eq(npu_load_list(context, tasks, 2, 1, 0, &models[i]), TSR_OK);
            }
            for (int i = 0; i < 2; i++) {
                meetings[i] = (Meeting){models[same ? 0 : i], &arrived, -1};
                ck_assert_int_eq(pthread_create(&threads[i], NULL, meeting_main, &meetings[i]),
                                 0);
            }
            for (int i = 0; i < 2; i++)
                pthread_join(threads[i], NULL);
            for (int i = 0; i < 2; i++)
                ck_assert_int_eq(meetings[i].status, TSR_OK);
            npu->model_unload(models[0]);
            npu->model_unload(models[1]);
            npu->close(context);
        }
    }
}
END_TEST

/* Unloaded by its own host call, a model goes when its execution ends. */
static int32_t unload_self(void *arg)
{
    npu->model_unload(*(TsrDeviceModel **)arg);
    return TSR_OK;
}

START_TEST(a_model_may_unload_itself)
{
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        static uint64_t numbers[NUMBERS];
        void *args[1] = {numbers};
        TsrDeviceModel *model;
        TsrTask tasks[2] = {
            {TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = unload_self, .host_arg = &model},
            {TASK, .kind = TSR_TASK_KERNEL, .block_dim = NUMBERS, .kernel = step_kernel,
             .args = args, .arg_count = 1},
        };
        memset(numbers, 0, sizeof(numbers));
        ck_assert_int_eq(npu_load_list(context, tasks, 2, 1, 0, &model), TSR_OK);
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        for (uint32_t k = 0; k < NUMBERS; k++)
            ck_assert_uint_eq(numbers[k], k);
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_INVALID_ARGUMENT);
        ck_assert_error("model_execute: the model is unloaded");
        npu->close(context);
    }
}
END_TEST

/* A profile that changes while others execute: every call gets the argument of its time. */
static void profile_count(void *arg, uint32_t task, uint32_t core, uint64_t begin_ns,
                          uint64_t end_ns)
{
    (void)task, (void)core, (void)begin_ns, (void)end_ns;
    atomic_fetch_add((atomic_int *)arg, 1);
}

START_TEST(profiles_change_between_executions)
{
    TsrDeviceContext *context = npu_open(3);
    static Client client;
    atomic_int counts[20] = {0};
    pthread_t threads[THREADS];
    TsrDeviceModel *model;
    int total = 0;
    Meeting meetings[THREADS];
    client.kind = 2;
    client_tasks(&client);
    ck_assert_int_eq(npu_load_list(context, client.tasks, 4, 1, 0, &model), TSR_OK);
    for (int i = 0; i < THREADS; i++) {
        meetings[i] = (Meeting){.model = model, .status = -1};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, meeting_main, &meetings[i]), 0);
    }
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(npu->model_profile(model, profile_count, &counts[i]), TSR_OK);
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(meetings[i].status, TSR_OK);
    }
    for (int i = 0; i < 20; i++) {
        ck_assert_int_ge(atomic_load(&counts[i]), 4);
        total += atomic_load(&counts[i]);
    }
    /* Each of the three cores reports its own part of a task. */
    ck_assert_int_le(total, 3 * 4 * (20 + THREADS));
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        eight_threads_compute, failures_are_their_own, plain_streams_beside_models,
        two_executions_meet, a_model_may_unload_itself, profiles_change_between_executions,
    };
    return npu_run_suite("npu_sim side by side", tests, sizeof(tests) / sizeof(tests[0]));
}
