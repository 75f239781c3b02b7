/* SPDX-License-Identifier: Apache-2.0
 *
 * test_symbols.c: dimensions that only a run knows, through inference: what comes out is an
 * expression of the inputs' dimensions, and sizes that a network computes from its own shapes are
 * followed.
 */
#include "fixture.h"

#include "ir/input_dim.h"
#include "ir/value_dims.h"
#include "prepare/prepare.h"

/* x [batch, 3, h, w], as a model names them. */
static TsrGraph *picture(TsrValue **out_x)
{
    TsrGraph *graph = fixture_graph();
    *out_x = fixture_input(graph, "x", SHAPE(-1, 3, -1, -1));
    tsr_graph_set_input_dim(graph, 0, 0, "batch", 0, -1);
    tsr_graph_set_input_dim(graph, 0, 2, "h", 0, -1);
    tsr_graph_set_input_dim(graph, 0, 3, "w", 0, -1);
    return graph;
}

static void prepare(TsrGraph *graph, TsrValue *output)
{
    GError *error = NULL;
    tsr_graph_add_output(graph, NULL, output);
    ck_assert(tsr_prepare_graph(graph, NULL, &error));
}

static void ck_output(TsrGraph *graph, const char *wanted)
{
    g_autofree char *text =
        tsr_value_to_text(g_array_index(graph->outputs, TsrGraphOutput, 0).value);
    ck_assert_str_eq(text, wanted);
}

START_TEST(windows)
{
    TsrValue *x;
    g_autoptr(TsrGraph) graph = picture(&x);
    TsrValue *y = fixture_node(graph, "Conv", "c",
                               VALUES(x, fixture_constant(graph, "k", SHAPE(8, 3, 3, 3))),
                               "pads=[1,1,1,1] strides=[2,2] kernel_shape=[3,3]");
    y = fixture_node(graph, "MaxPool", "p", VALUES(y), "kernel_shape=[2,2] strides=[2,2]");
    prepare(graph, y);
    ck_output(graph, "float[batch,8,floor((floor((h - 1)/2) - 1)/2) + 1,"
                     "floor((floor((w - 1)/2) - 1)/2) + 1]");
}
END_TEST

/* Down by two and up by two again is the size of before where that is even: no more is said. */
START_TEST(scales_and_joins)
{
    const gint64 last = -1;
    TsrValue *x;
    g_autoptr(TsrGraph) graph = picture(&x);
    const float scales[] = {1, 1, 2, 2};
    const gint64 four = 4;
    GError *error = NULL;
    g_autoptr(TsrArray) array = fixture_array(scales, 1, &four);
    TsrValue *factors = tsr_build_constant(graph, "scales", array, &error);
    TsrValue *up, *both;
    ck_no_error(error);
    up = fixture_node(graph, "Resize", "up",
                      VALUES(x, fixture_constant(graph, "roi", SHAPE(0)), factors),
                      "mode=\"nearest\"");
    both = fixture_node(graph, "Concat", "both", VALUES(up, up), "axis=1");
    both = fixture_node(graph, "Transpose", "t", VALUES(both), "perm=[0,2,3,1]");
    both = fixture_node(graph, "Reshape", "r",
                        VALUES(both, fixture_integers(graph, "flat", 1, &last)), NULL);
    prepare(graph, both);
    ck_output(graph, "float[24*batch*h*w]");
}
END_TEST

/* As exported from PyTorch: x.reshape(x.shape[0], 3, -1) by Shape, Gather, Concat. */
START_TEST(sizes_from_shapes)
{
    const gint64 zero = 0, three = 3, rest = -1;
    TsrValue *x, *size, *target, *y;
    g_autoptr(TsrGraph) graph = picture(&x);
    size = fixture_node(graph, "Shape", "shape", VALUES(x), NULL);
    size = fixture_node(graph, "Gather", "first",
                        VALUES(size, fixture_integers(graph, "i", 1, &zero)), "axis=0");
    target = fixture_node(graph, "Concat", "target",
                          VALUES(size, fixture_integers(graph, "c", 1, &three),
                                 fixture_integers(graph, "rest", 1, &rest)),
                          "axis=0");
    y = fixture_node(graph, "Reshape", "r", VALUES(x, target), NULL);
    prepare(graph, y);
    ck_output(graph, "float[batch,3,h*w]");
}
END_TEST

/* One dimension of a shape is known though the others are not: a constant. */
START_TEST(known_sizes_are_folded)
{
    const gint64 one = 1;
    TsrValue *x, *size;
    g_autoptr(TsrGraph) graph = picture(&x);
    const TsrValue *output;
    size = fixture_node(graph, "Shape", "shape", VALUES(x), NULL);
    size = fixture_node(graph, "Gather", "channels",
                        VALUES(size, fixture_integers(graph, "i", 1, &one)), "axis=0");
    size = fixture_node(graph, "Mul", "double", VALUES(size, size), NULL);
    prepare(graph, size);
    output = g_array_index(graph->outputs, TsrGraphOutput, 0).value;
    ck_assert_ptr_nonnull(output->constant);
    ck_assert_int_eq(*(const gint64 *)output->tensor.data, 9);
}
END_TEST

START_TEST(slices)
{
    static const struct {
        gint64 start, end, step;
        const char *wanted;
    } rows[] = {
        {0, G_MAXINT64, 1, "float[batch,3,h,w]"},
        {1, G_MAXINT64, 1, "float[batch,3,h - min(h, 1),w]"},
        {0, -1, 1, "float[batch,3,max(h - 1, 0),w]"},
        {0, 10, 1, "float[batch,3,min(h, 10),w]"},
        {0, G_MAXINT64, 2, "float[batch,3,floor((h + 1)/2),w]"},
        {-1, G_MININT64, -1, "float[batch,3,y[2],w]"}, /* backward: known in the run */
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const gint64 two = 2;
        TsrValue *x, *y;
        g_autoptr(TsrGraph) graph = picture(&x);
        y = fixture_node(graph, "Slice", "y",
                         VALUES(x, fixture_integers(graph, "s", 1, &rows[i].start),
                                fixture_integers(graph, "e", 1, &rows[i].end),
                                fixture_integers(graph, "a", 1, &two),
                                fixture_integers(graph, "p", 1, &rows[i].step)),
                         NULL);
        prepare(graph, y);
        ck_output(graph, rows[i].wanted);
    }
}
END_TEST

/* Two dimensions that nothing says are equal may be equal or one of them 1. */
START_TEST(broadcasts)
{
    TsrValue *x, *y, *same, *other;
    g_autoptr(TsrGraph) graph = picture(&x);
    y = fixture_input(graph, "y", SHAPE(-1));
    tsr_graph_set_input_dim(graph, 1, 0, "w", 0, -1);
    same = fixture_node(graph, "Add", "same", VALUES(x, y), NULL);
    other = fixture_node(graph, "Transpose", "other", VALUES(x), "perm=[0,1,3,2]");
    other = fixture_node(graph, "Add", "sum", VALUES(same, other), NULL);
    prepare(graph, other);
    ck_output(graph, "float[batch,3,max(h, w),max(h, w)]");
    {
        g_autofree char *text = tsr_value_to_text(same);
        ck_assert_str_eq(text, "float[batch,3,h,w]");
    }
}
END_TEST

/* Without names: by the input's own. */
START_TEST(unnamed)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(-1, 4));
    prepare(graph, fixture_node(graph, "Concat", "c", VALUES(x, x), "axis=0"));
    ck_output(graph, "float[2*x[0],4]");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {windows, scales_and_joins, sizes_from_shapes,
                                  known_sizes_are_folded, slices, broadcasts, unnamed};
    return fixture_main("symbols", tests, G_N_ELEMENTS(tests));
}
