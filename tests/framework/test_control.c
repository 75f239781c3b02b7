/* SPDX-License-Identifier: Apache-2.0
 *
 * test_control.c: If, Loop and Scan as jumps of one task list: the same bits as node by node and
 * no step of the host in a round; what stays on the host and why; branches that cannot run.
 */
#include "control_case.h"

static void check_networks(const ControlNetwork *networks, gsize count)
{
    control_open();
    for (guint i = 0; i < count; i++)
        control_check(control_build_network, (gpointer)&networks[i], networks[i].name,
                      networks[i].on_device);
    control_close();
}

START_TEST(same_bits_as_on_the_host)
{
    check_networks(control_networks, control_network_count);
}
END_TEST

START_TEST(loops_that_stack)
{
    check_networks(control_stacks, control_stack_count);
}
END_TEST

/* ------------------------------------------------------- what stays on the host */

static void stacks_what_nobody_knows(ModelMaker *maker, gpointer user)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x", "y,all", "l");
    (void)user;
    control_float(maker, body, "s");
    maker_node(maker, body, "Mul", "", "s,w", "t");
    control_outputs(maker, body, "lgo,t,s");
    control_outputs(maker, maker->graph, "y,all");
}

static void stacks_until(ModelMaker *maker, const char *inputs, const char *condition)
{
    Onnx__Graph *body;
    control_count(maker, "five", 5);
    body = control_loop(maker, maker->graph, inputs, "y,all", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Mul", "", "s,w", "t");
    maker_node(maker, body, "Less", "", "li,m1", "more");
    control_outputs(maker, body, condition);
    maker_output(maker, body, "t");
    maker_output(maker, body, "s");
    control_outputs(maker, maker->graph, "y,all");
}

static void stacks_while_true(ModelMaker *maker, gpointer user)
{
    (void)user;
    stacks_until(maker, "five,,x", "more");
}

static void stacks_if_at_all(ModelMaker *maker, gpointer user)
{
    (void)user;
    stacks_until(maker, "five,c0,x", "lgo");
}

/* The condition is the one that another node made, which the first round may not have had. */
static void stacks_while_another_is(ModelMaker *maker, gpointer user)
{
    (void)user;
    stacks_until(maker, "five,,x", "c0");
}

/* A condition of no element. */
static void stacks_by_nothing(ModelMaker *maker, gpointer user)
{
    const gint64 none = 0;
    (void)user;
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "empty", TSR_DTYPE_BOOL, 1, &none, "", 0));
    stacks_until(maker, "five,,x", "empty");
}

static void branches_of_two_shapes(ModelMaker *maker, gpointer user)
{
    Onnx__Graph *no, *yes = control_if(maker, maker->graph, "c0", "y", &no);
    (void)user;
    maker_node(maker, yes, "Add", "", "x,w", "a");
    control_outputs(maker, yes, "a");
    maker_node(maker, no, "Neg", "", "row", "b");
    control_outputs(maker, no, "b");
    control_outputs(maker, maker->graph, "y");
}

START_TEST(what_stays_on_the_host)
{
    static const struct {
        void (*build)(ModelMaker *maker, gpointer user);
        const char *reason;
    } cases[] = {
        {stacks_what_nobody_knows, "is known only"},
        {stacks_while_true, "is known only"},
        {stacks_if_at_all, "is known only"},
        {stacks_while_another_is, "is known only"},
        {stacks_by_nothing, "is known only"},
        {branches_of_two_shapes, "is known only at run time"},
    };
    control_open();
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(TsrGraph) graph = control_import(control_sessions[0], cases[i].build, NULL);
        g_autoptr(TsrModel) model = control_compile(control_sessions[0], graph, &control_forms[0]);
        g_autoptr(GPtrArray) got = control_run(model, 1, 3, 0);
        const TsrProgram *program = control_program(model);
        ck_assert(!program->is_sink);
        ck_assert_msg(strstr(program->why_not_sink, cases[i].reason) != NULL, "%s",
                      program->why_not_sink);
        ck_assert_uint_gt(got->len, 0);
    }
    control_close();
}
END_TEST

/* A branch whose shapes contradict what it captures says so when it is taken, and only then. */
static void contradiction(ModelMaker *maker, gpointer user)
{
    static const gint64 five[] = {5};
    static const float zeros[5];
    Onnx__Graph *no, *yes = control_if(maker, maker->graph, "c0", "y", &no);
    (void)user;
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "five", TSR_DTYPE_FLOAT, 1, five, zeros, sizeof(zeros)));
    maker_node(maker, yes, "Add", "", "x,w", "a");
    control_outputs(maker, yes, "a");
    maker_node(maker, no, "Add", "", "x,five", "b");
    control_outputs(maker, no, "b");
    control_outputs(maker, maker->graph, "y");
}

START_TEST(branch_that_cannot_run)
{
    static const gint64 row = CONTROL_COLUMNS, none = 0;
    control_open();
    for (guint s = 0; s < 2; s++) {
        g_autoptr(TsrGraph) graph = control_import(control_sessions[s], contradiction, NULL);
        g_autoptr(TsrModel) model = control_compile(control_sessions[s], graph, &control_forms[0]);
        g_autoptr(GPtrArray) got = NULL;
        const guint8 no = 0;
        TsrArray *inputs[8], *outputs[1] = {NULL};
        GError *error = NULL;
        ck_assert_msg(control_program(model)->is_sink, "%s", control_program(model)->why_not_sink);
        for (guint i = 0; i < 8; i++)
            inputs[i] = i < 3    ? fixture_array(NULL, 2, control_shape)
                        : i == 3 ? fixture_array(NULL, 1, &row)
                        : i < 6  ? tsr_array_create_from(TSR_DTYPE_BOOL, 0, NULL, &no, 1, NULL)
                                 : tsr_array_create_from(TSR_DTYPE_INT64, 0, NULL, &none, 8, NULL);
        ck_assert(!tsr_model_run(model, inputs, outputs, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, "graph 'else'");
        got = control_run(model, 1, 0, 0);
        for (guint i = 0; i < 8; i++)
            tsr_array_unref(inputs[i]);
    }
    control_close();
}
END_TEST

FIXTURE_MAIN("control", same_bits_as_on_the_host, loops_that_stack, what_stays_on_the_host,
             branch_that_cannot_run)
