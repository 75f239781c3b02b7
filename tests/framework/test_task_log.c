/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task_log.c: what cores report of tasks: nothing is lost between threads, parts of one task
 * become one, a log that is gone leaves nothing behind; and in a real run every task is there, on
 * its stream and in the order of its stream.
 */
#include <tessera/plugin.h>

#include "api/session.h"
#include "fixture.h"
#include "runtime/model.h"
#include "runtime/task_log.h"

enum { THREADS = 4, EACH = 10000 };

typedef struct Writer {
    TsrTaskLog *log;
    guint32 core;
} Writer;

static gpointer write_records(gpointer data)
{
    const Writer *writer = data;
    for (guint32 i = 0; i < EACH; i++)
        tsr_task_log_hook(writer->log, i, writer->core, 2 * (guint64)i, 2 * (guint64)i + 1);
    return NULL;
}

START_TEST(no_record_is_lost)
{
    for (guint round = 0; round < 3; round++) { /* a new log may lie where the last one did */
        g_autoptr(TsrTaskLog) log = tsr_task_log_new();
        g_autoptr(GArray) records = NULL;
        g_autoptr(GArray) tasks = NULL;
        g_autofree guint32 *seen = g_new0(guint32, EACH);
        Writer writers[THREADS];
        GThread *threads[THREADS];
        for (guint i = 0; i < THREADS; i++) {
            writers[i] = (Writer){log, i};
            threads[i] = g_thread_new("writer", write_records, &writers[i]);
        }
        for (guint i = 0; i < THREADS; i++)
            g_thread_join(threads[i]);
        records = tsr_task_log_records(log);
        ck_assert_uint_eq(records->len, THREADS * EACH);
        for (guint i = 0; i < records->len; i++) {
            const TsrTaskRecord *record = &g_array_index(records, TsrTaskRecord, i);
            ck_assert(i == 0 || record[-1].begin_ns <= record->begin_ns);
            seen[record->task] |= 1u << record->core;
        }
        for (guint i = 0; i < EACH; i++)
            ck_assert_uint_eq(seen[i], (1u << THREADS) - 1);
        tasks = tsr_task_log_tasks(log); /* all cores did each at the same time */
        ck_assert_uint_eq(tasks->len, EACH);
    }
}
END_TEST

START_TEST(parts_of_a_task)
{
    static const TsrTaskRecord parts[] = {
        {7, 0, 10, 20}, {7, 1, 12, 25}, /* together */
        {8, 0, 25, 30},                 /* another task */
        {7, 0, 40, 50},                 /* once more, in another round */
        {7, 0, 50, 60},                 /* and again at once: one core cannot do two parts */
    };
    g_autoptr(TsrTaskLog) log = tsr_task_log_new();
    g_autoptr(TsrTaskLog) other = tsr_task_log_new();
    g_autoptr(GArray) tasks = NULL;
    g_autoptr(GArray) none = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        tsr_task_log_hook(log, parts[i].task, parts[i].core, parts[i].begin_ns, parts[i].end_ns);
        if (i % 2 == 0) /* two logs of one thread at once */
            tsr_task_log_hook(other, 1, 0, i, i);
    }
    tasks = tsr_task_log_tasks(log);
    ck_assert_uint_eq(tasks->len, 4);
    ck_assert_uint_eq(g_array_index(tasks, TsrTaskRecord, 0).begin_ns, 10);
    ck_assert_uint_eq(g_array_index(tasks, TsrTaskRecord, 0).end_ns, 25);
    none = tsr_task_log_records(other);
    ck_assert_uint_eq(none->len, 3);
}
END_TEST

static TsrModel *compile_chain(TsrSession *session)
{
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "chain");
    TsrCompileOptions options = {.struct_size = sizeof(options), .streams = 2};
    TsrValue *x = fixture_input(graph, "x", SHAPE(64, 64)), *a = x, *b = x;
    GError *error = NULL;
    TsrModel *model;
    for (guint i = 0; i < 6; i++) {
        g_autofree char *left = g_strdup_printf("a%u", i), *right = g_strdup_printf("b%u", i);
        g_autofree char *wa = g_strdup_printf("wa%u", i), *wb = g_strdup_printf("wb%u", i);
        a = fixture_node(graph, "MatMul", left,
                         VALUES(a, fixture_constant(graph, wa, SHAPE(64, 64))), NULL);
        b = fixture_node(graph, "MatMul", right,
                         VALUES(b, fixture_constant(graph, wb, SHAPE(64, 64))), NULL);
    }
    tsr_build_output(graph, "y", fixture_node(graph, "Sub", "y", VALUES(a, b), NULL));
    model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    return model;
}

START_TEST(every_task_of_a_run)
{
    TsrSessionOptions session_options = TSR_SESSION_OPTIONS_INIT;
    g_autoptr(TsrTaskLog) log = tsr_task_log_new();
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(64, 64));
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GArray) tasks = NULL;
    const TsrProgram *program;
    TsrArray *y = NULL;
    GError *error = NULL;
    gint last[2] = {-1, -1};
    session_options.threads = 2;
    session = tsr_session_new(&session_options, &error);
    ck_no_error(error);
    model = compile_chain(session);
    program = tsr_bound_model_program(model->bound);
    ck_assert_uint_eq(program->stream_count, 2);
    ck_assert(tsr_sink_set_hook(tsr_bound_model_sink(model->bound), tsr_task_log_hook, log));
    ck_assert(tsr_model_run(model, &x, &y, &error));
    ck_assert(tsr_sink_set_hook(tsr_bound_model_sink(model->bound), NULL, NULL));
    ck_assert(tsr_model_run(model, &x, &y, &error)); /* not recorded */
    tasks = tsr_task_log_tasks(log);
    ck_assert_uint_eq(tasks->len, program->tasks->len);
    for (guint i = 0; i < tasks->len; i++) {
        const TsrTaskRecord *record = &g_array_index(tasks, TsrTaskRecord, i);
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, record->task);
        ck_assert_uint_le(record->begin_ns, record->end_ns);
        if (task->kind != TSR_TASK_KERNEL)
            continue; /* records and waits take no time: they may begin together */
        ck_assert_int_gt((gint)record->task, last[task->stream]);
        last[task->stream] = (gint)record->task;
    }
    tsr_array_unref(y);
}
END_TEST

FIXTURE_MAIN("task_log", no_record_is_lost, parts_of_a_task, every_task_of_a_run)
