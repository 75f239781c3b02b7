/* SPDX-License-Identifier: Apache-2.0
 *
 * test_streams.c: any number of streams gives the same bits; branches that are worth it run side by
 * side. Events and notifies: test_stream_events.c.
 */
#include <stdio.h>
#include <tessera/plugin.h>

#include "api/session.h"
#include "fixture.h"

/* ------------------------------------------------------------------- graphs */

enum { BRANCHES = 4, LENGTH = 12, EXTENT = 24 };

static TsrValue *weights(TsrGraph *graph, const char *name, gint64 extent)
{
    const gint64 shape[] = {extent, extent};
    g_autoptr(TsrArray) array = fixture_array(NULL, 2, shape);
    GError *error = NULL;
    float *data = tsr_array_data(array);
    TsrValue *value;
    for (gint64 i = 0; i < extent * extent; i++)
        data[i] = (float)(i * 7 % 11 - 5) / (float)(3 * extent);
    value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

/* BRANCHES chains of products from one input, joined at the end. */
static void build_branches(TsrGraph *graph, gint64 extent)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(extent, extent));
    TsrValue *ends[BRANCHES + 1] = {NULL};
    for (guint b = 0; b < BRANCHES; b++) {
        ends[b] = x;
        for (guint i = 0; i < LENGTH; i++) {
            g_autofree char *name = g_strdup_printf("branch%u_%u", b, i);
            g_autofree char *matrix = g_strdup_printf("w%u_%u", b, i);
            ends[b] = fixture_node(graph, "MatMul", name,
                                   VALUES(ends[b], weights(graph, matrix, extent)), NULL);
        }
    }
    tsr_build_output(graph, "y", fixture_node(graph, "Concat", "join", ends, "axis=1"));
}

/* Twenty operators over a few values chosen at random. */
static void build_random(TsrGraph *graph, guint32 seed)
{
    static const char *const binary[] = {"Add", "Mul", "Sub", "Max"};
    static const char *const unary[] = {"Relu", "Tanh", "Neg", "Sin"};
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    TsrValue *values[24];
    guint count = 2;
    values[0] = fixture_input(graph, "a", SHAPE(3, 40));
    values[1] = fixture_input(graph, "b", SHAPE(3, 40));
    while (count < G_N_ELEMENTS(values)) {
        TsrValue *x = values[g_rand_int_range(random, 0, (gint32)count)];
        TsrValue *y = values[g_rand_int_range(random, 0, (gint32)count)];
        const guint pick = (guint)g_rand_int_range(random, 0, 4);
        g_autofree char *name = g_strdup_printf("n%u", count);
        values[count] = g_rand_boolean(random)
                            ? fixture_node(graph, binary[pick], name, VALUES(x, y), NULL)
                            : fixture_node(graph, unary[pick], name, VALUES(x), NULL);
        count++;
    }
    for (guint i = count - 3; i < count; i++) {
        g_autofree char *name = g_strdup_printf("out%u", i);
        tsr_build_output(graph, name, values[i]);
    }
}

static TsrModel *compile(TsrSession *session, TsrGraph *graph, guint streams)
{
    static const char *const all[] = {"all", NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options), .streams = streams,
                                       .disable_fusion = all};
    GError *error = NULL;
    TsrModel *model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    return model;
}

static const TsrProgram *program_of(TsrModel *model)
{
    return tsr_bound_model_program(model->bound);
}

static GPtrArray *run(TsrModel *model)
{
    const TsrGraph *graph = program_of(model)->graph;
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GPtrArray *outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        g_ptr_array_add(inputs,
                        fixture_array(NULL, value->desc.view.rank, value->desc.view.shape));
    }
    g_ptr_array_set_size(outputs, (gint)graph->outputs->len);
    ck_assert(tsr_model_run(model, (TsrArray *const *)inputs->pdata,
                            (TsrArray **)outputs->pdata, &error));
    ck_no_error(error);
    return outputs;
}

static void ck_same_bits(GPtrArray *got, GPtrArray *want)
{
    for (guint i = 0; i < want->len; i++) {
        TsrArray *a = g_ptr_array_index(got, i), *b = g_ptr_array_index(want, i);
        ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
        ck_assert_mem_eq(tsr_array_data(a), tsr_array_data(b), tsr_array_size_bytes(b));
    }
}

/* The build proves every plan, so it would fail where an event lacked. */
START_TEST(same_bits_on_any_number)
{
    static const guint streams[] = {2, 3, 8, 0};
    g_autoptr(TsrSession) one = fixture_session(1);
    g_autoptr(TsrSession) two = fixture_session(2);
    guint most = 0;
    for (guint32 seed = 0; seed < 12; seed++) {
        g_autoptr(TsrGraph) first = tsr_session_graph(one, "first");
        g_autoptr(TsrModel) plain = NULL;
        g_autoptr(GPtrArray) want = NULL;
        build_random(first, seed);
        plain = compile(one, first, 1);
        ck_assert_uint_eq(program_of(plain)->stream_count, 1);
        want = run(plain);
        for (gsize s = 0; s < G_N_ELEMENTS(streams); s++)
            for (guint t = 0; t < 2; t++) {
                TsrSession *session = t == 0 ? one : two;
                g_autoptr(TsrGraph) graph = tsr_session_graph(session, "again");
                g_autoptr(TsrModel) model = NULL;
                build_random(graph, seed);
                model = compile(session, graph, streams[s]);
                most = MAX(most, program_of(model)->stream_count);
                ck_assert_uint_le(program_of(model)->stream_count,
                                  streams[s] != 0 ? streams[s] : t + 1);
                for (guint again = 0; again < 5; again++) {
                    g_autoptr(GPtrArray) got = run(model);
                    ck_same_bits(got, want);
                }
            }
    }
    ck_assert_uint_ge(most, 3);
}
END_TEST

/* ----------------------------------------------------------------- timeline */

typedef struct Timeline {
    GMutex lock;
    const TsrProgram *program;
    guint32 cores;          /* bit per core that ran something */
} Timeline;

static void note_task(gpointer user, guint32 task, guint32 core, guint64 begin_ns, guint64 end_ns)
{
    Timeline *timeline = user;
    ck_assert_uint_lt(task, timeline->program->tasks->len);
    ck_assert_uint_le(begin_ns, end_ns);
    g_mutex_lock(&timeline->lock);
    timeline->cores |= 1u << core;
    g_mutex_unlock(&timeline->lock);
}

/* Small products: the cores would meet at the end of each. Every branch stays on its stream,
 * streams wait for each other only at the join, and each core works. */
START_TEST(branches_run_side_by_side)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "branches");
    g_autoptr(TsrModel) model = NULL;
    Timeline timeline = {.cores = 0};
    gint64 stream_of[BRANCHES] = {-1, -1, -1, -1};
    guint on[2] = {0, 0}, waits = 0;
    build_branches(graph, EXTENT);
    model = compile(session, graph, 0);
    timeline.program = program_of(model);
    ck_assert_uint_eq(timeline.program->stream_count, 2);
    for (guint i = 0; i < timeline.program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(timeline.program->tasks, i);
        guint branch;
        waits += task->kind == TSR_TASK_EVENT_WAIT || task->kind == TSR_TASK_NOTIFY_WAIT;
        if (task->kind != TSR_TASK_KERNEL || sscanf(task->name, "branch%u_", &branch) != 1)
            continue;
        ck_assert(stream_of[branch] < 0 || stream_of[branch] == task->stream);
        on[task->stream] += stream_of[branch] < 0;
        stream_of[branch] = task->stream;
    }
    ck_assert_uint_eq(on[0], 2);
    ck_assert_uint_eq(on[1], 2);
    ck_assert_uint_le(waits, 2);
    g_mutex_init(&timeline.lock);
    ck_assert(tsr_sink_set_hook(tsr_bound_model_sink(model->bound), note_task, &timeline));
    for (guint i = 0; i < 500 && timeline.cores != 3; i++) {
        g_autoptr(GPtrArray) outputs = run(model);
        ck_assert_uint_eq(outputs->len, 1);
    }
    ck_assert_uint_eq(timeline.cores, 3);
    tsr_sink_set_hook(tsr_bound_model_sink(model->bound), NULL, NULL);
    g_mutex_clear(&timeline.lock);
}
END_TEST

/* Large products use all cores by themselves: a second stream would only keep more alive. */
START_TEST(one_stream_where_tasks_fill_the_cores)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "branches");
    g_autoptr(TsrModel) model = NULL;
    build_branches(graph, 384);
    model = compile(session, graph, 0);
    ck_assert_uint_eq(program_of(model)->stream_count, 1);
    ck_assert_uint_eq(program_of(model)->event_count + program_of(model)->notify_count, 0);
}
END_TEST

FIXTURE_MAIN("streams", same_bits_on_any_number, branches_run_side_by_side,
             one_stream_where_tasks_fill_the_cores)
