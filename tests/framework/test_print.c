/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print.c: the text and the drawing of a graph.
 */
#include "fixture.h"

START_TEST(text_has_every_part)
{
    static const char *const parts[] = {
        "graph \"test\" {\n", "x: float[1,3,8,8] = data\n", "w: float[4,3,3,3] = constant\n",
        " = Conv(x, w) {", "pads=[1,1,1,1]", "auto_pad=\"VALID\"", "\"conv\"", " on some_engine",
        " = Clip(", ", _, ", " after \"conv\"", "output out = ",
    };
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 3, 8, 8));
    TsrValue *w = fixture_constant(graph, "w", SHAPE(4, 3, 3, 3));
    TsrValue *hi = fixture_constant(graph, "hi", 0, NULL);
    TsrValue *y = fixture_node(graph, "Conv", "conv", VALUES(x, w),
                               "pads=[1,1,1,1] auto_pad=\"VALID\"");
    TsrValue *clip_in[] = {y, NULL, hi}, *clip = NULL;
    g_autofree char *text = NULL;
    g_autofree char *again = NULL;
    GError *error = NULL;
    ck_assert(tsr_build_node_full(graph, "Clip", "clip", clip_in, 3, NULL, &clip, 1, &error));
    y->producer->engine = g_intern_string("some_engine");
    tsr_node_add_control_edge(y->producer, clip->producer);
    tsr_build_output(graph, "out", clip);
    text = tsr_graph_to_text(graph);
    again = tsr_graph_to_text(graph);
    ck_assert_str_eq(text, again);
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no '%s' in:\n%s", parts[i], text);
}
END_TEST

START_TEST(dot_is_balanced)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "odd \"name\"\n", SHAPE(2));
    TsrValue *y = fixture_node(graph, "Relu", "relu", VALUES(x), NULL);
    g_autofree char *dot = NULL;
    int depth = 0;
    tsr_build_output(graph, "y", y);
    dot = tsr_graph_to_dot(graph);
    ck_assert(g_str_has_prefix(dot, "digraph"));
    ck_assert_ptr_nonnull(strstr(dot, "Relu"));
    ck_assert_ptr_nonnull(strstr(dot, "->"));
    ck_assert_ptr_nonnull(strstr(dot, "odd \\\"name\\\""));
    for (const char *at = dot; *at != '\0'; at++)
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    ck_assert_int_eq(depth, 0);
}
END_TEST

/* A damaged graph can still be printed: that is when one wants to. */
START_TEST(cycle_does_not_hang)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2));
    TsrValue *a = fixture_node(graph, "Relu", "a", VALUES(x), NULL);
    TsrValue *b = fixture_node(graph, "Relu", "b", VALUES(a), NULL);
    g_autofree char *text = NULL;
    tsr_node_set_input(a->producer, 0, b);
    text = tsr_graph_to_text(graph);
    ck_assert(g_str_has_prefix(text, "graph \"test\" {"));
}
END_TEST

FIXTURE_MAIN("print", text_has_every_part, dot_is_balanced, cycle_does_not_hang)
