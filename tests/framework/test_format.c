/* SPDX-License-Identifier: Apache-2.0
 *
 * test_format.c: storage formats on a placed graph: conversions where producer and
 * consumer differ, none where they agree, constants converted at compile time. The real
 * reference engine folds; the format selector is made by hand.
 */
#include "api/session.h"
#include "engine/place.h"
#include "fixture.h"
#include "ir/verify.h"
#include "optimize/format_select.h"
#include "prepare/format_infer.h"
#include "prepare/infer.h"
#include "prepare/prepare.h"

#define C0_LANES 16

/* Conv wants NC1HWC0, weights included; Relu and Mul take what comes; the rest stays plain. */
static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out)
{
    gboolean blocked = strcmp(node->op_type, "Conv") == 0;
    (void)selector;
    out->selector = TSR_SELECTOR_BUILTIN;
    out->count = blocked || strcmp(node->op_type, "Relu") == 0 ||
                         strcmp(node->op_type, "Mul") == 0
                     ? 1
                     : 0;
    for (uint32_t i = 0; i < out->port_count; i++)
        out->formats[i] = !blocked ? TSR_FORMAT_ANY : TSR_FORMAT_NC1HWC0;
    return TSR_OK;
}

static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = "by hand", .columns = columns};

typedef struct Bench {
    TsrSession *session;
    TsrPluginSet *set;
    TsrLoadedPlugin *aicpu;
    const TsrFormatSelector *own_selector;
    TsrGraph *graph;
} Bench;

static void bench_init(Bench *bench)
{
    const char *const priority[] = {"aicpu", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    options.engine_priority = priority;
    bench->session = tsr_session_new(&options, &error);
    ck_no_error(error);
    bench->set = bench->session->set;
    bench->aicpu = (TsrLoadedPlugin *)tsr_plugin_set_reference(bench->set);
    bench->own_selector = bench->aicpu->selector;
    bench->aicpu->selector = &selector;
    bench->graph = tsr_session_graph(bench->session, "test");
}

static void bench_clear(Bench *bench)
{
    bench->aicpu->selector = bench->own_selector;
    tsr_graph_unref(bench->graph);
    tsr_session_free(bench->session);
}

static TsrFormatReport select_formats(Bench *bench)
{
    TsrFormatReport report;
    GError *error = NULL;
    ck_assert_msg(tsr_prepare_graph(bench->graph, bench->aicpu, &error) &&
                      tsr_place_graph(bench->graph, bench->set, &error) &&
                      tsr_format_infer(bench->graph, &error),
                  "%s", error != NULL ? error->message : "");
    ck_assert_msg(tsr_format_select(bench->graph, bench->set, C0_LANES, TSR_FORMAT_ND, &report,
                                    &error),
                  "%s",
                  error != NULL ? error->message : "");
    ck_assert_msg(tsr_graph_verify(bench->graph, &error), "%s",
                  error != NULL ? error->message : "");
    return report;
}

static TsrValue *input_of(Bench *bench, const char *node, guint index)
{
    return g_ptr_array_index(fixture_find(bench->graph, node)->inputs, index);
}

static TsrValue *output_of(Bench *bench, const char *node)
{
    return g_ptr_array_index(fixture_find(bench->graph, node)->outputs, 0);
}

static TsrValue *conv(Bench *bench, const char *name, TsrValue *x, gint64 in, gint64 out)
{
    g_autofree char *weights = g_strdup_printf("%s_w", name);
    TsrValue *w = fixture_constant(bench->graph, weights, SHAPE(out, in, 1, 1));
    /* Only a meaning that the user gave lets weights be blocked ahead of time. */
    w->desc.view.origin_format = w->desc.view.storage_format = TSR_FORMAT_NCHW;
    return fixture_node(bench->graph, "Conv", name, VALUES(x, w), NULL);
}

START_TEST(converts_at_the_edges)
{
    Bench bench;
    TsrFormatReport report;
    TsrValue *y;
    bench_init(&bench);
    y = conv(&bench, "c1", fixture_input(bench.graph, "x", SHAPE(1, 17, 4, 4)), 17, 20);
    y = fixture_node(bench.graph, "Relu", "r", VALUES(y), NULL);
    tsr_build_output(bench.graph, "out", conv(&bench, "c2", y, 20, 5));
    report = select_formats(&bench);
    /* One in, one out; the weights cost nothing at run time. */
    ck_assert_uint_eq(report.transdata, 2);
    ck_assert_uint_eq(report.transdata_folded, 2);
    ck_assert_uint_eq(report.converted_bytes, (17 * 16 + 16 * 16) * 4);
    ck_assert_str_eq(input_of(&bench, "c1", 0)->producer->def->name, "TransData");
    ck_assert_uint_eq(input_of(&bench, "c1", 0)->desc.view.storage_format, TSR_FORMAT_NC1HWC0);
    ck_assert_ptr_nonnull(input_of(&bench, "c1", 1)->constant);
    ck_assert_uint_eq(input_of(&bench, "c1", 1)->desc.view.storage_format, TSR_FORMAT_NC1HWC0);
    /* Relu took its producer's format, so nothing stands between. */
    ck_assert_ptr_eq(input_of(&bench, "r", 0), output_of(&bench, "c1"));
    ck_assert_ptr_eq(input_of(&bench, "c2", 0), output_of(&bench, "r"));
    ck_assert_uint_eq(output_of(&bench, "r")->desc.view.storage_format, TSR_FORMAT_NC1HWC0);
    ck_assert_uint_eq(
        g_array_index(bench.graph->outputs, TsrGraphOutput, 0).value->desc.view.storage_format,
        TSR_FORMAT_NCHW);
    bench_clear(&bench);
}
END_TEST

START_TEST(folded_weights_are_right)
{
    Bench bench;
    const float *data;
    TsrValue *packed;
    bench_init(&bench);
    tsr_build_output(bench.graph, "out",
                     conv(&bench, "c", fixture_input(bench.graph, "x", SHAPE(1, 3, 2, 2)), 3, 2));
    select_formats(&bench);
    packed = input_of(&bench, "c", 1);
    ck_assert_uint_eq(g_bytes_get_size(packed->constant), 2 * 16 * sizeof(float));
    data = g_bytes_get_data(packed->constant, NULL);
    /* [N, C1, H, W, C0]: weight (n, c) is n * 3 + c and lies at n * 16 + c; padding is 0. */
    for (int n = 0; n < 2; n++)
        for (int c = 0; c < 16; c++)
            ck_assert(data[n * 16 + c] == (c < 3 ? (float)(n * 3 + c) : 0.0f));
    bench_clear(&bench);
}
END_TEST

START_TEST(one_conversion_serves_all)
{
    Bench bench;
    TsrFormatReport report;
    TsrValue *x;
    bench_init(&bench);
    x = fixture_input(bench.graph, "x", SHAPE(1, 8, 4, 4));
    tsr_build_output(bench.graph, "a", conv(&bench, "c1", x, 8, 4));
    tsr_build_output(bench.graph, "b", conv(&bench, "c2", x, 8, 4));
    report = select_formats(&bench);
    ck_assert_ptr_eq(input_of(&bench, "c1", 0), input_of(&bench, "c2", 0));
    ck_assert_uint_eq(report.transdata, 3);
    bench_clear(&bench);
}
END_TEST

/* Back and forth cancels: who wants the plain value reads the original. */
START_TEST(there_and_back_is_nothing)
{
    Bench bench;
    TsrFormatReport report;
    TsrValue *x, *y;
    bench_init(&bench);
    x = fixture_input(bench.graph, "x", SHAPE(1, 8, 4, 4));
    y = conv(&bench, "c1", x, 8, 4);
    tsr_build_output(bench.graph, "a", y);
    tsr_build_output(bench.graph, "b",
                     fixture_node(bench.graph, "Softmax", "s", VALUES(y), "axis=1"));
    tsr_build_output(bench.graph, "c", conv(&bench, "c2", y, 4, 4));
    report = select_formats(&bench);
    /* x in, y out (for the output and for Softmax), c2 out; c2 reads c1 directly. */
    ck_assert_uint_eq(report.transdata, 3);
    ck_assert_ptr_eq(input_of(&bench, "c2", 0), output_of(&bench, "c1"));
    ck_assert_ptr_eq(input_of(&bench, "s", 0),
                     g_array_index(bench.graph->outputs, TsrGraphOutput, 0).value);
    bench_clear(&bench);
}
END_TEST

/* The blocks of NCHW and of NHWC hold other elements: such values never meet blocked. */
START_TEST(different_meanings_stay_plain)
{
    Bench bench;
    TsrValue *x, *y;
    bench_init(&bench);
    x = fixture_input(bench.graph, "x", SHAPE(1, 8, 8, 8));
    x->desc.view.origin_format = x->desc.view.storage_format = TSR_FORMAT_NHWC;
    y = conv(&bench, "c1", fixture_input(bench.graph, "z", SHAPE(1, 8, 8, 8)), 8, 8);
    y = fixture_node(bench.graph, "Mul", "m", VALUES(y, x), NULL);
    tsr_build_output(bench.graph, "out", y);
    select_formats(&bench);
    ck_assert_uint_eq(bench.graph->format_conflicts->len, 1);
    ck_assert_uint_lt(input_of(&bench, "m", 0)->desc.view.storage_format, TSR_FORMAT_NC1HWC0);
    ck_assert_uint_lt(output_of(&bench, "m")->desc.view.storage_format, TSR_FORMAT_NC1HWC0);
    bench_clear(&bench);
}
END_TEST

START_TEST(unknown_shapes_stay_plain)
{
    Bench bench;
    TsrFormatReport report;
    bench_init(&bench);
    tsr_build_output(bench.graph, "out",
                     conv(&bench, "c", fixture_input(bench.graph, "x", SHAPE(-1, 8, 4, 4)), 8, 4));
    report = select_formats(&bench);
    ck_assert_uint_eq(report.transdata, 0);
    ck_assert_uint_eq(report.transdata_folded, 0);
    ck_assert_uint_eq(output_of(&bench, "c")->desc.view.storage_format, TSR_FORMAT_NCHW);
    bench_clear(&bench);
}
END_TEST

START_TEST(selector_switched_off)
{
    Bench bench;
    TsrFormatReport report;
    bench_init(&bench);
    g_hash_table_insert(bench.set->conf->selectors, g_strdup("aicpu"), (gpointer) "off");
    tsr_build_output(bench.graph, "out",
                     conv(&bench, "c", fixture_input(bench.graph, "x", SHAPE(1, 8, 4, 4)), 8, 4));
    report = select_formats(&bench);
    ck_assert_uint_eq(report.transdata, 0);
    bench_clear(&bench);
}
END_TEST

FIXTURE_MAIN("format", converts_at_the_edges, folded_weights_are_right, one_conversion_serves_all,
             there_and_back_is_nothing, different_meanings_stay_plain, unknown_shapes_stay_plain,
             selector_switched_off)
