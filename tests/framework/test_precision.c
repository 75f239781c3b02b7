/* SPDX-License-Identifier: Apache-2.0
 *
 * test_precision.c: precision modes: what becomes narrow under each, where Casts stand, what the
 * user's lists say, and what is told when a mode cannot be met. Engines are made by hand but for
 * the last tests, which compute on the reference engine.
 */
#include <math.h>
#include <tessera/plugin_util.h>

#include "api/session.h"
#include "engine/place.h"
#include "fixture.h"
#include "ir/verify.h"
#include "optimize/precision.h"
#include "optimize/precision_list.h"
#include "prepare/clean.h"
#include "prepare/infer.h"

#define F32 TSR_DTYPE_FLOAT
#define F16 TSR_DTYPE_FLOAT16
#define BF16 TSR_DTYPE_BFLOAT16

/* An engine that takes narrow floats for the operators of a list, in the ports of a list. */
typedef struct Narrow {
    FakeEngine fake;
    const char *ops;       /* " Conv Relu "; NULL: all */
    guint32 port_limit;    /* inputs from here on have to be float; 0: none */
    TsrPluginSet *set;
    TsrPrecisionReport report;
} Narrow;

static int has_word(const char *words, const char *word)
{
    g_autofree char *wanted = g_strdup_printf(" %s ", word);
    return words == NULL || strstr(words, wanted) != NULL;
}

static int32_t narrow_check(const TsrEngine *engine, const TsrNodeView *node,
                            TsrSupport *out_support)
{
    const Narrow *narrow = (const Narrow *)engine;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const TsrTensorDesc *desc = node->inputs[i];
        if (desc == NULL || (desc->dtype != F16 && desc->dtype != BF16))
            continue;
        if (node->values[i] != NULL && node->values[i]->desc->dtype != desc->dtype)
            return tsr_support_no(out_support, TSR_REFUSE_VALUE, "a constant of another type");
        if (strcmp(node->op_type, "Cast") != 0 &&
            (!has_word(narrow->ops, node->op_type) ||
             (narrow->port_limit != 0 && i >= narrow->port_limit)))
            return tsr_support_no(out_support, TSR_REFUSE_DTYPE, "%s: input %u is %s",
                                  node->op_type, i, tsr_dtype_name(desc->dtype));
    }
    return tsr_support_yes(out_support, 1.0f);
}

static uint32_t narrow_precision(const TsrEngine *engine, const TsrNodeView *node)
{
    (void)engine;
    return strcmp(node->op_type, "Conv") == 0      ? TSR_PRECISION_WHITE
           : strcmp(node->op_type, "Softmax") == 0 ? TSR_PRECISION_BLACK
                                                   : TSR_PRECISION_GREY;
}

static void narrow_init(Narrow *narrow, const char *ops, const char *conf)
{
    FakeEngine *const list[] = {&narrow->fake};
    memset(narrow, 0, sizeof(*narrow));
    fake_engine_init(&narrow->fake, "narrow", NULL);
    narrow->fake.engine.check = narrow_check;
    narrow->fake.engine.precision = narrow_precision;
    narrow->ops = ops;
    narrow->set = fixture_set(list, 1, conf);
}

static void narrow_clear(Narrow *narrow)
{
    tsr_precision_report_clear(&narrow->report);
    tsr_plugin_set_free(narrow->set);
}

static gboolean apply(Narrow *narrow, TsrGraph *graph, TsrPrecisionMode mode, GHashTable *list,
                      GError **error)
{
    gboolean done;
    ck_assert_msg(tsr_infer_graph(graph, NULL, error) &&
                      tsr_place_graph(graph, narrow->set, error),
                  "%s", *error != NULL ? (*error)->message : "");
    tsr_precision_report_clear(&narrow->report);
    done = tsr_precision_apply(graph, narrow->set, mode, list, &narrow->report, error);
    if (done) {
        tsr_clean_dead(graph);
        ck_assert_msg(tsr_graph_verify(graph, error) && tsr_place_graph(graph, narrow->set, error),
                      "%s", *error != NULL ? (*error)->message : "");
    }
    return done;
}

static void must_apply(Narrow *narrow, TsrGraph *graph, TsrPrecisionMode mode, GHashTable *list)
{
    GError *error = NULL;
    gboolean done = apply(narrow, graph, mode, list, &error);
    ck_assert_msg(done, "%s", error != NULL ? error->message : "");
}

static guint32 type_of(TsrGraph *graph, const char *node)
{
    return ((const TsrValue *)g_ptr_array_index(fixture_find(graph, node)->outputs, 0))
        ->desc.view.dtype;
}

static guint count_of(TsrGraph *graph, const char *op)
{
    guint count = 0;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        count += node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, op) == 0;
    }
    return count;
}

static guint32 output_type(TsrGraph *graph, guint index)
{
    return g_array_index(graph->outputs, TsrGraphOutput, index).value->desc.view.dtype;
}

static TsrValue *conv(TsrGraph *graph, const char *name, TsrValue *x)
{
    g_autofree char *weights = g_strdup_printf("%s_w", name);
    TsrValue *w = fixture_constant(graph, weights, SHAPE(2, 2, 1, 1));
    return fixture_node(graph, "Conv", name, VALUES(x, w), NULL);
}

/* x -> conv -> relu -> softmax -> conv2 -> neg -> out */
static TsrGraph *chain(void)
{
    TsrGraph *graph = fixture_graph();
    TsrValue *y = conv(graph, "conv", fixture_input(graph, "x", SHAPE(1, 2, 3, 3)));
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    y = fixture_node(graph, "Softmax", "softmax", VALUES(y), "axis=1");
    y = conv(graph, "conv2", y);
    tsr_build_output(graph, "out", fixture_node(graph, "Neg", "neg", VALUES(y), NULL));
    return graph;
}

static void ck_types(TsrGraph *graph, guint32 first, guint32 relu, guint32 softmax,
                     guint32 second, guint32 neg)
{
    ck_assert_uint_eq(type_of(graph, "conv"), first);
    ck_assert_uint_eq(type_of(graph, "relu"), relu);
    ck_assert_uint_eq(type_of(graph, "softmax"), softmax);
    ck_assert_uint_eq(type_of(graph, "conv2"), second);
    ck_assert_uint_eq(type_of(graph, "neg"), neg);
    ck_assert_uint_eq(output_type(graph, 0), F32);
    ck_assert_uint_eq(((const TsrValue *)g_ptr_array_index(graph->inputs, 0))->desc.view.dtype,
                      F32);
}

START_TEST(keeps_by_default)
{
    g_autoptr(TsrGraph) graph = chain();
    Narrow narrow;
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_MUST_KEEP_ORIGIN, NULL);
    ck_types(graph, F32, F32, F32, F32, F32);
    ck_assert_uint_eq(narrow.report.casts, 0);
    ck_assert_uint_eq(narrow.report.ops[F32], 5);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(allows_white)
{
    g_autoptr(TsrGraph) graph = chain();
    Narrow narrow;
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_ALLOW_FP16, NULL);
    ck_types(graph, F16, F32, F32, F16, F32);
    /* In and out of each convolution; the weights are converted now. */
    ck_assert_uint_eq(count_of(graph, "Cast"), 4);
    ck_assert_uint_eq(narrow.report.casts, 4);
    ck_assert_uint_eq(narrow.report.constants, 2);
    ck_assert_uint_eq(narrow.report.ops[F16], 2);
    ck_assert_uint_eq(narrow.report.ops[F32], 3);
    ck_assert_uint_eq(narrow.report.warnings->len, 0);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(mixes_by_colour)
{
    g_autoptr(TsrGraph) graph = chain();
    g_autoptr(TsrGraph) other = chain();
    Narrow narrow;
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_MIX_FP16, NULL);
    ck_types(graph, F16, F16, F32, F16, F16);
    ck_assert_uint_eq(count_of(graph, "Cast"), 4);
    must_apply(&narrow, other, TSR_MIX_BF16, NULL);
    ck_types(other, BF16, BF16, F32, BF16, BF16);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(grey_follows_all_its_producers)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 2, 3, 3)), *a, *b;
    Narrow narrow;
    a = conv(graph, "a", x);
    b = conv(graph, "b", x);
    tsr_build_output(graph, "1", fixture_node(graph, "Add", "both", VALUES(a, b), NULL));
    tsr_build_output(graph, "2", fixture_node(graph, "Add", "half", VALUES(a, x), NULL));
    tsr_build_output(graph, "3", fixture_node(graph, "Relu", "none", VALUES(x), NULL));
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_MIX_FP16, NULL);
    ck_assert_uint_eq(type_of(graph, "both"), F16);
    ck_assert_uint_eq(type_of(graph, "half"), F32);
    ck_assert_uint_eq(type_of(graph, "none"), F32);
    /* x and a are cast once each, and the sum. */
    ck_assert_uint_eq(narrow.report.casts, 3);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(forces_everything)
{
    g_autoptr(TsrGraph) graph = chain();
    Narrow narrow;
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_FORCE_FP16, NULL);
    ck_types(graph, F16, F16, F16, F16, F16);
    ck_assert_uint_eq(count_of(graph, "Cast"), 2);
    ck_assert_uint_eq(narrow.report.ops[F16], 5);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(forced_and_refused_is_an_error)
{
    g_autoptr(TsrGraph) graph = chain();
    GError *error = NULL;
    Narrow narrow;
    narrow_init(&narrow, " Conv Relu ", NULL);
    ck_assert(!apply(&narrow, graph, TSR_FORCE_FP16, NULL, &error));
    ck_error(error, TSR_UNSUPPORTED,
             "force_fp16: no engine takes Softmax 'softmax' in float16 (narrow: Softmax: input 0 "
             "is float16)");
    narrow_clear(&narrow);
}
END_TEST

START_TEST(allowed_and_refused_is_a_warning)
{
    g_autoptr(TsrGraph) graph = chain();
    Narrow narrow;
    narrow_init(&narrow, " Relu Neg ", NULL);
    must_apply(&narrow, graph, TSR_MIX_FP16, NULL);
    ck_types(graph, F32, F32, F32, F32, F32);
    ck_assert_uint_eq(narrow.report.warnings->len, 2);
    ck_assert_str_eq(g_ptr_array_index(narrow.report.warnings, 0),
                     "Conv 'conv' stays float (narrow: Conv: input 0 is float16)");
    ck_assert_uint_eq(narrow.report.casts, 0);
    narrow_clear(&narrow);
}
END_TEST

/* Where an engine wants the parameters in float, the main inputs can still be narrow. */
START_TEST(parameters_may_stay_float)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 2, 3, 3));
    TsrValue *p = fixture_constant(graph, "p", SHAPE(2));
    TsrNode *node;
    Narrow narrow;
    tsr_build_output(graph, "out", fixture_node(graph, "BatchNormalization", "bn",
                                                VALUES(x, p, p, p, p), NULL));
    narrow_init(&narrow, NULL, NULL);
    narrow.port_limit = 1;
    must_apply(&narrow, graph, TSR_FORCE_FP16, NULL);
    node = fixture_find(graph, "bn");
    ck_assert_uint_eq(type_of(graph, "bn"), F16);
    for (guint i = 0; i < 5; i++)
        ck_assert_uint_eq(((const TsrValue *)g_ptr_array_index(node->inputs, i))->desc.view.dtype,
                          i == 0 ? F16 : F32);
    narrow_clear(&narrow);
}
END_TEST

/* --------------------------------------------------------------------- lists */

static GHashTable *list_of(const char *text, GError **error)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = fixture_file(directory, "list", text, -1);
    return tsr_precision_list_load(path, error);
}

START_TEST(lists_go_first)
{
    g_autoptr(TsrGraph) graph = chain();
    g_autoptr(GHashTable) list = NULL;
    GError *error = NULL;
    Narrow narrow;
    narrow_init(&narrow, NULL, "[precision]\nwhite = Softmax\nblack = conv\n");
    must_apply(&narrow, graph, TSR_MIX_FP16, NULL);
    ck_types(graph, F32, F32, F16, F16, F16);
    narrow_clear(&narrow);

    /* The user's file before the configuration, the node's name before its operator. */
    g_clear_pointer(&graph, tsr_graph_unref);
    graph = chain();
    list = list_of("[precision]\nwhite=conv, conv3\nblack = Conv;Sofmax\n", &error);
    ck_no_error(error);
    narrow_init(&narrow, NULL, "[precision]\nwhite = Relu\nblack = conv\n");
    must_apply(&narrow, graph, TSR_MIX_FP16, list);
    ck_types(graph, F16, F16, F32, F32, F32);
    ck_assert_uint_eq(narrow.report.warnings->len, 2);
    for (guint i = 0; i < 2; i++)
        ck_assert_ptr_nonnull(
            strstr(g_ptr_array_index(narrow.report.warnings, i), "did you mean '"));
    narrow_clear(&narrow);
}
END_TEST

START_TEST(wrong_lists)
{
    static const struct {
        const char *text;
        const char *part;
    } rows[] = {
        {"[precision]\nwhite = Conv\nblack = Conv\n", "'Conv' is in another list too"},
        {"[precision]\npink = Conv\n", "[precision] pink: wanted white, black or grey"},
        {"[formats]\nwhite = Conv\n", "wanted the group [precision], got [formats]"},
        {"white = Conv\n", "precision list"},
    };
    GError *error = NULL;
    TsrPrecisionMode mode;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        ck_assert_ptr_null(list_of(rows[i].text, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, rows[i].part);
    }
    ck_assert_ptr_null(tsr_precision_list_load("no/such/file", &error));
    ck_error(error, TSR_IO, "no/such/file");
    ck_assert(!tsr_precision_mode("mix_fp61", &mode, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "did you mean mix_fp16?");
    ck_assert(!tsr_precision_mode("fast", &mode, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "wanted must_keep_origin");
    ck_assert(tsr_precision_mode(NULL, &mode, &error));
    ck_assert_int_eq(mode, TSR_MUST_KEEP_ORIGIN);
}
END_TEST

/* --------------------------------------------------------- constants, casts */

START_TEST(constants_out_of_range_are_told)
{
    static const float data[] = {1.0f, -1e9f, INFINITY, 65504.0f, 65519.0f, 1e-30f};
    g_autoptr(TsrGraph) graph = fixture_graph();
    g_autoptr(TsrArray) array = fixture_array(data, SHAPE(6));
    const guint16 *bits;
    const TsrValue *converted;
    GError *error = NULL;
    TsrValue *mask, *x;
    Narrow narrow;
    mask = tsr_build_constant(graph, "mask", array, &error);
    ck_no_error(error);
    x = fixture_input(graph, "x", SHAPE(6));
    tsr_build_output(graph, "out", fixture_node(graph, "Add", "add", VALUES(x, mask), NULL));
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_FORCE_FP16, NULL);
    ck_assert_uint_eq(narrow.report.warnings->len, 1);
    ck_assert_str_eq(g_ptr_array_index(narrow.report.warnings, 0),
                     "constant 'mask': 2 of 6 numbers are out of range of float16 and become its "
                     "largest");
    converted = g_ptr_array_index(fixture_find(graph, "add")->inputs, 1);
    bits = g_bytes_get_data(converted->constant, NULL);
    ck_assert_uint_eq(bits[0], 0x3c00);
    ck_assert_uint_eq(bits[1], 0xfbff);
    ck_assert_uint_eq(bits[2], 0x7c00);
    ck_assert_uint_eq(bits[3], 0x7bff);
    ck_assert_uint_eq(bits[4], 0x7bff);
    ck_assert_uint_eq(bits[5], 0x0000);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(casts_of_the_user_cancel)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    GError *error = NULL;
    TsrValue *h = tsr_build_input(graph, "h", F16, SHAPE(1, 2, 3, 3), &error), *y;
    Narrow narrow;
    ck_no_error(error);
    y = fixture_node(graph, "Cast", "up", VALUES(h), "to=1");
    y = conv(graph, "conv", y);
    tsr_build_output(graph, "wide", y);
    y = fixture_node(graph, "Cast", "down", VALUES(y), "to=10");
    tsr_build_output(graph, "narrow", fixture_node(graph, "Neg", "neg", VALUES(y), NULL));
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_ALLOW_FP16, NULL);
    /* The convolution reads h itself, Neg the convolution; one Cast is left, of the output. */
    ck_assert_ptr_eq(g_ptr_array_index(fixture_find(graph, "conv")->inputs, 0), h);
    ck_assert_ptr_eq(((const TsrValue *)g_ptr_array_index(fixture_find(graph, "neg")->inputs, 0))
                         ->producer,
                     fixture_find(graph, "conv"));
    ck_assert_uint_eq(count_of(graph, "Cast"), 1);
    ck_assert_uint_eq(output_type(graph, 0), F32);
    ck_assert_uint_eq(output_type(graph, 1), F16);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(integers_are_untouched)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    GError *error = NULL;
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 3)), *indices;
    gint64 shape = 2, data[] = {0, 2};
    g_autoptr(TsrArray) array =
        tsr_array_create_from(TSR_DTYPE_INT64, 1, &shape, data, sizeof(data), &error);
    Narrow narrow;
    indices = tsr_build_constant(graph, "indices", array, &error);
    ck_no_error(error);
    tsr_build_output(graph, "1",
                     fixture_node(graph, "Gather", "gather", VALUES(x, indices), "axis=1"));
    tsr_build_output(graph, "2", fixture_node(graph, "ArgMax", "arg", VALUES(x), NULL));
    tsr_build_output(graph, "3", fixture_node(graph, "Greater", "more", VALUES(x, x), NULL));
    tsr_build_output(graph, "4", fixture_node(graph, "Add", "sum", VALUES(indices, indices),
                                              NULL));
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_FORCE_FP16, NULL);
    ck_assert_uint_eq(type_of(graph, "gather"), F16);
    ck_assert_ptr_eq(g_ptr_array_index(fixture_find(graph, "gather")->inputs, 1), indices);
    ck_assert_uint_eq(output_type(graph, 1), TSR_DTYPE_INT64);
    ck_assert_uint_eq(output_type(graph, 2), TSR_DTYPE_BOOL);
    ck_assert_uint_eq(type_of(graph, "sum"), TSR_DTYPE_INT64);
    narrow_clear(&narrow);
}
END_TEST

START_TEST(bodies_keep_their_borders)
{
    static const char *const names[] = {"then_branch", "else_branch"};
    g_autoptr(TsrGraph) graph = fixture_graph();
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    GError *error = NULL;
    TsrValue *cond = tsr_build_input(graph, "cond", TSR_DTYPE_BOOL, 0, NULL, &error);
    TsrValue *x = conv(graph, "before", fixture_input(graph, "x", SHAPE(1, 2, 3, 3))), *y;
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, "", "If", 16, &error);
    TsrGraph *bodies[2];
    TsrNode *node;
    Narrow narrow;
    for (guint i = 0; i < 2; i++) {
        bodies[i] = tsr_graph_new(graph->registry, names[i]);
        tsr_build_output(bodies[i], "y", i == 0 ? conv(bodies[0], "inside", x)
                                                : fixture_node(bodies[1], "Softmax", "other",
                                                               VALUES(x), "axis=1"));
        g_ptr_array_add(attrs, tsr_attr_new_graph(names[i], i));
    }
    node = tsr_graph_add_node(graph, def, "if", &cond, 1, NULL, 1,
                              (TsrAttrBox *const *)attrs->pdata, attrs->len, bodies, 2, &error);
    ck_no_error(error);
    y = fixture_node(graph, "Relu", "after", VALUES(g_ptr_array_index(node->outputs, 0)), NULL);
    tsr_build_output(graph, "out", y);
    narrow_init(&narrow, NULL, NULL);
    must_apply(&narrow, graph, TSR_MIX_FP16, NULL);
    ck_assert_uint_eq(type_of(graph, "before"), F16);
    ck_assert_uint_eq(type_of(bodies[0], "inside"), F16);
    ck_assert_uint_eq(type_of(bodies[1], "other"), F32);
    ck_assert_uint_eq(output_type(bodies[0], 0), F32);
    ck_assert_uint_eq(type_of(graph, "if"), F32);
    ck_assert_uint_eq(type_of(graph, "after"), F32);
    tsr_graph_unref(bodies[0]);
    tsr_graph_unref(bodies[1]);
    narrow_clear(&narrow);
}
END_TEST

/* ------------------------------------------------------ on the reference engine */

static TsrArray *run_chain(const char *precision, TsrCompileReport *out_counts)
{
    const char *const priority[] = {"aicpu", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    TsrCompileOptions compile = {.struct_size = sizeof(compile), .precision = precision};
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrArray) input = fixture_array(NULL, SHAPE(1, 2, 3, 3));
    TsrArray *output = NULL;
    GError *error = NULL;
    TsrValue *y;
    options.engine_priority = priority;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    graph = tsr_session_graph(session, "test");
    y = conv(graph, "conv", fixture_input(graph, "x", SHAPE(1, 2, 3, 3)));
    y = fixture_node(graph, "Sigmoid", "sigmoid", VALUES(y), NULL);
    y = conv(graph, "conv2", y);
    tsr_build_output(graph, "out", fixture_node(graph, "Softmax", "soft", VALUES(y), "axis=2"));
    model = tsr_session_compile(session, graph, &compile, &error);
    ck_no_error(error);
    *out_counts = *model->report;
    ck_assert_msg(tsr_model_run(model, &input, &output, &error), "%s",
                  error != NULL ? error->message : "");
    return output;
}

START_TEST(computes_in_half)
{
    TsrCompileReport counts;
    g_autoptr(TsrArray) plain = run_chain(NULL, &counts);
    static const struct {
        const char *mode;
        guint32 dtype;
        float limit;
    } rows[] = {{"force_fp16", F16, 2e-3f}, {"force_bf16", BF16, 2e-2f}};
    ck_assert_uint_eq(counts.precision.ops[F32], 4);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(TsrArray) half = run_chain(rows[i].mode, &counts);
        const float *a = tsr_array_data(plain), *b = tsr_array_data(half);
        float most = 0.0f;
        ck_assert_uint_eq(counts.precision.ops[rows[i].dtype], 4);
        ck_assert_uint_eq(tsr_array_dtype(half), F32);
        for (guint k = 0; k < 18; k++)
            most = fmaxf(most, fabsf(a[k] - b[k]));
        ck_assert_msg(most > 0.0f && most < rows[i].limit, "%s differs by %g", rows[i].mode,
                      (double)most);
    }
}
END_TEST

FIXTURE_MAIN("precision", keeps_by_default, allows_white, mixes_by_colour,
             grey_follows_all_its_producers, forces_everything, forced_and_refused_is_an_error,
             allowed_and_refused_is_a_warning, parameters_may_stay_float, lists_go_first,
             wrong_lists, constants_out_of_range_are_told, casts_of_the_user_cancel,
             integers_are_untouched, bodies_keep_their_borders, computes_in_half)
