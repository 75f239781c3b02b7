/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conflict.c: a declared meaning of inputs that contradicts what operators fix is told and
 * changes no number, on the engines that block by it, with fusion on and off.
 */
#include <math.h>

#include "api/session.h"
#include "fixture.h"

enum { OUTPUTS = 4 };

static TsrValue *weights(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    g_autoptr(TsrArray) array = fixture_array(NULL, rank, shape);
    TsrValue *value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

/* x -> conv -> + z -> relu; z -> deconv; product and concatenation of both. The sum means what
 * the convolution says, so that it is blocked with z inside unless somebody looks. */
static void build(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 32, 12, 12));
    TsrValue *z = fixture_input(graph, "z", SHAPE(1, 32, 12, 12)), *y, *r, *d;
    y = fixture_node(graph, "Conv", "conv",
                     VALUES(x, weights(graph, "w1", SHAPE(32, 32, 3, 3))), "pads=[1,1,1,1]");
    y = fixture_node(graph, "Add", "sum", VALUES(y, z), NULL);
    r = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    d = fixture_node(graph, "ConvTranspose", "deconv",
                     VALUES(z, weights(graph, "w2", SHAPE(32, 32, 1, 1))), NULL);
    tsr_build_output(graph, "1", r);
    tsr_build_output(graph, "2", fixture_node(graph, "MaxPool", "pool", VALUES(d),
                                              "kernel_shape=[2,2]"));
    tsr_build_output(graph, "3", fixture_node(graph, "Mul", "product", VALUES(r, d), NULL));
    tsr_build_output(graph, "4",
                     fixture_node(graph, "Concat", "both", VALUES(r, d), "axis=1"));
}

static guint run(gboolean safe, gboolean fused, const char *const *formats, TsrArray **outputs)
{
    const char *const all[] = {"all", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    TsrCompileOptions compile = {.struct_size = sizeof(compile), .input_formats = formats};
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(1, 32, 12, 12));
    g_autoptr(TsrArray) z = fixture_array(NULL, SHAPE(1, 32, 12, 12));
    TsrArray *inputs[2] = {x, z};
    GError *error = NULL;
    for (guint i = 0; i < 32 * 144; i++)
        ((float *)tsr_array_data(z))[i] = (float)(i % 101) * 0.01f - 0.5f;
    options.safe_mode = safe;
    if (!fused)
        compile.disable_fusion = all;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    graph = tsr_session_graph(session, "test");
    build(graph);
    model = tsr_session_compile(session, graph, &compile, &error);
    ck_no_error(error);
    ck_assert_msg(tsr_model_run(model, inputs, outputs, &error), "%s",
                  error != NULL ? error->message : "");
    return model->report->format_conflicts->len;
}

START_TEST(numbers_stay)
{
    static const char *const rows[][3] = {
        {NULL}, {"z:NHWC", NULL}, {"z:HWCN", NULL}, {"x:NHWC", NULL}, {"x:HWCN", NULL},
        {"x:NHWC", "z:NHWC", NULL},
    };
    TsrArray *wanted[OUTPUTS] = {NULL};
    ck_assert_uint_eq(run(TRUE, FALSE, NULL, wanted), 0);
    for (gsize i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
        const char *const *formats = rows[i / 2];
        TsrArray *got[OUTPUTS] = {NULL};
        guint conflicts = run(FALSE, i % 2, formats, got);
        ck_assert_msg((conflicts != 0) == (formats[0] != NULL), "row %zu: %u conflicts", i / 2,
                      conflicts);
        for (guint k = 0; k < OUTPUTS; k++) {
            const float *a = tsr_array_data(wanted[k]), *b = tsr_array_data(got[k]);
            float most = 0.0f;
            ck_assert_uint_eq(tsr_array_size_bytes(wanted[k]), tsr_array_size_bytes(got[k]));
            for (gsize e = 0; e < tsr_array_size_bytes(got[k]) / sizeof(float); e++)
                most = fmaxf(most, fabsf(a[e] - b[e]));
            ck_assert_msg(most < 1e-3f, "%s %s, fusion %s: output %u differs by %g",
                          formats[0] != NULL ? formats[0] : "none",
                          formats[0] != NULL && formats[1] != NULL ? formats[1] : "",
                          i % 2 ? "on" : "off", k + 1, (double)most);
            tsr_array_unref(got[k]);
        }
    }
    for (guint k = 0; k < OUTPUTS; k++)
        tsr_array_unref(wanted[k]);
}
END_TEST

/* A caller that was built before the last options were there says so by the size. */
START_TEST(older_options_are_shorter)
{
    TsrCompileOptions compile = {.struct_size = G_STRUCT_OFFSET(TsrCompileOptions, precision),
                                 .precision = "no such mode"};
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    g_autoptr(TsrModel) model = NULL;
    GError *error = NULL;
    session = tsr_session_new(NULL, &error);
    ck_no_error(error);
    graph = tsr_session_graph(session, "test");
    build(graph);
    model = tsr_session_compile(session, graph, &compile, &error);
    ck_no_error(error);
    ck_assert_int_eq(model->report->precision.mode, TSR_MUST_KEEP_ORIGIN);
}
END_TEST

FIXTURE_MAIN("conflict", numbers_stay, older_options_are_shorter)
