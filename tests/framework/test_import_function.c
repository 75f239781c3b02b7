/* SPDX-License-Identifier: Apache-2.0
 *
 * test_import_function.c: functions that a model defines itself become nodes: names,
 * attributes that refer to those of the call, defaults, calls within calls, and what is
 * wrong with one. Source: ONNX IR.md, model-local functions.
 */
#include <string.h>

#include "fixture.h"
#include "model_maker.h"
#include "onnx/import.h"

/* An array of pointers with room for one more. */
static gpointer grow(ModelMaker *maker, gpointer old, gsize count)
{
    gpointer *array = maker_keep(maker, g_new0(gpointer, count + 1));
    if (count != 0)
        memcpy(array, old, count * sizeof(*array));
    return array;
}

/* A function of domain "my"; lists with commas. Its nodes are added by the caller. */
static Onnx__Function *add_function(ModelMaker *maker, const char *name, const char *inputs,
                                    const char *outputs, const char *attrs)
{
    Onnx__Function *function = maker_keep(maker, g_new(Onnx__Function, 1));
    Onnx__OperatorSetId *ids = maker_keep(maker, g_new(Onnx__OperatorSetId, 2));
    char **input_list = g_strsplit(inputs, ",", -1), **output_list = g_strsplit(outputs, ",", -1);
    char **attr_list = g_strsplit(attrs, ",", -1);
    onnx__function__init(function);
    function->name = maker_keep(maker, g_strdup(name));
    function->domain = maker_keep(maker, g_strdup("my"));
    function->input = maker_keep(maker, input_list);
    function->output = maker_keep(maker, output_list);
    function->attribute = maker_keep(maker, attr_list);
    for (guint i = 0; input_list[i] != NULL; i++)
        maker_keep(maker, input_list[i]);
    for (guint i = 0; output_list[i] != NULL; i++)
        maker_keep(maker, output_list[i]);
    for (guint i = 0; attr_list[i] != NULL; i++)
        maker_keep(maker, attr_list[i]);
    function->n_input = g_strv_length(input_list);
    function->n_output = g_strv_length(output_list);
    function->n_attribute = g_strv_length(attr_list);
    function->opset_import = maker_keep(maker, g_new(Onnx__OperatorSetId *, 2));
    for (guint i = 0; i < 2; i++) {
        onnx__operator_set_id__init(&ids[i]);
        ids[i].domain = maker_keep(maker, g_strdup(i == 0 ? "" : "my"));
        ids[i].has_version = 1;
        ids[i].version = i == 0 ? 17 : 1;
        function->opset_import[i] = &ids[i];
    }
    function->n_opset_import = 2;
    maker->model.functions =
        grow(maker, maker->model.functions, maker->model.n_functions);
    maker->model.functions[maker->model.n_functions++] = function;
    return function;
}

/* Makes a node of the main graph the next node of the function instead. */
static Onnx__Node *move_node(ModelMaker *maker, Onnx__Function *function, Onnx__Node *node)
{
    maker->graph->n_node--;
    function->node = grow(maker, function->node, function->n_node);
    function->node[function->n_node++] = node;
    return node;
}

static void refer(ModelMaker *maker, Onnx__Node *node, const char *name, const char *to,
                  gint32 type)
{
    maker_attr(maker, node, name, type)->ref_attr_name = maker_keep(maker, g_strdup(to));
}

static Onnx__Node *call(ModelMaker *maker, const char *op, const char *name, const char *inputs,
                        const char *outputs)
{
    Onnx__Node *node = maker_node(maker, maker->graph, op, name, inputs, outputs);
    node->domain = maker_keep(maker, g_strdup("my"));
    return node;
}

static const gint64 shape3[] = {3};

/* Leaky(x; slope) = LeakyRelu(x; alpha = slope) + x, called twice. */
static ModelMaker *leaky_model(void)
{
    ModelMaker *maker = maker_new();
    Onnx__Function *leaky;
    Onnx__Node *node;
    maker_opset(maker, "my", 1);
    maker_input(maker, maker->graph, "a", TSR_DTYPE_FLOAT, 1, shape3);
    leaky = add_function(maker, "Leaky", "x", "y", "slope");
    node = move_node(maker, leaky, maker_node(maker, maker->graph, "LeakyRelu", "n", "x", "t"));
    refer(maker, node, "alpha", "slope", TSR_ATTR_FLOAT);
    move_node(maker, leaky, maker_node(maker, maker->graph, "Add", "m", "t,x", "y"));
    return maker;
}

static void set_slope(ModelMaker *maker, Onnx__Node *node, float slope)
{
    Onnx__Attribute *attr = maker_attr(maker, node, "slope", TSR_ATTR_FLOAT);
    attr->has_f = 1;
    attr->f = slope;
}

static TsrGraph *import(ModelMaker *maker, GError **error)
{
    g_autoptr(GBytes) bytes = maker_pack(maker);
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    gsize size;
    const guint8 *data = g_bytes_get_data(bytes, &size);
    return tsr_onnx_import_data(registry, data, size, NULL, error);
}

static guint count_ops(const TsrGraph *graph, const char *op)
{
    guint count = 0;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        count += node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, op) == 0;
    }
    return count;
}

START_TEST(two_calls)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    float slopes[2];
    guint found = 0;
    set_slope(maker, call(maker, "Leaky", "first", "a", "t"), 0.5f);
    set_slope(maker, call(maker, "Leaky", "second", "t", "y"), 0.25f);
    maker_output(maker, maker->graph, "y");
    graph = import(maker, &error);
    ck_assert_msg(graph != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(count_ops(graph, "LeakyRelu"), 2);
    ck_assert_uint_eq(count_ops(graph, "Add"), 2);
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, "LeakyRelu") == 0)
            slopes[found++] = tsr_node_attr(node, "alpha")->f;
    }
    ck_assert_float_eq(slopes[0], 0.5f);
    ck_assert_float_eq(slopes[1], 0.25f);
    /* The caller's name for what the call gives is the value's. */
    ck_assert_str_eq(g_array_index(graph->outputs, TsrGraphOutput, 0).value->name, "y");
}
END_TEST

START_TEST(missing_attribute)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    call(maker, "Leaky", "first", "a", "y");
    maker_output(maker, maker->graph, "y");
    ck_assert_ptr_null(import(maker, &error));
    ck_assert(g_error_matches(error, TSR_ERROR, TSR_INVALID_ARGUMENT));
    ck_assert_msg(strstr(error->message, "'slope'") != NULL, "%s", error->message);
}
END_TEST

START_TEST(default_of_the_function)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    Onnx__Function *leaky = maker->model.functions[0];
    Onnx__Attribute *attr = maker_keep(maker, g_new(Onnx__Attribute, 1));
    onnx__attribute__init(attr);
    attr->name = maker_keep(maker, g_strdup("slope"));
    attr->has_type = 1;
    attr->type = TSR_ATTR_FLOAT;
    attr->has_f = 1;
    attr->f = 0.125f;
    leaky->n_attribute = 0;
    leaky->attribute_proto = maker_keep(maker, g_memdup2(&attr, sizeof(attr)));
    leaky->n_attribute_proto = 1;
    call(maker, "Leaky", "first", "a", "y");
    maker_output(maker, maker->graph, "y");
    graph = import(maker, &error);
    ck_assert_msg(graph != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, "LeakyRelu") == 0)
            ck_assert_float_eq(tsr_node_attr(node, "alpha")->f, 0.125f);
    }
}
END_TEST

START_TEST(call_within_a_call)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    Onnx__Function *outer = add_function(maker, "Outer", "x", "y", "slope");
    Onnx__Node *inner = move_node(maker, outer, call(maker, "Leaky", "inner", "x", "t"));
    refer(maker, inner, "slope", "slope", TSR_ATTR_FLOAT);
    move_node(maker, outer, maker_node(maker, maker->graph, "Neg", "neg", "t", "y"));
    set_slope(maker, call(maker, "Outer", "o", "a", "t"), 0.5f);
    set_slope(maker, call(maker, "Outer", "p", "t", "y"), 0.75f);
    maker_output(maker, maker->graph, "y");
    graph = import(maker, &error);
    ck_assert_msg(graph != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(count_ops(graph, "LeakyRelu"), 2);
    ck_assert_uint_eq(count_ops(graph, "Neg"), 2);
}
END_TEST

START_TEST(function_that_calls_itself)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    Onnx__Function *endless = add_function(maker, "Endless", "x", "y", "");
    endless->n_attribute = 0;
    move_node(maker, endless, call(maker, "Endless", "again", "x", "y"));
    call(maker, "Endless", "e", "a", "y");
    maker_output(maker, maker->graph, "y");
    ck_assert_ptr_null(import(maker, &error));
    ck_assert_msg(strstr(error->message, "deep") != NULL, "%s", error->message);
}
END_TEST

START_TEST(too_many_inputs)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    set_slope(maker, call(maker, "Leaky", "first", "a,a", "y"), 0.5f);
    maker_output(maker, maker->graph, "y");
    ck_assert_ptr_null(import(maker, &error));
    ck_assert_msg(strstr(error->message, "1 inputs") != NULL, "%s", error->message);
}
END_TEST

START_TEST(output_that_nobody_writes)
{
    g_autoptr(ModelMaker) maker = leaky_model();
    g_autoptr(GError) error = NULL;
    maker->model.functions[0]->n_node = 1;
    set_slope(maker, call(maker, "Leaky", "first", "a", "y"), 0.5f);
    maker_output(maker, maker->graph, "y");
    ck_assert_ptr_null(import(maker, &error));
    ck_assert_msg(strstr(error->message, "'y'") != NULL, "%s", error->message);
}
END_TEST

FIXTURE_MAIN("import_function", two_calls, missing_attribute,
             default_of_the_function, call_within_a_call,
             function_that_calls_itself, too_many_inputs,
             output_that_nobody_writes)
