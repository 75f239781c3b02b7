/* SPDX-License-Identifier: Apache-2.0
 *
 * test_chain.c: the pass nn_eltwise_chain: what may be a step, and graphs with one
 * condition broken, where nothing may change.
 */
#include "graph_case.h"

static TsrValue *x3(void) { return input(SHAPE(2, 5, 24)); }
static TsrValue *exp_of(TsrValue *x) { return NODE("Exp", NULL, x); }

static void unary(void)
{
    TsrValue *x = NODE("LeakyRelu", "alpha=0.3", NODE("Abs", NULL, NODE("Neg", NULL, x3())));
    output(NODE("Clip", NULL, NODE("Sqrt", NULL, x), number(0.2f), number(1.1f)));
}

static void numbers_left_and_right(void)
{
    TsrValue *x = NODE("Sub", NULL, number(3.0f), x3());
    x = NODE("Div", NULL, NODE("Mul", NULL, x, number(0.7f)), number(1.7f));
    output(NODE("Pow", NULL, number(2.0f), NODE("Max", NULL, number(-0.5f), x)));
}

static void vectors(void)
{
    TsrValue *x = NODE("Mul", NULL, x3(), weights(SHAPE(24)));
    output(NODE("Sub", NULL, weights(SHAPE(1, 1, 24)), x));
}

static void same_shapes(void)
{
    TsrValue *a = x3(), *b = x3(), *c = x3();
    output(NODE("Sub", NULL, c, NODE("Mul", NULL, a, b)));
}

static void broadcast(void)
{
    TsrValue *x = NODE("Add", NULL, x3(), weights(SHAPE(5, 1)));
    output(NODE("Mul", NULL, x, input(SHAPE(2, 1, 24))));
}

static void gate(void)
{
    TsrValue *x = x3();
    output(NODE("Mul", NULL, x, NODE("Sigmoid", NULL, x)));
}

static void square_first(void)
{
    TsrValue *x = x3();
    output(exp_of(NODE("Neg", NULL, NODE("Mul", NULL, x, x))));
}

/* Ten steps are one chain of eight and what is left. */
static void long_run(void)
{
    TsrValue *x = x3();
    for (int i = 0; i < 10; i++)
        x = NODE("Tanh", NULL, x);
    output(x);
}

/* Eight summands: six fit into the first chain. */
static void many_operands(void)
{
    TsrValue *x = x3();
    for (int i = 0; i < 8; i++)
        x = NODE("Add", NULL, x, weights(SHAPE(24)));
    output(x);
}

static void picture_numbers(void)
{
    TsrValue *x = NODE("Relu", NULL, NODE("Mul", NULL, input(SHAPE(2, 5, 6, 7)), number(0.6f)));
    output(NODE("Exp", NULL, x));
}

static void picture_channels(void)
{
    TsrValue *x = NODE("Mul", NULL, input(SHAPE(2, 5, 6, 7)), weights(SHAPE(5, 1, 1)));
    output(NODE("Exp", NULL, x));
}

static void enlarged(void)
{
    TsrValue *x = NODE("Exp", NULL, input(SHAPE(1, 5, 24)));
    output(NODE("Mul", NULL, x, weights(SHAPE(3, 1, 1))));
}

static void raised(void) { output(NODE("Mul", NULL, exp_of(x3()), shaped(2.0f, 5))); }

static void shown(void)
{
    TsrValue *x = exp_of(x3());
    output(x);
    output(NODE("Neg", NULL, x));
}

static void read_twice(void)
{
    TsrValue *x = exp_of(x3());
    output(NODE("Transpose", NULL, x));
    output(NODE("Neg", NULL, x));
}

static void read_twice_by_one(void)
{
    TsrValue *x = exp_of(x3());
    output(NODE("Mul", NULL, x, x));
}

static void integers(void)
{
    TsrValue *x = NODE("Cast", "to=6", x3());
    output(NODE("Neg", NULL, NODE("Abs", NULL, x)));
}

static void open_bounds(void)
{
    TsrValue *low = NODE("ReduceMin", "keepdims=0", input(SHAPE(1, 24)));
    output(NODE("Clip", NULL, exp_of(x3()), low));
}

static const GraphCase cases[] = {
    {"unary", unary, "nn.Chain", 1},
    {"numbers_left_and_right", numbers_left_and_right, "nn.Chain", 1},
    {"vectors", vectors, "nn.Chain", 1},
    {"same_shapes", same_shapes, "nn.Chain", 1, "Mul Sub"},
    {"broadcast", broadcast, "nn.Chain", 1, "Add Mul"},
    {"gate", gate, "nn.Chain", 1, "Mul Sigmoid"},
    {"square_first", square_first, "nn.Chain", 1, "Mul nn.Chain"},
    {"long_run", long_run, "nn.Chain nn.Chain", 1},
    {"many_operands", many_operands, "nn.Chain nn.Chain", 1},
    {"picture_numbers", picture_numbers, "nn.Chain", 1},
    {"picture_channels", picture_channels, "Exp Mul", 1},
    {"enlarged", enlarged, "Exp Mul", 1},
    {"raised", raised, "Exp Mul", 1},
    {"shown", shown, "Exp Neg", 1},
    {"read_twice", read_twice, "Exp Neg Transpose", 1},
    {"read_twice_by_one", read_twice_by_one, "Exp Mul", 1},
    {"integers", integers, "Abs Cast Neg", 1},
    {"open_bounds", open_bounds, "Clip Exp ReduceMin", 1},
};

START_TEST(becomes) { ck_case(&cases[_i]); }
END_TEST

int main(void)
{
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    return check_main("nn_chain", tests);
}
