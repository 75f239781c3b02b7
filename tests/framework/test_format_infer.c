/* SPDX-License-Identifier: Apache-2.0
 *
 * test_format_infer.c: origin formats: what fixes them, where they spread and where they
 * stop, what the user declares, conflicts, and that a second inference changes nothing.
 */
#include <tessera/plugin_util.h>

#include "fixture.h"
#include "prepare/format_declare.h"
#include "prepare/format_infer.h"
#include "prepare/infer.h"

#define NCW (TSR_EXPAND_N | TSR_EXPAND_C | TSR_EXPAND_W)

static void infer(TsrGraph *graph)
{
    GError *error = NULL;
    ck_assert_msg(tsr_infer_graph(graph, NULL, &error) && tsr_format_infer(graph, &error), "%s",
                  error != NULL ? error->message : "");
}

static void expect_at(const TsrValue *value, guint32 format, guint32 rule, const char *where)
{
    const TsrTensorDesc *desc = &value->desc.view;
    ck_assert_msg(desc->origin_format == format && desc->expand_dims == rule,
                  "%s: '%s' means %s 0x%x, wanted %s 0x%x", where, value->name,
                  tsr_format_name(desc->origin_format), desc->expand_dims,
                  tsr_format_name(format), rule);
    ck_assert_uint_eq(desc->storage_format, format);
}
#define expect(value, format, rule) expect_at(value, TSR_FORMAT_##format, rule, G_STRLOC)

static TsrValue *conv(TsrGraph *graph, const char *name, TsrValue *x, guint32 rank)
{
    g_autofree char *weights = g_strdup_printf("%s_w", name);
    const gint64 shape[] = {8, 8, 1, 1, 1};
    TsrValue *w = fixture_constant(graph, weights, rank, shape);
    return fixture_node(graph, "Conv", name, VALUES(x, w), NULL);
}

static TsrValue *ints(TsrGraph *graph, const char *name, guint32 count, const gint64 *data)
{
    GError *error = NULL;
    gint64 shape = count;
    g_autoptr(TsrArray) array = tsr_array_create_from(TSR_DTYPE_INT64, 1, &shape, data,
                                                      count * sizeof(gint64), &error);
    TsrValue *value;
    ck_no_error(error);
    value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}
#define INTS(...) (guint32)(sizeof((gint64[]){__VA_ARGS__}) / 8), (const gint64[]){__VA_ARGS__}

START_TEST(spreads_both_ways)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 4, 4));
    TsrValue *a = fixture_node(graph, "Abs", "abs", VALUES(x), NULL);
    TsrValue *c = conv(graph, "conv", a, 4);
    TsrValue *r = fixture_node(graph, "Softmax", "softmax", VALUES(c), "axis=1");
    TsrValue *z = fixture_input(graph, "z", SHAPE(1, 8, 4, 4));
    TsrValue *s = fixture_node(graph, "Add", "add", VALUES(r, z), NULL);
    tsr_build_output(graph, "out", s);
    infer(graph);
    expect(x, NCHW, 0);
    expect(a, NCHW, 0);
    expect(c, NCHW, 0);
    expect(r, NCHW, 0);
    expect(z, NCHW, 0);
    expect(s, NCHW, 0);
    ck_assert_str_eq(s->format_anchor, "'conv'");
    /* The weights [M, C, H, W] are read as N, C, H, W. */
    expect((TsrValue *)g_ptr_array_index(fixture_find(graph, "conv")->inputs, 1), NCHW, 0);
    ck_assert_uint_eq(graph->format_conflicts->len, 0);
}
END_TEST

START_TEST(unknown_dimensions_spread_too)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(-1, 8, -1, -1));
    TsrValue *c = conv(graph, "conv", x, 4);
    TsrValue *s = fixture_node(graph, "Mul", "mul", VALUES(c, c), NULL);
    tsr_build_output(graph, "out", s);
    infer(graph);
    expect(x, NCHW, 0);
    expect(s, NCHW, 0);
}
END_TEST

START_TEST(each_axis_keeper)
{
    static const char *const rows[][2] = {
        {"ReduceMean", "axes=[2,3]"}, {"LRN", "size=3"},      {"DepthToSpace", "blocksize=2"},
        {"LogSoftmax", "axis=3"},     {"MaxPool", "kernel_shape=[2,2]"}, {"Identity", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TsrGraph) graph = fixture_graph();
        GError *error = NULL;
        TsrValue *c = conv(graph, "conv", fixture_input(graph, "x", SHAPE(1, 8, 4, 4)), 4);
        TsrValue *y = NULL;
        /* The newest ReduceMean takes its axes as an input. */
        if (i == 0)
            y = fixture_node(graph, rows[i][0], "n",
                             VALUES(c, ints(graph, "axes", INTS(2, 3))), NULL);
        else
            y = fixture_node(graph, rows[i][0], "n", VALUES(c), rows[i][1]);
        ck_no_error(error);
        tsr_build_output(graph, "out", y);
        infer(graph);
        expect(y, NCHW, 0);
    }
}
END_TEST

START_TEST(concat_split_slice_pad)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    GError *error = NULL;
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 4, 4)), *parts[2], *y;
    TsrValue *other = fixture_input(graph, "other", SHAPE(1, 8, 4, 4));
    TsrValue *joined = fixture_node(graph, "Concat", "concat", VALUES(x, other), "axis=1");
    ck_assert(tsr_build_node_full(graph, "Split", "split", &joined, 1, "axis=1 num_outputs=2",
                                  parts, 2, &error));
    y = fixture_node(graph, "Slice", "slice",
                     VALUES(parts[1], ints(graph, "b", INTS(0)), ints(graph, "e", INTS(2)),
                            ints(graph, "a", INTS(2))),
                     NULL);
    y = fixture_node(graph, "Pad", "pad",
                     VALUES(y, ints(graph, "p", INTS(0, 0, 1, 0, 0, 0, 1, 0))), NULL);
    tsr_build_output(graph, "out", y);
    tsr_build_output(graph, "conv", conv(graph, "conv", parts[0], 4));
    infer(graph);
    /* Backward through Split and Concat, forward through the rest. */
    expect(x, NCHW, 0);
    expect(other, NCHW, 0);
    expect(joined, NCHW, 0);
    expect(parts[1], NCHW, 0);
    expect(y, NCHW, 0);
}
END_TEST

START_TEST(stops_where_axes_change)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *c = conv(graph, "conv", fixture_input(graph, "x", SHAPE(1, 8, 4, 4)), 4);
    TsrValue *reshaped = fixture_node(graph, "Reshape", "reshape",
                                      VALUES(c, ints(graph, "s", INTS(8, 1, 4, 4))), NULL);
    TsrValue *product = fixture_node(graph, "MatMul", "matmul", VALUES(c, c), NULL);
    TsrValue *gathered = fixture_node(graph, "Gather", "gather",
                                      VALUES(c, ints(graph, "i", INTS(0, 2, 1, 3, 4, 5, 6, 7))),
                                      "axis=1");
    TsrValue *flat = fixture_node(graph, "Flatten", "flatten", VALUES(c), NULL);
    TsrValue *odd = fixture_node(graph, "Transpose", "odd", VALUES(c), "perm=[1,0,2,3]");
    tsr_build_output(graph, "1", reshaped);
    tsr_build_output(graph, "2", product);
    tsr_build_output(graph, "3", gathered);
    tsr_build_output(graph, "4", flat);
    tsr_build_output(graph, "5", odd);
    infer(graph);
    expect(c, NCHW, 0);
    expect(reshaped, ND, 0);
    expect(product, ND, 0);
    expect(gathered, ND, 0);
    expect(flat, ND, 0);
    expect(odd, ND, 0);
}
END_TEST

START_TEST(below_rank_four_axes_do_not_move)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *c = conv(graph, "conv", fixture_input(graph, "x", SHAPE(1, 8, 4)), 3);
    TsrValue *t = fixture_node(graph, "Transpose", "t", VALUES(c), "perm=[0,1,2]");
    TsrValue *u = fixture_node(graph, "Unsqueeze", "u", VALUES(c, ints(graph, "a", INTS(2))),
                               NULL);
    TsrValue *q = fixture_node(graph, "Squeeze", "q", VALUES(c, ints(graph, "b", INTS(0))), NULL);
    tsr_build_output(graph, "1", t);
    tsr_build_output(graph, "2", u);
    tsr_build_output(graph, "3", q);
    infer(graph);
    expect(t, ND, 0);
    expect(u, ND, 0);
    expect(q, ND, 0);
}
END_TEST

START_TEST(transpose_maps_both_ways)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 4, 4, 8));
    TsrValue *first = fixture_node(graph, "Transpose", "first", VALUES(x), "perm=[0,3,1,2]");
    TsrValue *c = conv(graph, "conv", first, 4);
    TsrValue *last = fixture_node(graph, "Transpose", "last", VALUES(c), "perm=[0,2,3,1]");
    TsrValue *y = fixture_node(graph, "Relu", "relu", VALUES(last), NULL);
    TsrValue *weights = fixture_node(graph, "Transpose", "hwcn", VALUES(c), "perm=[2,3,1,0]");
    tsr_build_output(graph, "out", y);
    tsr_build_output(graph, "weights", weights);
    infer(graph);
    expect(x, NHWC, 0);
    expect(first, NCHW, 0);
    expect(y, NHWC, 0);
    expect(weights, HWCN, 0);
    ck_assert_uint_eq(graph->format_conflicts->len, 0);
}
END_TEST

START_TEST(five_dimensions)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 2, 4, 4));
    TsrValue *y = conv(graph, "conv", x, 5);
    TsrValue *t = fixture_node(graph, "Transpose", "t", VALUES(y), "perm=[0,2,3,4,1]");
    tsr_build_output(graph, "out", t);
    infer(graph);
    expect(x, NCDHW, 0);
    expect(y, NCDHW, 0);
    expect(t, NDHWC, 0);
}
END_TEST

START_TEST(expand_rules)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 8, 4));
    TsrValue *c = conv(graph, "conv1d", x, 3);
    TsrValue *b = fixture_constant(graph, "b", SHAPE(8, 1));
    TsrValue *y = fixture_node(graph, "Add", "add1d", VALUES(c, b), NULL);
    TsrValue *c2 = conv(graph, "conv2d", fixture_input(graph, "x2", SHAPE(1, 8, 4, 5)), 4);
    TsrValue *chw = fixture_constant(graph, "chw", SHAPE(8, 1, 1));
    TsrValue *w = fixture_constant(graph, "w", SHAPE(5));
    TsrValue *full = fixture_constant(graph, "full", SHAPE(1, 8, 1, 1));
    TsrValue *scalar = fixture_constant(graph, "scalar", 0, NULL);
    TsrValue *y2 = fixture_node(graph, "Mul", "m1", VALUES(c2, chw), NULL);
    y2 = fixture_node(graph, "Mul", "m2", VALUES(y2, w), NULL);
    y2 = fixture_node(graph, "Mul", "m3", VALUES(y2, full), NULL);
    y2 = fixture_node(graph, "Mul", "m4", VALUES(y2, scalar), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "MaxPool", "pool", VALUES(y),
                                                "kernel_shape=[2]"));
    tsr_build_output(graph, "out2", y2);
    infer(graph);
    expect(x, NCHW, NCW);
    expect(c, NCHW, NCW);
    expect(y, NCHW, NCW);
    expect(b, NCHW, TSR_EXPAND_C | TSR_EXPAND_W);
    expect(chw, NCHW, TSR_EXPAND_C | TSR_EXPAND_H | TSR_EXPAND_W);
    expect(w, NCHW, TSR_EXPAND_W);
    expect(full, NCHW, 0);
    expect(scalar, ND, 0);
    expect(y2, NCHW, 0);
}
END_TEST

/* ---------------------------------------------------------- what the user says */

START_TEST(declared_input_is_locked)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    const char *const words[] = {"x:NHWC", NULL};
    GError *error = NULL;
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 4, 4));
    TsrValue *a = fixture_node(graph, "Abs", "abs", VALUES(x), NULL);
    TsrValue *c = conv(graph, "conv", x, 4);
    const TsrFormatConflict *conflict;
    g_autofree char *text = NULL;
    tsr_build_output(graph, "1", a);
    tsr_build_output(graph, "2", c);
    ck_assert(tsr_format_declare(graph, words, &error));
    infer(graph);
    expect(x, NHWC, 0);
    expect(a, NHWC, 0);
    expect(c, NCHW, 0);
    ck_assert_uint_eq(graph->format_conflicts->len, 1);
    conflict = g_ptr_array_index(graph->format_conflicts, 0);
    ck_assert_str_eq(conflict->value, "x");
    ck_assert_uint_eq(conflict->format, TSR_FORMAT_NHWC);
    ck_assert_uint_eq(conflict->wanted, TSR_FORMAT_NCHW);
    text = tsr_format_conflict_to_text(conflict);
    ck_assert_str_eq(text, "'x' means NHWC by the user, NCHW by 'conv'; they meet at 'conv'");
}
END_TEST

START_TEST(data_format_fills_what_is_left)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    const char *const words[] = {"*:NHWC", NULL};
    GError *error = NULL;
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 4, 4));
    TsrValue *left = fixture_input(graph, "left", SHAPE(1, 4, 4, 8));
    TsrValue *five = fixture_input(graph, "five", SHAPE(1, 4, 4, 4, 8));
    TsrValue *flat = fixture_input(graph, "flat", SHAPE(4, 4));
    TsrValue *y = fixture_node(graph, "Abs", "abs", VALUES(left), NULL);
    tsr_build_output(graph, "1", conv(graph, "conv", x, 4));
    tsr_build_output(graph, "2", y);
    tsr_build_output(graph, "3", fixture_node(graph, "Abs", "a5", VALUES(five), NULL));
    tsr_build_output(graph, "4", fixture_node(graph, "Abs", "a2", VALUES(flat), NULL));
    ck_assert(tsr_format_declare(graph, words, &error));
    infer(graph);
    expect(x, NCHW, 0);
    expect(left, NHWC, 0);
    expect(y, NHWC, 0);
    expect(five, NDHWC, 0);
    expect(flat, ND, 0);
    ck_assert_uint_eq(graph->format_conflicts->len, 0);
}
END_TEST

START_TEST(wrong_declarations)
{
    static const struct {
        const char *word;
        gint32 code;
        const char *part;
    } rows[] = {
        {"pictur:NHWC", TSR_NOT_FOUND, "did you mean 'picture'?"},
        {"elsewhere:NHWC", TSR_NOT_FOUND, "there are 'picture', 'vector'"},
        {"picture:NHWX", TSR_INVALID_ARGUMENT, "did you mean NHWC?"},
        {"picture:soup", TSR_INVALID_ARGUMENT, "wanted NCHW, NHWC, HWCN, NCDHW or NDHWC"},
        {"picture:NC1HWC0", TSR_INVALID_ARGUMENT, "is a storage format"},
        {"vector:NHWC", TSR_INVALID_ARGUMENT, "NHWC has 4 dimensions, the input is float[3]"},
        {"picture:NDHWC", TSR_INVALID_ARGUMENT, "NDHWC has 5 dimensions"},
        {"picture", TSR_INVALID_ARGUMENT, "wanted NAME:NHWC"},
        {":NHWC", TSR_INVALID_ARGUMENT, "wanted NAME:NHWC"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TsrGraph) graph = fixture_graph();
        const char *const words[] = {rows[i].word, NULL};
        GError *error = NULL;
        fixture_input(graph, "picture", SHAPE(1, 8, 4, 4));
        fixture_input(graph, "vector", SHAPE(3));
        ck_assert(!tsr_format_declare(graph, words, &error));
        ck_error(error, rows[i].code, rows[i].part);
    }
}
END_TEST

/* ------------------------------------------------------- conflicts and again */

static GString *formats_of(TsrGraph *graph)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            g_string_append_printf(text, "%s %u %u %s\n", value->name,
                                   value->desc.view.origin_format, value->desc.view.expand_dims,
                                   value->format_anchor != NULL ? value->format_anchor : "");
        }
    }
    for (guint i = 0; graph->format_conflicts != NULL && i < graph->format_conflicts->len; i++) {
        g_autofree char *line =
            tsr_format_conflict_to_text(g_ptr_array_index(graph->format_conflicts, i));
        g_string_append_printf(text, "%s\n", line);
    }
    return text;
}

START_TEST(anchors_meet)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    GError *error = NULL;
    GString *before, *after;
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 8, 8));
    TsrValue *c = conv(graph, "conv", x, 4);
    TsrValue *t = fixture_node(graph, "Transpose", "t", VALUES(c), "perm=[0,2,3,1]");
    TsrValue *s = fixture_node(graph, "Add", "add", VALUES(c, t), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Relu", "relu", VALUES(s), NULL));
    infer(graph);
    expect(t, NHWC, 0);
    ck_assert_uint_eq(graph->format_conflicts->len, 1);
    ck_assert_str_eq(
        ((const TsrFormatConflict *)g_ptr_array_index(graph->format_conflicts, 0))->node, "add");
    before = formats_of(graph);
    ck_assert(tsr_format_infer(graph, &error));
    after = formats_of(graph);
    ck_assert_str_eq(after->str, before->str);
    g_string_free(before, TRUE);
    g_string_free(after, TRUE);
}
END_TEST

/* What a pass puts between values that have formats gets them in the second inference. */
START_TEST(second_inference_finds_new_nodes)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *c = conv(graph, "conv", fixture_input(graph, "x", SHAPE(1, 8, 4, 4)), 4);
    TsrValue *r = fixture_node(graph, "Relu", "relu", VALUES(c), NULL), *added, *late;
    tsr_build_output(graph, "out", r);
    infer(graph);
    added = fixture_node(graph, "Neg", "neg", VALUES(r), NULL);
    late = fixture_input(graph, "late", SHAPE(1, 8, 4, 4));
    tsr_build_output(graph, "out2",
                     fixture_node(graph, "Add", "add", VALUES(late, added), NULL));
    infer(graph);
    expect(added, NCHW, 0);
    expect(late, NCHW, 0);
}
END_TEST

/* ---------------------------------------------------------------- subgraphs */

/* A node with subgraphs as the importer makes it. */
static TsrNode *with_bodies(TsrGraph *graph, const char *op, const char *name,
                            TsrValue *const *inputs, guint input_count, guint output_count,
                            const char *const *attr_names, TsrGraph *const *bodies, guint count)
{
    GError *error = NULL;
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, "", op, 16, &error);
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    TsrNode *node;
    for (guint i = 0; i < count; i++) {
        TsrAttr attr = {.struct_size = sizeof(attr), .type = TSR_ATTR_GRAPH,
                        .name = attr_names[i], .i = i};
        g_ptr_array_add(attrs, tsr_attr_copy_view(&attr));
    }
    node = tsr_graph_add_node(graph, def, name, inputs, input_count, NULL, output_count,
                              (TsrAttrBox *const *)attrs->pdata, attrs->len, bodies, count,
                              &error);
    ck_no_error(error);
    return node;
}

static TsrValue *typed_input(TsrGraph *graph, const char *name, guint32 dtype, guint32 rank,
                             const gint64 *shape)
{
    GError *error = NULL;
    TsrValue *value = tsr_build_input(graph, name, dtype, rank, shape, &error);
    ck_no_error(error);
    return value;
}

START_TEST(branches_tell_their_node)
{
    static const char *const names[] = {"then_branch", "else_branch"};
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrGraph *bodies[2];
    TsrValue *cond = typed_input(graph, "cond", TSR_DTYPE_BOOL, 0, NULL), *out, *after, *y;
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 4, 4));
    TsrValue *z = fixture_input(graph, "z", SHAPE(1, 8, 4, 4));
    bodies[0] = tsr_graph_new(graph->registry, "then");
    bodies[1] = tsr_graph_new(graph->registry, "else");
    y = fixture_node(bodies[1], "Relu", "relu", VALUES(z), NULL);
    tsr_build_output(bodies[0], "t", conv(bodies[0], "conv", x, 4));
    tsr_build_output(bodies[1], "e", y);
    out = g_ptr_array_index(
        with_bodies(graph, "If", "if", &cond, 1, 1, names, bodies, 2)->outputs, 0);
    after = fixture_node(graph, "Abs", "abs", VALUES(out), NULL);
    tsr_build_output(graph, "out", after);
    infer(graph);
    /* From the convolution in one branch out of the node, on, and into the other branch up to
     * what that captures. */
    expect(x, NCHW, 0);
    expect(out, NCHW, 0);
    expect(after, NCHW, 0);
    expect(y, NCHW, 0);
    expect(z, NCHW, 0);
    expect(cond, ND, 0);
    tsr_graph_unref(bodies[0]);
    tsr_graph_unref(bodies[1]);
}
END_TEST

START_TEST(loop_state_is_one_value)
{
    static const char *const names[] = {"body"};
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrGraph *body = tsr_graph_new(graph->registry, "body");
    TsrValue *inputs[3], *state, *again, *next, *scan;
    TsrNode *loop;
    inputs[0] = typed_input(graph, "m", TSR_DTYPE_INT64, 0, NULL);
    inputs[1] = typed_input(graph, "go", TSR_DTYPE_BOOL, 0, NULL);
    inputs[2] = fixture_input(graph, "x", SHAPE(1, 8, 4, 4));
    typed_input(body, "i", TSR_DTYPE_INT64, 0, NULL);
    again = typed_input(body, "more", TSR_DTYPE_BOOL, 0, NULL);
    state = fixture_input(body, "state", SHAPE(1, 8, 4, 4));
    next = fixture_node(body, "Abs", "abs", VALUES(state), NULL);
    scan = fixture_node(body, "Neg", "neg", VALUES(state), NULL);
    tsr_build_output(body, "more_out", again);
    tsr_build_output(body, "state_out", next);
    tsr_build_output(body, "scan_out", scan);
    loop = with_bodies(graph, "Loop", "loop", inputs, 3, 2, names, &body, 1);
    tsr_build_output(graph, "out",
                     conv(graph, "conv", g_ptr_array_index(loop->outputs, 0), 4));
    tsr_build_output(graph, "scan", g_ptr_array_index(loop->outputs, 1));
    infer(graph);
    expect((TsrValue *)g_ptr_array_index(loop->outputs, 0), NCHW, 0);
    expect(next, NCHW, 0);
    expect(state, NCHW, 0);
    expect(inputs[2], NCHW, 0);
    expect(scan, NCHW, 0);
    /* One dimension more: it means something else. */
    expect((TsrValue *)g_ptr_array_index(loop->outputs, 1), ND, 0);
    tsr_graph_unref(body);
}
END_TEST

START_TEST(scan_state_is_one_value)
{
    static const char *const names[] = {"body"};
    g_autoptr(TsrGraph) graph = fixture_graph();
    GError *error = NULL;
    TsrGraph *body = tsr_graph_new(graph->registry, "body");
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, "", "Scan", 16, &error);
    TsrAttr attrs[2] = {{.struct_size = sizeof(TsrAttr), .type = TSR_ATTR_GRAPH,
                         .name = names[0]},
                        {.struct_size = sizeof(TsrAttr), .type = TSR_ATTR_INT,
                         .name = "num_scan_inputs", .i = 1}};
    g_autoptr(GPtrArray) boxes = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    TsrValue *inputs[2], *state, *item, *next;
    TsrNode *scan;
    inputs[0] = fixture_input(graph, "x", SHAPE(1, 8, 4, 4));
    inputs[1] = fixture_input(graph, "sequence", SHAPE(3, 8, 4, 4));
    state = fixture_input(body, "state", SHAPE(1, 8, 4, 4));
    item = fixture_input(body, "item", SHAPE(8, 4, 4));
    next = fixture_node(body, "Add", "add", VALUES(state, item), NULL);
    tsr_build_output(body, "state_out", next);
    g_ptr_array_add(boxes, tsr_attr_copy_view(&attrs[0]));
    g_ptr_array_add(boxes, tsr_attr_copy_view(&attrs[1]));
    scan = tsr_graph_add_node(graph, def, "scan", inputs, 2, NULL, 1,
                              (TsrAttrBox *const *)boxes->pdata, boxes->len, &body, 1, &error);
    ck_no_error(error);
    tsr_build_output(graph, "out",
                     conv(graph, "conv", g_ptr_array_index(scan->outputs, 0), 4));
    infer(graph);
    expect(state, NCHW, 0);
    expect(next, NCHW, 0);
    expect(inputs[0], NCHW, 0);
    expect(item, NCHW, TSR_EXPAND_C | TSR_EXPAND_H | TSR_EXPAND_W);
    expect(inputs[1], ND, 0);
    tsr_graph_unref(body);
}
END_TEST

/* --------------------------------------------- definitions that say what cannot be */

static int32_t fix_wrong(const TsrOpDef *def, TsrFormatContext *context)
{
    if (def->since_version == 1)
        return context->set_output(context, 0, TSR_FORMAT_NC1HWC0, 0);
    if (def->since_version == 2)
        return context->set_output(context, 7, TSR_FORMAT_NCHW, 0);
    if (def->since_version == 3)
        return context->set_output(context, 0, TSR_FORMAT_NCHW, TSR_EXPAND_W);
    if (def->since_version == 4)
        return context->tie_input(context, 0, 0, 0);
    return (context->fail)(context, TSR_UNSUPPORTED, "no idea of %u", def->since_version);
}

static int32_t fix_internal(const TsrOpDef *def, const TsrNodeView *node, uint32_t *inputs,
                            uint32_t *outputs)
{
    (void)def;
    (void)node;
    inputs[0] = TSR_FORMAT_ANY;
    outputs[0] = TSR_FORMAT_FRACTAL_Z;
    return TSR_OK;
}

START_TEST(wrong_slots_are_named)
{
    static const TsrOpParam port[] = {{"x", TSR_PARAM_REQUIRED, 1, 0}};
    static const char *const parts[] = {
        "NC1HWC0 cannot be an origin format", "wants to fix output 7", "does not fit",
        "has 0 subgraphs", "no idea of 5", "FRACTAL_Z cannot be an origin format"};
    for (guint32 version = 1; version <= 6; version++) {
        const TsrOpDef def = {.struct_size = sizeof(TsrOpDef), .since_version = version,
                              .domain = "test", .name = "Wrong", .inputs = port,
                              .outputs = port, .input_count = 1, .output_count = 1,
                              .input_stride = sizeof(TsrOpParam),
                              .output_stride = sizeof(TsrOpParam),
                              .attr_stride = sizeof(TsrOpAttr), .follow = "x=x",
                              .infer_format_full = version < 6 ? fix_wrong : NULL,
                              .infer_format = version < 6 ? NULL : fix_internal};
        g_autoptr(TsrGraph) graph = fixture_graph();
        TsrValue *x = fixture_input(graph, "in", SHAPE(1, 2, 3, 4));
        GError *error = NULL;
        TsrNode *node = tsr_graph_add_node(graph, &def, "wrong", &x, 1, NULL, 1, NULL, 0, NULL,
                                           0, &error);
        ck_no_error(error);
        tsr_build_output(graph, "out", g_ptr_array_index(node->outputs, 0));
        ck_assert(tsr_infer_graph(graph, NULL, &error));
        ck_assert(!tsr_format_infer(graph, &error));
        ck_error(error, version == 5 ? TSR_UNSUPPORTED : TSR_INVALID_ARGUMENT,
                 parts[version - 1]);
    }
}
END_TEST

FIXTURE_MAIN("format_infer", spreads_both_ways, unknown_dimensions_spread_too, each_axis_keeper,
             concat_split_slice_pad, stops_where_axes_change, below_rank_four_axes_do_not_move,
             transpose_maps_both_ways, five_dimensions, expand_rules, declared_input_is_locked,
             data_format_fills_what_is_left, wrong_declarations, anchors_meet,
             second_inference_finds_new_nodes, branches_tell_their_node, loop_state_is_one_value,
             scan_state_is_one_value, wrong_slots_are_named)
