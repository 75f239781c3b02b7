/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shape_function.c: shapes of a run by expressions: which nodes are trusted with them, that
 * results are those of inference, and what a file may say.
 */
#include "fixture.h"

#include <tessera/plugin_util.h>

#include "build/extents_variant.h"
#include "build/graph_variant.h"
#include "ir/input_dim.h"
#include "prepare/prepare.h"
#include "runtime/shape_function.h"

/* x [n, 8], y [n, 8], z [m, 8], p [n, 4, h, w]. */
static TsrGraph *inputs(TsrValue **x, TsrValue **y, TsrValue **z, TsrValue **p)
{
    TsrGraph *graph = fixture_graph();
    *x = fixture_input(graph, "x", SHAPE(-1, 8));
    *y = fixture_input(graph, "y", SHAPE(-1, 8));
    *z = fixture_input(graph, "z", SHAPE(-1, 8));
    *p = fixture_input(graph, "p", SHAPE(-1, 4, -1, -1));
    tsr_graph_set_input_dim(graph, 0, 0, "n", 0, -1);
    tsr_graph_set_input_dim(graph, 1, 0, "n", 0, -1);
    tsr_graph_set_input_dim(graph, 2, 0, "m", 0, -1);
    tsr_graph_set_input_dim(graph, 3, 0, "n", 0, -1);
    return graph;
}

static gboolean holds(TsrGraph *graph, TsrValue *output)
{
    GError *error = NULL;
    TsrNode *node = output->producer;
    tsr_graph_add_output(graph, NULL, output);
    ck_assert(tsr_prepare_graph(graph, NULL, &error));
    return tsr_shape_function_holds(node, tsr_node_view(node), tsr_graph_dims(graph));
}

START_TEST(trusts_what_inference_confirms)
{
    const gint64 flat[] = {-1, 16}, seven[] = {-1, 7}, copy[] = {0, 2, 4}, ten = 10, zero = 0;
    TsrValue *x, *y, *z, *p;
    const struct {
        const char *op, *attrs;
        guint inputs;       /* x; x, y; x, z: 1, 2, 3; p: 4; x and a list: 5; p, weights: 6 */
        const gint64 *list;
        guint count;
        gboolean wanted;
    } rows[] = {
        {"Relu", NULL, 1, NULL, 0, TRUE},
        {"Add", NULL, 2, NULL, 0, TRUE},
        {"Add", NULL, 3, NULL, 0, FALSE},       /* n and m may differ, which is an error */
        {"Concat", "axis=0", 3, NULL, 0, TRUE},
        {"Concat", "axis=1", 2, NULL, 0, TRUE},
        {"Concat", "axis=1", 3, NULL, 0, FALSE},
        {"Conv", "pads=[1,1,1,1]", 6, NULL, 0, TRUE},
        {"Conv", "strides=[2,2]", 6, NULL, 0, TRUE},
        {"MaxPool", "kernel_shape=[2,2] strides=[2,2] ceil_mode=1", 4, NULL, 0, FALSE},
        {"GlobalAveragePool", NULL, 4, NULL, 0, TRUE},
        {"Softmax", NULL, 1, NULL, 0, TRUE},
        {"Flatten", NULL, 4, NULL, 0, TRUE},
        {"DepthToSpace", "blocksize=2", 4, NULL, 0, TRUE},
        {"SpaceToDepth", "blocksize=2", 4, NULL, 0, FALSE}, /* not of an odd picture */
        {"Reshape", NULL, 5, copy, 3, TRUE},
        {"Reshape", NULL, 5, seven, 2, FALSE},
        {"Reshape", NULL, 5, flat, 2, FALSE},   /* not of an odd n */
        {"NonZero", NULL, 1, NULL, 0, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TsrGraph) graph = inputs(&x, &y, &z, &p);
        TsrValue *second = rows[i].inputs == 2   ? y
                           : rows[i].inputs == 3 ? z
                           : rows[i].inputs == 5
                               ? fixture_integers(graph, "list", rows[i].count, rows[i].list)
                           : rows[i].inputs == 6
                               ? fixture_constant(graph, "k", SHAPE(8, 4, 3, 3))
                               : NULL;
        TsrValue *first = rows[i].inputs == 4 || rows[i].inputs == 6 ? p : x;
        TsrValue *output;
        output = fixture_node(graph, rows[i].op, "node", VALUES(first, second), rows[i].attrs);
        ck_assert_msg(holds(graph, output) == rows[i].wanted, "%s %s, row %u", rows[i].op,
                      rows[i].attrs != NULL ? rows[i].attrs : "", i);
    }
    {
        g_autoptr(TsrGraph) graph = inputs(&x, &y, &z, &p);
        TsrValue *output = fixture_node(graph, "Slice", "node",
                                        VALUES(x, fixture_integers(graph, "s", 1, &zero),
                                               fixture_integers(graph, "e", 1, &ten)),
                                        NULL);
        ck_assert(holds(graph, output));
    }
}
END_TEST

/* Whatever stands there, what inference does not say is not believed. */
START_TEST(does_not_trust_what_is_wrong)
{
    TsrValue *x, *y, *z, *p, *output;
    g_autoptr(TsrGraph) graph = inputs(&x, &y, &z, &p);
    TsrDims *dims;
    TsrNode *node;
    output = fixture_node(graph, "Concat", "node", VALUES(x, y), "axis=0");
    node = output->producer;
    ck_assert(holds(graph, output));
    dims = tsr_graph_dims(graph);
    for (guint i = 0; i < 3; i++) {
        TsrValueDims wrong = *output->dims;
        if (i == 0)
            wrong.extents[0] = tsr_dims_symbol(dims, "n");
        else if (i == 1)
            wrong.extents[0] = tsr_dims_symbol(dims, "m");
        else
            ck_assert(tsr_dims_apply(dims, TSR_DIM_ADD, wrong.extents[0], 1, &wrong.extents[0]));
        tsr_value_set_dims(output, &wrong);
        ck_assert(!tsr_shape_function_holds(node, tsr_node_view(node), dims));
        wrong.extents[0] = TSR_DIM_UNKNOWN;
        tsr_value_set_dims(output, &wrong);
        ck_assert(!tsr_shape_function_holds(node, tsr_node_view(node), dims));
    }
}
END_TEST

/* What exporters write around a reshape, twice: [n, 8] -> [n, 2, 4] -> [n, 4, 2] -> [n, 8]. */
static TsrGraph *reshaping(TsrSession *session)
{
    const gint64 rows = -1, zero = 0, split[] = {2, 4}, whole = 8;
    GError *error = NULL;
    TsrGraph *graph = tsr_session_graph(session, "reshaping");
    TsrValue *value = tsr_build_input(graph, "x", TSR_DTYPE_FLOAT, 2,
                                      (const gint64[]){rows, whole}, &error);
    TsrValue *first = fixture_integers(graph, "first", 1, &zero);
    TsrValue *into = fixture_integers(graph, "into", 2, split);
    TsrValue *back = fixture_integers(graph, "back", 1, &whole);
    ck_no_error(error);
    for (guint i = 0; i < 2; i++) {
        TsrValue *size, *moved;
        value = fixture_node(graph, "Sigmoid", NULL, VALUES(value), NULL);
        size = fixture_node(graph, "Shape", NULL, VALUES(value), NULL);
        size = fixture_node(graph, "Gather", NULL, VALUES(size, first), "axis=0");
        moved = fixture_node(graph, "Concat", NULL, VALUES(size, into), "axis=0");
        value = fixture_node(graph, "Reshape", NULL, VALUES(value, moved), NULL);
        value = fixture_node(graph, "Transpose", NULL, VALUES(value), "perm=[0,2,1]");
        moved = fixture_node(graph, "Concat", NULL, VALUES(size, back), "axis=0");
        value = fixture_node(graph, "Reshape", NULL, VALUES(value, moved), NULL);
    }
    tsr_graph_add_output(graph, "y", value);
    return graph;
}

START_TEST(runs_as_inferred)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    const TsrCompileOptions options = {sizeof(options), .disable_plans = TRUE};
    g_autoptr(TsrGraph) graph = reshaping(session);
    GError *error = NULL;
    g_autoptr(TsrModel) model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    /* An extent of 0 goes by inference, and comes between others. */
    for (gint64 rows = 6; rows >= 0; rows--) {
        const gint64 shape[] = {rows, 8};
        g_autoptr(TsrGraph) fixed_graph = reshaping(session);
        g_autoptr(TsrModel) fixed = NULL;
        g_autoptr(TsrArray) x = fixture_array(NULL, 2, shape);
        g_autoptr(TsrArray) got = NULL;
        g_autoptr(TsrArray) wanted = NULL;
        ck_assert(tsr_graph_set_input_shape(fixed_graph, "x", 2, shape, &error));
        fixed = tsr_session_compile(session, fixed_graph, NULL, &error);
        ck_no_error(error);
        ck_assert(tsr_model_run(model, &x, &got, &error));
        ck_assert(tsr_model_run(fixed, &x, &wanted, &error));
        ck_assert_int_eq(tsr_array_shape(got)[0], rows);
        ck_assert_uint_eq(tsr_array_size_bytes(got), tsr_array_size_bytes(wanted));
        ck_assert_int_eq(memcmp(tsr_array_data(got), tsr_array_data(wanted),
                                tsr_array_size_bytes(got)), 0);
    }
}
END_TEST

/* An extent that is not what its expression says ends the trust in all that follows from it. */
START_TEST(a_run_that_contradicts)
{
    TsrValue *x, *y, *z, *p, *sum, *size;
    g_autoptr(TsrGraph) graph = inputs(&x, &y, &z, &p);
    const gint64 three[] = {3, 8}, four[] = {4, 8}, six[] = {6, 8}, none[] = {0, 8};
    const struct {
        const gint64 *x, *y, *sum;
        gboolean told, wanted;
    } rows[] = {
        {three, three, six, FALSE, TRUE},
        {three, four, six, FALSE, FALSE}, /* n is 3 and 4 */
        {three, three, four, FALSE, FALSE},
        {three, three, four, TRUE, TRUE}, /* it came from the expression: not asked again */
        {none, none, none, FALSE, FALSE},
    };
    TsrSymbolValues symbols;
    sum = fixture_node(graph, "Concat", "sum", VALUES(x, y), "axis=0");
    size = fixture_node(graph, "Shape", "size", VALUES(sum), NULL);
    (void)holds(graph, size);
    ck_assert(tsr_shape_function_has_elements(size->producer));
    tsr_symbol_values_init(&symbols, graph);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TsrArray) first = tsr_array_create(TSR_DTYPE_FLOAT, 2, rows[i].x, NULL);
        g_autoptr(TsrArray) second = tsr_array_create(TSR_DTYPE_FLOAT, 2, rows[i].y, NULL);
        g_autoptr(TsrArray) both = tsr_array_create(TSR_DTYPE_FLOAT, 2, rows[i].sum, NULL);
        g_autoptr(TsrArray) list = NULL;
        tsr_symbol_values_begin(&symbols);
        tsr_symbol_values_bind(&symbols, x, &first->desc.view, FALSE);
        tsr_symbol_values_bind(&symbols, y, &second->desc.view, FALSE);
        tsr_symbol_values_bind(&symbols, sum, &both->desc.view, rows[i].told);
        ck_assert_int_eq(tsr_shape_function_elements(size->producer, &symbols, &list),
                         rows[i].wanted);
        if (rows[i].wanted)
            ck_assert_int_eq(*(const gint64 *)tsr_array_data(list), 6);
    }
    tsr_symbol_values_clear(&symbols);
}
END_TEST

START_TEST(in_a_file)
{
    TsrValue *x, *y, *z, *p, *output;
    g_autoptr(TsrGraph) graph = inputs(&x, &y, &z, &p);
    g_autoptr(TsrGraph) other = inputs(&x, &y, &z, &p);
    g_autoptr(GVariant) variant = NULL;
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"(([], []), [(99, 0, [], [])])", "output 0 of node 99, which is no value"},
        {"(([], []), [(0, 1, [], [])])", "output 1 of node 0, which is no value"},
        {"(([], []), [(0, 0, [1], [])])", "'x' has 1 extents, wanted 2"},
        {"(([], []), [(0, 0, [1, -2], [])])", "extent 1 of 'x' is -2, wanted a number"},
        {"(([], []), [(0, 0, [1, -9223372036854775808], [])])", "or one of 0 expressions"},
        {"(([], []), [(0, 0, [1, 2], [5])])", "'x' of rank 2 has 1 elements"},
        {"(([(65535, '', 1, 0)], []), [])", "is no table of expressions"},
    };
    GPtrArray *order;
    GError *error = NULL;
    output = fixture_node(graph, "Concat", "node", VALUES(
        g_ptr_array_index(graph->inputs, 0), g_ptr_array_index(graph->inputs, 2)), "axis=0");
    (void)holds(graph, output);
    order = tsr_graph_sort(graph, NULL);
    g_ptr_array_unref(order);
    variant = g_variant_ref_sink(tsr_extents_to_variant(graph));
    ck_assert(!tsr_extents_from_variant(other, variant, &error));
    ck_error(error, TSR_CORRUPT, "which is no value"); /* it lacks the node */
    fixture_node(other, "Concat", "node", VALUES(x, z), "axis=0");
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GVariant) text =
            g_variant_parse(G_VARIANT_TYPE(TSR_OM_EXTENTS_TYPE), bad[i].text, NULL, NULL, NULL);
        ck_assert_msg(text != NULL, "%s", bad[i].text);
        g_clear_pointer(&other->dims, tsr_dims_unref);
        ck_assert_msg(!tsr_extents_from_variant(other, text, &error), "%s", bad[i].text);
        ck_error(error, TSR_CORRUPT, bad[i].error);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {trusts_what_inference_confirms, does_not_trust_what_is_wrong,
                                  runs_as_inferred, a_run_that_contradicts, in_a_file};
    return fixture_main("shape_function", tests, G_N_ELEMENTS(tests));
}
