/* SPDX-License-Identifier: Apache-2.0
 *
 * test_plans.c: gears, plans made for the shapes that runs bring, ranges of dimensions. The
 * reference is the same network run node by node, with no program for fixed shapes.
 */
#include <stdio.h>
#include <unistd.h>

#include "api/plans.h"
#include "build/om_write.h"
#include "dynamic_net.h"
#include "ir/input_dim.h"

#define CLOSE 1e-4f

/* Half of them are of some that come again and again, half of any. */
static const gint64 *random_shape(GRand *random, gint64 *shape)
{
    const gboolean known = g_rand_boolean(random);
    shape[0] = g_rand_int_range(random, 1, 4);
    shape[1] = 3;
    shape[2] = known ? 8 : g_rand_int_range(random, 3, 24);
    shape[3] = known ? 4 * g_rand_int_range(random, 1, 9) : g_rand_int_range(random, 3, 24);
    return shape;
}

static void ck_runs(TsrModel *model, TsrModel *reference, const gint64 *shape, guint32 seed)
{
    g_autoptr(TsrArray) x = dynamic_input(shape, seed);
    g_autoptr(TsrArray) got = dynamic_run(model, x);
    g_autoptr(TsrArray) want = dynamic_run(reference, x);
    ck_assert_float_le(dynamic_difference(got, want), CLOSE);
}

static void ck_refused(TsrModel *model, const gint64 *shape, const char *part)
{
    g_autoptr(TsrArray) x = dynamic_input(shape, 0);
    TsrArray *const inputs[] = {x};
    TsrArray *y = NULL;
    GError *error = NULL;
    ck_assert(!tsr_model_run(model, inputs, &y, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, part);
    ck_assert_ptr_null(y);
}

START_TEST(a_plan_for_the_second_run)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, NULL, FALSE);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    const gint64 shape[] = {2, 3, 12, 9}, other[] = {1, 3, 12, 9};
    ck_assert_ptr_null(reference->plans);
    ck_runs(model, reference, shape, 1);
    ck_runs(model, reference, shape, 2);
    ck_runs(model, reference, other, 3);
    ck_runs(model, reference, shape, 4);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 2);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).hits, 2);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).dynamic, 0);
}
END_TEST

/* A piece that two plans packed the same way is there once: the file's, or the first plan's. */
START_TEST(plans_share_constants)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, NULL, FALSE);
    const gint64 shapes[][4] = {{1, 3, 16, 16}, {1, 3, 24, 16}};
    TsrPlan *plans[2];
    const TsrWeights *weights[2];
    guint shared = 0;
    for (guint i = 0; i < 2; i++) {
        g_autoptr(TsrArray) x = dynamic_input(shapes[i], i);
        TsrArray *const inputs[] = {x};
        GError *error = NULL;
        ck_assert(tsr_plans_take(model->plans, inputs, &plans[i], &error));
        ck_assert_ptr_nonnull(plans[i]);
        weights[i] = tsr_bound_model_program(tsr_plan_bound(plans[i]))->weights;
    }
    ck_assert_uint_eq(tsr_weights_size(weights[0]), tsr_weights_size(weights[1]));
    for (guint64 at = 0; at < tsr_weights_size(weights[0]); at += 64)
        shared += tsr_weights_left(weights[0], at) != 0 &&
                  tsr_weights_at(weights[0], at) == tsr_weights_at(weights[1], at);
    ck_assert_uint_gt(shared, 4);
    for (guint i = 0; i < 2; i++)
        tsr_plans_give(model->plans, plans[i]);
}
END_TEST

static gsize resident_bytes(void)
{
    g_autofree char *text = NULL;
    guint64 total = 0, resident = 0;
    if (g_file_get_contents("/proc/self/statm", &text, NULL, NULL))
        (void)sscanf(text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &total, &resident);
    return (gsize)resident * (gsize)sysconf(_SC_PAGESIZE);
}

/* No more than TSR_PLANS_MAX plans at any time; compiling ends when shapes never come again;
 * memory stays what it was. */
START_TEST(ten_thousand_shapes)
{
    const guint runs = TSR_BUILD_SANITIZER ? 1500 : 10000;
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, NULL, FALSE);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    gsize early = 0;
    gint64 shape[4];
    TsrPlanStats stats;
    for (guint i = 0; i < runs; i++) {
        ck_runs(model, reference, random_shape(random, shape), i);
        if (i == 100)
            early = resident_bytes();
    }
    stats = tsr_plans_stats(model->plans);
    ck_assert_uint_le(stats.plans, TSR_PLANS_MAX);
    ck_assert_uint_eq(stats.compiled - stats.dropped, stats.plans);
    ck_assert_uint_eq(stats.hits + stats.compiled + stats.dynamic, runs);
    ck_assert_uint_lt(stats.compiled, runs / 8);
    ck_assert_uint_gt(stats.hits, runs / 8);
    g_print("%u runs: %" G_GUINT64_FORMAT " plans made, %" G_GUINT64_FORMAT
            " runs with one, resident %zu -> %zu KiB\n",
            runs, stats.compiled, stats.hits, early / 1024, resident_bytes() / 1024);
    /* Plans and caches fill up, then it is flat: what hundreds of lost plans, or 200 lost bytes a
     * run, would take is far more. */
    if (!TSR_BUILD_SANITIZER)
        ck_assert_uint_le(resident_bytes(), early + (2u << 20));
}
END_TEST

/* Few shapes after many: they get their plans. */
START_TEST(new_shapes_get_their_turn)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, NULL, FALSE);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    const gint64 shape[] = {1, 3, 60, 60};
    guint64 hits;
    for (gint64 i = 0; i < 40; i++)
        ck_runs(model, reference, (const gint64[]){1, 3, 3 + i, 5}, (guint32)i);
    ck_assert_uint_gt(tsr_plans_stats(model->plans).dynamic, 0);
    for (guint i = 0; i < 300; i++)
        ck_runs(model, reference, shape, i);
    hits = tsr_plans_stats(model->plans).hits;
    ck_runs(model, reference, shape, 1);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).hits, hits + 1);
}
END_TEST

/* As a decoder's cache grows: few plans are made in vain; a shape that comes again gets one. */
START_TEST(shapes_that_grow)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, NULL, FALSE);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    for (gint64 i = 0; i < 100; i++)
        ck_runs(model, reference, (const gint64[]){1, 3, 3 + i, 5}, (guint32)i);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 4);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).dynamic, 96);
    ck_runs(model, reference, (const gint64[]){1, 3, 3 + 95, 5}, 1);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 5);
    ck_runs(model, reference, (const gint64[]){1, 3, 3 + 20, 5}, 1); /* too long ago */
    ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 5);
}
END_TEST

START_TEST(gears)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, "1,8,8; 2,8,8;1,16,12", FALSE);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    const gint64 shapes[][4] = {{1, 3, 8, 8}, {2, 3, 8, 8}, {1, 3, 16, 12}};
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "gears.om", NULL);
    GError *error = NULL;
    ck_assert_uint_eq(tsr_plans_gear_count(model->plans), 3);
    ck_assert(tsr_model_save(model, path, &error));
    for (guint turn = 0; turn < 2; turn++) {
        for (guint i = 0; i < 6; i++)
            ck_runs(model, reference, shapes[i % 3], i);
        ck_assert_uint_eq(tsr_plans_stats(model->plans).hits, 6);
        ck_refused(model, (const gint64[]){3, 3, 8, 8},
                   "no gear of the model fits 'x' [3,3,8,8]; wanted one of: 'x' [1,3,8,8]; "
                   "'x' [2,3,8,8]; 'x' [1,3,16,12]");
        ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 0);
        tsr_model_free(model);
        model = tsr_session_load(session, path, &error);
        ck_no_error(error);
    }
}
END_TEST

START_TEST(gears_and_others)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, "1,8,8;*", FALSE);
    g_autoptr(TsrModel) plain = dynamic_compile(session, "1,8,8;*", TRUE);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    const gint64 gear[] = {1, 3, 8, 8}, other[] = {1, 3, 8, 9};
    for (guint i = 0; i < 3; i++) {
        ck_runs(model, reference, gear, i);
        ck_runs(model, reference, other, i);
        ck_runs(plain, reference, gear, i);
        ck_runs(plain, reference, other, i);
    }
    ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 1);
    ck_assert_uint_eq(tsr_plans_stats(plain->plans).compiled, 0);
    ck_assert_uint_eq(tsr_plans_stats(plain->plans).hits, 3);
    ck_assert_uint_eq(tsr_plans_stats(plain->plans).dynamic, 3);
}
END_TEST

START_TEST(gears_that_cannot_be)
{
    static const struct {
        const char *dims, *part;
    } cases[] = {
        {"1;2", "wanted 3 numbers apart by ',' (N, height, axis 3 of 'x'), got '1'"},
        {"1,8,8;1,8,8", "'1,8,8' is there twice"},
        {"*", "wanted 3 numbers"},
        {"1,8,-8", "wanted 3 numbers"},
        {"1,8,x", "got '1,8,x'"},
        {"1,8,8;", "got ''"},
        {"1,8,8;*;1,8,9", "got '*'"},
    };
    g_autoptr(TsrSession) session = fixture_session(1);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(TsrGraph) graph = dynamic_net(session);
        const TsrCompileOptions options = {.struct_size = sizeof(options),
                                           .dynamic_dims = cases[i].dims};
        GError *error = NULL;
        ck_assert_ptr_null(tsr_session_compile(session, graph, &options, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, cases[i].part);
    }
    {
        g_autoptr(TsrGraph) graph = dynamic_net(session);
        const TsrCompileOptions options = {.struct_size = sizeof(options), .dynamic_dims = "1"};
        const gint64 shape[] = {1, 3, 8, 8};
        GError *error = NULL;
        ck_assert(tsr_graph_set_input_shape(graph, "x", 4, shape, &error));
        ck_assert_ptr_null(tsr_session_compile(session, graph, &options, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, "every dimension of its inputs is known");
    }
}
END_TEST

START_TEST(ranges)
{
    const gint64 least[] = {1, 3, 4, 8}, most[] = {4, 3, -1, 8};
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) reference = dynamic_compile(session, NULL, TRUE);
    g_autoptr(TsrGraph) graph = dynamic_net(session);
    g_autoptr(TsrModel) model = NULL;
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "ranges.om", NULL);
    GError *error = NULL;
    ck_assert(tsr_graph_set_input_range(graph, "x", 4, least, most, &error));
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_no_error(error);
    ck_assert(tsr_model_save(model, path, &error));
    for (guint turn = 0; turn < 2; turn++) {
        ck_runs(model, reference, (const gint64[]){4, 3, 4, 8}, 1);
        ck_runs(model, reference, (const gint64[]){1, 3, 30, 8}, 2);
        ck_refused(model, (const gint64[]){5, 3, 4, 8},
                   "input 'x': dimension 0 ('N') wanted 1 to 4, got 5");
        ck_refused(model, (const gint64[]){1, 3, 3, 8},
                   "input 'x': dimension 2 ('height') wanted 4 to any, got 3");
        ck_refused(model, (const gint64[]){1, 3, 4, 9}, "input 'x'");
        tsr_model_free(model);
        model = tsr_session_load(session, path, &error);
        ck_no_error(error);
    }
    {
        const gint64 low[] = {1, 2, 4, 8}, high[] = {1, 3, 4, 8};
        ck_assert(!tsr_graph_set_input_range(graph, "x", 4, low, high, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, "does not admit");
        ck_assert(!tsr_graph_set_input_range(graph, "x", 4, most, least, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, "dimension 0 has the range 4 to 1");
        ck_assert(!tsr_graph_set_input_range(graph, "z", 4, low, high, &error));
        ck_error(error, TSR_NOT_FOUND, "no input 'z'");
    }
}
END_TEST

/* What a run gives that is no task list for any shape runs node by node. */
START_TEST(no_plan_where_none_helps)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "data");
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrArray) x = fixture_array(NULL, 1, (const gint64[]){9});
    TsrArray *const inputs[] = {x};
    GError *error = NULL;
    tsr_build_output(graph, "y",
                     fixture_node(graph, "NonZero", "where",
                                  VALUES(fixture_input(graph, "x", SHAPE(-1))), NULL));
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_no_error(error);
    for (guint i = 0; i < 3; i++) {
        TsrArray *y = NULL;
        ck_assert(tsr_model_run(model, inputs, &y, &error));
        ck_assert_int_eq(tsr_array_shape(y)[1], 9);
        tsr_array_unref(y);
    }
    ck_assert_uint_eq(tsr_plans_stats(model->plans).compiled, 0);
    ck_assert_uint_eq(tsr_plans_stats(model->plans).dynamic, 3);
}
END_TEST

FIXTURE_MAIN("plans", a_plan_for_the_second_run, plans_share_constants, ten_thousand_shapes,
             new_shapes_get_their_turn, shapes_that_grow, gears, gears_and_others,
             gears_that_cannot_be, ranges, no_plan_where_none_helps)
