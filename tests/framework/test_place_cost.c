/* SPDX-License-Identifier: Apache-2.0
 *
 * test_place_cost.c: placement by cost: what engines say, borders, pins, clusters that are
 * refused or too small, and random graphs against every possible choice.
 */
#include "engine/cluster.h"
#include "engine/place.h"
#include "engine/place_cost.h"
#include "fixture.h"
#include "prepare/infer.h"

enum { ENGINES = 3, NODES_MAX = 9 };

typedef struct Trio {
    FakeEngine fakes[ENGINES];
    TsrPluginSet *set;
} Trio;

static void trio_init(Trio *trio, guint count, const char *const *costs, const char *conf)
{
    static const char *const names[] = {"first", "second", "third"};
    FakeEngine *list[ENGINES];
    for (guint i = 0; i < count; i++) {
        fake_engine_init(&trio->fakes[i], names[i], NULL);
        trio->fakes[i].costs = costs[i];
        list[i] = &trio->fakes[i];
    }
    trio->set = fixture_set(list, count, conf);
    trio->set->conf->by_cost = TRUE;
}

static TsrGraph *chain(gint64 extent)
{
    TsrGraph *graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(extent));
    TsrValue *y = fixture_node(graph, "Add", "add", VALUES(x, x), NULL);
    GError *error = NULL;
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Neg", "neg", VALUES(y), NULL));
    ck_assert(tsr_infer_graph(graph, NULL, &error));
    return graph;
}

static void ck_engines(TsrGraph *graph, const char *wanted, const char *where)
{
    g_autofree char *engines =
        g_strjoin(" ", fixture_find(graph, "add")->engine, fixture_find(graph, "relu")->engine,
                  fixture_find(graph, "neg")->engine, NULL);
    ck_assert_msg(strcmp(engines, wanted) == 0, "%s: wanted %s, got %s", where, wanted, engines);
}

/* A cheaper engine is worth two borders, or it is not; equal ones go by rank. A border costs
 * 2 us and 1 us for each 8000 bytes. */
START_TEST(borders_are_weighed)
{
    static const struct {
        const char *first, *second, *conf, *wanted;
        gint64 extent;
    } rows[] = {
        {NULL, NULL, NULL, "first first first", 2},
        {" Relu=9 ", " Add=9 Neg=9 ", NULL, "first second first", 2},
        {" Relu=4 ", " Add=9 Neg=9 ", NULL, "first first first", 2},
        {" Relu=9 ", " Add=9 Neg=9 ", NULL, "first first first", 20000}, /* 80,000 bytes twice */
        {" Relu=9 Neg=2 ", " Add=9 ", NULL, "first second second", 2},
        {" Add=2 Relu=2 Neg=2 ", NULL, NULL, "second second second", 2},
        {" Relu=9 ", " Add=9 Neg=9 ", "[pins.node]\nrelu=first\n", "first first first", 2},
        {NULL, " Add=9 Neg=9 ", "[pins.op]\nRelu=second\n", "first second first", 2},
        {NULL, " Add=9 Neg=9 ", "[pins.op]\nRelu=second\n", "second second second", 20000},
        {" Relu=9 ", " Add=9 Neg=9 ", "[tessera]\nmin_cluster_nodes=2\n", "first first first", 2},
        {" Relu=9 Neg=9 ", " Add=9 ", "[tessera]\nmin_cluster_nodes=2\n",
         "second second second", 2},
        {NULL, " Add=9 Neg=9 ", "[tessera]\nmin_cluster_nodes=2\n[pins.op]\nRelu=second\n",
         "second second second", 2},
        /* What no engine means is taken for no word. */
        {" Relu=nan ", " Relu=-3 ", NULL, "first first first", 2},
        {" Relu=inf ", " Relu=2 ", NULL, "first first first", 2},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const costs[] = {rows[i].first, rows[i].second};
        g_autoptr(TsrGraph) graph = chain(rows[i].extent);
        g_autofree char *where = g_strdup_printf("row %zu", i);
        GError *error = NULL;
        Trio trio;
        trio_init(&trio, 2, costs, rows[i].conf);
        ck_assert_msg(tsr_place_graph(graph, trio.set, &error), "%s",
                      error != NULL ? error->message : "");
        ck_engines(graph, rows[i].wanted, where);
        tsr_plugin_set_free(trio.set);
    }
}
END_TEST

/* Without a hint an engine that is right before fast is taken to be slower. */
START_TEST(estimates)
{
    const char *const costs[] = {" Add=0 Relu=0 Neg=0 ", " Add=0 Relu=0 Neg=0 "};
    g_autoptr(TsrGraph) graph = chain(4000);
    const TsrNode *relu = fixture_find(graph, "relu");
    GError *error = NULL;
    Trio trio;
    trio_init(&trio, 2, costs, NULL);
    trio.fakes[0].engine.flags |= TSR_ENGINE_REFERENCE;
    /* 16,000 bytes in and as many out at 8000 a microsecond, and one to start. */
    ck_assert_double_eq_tol(tsr_place_estimate(relu, &trio.fakes[1].engine), 5.0, 1e-9);
    ck_assert_double_gt(tsr_place_estimate(relu, &trio.fakes[0].engine), 5.0);
    ck_assert(tsr_place_graph(graph, trio.set, &error));
    ck_engines(graph, "second second second", "estimates");
    tsr_plugin_set_free(trio.set);
}
END_TEST

START_TEST(refused_cluster)
{
    const char *const costs[] = {NULL, " Add=50 Relu=50 Neg=50 "};
    g_autoptr(TsrGraph) graph = chain(2);
    GError *error = NULL;
    Trio trio;
    trio_init(&trio, 2, costs, NULL);
    trio.fakes[0].cluster_limit = 2;
    ck_assert(tsr_place_graph(graph, trio.set, &error));
    ck_engines(graph, "second second second", "refused");
    ck_assert_uint_eq(fixture_find(graph, "relu")->refusals->len, 1);
    trio.fakes[1].cluster_limit = 2;
    tsr_graph_unref(g_steal_pointer(&graph));
    graph = chain(2);
    ck_assert(!tsr_place_graph(graph, trio.set, &error));
    ck_error(error, TSR_UNSUPPORTED, "no engine takes Add 'add' (first: 3 nodes");
    tsr_plugin_set_free(trio.set);
}
END_TEST

START_TEST(nobody_and_bad_pin)
{
    const char *const costs[] = {NULL, NULL};
    g_autoptr(TsrGraph) graph = chain(2);
    GError *error = NULL;
    Trio trio;
    trio_init(&trio, 2, costs, "[pins.op]\nNeg=third\n");
    ck_assert(!tsr_place_graph(graph, trio.set, &error));
    ck_error(error, TSR_NOT_FOUND, "pinned to engine 'third', which is not in use");
    tsr_plugin_set_free(trio.set);
    trio_init(&trio, 2, costs, NULL);
    trio.fakes[0].ops = trio.fakes[1].ops = " Add Neg ";
    ck_assert(!tsr_place_graph(graph, trio.set, &error));
    ck_error(error, TSR_UNSUPPORTED, "no engine takes Relu 'relu' (first: no rule for Relu");
    tsr_plugin_set_free(trio.set);
}
END_TEST

/* ----------------------------------------------------------------- brute force */

static const char *const op_names[] = {"Relu", "Neg", "Abs", "Exp"};

/* Unary and binary nodes over values of random size. */
static guint random_graph(GRand *random, TsrGraph *graph, gint most, TsrNode **out_nodes)
{
    const guint count = (guint)g_rand_int_range(random, 4, most + 1);
    const gint64 extent = 1 << g_rand_int_range(random, 0, 16);
    TsrValue *values[NODES_MAX + 1];
    GError *error = NULL;
    values[0] = fixture_input(graph, "x", SHAPE(extent));
    for (guint i = 0; i < count; i++) {
        TsrValue *left = values[g_rand_int_range(random, MAX(0, (gint)i - 3), (gint)i + 1)];
        TsrValue *right = values[g_rand_int_range(random, MAX(0, (gint)i - 3), (gint)i + 1)];
        values[i + 1] = g_rand_boolean(random)
                            ? fixture_node(graph, "Add", NULL, VALUES(left, right), NULL)
                            : fixture_node(graph, op_names[g_rand_int_range(random, 0, 4)], NULL,
                                           VALUES(left), NULL);
        out_nodes[i] = values[i + 1]->producer;
    }
    tsr_build_output(graph, "out", values[count]);
    ck_assert(tsr_infer_graph(graph, NULL, &error));
    return count;
}

static char *random_costs(GRand *random)
{
    GString *text = g_string_new(" Add=");
    g_string_append_printf(text, "%d ", g_rand_int_range(random, 1, 20));
    for (gsize i = 0; i < G_N_ELEMENTS(op_names); i++)
        g_string_append_printf(text, "%s=%d ", op_names[i], g_rand_int_range(random, 1, 20));
    return g_string_free(text, FALSE);
}

static GStrv random_costs_of_all(GRand *random)
{
    GStrv costs = g_new0(char *, ENGINES + 1);
    for (guint i = 0; i < ENGINES; i++)
        costs[i] = random_costs(random);
    return costs;
}

/* The least cost of all choices of engines that take their nodes. */
static double least_cost(TsrGraph *graph, const Trio *trio, TsrNode *const *nodes, guint count,
                         guint engines)
{
    double least = G_MAXDOUBLE;
    guint choices = 1;
    for (guint i = 0; i < count; i++)
        choices *= engines;
    for (guint c = 0; c < choices; c++) {
        guint digits = c;
        double cost;
        for (guint i = 0; i < count; i++, digits /= engines)
            nodes[i]->engine =
                g_array_index(trio->set->engines, TsrRankedEngine, digits % engines).name;
        cost = tsr_place_cost(graph, trio->set);
        least = MIN(least, cost);
    }
    return least;
}

static void ck_least(guint engines, guint rounds, double worst_allowed)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(20261130 + engines);
    double worst = 1.0;
    for (guint round = 0; round < rounds; round++) {
        g_auto(GStrv) costs = random_costs_of_all(random);
        g_autoptr(TsrGraph) graph = fixture_graph();
        TsrNode *nodes[NODES_MAX];
        double placed, least;
        GError *error = NULL;
        Trio trio;
        guint count;
        trio_init(&trio, engines, (const char *const *)costs, NULL);
        /* The second may not have everything. */
        if (round % 3 == 0)
            trio.fakes[1].ops = " Add Neg Exp ";
        count = random_graph(random, graph, engines == 2 ? NODES_MAX : 6, nodes);
        ck_assert(tsr_place_graph(graph, trio.set, &error));
        placed = tsr_place_cost(graph, trio.set);
        least = least_cost(graph, &trio, nodes, count, engines);
        ck_assert_double_ge(placed, least - 1e-6);
        worst = MAX(worst, placed / least);
        tsr_plugin_set_free(trio.set);
    }
    ck_assert_msg(worst <= worst_allowed, "%u engines: %g times the least cost", engines, worst);
}

START_TEST(two_engines_are_solved_exactly)
{
    ck_least(2, 60, 1.0 + 1e-9);
}
END_TEST

START_TEST(three_engines_are_solved_nearly)
{
    ck_least(3, 40, 1.1);
}
END_TEST

/* Nodes in clusters of fewer than three, of all random graphs. */
static guint small_nodes(const char *conf)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    guint small = 0;
    for (guint round = 0; round < 60; round++) {
        g_auto(GStrv) costs = random_costs_of_all(random);
        g_autoptr(TsrGraph) graph = fixture_graph();
        TsrNode *nodes[NODES_MAX];
        guint sizes[NODES_MAX] = {0};
        GError *error = NULL;
        Trio trio;
        guint count;
        trio_init(&trio, 3, (const char *const *)costs, conf);
        count = random_graph(random, graph, NODES_MAX, nodes);
        ck_assert(tsr_place_graph(graph, trio.set, &error));
        for (guint i = 0; i < count; i++)
            sizes[nodes[i]->cluster]++;
        for (guint i = 0; i < count; i++)
            small += sizes[nodes[i]->cluster] < 3;
        tsr_plugin_set_free(trio.set);
    }
    return small;
}

/* Every engine takes every node here, so that hardly one need stay in a small cluster: only
 * what no edge connects to the rest. */
START_TEST(small_clusters_join_others)
{
    const guint free_choice = small_nodes(NULL);
    const guint joined = small_nodes("[tessera]\nmin_cluster_nodes=3\n");
    ck_assert_uint_gt(free_choice, 20);
    ck_assert_msg(joined * 4 <= free_choice, "%u of %u nodes stay in small clusters", joined,
                  free_choice);
}
END_TEST

FIXTURE_MAIN("place_cost", borders_are_weighed, estimates, refused_cluster, nobody_and_bad_pin,
             two_engines_are_solved_exactly, three_engines_are_solved_nearly,
             small_clusters_join_others)
