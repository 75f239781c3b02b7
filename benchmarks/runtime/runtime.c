/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime.c: what running costs beside the kernels, as ratios of one process. Usage:
 * bench_runtime. Each figure is the best run of ROUNDS rounds in which all that is compared take
 * turns, which leaves the machine's other work out.
 *   tiny      1,000 operators on one number each: as a task list, and node by node
 *   branches  four chains of products side by side: on one core and on two
 *   threads   runs of one model by two threads at once, against one
 *   shapes    a picture of unknown size by its plan, against the model with that size fixed
 */
#include <stdio.h>
#include <stdlib.h>
#include <tessera/tessera.h>
#include <time.h>

enum { ROUNDS = 9, TINY = 1000, BRANCHES = 4, LENGTH = 16 };

static void stop(GError *error)
{
    fprintf(stderr, "error: %s\n", error != NULL ? error->message : "?");
    exit(EXIT_FAILURE);
}

static TsrSession *open_session(guint cores)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.threads = cores;
    session = tsr_session_new(&options, &error);
    if (session == NULL)
        stop(error);
    return session;
}

static TsrValue *node(TsrGraph *graph, const char *op, TsrValue *a, TsrValue *b,
                      const char *attrs)
{
    TsrValue *const inputs[] = {a, b, NULL};
    GError *error = NULL;
    TsrValue *value = tsr_build_node(graph, op, NULL, inputs, attrs, &error);
    if (value == NULL)
        stop(error);
    return value;
}

static TsrValue *input(TsrGraph *graph, guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    TsrValue *value = tsr_build_input(graph, "x", TSR_DTYPE_FLOAT, rank, shape, &error);
    if (value == NULL)
        stop(error);
    return value;
}

static TsrArray *filled(guint32 rank, const gint64 *shape)
{
    TsrArray *array = tsr_array_create(TSR_DTYPE_FLOAT, rank, shape, NULL);
    float *data = tsr_array_data(array);
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++)
        data[i] = (float)((gint)(i * 7 % 11) - 5) / 64.0f;
    return array;
}

static TsrValue *weights(TsrGraph *graph, guint32 rank, const gint64 *shape)
{
    TsrArray *array = filled(rank, shape);
    TsrValue *value = tsr_build_constant(graph, NULL, array, NULL);
    tsr_array_unref(array);
    return value;
}

/* A model with its input, ready to run. */
typedef struct Subject {
    TsrModel *model;
    TsrArray *x;
    guint runs;    /* of one round */
    double best;   /* ns of one run */
} Subject;

static void subject_init(Subject *subject, TsrSession *session, TsrGraph *graph,
                         const TsrCompileOptions *options, guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    subject->model = tsr_session_compile(session, graph, options, &error);
    if (subject->model == NULL)
        stop(error);
    subject->x = filled(rank, shape);
    subject->best = 1e30;
    tsr_graph_unref(graph);
}

static void subject_clear(Subject *subject)
{
    tsr_model_free(subject->model);
    tsr_array_unref(subject->x);
}

static void run(const Subject *subject, TsrArray **y)
{
    TsrArray *const inputs[] = {subject->x};
    GError *error = NULL;
    if (!tsr_model_run(subject->model, inputs, y, &error))
        stop(error);
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(Subject *subjects, guint count)
{
    for (guint round = 0; round < ROUNDS; round++)
        for (guint i = 0; i < count; i++) {
            TsrArray *y = NULL;
            for (guint k = 0; k < subjects[i].runs; k++) {
                const double begin = now_ns();
                run(&subjects[i], &y);
                subjects[i].best = MIN(subjects[i].best, now_ns() - begin);
            }
            tsr_array_unref(y);
        }
}

/* ------------------------------------------------------------------ graphs */

static TsrGraph *tiny_graph(TsrSession *session)
{
    static const char *const ops[] = {"Neg", "Abs", "Relu", "Sqrt"};
    TsrGraph *graph = tsr_session_graph(session, "tiny");
    const gint64 one = 1;
    TsrValue *value = input(graph, 1, &one);
    for (guint i = 0; i < TINY; i++)
        value = node(graph, ops[i % G_N_ELEMENTS(ops)], value, NULL, NULL);
    tsr_build_output(graph, "y", value);
    return graph;
}

static TsrGraph *branches_graph(TsrSession *session, gint64 extent)
{
    TsrGraph *graph = tsr_session_graph(session, "branches");
    const gint64 shape[] = {extent, extent};
    TsrValue *x = input(graph, 2, shape);
    TsrValue *ends[BRANCHES + 1] = {NULL};
    GError *error = NULL;
    TsrValue *joined;
    for (guint b = 0; b < BRANCHES; b++) {
        ends[b] = x;
        for (guint i = 0; i < LENGTH; i++)
            ends[b] = node(graph, "MatMul", ends[b], weights(graph, 2, shape), NULL);
    }
    joined = tsr_build_node(graph, "Concat", NULL, ends, "axis=1", &error);
    if (joined == NULL)
        stop(error);
    tsr_build_output(graph, "y", joined);
    return graph;
}

static TsrGraph *picture_graph(TsrSession *session, gint64 extent)
{
    const gint64 shape[] = {1, 3, extent, extent};
    const gint64 first[] = {16, 3, 3, 3}, more[] = {16, 16, 3, 3};
    TsrGraph *graph = tsr_session_graph(session, "picture");
    TsrValue *value = input(graph, 4, shape);
    for (guint i = 0; i < 8; i++) {
        value = node(graph, "Conv", value, weights(graph, 4, i == 0 ? first : more),
                     "pads=[1,1,1,1]");
        value = node(graph, "Relu", value, NULL, NULL);
    }
    tsr_build_output(graph, "y", value);
    return graph;
}

/* -------------------------------------------------------------------- rows */

static void bench_tiny(void)
{
    static const char *const all[] = {"all", NULL};
    const gint64 one = 1;
    TsrSession *session = open_session(1);
    TsrCompileOptions options = {.struct_size = sizeof(options), .disable_fusion = all};
    Subject subjects[2] = {{.runs = 200}, {.runs = 10}};
    subject_init(&subjects[0], session, tiny_graph(session), &options, 1, &one);
    options.host_mode = TRUE;
    subject_init(&subjects[1], session, tiny_graph(session), &options, 1, &one);
    measure(subjects, 2);
    printf("tiny      %d operators: task list %.0f ns each, node by node %.0f ns each: %.1f "
           "times\n",
           TINY, subjects[0].best / TINY, subjects[1].best / TINY,
           subjects[1].best / subjects[0].best);
    subject_clear(&subjects[0]);
    subject_clear(&subjects[1]);
    tsr_session_free(session);
}

static void bench_branches(gint64 extent)
{
    const gint64 shape[] = {extent, extent};
    TsrSession *one = open_session(1), *two = open_session(2);
    Subject subjects[2] = {{.runs = 50}, {.runs = 50}};
    subject_init(&subjects[0], one, branches_graph(one, extent), NULL, 2, shape);
    subject_init(&subjects[1], two, branches_graph(two, extent), NULL, 2, shape);
    measure(subjects, 2);
    printf("branches  %d of %d products [%d,%d]: 1 core %.1f us, 2 cores %.1f us: %.2f times\n",
           BRANCHES, LENGTH, (int)extent, (int)extent, subjects[0].best / 1e3,
           subjects[1].best / 1e3, subjects[0].best / subjects[1].best);
    subject_clear(&subjects[0]);
    subject_clear(&subjects[1]);
    tsr_session_free(one);
    tsr_session_free(two);
}

static gpointer run_many(gpointer data)
{
    const Subject *subject = data;
    TsrArray *y = NULL;
    for (guint i = 0; i < subject->runs; i++)
        run(subject, &y);
    tsr_array_unref(y);
    return NULL;
}

static double time_threads(Subject *subject, guint count)
{
    GThread *threads[8];
    double best = 1e30;
    for (guint round = 0; round < ROUNDS; round++) {
        gint64 begin = g_get_monotonic_time();
        for (guint i = 0; i < count; i++)
            threads[i] = g_thread_new("run", run_many, subject);
        for (guint i = 0; i < count; i++)
            g_thread_join(threads[i]);
        best = MIN(best, (double)(g_get_monotonic_time() - begin) / subject->runs / count);
    }
    return best;
}

static void bench_threads(void)
{
    const gint64 shape[] = {1, 3, 64, 64};
    TsrSession *session = open_session(1);
    Subject subject = {.runs = 100};
    double one, two;
    subject_init(&subject, session, picture_graph(session, 64), NULL, 4, shape);
    one = time_threads(&subject, 1);
    two = time_threads(&subject, 2);
    printf("threads   one model on a session of 1 core: 1 thread %.1f us a run, 2 threads %.1f "
           "us: %.2f times\n",
           one, two, one / two);
    subject_clear(&subject);
    tsr_session_free(session);
}

static void bench_shapes(gint64 extent)
{
    const gint64 shape[] = {1, 3, extent, extent};
    TsrSession *session = open_session(1);
    Subject subjects[2] = {{.runs = 20}, {.runs = 20}};
    subject_init(&subjects[0], session, picture_graph(session, extent), NULL, 4, shape);
    subject_init(&subjects[1], session, picture_graph(session, -1), NULL, 4, shape);
    measure(subjects, 2);
    printf("shapes    [1,3,%d,%d]: fixed %.1f us, by its plan %.1f us: %.3f of it\n",
           (int)extent, (int)extent, subjects[0].best / 1e3, subjects[1].best / 1e3,
           subjects[1].best / subjects[0].best);
    subject_clear(&subjects[0]);
    subject_clear(&subjects[1]);
    tsr_session_free(session);
}

int main(void)
{
    bench_tiny();
    bench_branches(128);
    bench_branches(48);
    bench_branches(96);
    bench_threads();
    bench_shapes(32);
    bench_shapes(96);
    return EXIT_SUCCESS;
}
