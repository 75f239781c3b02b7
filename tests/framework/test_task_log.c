/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task_log.c: what cores report of tasks: nothing is lost between threads, parts of one task
 * become one, a log that is gone leaves nothing behind; and in a real run every task is there, on
 * its stream and in the order of its stream.
 */
#include <tessera/plugin.h>
#include <time.h>

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

/* Whatever the gaps, steps and times are, what is written is what is read. */
START_TEST(records_are_kept_as_they_are)
{
    enum { COUNT = 50000 };
    g_autoptr(TsrTaskLog) log = tsr_task_log_new();
    g_autoptr(GArray) records = NULL;
    g_autofree TsrTaskRecord *written = g_new0(TsrTaskRecord, COUNT);
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    guint64 now = 1;
    guint whole = 0;
    for (guint i = 0; i < COUNT; i++) {
        static const guint64 longest[] = {2, 1000, 1 << 22, (1 << 22) + 2, G_MAXINT32};
        const TsrTaskRecord *last = i > 0 ? &written[i - 1] : &written[0];
        TsrTaskRecord *record = &written[i];
        const guint kind = g_rand_int(rand) % 16;
        record->core = kind == 0 ? 1 - last->core : last->core;
        record->task = kind == 1 ? g_rand_int(rand)
                                 : last->task + (guint)g_rand_int_range(rand, -514, 515);
        now += kind == 2;
        record->begin_ns = now;
        now += 1 + g_rand_int(rand) % (longest[kind % G_N_ELEMENTS(longest)]);
        record->end_ns = now;
        whole += kind < 3;
        tsr_task_log_hook(log, record->task, record->core, record->begin_ns, record->end_ns);
    }
    ck_assert_uint_gt(whole, 0);
    records = tsr_task_log_records(log);
    ck_assert_uint_eq(records->len, COUNT);
    ck_assert_mem_eq(records->data, written, COUNT * sizeof(*written));
}
END_TEST

/* Three ticks are a nanosecond; the moment is told by the test. */
static void fake_clock(gpointer user, guint64 *out_ticks, guint64 *out_ns)
{
    const guint64 *ns = user;
    *out_ticks = 5000 + 3 * *ns;
    *out_ns = *ns;
}

/* Years after the log was opened a time is as exact as in its first moment, and what was read
 * once stays as it was read. */
START_TEST(ticks_become_nanoseconds)
{
    static const guint64 year = G_GUINT64_CONSTANT(31536000000000000);
    const guint64 ends[] = {12, 13, 1013, 1 + 10 * year};
    g_autoptr(TsrTaskLog) log = tsr_task_log_new();
    g_autoptr(GArray) early = NULL;
    g_autoptr(GArray) again = NULL;
    g_autoptr(GArray) all = NULL;
    guint64 moment = 10;
    tsr_task_log_set_clock(log, fake_clock, &moment);
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
        guint64 begin, end, ns;
        moment = i == 0 ? 11 : ends[i - 1];
        fake_clock(&moment, &begin, &ns);
        moment = ends[i];
        fake_clock(&moment, &end, &ns);
        tsr_task_log_hook(log, i, 0, begin, end);
        if (i == 1) {
            early = tsr_task_log_records(log);
            moment = 50; /* no reason to look at the clock again */
            again = tsr_task_log_records(log);
        }
    }
    ck_assert_mem_eq(early->data, again->data, 2 * sizeof(TsrTaskRecord));
    all = tsr_task_log_records(log);
    ck_assert_uint_eq(all->len, G_N_ELEMENTS(ends));
    for (guint i = 0; i < all->len; i++) {
        const TsrTaskRecord *record = &g_array_index(all, TsrTaskRecord, i);
        ck_assert_uint_eq(record->begin_ns, i == 0 ? 11 : ends[i - 1]);
        ck_assert_uint_eq(record->end_ns, ends[i]);
    }
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
    ck_assert(tsr_sink_set_log(tsr_bound_model_sink(model->bound), log));
    ck_assert(tsr_model_run(model, &x, &y, &error));
    ck_assert(tsr_sink_set_log(tsr_bound_model_sink(model->bound), NULL));
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

static guint64 monotonic_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (guint64)time.tv_sec * 1000000000u + (guint64)time.tv_nsec;
}

/* Times are those of the monotonic clock: within the runs, and what one core did does not
 * overlap, so that all of it together is no longer than the runs took. */
START_TEST(times_lie_within_the_runs)
{
    g_autoptr(TsrTaskLog) log = tsr_task_log_new();
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(64, 64));
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrModel) model = compile_chain(session);
    TsrSink *sink = tsr_bound_model_sink(model->bound);
    TsrArray *y = NULL;
    GError *error = NULL;
    guint seen = 0;
    ck_assert(tsr_sink_set_log(sink, log));
    for (guint round = 0; round < 3; round++) {
        g_autoptr(GArray) records = NULL;
        guint64 before = monotonic_ns(), after, spent[2] = {0, 0}, last[2] = {before, before};
        for (guint i = 0; i < 50; i++)
            ck_assert(tsr_model_run(model, &x, &y, &error));
        after = monotonic_ns();
        records = tsr_task_log_records(log);
        ck_assert_uint_gt(records->len, seen);
        for (guint i = seen; i < records->len; i++) {
            const TsrTaskRecord *record = &g_array_index(records, TsrTaskRecord, i);
            ck_assert_uint_lt(record->core, 2);
            ck_assert_uint_ge(record->begin_ns, last[record->core]);
            ck_assert_uint_ge(record->end_ns, record->begin_ns);
            ck_assert_uint_le(record->end_ns, after);
            spent[record->core] += record->end_ns - record->begin_ns;
            last[record->core] = record->end_ns;
        }
        ck_assert_uint_gt(spent[0], 0);
        ck_assert_uint_le(MAX(spent[0], spent[1]), after - before);
        seen = records->len;
    }
    ck_assert(tsr_sink_set_log(sink, NULL));
    tsr_array_unref(y);
}
END_TEST

FIXTURE_MAIN("task_log", no_record_is_lost, parts_of_a_task, records_are_kept_as_they_are,
             ticks_become_nanoseconds, every_task_of_a_run, times_lie_within_the_runs)
