/* SPDX-License-Identifier: Apache-2.0
 *
 * test_dump.c: every tensor of a run, by name: blocked ones come back in the user's order and
 * equal those of the reference engine, as a task list, task by task, node by node and from an
 * offline model, with memory reuse on.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/npy.h"
#include "dump.h"
#include "fixture.h"

typedef enum Mode { AS_LIST, ONE_BY_ONE, BY_NODE, RELOADED } Mode;

typedef struct Setup {
    gboolean safe;
    gboolean dynamic;
    gboolean planned; /* dynamic, by a plan for the shape */
    gboolean fused;
    gboolean storage;
    Mode mode;
    const char *nodes;
} Setup;

static TsrValue *weights(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape)
{
    g_autoptr(TsrArray) array = fixture_array(NULL, rank, shape);
    float *data = tsr_array_data(array);
    GError *error = NULL;
    TsrValue *value;
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++)
        data[i] *= 0.1f;
    value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

/* x -> conv1 -> relu1 -> conv2 -> sum (with relu1's width) -> softmax -> flat -> out */
static void build(TsrGraph *graph, gboolean dynamic)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(dynamic ? -1 : 2, 20, 9, 9)), *y, *r;
    y = fixture_node(graph, "Conv", "conv1",
                     VALUES(x, weights(graph, "w1", SHAPE(24, 20, 3, 3))), "pads=[1,1,1,1]");
    r = fixture_node(graph, "Relu", "relu1", VALUES(y), NULL);
    y = fixture_node(graph, "Conv", "conv/2",
                     VALUES(r, weights(graph, "w2", SHAPE(24, 24, 1, 1))), NULL);
    y = fixture_node(graph, "Add", "sum", VALUES(y, r), NULL);
    y = fixture_node(graph, "Softmax", "soft", VALUES(y), "axis=1");
    y = fixture_node(graph, "Flatten", "flat", VALUES(y), NULL);
    tsr_build_output(graph, "out", y);
}

static char *run_dump(const Setup *setup, GError **error)
{
    TsrSessionOptions session_options = TSR_SESSION_OPTIONS_INIT;
    const char *const all[] = {"all", NULL};
    TsrCompileOptions compile = {.struct_size = sizeof(compile),
                                 .host_mode = setup->mode == BY_NODE,
                                 .disable_plans = !setup->planned};
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrDump) dump = NULL;
    g_autoptr(TsrArray) input = fixture_array(NULL, SHAPE(2, 20, 9, 9));
    char *directory = fixture_directory();
    TsrDumpOptions options = {directory, setup->nodes, setup->storage};
    TsrArray *output = NULL;
    session_options.safe_mode = setup->safe;
    session_options.threads = 2;
    if (!setup->fused)
        compile.disable_fusion = all;
    session = tsr_session_new(&session_options, error);
    ck_assert_msg(session != NULL, "%s", session == NULL ? (*error)->message : "");
    graph = tsr_session_graph(session, "test");
    build(graph, setup->dynamic || setup->planned);
    model = tsr_session_compile(session, graph, &compile, error);
    ck_assert_msg(model != NULL, "%s", model == NULL ? (*error)->message : "");
    if (setup->mode == RELOADED) {
        g_autofree char *path = g_build_filename(directory, "m.om", NULL);
        ck_assert(tsr_model_save(model, path, error));
        g_clear_pointer(&model, tsr_model_free);
        model = tsr_session_load(session, path, error);
        ck_assert_msg(model != NULL, "%s", model == NULL ? (*error)->message : "");
    }
    ck_assert_msg(tsr_model_settle(model, &input, error), "%s",
                  *error != NULL ? (*error)->message : "");
    tsr_bound_model_set_one_by_one(model->bound, setup->mode == ONE_BY_ONE);
    dump = tsr_dump_new(model, &options, error);
    if (dump == NULL) {
        g_free(directory);
        return NULL;
    }
    ck_assert_msg(tsr_model_run(model, &input, &output, error) &&
                      tsr_dump_finish(dump, error),
                  "%s", *error != NULL ? (*error)->message : "");
    tsr_array_unref(output);
    return directory;
}

static char *must_dump(const Setup *setup)
{
    GError *error = NULL;
    char *directory = run_dump(setup, &error);
    ck_no_error(error);
    return directory;
}

static JsonObject *index_of(const char *directory, JsonParser *parser)
{
    g_autofree char *path = g_build_filename(directory, "index.json", NULL);
    ck_assert(json_parser_load_from_file(parser, path, NULL));
    return json_node_get_object(json_parser_get_root(parser));
}

/* The row of a value, or NULL. */
static JsonObject *row_of(JsonObject *index, const char *value)
{
    JsonArray *values = json_object_get_array_member(index, "values");
    for (guint i = 0; i < json_array_get_length(values); i++) {
        JsonObject *row = json_array_get_object_element(values, i);
        if (strcmp(json_object_get_string_member(row, "value"), value) == 0)
            return row;
    }
    return NULL;
}

static float compare(const char *a, const char *b, const char *file, guint32 *out_rank,
                     gint64 *out_shape)
{
    g_autofree char *a_path = g_build_filename(a, file, NULL);
    g_autofree char *b_path = g_build_filename(b, file, NULL);
    guint32 dtype, rank;
    gint64 shape[TSR_MAX_RANK];
    GError *error = NULL;
    g_autoptr(GBytes) first = tsr_npy_read(a_path, &dtype, out_rank, out_shape, &error);
    g_autoptr(GBytes) second = NULL;
    const float *x, *y;
    float most = 0.0f;
    ck_no_error(error);
    second = tsr_npy_read(b_path, &dtype, &rank, shape, &error);
    ck_no_error(error);
    ck_assert_uint_eq(dtype, TSR_DTYPE_FLOAT);
    ck_assert_uint_eq(rank, *out_rank);
    ck_assert_mem_eq(shape, out_shape, rank * sizeof(gint64));
    x = g_bytes_get_data(first, NULL);
    y = g_bytes_get_data(second, NULL);
    for (gsize i = 0; i < g_bytes_get_size(first) / sizeof(float); i++)
        most = fmaxf(most, fabsf(x[i] - y[i]));
    return most;
}

static const char *const files[] = {"x.npy",   "conv1.npy", "relu1.npy", "conv_2.npy",
                                    "sum.npy", "soft.npy",  "flat.npy"};

START_TEST(equals_the_reference)
{
    static const Setup safe = {.safe = TRUE};
    static const Setup rows[] = {
        {.mode = AS_LIST}, {.mode = ONE_BY_ONE}, {.mode = BY_NODE}, {.mode = RELOADED},
        {.mode = AS_LIST, .dynamic = TRUE}, {.mode = RELOADED, .dynamic = TRUE},
        {.mode = AS_LIST, .planned = TRUE}, {.mode = RELOADED, .planned = TRUE},
        {.safe = TRUE, .mode = BY_NODE},
    };
    g_autofree char *wanted = must_dump(&safe);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *got = must_dump(&rows[i]);
        guint32 rank;
        gint64 shape[TSR_MAX_RANK];
        for (gsize k = 0; k < G_N_ELEMENTS(files); k++) {
            float most = compare(wanted, got, files[k], &rank, shape);
            ck_assert_msg(most < 2e-4f, "row %zu: %s differs by %g", i, files[k], (double)most);
        }
        ck_assert_uint_eq(rank, 2);
        ck_assert_int_eq(shape[1], 24 * 81);
    }
}
END_TEST

START_TEST(index_tells_both_sides)
{
    static const Setup setup = {.storage = TRUE};
    g_autofree char *directory = must_dump(&setup);
    g_autofree char *path = g_build_filename(directory, "relu1.storage.npy", NULL);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *index = index_of(directory, parser), *row = row_of(index, "relu1");
    JsonArray *shape;
    g_autoptr(GBytes) raw = NULL;
    guint32 dtype, rank;
    gint64 dims[TSR_MAX_RANK];
    GError *error = NULL;
    ck_assert_ptr_nonnull(row);
    ck_assert_str_eq(json_object_get_string_member(row, "origin_format"), "NCHW");
    ck_assert_str_eq(json_object_get_string_member(row, "storage_format"), "NC1HWC0");
    ck_assert_str_eq(json_object_get_string_member(row, "node"), "relu1");
    ck_assert_str_eq(json_object_get_string_member(row, "dtype"), "float");
    ck_assert(json_object_has_member(row, "task"));
    ck_assert_int_eq(json_object_get_int_member(row, "stream"), 0);
    shape = json_object_get_array_member(row, "storage_shape");
    ck_assert_uint_eq(json_array_get_length(shape), 5);
    ck_assert_int_eq(json_array_get_int_element(shape, 1), 2);
    raw = tsr_npy_read(path, &dtype, &rank, dims, &error);
    ck_no_error(error);
    ck_assert_uint_eq(rank, 5);
    ck_assert_int_eq(dims[4], 16);
    row = row_of(index, "conv/2");
    ck_assert_str_eq(json_object_get_string_member(row, "file"), "conv_2.npy");
    row = row_of(index, "x");
    ck_assert_str_eq(json_object_get_string_member(row, "op"), "input");
    ck_assert(!json_object_has_member(row, "task"));
}
END_TEST

START_TEST(fused_values_are_told)
{
    for (guint reloaded = 0; reloaded < 2; reloaded++) {
        Setup setup = {.fused = TRUE, .mode = reloaded ? RELOADED : AS_LIST};
        g_autofree char *directory = must_dump(&setup);
        g_autoptr(JsonParser) parser = json_parser_new();
        JsonObject *index = index_of(directory, parser);
        JsonArray *fused = json_object_get_array_member(index, "fused");
        gboolean found = FALSE;
        JsonObject *row;
        for (guint i = 0; i < json_array_get_length(fused); i++)
            found |= strcmp(json_object_get_string_member(
                                json_array_get_object_element(fused, i), "value"),
                            "conv1") == 0;
        ck_assert(found);
        ck_assert_ptr_null(row_of(index, "conv1"));
        row = row_of(index, "relu1");
        ck_assert_uint_eq(
            json_array_get_length(json_object_get_array_member(row, "stands_for")), 2);
    }
}
END_TEST

START_TEST(picks_by_name)
{
    static const Setup setup = {.nodes = "relu1, conv/2"};
    static const struct {
        Setup setup;
        const char *part;
    } rows[] = {
        {{.nodes = "relu2"}, "did you mean 'relu1'?"},
        {{.nodes = "nothing_like_it"}, "there is no value and no node 'nothing_like_it'"},
        {{.nodes = "conv1", .fused = TRUE}, NULL},
    };
    g_autofree char *directory = must_dump(&setup);
    g_autoptr(JsonParser) parser = json_parser_new();
    GError *error = NULL;
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(
                          index_of(directory, parser), "values")),
                      2);
    for (gsize i = 0; i < 2; i++) {
        ck_assert_ptr_null(run_dump(&rows[i].setup, &error));
        ck_error(error, TSR_NOT_FOUND, rows[i].part);
    }
    /* A node of the user that was fused: the values of the node that stands for it. */
    g_free(must_dump(&rows[2].setup));
}
END_TEST

FIXTURE_MAIN("dump", equals_the_reference, index_tells_both_sides, fused_values_are_told,
             picks_by_name)
