/* SPDX-License-Identifier: Apache-2.0
 *
 * test_threads.c: eight threads run one model: with fixed shapes, with gears, and with shapes
 * that get plans and lose them. TESSERA_TEST_SECONDS says how long (1 each); scripts/race.sh
 * runs it for a minute under the thread sanitizer.
 */
#include "dynamic_net.h"

enum { THREADS = 8, SHAPES = 24 };

typedef struct Race {
    TsrModel *model;
    TsrArray *inputs[SHAPES];
    TsrArray *wanted[SHAPES];
    guint shapes;
    gint64 end_us;
    gint wrong;
    gint runs;
} Race;

static gpointer race(gpointer data)
{
    Race *common = data;
    GRand *random = g_rand_new_with_seed((guint32)(gsize)g_thread_self());
    while (g_get_monotonic_time() < common->end_us) {
        const guint pick = (guint)g_rand_int_range(random, 0, (gint32)common->shapes);
        TsrArray *const inputs[] = {common->inputs[pick]};
        TsrArray *y = NULL;
        if (!tsr_model_run(common->model, inputs, &y, NULL) ||
            dynamic_difference(y, common->wanted[pick]) > 1e-4f)
            g_atomic_int_inc(&common->wrong);
        g_atomic_int_inc(&common->runs);
        tsr_array_unref(y);
    }
    g_rand_free(random);
    return NULL;
}

static gint64 seconds(void)
{
    const char *text = g_getenv("TESSERA_TEST_SECONDS");
    return text != NULL ? MAX(g_ascii_strtoll(text, NULL, 10), 1) : 1;
}

/* Takes the model. */
static void run_race(TsrModel *model, guint shapes)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    Race common = {.model = model, .shapes = shapes};
    GThread *threads[THREADS];
    for (guint i = 0; i < shapes; i++) {
        const gint64 shape[] = {1 + i % 3, 3, 4 + i, 7};
        common.inputs[i] = dynamic_input(shape, i);
        common.wanted[i] = dynamic_run(reference, common.inputs[i]);
    }
    common.end_us = g_get_monotonic_time() + seconds() * G_USEC_PER_SEC;
    for (guint i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("race", race, &common);
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    ck_assert_int_eq(common.wrong, 0);
    ck_assert_int_ge(common.runs, THREADS);
    g_print("%d runs in %d threads\n", common.runs, THREADS);
    for (guint i = 0; i < shapes; i++) {
        tsr_array_unref(common.inputs[i]);
        tsr_array_unref(common.wanted[i]);
    }
    tsr_model_free(model);
}

START_TEST(fixed_shape)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrGraph) graph = dynamic_net(session);
    GError *error = NULL;
    const gint64 shape[] = {1, 3, 4, 7};
    TsrModel *model;
    ck_assert(tsr_graph_set_input_shape(graph, "x", 4, shape, &error));
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_no_error(error);
    run_race(model, 1);
}
END_TEST

START_TEST(with_gears)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    run_race(dynamic_compile(session, "1,4,7;2,5,7;3,6,7", FALSE), 3);
}
END_TEST

START_TEST(node_by_node)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    run_race(dynamic_compile(session, NULL, TRUE), SHAPES);
}
END_TEST

/* More shapes than plans: some come while others go. */
START_TEST(with_plans)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    run_race(dynamic_compile(session, NULL, FALSE), SHAPES);
}
END_TEST

FIXTURE_MAIN("threads", fixed_shape, with_gears, node_by_node, with_plans)
