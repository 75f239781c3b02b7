/* SPDX-License-Identifier: Apache-2.0
 *
 * control_networks.c: see control_case.h: one network for each way in which a body and what is
 * around it can share values.
 */
#include "control_case.h"

static void two_results(ModelMaker *maker)
{
    Onnx__Graph *no, *yes = control_if(maker, maker->graph, "c0", "y,z", &no);
    maker_node(maker, yes, "Add", "", "x,w", "a");
    maker_node(maker, yes, "Mul", "", "a,x", "b");
    control_outputs(maker, yes, "b,a");
    maker_node(maker, no, "Sub", "", "x,w", "d");
    control_outputs(maker, no, "d,x"); /* one is a value of the graph around it */
    maker_node(maker, maker->graph, "Add", "", "y,z", "out");
    control_outputs(maker, maker->graph, "out,y");
}

static void branch_in_branch(ModelMaker *maker)
{
    Onnx__Graph *no, *yes = control_if(maker, maker->graph, "c0", "y", &no), *other, *inner;
    maker_node(maker, yes, "Mul", "", "x,w", "a");
    inner = control_if(maker, yes, "c1", "b", &other);
    maker_node(maker, inner, "Add", "", "a,x", "e");
    control_outputs(maker, inner, "e");
    maker_node(maker, other, "Sub", "", "a,x", "f");
    control_outputs(maker, other, "f");
    maker_node(maker, yes, "Mul", "", "b,a", "g");
    control_outputs(maker, yes, "g");
    maker_node(maker, no, "Relu", "", "x", "h");
    control_outputs(maker, no, "h");
    control_outputs(maker, maker->graph, "y");
}

static void counted(ModelMaker *maker)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x", "y", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Mul", "", "s,w", "t");
    maker_node(maker, body, "Add", "", "t,x", "u");
    control_outputs(maker, body, "lgo,u");
    maker_node(maker, maker->graph, "Add", "", "y,w", "out");
    control_outputs(maker, maker->graph, "out");
}

/* Ends by its own condition, which is there before the first round as well. */
static void by_condition(ModelMaker *maker)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, ",c0,x", "y", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Add", "", "s,w", "t");
    maker_node(maker, body, "Less", "", "li,m1", "more");
    control_outputs(maker, body, "more,t");
    control_outputs(maker, maker->graph, "y");
}

static void states_turn(ModelMaker *maker)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,c0,x,w,v,v", "p,q,r,t", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "b");
    control_float(maker, body, "c");
    control_float(maker, body, "d");
    maker_node(maker, body, "Add", "", "a,b", "sum");
    control_outputs(maker, body, "lgo,b,c,a,sum");
    control_outputs(maker, maker->graph, "p,q,r,t");
}

static void state_that_stays(ModelMaker *maker)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,c0,x,w", "p,q", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "k");
    maker_node(maker, body, "Mul", "", "a,k", "t");
    maker_node(maker, body, "Sub", "", "t,v", "u");
    control_outputs(maker, body, "lgo,u,k");
    control_outputs(maker, maker->graph, "p,q");
}

/* Parts of a state change places, without a task for the Split, and a view is the other. */
static void views(ModelMaker *maker)
{
    static const gint64 half[] = {2, 1, 2, CONTROL_COLUMNS}, four = 4;
    static const gint64 whole[] = {CONTROL_ROWS, CONTROL_COLUMNS}, two = 2;
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x,w", "p,q", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "b");
    maker_initializer(maker, maker->graph, maker_tensor(maker, "half", TSR_DTYPE_INT64, 1, &four,
                                                        half, sizeof(half)));
    maker_initializer(maker, maker->graph, maker_tensor(maker, "whole", TSR_DTYPE_INT64, 1, &two,
                                                        whole, sizeof(whole)));
    control_int(maker, maker_node(maker, body, "Split", "", "a", "up,down"), "axis", 0);
    control_int(maker, maker_node(maker, body, "Concat", "", "down,up", "turned"), "axis", 0);
    maker_node(maker, body, "Reshape", "", "b,half", "r");
    maker_node(maker, body, "Reshape", "", "r,whole", "same");
    maker_node(maker, body, "Add", "", "turned,same", "next");
    control_outputs(maker, body, "lgo,same,next");
    control_outputs(maker, maker->graph, "p,q");
}

/* What a body hands on need not be its own: a value around it, a constant, the count. */
static void handed_on(ModelMaker *maker)
{
    static const float one[CONTROL_ROWS * CONTROL_COLUMNS] = {1.0f};
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x,w,m1", "p,q,n", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "b");
    maker_input(maker, body, "k", TSR_DTYPE_INT64, 0, NULL);
    maker_initializer(maker, maker->graph, maker_tensor(maker, "one", TSR_DTYPE_FLOAT, 2,
                                                        control_shape, one, sizeof(one)));
    control_outputs(maker, body, "lgo,v,one,li");
    control_outputs(maker, maker->graph, "p,q,n");
}

static void loop_in_loop(ModelMaker *maker)
{
    Onnx__Graph *outer = control_loop(maker, maker->graph, "m0,c0,x", "y", "l"), *inner, *yes, *no;
    control_float(maker, outer, "s");
    maker_node(maker, outer, "Add", "", "s,w", "t");
    inner = control_loop(maker, outer, "m1,,t,s", "u,unused", "k");
    control_float(maker, inner, "e");
    control_float(maker, inner, "f");
    maker_node(maker, inner, "Mul", "", "e,v", "g");
    yes = control_if(maker, inner, "c1", "h", &no);
    maker_node(maker, yes, "Add", "", "g,s", "j");
    control_outputs(maker, yes, "j");
    maker_node(maker, no, "Sub", "", "f,g", "j2");
    control_outputs(maker, no, "j2");
    control_outputs(maker, inner, "kgo,h,e");
    maker_node(maker, outer, "Add", "", "u,t", "r");
    control_outputs(maker, outer, "lgo,r");
    control_outputs(maker, maker->graph, "y");
}

/* Parts along both axes, one from the end; results stacked along an inner axis backwards. */
static void scan(ModelMaker *maker)
{
    static const gint64 row[] = {CONTROL_COLUMNS}, in_axes[] = {0, 0}, in_ways[] = {0, 1};
    static const gint64 out_axes[] = {1, 0}, out_ways[] = {1, 0};
    Onnx__Node *node;
    Onnx__Graph *body;
    maker_node(maker, maker->graph, "Neg", "", "row", "first");
    body = control_scan(maker, maker->graph, "first,x,w", "last,y,z", 2, &node);
    control_ints(maker, node, "scan_input_axes", 2, in_axes);
    control_ints(maker, node, "scan_input_directions", 2, in_ways);
    control_ints(maker, node, "scan_output_axes", 2, out_axes);
    control_ints(maker, node, "scan_output_directions", 2, out_ways);
    maker_input(maker, body, "s", TSR_DTYPE_FLOAT, 1, row);
    maker_input(maker, body, "p", TSR_DTYPE_FLOAT, 1, row);
    maker_input(maker, body, "q", TSR_DTYPE_FLOAT, 1, row);
    maker_node(maker, body, "Mul", "", "s,p", "t");
    maker_node(maker, body, "Add", "", "t,q", "u");
    maker_node(maker, body, "Sub", "", "u,row", "o");
    control_outputs(maker, body, "u,o,p");
    control_outputs(maker, maker->graph, "last,y,z");
}

/* Columns: each part is rows of 4 bytes. */
static void scan_columns(ModelMaker *maker)
{
    static const gint64 column[] = {CONTROL_ROWS}, one = 1;
    Onnx__Node *node;
    Onnx__Graph *body = control_scan(maker, maker->graph, "x", "y", 1, &node);
    control_ints(maker, node, "scan_input_axes", 1, &one);
    control_ints(maker, node, "scan_output_axes", 1, &one);
    maker_input(maker, body, "p", TSR_DTYPE_FLOAT, 1, column);
    maker_node(maker, body, "Mul", "", "p,p", "o");
    control_outputs(maker, body, "o");
    control_outputs(maker, maker->graph, "y");
}

static void loop_in_scan_in_loop(ModelMaker *maker)
{
    static const gint64 row[] = {CONTROL_COLUMNS};
    Onnx__Graph *outer = control_loop(maker, maker->graph, "m0,,x,row", "y,r", "l"), *mid, *inner;
    control_float(maker, outer, "s");
    maker_input(maker, outer, "a", TSR_DTYPE_FLOAT, 1, row);
    mid = control_scan(maker, outer, "a,s,w", "b,t", 2, NULL);
    maker_input(maker, mid, "c", TSR_DTYPE_FLOAT, 1, row);
    maker_input(maker, mid, "p", TSR_DTYPE_FLOAT, 1, row);
    maker_input(maker, mid, "q", TSR_DTYPE_FLOAT, 1, row);
    inner = control_loop(maker, mid, "m1,,p", "u", "k");
    maker_input(maker, inner, "e", TSR_DTYPE_FLOAT, 1, row);
    maker_node(maker, inner, "Sub", "", "e,c", "f");
    control_outputs(maker, inner, "kgo,f");
    maker_node(maker, mid, "Add", "", "u,q", "g");
    control_outputs(maker, mid, "q,g");
    control_outputs(maker, outer, "lgo,t,b");
    control_outputs(maker, maker->graph, "y,r");
}

const ControlNetwork control_networks[] = {
    {"two_results", two_results, TRUE},
    {"branch_in_branch", branch_in_branch, TRUE},
    {"counted", counted, TRUE},
    {"by_condition", by_condition, FALSE},
    {"states_turn", states_turn, TRUE},
    {"state_that_stays", state_that_stays, TRUE},
    {"views", views, TRUE},
    {"handed_on", handed_on, TRUE},
    {"loop_in_loop", loop_in_loop, TRUE},
    {"scan", scan, FALSE},
    {"scan_columns", scan_columns, TRUE},
    {"loop_in_scan_in_loop", loop_in_scan_in_loop, TRUE},
};
const gsize control_network_count = G_N_ELEMENTS(control_networks);
