/* SPDX-License-Identifier: Apache-2.0
 *
 * test_dag.c: random task graphs on 1 to 4 streams and 1 to 4 cores against their
 * serial run. Every task reads cells that its dependences wrote and writes one of
 * its own without any synchronization of its own, so a dependence that the device
 * does not keep shows in the numbers, and as a data race under ThreadSanitizer.
 */
#include "harness.h"

enum { GRAPHS = 1000, TASKS_MAX = 120, CELLS = 40, BLOCKS_MAX = 6, EVENTS = 8 };

typedef struct Task {
    uint32_t inputs[3];
    uint32_t input_count;
    uint32_t output;
    uint32_t salt;
} Task;

/* A cell has one number per block, so that a task may be split. */
static uint64_t cells[CELLS][BLOCKS_MAX], expected[CELLS][BLOCKS_MAX];

static void mix(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    const Task *task = params;
    uint64_t value = task->salt;
    (void)args;
    for (uint32_t lane = block; lane < BLOCKS_MAX; lane += block_dim) {
        value = task->salt + lane;
        for (uint32_t i = 0; i < task->input_count; i++)
            for (uint32_t k = 0; k < BLOCKS_MAX; k++)
                value = (value ^ cells[task->inputs[i]][k]) * UINT64_C(0x9e3779b97f4a7c15) + k;
        cells[task->output][lane] = value;
    }
}

static int32_t mix_on_host(void *arg)
{
    mix(NULL, arg, 0, 1);
    return TSR_OK;
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % limit);
}

typedef struct Plan {
    Task work[TASKS_MAX];
    TsrTask tasks[TASKS_MAX * 8];
    uint32_t count;
    uint32_t streams;
    /* What each stream may take as done of each other stream: task counts. */
    uint32_t seen[4][4];
    uint32_t written[4];
    struct {
        bool set;
        uint32_t stream;
        uint32_t seen[4];
    } events[EVENTS], notifies[EVENTS];
    /* Last writer and, per stream, last reader of each cell, as positions. */
    uint32_t writer_stream[CELLS], writer_at[CELLS], reader_at[CELLS][4];
} Plan;

static void push(Plan *plan, TsrTask task)
{
    plan->tasks[plan->count++] = task;
}

/* Makes stream see position `at` of stream `of`, by an event or a notify. */
static void require(Plan *plan, uint32_t stream, uint32_t of, uint32_t at)
{
    uint32_t event = random_below(EVENTS), notify = random_below(2);
    if (of == stream || plan->seen[stream][of] >= at)
        return;
    push(plan, (TsrTask){TASK, .stream = of, .event = event,
                         .kind = notify ? TSR_TASK_NOTIFY_RECORD : TSR_TASK_EVENT_RECORD});
    push(plan, (TsrTask){TASK, .stream = stream, .event = event,
                         .kind = notify ? TSR_TASK_NOTIFY_WAIT : TSR_TASK_EVENT_WAIT});
    for (uint32_t s = 0; s < plan->streams; s++) {
        uint32_t known = s == of ? plan->written[of] : plan->seen[of][s];
        if (plan->seen[stream][s] < known)
            plan->seen[stream][s] = known;
    }
}

static void plan_make(Plan *plan)
{
    uint32_t tasks = 1 + random_below(TASKS_MAX);
    memset(plan, 0, sizeof(*plan));
    plan->streams = 1 + random_below(4);
    for (uint32_t i = 0; i < tasks; i++) {
        Task *task = &plan->work[i];
        uint32_t stream = random_below(plan->streams), blocks = 1 + random_below(BLOCKS_MAX);
        task->salt = i * 977 + 1;
        task->output = random_below(CELLS);
        task->input_count = random_below(4);
        for (uint32_t k = 0; k < task->input_count; k++) {
            do
                task->inputs[k] = random_below(CELLS);
            while (task->inputs[k] == task->output); /* blocks read whole cells */
            require(plan, stream, plan->writer_stream[task->inputs[k]],
                    plan->writer_at[task->inputs[k]]);
        }
        require(plan, stream, plan->writer_stream[task->output], plan->writer_at[task->output]);
        for (uint32_t s = 0; s < plan->streams; s++)
            require(plan, stream, s, plan->reader_at[task->output][s]);
        if (random_below(5) == 0)
            push(plan, (TsrTask){TASK, .kind = TSR_TASK_HOST_CALL, .stream = stream,
                                 .host_fn = mix_on_host, .host_arg = task});
        else
            push(plan, (TsrTask){TASK, .kind = TSR_TASK_KERNEL, .stream = stream,
                                 .block_dim = blocks, .kernel = mix, .params = task});
        plan->written[stream]++;
        plan->writer_stream[task->output] = stream;
        plan->writer_at[task->output] = plan->written[stream];
        for (uint32_t k = 0; k < task->input_count; k++)
            plan->reader_at[task->inputs[k]][stream] = plan->written[stream];
    }
}

static void cells_reset(void)
{
    for (uint32_t i = 0; i < CELLS; i++)
        for (uint32_t k = 0; k < BLOCKS_MAX; k++)
            cells[i][k] = i * 131 + k;
}

static void serial_run(const Plan *plan)
{
    cells_reset();
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->tasks[i].kind == TSR_TASK_KERNEL)
            mix(NULL, plan->tasks[i].params, 0, 1);
        else if (plan->tasks[i].kind == TSR_TASK_HOST_CALL)
            mix(NULL, plan->tasks[i].host_arg, 0, 1);
    }
    memcpy(expected, cells, sizeof(cells));
}

START_TEST(random_graphs_equal_their_serial_run)
{
    static Plan plan;
    TsrDeviceContext *contexts[4];
    random_state = UINT64_C(0x2545f4914f6cdd1d);
    for (uint32_t i = 0; i < 4; i++)
        contexts[i] = npu_open(i + 1);
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        TsrDeviceModel *model;
        uint32_t cores = 1 + graph % 4;
        plan_make(&plan);
        serial_run(&plan);
        ck_assert_msg(npu_load_list(contexts[cores - 1], plan.tasks, plan.count, plan.streams,
                                    EVENTS, &model) == TSR_OK,
                      "graph %u: %s", graph, error_text);
        for (int run = 0; run < 3; run++) {
            cells_reset();
            ck_assert_int_eq(npu->model_execute(model, 0), TSR_OK);
            ck_assert_msg(memcmp(cells, expected, sizeof(cells)) == 0,
                          "graph %u with %u tasks on %u streams and %u cores differs", graph,
                          plan.count, plan.streams, cores);
        }
        npu->model_unload(model);
    }
    for (uint32_t i = 0; i < 4; i++)
        npu->close(contexts[i]);
}
END_TEST

START_TEST(random_graphs_on_plain_streams)
{
    static Plan plan;
    random_state = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t graph = 0; graph < GRAPHS / 4; graph++) {
        TsrDeviceContext *context = npu_open(1 + graph % 4);
        TsrStream *streams[4];
        TsrEvent *events[2 * EVENTS];
        plan_make(&plan);
        serial_run(&plan);
        for (uint32_t s = 0; s < 4; s++)
            ck_assert_int_eq(npu->stream_create(context, &streams[s]), TSR_OK);
        for (uint32_t e = 0; e < 2 * EVENTS; e++)
            ck_assert_int_eq(npu->event_create(context, &events[e]), TSR_OK);
        cells_reset();
        for (uint32_t i = 0; i < plan.count; i++) {
            const TsrTask *task = &plan.tasks[i];
            TsrStream *stream = streams[task->stream];
            bool notify = task->kind == TSR_TASK_NOTIFY_RECORD ||
                          task->kind == TSR_TASK_NOTIFY_WAIT;
            TsrEvent *event = events[task->event + (notify ? EVENTS : 0)];
            int32_t status;
            if (task->kind == TSR_TASK_EVENT_RECORD || task->kind == TSR_TASK_NOTIFY_RECORD)
                status = npu->event_record(event, stream);
            else if (task->kind == TSR_TASK_EVENT_WAIT || task->kind == TSR_TASK_NOTIFY_WAIT)
                status = npu->event_wait(stream, event);
            else
                status = npu->launch(stream, task);
            ck_assert_msg(status == TSR_OK, "%s", error_text);
            if (random_below(30) == 0)
                ck_assert_int_eq(npu->stream_synchronize(stream), TSR_OK);
        }
        for (uint32_t s = 0; s < plan.streams; s++)
            ck_assert_int_eq(npu->stream_synchronize(streams[s]), TSR_OK);
        ck_assert_msg(memcmp(cells, expected, sizeof(cells)) == 0, "graph %u differs", graph);
        for (uint32_t s = 0; s < 4; s++)
            npu->stream_destroy(streams[s]);
        for (uint32_t e = 0; e < 2 * EVENTS; e++)
            npu->event_destroy(events[e]);
        npu->close(context);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        random_graphs_equal_their_serial_run, random_graphs_on_plain_streams,
    };
    return npu_run_suite("npu_sim dag", tests, sizeof(tests) / sizeof(tests[0]));
}
