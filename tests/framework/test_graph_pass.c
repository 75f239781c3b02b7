/* SPDX-License-Identifier: Apache-2.0
 *
 * test_graph_pass.c: the framework's passes over Transposes and Casts: what they make of a
 * graph, what they leave alone, and that no number changes. Each graph is run with all passes
 * and with none on the reference engine.
 */
#include "api/session.h"
#include "../support/check_main.h"
#include "fixture.h"
#include "optimize/graph_pass.h"
#include "optimize/pass_stats.h"
#include "prepare/infer.h"

typedef struct PassCase {
    const char *name;
    const char *want; /* operators that are left, sorted */
    void (*build)(TsrGraph *graph, TsrValue *x);
} PassCase;

static TsrValue *transpose(TsrGraph *graph, const char *name, TsrValue *x, const char *perm)
{
    return fixture_node(graph, "Transpose", name, VALUES(x), perm);
}

static TsrValue *relu(TsrGraph *graph, const char *name, TsrValue *x)
{
    return fixture_node(graph, "Relu", name, VALUES(x), NULL);
}

static void out(TsrGraph *graph, const char *name, TsrValue *value)
{
    tsr_build_output(graph, name, value);
}

/* x is [2,3,4,5] in all of them. */
static void keeps_order(TsrGraph *graph, TsrValue *x)
{
    out(graph, "y", relu(graph, "r", transpose(graph, "t", x, "perm=[0,1,2,3]")));
}

static void two_make_none(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    out(graph, "y", relu(graph, "r", transpose(graph, "u", t, "perm=[0,3,1,2]")));
}

static void two_make_one(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    out(graph, "y", transpose(graph, "u", t, "perm=[1,0,3,2]"));
}

static void first_is_read_elsewhere(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    out(graph, "z", t);
    out(graph, "y", relu(graph, "r", transpose(graph, "u", t, "perm=[0,3,1,2]")));
}

/* [2,3,4,5] -> [2,12,5] would be no Transpose; [2,1,3,20] has an extent of 1 to move. */
static void moves_ones(TsrGraph *graph, TsrValue *x)
{
    g_autoptr(GBytes) bytes = g_bytes_new((const gint64[]){2, 1, 3, 20}, 4 * sizeof(gint64));
    const gint64 four = 4;
    TsrValue *shape;
    TsrDesc desc;
    GError *error = NULL;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT64, 1, &four);
    shape = tsr_graph_add_constant(graph, "shape", &desc.view, bytes, &error);
    x = fixture_node(graph, "Reshape", "reshape", VALUES(x, shape), NULL);
    out(graph, "y", transpose(graph, "t", x, "perm=[0,2,1,3]"));
}

static void meet_through_elementwise(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    TsrValue *bias = fixture_constant(graph, "bias", SHAPE(3));
    TsrValue *a = fixture_node(graph, "Add", "a", VALUES(t, bias), NULL);
    out(graph, "y", transpose(graph, "u", relu(graph, "r", a), "perm=[0,3,1,2]"));
}

static void meet_through_concat(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    TsrValue *u = transpose(graph, "u", relu(graph, "r", x), "perm=[0,2,3,1]");
    TsrValue *c = fixture_node(graph, "Concat", "c", VALUES(t, u), "axis=3");
    TsrValue *s = fixture_node(graph, "Softmax", "s", VALUES(c), "axis=-1");
    out(graph, "y", transpose(graph, "v", s, "perm=[0,3,1,2]"));
}

static void meet_in_the_middle(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    TsrValue *r = relu(graph, "r", t);
    out(graph, "y", transpose(graph, "u", r, "perm=[0,3,1,2]"));
    /* A second reader of the middle wants the order after the Transpose. */
    out(graph, "z", fixture_node(graph, "Neg", "n", VALUES(r), NULL));
}

static void do_not_meet(TsrGraph *graph, TsrValue *x)
{
    TsrValue *t = transpose(graph, "t", x, "perm=[0,2,3,1]");
    TsrValue *s = fixture_node(graph, "LpNormalization", "s", VALUES(t), "axis=1");
    out(graph, "y", transpose(graph, "u", s, "perm=[0,3,1,2]"));
}

static void cast_of_own_type(TsrGraph *graph, TsrValue *x)
{
    out(graph, "y", relu(graph, "r", fixture_node(graph, "Cast", "c", VALUES(x), "to=1")));
}

static void cast_there_and_back(TsrGraph *graph, TsrValue *x)
{
    TsrValue *wide = fixture_node(graph, "Cast", "c", VALUES(x), "to=11");
    out(graph, "y", relu(graph, "r", fixture_node(graph, "Cast", "d", VALUES(wide), "to=1")));
}

static void cast_that_rounds(TsrGraph *graph, TsrValue *x)
{
    TsrValue *narrow = fixture_node(graph, "Cast", "c", VALUES(x), "to=10");
    out(graph, "y", relu(graph, "r", fixture_node(graph, "Cast", "d", VALUES(narrow), "to=1")));
}

static const PassCase cases[] = {
    {"keeps_order", "Relu", keeps_order},
    {"two_make_none", "Relu", two_make_none},
    {"two_make_one", "Transpose", two_make_one},
    {"first_is_read_elsewhere", "Relu Transpose", first_is_read_elsewhere},
    {"moves_ones", "Reshape Reshape", moves_ones},
    {"meet_through_elementwise", "Add Relu", meet_through_elementwise},
    {"meet_through_concat", "Concat Relu Softmax", meet_through_concat},
    {"meet_in_the_middle", "Neg Relu Transpose", meet_in_the_middle},
    {"do_not_meet", "LpNormalization Transpose Transpose", do_not_meet},
    {"cast_of_own_type", "Relu", cast_of_own_type},
    {"cast_there_and_back", "Relu", cast_there_and_back},
    {"cast_that_rounds", "Cast Cast Relu", cast_that_rounds},
};

static gint by_text(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *operators(const TsrGraph *graph)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR)
            g_ptr_array_add(names, (gpointer)node->def->name);
    }
    g_ptr_array_sort(names, by_text);
    g_ptr_array_add(names, NULL);
    return g_strjoinv(" ", (char **)names->pdata);
}

/* Compiles and runs; the arrays of all outputs. */
static GPtrArray *run(TsrSession *session, const PassCase *which, const char *disabled,
                      char **out_operators)
{
    const char *const names[] = {disabled, NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options),
                                       .disable_fusion = disabled != NULL ? names : NULL};
    GPtrArray *outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(2, 3, 4, 5));
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, which->name);
    g_autoptr(TsrModel) model = NULL;
    GError *error = NULL;
    which->build(graph, fixture_input(graph, "x", SHAPE(2, 3, 4, 5)));
    model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    *out_operators = operators(graph);
    g_ptr_array_set_size(outputs, (gint)tsr_model_output_count(model));
    ck_assert(tsr_model_run(model, &x, (TsrArray **)outputs->pdata, &error));
    ck_no_error(error);
    return outputs;
}

START_TEST(becomes)
{
    const PassCase *which = &cases[_i];
    const char *const priority[] = {"aicpu", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(GPtrArray) with = NULL;
    g_autoptr(GPtrArray) without = NULL;
    g_autofree char *got = NULL;
    g_autofree char *before = NULL;
    options.engine_priority = priority;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    with = run(session, which, NULL, &got);
    without = run(session, which, "all", &before);
    ck_assert_msg(strcmp(got, which->want) == 0, "%s: '%s', wanted '%s'", which->name, got,
                  which->want);
    for (guint i = 0; i < with->len; i++) {
        TsrArray *a = g_ptr_array_index(with, i), *b = g_ptr_array_index(without, i);
        ck_assert_uint_eq(tsr_array_rank(a), tsr_array_rank(b));
        ck_assert_mem_eq(tsr_array_shape(a), tsr_array_shape(b),
                         tsr_array_rank(a) * sizeof(gint64));
        ck_assert_msg(memcmp(tsr_array_data(a), tsr_array_data(b), tsr_array_size_bytes(a)) == 0,
                      "%s: output %u differs", which->name, i);
    }
}
END_TEST

/* Each pass alone does its part, and is counted under its name. */
START_TEST(passes_are_switched_by_name)
{
    static const char *const off[] = {"all", NULL}, *const on[] = {"cast_pair", NULL};
    const TsrFusionSwitches switches = {off, on};
    FakeEngine fake;
    GHashTable *stats = tsr_pass_stats_new();
    TsrGraph *graph = fixture_graph();
    TsrPluginSet *set;
    GError *error = NULL;
    cast_there_and_back(graph, fixture_input(graph, "x", SHAPE(2, 3, 4, 5)));
    two_make_none(graph, fixture_input(graph, "x2", SHAPE(2, 3, 4, 5)));
    fake_engine_init(&fake, "fake", NULL);
    set = fixture_set((FakeEngine *const[]){&fake}, 1, NULL);
    ck_assert(tsr_infer_graph(graph, NULL, &error));
    ck_assert(tsr_graph_passes_run(graph, set, &switches, stats, &error));
    ck_no_error(error);
    ck_assert_uint_eq(tsr_pass_stats_get(stats, "cast_pair").matches, 1);
    ck_assert_int_eq(tsr_pass_stats_get(stats, "cast_pair").removed, 2);
    ck_assert_int_eq(tsr_pass_stats_get(stats, "transpose_merge").removed, 0); /* did not run */
    ck_assert_uint_eq(g_hash_table_size(stats), 1);
    g_hash_table_unref(stats);
    tsr_plugin_set_free(set);
    tsr_graph_unref(graph);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tests, passes_are_switched_by_name);
    return check_main("graph_pass", tests);
}
