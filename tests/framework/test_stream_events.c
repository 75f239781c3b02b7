/* SPDX-License-Identifier: Apache-2.0
 *
 * test_stream_events.c: events and notifies between streams: they order what depends on each other,
 * none is there for nothing, numbers are used again only where nobody may still wait; and what is
 * wrong in a list that came from elsewhere is refused. And the cost of a list on streams.
 */
#include <tessera/plugin.h>

#include "api/session.h"
#include "build/memory_check.h"
#include "build/om_write.h"
#include "build/stream_cost.h"
#include "build/stream_events.h"
#include "build/task_order.h"
#include "fixture.h"
#include "runtime/model.h"
#include "runtime/om_read.h"

typedef struct Dag {
    TsrProgram *program;
    GPtrArray *depend;
    GPtrArray *tasks;   /* as they were before events came in; owned by the program */
} Dag;

static void dag_make(Dag *dag, GRand *random, guint count, guint streams)
{
    TsrGraph *graph = fixture_graph();
    dag->program = tsr_program_new(graph, NULL);
    dag->depend = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    dag->tasks = g_ptr_array_new();
    dag->program->stream_count = streams;
    for (guint i = 0; i < count; i++) {
        TsrProgramTask *task = tsr_program_task_new(TSR_TASK_KERNEL, "task");
        GArray *depend = g_array_new(FALSE, FALSE, sizeof(guint));
        task->stream = (guint32)g_rand_int_range(random, 0, (gint32)streams);
        for (guint k = 0; k < i; k++)
            if (g_rand_int_range(random, 0, 6) == 0)
                g_array_append_val(depend, k);
        g_ptr_array_add(dag->program->tasks, task);
        g_ptr_array_add(dag->tasks, task);
        g_ptr_array_add(dag->depend, depend);
    }
    tsr_graph_unref(graph);
}

static void dag_clear(Dag *dag)
{
    g_ptr_array_unref(dag->tasks);
    g_ptr_array_unref(dag->depend);
    tsr_program_free(dag->program);
}

static guint index_of(const Dag *dag, guint task)
{
    guint index = 0;
    ck_assert(g_ptr_array_find(dag->program->tasks, g_ptr_array_index(dag->tasks, task), &index));
    return index;
}

/* How many dependencies nothing orders. */
static guint unordered(const Dag *dag)
{
    g_autoptr(TsrTaskOrder) order =
        tsr_task_order_new(dag->program->tasks, dag->program->stream_count,
                           dag->program->event_count, dag->program->notify_count);
    guint count = 0;
    for (guint i = 0; i < dag->depend->len; i++) {
        const GArray *depend = g_ptr_array_index(dag->depend, i);
        for (guint k = 0; k < depend->len; k++)
            count += !tsr_task_order_before(order, index_of(dag, g_array_index(depend, guint, k)),
                                            index_of(dag, i));
    }
    return count;
}

/* Every record of an event has at least two waits, of a notify one; and a number is recorded again
 * only where nobody may still wait for it. */
static void check_numbers(const Dag *dag, guint32 record_kind, guint32 wait_kind, guint count)
{
    const GPtrArray *tasks = dag->program->tasks;
    g_autoptr(TsrTaskOrder) order = tsr_task_order_new(
        tasks, dag->program->stream_count, dag->program->event_count, dag->program->notify_count);
    for (guint number = 0; number < count; number++) {
        g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(guint));
        gboolean is_recorded = FALSE;
        for (guint i = 0; i <= tasks->len; i++) {
            const TsrProgramTask *task = i < tasks->len ? g_ptr_array_index(tasks, i) : NULL;
            if (task != NULL && task->kind == wait_kind && task->event == number) {
                ck_assert(is_recorded);
                g_array_append_val(waits, i);
            }
            if (task != NULL && (task->kind != record_kind || task->event != number))
                continue;
            if (is_recorded && record_kind == TSR_TASK_NOTIFY_RECORD)
                ck_assert_uint_eq(waits->len, 1);
            else if (is_recorded)
                ck_assert_uint_ge(waits->len, 2);
            for (guint w = 0; task != NULL && w < waits->len; w++)
                ck_assert(tsr_task_order_before(order, g_array_index(waits, guint, w), i));
            g_array_set_size(waits, 0);
            is_recorded = TRUE;
        }
    }
}

START_TEST(events_order_and_none_is_idle)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    guint waits[2] = {0, 0}, records[2] = {0, 0}, again[2] = {0, 0};
    for (guint round = 0; round < 60; round++) {
        Dag dag;
        guint last = 0;
        dag_make(&dag, random, 24, 1 + round % 5);
        tsr_stream_events_insert(dag.program, dag.depend);
        ck_assert_uint_eq(unordered(&dag), 0);
        for (guint i = 0; i < dag.tasks->len; i++) {
            ck_assert(i == 0 || index_of(&dag, i) > last); /* the order of the list is kept */
            last = index_of(&dag, i);
        }
        check_numbers(&dag, TSR_TASK_EVENT_RECORD, TSR_TASK_EVENT_WAIT, dag.program->event_count);
        check_numbers(&dag, TSR_TASK_NOTIFY_RECORD, TSR_TASK_NOTIFY_WAIT,
                      dag.program->notify_count);
        for (guint i = 0; i < dag.program->tasks->len; i++) {
            TsrProgramTask *task = g_ptr_array_index(dag.program->tasks, i);
            const guint32 kind = task->kind;
            const guint notify = kind == TSR_TASK_NOTIFY_RECORD || kind == TSR_TASK_NOTIFY_WAIT;
            if (kind == TSR_TASK_KERNEL)
                continue;
            ck_assert_uint_lt(task->event, notify != 0 ? dag.program->notify_count
                                                       : dag.program->event_count);
            if (kind == TSR_TASK_EVENT_RECORD || kind == TSR_TASK_NOTIFY_RECORD) {
                records[notify]++;
                continue;
            }
            waits[notify]++;
            task->kind = TSR_TASK_KERNEL;
            ck_assert_uint_gt(unordered(&dag), 0);
            task->kind = kind;
        }
        ck_assert(dag.program->stream_count > 1 ||
                  dag.program->event_count + dag.program->notify_count == 0);
        again[0] += dag.program->event_count;
        again[1] += dag.program->notify_count;
        dag_clear(&dag);
    }
    ck_assert_uint_gt(waits[0], records[0]); /* some record serves several */
    ck_assert_uint_eq(waits[1], records[1]);
    ck_assert_uint_gt(records[0], again[0]); /* and some number several records */
    ck_assert_uint_gt(records[1], again[1]);
}
END_TEST

/* A task on a stream that depends on tasks [from, to). */
static void dag_add(Dag *dag, guint32 stream, guint from, guint to)
{
    TsrProgramTask *task = tsr_program_task_new(TSR_TASK_KERNEL, "task");
    GArray *depend = g_array_new(FALSE, FALSE, sizeof(guint));
    task->stream = stream;
    for (guint i = from; i < to; i++)
        g_array_append_val(depend, i);
    g_ptr_array_add(dag->program->tasks, task);
    g_ptr_array_add(dag->tasks, task);
    g_ptr_array_add(dag->depend, depend);
}

static void dag_empty(Dag *dag, guint streams)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    dag_make(dag, random, 0, streams);
}

static guint count_kind(const Dag *dag, guint32 kind)
{
    guint count = 0;
    for (guint i = 0; i < dag->program->tasks->len; i++)
        count += ((TsrProgramTask *)g_ptr_array_index(dag->program->tasks, i))->kind == kind;
    return count;
}

/* A notify is free again once its wait is past: a chain that changes streams at every step needs
 * one. */
START_TEST(notifies_are_used_again)
{
    Dag dag;
    dag_empty(&dag, 2);
    for (guint i = 0; i < 20; i++)
        dag_add(&dag, i % 2, i == 0 ? 0 : i - 1, i);
    tsr_stream_events_insert(dag.program, dag.depend);
    ck_assert_uint_eq(unordered(&dag), 0);
    ck_assert_uint_eq(dag.program->event_count, 0);
    ck_assert_uint_eq(dag.program->notify_count, 1);
    ck_assert_uint_eq(count_kind(&dag, TSR_TASK_NOTIFY_RECORD), 19);
    dag_clear(&dag);
}
END_TEST

/* One stream feeds another and hears nothing of it: no number is free before the end. */
START_TEST(nothing_is_used_again_that_may_be_waited_for)
{
    Dag dag;
    dag_empty(&dag, 2);
    for (guint i = 0; i < 20; i++)
        dag_add(&dag, i % 2, i % 2 == 0 ? 0 : i - 1, i % 2 == 0 ? 0 : i);
    tsr_stream_events_insert(dag.program, dag.depend);
    ck_assert_uint_eq(unordered(&dag), 0);
    ck_assert_uint_eq(dag.program->event_count, 0);
    ck_assert_uint_eq(dag.program->notify_count, 10);
    dag_clear(&dag);
}
END_TEST

/* Forks to two streams and joins, ten times: an event for the two who wait, a notify for each way
 * back, and the same three numbers every time. */
START_TEST(a_fork_is_an_event_and_a_join_notifies)
{
    Dag dag;
    dag_empty(&dag, 3);
    for (guint round = 0; round < 10; round++) {
        const guint at = 3 * round;
        dag_add(&dag, 0, round == 0 ? 0 : at - 2, at);
        dag_add(&dag, 1, at, at + 1);
        dag_add(&dag, 2, at, at + 1);
    }
    dag_add(&dag, 0, 28, 30);
    tsr_stream_events_insert(dag.program, dag.depend);
    ck_assert_uint_eq(unordered(&dag), 0);
    ck_assert_uint_eq(dag.program->event_count, 1);
    ck_assert_uint_eq(dag.program->notify_count, 2);
    ck_assert_uint_eq(count_kind(&dag, TSR_TASK_EVENT_RECORD), 10);
    ck_assert_uint_eq(count_kind(&dag, TSR_TASK_EVENT_WAIT), 20);
    ck_assert_uint_eq(count_kind(&dag, TSR_TASK_NOTIFY_RECORD), 20);
    ck_assert_uint_eq(count_kind(&dag, TSR_TASK_NOTIFY_WAIT), 20);
    dag_clear(&dag);
}
END_TEST

/* The figures behind the choice: four tasks of one block take half the time on two streams,
 * and as long with one core. */
START_TEST(time_of_streams)
{
    static const guint one[] = {0, 0, 0, 0}, two[] = {0, 1, 0, 1};
    Dag dag;
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    double serial;
    dag_make(&dag, random, 4, 1);
    for (guint i = 0; i < 4; i++) {
        ((TsrProgramTask *)g_ptr_array_index(dag.tasks, i))->operations = 10000000;
        g_array_set_size(g_ptr_array_index(dag.depend, i), 0);
    }
    serial = tsr_stream_time(dag.program, dag.depend, one, 1, 2);
    ck_assert_double_eq_tol(serial, 4 * tsr_task_cost(g_ptr_array_index(dag.tasks, 0)), 1e-6);
    ck_assert_double_eq_tol(tsr_stream_time(dag.program, dag.depend, two, 2, 2), serial / 2, 1e-6);
    ck_assert_double_eq_tol(tsr_stream_time(dag.program, dag.depend, two, 2, 1), serial, 1e-6);
    dag_clear(&dag);
}
END_TEST

/* ------------------------------------------------------------------ damages */

enum { SYNC_MAX = 6 };

/* A task that records ("r0") or waits for ("w0") a notify, on a stream. */
typedef struct Sync {
    const char *what;
    guint32 stream;
} Sync;

typedef struct Damage {
    Sync list[SYNC_MAX];
    const char *refusal; /* NULL: the list is right */
} Damage;

static const Damage damages[] = {
    {{{"r0", 0}, {"w0", 1}}, NULL},
    /* There and back with one number: its wait is past when the other stream answers. */
    {{{"r0", 0}, {"w0", 1}, {"r0", 1}, {"w0", 0}}, NULL},
    {{{"r0", 0}, {"w0", 1}, {"r1", 1}, {"w1", 0}, {"r0", 0}, {"w0", 1}}, NULL},
    {{{"r0", 0}, {"w0", 1}, {"w0", 2}},
     "task 2 'task' waits for notify 0, whose record task 1 'task' has waited for"},
    {{{"w0", 1}}, "task 0 'task' waits for notify 0, which no task before it records"},
    {{{"w0", 1}, {"r0", 0}}, "waits for notify 0, which no task before it records"},
    {{{"r1", 0}, {"w0", 1}}, "waits for notify 0, which no task before it records"},
    {{{"r0", 0}}, "task 0 'task' records notify 0, which no task waits for"},
    {{{"r0", 0}, {"w0", 1}, {"r0", 1}}, "task 2 'task' records notify 0, which no task waits for"},
    {{{"r0", 0}, {"r0", 1}, {"w0", 2}},
     "task 1 'task' records notify 0, which task 0 'task' recorded and no task has waited for"},
    /* A wait between the records, of which the second recorder hears nothing. */
    {{{"r0", 0}, {"w0", 1}, {"r0", 0}, {"w0", 1}},
     "task 2 'task' records notify 0 again, while task 1 'task' may still wait"},
    {{{"r0", 0}, {"w0", 1}, {"r1", 2}, {"w1", 0}, {"r0", 0}, {"w0", 1}},
     "task 4 'task' records notify 0 again, while task 1 'task' may still wait"},
    {{{"r2", 0}, {"w2", 1}}, "task 0 'task' records notify 2 of 2"},
    {{{"r0", 0}, {"w0", 1}, {"w9", 1}}, "task 2 'task' waits for notify 9 of 2"},
};

static void check_damage(const Damage *damage)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    g_autoptr(TsrProgram) program = tsr_program_new(graph, NULL);
    g_autoptr(GPtrArray) nodes = g_ptr_array_new();
    GError *error = NULL;
    program->is_sink = TRUE;
    program->stream_count = 3;
    program->notify_count = 2;
    for (guint i = 0; i < SYNC_MAX && damage->list[i].what != NULL; i++) {
        const Sync *sync = &damage->list[i];
        TsrProgramTask *task = tsr_program_task_new(
            sync->what[0] == 'r' ? TSR_TASK_NOTIFY_RECORD : TSR_TASK_NOTIFY_WAIT, "task");
        task->event = (guint32)(sync->what[1] - '0');
        task->stream = sync->stream;
        task->node = G_MAXUINT32;
        g_ptr_array_add(program->tasks, task);
    }
    ck_assert(tsr_memory_check(program, nodes, NULL, &error) == (damage->refusal == NULL));
    if (damage->refusal != NULL)
        ck_error(error, TSR_CORRUPT, damage->refusal);
    ck_no_error(error);
}

START_TEST(what_is_wrong_is_refused)
{
    for (guint i = 0; i < G_N_ELEMENTS(damages); i++)
        check_damage(&damages[i]);
}
END_TEST

/* Two branches on two streams. */
static TsrModel *compile_fork(TsrSession *session)
{
    static const char *const all[] = {"all", NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options), .streams = 2,
                                       .disable_fusion = all};
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "fork");
    TsrValue *x = fixture_input(graph, "x", SHAPE(8, 32));
    TsrValue *left = fixture_node(graph, "Sin", "left", VALUES(x), NULL);
    TsrValue *right = fixture_node(graph, "Cos", "right", VALUES(x), NULL);
    GError *error = NULL;
    TsrModel *model;
    left = fixture_node(graph, "Tanh", "left2", VALUES(left), NULL);
    right = fixture_node(graph, "Tanh", "right2", VALUES(right), NULL);
    tsr_build_output(graph, "y", fixture_node(graph, "Sub", "y", VALUES(left, right), NULL));
    model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    return model;
}

/* Writes the program and reads it again. (transfer full) */
static TsrProgram *reread(TsrSession *session, TsrProgram *program, GError **error)
{
    const TsrOmContent content = {.program = program};
    g_autoptr(GBytes) bytes = tsr_om_assemble(&content, session->set, error);
    g_autoptr(TsrWeights) weights = NULL;
    TsrProgram *read;
    TsrOmFile file;
    ck_assert_ptr_nonnull(bytes);
    ck_assert(tsr_om_open_bytes(bytes, &file, error));
    weights = tsr_om_weights(&file, error);
    ck_assert_ptr_nonnull(weights);
    read = tsr_om_read(&file, session->set->registry, weights, error);
    tsr_om_close(&file);
    return read;
}

START_TEST(a_file_keeps_them)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrModel) model = compile_fork(session);
    TsrProgram *program = tsr_bound_model_program(model->bound);
    g_autoptr(TsrProgram) read = NULL;
    GError *error = NULL;
    TsrProgramTask *last = NULL;
    ck_assert_uint_eq(program->stream_count, 2);
    ck_assert_uint_ge(program->notify_count, 1);
    read = reread(session, program, &error);
    ck_no_error(error);
    ck_assert_uint_eq(read->event_count, program->event_count);
    ck_assert_uint_eq(read->notify_count, program->notify_count);
    ck_assert_uint_eq(read->tasks->len, program->tasks->len);
    for (guint i = 0; i < read->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(read->tasks, i);
        last = g_ptr_array_index(program->tasks, i);
        ck_assert_uint_eq(task->kind, last->kind);
        ck_assert_uint_eq(task->event, last->event);
        if (last->kind == TSR_TASK_NOTIFY_WAIT)
            break;
    }
    ck_assert_uint_eq(last->kind, TSR_TASK_NOTIFY_WAIT);
    last->event = 77;
    ck_assert_ptr_null(reread(session, program, &error));
    ck_error(error, TSR_CORRUPT, "notify 77 of");
    last->event = 0;
    program->notify_count = 1000;
    ck_assert_ptr_null(reread(session, program, &error));
    ck_error(error, TSR_CORRUPT, "1000 notifies");
}
END_TEST

FIXTURE_MAIN("stream_events", events_order_and_none_is_idle, notifies_are_used_again,
             nothing_is_used_again_that_may_be_waited_for, a_fork_is_an_event_and_a_join_notifies,
             time_of_streams, what_is_wrong_is_refused, a_file_keeps_them)
