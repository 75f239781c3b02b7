/* SPDX-License-Identifier: Apache-2.0
 *
 * test_control_parts.c: control flow of graphs that are known in parts only: a node with
 * subgraphs is part of a task list where it and all that it reads are known, and the results
 * are those of the host, also behind values whose size data settled.
 */
#include "control_case.h"

static void check_networks(const ControlNetwork *networks, gsize count)
{
    control_open();
    for (guint i = 0; i < count; i++) {
        const guint left = control_check_mixed(control_build_network, (gpointer)&networks[i],
                                               networks[i].name);
        ck_assert_msg(left == 0, "%s: %u nodes stayed with the host", networks[i].name, left);
    }
    control_close();
}

START_TEST(every_network)
{
    check_networks(control_networks, control_network_count);
}
END_TEST

START_TEST(every_stack)
{
    check_networks(control_stacks, control_stack_count);
}
END_TEST

/* What is above 0 in x, whose size is known only then, and their sum, whose size is known. */
static void add_unknown(ModelMaker *maker)
{
    const gint64 all = CONTROL_ROWS * CONTROL_COLUMNS, one = 1;
    static const float zero[1];
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "zero", TSR_DTYPE_FLOAT, 1, &one, zero, sizeof(zero)));
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "flat", TSR_DTYPE_INT64, 1, &one, &all, sizeof(all)));
    maker_node(maker, maker->graph, "Reshape", "", "x,flat", "xs");
    maker_node(maker, maker->graph, "Greater", "", "xs,zero", "above");
    control_int(maker, maker_node(maker, maker->graph, "Compress", "", "xs,above", "some"), "axis",
                0);
    control_int(maker, maker_node(maker, maker->graph, "ReduceMax", "", "some", "most"),
                "keepdims", 0);
}

/* A loop before it, and one behind it that captures both. */
static void around_the_unknown(ModelMaker *maker)
{
    Onnx__Graph *body;
    add_unknown(maker);
    body = control_loop(maker, maker->graph, "m0,,w", "before", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Add", "", "s,x", "t");
    control_outputs(maker, body, "lgo,t");
    body = control_loop(maker, maker->graph, "m1,c0,before", "behind", "k");
    control_float(maker, body, "a");
    maker_node(maker, body, "Mul", "", "a,most", "b");
    maker_node(maker, body, "Sub", "", "b,before", "c");
    control_outputs(maker, body, "kgo,c");
    control_outputs(maker, maker->graph, "before,behind,some");
}

/* All of its results are known, but not what its body captures. */
static void captures_the_unknown(ModelMaker *maker)
{
    Onnx__Graph *body;
    add_unknown(maker);
    body = control_loop(maker, maker->graph, "m0,,w", "y", "l");
    control_float(maker, body, "s");
    control_int(maker, maker_node(maker, body, "ReduceMin", "", "some", "least"), "keepdims", 0);
    maker_node(maker, body, "Mul", "", "s,least", "t");
    control_outputs(maker, body, "lgo,t");
    control_outputs(maker, maker->graph, "y");
}

/* A branch of little is no reason for a call. */
static void small_branch(ModelMaker *maker)
{
    Onnx__Graph *no, *yes = control_if(maker, maker->graph, "c0", "y", &no);
    maker_node(maker, yes, "Add", "", "x,w", "a");
    control_outputs(maker, yes, "a");
    control_outputs(maker, no, "v");
    control_outputs(maker, maker->graph, "y");
}

START_TEST(what_is_around_it)
{
    static const struct {
        ControlNetwork network;
        guint left;
    } cases[] = {
        {{"around_the_unknown", around_the_unknown, FALSE}, 0},
        {{"captures_the_unknown", captures_the_unknown, FALSE}, 1},
        {{"small_branch", small_branch, FALSE}, 1},
    };
    control_open();
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        ck_assert_uint_eq(control_check_mixed(control_build_network, (gpointer)&cases[i].network,
                                              cases[i].network.name), cases[i].left);
    control_close();
}
END_TEST

FIXTURE_MAIN("control_parts", every_network, every_stack, what_is_around_it)
