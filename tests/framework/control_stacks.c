/* SPDX-License-Identifier: Apache-2.0
 *
 * control_stacks.c: see control_case.h: loops that stack what their bodies give, whose number of
 * rounds is known before they run: one for each way to know it and each kind of value to stack.
 */
#include "control_case.h"

/* A result, the state as it was, and a value that is not the body's own. */
static void three_rounds(ModelMaker *maker)
{
    Onnx__Graph *body;
    control_count(maker, "three", 3);
    body = control_loop(maker, maker->graph, "three,,x", "y,all,old,same", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Mul", "", "s,w", "t");
    maker_node(maker, body, "Add", "", "t,x", "u");
    control_outputs(maker, body, "lgo,u,u,s,v");
    maker_node(maker, maker->graph, "Add", "", "all,old", "sum");
    control_outputs(maker, maker->graph, "y,sum,all,same");
}

/* The count, the condition and a constant, through a condition that is true and handed on. */
static void count_and_condition(ModelMaker *maker)
{
    static const gint64 row[] = {CONTROL_COLUMNS};
    static const float ones[CONTROL_COLUMNS] = {1.0f, 2.0f};
    Onnx__Graph *body;
    control_count(maker, "four", 4);
    control_truth(maker, "yes", TRUE);
    maker_initializer(maker, maker->graph, maker_tensor(maker, "ones", TSR_DTYPE_FLOAT, 1, row,
                                                        ones, sizeof(ones)));
    body = control_loop(maker, maker->graph, "four,yes", "counts,goes,rows", "l");
    control_outputs(maker, body, "lgo,li,lgo,ones");
    control_outputs(maker, maker->graph, "counts,goes,rows");
}

static void rounds(ModelMaker *maker, gint64 count, const char *inputs, const char *condition)
{
    Onnx__Graph *body;
    control_count(maker, "count", count);
    control_truth(maker, "yes", TRUE);
    control_truth(maker, "no", FALSE);
    body = control_loop(maker, maker->graph, inputs, "y,all", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Sub", "", "s,w", "t");
    maker_node(maker, body, "Less", "", "li,m1", "more");
    control_outputs(maker, body, condition);
    maker_output(maker, body, "t");
    maker_output(maker, body, "t");
    control_outputs(maker, maker->graph, "y,all");
}

static void no_round(ModelMaker *maker)
{
    rounds(maker, 0, "count,,x", "lgo");
}

static void less_than_none(ModelMaker *maker)
{
    rounds(maker, -3, "count,c0,x", "more");
}

static void false_from_the_start(ModelMaker *maker)
{
    rounds(maker, 7, "m0,no,x", "yes");
}

static void once_by_count(ModelMaker *maker)
{
    rounds(maker, 1, "count,yes,x", "more");
}

static void once_by_condition(ModelMaker *maker)
{
    rounds(maker, 9, "count,,x", "no");
}

static void once_without_a_count(ModelMaker *maker)
{
    rounds(maker, 9, ",yes,x", "no");
}

static void always_true(ModelMaker *maker)
{
    rounds(maker, 2, "count,yes,x", "yes");
}

/* What the count and the conditions are follows from constants only when those are folded. */
static void folded(ModelMaker *maker)
{
    Onnx__Graph *body;
    control_count(maker, "two", 2);
    control_truth(maker, "no", FALSE);
    maker_node(maker, maker->graph, "Add", "", "two,two", "four");
    maker_node(maker, maker->graph, "Not", "", "no", "yes");
    body = control_loop(maker, maker->graph, "four,yes,x", "y,all", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Tanh", "", "s", "t");
    maker_node(maker, body, "Not", "", "no", "on");
    control_outputs(maker, body, "on,t,t");
    control_outputs(maker, maker->graph, "y,all");
}

/* The condition as exporters hand it on. */
static void through_casts(ModelMaker *maker)
{
    Onnx__Graph *body;
    control_count(maker, "five", 5);
    body = control_loop(maker, maker->graph, "five,,x", "y,all", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Relu", "", "s", "t");
    maker_node(maker, body, "Add", "", "t,v", "u");
    maker_node(maker, body, "Identity", "", "lgo", "same");
    control_int(maker, maker_node(maker, body, "Cast", "", "same", "cast"), "to", TSR_DTYPE_BOOL);
    control_outputs(maker, body, "cast,u,u");
    control_outputs(maker, maker->graph, "all,y");
}

/* Nobody wants the first stack. */
static void second_only(ModelMaker *maker)
{
    Onnx__Graph *body;
    control_count(maker, "three", 3);
    body = control_loop(maker, maker->graph, "three,,x", "y,,all", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Mul", "", "s,w", "t");
    control_outputs(maker, body, "lgo,t,s,t");
    control_outputs(maker, maker->graph, "all,y");
}

/* A loop that stacks in one that stacks, in one that does not know its rounds, and a branch. */
static void nested(ModelMaker *maker)
{
    static const gint64 shape[] = {2, 3, CONTROL_ROWS, CONTROL_COLUMNS};
    static const float zeros[6 * CONTROL_ROWS * CONTROL_COLUMNS];
    Onnx__Graph *outer, *mid, *inner, *yes, *no;
    maker_initializer(maker, maker->graph, maker_tensor(maker, "sixes", TSR_DTYPE_FLOAT, 4, shape,
                                                        zeros, sizeof(zeros)));
    control_count(maker, "two", 2);
    control_count(maker, "three", 3);
    outer = control_loop(maker, maker->graph, "m0,c0,x,sixes", "y,last", "k");
    control_float(maker, outer, "s");
    maker_input(maker, outer, "before", TSR_DTYPE_FLOAT, 4, shape);
    mid = control_loop(maker, outer, "two,,s", "a,stacks", "l");
    control_float(maker, mid, "t");
    inner = control_loop(maker, mid, "three,,t", "b,stack", "m");
    control_float(maker, inner, "u");
    yes = control_if(maker, inner, "c1", "h", &no);
    maker_node(maker, yes, "Add", "", "u,w", "j");
    control_outputs(maker, yes, "j");
    maker_node(maker, no, "Sub", "", "u,s", "j2");
    control_outputs(maker, no, "j2");
    control_outputs(maker, inner, "mgo,h,u");
    control_outputs(maker, mid, "lgo,b,stack");
    maker_node(maker, outer, "Sub", "", "stacks,before", "less");
    control_outputs(maker, outer, "kgo,a,less");
    control_outputs(maker, maker->graph, "y,last");
}

const ControlNetwork control_stacks[] = {
    {"three_rounds", three_rounds, TRUE},
    {"count_and_condition", count_and_condition, TRUE},
    {"no_round", no_round, FALSE},
    {"less_than_none", less_than_none, FALSE},
    {"false_from_the_start", false_from_the_start, FALSE},
    {"once_by_count", once_by_count, FALSE},
    {"once_by_condition", once_by_condition, FALSE},
    {"once_without_a_count", once_without_a_count, FALSE},
    {"always_true", always_true, FALSE},
    {"folded", folded, TRUE},
    {"through_casts", through_casts, TRUE},
    {"second_only", second_only, TRUE},
    {"nested", nested, TRUE},
};
const gsize control_stack_count = G_N_ELEMENTS(control_stacks);
