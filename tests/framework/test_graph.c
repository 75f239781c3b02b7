/* SPDX-License-Identifier: Apache-2.0
 *
 * test_graph.c: building and editing graphs, the checks of nodes against their
 * definitions, and the verifier.
 */
#include "fixture.h"
#include "ir/verify.h"

START_TEST(users_and_order)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 3));
    TsrValue *y = fixture_node(graph, "Add", "add", VALUES(x, x), NULL);
    TsrValue *z = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    g_autoptr(GPtrArray) order = NULL;
    GError *error = NULL;
    tsr_build_output(graph, "out", z);
    ck_assert_uint_eq(x->users->len, 2); /* one entry per use */
    ck_assert_uint_eq(y->users->len, 1);
    ck_assert(tsr_graph_verify(graph, &error));
    order = tsr_graph_sort(graph, &error);
    ck_assert_uint_eq(order->len, 3);
    ck_assert_ptr_eq(g_ptr_array_index(order, 0), x->producer);
    ck_assert_ptr_eq(g_ptr_array_index(order, 2), z->producer);
    ck_assert(tsr_value_is_output(z));
    ck_assert(!tsr_value_is_output(y));
}
END_TEST

START_TEST(names)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2)), *a, *b;
    TsrDesc desc;
    GError *error = NULL;
    char *name = tsr_graph_unique_name(graph, "x");
    ck_assert_str_ne(name, "x");
    g_free(name);
    tsr_desc_init(&desc);
    ck_assert_ptr_null(tsr_graph_add_input(graph, "x", &desc.view, &error));
    ck_error(error, TSR_ALREADY_EXISTS, "'x'");
    a = fixture_node(graph, "Relu", NULL, VALUES(x), NULL);
    b = fixture_node(graph, "Relu", NULL, VALUES(x), NULL);
    ck_assert_str_ne(a->name, b->name);
    ck_assert(a->producer->name[0] != '\0');
}
END_TEST

START_TEST(constants)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    g_autoptr(GBytes) bytes = g_bytes_new("12345678", 8);
    TsrDesc desc;
    GError *error = NULL;
    TsrValue *value;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_FLOAT, SHAPE(3));
    ck_assert_ptr_null(tsr_graph_add_constant(graph, "c", &desc.view, bytes, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "takes 12 bytes, but got 8");
    tsr_desc_set(&desc, TSR_DTYPE_FLOAT, SHAPE(-1));
    ck_assert_ptr_null(tsr_graph_add_constant(graph, "c", &desc.view, bytes, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "'c'");
    tsr_desc_set(&desc, TSR_DTYPE_FLOAT, SHAPE(2));
    value = tsr_graph_add_constant(graph, "c", &desc.view, bytes, &error);
    ck_no_error(error);
    ck_assert_uint_eq(value->tensor.size_bytes, 8);
    ck_assert_ptr_null(tsr_graph_add_constant(graph, "c", &desc.view, bytes, &error));
    ck_error(error, TSR_ALREADY_EXISTS, "'c'");
    ck_assert_ptr_nonnull(tsr_graph_add_constant(graph, NULL, &desc.view, bytes, &error));
    tsr_value_set_constant(value, NULL);
    ck_assert(!tsr_graph_verify(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "disagree");
}
END_TEST

static void ck_refused(const char *op, TsrValue *const *inputs, guint count, const char *attrs,
                       TsrGraph *graph, guint outputs, const char *part)
{
    TsrValue *made[8] = {NULL};
    GError *error = NULL;
    guint nodes = graph->nodes->len, users = inputs[0]->users->len;
    ck_assert_msg(!tsr_build_node_full(graph, op, "n", inputs, count, attrs, made, outputs,
                                       &error),
                  "%s {%s} was taken", op, attrs != NULL ? attrs : "");
    ck_error(error, TSR_INVALID_ARGUMENT, part);
    ck_assert_uint_eq(graph->nodes->len, nodes);
    ck_assert_uint_eq(inputs[0]->users->len, users);
}

START_TEST(node_errors)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 3, 8, 8));
    TsrValue *w = fixture_constant(graph, "w", SHAPE(4, 3, 3, 3));
    TsrValue *in[] = {x, w, x, x};
    TsrValue *gap[] = {x, NULL};
    ck_refused("Relu", in, 2, NULL, graph, 1, "takes at most 1 inputs, got 2");
    ck_refused("Conv", in, 1, NULL, graph, 1, "required input 1 ('W') is missing");
    ck_refused("Conv", gap, 2, NULL, graph, 1, "required input 1 ('W') is missing");
    ck_refused("Relu", in, 1, NULL, graph, 2, "gives at most 1 outputs");
    ck_refused("Relu", in, 1, NULL, graph, 0, "required output 0");
    ck_refused("Relu", in, 1, "alpha=1.0", graph, 1, "has no attribute 'alpha'");
    ck_refused("Softmax", in, 1, "axis=1.5", graph, 1, "must be INT, got FLOAT");
    ck_refused("Softmax", in, 1, "axis=\"1\"", graph, 1, "must be INT, got STRING");
    ck_refused("Conv", in, 2, "auto_pad=\"SOME\"", graph, 1, "must be one of");
    ck_refused("Conv", in, 2, "group=1 group=1", graph, 1, "given twice");
    ck_refused("Cast", in, 1, NULL, graph, 1, "required attribute 'to' (INT) is missing");
    ck_refused("Conv", in, 2, "group=0", graph, 1, "must be in [1");
    ck_refused("Conv", in, 2, "group", graph, 1, "name=value");
    ck_refused("Conv", in, 2, "pads=[1,1", graph, 1, "']'");
    ck_refused("Conv", in, 2, "pads=[1,x]", graph, 1, "a number");
    ck_refused("Conv", in, 2, "auto_pad=\"SAME", graph, 1, "a closing quote");
}
END_TEST

START_TEST(output_names)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 2));
    const TsrOpDef *def = tsr_op_registry_find(graph->registry, "", "TopK", 11);
    g_autoptr(GBytes) k = g_bytes_new((gint64[]){1}, 8);
    TsrDesc desc;
    GError *error = NULL;
    TsrValue *inputs[2] = {x, NULL};
    TsrNode *node;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT64, SHAPE(1));
    inputs[1] = tsr_graph_add_constant(graph, "k", &desc.view, k, &error);
    ck_assert_ptr_null(tsr_graph_add_node(graph, def, "t", inputs, 2,
                                          (const char *const[]){"v", "v"}, 2, NULL, 0, NULL, 0,
                                          &error));
    ck_error(error, TSR_ALREADY_EXISTS, "same name 'v'");
    ck_assert_ptr_null(tsr_graph_add_node(graph, def, "t", inputs, 2,
                                          (const char *const[]){"v", "x"}, 2, NULL, 0, NULL, 0,
                                          &error));
    ck_error(error, TSR_ALREADY_EXISTS, "'x'");
    node = tsr_graph_add_node(graph, def, "t", inputs, 2, (const char *const[]){"", "i"}, 2, NULL,
                              0, NULL, 0, &error);
    ck_no_error(error);
    ck_assert_ptr_null(g_ptr_array_index(node->outputs, 0));
    ck_assert_int_eq(tsr_node_attr(node, "largest")->i, 1); /* a default */
    ck_assert(tsr_graph_verify(graph, &error));
}
END_TEST

START_TEST(input_ranges)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 2));
    TsrValue *clip_in[] = {x, NULL, x}, *clip = NULL;
    TsrNode *concat = fixture_node(graph, "Concat", "c", VALUES(x, x, x), "axis=0")->producer;
    guint32 first = 9, count = 9;
    GError *error = NULL;
    ck_assert(tsr_node_input_range(concat, 0, &first, &count));
    ck_assert_uint_eq(first, 0);
    ck_assert_uint_eq(count, 3);
    ck_assert(!tsr_node_input_range(concat, 1, &first, &count));
    ck_assert(tsr_node_output_range(concat, 0, &first, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert(!tsr_node_output_range(concat, 1, &first, &count));
    ck_assert(tsr_build_node_full(graph, "Clip", "clip", clip_in, 3, NULL, &clip, 1, &error));
    ck_assert(!tsr_node_input_range(clip->producer, 1, &first, &count)); /* omitted */
    ck_assert(tsr_node_input_range(clip->producer, 2, &first, &count));
    ck_assert_uint_eq(first, 2);
}
END_TEST

START_TEST(replace_and_remove)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 3));
    TsrValue *y = fixture_node(graph, "Relu", "relu", VALUES(x), NULL);
    TsrValue *z = fixture_node(graph, "Add", "add", VALUES(y, y), NULL);
    GError *error = NULL;
    guint nodes = graph->nodes->len;
    tsr_build_output(graph, "y", y);
    tsr_build_output(graph, "z", z);
    tsr_value_replace_uses(y, x);
    ck_assert_uint_eq(y->users->len, 0);
    ck_assert_uint_eq(x->users->len, 3);
    ck_assert_ptr_eq(g_array_index(graph->outputs, TsrGraphOutput, 0).value, x);
    ck_assert(tsr_graph_verify(graph, &error));
    tsr_node_remove(y->producer);
    ck_assert_uint_eq(graph->nodes->len, nodes - 1);
    ck_assert_uint_eq(x->users->len, 2);
    ck_assert(tsr_graph_verify(graph, &error));
    /* Its name is free again. */
    ck_assert_ptr_nonnull(fixture_node(graph, "Relu", "relu", VALUES(x), NULL));
}
END_TEST

START_TEST(cycle)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2));
    TsrValue *a = fixture_node(graph, "Relu", "a", VALUES(x), NULL);
    TsrValue *b = fixture_node(graph, "Relu", "b", VALUES(a), NULL);
    GError *error = NULL;
    tsr_node_set_input(a->producer, 0, b);
    ck_assert_uint_eq(x->users->len, 0);
    ck_assert_ptr_null(tsr_graph_sort(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "cycle through Relu 'a'");
    ck_assert(!tsr_graph_verify(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "cycle");
}
END_TEST

START_TEST(control_edges)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2));
    TsrNode *a = fixture_node(graph, "Relu", "a", VALUES(x), NULL)->producer;
    TsrNode *b = fixture_node(graph, "Relu", "b", VALUES(x), NULL)->producer;
    g_autoptr(GPtrArray) order = NULL;
    GError *error = NULL;
    tsr_node_add_control_edge(b, a);
    tsr_node_add_control_edge(b, a); /* once is enough */
    ck_assert_uint_eq(a->control_inputs->len, 1);
    order = tsr_graph_sort(graph, &error);
    ck_assert_ptr_eq(g_ptr_array_index(order, 1), b);
    ck_assert_ptr_eq(g_ptr_array_index(order, 2), a);
    tsr_node_add_control_edge(a, b);
    ck_assert_ptr_null(tsr_graph_sort(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "cycle");
    tsr_node_remove(b); /* and with it every edge to it */
    ck_assert_uint_eq(a->control_inputs->len, 0);
    ck_assert(tsr_graph_verify(graph, &error));
}
END_TEST

START_TEST(verifier_finds_damage)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    g_autoptr(TsrGraph) other = tsr_graph_new(graph->registry, "other");
    TsrValue *x = fixture_input(graph, "x", SHAPE(2));
    TsrValue *foreign = fixture_input(other, "far", SHAPE(2));
    TsrValue *y = fixture_node(graph, "Relu", "y", VALUES(x), NULL);
    GError *error = NULL;
    g_ptr_array_add(x->users, y->producer);
    ck_assert(!tsr_graph_verify(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "as often as it reads");
    g_ptr_array_remove_index(x->users, 1);
    y->output_index = 1;
    ck_assert(!tsr_graph_verify(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "not the producer");
    y->output_index = 0;
    tsr_node_set_input(y->producer, 0, foreign);
    ck_assert(!tsr_graph_verify(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "does not enclose it");
    tsr_node_set_input(y->producer, 0, x);
    tsr_graph_add_output(graph, "o", foreign);
    ck_assert(!tsr_graph_verify(graph, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "output 'o'");
}
END_TEST

static void count_graphs(TsrGraph *graph, gpointer data)
{
    (void)graph;
    (*(guint *)data)++;
}

START_TEST(subgraphs_capture)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2));
    TsrValue *mid = fixture_node(graph, "Relu", "mid", VALUES(x), NULL);
    const TsrOpDef *def = tsr_op_registry_find(graph->registry, "", "If", 16);
    TsrGraph *branches[2];
    TsrAttrBox *attrs[2];
    TsrValue *condition;
    GError *error = NULL;
    TsrNode *node;
    guint graphs = 0;
    condition = tsr_build_input(graph, "c", TSR_DTYPE_BOOL, 0, NULL, &error);
    for (guint i = 0; i < 2; i++) {
        branches[i] = tsr_graph_new(graph->registry, i == 0 ? "then" : "else");
        tsr_build_output(branches[i], "o",
                         fixture_node(branches[i], i == 0 ? "Neg" : "Abs", "in", VALUES(mid),
                                      NULL));
        attrs[i] = tsr_attr_new_graph(i == 0 ? "then_branch" : "else_branch", i);
    }
    node = tsr_graph_add_node(graph, def, "if", VALUES(condition), 1, NULL, 1, attrs, 2, branches,
                              2, &error);
    ck_no_error(error);
    tsr_build_output(graph, "out", g_ptr_array_index(node->outputs, 0));
    for (guint i = 0; i < 2; i++) {
        tsr_graph_unref(branches[i]);
        tsr_attr_unref(attrs[i]);
    }
    ck_assert(tsr_value_is_captured(mid));
    ck_assert(!tsr_value_is_captured(x));
    ck_assert(tsr_graph_verify(graph, &error));
    tsr_graph_foreach(graph, count_graphs, &graphs);
    ck_assert_uint_eq(graphs, 3);
    {
        /* The If waits for what its branches read. */
        g_autoptr(GPtrArray) order = tsr_graph_sort(graph, &error);
        ck_assert_ptr_eq(g_ptr_array_index(order, order->len - 1), node);
    }
    g_free(g_array_index(graph->outputs, TsrGraphOutput, 0).name);
    g_array_set_size(graph->outputs, 0);
    tsr_node_remove(node);
    ck_assert_uint_eq(mid->users->len, 0);
    ck_assert(tsr_graph_verify(graph, &error));
}
END_TEST

/* A graph that somebody still holds survives the first unref. */
START_TEST(is_counted)
{
    TsrGraph *graph = fixture_graph();
    ck_assert_ptr_eq(tsr_graph_ref(graph), graph);
    tsr_graph_unref(graph);
    ck_assert_ptr_nonnull(fixture_input(graph, "x", SHAPE(1)));
    tsr_graph_unref(graph);
    tsr_graph_unref(NULL);
}
END_TEST

typedef struct AttrText {
    const char *text;
    const char *part; /* of the error; NULL: it is right */
} AttrText;

/* Attributes as the builder reads them. */
START_TEST(attribute_texts)
{
    static const AttrText rows[] = {
        {"xs=[\"a\", \"b\"] y=\"c\"", NULL},
        {"xs=[ \"a\\\"b\" ] zs=[] y=\"c\"", NULL},
        {"xs=[\"a\" y=\"c\"", "a quoted string wanted at 'y="},
        {"xs=[\"a\",", "']' wanted at ''"},
        {"xs=[\"a", "a closing quote wanted"},
        {"xs=[\"a\",1] y=\"c\"", "a quoted string wanted at '1]"},
        {"xs=[1,\"a\"] y=\"c\"", "a number wanted at '\"a\"]"},
        {"xs=[1", "']' wanted at ''"},
        {"xs=[1,2] y=\"c\"", "xs"},
        {"xs", "name=value wanted"},
        {"=1", "name=value wanted"},
        {"xs=", "a number wanted at ''"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TsrGraph) graph = fixture_graph();
        TsrValue *x = fixture_input(graph, "x", SHAPE(2)), *y = NULL;
        GError *error = NULL;
        y = tsr_build_node(graph, "ai.onnx.preview.training::Gradient", "g", VALUES(x),
                           rows[i].text, &error);
        if (rows[i].part == NULL) {
            ck_no_error(error);
            ck_assert_uint_eq(tsr_node_attr(y->producer, "xs")->count, i == 0 ? 2 : 1);
        } else {
            ck_assert_ptr_null(y);
            ck_error(error, TSR_INVALID_ARGUMENT, rows[i].part);
        }
    }
}
END_TEST

FIXTURE_MAIN("graph", users_and_order, names, constants, node_errors, output_names, input_ranges,
             replace_and_remove, cycle, control_edges, verifier_finds_damage, subgraphs_capture,
             is_counted, attribute_texts)
