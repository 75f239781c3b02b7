/* SPDX-License-Identifier: Apache-2.0
 *
 * test_explain.c: explain leaves nothing out: every node of a model is accounted for, every
 * engine has a word on every node, and every refusal, conversion and border is told, in the
 * text, the JSON and the drawing.
 */
#include <json-glib/json-glib.h>
#include <sys/wait.h>
#include <tessera/plugin_util.h>

#include "explain.h"
#include "fixture.h"

/* conv -> relu -> sum with itself -> softmax -> NonZero, whose shape a run only knows; flat is
 * reshaped by a shape that is known while compiling; nobody reads dead. */
static TsrGraph *build(TsrSession *session)
{
    TsrGraph *graph = tsr_session_graph(session, "test");
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 20, 9, 9)), *y, *s;
    y = fixture_node(graph, "Conv", "conv",
                     VALUES(x, fixture_constant(graph, "w", SHAPE(24, 20, 3, 3))),
                     "pads=[1,1,1,1]");
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    y = fixture_node(graph, "Add", "sum", VALUES(y, y), NULL);
    y = fixture_node(graph, "Softmax", "soft", VALUES(y), "axis=1");
    s = fixture_node(graph, "Shape", "shape", VALUES(y), NULL);
    tsr_build_output(graph, "flat", fixture_node(graph, "Reshape", "same", VALUES(y, s), NULL));
    fixture_node(graph, "Exp", "dead", VALUES(x), NULL);
    tsr_build_output(graph, "where", fixture_node(graph, "NonZero", "nonzero", VALUES(y), NULL));
    return graph;
}

typedef struct Case {
    TsrSession *session;
    TsrGraph *graph;
    TsrCompileReport *report;
    TsrExplained explained;
} Case;

static void case_init(Case *test, const TsrSessionOptions *options)
{
    GError *error = NULL;
    test->session = tsr_session_new(options, &error);
    ck_no_error(error);
    test->graph = build(test->session);
    test->report = tsr_compile_report_new();
    tsr_compile_report_ask_all(test->report);
    ck_assert_msg(tsr_compile_graph(test->session, test->graph, NULL, test->report, &error),
                  "%s", error != NULL ? error->message : "");
    tsr_explained_init(&test->explained, test->graph, test->session->set, test->report);
}

static void case_clear(Case *test)
{
    tsr_explained_clear(&test->explained);
    tsr_compile_report_free(test->report);
    tsr_graph_unref(test->graph);
    tsr_session_free(test->session);
}

static const TsrPlacedNode *find_placed(const Case *test, const char *name)
{
    for (guint i = 0; i < test->report->placed->len; i++) {
        const TsrPlacedNode *placed = g_ptr_array_index(test->report->placed, i);
        if (strcmp(placed->name, name) == 0)
            return placed;
    }
    return NULL;
}

static const TsrVerdict *find_verdict(const Case *test, const char *node, const char *engine)
{
    const TsrPlacedNode *placed = find_placed(test, node);
    ck_assert_msg(placed != NULL, "no '%s'", node);
    for (guint i = 0; i < placed->verdicts->len; i++) {
        const TsrVerdict *verdict = &g_array_index(placed->verdicts, TsrVerdict, i);
        if (strcmp(verdict->engine, engine) == 0)
            return verdict;
    }
    ck_abort_msg("'%s' has no word of %s", node, engine);
    return NULL;
}

/* One word of every engine, in their order; exactly one has the node. */
static void ck_placed(const Case *test, const TsrPlacedNode *placed)
{
    const GArray *engines = test->session->set->engines;
    guint chosen = 0;
    ck_assert_uint_eq(placed->verdicts->len, engines->len);
    for (guint i = 0; i < engines->len; i++) {
        const TsrVerdict *verdict = &g_array_index(placed->verdicts, TsrVerdict, i);
        ck_assert_ptr_eq(verdict->engine, g_array_index(engines, TsrRankedEngine, i).name);
        ck_assert_msg(verdict->reason != NULL && verdict->reason[0] != '\0', "%s: %s",
                      placed->name, verdict->engine);
        ck_assert_int_eq(verdict->kind == TSR_VERDICT_CHOSEN,
                         verdict->engine == placed->engine);
        ck_assert_int_eq(verdict->code != TSR_REFUSE_NONE,
                         verdict->kind == TSR_VERDICT_REFUSED);
        chosen += verdict->kind == TSR_VERDICT_CHOSEN;
    }
    ck_assert_uint_eq(chosen, 1);
}

static gboolean is_named(const Case *test, const char *name)
{
    if (g_ptr_array_find_with_equal_func(test->explained.gone, name, g_str_equal, NULL))
        return TRUE;
    for (guint i = 0; i < test->report->placed->len; i++) {
        const TsrPlacedNode *placed = g_ptr_array_index(test->report->placed, i);
        if (strcmp(placed->name, name) == 0 ||
            g_ptr_array_find_with_equal_func(placed->origin_names, name, g_str_equal, NULL))
            return TRUE;
    }
    return FALSE;
}

static void ck_complete(const Case *test)
{
    guint transdata = 0;
    ck_assert_uint_eq(test->report->imported->len, 8);
    for (guint i = 0; i < test->report->imported->len; i++)
        ck_assert_msg(is_named(test, g_ptr_array_index(test->report->imported, i)), "%s",
                      (const char *)g_ptr_array_index(test->report->imported, i));
    for (guint i = 0; i < test->report->placed->len; i++)
        ck_placed(test, g_ptr_array_index(test->report->placed, i));
    /* Every node that is left was placed, or converts. */
    for (guint i = 0; i < test->graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(test->graph->nodes, i);
        gboolean converts = FALSE;
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        for (guint k = 0; k < test->explained.conversions->len; k++)
            converts |=
                g_array_index(test->explained.conversions, TsrConversion, k).node == node;
        transdata += converts;
        ck_assert_msg(converts || find_placed(test, node->name) != NULL, "%s", node->name);
    }
    ck_assert_uint_eq(transdata, test->explained.conversions->len);
}

static void ck_verdict(const Case *test, const char *node, const char *engine,
                       TsrVerdictKind kind, const char *part)
{
    const TsrVerdict *verdict = find_verdict(test, node, engine);
    ck_assert_msg(verdict->kind == kind && strstr(verdict->reason, part) != NULL,
                  "%s, %s: %s: '%s' (wanted %s, '%s')", node, engine,
                  tsr_verdict_name(verdict->kind), verdict->reason, tsr_verdict_name(kind), part);
}

START_TEST(complete_and_reasons)
{
    const char *const pins[] = {"soft=aicpu", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GPtrArray *became;
    Case test;
    case_init(&test, &options);
    ck_complete(&test);
    ck_verdict(&test, "conv", "nn_engine", TSR_VERDICT_CHOSEN, "priority");
    ck_verdict(&test, "conv", "aicpu", TSR_VERDICT_PASSED_OVER, "comes after nn_engine");
    ck_verdict(&test, "relu", "aicpu", TSR_VERDICT_PASSED_OVER, "comes after nn_engine");
    ck_verdict(&test, "nonzero", "nn_engine", TSR_VERDICT_REFUSED, "");
    ck_verdict(&test, "nonzero", "aicpu", TSR_VERDICT_CHOSEN, "priority");
    /* The Relu is computed by the convolution. */
    became = g_hash_table_lookup(test.explained.became, "relu");
    ck_assert_ptr_nonnull(became);
    ck_assert_str_ne(g_ptr_array_index(became, 0), "relu");
    ck_assert_ptr_nonnull(g_hash_table_lookup(test.explained.became, "conv"));
    ck_assert(g_ptr_array_find_with_equal_func(test.explained.gone, "dead", g_str_equal, NULL));
    ck_assert(g_ptr_array_find_with_equal_func(test.explained.gone, "shape", g_str_equal, NULL));
    ck_assert_uint_ge(test.explained.conversions->len, 1);
    ck_assert_uint_eq(test.explained.borders->len, 1);
    ck_assert_str_eq(g_array_index(test.explained.borders, TsrBorder, 0).to, "aicpu");
    ck_assert_uint_eq(g_array_index(test.explained.borders, TsrBorder, 0).bytes,
                      2 * 24 * 9 * 9 * sizeof(float));
    case_clear(&test);

    options.pins = pins;
    options.placement = "cost";
    case_init(&test, &options);
    ck_complete(&test);
    ck_verdict(&test, "soft", "nn_engine", TSR_VERDICT_PASSED_OVER, "pins it to aicpu");
    ck_verdict(&test, "soft", "aicpu", TSR_VERDICT_CHOSEN, "--pin");
    case_clear(&test);

    options.safe_mode = TRUE;
    options.pins = NULL;
    case_init(&test, &options);
    ck_complete(&test);
    ck_assert_uint_eq(test.explained.borders->len, 0);
    ck_assert_uint_ge(test.explained.absent->len, 1);
    case_clear(&test);
}
END_TEST

/* What a compilation decides does not depend on whether everybody was asked. */
START_TEST(asking_changes_nothing)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrCompileReport) report = tsr_compile_report_new();
    g_autoptr(TsrGraph) graph = NULL;
    GError *error = NULL;
    Case test;
    case_init(&test, &options);
    session = tsr_session_new(&options, &error);
    graph = build(session);
    ck_assert(tsr_compile_graph(session, graph, NULL, report, &error));
    ck_assert_uint_eq(graph->nodes->len, test.graph->nodes->len);
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *a = g_ptr_array_index(graph->nodes, i);
        const TsrNode *b = g_ptr_array_index(test.graph->nodes, i);
        ck_assert_str_eq(a->name, b->name);
        ck_assert_ptr_eq(a->engine, b->engine);
        ck_assert_uint_eq(a->refusals->len, b->refusals->len);
    }
    case_clear(&test);
}
END_TEST

/* ------------------------------------------------------------------ as printed */

static char *print_of(const char *const *more)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    char *out = NULL;
    int status;
    g_ptr_array_add(argv, (gpointer)TESSERA);
    g_ptr_array_add(argv, (gpointer) "explain");
    for (; *more != NULL; more++)
        g_ptr_array_add(argv, (gpointer)*more);
    g_ptr_array_add(argv, NULL);
    ck_assert(g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                           NULL, &out, NULL, &status, NULL));
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return out;
}
#define PRINT(...) print_of((const char *const[]){__VA_ARGS__, NULL})

#define RELU ONNX_DIR "/test_relu/model.onnx"

START_TEST(json_members)
{
    static const char *const members[] = {
        "nodes",       "placement", "gone_before_placement", "order",           "absent_engines",
        "conversions", "borders",   "clusters",              "converted_bytes",
    };
    g_autofree char *text = PRINT("--json", RELU, "--engine", "aicpu=deny");
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *root, *placed;
    JsonArray *list;
    ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
    root = json_node_get_object(json_parser_get_root(parser));
    for (gsize i = 0; i < G_N_ELEMENTS(members); i++)
        ck_assert_msg(json_object_has_member(root, members[i]), "%s", members[i]);
    list = json_object_get_array_member(root, "placement");
    ck_assert_uint_ge(json_array_get_length(list), 1);
    placed = json_array_get_object_element(list, 0);
    ck_assert_str_eq(json_object_get_string_member(placed, "op"), "Relu");
    list = json_object_get_array_member(placed, "engines");
    ck_assert_uint_eq(json_array_get_length(list), 1);
    ck_assert_str_eq(json_object_get_string_member(json_array_get_object_element(list, 0),
                                                   "verdict"),
                     "chosen");
    list = json_object_get_array_member(root, "absent_engines");
    ck_assert_uint_eq(json_array_get_length(list), 1);
    ck_assert_ptr_nonnull(strstr(
        json_object_get_string_member(json_array_get_object_element(list, 0), "reason"),
        "denied by"));
}
END_TEST

START_TEST(text_and_drawing)
{
    g_autofree char *text = PRINT(RELU);
    g_autofree char *dot = PRINT("--dot", RELU);
    guint quotes = 0, depth = 0;
    ck_assert_ptr_nonnull(strstr(text, "Every engine about every node"));
    ck_assert_ptr_nonnull(strstr(text, "not aicpu: would take it, but comes after nn_engine"));
    ck_assert_ptr_nonnull(strstr(text, "values pass between engines"));
    ck_assert_ptr_nonnull(strstr(dot, "cluster_legend"));
    ck_assert_ptr_nonnull(strstr(dot, "not aicpu: would take it"));
    for (const char *at = dot; *at != '\0'; at++) {
        if (*at == '\\') {
            at++;
            continue;
        }
        quotes += *at == '"';
        if (quotes % 2 == 0)
            depth += *at == '{' ? 1u : *at == '}' ? -1u : 0u;
    }
    ck_assert_uint_eq(quotes % 2, 0);
    ck_assert_uint_eq(depth, 0);
}
END_TEST

FIXTURE_MAIN("explain", complete_and_reasons, asking_changes_nothing, json_members,
             text_and_drawing)
