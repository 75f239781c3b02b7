/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parallel.c: parallel from every place it may be called from, and many
 * threads that share one context.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

enum { BLOCKS = 500, THREADS = 6 };

static void count_block(void *arg, uint32_t block, uint32_t block_dim)
{
    atomic_int *counts = arg;
    if (block < block_dim)
        atomic_fetch_add(&counts[block], 1);
}

static void check_counts(atomic_int *counts, uint32_t blocks, int want)
{
    for (uint32_t i = 0; i < blocks; i++)
        ck_assert_msg(atomic_load(&counts[i]) == want, "block %u ran %d times, not %d", i,
                      atomic_load(&counts[i]), want);
}

START_TEST(every_block_once)
{
    static const uint32_t dims[] = {0, 1, 2, 3, 17, BLOCKS};
    for (uint32_t cores = 1; cores <= 4; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        for (int d = 0; d < 6; d++) {
            for (int run = 0; run < 100; run++) {
                atomic_int counts[BLOCKS] = {0};
                npu->parallel(context, dims[d], count_block, counts);
                check_counts(counts, dims[d], 1);
            }
        }
        npu->close(context);
    }
}
END_TEST

typedef struct Nest {
    TsrDeviceContext *context;
    atomic_int counts[BLOCKS];
} Nest;

static void nested_block(void *arg, uint32_t block, uint32_t block_dim)
{
    Nest *nest = arg;
    (void)block, (void)block_dim;
    npu->parallel(nest->context, BLOCKS, count_block, nest->counts);
}

START_TEST(nested_calls)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        static Nest nest;
        memset(&nest, 0, sizeof(nest));
        nest.context = npu_open(cores);
        npu->parallel(nest.context, 40, nested_block, &nest);
        check_counts(nest.counts, BLOCKS, 40);
        npu->close(nest.context);
    }
}
END_TEST

static int32_t host_parallel(void *arg)
{
    Nest *nest = arg;
    npu->parallel(nest->context, BLOCKS, count_block, nest->counts);
    return TSR_OK;
}

START_TEST(two_host_calls_at_once)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        static Nest nest[3];
        TsrDeviceContext *context = npu_open(cores);
        TsrDeviceModel *model;
        TsrTask tasks[30];
        memset(nest, 0, sizeof(nest));
        for (uint32_t i = 0; i < 30; i++) {
            nest[i % 3].context = context;
            tasks[i] = (TsrTask){TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = host_parallel,
                                 .host_arg = &nest[i % 3], .stream = i % 3};
        }
        ck_assert_int_eq(npu_load_list(context, tasks, 30, 3, 0, &model), TSR_OK);
        for (int run = 0; run < 20; run++)
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        for (int i = 0; i < 3; i++)
            check_counts(nest[i].counts, BLOCKS, 200);
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

static int32_t host_execute(void *arg)
{
    return npu->model_execute(arg, 0);
}

static void kernel_count(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)params;
    count_block(args[0], block, block_dim);
}

START_TEST(a_host_call_may_run_a_model)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        static atomic_int counts[BLOCKS];
        TsrDeviceContext *context = npu_open(cores);
        TsrDeviceModel *inner, *outer;
        void *args[1] = {counts};
        TsrTask body = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = BLOCKS,
                        .kernel = kernel_count, .args = args, .arg_count = 1};
        TsrTask calls[4];
        memset(counts, 0, sizeof(counts));
        ck_assert_int_eq(npu_load_list(context, &body, 1, 1, 0, &inner), TSR_OK);
        for (uint32_t i = 0; i < 4; i++)
            calls[i] = (TsrTask){TASK, .kind = TSR_TASK_HOST_CALL, .host_fn = host_execute,
                                 .host_arg = inner, .stream = i % 2};
        ck_assert_int_eq(npu_load_list(context, calls, 4, 2, 0, &outer), TSR_OK);
        for (int run = 0; run < 10; run++)
            ck_assert_int_eq(npu->model_execute(outer, 0), TSR_OK);
        check_counts(counts, BLOCKS, 40);
        npu->model_unload(inner);
        npu->model_unload(outer);
        npu->close(context);
    }
}
END_TEST

typedef struct Client {
    TsrDeviceContext *context;
    uint64_t numbers[16];
    int failures;
} Client;

/* A read-modify-write without atomics: steps of one stream that overlap, or one block that
 * two cores take, would lose some. */
static void add_one(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)params, (void)block_dim;
    ((uint64_t *)args[0])[block]++;
}

static void *client_main(void *data)
{
    Client *client = data;
    void *args[1] = {client->numbers};
    TsrTask tasks[10];
    TsrDeviceModel *model;
    for (int i = 0; i < 10; i++)
        tasks[i] = (TsrTask){TASK, .kind = TSR_TASK_KERNEL, .block_dim = 16, .kernel = add_one,
                             .args = args, .arg_count = 1};
    if (npu_load_list(client->context, tasks, 10, 1, 0, &model) != TSR_OK) {
        client->failures++;
        return NULL;
    }
    for (int run = 0; run < 200; run++) {
        atomic_int counts[16] = {0};
        client->failures += npu->model_execute(model, 0) != TSR_OK;
        npu->parallel(client->context, 16, count_block, counts);
        for (int i = 0; i < 16; i++)
            client->failures += atomic_load(&counts[i]) != 1;
    }
    npu->model_unload(model);
    return NULL;
}

START_TEST(many_threads_share_a_context)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        static Client clients[THREADS];
        pthread_t threads[THREADS];
        memset(clients, 0, sizeof(clients));
        for (int i = 0; i < THREADS; i++) {
            clients[i].context = context;
            ck_assert_int_eq(pthread_create(&threads[i], NULL, client_main, &clients[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            ck_assert_int_eq(clients[i].failures, 0);
            for (int k = 0; k < 16; k++)
                ck_assert_uint_eq(clients[i].numbers[k], 2000);
        }
        npu->close(context);
    }
}
END_TEST

static void *one_model_main(void *data)
{
    TsrDeviceModel *model = data;
    intptr_t failures = 0;
    for (int run = 0; run < 300; run++)
        failures += npu->model_execute(model, 0) != TSR_OK;
    return (void *)failures;
}

/* Nobody excludes them here, so the kernel counts with atomics. */
START_TEST(many_threads_execute_one_model)
{
    for (uint32_t cores = 1; cores <= 3; cores += 2) {
        TsrDeviceContext *context = npu_open(cores);
        static atomic_int counts[16];
        void *args[1] = {counts}, *result;
        TsrTask task = {TASK, .kind = TSR_TASK_KERNEL, .block_dim = 16, .kernel = kernel_count,
                        .args = args, .arg_count = 1};
        TsrDeviceModel *model;
        pthread_t threads[THREADS];
        memset(counts, 0, sizeof(counts));
        ck_assert_int_eq(npu_load_list(context, &task, 1, 1, 0, &model), TSR_OK);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, one_model_main, model), 0);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], &result);
            ck_assert_ptr_null(result);
        }
        check_counts(counts, 16, 300 * THREADS);
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_block_once, nested_calls, two_host_calls_at_once, a_host_call_may_run_a_model,
        many_threads_share_a_context, many_threads_execute_one_model,
    };
    return npu_run_suite("npu_sim parallel", tests, sizeof(tests) / sizeof(tests[0]));
}
