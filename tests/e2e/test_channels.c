/* SPDX-License-Identifier: Apache-2.0
 *
 * test_channels.c: padding lanes never reach a result: two small networks at every channel
 * count from 1 to 40, with each storage format forced, with and without fusion, against the
 * reference engine. Exp makes 1 of a zero in a padding lane and inf of a large number there,
 * and a sum over the channels would show either.
 */
#include <math.h>

#include "../support/check_main.h"
#include "api/session.h"
#include "fixture.h"

enum { MOST_OUTPUTS = 6 };

static TsrValue *node(TsrGraph *graph, const char *op, const char *name, TsrValue *const *inputs,
                      const char *attrs)
{
    return fixture_node(graph, op, name, inputs, attrs);
}

/* Constants of about that size, of changing sign. */
static TsrValue *constant(TsrGraph *graph, const char *name, float size, guint32 rank,
                          const gint64 *shape)
{
    GError *error = NULL;
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_FLOAT, rank, shape, &error);
    float *data = tsr_array_data(array);
    TsrValue *value;
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++)
        data[i] = size * ((float)(i * 7 % 13) - 6.0f) / 6.0f;
    value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

static TsrValue *axes(TsrGraph *graph, const char *name, gint64 axis)
{
    const gint64 one = 1;
    GError *error = NULL;
    g_autoptr(TsrArray) array =
        tsr_array_create_from(TSR_DTYPE_INT64, 1, &one, &axis, sizeof(axis), &error);
    TsrValue *value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

/* Pictures: convolutions of all kinds, pools, sums over channels and pixels, a concatenation
 * inside blocks. */
static void build_pictures(TsrGraph *graph, gint64 c)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, c, 7, 5));
    TsrValue *w = constant(graph, "w", 0.2f, SHAPE(c + 3, c, 3, 3));
    TsrValue *y = node(graph, "Conv", "conv", VALUES(x, w), "pads=[1,1,1,1]");
    TsrValue *r = node(graph, "Relu", "relu", VALUES(y), NULL);
    TsrValue *d = constant(graph, "d", 0.3f, SHAPE(c + 3, 1, 3, 3));
    g_autofree char *group = g_strdup_printf("pads=[1,1,1,1] group=%d", (int)c + 3);
    TsrValue *deep = node(graph, "Conv", "depthwise", VALUES(r, d), group);
    TsrValue *point = node(graph, "Conv", "pointwise",
                           VALUES(deep, constant(graph, "p", 0.2f, SHAPE(c, c + 3, 1, 1))), NULL);
    TsrValue *sum = node(graph, "Add", "residual", VALUES(point, x), NULL);
    TsrValue *e = node(graph, "Exp", "exp",
                       VALUES(node(graph, "Tanh", "tanh", VALUES(sum), NULL)), NULL);
    TsrValue *both = node(graph, "Concat", "concat", VALUES(e, r), "axis=1");
    tsr_build_output(graph, "over_channels",
                     node(graph, "ReduceSum", "sum_c", VALUES(e, axes(graph, "a1", 1)), NULL));
    tsr_build_output(graph, "over_rows",
                     node(graph, "ReduceMax", "max_h", VALUES(both, axes(graph, "a3", 2)), NULL));
    tsr_build_output(graph, "pooled",
                     node(graph, "MaxPool", "pool", VALUES(both),
                          "kernel_shape=[2,2] strides=[2,2]"));
    tsr_build_output(graph, "mean", node(graph, "GlobalAveragePool", "gap", VALUES(both), NULL));
    tsr_build_output(graph, "softmax", node(graph, "Softmax", "soft", VALUES(sum), "axis=1"));
    tsr_build_output(graph, "plain", sum);
}

/* Matrices, with c rows and columns that fill no fractals. */
static void build_matrices(TsrGraph *graph, gint64 c)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, c, 37));
    TsrValue *h = node(graph, "MatMul", "first",
                       VALUES(x, constant(graph, "w1", 0.2f, SHAPE(37, c))), NULL);
    TsrValue *b = node(graph, "Add", "bias", VALUES(h, constant(graph, "b", 0.5f, SHAPE(c))),
                       NULL);
    TsrValue *e = node(graph, "Exp", "exp",
                       VALUES(node(graph, "Tanh", "tanh", VALUES(b), NULL)), NULL);
    TsrValue *y = node(graph, "MatMul", "second",
                       VALUES(e, constant(graph, "w2", 0.2f, SHAPE(c, 37))), NULL);
    TsrValue *s = node(graph, "Add", "residual", VALUES(y, x), NULL);
    tsr_build_output(graph, "sum",
                     node(graph, "ReduceSum", "sum_last", VALUES(e, axes(graph, "a2", 2)), NULL));
    tsr_build_output(graph, "over_batch",
                     node(graph, "ReduceSum", "sum_0", VALUES(e, axes(graph, "a0", 0)), NULL));
    tsr_build_output(graph, "plain", s);
}

typedef void (*Build)(TsrGraph *graph, gint64 channels);

static guint run(TsrSession *session, Build build, gint64 channels, const char *format,
                 gboolean fused, TsrArray **outputs)
{
    static const char *const all[] = {"all", NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options), .force_format = format,
                                       .disable_fusion = fused ? NULL : all};
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "channels");
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrArray) x = NULL;
    const gint64 *shape;
    guint32 rank;
    GError *error = NULL;
    build(graph, channels);
    model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    tsr_model_input(model, 0, NULL, &rank, &shape);
    x = fixture_array(NULL, rank, shape);
    for (gsize i = 0; i < tsr_array_size_bytes(x) / sizeof(float); i++)
        ((float *)tsr_array_data(x))[i] = (float)(i * 31 % 97) / 48.0f - 1.0f;
    ck_assert_uint_le(tsr_model_output_count(model), MOST_OUTPUTS);
    ck_assert(tsr_model_run(model, &x, outputs, &error));
    ck_no_error(error);
    return tsr_model_output_count(model);
}

static void ck_same(TsrArray *got, TsrArray *want, const char *what, gint64 channels, guint output)
{
    const float *a = tsr_array_data(got), *b = tsr_array_data(want);
    ck_assert_uint_eq(tsr_array_size_bytes(got), tsr_array_size_bytes(want));
    for (gsize i = 0; i < tsr_array_size_bytes(got) / sizeof(float); i++)
        ck_assert_msg(fabsf(a[i] - b[i]) <= 2e-5f * fmaxf(1.0f, fabsf(b[i])),
                      "%s, %d channels, output %u [%zu]: %g, wanted %g", what, (int)channels,
                      output, i, (double)a[i], (double)b[i]);
}

static void free_outputs(TsrArray **outputs)
{
    for (guint i = 0; i < MOST_OUTPUTS; i++)
        g_clear_pointer(&outputs[i], tsr_array_unref);
}

/* _i is the channel count less one. */
START_TEST(every_format)
{
    static const char *const formats[] = {NULL,        "plain",       "NHWC",     "HWCN",
                                          "NC1HWC0",   "FRACTAL_Z",   "FRACTAL_NZ",
                                          "C1HWNCoC0"};
    static const Build builds[] = {build_pictures, build_matrices};
    TsrSessionOptions safe = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    g_autoptr(TsrSession) session = tsr_session_new(NULL, &error);
    g_autoptr(TsrSession) reference = NULL;
    safe.safe_mode = TRUE;
    reference = tsr_session_new(&safe, &error);
    ck_no_error(error);
    for (gsize k = 0; k < G_N_ELEMENTS(builds); k++) {
        TsrArray *wanted[MOST_OUTPUTS] = {NULL};
        const guint count = run(reference, builds[k], _i + 1, NULL, FALSE, wanted);
        for (gsize f = 0; f < G_N_ELEMENTS(formats); f++)
            for (int fused = 0; fused < 2; fused++) {
                TsrArray *got[MOST_OUTPUTS] = {NULL};
                run(session, builds[k], _i + 1, formats[f], fused, got);
                for (guint i = 0; i < count; i++)
                    ck_same(got[i], wanted[i], formats[f] != NULL ? formats[f] : "chosen", _i + 1,
                            i);
                free_outputs(got);
            }
        free_outputs(wanted);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("channels");
    tcase_add_loop_test(tests, every_format, 0, 40);
    tcase_set_timeout(tests, 60);
    return check_main("channels", tests);
}
