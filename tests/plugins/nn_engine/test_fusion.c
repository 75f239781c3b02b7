/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fusion.c: the fusion passes of nn_engine, each on graphs where it is legal and on
 * graphs where one condition is broken: then nothing may change. What a graph has become
 * is compared as a line of its operators.
 */
#include <math.h>
#include "fixture.h"
#include "ir/verify.h"
#include "nn.h"
#include "optimize/fusion.h"
#include "optimize/pass_stats.h"
#include "prepare/infer.h"
#include "../../support/check_main.h"

typedef struct Bench {
    FakeEngine engine;
    TsrPluginSet *set;
    TsrGraph *graph;
} Bench;

static void bench_init(Bench *bench)
{
    FakeEngine *const list[] = {&bench->engine};
    GError *error = NULL;
    fake_engine_init(&bench->engine, "nn_engine", NULL);
    bench->engine.engine.check = nn_engine.check;
    bench->engine.fusion = nn_fusion;
    bench->set = fixture_set(list, 1, NULL);
    ck_assert(tsr_op_registry_add(bench->set->registry, &nn_op_definitions, "nn_engine", &error));
    bench->graph = tsr_graph_new(bench->set->registry, "test");
}

static void bench_clear(Bench *bench)
{
    tsr_graph_unref(bench->graph);
    tsr_plugin_set_free(bench->set);
}

static void bench_run(Bench *bench)
{
    g_autoptr(GHashTable) stats = tsr_pass_stats_new();
    /* It would take what is left of a pattern that must not fuse; see test_chain.c. */
    const char *const chain[] = {"nn_eltwise_chain", NULL};
    const TsrFusionSwitches switches = {.disable = chain};
    GError *error = NULL;
    ck_assert_msg(tsr_infer_graph(bench->graph, NULL, &error), "%s",
                  error != NULL ? error->message : "");
    for (guint i = 0; i < bench->graph->nodes->len; i++)
        ((TsrNode *)g_ptr_array_index(bench->graph->nodes, i))->engine =
            g_intern_string("nn_engine");
    ck_assert_msg(tsr_fusion_run(bench->graph, bench->set, &switches, TSR_STAGE_PLACED, stats,
                                 &error), "%s",
                  error != NULL ? error->message : "");
    ck_assert(tsr_graph_verify(bench->graph, &error));
}

/* "Relu nn.Conv:1+z": fused operators, which come last, with activation and residual. */
static char *operators(TsrGraph *graph)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        const TsrNodeView *view;
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        view = tsr_node_view(node);
        g_string_append_printf(text, "%s%s%s", text->len > 0 ? " " : "",
                               strcmp(view->domain, NN_DOMAIN) == 0 ? "nn." : "", view->op_type);
        if (strcmp(view->domain, NN_DOMAIN) == 0 && nn_activation_of(view).kind != 0)
            g_string_append_printf(text, ":%u", nn_activation_of(view).kind);
        if (strcmp(view->op_type, "Conv") == 0 && nn_input(view, 3) != NULL)
            g_string_append(text, "+z");
    }
    return g_string_free(text, FALSE);
}

/* ------------------------------------------------------------ graphs to fuse */

static TsrValue *constant(TsrGraph *g, const char *name, float value)
{
    g_autoptr(TsrArray) array = fixture_array(&value, 0, NULL);
    GError *error = NULL;
    TsrValue *made = tsr_build_constant(g, name, array, &error);
    ck_no_error(error);
    return made;
}

static TsrValue *input(TsrGraph *g) { return fixture_input(g, "x", SHAPE(1, 16, 8, 8)); }

static TsrValue *conv(TsrGraph *g, TsrValue *x, const char *name)
{
    g_autofree char *w = g_strconcat(name, "_w", NULL);
    return fixture_node(g, "Conv", name, VALUES(x, fixture_constant(g, w, SHAPE(16, 16, 1, 1))),
                        NULL);
}

static TsrValue *batchnorm(TsrGraph *g, TsrValue *x, gint64 channels)
{
    return fixture_node(g, "BatchNormalization", "bn",
                        VALUES(x, fixture_constant(g, "s", SHAPE(channels)),
                               fixture_constant(g, "b", SHAPE(channels)),
                               fixture_constant(g, "m", SHAPE(channels)),
                               fixture_constant(g, "v", SHAPE(channels))),
                        NULL);
}

static TsrValue *relu(TsrGraph *g, TsrValue *x)
{
    return fixture_node(g, "Relu", "relu", VALUES(x), NULL);
}

static void output(TsrGraph *g, TsrValue *value) { tsr_build_output(g, "y", value); }

static void conv_relu(TsrGraph *g) { output(g, relu(g, conv(g, input(g), "c"))); }

static void conv_is_output(TsrGraph *g)
{
    TsrValue *c = conv(g, input(g), "c");
    tsr_build_output(g, "z", c);
    output(g, relu(g, c));
}

static void conv_read_twice(TsrGraph *g)
{
    TsrValue *c = conv(g, input(g), "c");
    tsr_build_output(g, "z", fixture_node(g, "Exp", "exp", VALUES(c), NULL));
    output(g, relu(g, c));
}

static void conv_dynamic_weights(TsrGraph *g)
{
    TsrValue *w = fixture_input(g, "w", SHAPE(16, 16, 1, 1));
    output(g, relu(g, fixture_node(g, "Conv", "c", VALUES(input(g), w), NULL)));
}

static void conv_residual(TsrGraph *g)
{
    TsrValue *x = input(g);
    output(g, relu(g, fixture_node(g, "Add", "add", VALUES(x, conv(g, x, "c")), NULL)));
}

static void conv_residual_broadcast(TsrGraph *g)
{
    TsrValue *r = fixture_input(g, "r", SHAPE(1, 16, 1, 1));
    output(g, fixture_node(g, "Add", "add", VALUES(conv(g, input(g), "c"), r), NULL));
}

static void conv_residual_itself(TsrGraph *g)
{
    TsrValue *c = conv(g, input(g), "c");
    output(g, fixture_node(g, "Add", "add", VALUES(c, c), NULL));
}

static void group_conv_batchnorm(TsrGraph *g)
{
    TsrValue *w = fixture_constant(g, "w", SHAPE(16, 4, 3, 3));
    output(g, batchnorm(g, fixture_node(g, "Conv", "c", VALUES(input(g), w), "group=4"), 16));
}

static void batchnorm_alone(TsrGraph *g) { output(g, relu(g, batchnorm(g, input(g), 16))); }

static void conv_scale(TsrGraph *g)
{
    TsrValue *s = fixture_constant(g, "s", SHAPE(16, 1, 1));
    output(g, fixture_node(g, "Mul", "mul", VALUES(conv(g, input(g), "c"), s), NULL));
}

static void conv_scale_per_column(TsrGraph *g)
{
    TsrValue *s = fixture_constant(g, "s", SHAPE(8));
    output(g, fixture_node(g, "Mul", "mul", VALUES(conv(g, input(g), "c"), s), NULL));
}

static void conv_dynamic_scale(TsrGraph *g)
{
    TsrValue *s = fixture_input(g, "s", SHAPE(16, 1, 1));
    output(g, fixture_node(g, "Mul", "mul", VALUES(conv(g, input(g), "c"), s), NULL));
}

static TsrValue *clip(TsrGraph *g, TsrValue *x, TsrValue *low, TsrValue *high)
{
    return fixture_node(g, "Clip", "clip", VALUES(x, low, high), NULL);
}

static void conv_clip(TsrGraph *g)
{
    output(g, clip(g, conv(g, input(g), "c"), constant(g, "low", -1.0f),
                   constant(g, "high", 1.0f)));
}

static void conv_dynamic_clip(TsrGraph *g)
{
    TsrValue *low = fixture_input(g, "low", 0, NULL);
    output(g, clip(g, conv(g, input(g), "c"), low, constant(g, "high", 1.0f)));
}

/* x * clip(x + 3, 0, high) / 6; the clip is an output as well where `shown`. */
static TsrValue *swish(TsrGraph *g, TsrValue *x, float high, int shown)
{
    TsrValue *add = fixture_node(g, "Add", "add", VALUES(x, constant(g, "three", 3.0f)), NULL);
    TsrValue *cut = clip(g, add, constant(g, "zero", 0.0f), constant(g, "high", high));
    TsrValue *mul = fixture_node(g, "Mul", "mul", VALUES(x, cut), NULL);
    if (shown)
        tsr_build_output(g, "shown", cut);
    return fixture_node(g, "Div", "div", VALUES(mul, constant(g, "six", 6.0f)), NULL);
}

static void swish_alone(TsrGraph *g) { output(g, swish(g, input(g), 6.0f, 0)); }
static void conv_swish(TsrGraph *g) { output(g, swish(g, conv(g, input(g), "c"), 6.0f, 0)); }
static void swish_bound(TsrGraph *g) { output(g, swish(g, input(g), 5.0f, 0)); }
static void swish_shown(TsrGraph *g) { output(g, swish(g, input(g), 6.0f, 1)); }

static void conv_scaled_swish(TsrGraph *g)
{
    TsrValue *s = swish(g, conv(g, input(g), "c"), 6.0f, 0);
    s = fixture_node(g, "Mul", "mul2", VALUES(s, constant(g, "two", 2.0f)), NULL);
    output(g, fixture_node(g, "Add", "add2", VALUES(constant(g, "one", 1.0f), s), NULL));
}

static void swish_scaled_per_channel(TsrGraph *g)
{
    TsrValue *s = fixture_constant(g, "s", SHAPE(16, 1, 1));
    output(g, fixture_node(g, "Mul", "mul2", VALUES(swish(g, input(g), 6.0f, 0), s), NULL));
}

static void gated(TsrGraph *g, const char *attrs)
{
    TsrValue *x = input(g);
    TsrValue *gate = fixture_node(g, "HardSigmoid", "gate", VALUES(x), attrs);
    output(g, fixture_node(g, "Mul", "mul", VALUES(gate, x), NULL));
}

static void hard_sigmoid_gate(TsrGraph *g) { gated(g, "alpha=0.16666667"); }
static void default_sigmoid_gate(TsrGraph *g) { gated(g, NULL); }

static TsrValue *transposed(TsrGraph *g, const char *attrs)
{
    TsrValue *w = fixture_constant(g, "w", SHAPE(16, 4, 2, 2));
    return fixture_node(g, "ConvTranspose", "t", VALUES(input(g), w), attrs);
}

static void transposed_batchnorm(TsrGraph *g)
{
    output(g, relu(g, batchnorm(g, transposed(g, "strides=[2,2]"), 4)));
}

static void transposed_groups(TsrGraph *g)
{
    output(g, relu(g, transposed(g, "strides=[2,2] group=2")));
}

static void transposed_residual(TsrGraph *g)
{
    TsrValue *r = fixture_input(g, "r", SHAPE(1, 4, 16, 16));
    output(g, fixture_node(g, "Add", "add", VALUES(transposed(g, "strides=[2,2]"), r), NULL));
}

/* Channels 16 as 4 x 4, transposed by `perm` and put back. */
static void shuffle(TsrGraph *g, const char *perm, int shown)
{
    static const gint64 split[5] = {1, 4, 4, 8, 8}, join[4] = {1, 16, 8, 8};
    TsrValue *values[2], *x;
    GError *error = NULL;
    for (int i = 0; i < 2; i++) {
        const gint64 rank = 5 - i;
        g_autoptr(TsrArray) shape = tsr_array_create(TSR_DTYPE_INT64, 1, &rank, &error);
        ck_no_error(error);
        memcpy(tsr_array_data(shape), i == 0 ? split : join, (gsize)rank * sizeof(gint64));
        values[i] = tsr_build_constant(g, i == 0 ? "split" : "join", shape, &error);
        ck_no_error(error);
    }
    x = fixture_node(g, "Reshape", "r1", VALUES(input(g), values[0]), NULL);
    x = fixture_node(g, "Transpose", "t", VALUES(x), perm);
    if (shown)
        tsr_build_output(g, "shown", x);
    output(g, fixture_node(g, "Reshape", "r2", VALUES(x, values[1]), NULL));
}

static void shuffle_groups(TsrGraph *g) { shuffle(g, "perm=[0,2,1,3,4]", 0); }
static void shuffle_pixels(TsrGraph *g) { shuffle(g, "perm=[0,1,2,4,3]", 0); }
static void shuffle_shown(TsrGraph *g) { shuffle(g, "perm=[0,2,1,3,4]", 1); }

static const struct {
    const char *name;
    void (*build)(TsrGraph *g);
    const char *want;
} cases[] = {
    {"conv_relu", conv_relu, "nn.Conv:1"},
    {"conv_is_output", conv_is_output, "Conv Relu"},
    {"conv_read_twice", conv_read_twice, "Conv Exp Relu"},
    {"conv_dynamic_weights", conv_dynamic_weights, "Conv Relu"},
    {"conv_residual", conv_residual, "nn.Conv:1+z"},
    {"conv_residual_broadcast", conv_residual_broadcast, "Conv Add"},
    {"conv_residual_itself", conv_residual_itself, "Conv Add"},
    {"group_conv_batchnorm", group_conv_batchnorm, "nn.Conv"},
    {"batchnorm_alone", batchnorm_alone, "nn.Affine:1"},
    {"conv_scale", conv_scale, "nn.Conv"},
    {"conv_scale_per_column", conv_scale_per_column, "Conv Mul"},
    {"conv_dynamic_scale", conv_dynamic_scale, "Conv Mul"},
    {"conv_clip", conv_clip, "nn.Conv:2"},
    {"conv_dynamic_clip", conv_dynamic_clip, "Conv Clip"},
    {"swish_alone", swish_alone, "nn.Activation:4"},
    {"conv_swish", conv_swish, "nn.Conv:4"},
    {"swish_bound", swish_bound, "Add Clip Mul Div"},
    {"swish_shown", swish_shown, "Add Clip Mul Div"},
    {"conv_scaled_swish", conv_scaled_swish, "nn.Conv:7"},
    {"swish_scaled_per_channel", swish_scaled_per_channel, "Mul nn.Activation:4"},
    {"hard_sigmoid_gate", hard_sigmoid_gate, "nn.Activation:4"},
    {"default_sigmoid_gate", default_sigmoid_gate, "HardSigmoid Mul"},
    {"transposed_batchnorm", transposed_batchnorm, "nn.ConvTranspose:1"},
    {"transposed_groups", transposed_groups, "ConvTranspose Relu"},
    {"shuffle_groups", shuffle_groups, "nn.Shuffle"},
    {"shuffle_pixels", shuffle_pixels, "Reshape Transpose Reshape"},
    {"shuffle_shown", shuffle_shown, "Reshape Transpose Reshape"},
    {"transposed_residual", transposed_residual, "ConvTranspose Add"},
};

START_TEST(becomes)
{
    g_autofree char *got = NULL;
    Bench bench;
    bench_init(&bench);
    cases[_i].build(bench.graph);
    bench_run(&bench);
    got = operators(bench.graph);
    ck_assert_msg(strcmp(got, cases[_i].want) == 0, "%s: '%s', wanted '%s'", cases[_i].name, got,
                  cases[_i].want);
    bench_clear(&bench);
}
END_TEST

static const TsrNodeView *fused_view(Bench *bench, const char *op_type)
{
    for (guint i = 0; i < bench->graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(bench->graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, op_type) == 0)
            return tsr_node_view(node);
    }
    ck_abort_msg("no %s", op_type);
    return NULL;
}

/* W [c, k] is 16c + k before, and channel c is multiplied by c. */
START_TEST(scales_weights)
{
    const TsrNodeView *view;
    const float *w;
    Bench bench;
    bench_init(&bench);
    conv_scale(bench.graph);
    bench_run(&bench);
    view = fused_view(&bench, "Conv");
    w = view->values[1]->data;
    for (int i = 0; i < 256; i++)
        ck_assert_float_eq(w[i], (float)(i * (i / 16)));
    bench_clear(&bench);
}
END_TEST

/* W of ConvTranspose is [in, out, 2, 2]: the map goes along the second dimension. With
 * scale = shift = mean = variance = c the map is x * s + c - c * s, s = c / sqrt(c). */
START_TEST(scales_transposed_weights)
{
    const TsrNodeView *view;
    const float *w, *b;
    Bench bench;
    bench_init(&bench);
    transposed_batchnorm(bench.graph);
    bench_run(&bench);
    view = fused_view(&bench, "ConvTranspose");
    w = view->values[1]->data;
    b = view->values[2]->data;
    for (int i = 0; i < 256; i++) {
        const double c = i / 4 % 4, s = c / sqrt(c + 1e-5);
        ck_assert_float_eq_tol(w[i], (float)(i * s), 1e-3f);
        ck_assert_float_eq_tol(b[i / 4 % 4], (float)(c - c * s), 1e-4f);
    }
    bench_clear(&bench);
}
END_TEST

/* 2 * hard_swish(x) + 1 */
START_TEST(scales_swish)
{
    TsrActivation a;
    Bench bench;
    bench_init(&bench);
    conv_scaled_swish(bench.graph);
    bench_run(&bench);
    a = nn_activation_of(fused_view(&bench, "Conv"));
    ck_assert_float_eq(a.alpha, 2.0f);
    ck_assert_float_eq(a.beta, 1.0f);
    bench_clear(&bench);
}
END_TEST

/* ------------------------------------------------------------- narrow floats */

/* A constant of float16: 0, 1, 2, ... */
static TsrValue *halves(TsrGraph *g, const char *name, guint32 rank, const gint64 *shape)
{
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_FLOAT16, rank, shape, NULL);
    GError *error = NULL;
    guint16 *data = tsr_array_data(array);
    TsrValue *made;
    for (gsize i = 0; i < tsr_array_size_bytes(array) / 2; i++)
        data[i] = tsr_float_to_float16((float)i);
    made = tsr_build_constant(g, name, array, &error);
    ck_no_error(error);
    return made;
}

static TsrValue *narrow_input(TsrGraph *g)
{
    GError *error = NULL;
    TsrValue *made = tsr_build_input(g, "x", TSR_DTYPE_FLOAT16, SHAPE(1, 16, 8, 8), &error);
    ck_no_error(error);
    return made;
}

/* Everything around a float16 Conv goes into it; the scaled weights are float, so that
 * they are rounded once, when they are packed. */
START_TEST(narrow_conv)
{
    g_autofree char *got = NULL;
    const TsrNodeView *view;
    Bench bench;
    TsrGraph *g;
    TsrValue *x, *c;
    bench_init(&bench);
    g = bench.graph;
    x = narrow_input(g);
    c = fixture_node(g, "Conv", "c", VALUES(x, halves(g, "w", SHAPE(16, 16, 1, 1))), NULL);
    c = fixture_node(g, "Mul", "mul", VALUES(c, halves(g, "scale", SHAPE(16, 1, 1))), NULL);
    c = fixture_node(g, "Add", "add", VALUES(c, x), NULL);
    output(g, relu(g, c));
    bench_run(&bench);
    got = operators(g);
    ck_assert_str_eq(got, "nn.Conv:1+z");
    view = fused_view(&bench, "Conv");
    ck_assert_uint_eq(view->outputs[0]->dtype, TSR_DTYPE_FLOAT16);
    ck_assert_uint_eq(view->inputs[1]->dtype, TSR_DTYPE_FLOAT);
    for (int i = 0; i < 256; i++)
        ck_assert_float_eq(((const float *)view->values[1]->data)[i], (float)(i * (i / 16)));
    bench_clear(&bench);
}
END_TEST

/* The ConvTranspose kernel is one of floats, so the node is computed between casts. */
START_TEST(narrow_transposed)
{
    g_autofree char *got = NULL;
    Bench bench;
    TsrGraph *g;
    TsrValue *x;
    bench_init(&bench);
    g = bench.graph;
    x = fixture_node(g, "ConvTranspose", "c",
                     VALUES(narrow_input(g), halves(g, "w", SHAPE(16, 4, 2, 2))),
                     "strides=[2,2]");
    x = fixture_node(g, "BatchNormalization", "bn",
                     VALUES(x, halves(g, "s", SHAPE(4)), halves(g, "b", SHAPE(4)),
                            halves(g, "m", SHAPE(4)), halves(g, "v", SHAPE(4))), NULL);
    output(g, relu(g, x));
    bench_run(&bench);
    got = operators(g);
    ck_assert_str_eq(got, "nn.ConvTranspose:1");
    bench_clear(&bench);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("passes");
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tests, scales_weights);
    tcase_add_test(tests, scales_transposed_weights);
    tcase_add_test(tests, scales_swish);
    tcase_add_test(tests, narrow_conv);
    tcase_add_test(tests, narrow_transposed);
    return check_main("nn_fusion", tests);
}
