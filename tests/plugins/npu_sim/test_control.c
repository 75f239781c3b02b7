/* SPDX-License-Identifier: Apache-2.0
 *
 * test_control.c: labels, jumps, counters and copies to computed places: loops, nested
 * loops and branches beside other streams, the end of an endless loop, and every list that
 * is refused.
 */
#include "harness.h"

enum { N = 5, M = 4 };

static uint64_t blocks_run;

/* total += counter, block 0 of 7 only; all blocks are counted. */
static void add_counter(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)params, (void)block_dim;
    __atomic_fetch_add(&blocks_run, 1, __ATOMIC_RELAXED);
    if (block == 0)
        *(int64_t *)args[0] += *(const int64_t *)args[1];
}

static int32_t load(TsrDeviceContext *context, const TsrTask *tasks, uint32_t count,
                    uint32_t streams, uint32_t labels, TsrDeviceModel **out_model)
{
    TsrTaskList list = {.struct_size = sizeof(list), .task_count = count,
                        .task_stride = sizeof(TsrTask), .stream_count = streams,
                        .event_count = 4, .tasks = tasks, .label_count = labels};
    return npu->model_load(context, &list, out_model);
}

#define LABEL(number, on) {TASK, .kind = TSR_TASK_LABEL, .event = number, .stream = on}
#define GOTO(number, on) {TASK, .kind = TSR_TASK_GOTO, .event = number, .stream = on}
#define SWITCH(value, size, to, on)                                                         \
    {TASK, .kind = TSR_TASK_SWITCH, .args = value, .arg_count = 1, .bytes = size,           \
     .labels = to, .label_count = sizeof(to) / sizeof((to)[0]), .stream = on}
#define COUNT(which, given, on)                                                             \
    {TASK, .kind = which, .args = given, .arg_count = 4, .stream = on}
#define KERNEL(given, on)                                                                   \
    {TASK, .kind = TSR_TASK_KERNEL, .kernel = add_counter, .args = given, .arg_count = 2,   \
     .block_dim = 7, .stream = on}

/* for (i < N) { total += i; out[i] = total; } and the same once more on another stream. */
START_TEST(loops_count_and_store)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        TsrDeviceModel *model;
        int64_t counter[2], total[2], limit = N, out[2][N];
        int32_t go[2];
        uint8_t condition = 1;
        void *count[2][4], *add[2][2], *store[2][3], *flag[2][1];
        const uint32_t heads[2][2] = {{1, 0}, {3, 2}};
        TsrTask tasks[18];
        for (uint32_t s = 0; s < 2; s++) {
            void *const counts[] = {&counter[s], &go[s], &limit, s == 0 ? &condition : NULL};
            memcpy(count[s], counts, sizeof(counts));
            add[s][0] = &total[s], add[s][1] = &counter[s];
            store[s][0] = out[s], store[s][1] = &total[s], store[s][2] = &counter[s];
            flag[s][0] = &go[s];
            const TsrTask loop[] = {
                COUNT(TSR_TASK_COUNT_BEGIN, count[s], s),
                LABEL(2 * s + 4, s),
                SWITCH(flag[s], 4, heads[s], s),
                LABEL(2 * s, s),
                KERNEL(add[s], s),
                {TASK, .kind = TSR_TASK_MEMCPY_AT, .args = store[s], .arg_count = 3, .bytes = 8,
                 .places = N, .flags = s == 1 ? TSR_AT_BACKWARD : 0, .stream = s},
                COUNT(TSR_TASK_COUNT_NEXT, count[s], s),
                GOTO(2 * s + 4, s),
                LABEL(2 * s + 1, s),
            };
            memcpy(&tasks[9 * s], loop, sizeof(loop));
        }
        ck_assert_msg(load(context, tasks, 18, 2, 8, &model) == TSR_OK, "%s", error_text);
        for (int run = 0; run < 50; run++) {
            memset(total, 0, sizeof(total));
            blocks_run = 0;
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
            ck_assert_uint_eq(blocks_run, 2 * 7 * N);
            for (int i = 0; i < N; i++) {
                ck_assert_int_eq(out[0][i], i * (i + 1) / 2);
                ck_assert_int_eq(out[1][N - 1 - i], i * (i + 1) / 2);
            }
        }
        condition = 0; /* the first loop does not begin */
        memset(total, 0, sizeof(total));
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        ck_assert_int_eq(total[0], 0);
        ck_assert_int_eq(total[1], N * (N - 1) / 2);
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

/* for (i < N) for (j < M) total += j, between an event of each side of another stream. */
START_TEST(nested_loops_beside_another_stream)
{
    for (uint32_t cores = 1; cores <= 4; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        TsrDeviceModel *model;
        int64_t i = 0, j = 0, outer = N, inner = M, total = 0, seen = 0, one = 1;
        int32_t go_i, go_j;
        void *count_i[] = {&i, &go_i, &outer, NULL}, *count_j[] = {&j, &go_j, &inner, NULL};
        void *add[] = {&total, &j}, *first[] = {&total, &one}, *look[] = {&seen, &total};
        void *flag_i[] = {&go_i}, *flag_j[] = {&go_j};
        const uint32_t to_i[] = {1, 2}, to_j[] = {4, 5};
        const TsrTask tasks[] = {
            KERNEL(first, 1),
            {TASK, .kind = TSR_TASK_EVENT_RECORD, .event = 0, .stream = 1},
            {TASK, .kind = TSR_TASK_EVENT_WAIT, .event = 0, .stream = 0},
            COUNT(TSR_TASK_COUNT_BEGIN, count_i, 0),
            LABEL(0, 0),
            SWITCH(flag_i, 4, to_i, 0),
            LABEL(2, 0),
            COUNT(TSR_TASK_COUNT_BEGIN, count_j, 0),
            LABEL(3, 0),
            SWITCH(flag_j, 4, to_j, 0),
            LABEL(5, 0),
            KERNEL(add, 0),
            COUNT(TSR_TASK_COUNT_NEXT, count_j, 0),
            GOTO(3, 0),
            LABEL(4, 0),
            COUNT(TSR_TASK_COUNT_NEXT, count_i, 0),
            GOTO(0, 0),
            LABEL(1, 0),
            {TASK, .kind = TSR_TASK_EVENT_RECORD, .event = 1, .stream = 0},
            {TASK, .kind = TSR_TASK_EVENT_WAIT, .event = 1, .stream = 1},
            KERNEL(look, 1),
        };
        ck_assert_msg(load(context, tasks, sizeof(tasks) / sizeof(tasks[0]), 2, 6, &model) ==
                          TSR_OK, "%s", error_text);
        for (int run = 0; run < 50; run++) {
            total = seen = 0;
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
            ck_assert_int_eq(total, 1 + N * (M * (M - 1) / 2));
            ck_assert_int_eq(seen, total);
        }
        npu->model_unload(model);
        npu->close(context);
    }
}
END_TEST

/* A switch by int32 and by bool: each value, and values beyond. */
START_TEST(a_switch_takes_the_last_label_otherwise)
{
    static const int32_t values[] = {0, 1, 2, 3, 1000, -1}, wanted[] = {10, 11, 12, 12, 12, 12};
    TsrDeviceContext *context = npu_open(2);
    TsrDeviceModel *model;
    int64_t numbers[] = {10, 11, 12}, result;
    int32_t value;
    uint8_t truth;
    void *args[] = {&value}, *bool_args[] = {&truth};
    void *copies[3][2] = {{&result, &numbers[0]}, {&result, &numbers[1]}, {&result, &numbers[2]}};
    const uint32_t three[] = {0, 1, 2}, two[] = {0, 1};
#define COPY(index)                                                                 \
    {TASK, .kind = TSR_TASK_MEMCPY, .args = copies[index], .arg_count = 2, .bytes = 8}
    TsrTask tasks[] = {SWITCH(args, 4, three, 0), LABEL(0, 0), COPY(0), GOTO(3, 0), LABEL(1, 0),
                       COPY(1), GOTO(3, 0), LABEL(2, 0), COPY(2), LABEL(3, 0)};
    ck_assert_msg(load(context, tasks, 10, 1, 4, &model) == TSR_OK, "%s", error_text);
    for (int i = 0; i < 6; i++) {
        value = values[i];
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        ck_assert_int_eq(result, wanted[i]);
    }
    npu->model_unload(model);
    tasks[0] = (TsrTask)SWITCH(bool_args, 1, two, 0);
    ck_assert_msg(load(context, tasks, 10, 1, 4, &model) == TSR_OK, "%s", error_text);
    for (int i = 0; i < 3; i++) {
        truth = (uint8_t)(i * 127);
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
        ck_assert_int_eq(result, i == 0 ? 10 : 11);
    }
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

/* Rows: column `index` of a [3, 4] matrix out and in again, backward. */
START_TEST(places_in_rows)
{
    TsrDeviceContext *context = npu_open(2);
    TsrDeviceModel *model;
    int32_t from[3][4], to[3][4], column[3];
    int64_t index;
    void *out[] = {column, from, &index}, *in[] = {to, column, &index};
    const TsrTask tasks[] = {
        {TASK, .kind = TSR_TASK_MEMCPY_AT, .args = out, .arg_count = 3, .bytes = 4, .rows = 3,
         .places = 4, .flags = TSR_AT_FROM},
        {TASK, .kind = TSR_TASK_MEMCPY_AT, .args = in, .arg_count = 3, .bytes = 4, .rows = 3,
         .places = 4, .flags = TSR_AT_BACKWARD, .name = "back"},
    };
    for (int i = 0; i < 12; i++)
        from[i / 4][i % 4] = i;
    ck_assert_msg(load(context, tasks, 2, 1, 0, &model) == TSR_OK, "%s", error_text);
    for (index = 0; index < 4; index++)
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(to[i / 4][i % 4], i / 4 * 4 + 3 - i % 4);
    for (index = -1; index < 5; index += 5) {
        ck_assert_int_eq(npu->model_execute(model, 0), TSR_INVALID_ARGUMENT);
        ck_assert_error("task 0 on stream 0: its index is no place of the tensor");
    }
    npu->model_unload(model);
    npu->close(context);
}
END_TEST

START_TEST(a_deadline_ends_an_endless_loop)
{
    for (uint32_t cores = 1; cores <= 2; cores++) {
        TsrDeviceContext *context = npu_open(cores);
        TsrDeviceModel *model;
        int64_t counter = 0, total = 0;
        void *add[] = {&total, &counter};
        const TsrTask tasks[] = {LABEL(0, 0), KERNEL(add, 0), GOTO(0, 0)};
        for (uint32_t count = 3; count >= 2; count--) { /* with and without a task in it */
            const TsrTask *from = count == 3 ? tasks : (const TsrTask[]){LABEL(0, 0), GOTO(0, 0)};
            ck_assert_msg(load(context, from, count, 1, 1, &model) == TSR_OK, "%s", error_text);
            ck_assert_int_eq(npu->model_execute(model, 2000), TSR_DEADLINE_EXCEEDED);
            ck_assert_error("the execution passed its deadline in task");
            npu->model_unload(model);
        }
        npu->close(context);
    }
}
END_TEST

typedef struct Refusal {
    const char *text;
    uint32_t count;
    TsrTask tasks[5];
} Refusal;

START_TEST(what_is_refused)
{
    static int32_t value;
    static void *args[] = {&value, &value, &value, NULL};
    static const uint32_t one[] = {0}, bad[] = {0, 7};
    const Refusal refusals[] = {
        {"task 0: no task of the list sets label 0", 1, {GOTO(0, 0)}},
        {"task 1: no task of the list sets label 7", 2, {LABEL(0, 0), SWITCH(args, 4, bad, 0)}},
        {"task 0: label 9 is out of range, the list has 2", 1, {LABEL(9, 0)}},
        {"task 1: label 0 is there already (task 0)", 2, {LABEL(0, 0), LABEL(0, 0)}},
        {"there is task 0, a task of another stream", 2, {LABEL(0, 1), GOTO(0, 0)}},
        {"task 0: from the jump on stream 0 to label 1 there is task 1, a task of another stream",
         3, {GOTO(1, 0), COUNT(TSR_TASK_COUNT_NEXT, args, 1), LABEL(1, 0)}},
        {"task 2: from the jump on stream 0 to label 0 there is task 1, an event or a notify", 3,
         {LABEL(0, 0), {TASK, .kind = TSR_TASK_EVENT_RECORD}, SWITCH(args, 4, one, 0)}},
        {"task 1: a switch wants args {value}", 2,
         {LABEL(0, 0), {TASK, .kind = TSR_TASK_SWITCH, .labels = one, .label_count = 1}}},
        {"task 0: a switch wants at least one label", 1,
         {{TASK, .kind = TSR_TASK_SWITCH, .args = args, .arg_count = 1, .bytes = 4}}},
        {"task 1: the value of a switch has 1 or 4 bytes", 2,
         {LABEL(0, 0), SWITCH(args, 8, one, 0)}},
        {"task 0: a counter wants args {counter, go, limit, condition}", 1,
         {{TASK, .kind = TSR_TASK_COUNT_BEGIN, .args = args, .arg_count = 3}}},
        {"task 0: a copy to a place wants args {to, from, index}", 1,
         {{TASK, .kind = TSR_TASK_MEMCPY_AT, .args = args, .arg_count = 2}}},
        {"task 0: its tensor is larger than any memory", 1,
         {{TASK, .kind = TSR_TASK_MEMCPY_AT, .args = args, .arg_count = 3, .bytes = 1u << 31,
           .rows = 1u << 31, .places = 4}}},
    };
    TsrDeviceContext *context = npu_open(2);
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        TsrDeviceModel *model = NULL;
        ck_assert_int_eq(load(context, refusals[i].tasks, refusals[i].count, 2, 2, &model),
                         TSR_INVALID_ARGUMENT);
        ck_assert_error(refusals[i].text);
        ck_assert_ptr_null(model);
    }
    npu->close(context);
}
END_TEST

/* Counters and copies to places are launched on plain streams as well, jumps are not. */
START_TEST(plain_streams_count_too)
{
    TsrDeviceContext *context = npu_open(2);
    TsrStream *stream;
    int64_t counter = 7, limit = 3, out[3] = {0}, from = 5;
    int32_t go = 9;
    void *count[] = {&counter, &go, &limit, NULL}, *at[] = {out, &from, &counter};
    const TsrTask begin = COUNT(TSR_TASK_COUNT_BEGIN, count, 0);
    const TsrTask next = COUNT(TSR_TASK_COUNT_NEXT, count, 0);
    const TsrTask copy = {TASK, .kind = TSR_TASK_MEMCPY_AT, .args = at, .arg_count = 3,
                          .bytes = 8, .places = 3};
    const TsrTask jump = GOTO(0, 0);
    ck_assert_int_eq(npu->stream_create(context, &stream), TSR_OK);
    ck_assert_int_eq(npu->launch(stream, &begin), TSR_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(npu->launch(stream, &copy), TSR_OK);
        ck_assert_int_eq(npu->launch(stream, &next), TSR_OK);
    }
    ck_assert_int_eq(npu->stream_synchronize(stream), TSR_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(out[i], 5);
    ck_assert_int_eq(counter, 3);
    ck_assert_int_eq(go, 0);
    ck_assert_int_eq(npu->launch(stream, &copy), TSR_OK); /* no place 3 */
    ck_assert_int_eq(npu->stream_synchronize(stream), TSR_INVALID_ARGUMENT);
    ck_assert_int_eq(npu->launch(stream, &jump), TSR_INVALID_ARGUMENT);
    ck_assert_error("only kernels, host calls, copies and counters are launched");
    npu->stream_destroy(stream);
    npu->close(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        loops_count_and_store, nested_loops_beside_another_stream,
        a_switch_takes_the_last_label_otherwise, places_in_rows,
        a_deadline_ends_an_endless_loop, what_is_refused, plain_streams_count_too,
    };
    return npu_run_suite("npu_sim control", tests, sizeof(tests) / sizeof(tests[0]));
}
