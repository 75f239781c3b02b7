/* SPDX-License-Identifier: Apache-2.0
 *
 * test_place.c: which engine gets a node, and why the others did not; clusters.
 */
#include "engine/cluster.h"
#include "engine/place.h"
#include "fixture.h"

typedef struct Pair {
    FakeEngine first;
    FakeEngine second;
    TsrPluginSet *set;
} Pair;

static void pair_init(Pair *pair, const char *first_ops, const char *second_ops,
                      const char *conf)
{
    FakeEngine *const list[] = {&pair->first, &pair->second};
    fake_engine_init(&pair->first, "first", first_ops);
    fake_engine_init(&pair->second, "second", second_ops);
    pair->set = fixture_set(list, 2, conf);
}

/* x -> Add 'add' -> Relu 'relu' -> Neg 'neg' -> out */
static TsrGraph *chain(void)
{
    TsrGraph *graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2));
    TsrValue *y = fixture_node(graph, "Add", "add", VALUES(x, x), NULL);
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Neg", "neg", VALUES(y), NULL));
    return graph;
}

static const char *engine_of(TsrGraph *graph, const char *name)
{
    return fixture_find(graph, name)->engine;
}

static void ck_refusal(TsrGraph *graph, const char *name, guint index, const char *engine,
                       guint32 code, const char *part)
{
    const TsrNode *node = fixture_find(graph, name);
    const TsrRefusal *refusal;
    ck_assert_uint_gt(node->refusals->len, index);
    refusal = &g_array_index(node->refusals, TsrRefusal, index);
    ck_assert_str_eq(refusal->engine, engine);
    ck_assert_uint_eq(refusal->code, code);
    ck_assert_msg(strstr(refusal->reason, part) != NULL, "'%s' lacks '%s'", refusal->reason, part);
}

START_TEST(by_priority)
{
    g_autoptr(TsrGraph) graph = chain();
    g_autofree char *text = NULL;
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, " Add Neg ", NULL, NULL);
    ck_assert(tsr_place_graph(graph, pair.set, &error));
    ck_assert_str_eq(engine_of(graph, "add"), "first");
    ck_assert_str_eq(engine_of(graph, "relu"), "second");
    ck_assert_str_eq(engine_of(graph, "neg"), "first");
    ck_refusal(graph, "relu", 0, "first", TSR_REFUSE_OP, "no rule for Relu");
    ck_assert_uint_eq(fixture_find(graph, "add")->refusals->len, 0);
    ck_assert_uint_eq(pair.second.checks, 1); /* nobody else was asked in vain */
    text = tsr_place_fallback_text(graph, pair.set);
    ck_assert_ptr_nonnull(strstr(text, "1 of 3 nodes are not on engine 'first'"));
    ck_assert_ptr_nonnull(strstr(text, "1 x Relu: no rule for Relu"));
    tsr_plugin_set_free(pair.set);
}
END_TEST

START_TEST(no_fallback_no_text)
{
    g_autoptr(TsrGraph) graph = chain();
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, NULL, NULL, NULL);
    ck_assert(tsr_place_graph(graph, pair.set, &error));
    ck_assert_ptr_null(tsr_place_fallback_text(graph, pair.set));
    tsr_plugin_set_free(pair.set);
}
END_TEST

START_TEST(nobody)
{
    g_autoptr(TsrGraph) graph = chain();
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, " Add ", " Add ", NULL);
    ck_assert(!tsr_place_graph(graph, pair.set, &error));
    /* Every node, with every engine's reason. */
    ck_assert_ptr_nonnull(strstr(error->message, "Neg 'neg' (first: no rule for Neg; second: "));
    ck_error(error, TSR_UNSUPPORTED,
             "no engine takes Relu 'relu' (first: no rule for Relu; second: no rule for Relu)");
    tsr_plugin_set_free(pair.set);
}
END_TEST

START_TEST(pins)
{
    TsrGraph *graph = chain();
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, NULL, NULL, "[pins.op]\nRelu=second\nNeg=second\n[pins.node]\nneg=first\n");
    ck_assert(tsr_place_graph(graph, pair.set, &error));
    ck_assert_str_eq(engine_of(graph, "add"), "first");
    ck_assert_str_eq(engine_of(graph, "relu"), "second");
    ck_assert_str_eq(engine_of(graph, "neg"), "first"); /* a node's pin before its operator's */
    tsr_plugin_set_free(pair.set);
    tsr_graph_unref(graph);

    graph = chain();
    pair_init(&pair, " Add Neg ", NULL, "[pins.node]\nrelu=first\n");
    ck_assert(!tsr_place_graph(graph, pair.set, &error));
    ck_error(error, TSR_UNSUPPORTED,
             "Relu 'relu' is pinned to engine 'first', which refuses it: no rule for Relu");
    tsr_plugin_set_free(pair.set);
    tsr_graph_unref(graph);

    graph = chain();
    pair_init(&pair, NULL, NULL, "[pins.op]\nRelu=third\n");
    ck_assert(!tsr_place_graph(graph, pair.set, &error));
    ck_error(error, TSR_NOT_FOUND, "pinned to engine 'third', which is not in use");
    tsr_plugin_set_free(pair.set);
    tsr_graph_unref(graph);
}
END_TEST

/* Patterns hold where no name does, and options before the configuration. */
START_TEST(pins_by_pattern)
{
    static const struct {
        const char *conf, *option, *engines; /* of add, relu, neg */
    } rows[] = {
        {"[pins.node]\nre*=second\n", NULL, "first second first"},
        {"[pins.node]\n*e*=second\nneg=first\n", NULL, "first second first"},
        {"[pins.node]\n?e?=second\n", NULL, "first first second"},
        {"[pins.op]\n*e*=second\n[pins.node]\nn*=first\n", NULL, "first second first"},
        {"[pins.op]\n::Relu=second\n", NULL, "first second first"},
        {"", "re*=second", "first second first"},
        {"", "node:relu=second", "first second first"},
        {"", "op:Relu=second", "first second first"},
        {"[pins.node]\nrelu=first\n", "relu=second", "first second first"},
        {"[pins.node]\nrelu=first\n", "r*=second", "first first first"},
        {"[pins.op]\nAdd=second\n", "op:?dd=first", "second first first"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const options[] = {rows[i].option, NULL};
        g_autoptr(TsrGraph) graph = chain();
        g_autofree char *engines = NULL;
        GError *error = NULL;
        Pair pair;
        pair_init(&pair, NULL, NULL, rows[i].conf);
        ck_assert(tsr_pins_add_options(pair.set->conf->pins, options, &error));
        ck_assert(tsr_place_check_pins(graph, pair.set, &error));
        ck_assert(tsr_place_graph(graph, pair.set, &error));
        engines = g_strjoin(" ", engine_of(graph, "add"), engine_of(graph, "relu"),
                            engine_of(graph, "neg"), NULL);
        ck_assert_msg(strcmp(engines, rows[i].engines) == 0, "row %zu: %s", i, engines);
        tsr_plugin_set_free(pair.set);
    }
}
END_TEST

START_TEST(pins_that_fail)
{
    static const struct {
        const char *option, *part;
        gint32 code;
    } rows[] = {
        {"rleu=second", "the model has no node 'rleu'; did you mean 'relu'?", TSR_NOT_FOUND},
        {"op:Rleu=second", "no operator 'Rleu'; did you mean 'Relu'?", TSR_NOT_FOUND},
        {"x*=second", "no node 'x*'", TSR_NOT_FOUND},
        {"relu=secnd", "pinned to engine 'secnd', which is not in use (--pin 'relu'); did you "
                       "mean 'second'?", TSR_NOT_FOUND},
        {"relu", "wanted NODE=ENGINE or op:OPERATOR=ENGINE, got 'relu'", TSR_INVALID_ARGUMENT},
        {"op:=first", "got 'op:=first'", TSR_INVALID_ARGUMENT},
        {"relu=", "got 'relu='", TSR_INVALID_ARGUMENT},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const options[] = {rows[i].option, NULL};
        g_autoptr(TsrGraph) graph = chain();
        GError *error = NULL;
        Pair pair;
        pair_init(&pair, NULL, NULL, "[pins.node]\nof_other_models=first\n");
        ck_assert(!(tsr_pins_add_options(pair.set->conf->pins, options, &error) &&
                    tsr_place_check_pins(graph, pair.set, &error) &&
                    tsr_place_graph(graph, pair.set, &error)));
        ck_error(error, rows[i].code, rows[i].part);
        tsr_plugin_set_free(pair.set);
    }
}
END_TEST

/* An engine may take each node and refuse them together: the next one gets them. */
START_TEST(refused_cluster_moves_on)
{
    g_autoptr(TsrGraph) graph = chain();
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, " Add Relu ", NULL, NULL);
    pair.first.cluster_limit = 1;
    ck_assert(tsr_place_graph(graph, pair.set, &error));
    ck_assert_str_eq(engine_of(graph, "add"), "second");
    ck_assert_str_eq(engine_of(graph, "relu"), "second");
    ck_refusal(graph, "add", 0, "first", TSR_REFUSE_CLUSTER, "2 nodes from 'add' on are too many");
    ck_refusal(graph, "relu", 0, "first", TSR_REFUSE_CLUSTER, "too many");
    ck_assert_uint_gt(pair.first.confirms, 0);
    tsr_plugin_set_free(pair.set);
}
END_TEST

START_TEST(all_clusters_refused)
{
    g_autoptr(TsrGraph) graph = chain();
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, NULL, NULL, NULL);
    pair.first.cluster_limit = pair.second.cluster_limit = 1;
    ck_assert(!tsr_place_graph(graph, pair.set, &error));
    ck_error(error, TSR_UNSUPPORTED, "second: 3 nodes from 'add' on are too many");
    tsr_plugin_set_free(pair.set);
}
END_TEST

START_TEST(unknown_shapes)
{
    g_autoptr(TsrGraph) graph = chain(); /* not inferred: nothing is known */
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, NULL, NULL, NULL);
    pair.first.engine.flags &= ~(guint32)TSR_ENGINE_DYNAMIC;
    ck_assert(tsr_place_graph(graph, pair.set, &error));
    ck_assert_str_eq(engine_of(graph, "relu"), "second");
    ck_refusal(graph, "relu", 0, "first", TSR_REFUSE_DYNAMIC, "known only at run time");
    ck_assert_uint_eq(pair.first.checks, 0);
    tsr_plugin_set_free(pair.set);
}
END_TEST

START_TEST(one_node)
{
    g_autoptr(TsrGraph) graph = chain();
    GError *error = NULL;
    Pair pair;
    pair_init(&pair, " Add Relu ", " Relu ", NULL);
    ck_assert(tsr_place_node(fixture_find(graph, "relu"), pair.set, "second", &error));
    ck_assert_str_eq(engine_of(graph, "relu"), "second");
    ck_assert(tsr_place_node(fixture_find(graph, "add"), pair.set, "second", &error));
    ck_assert_str_eq(engine_of(graph, "add"), "first");
    ck_assert(!tsr_place_node(fixture_find(graph, "neg"), pair.set, NULL, &error));
    ck_error(error, TSR_UNSUPPORTED, "no engine takes Neg 'neg'");
    tsr_plugin_set_free(pair.set);
}
END_TEST

/* ------------------------------------------------------------------ clusters */

enum { NODES = 40 };

/* A random graph of two-input nodes, each on one of three engines. */
static TsrGraph *random_graph(GRand *random, TsrNode **out_nodes)
{
    static const char *const engines[] = {"a", "b", "c"};
    TsrGraph *graph = fixture_graph();
    TsrValue *values[NODES + 1];
    values[0] = fixture_input(graph, "x", SHAPE(2));
    for (int i = 0; i < NODES; i++) {
        /* Near neighbours mostly, so that chains and diamonds arise. */
        int low = MAX(0, i - 5);
        TsrValue *left = values[g_rand_int_range(random, low, i + 1)];
        TsrValue *right = values[g_rand_int_range(random, low, i + 1)];
        values[i + 1] = fixture_node(graph, "Add", NULL, VALUES(left, right), NULL);
        out_nodes[i] = values[i + 1]->producer;
        out_nodes[i]->engine = g_intern_string(engines[g_rand_int_range(random, 0, 3)]);
    }
    tsr_build_output(graph, "out", values[NODES]);
    return graph;
}

static gboolean reads(const TsrNode *node, const TsrNode *producer)
{
    for (guint i = 0; i < node->inputs->len; i++)
        if (((TsrValue *)g_ptr_array_index(node->inputs, i))->producer == producer)
            return TRUE;
    return FALSE;
}

START_TEST(random_clusters_are_convex)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(20260730);
    for (int round = 0; round < 60; round++) {
        static gboolean path[NODES][NODES];
        TsrNode *nodes[NODES];
        g_autoptr(TsrGraph) graph = random_graph(random, nodes);
        guint count = tsr_cluster_form(graph), largest = 0;
        memset(path, 0, sizeof(path));
        for (int j = 0; j < NODES; j++)
            for (int i = 0; i < j; i++) {
                path[i][j] = reads(nodes[j], nodes[i]);
                for (int k = i + 1; k < j && !path[i][j]; k++)
                    path[i][j] = path[i][k] && reads(nodes[j], nodes[k]);
            }
        for (int i = 0; i < NODES; i++) {
            ck_assert_int_ge(nodes[i]->cluster, 0);
            largest = MAX(largest, (guint)nodes[i]->cluster);
            for (int j = i + 1; j < NODES; j++) {
                if (nodes[i]->cluster != nodes[j]->cluster)
                    continue;
                ck_assert_str_eq(nodes[i]->engine, nodes[j]->engine);
                for (int k = i + 1; k < j; k++)
                    ck_assert_msg(!(path[i][k] && path[k][j]) ||
                                      nodes[k]->cluster == nodes[i]->cluster,
                                  "round %d: cluster %d is left at node %d and entered again",
                                  round, nodes[i]->cluster, k);
            }
        }
        ck_assert_uint_eq(largest + 1, count);
        ck_assert_uint_lt(count, NODES); /* and something was grouped */
    }
}
END_TEST

START_TEST(neighbours_share_a_cluster)
{
    g_autoptr(TsrGraph) graph = chain();
    for (guint i = 0; i < graph->nodes->len; i++)
        ((TsrNode *)g_ptr_array_index(graph->nodes, i))->engine = g_intern_string("a");
    ck_assert_uint_eq(tsr_cluster_form(graph), 1);
    fixture_find(graph, "relu")->engine = g_intern_string("b");
    ck_assert_uint_eq(tsr_cluster_form(graph), 3);
}
END_TEST

FIXTURE_MAIN("place", by_priority, no_fallback_no_text, nobody, pins, pins_by_pattern,
             pins_that_fail, refused_cluster_moves_on, all_clusters_refused, unknown_shapes,
             one_node, random_clusters_are_convex, neighbours_share_a_cluster)
