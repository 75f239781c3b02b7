/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.c: what the simulated NPU costs beside the kernels: nanoseconds per empty
 * task in the sink, by cores, streams and blocks, and in plain launches, one by one
 * as host scheduling does it. Usage: bench_dispatch [PLUGIN]. Each figure is the
 * best of seven rounds, which leaves the machine's other work out.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin.h>
#include <time.h>

enum { ROUNDS = 7, TASKS = 1000, EXECUTIONS = 100 };

static const TsrDevice *npu;

static int32_t host_set_error(const TsrHost *host, int32_t code, const char *format, ...)
{
    va_list args;
    (void)host;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

static const TsrHost host = {
    .struct_size = sizeof(host),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .set_error = host_set_error,
};

static void check(int32_t status)
{
    if (status != TSR_OK)
        exit(EXIT_FAILURE);
}

static void plugin_load(const char *path)
{
    const TsrPlugin *plugin;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, TSR_PLUGIN_SYMBOL) : NULL;
    TsrPluginQuery query;
    if (symbol == NULL) {
        fprintf(stderr, "%s: %s\n", path, dlerror());
        exit(EXIT_FAILURE);
    }
    memcpy(&query, &symbol, sizeof(query));
    check(query(&host, &plugin));
    check(plugin->init(plugin, &host));
    npu = plugin->get_interface(plugin, TSR_INTERFACE_DEVICE, TSR_INTERFACE_VERSION);
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void nothing(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    (void)args, (void)params, (void)block, (void)block_dim;
}

/* Empty tasks dealt out over the streams; with events, each task of a stream after
 * the first waits for the one before it in the list. */
static void bench_sink(uint32_t cores, uint32_t streams, uint32_t blocks, int events)
{
    static TsrTask tasks[3 * TASKS];
    TsrTaskList list = {.struct_size = sizeof(list), .task_stride = sizeof(TsrTask),
                        .stream_count = streams, .event_count = TASKS, .tasks = tasks};
    TsrDeviceContext *context;
    TsrDeviceModel *model;
    double best = 1e30;
    for (uint32_t i = 0; i < TASKS; i++) {
        if (events && i > 0)
            tasks[list.task_count++] = (TsrTask){.struct_size = sizeof(TsrTask),
                                                 .kind = TSR_TASK_EVENT_WAIT,
                                                 .stream = i % streams, .event = i - 1};
        tasks[list.task_count++] = (TsrTask){.struct_size = sizeof(TsrTask),
                                             .kind = TSR_TASK_KERNEL, .stream = i % streams,
                                             .block_dim = blocks, .kernel = nothing};
        if (events)
            tasks[list.task_count++] = (TsrTask){.struct_size = sizeof(TsrTask),
                                                 .kind = TSR_TASK_EVENT_RECORD,
                                                 .stream = i % streams, .event = i};
    }
    check(npu->open(npu, cores, &context));
    check(npu->model_load(context, &list, &model));
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), elapsed;
        for (int i = 0; i < EXECUTIONS; i++)
            check(npu->model_execute(model, 0));
        elapsed = (now_ns() - begin) / EXECUTIONS / TASKS;
        best = elapsed < best ? elapsed : best;
    }
    printf("sink    %u cores %u streams %2u blocks %-8s %9.1f ns per task\n", cores, streams,
           blocks, events ? "events" : "", best);
    npu->model_unload(model);
    npu->close(context);
}

/* A block of about two microseconds: what a hand-over between cores costs when they
 * really share the work. */
static void busy(void *const *args, const void *params, uint32_t block, uint32_t block_dim)
{
    double end = now_ns() + 2000.0;
    (void)args, (void)params, (void)block, (void)block_dim;
    while (now_ns() < end)
        continue;
}

static void bench_shared(uint32_t cores)
{
    static TsrTask tasks[TASKS];
    TsrTaskList list = {.struct_size = sizeof(list), .task_stride = sizeof(TsrTask),
                        .task_count = TASKS, .stream_count = 1, .tasks = tasks};
    TsrDeviceContext *context;
    TsrDeviceModel *model;
    double best = 1e30;
    for (uint32_t i = 0; i < TASKS; i++)
        tasks[i] = (TsrTask){.struct_size = sizeof(TsrTask), .kind = TSR_TASK_KERNEL,
                             .block_dim = cores, .kernel = busy};
    check(npu->open(npu, cores, &context));
    check(npu->model_load(context, &list, &model));
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), elapsed;
        for (int i = 0; i < 5; i++)
            check(npu->model_execute(model, 0));
        elapsed = (now_ns() - begin) / 5 / TASKS - 2000.0;
        best = elapsed < best ? elapsed : best;
    }
    printf("sink    %u cores, a block of 2 us each  %16.1f ns per task beyond it\n", cores, best);
    npu->model_unload(model);
    npu->close(context);
}

/* One task and one execution: what an execution costs by itself. */
static void bench_execution(uint32_t cores, uint32_t blocks)
{
    TsrTask task = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_KERNEL,
                    .block_dim = blocks, .kernel = nothing};
    TsrTaskList list = {.struct_size = sizeof(list), .task_stride = sizeof(TsrTask),
                        .task_count = 1, .stream_count = 1, .tasks = &task};
    TsrDeviceContext *context;
    TsrDeviceModel *model;
    double best = 1e30;
    check(npu->open(npu, cores, &context));
    check(npu->model_load(context, &list, &model));
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), elapsed;
        for (int i = 0; i < 10 * EXECUTIONS; i++)
            check(npu->model_execute(model, 0));
        elapsed = (now_ns() - begin) / (10 * EXECUTIONS);
        best = elapsed < best ? elapsed : best;
    }
    printf("execute %u cores 1 task    %2u blocks          %9.1f ns per execution\n", cores,
           blocks, best);
    npu->model_unload(model);
    npu->close(context);
}

static void bench_launch(uint32_t cores)
{
    TsrTask task = {.struct_size = sizeof(TsrTask), .kind = TSR_TASK_KERNEL, .block_dim = 1,
                    .kernel = nothing};
    TsrDeviceContext *context;
    TsrStream *stream;
    double best = 1e30;
    check(npu->open(npu, cores, &context));
    check(npu->stream_create(context, &stream));
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), elapsed;
        for (int i = 0; i < TASKS; i++) {
            check(npu->launch(stream, &task));
            check(npu->stream_synchronize(stream));
        }
        elapsed = (now_ns() - begin) / TASKS;
        best = elapsed < best ? elapsed : best;
    }
    printf("launch  %u cores, launch and synchronize one by one %6.1f ns per task\n", cores, best);
    npu->close(context);
}

static void parallel_nothing(void *arg, uint32_t block, uint32_t block_dim)
{
    (void)arg, (void)block, (void)block_dim;
}

static void bench_parallel(uint32_t cores)
{
    TsrDeviceContext *context;
    double best = 1e30;
    check(npu->open(npu, cores, &context));
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), elapsed;
        for (int i = 0; i < TASKS; i++)
            npu->parallel(context, cores, parallel_nothing, NULL);
        elapsed = (now_ns() - begin) / TASKS;
        best = elapsed < best ? elapsed : best;
    }
    printf("parallel %u cores, as many empty blocks %18.1f ns per call\n", cores, best);
    npu->close(context);
}

int main(int argc, char **argv)
{
    plugin_load(argc > 1 ? argv[1] : NPU_SIM_PLUGIN);
    bench_sink(1, 1, 1, 0);
    bench_sink(1, 1, 8, 0);
    bench_sink(1, 4, 1, 1);
    bench_sink(2, 1, 1, 0);
    bench_sink(2, 1, 2, 0);
    bench_sink(2, 1, 8, 0);
    bench_sink(2, 2, 1, 0);
    bench_sink(2, 2, 1, 1);
    bench_shared(1);
    bench_shared(2);
    bench_execution(1, 1);
    bench_execution(2, 1);
    bench_execution(2, 2);
    bench_parallel(2);
    bench_launch(1);
    bench_launch(2);
    return EXIT_SUCCESS;
}
