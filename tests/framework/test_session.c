/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session.c: an application: tessera.h alone, linked to the shared library. Builds a
 * graph by hand, compiles, saves, loads, runs, and is told what it did wrong.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>

#include "../support/check_main.h"

#define SHAPE(...)                                                                  \
    (guint32)(sizeof((gint64[]){__VA_ARGS__}) / sizeof(gint64)), (const gint64[]){__VA_ARGS__}

static void ck_failed(GError **error, gint32 code, const char *part, const char *where)
{
    ck_assert_msg(*error != NULL, "%s: no error", where);
    ck_assert_msg((*error)->domain == TSR_ERROR && (*error)->code == code, "%s: %s: %s", where,
                  tsr_status_name((*error)->code), (*error)->message);
    ck_assert_msg(strstr((*error)->message, part) != NULL, "%s: '%s' lacks '%s'", where,
                  (*error)->message, part);
    g_clear_error(error);
}
#define ck_error(error, code, part) ck_failed(&(error), code, part, G_STRLOC)
#define ck_no_error(error)                                                          \
    ck_assert_msg((error) == NULL, "%s", (error) != NULL ? (error)->message : "")

static TsrSession *open_session(const char *engine, TsrFallbackMode fallback)
{
    const char *const priority[] = {engine, NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.engine_priority = engine != NULL ? priority : NULL;
    options.fallback = fallback;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    return session;
}

static TsrArray *numbers(guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    TsrArray *array = tsr_array_create(1, rank, shape, &error);
    float *data;
    ck_no_error(error);
    data = tsr_array_data(array);
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++)
        data[i] = (float)((i * 37) % 19) / 19.0f - 0.4f;
    return array;
}

/* Conv 3x3 with padding, Relu, MaxPool, Flatten, Gemm: a little of everything. batch may
 * be -1. */
static TsrGraph *small_network(TsrSession *session, gint64 batch)
{
    TsrGraph *graph = tsr_session_graph(session, "small");
    g_autoptr(TsrArray) weights = numbers(SHAPE(20, 3, 3, 3));
    g_autoptr(TsrArray) bias = numbers(SHAPE(20));
    g_autoptr(TsrArray) matrix = numbers(SHAPE(320, 10));
    GError *error = NULL;
    TsrValue *x = tsr_build_input(graph, "image", 1, SHAPE(batch, 3, 8, 8), &error);
    TsrValue *w = tsr_build_constant(graph, "w", weights, &error);
    TsrValue *b = tsr_build_constant(graph, "b", bias, &error);
    TsrValue *m = tsr_build_constant(graph, "m", matrix, &error), *y;
    y = tsr_build_node(graph, "Conv", "conv", (TsrValue *const[]){x, w, b, NULL},
                       "pads=[1,1,1,1] kernel_shape=[3,3]", &error);
    ck_no_error(error);
    y = tsr_build_node(graph, "Relu", "relu", (TsrValue *const[]){y, NULL}, NULL, &error);
    y = tsr_build_node(graph, "MaxPool", "pool", (TsrValue *const[]){y, NULL},
                       "kernel_shape=[2,2] strides=[2,2]", &error);
    ck_no_error(error);
    y = tsr_build_node(graph, "Flatten", "flat", (TsrValue *const[]){y, NULL}, NULL, &error);
    y = tsr_build_node(graph, "MatMul", "dense", (TsrValue *const[]){y, m, NULL}, NULL, &error);
    ck_no_error(error);
    tsr_build_output(graph, "scores", y);
    return graph;
}

static TsrModel *compile(TsrSession *session, gint64 batch, const TsrCompileOptions *options)
{
    TsrGraph *graph = small_network(session, batch);
    GError *error = NULL;
    TsrModel *model = tsr_session_compile(session, graph, options, &error);
    tsr_graph_unref(graph);
    ck_no_error(error);
    return model;
}

static TsrArray *run(TsrModel *model, gint64 batch)
{
    g_autoptr(TsrArray) image = numbers(SHAPE(batch, 3, 8, 8));
    TsrArray *inputs[] = {image}, *outputs[] = {NULL};
    GError *error = NULL;
    ck_assert_msg(tsr_model_run(model, inputs, outputs, &error), "%s",
                  error != NULL ? error->message : "");
    return outputs[0];
}

static void ck_close(TsrArray *a, TsrArray *b)
{
    const float *first = tsr_array_data(a), *second = tsr_array_data(b);
    double largest = 0, size = 0;
    ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
    for (gsize i = 0; i < tsr_array_size_bytes(a) / sizeof(float); i++) {
        largest = fmax(largest, fabs((double)first[i] - (double)second[i]));
        size = fmax(size, fabs((double)second[i]));
    }
    ck_assert_msg(size > 0 && largest <= 1e-5 * size, "largest error %g of %g", largest, size);
}

START_TEST(engines_agree)
{
    g_autoptr(TsrSession) fast = open_session("nn_engine", TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrSession) right = open_session("aicpu", TSR_FALLBACK_MODE_STRICT);
    const TsrCompileOptions no_reuse = {sizeof(no_reuse), .disable_memory_reuse = TRUE};
    const TsrCompileOptions host = {sizeof(host), .host_mode = TRUE};
    const char *const all[] = {"all", NULL};
    const TsrCompileOptions unfused = {sizeof(unfused), .disable_fusion = all};
    const TsrCompileOptions *const ways[] = {NULL, &no_reuse, &host, &unfused};
    g_autoptr(TsrModel) reference = compile(right, 2, NULL);
    g_autoptr(TsrArray) wanted = run(reference, 2);
    ck_assert_uint_eq(tsr_array_rank(wanted), 2);
    ck_assert_int_eq(tsr_array_shape(wanted)[1], 10);
    for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autoptr(TsrModel) model = compile(fast, 2, ways[i]);
        g_autoptr(TsrArray) first = run(model, 2);
        g_autoptr(TsrArray) second = run(model, 2);
        ck_close(first, wanted);
        ck_assert_int_eq(memcmp(tsr_array_data(first), tsr_array_data(second),
                                tsr_array_size_bytes(first)), 0);
    }
}
END_TEST

START_TEST(saves_and_loads)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autofree char *directory = g_dir_make_tmp("tessera_test_XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "small.om", NULL);
    g_autoptr(TsrModel) model = compile(session, 1, NULL);
    g_autoptr(TsrModel) loaded = NULL;
    g_autoptr(TsrArray) wanted = run(model, 1);
    g_autoptr(TsrArray) got = NULL;
    GError *error = NULL;
    ck_assert(tsr_model_save(model, path, &error));
    loaded = tsr_session_load(session, path, &error);
    ck_no_error(error);
    got = run(loaded, 1);
    ck_assert_int_eq(memcmp(tsr_array_data(got), tsr_array_data(wanted), 40), 0);
}
END_TEST

START_TEST(batch_of_any_size)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session, -1, NULL);
    for (gint64 batch = 1; batch <= 4; batch++) {
        g_autoptr(TsrModel) fixed = compile(session, batch, NULL);
        g_autoptr(TsrArray) wanted = run(fixed, batch);
        g_autoptr(TsrArray) got = run(model, batch);
        ck_assert_int_eq(tsr_array_shape(got)[0], batch);
        ck_close(got, wanted);
    }
}
END_TEST

START_TEST(describes_itself)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session, 1, NULL);
    guint32 dtype, rank;
    const gint64 *shape;
    ck_assert_uint_eq(tsr_model_input_count(model), 1);
    ck_assert_uint_eq(tsr_model_output_count(model), 1);
    ck_assert_str_eq(tsr_model_input(model, 0, &dtype, &rank, &shape), "image");
    ck_assert_uint_eq(dtype, TSR_DTYPE_FLOAT);
    ck_assert_uint_eq(rank, 4);
    ck_assert_int_eq(shape[1], 3);
    ck_assert_str_eq(tsr_model_output(model, 0, NULL, &rank, &shape), "scores");
    ck_assert_uint_eq(rank, 2);
    ck_assert_int_eq(shape[1], 10);
    ck_assert(g_regex_match_simple("^[0-9]+\\.[0-9]+\\.[0-9]+$", tsr_version(), 0, 0));
}
END_TEST

START_TEST(wrong_inputs)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session, 1, NULL);
    g_autoptr(TsrArray) wide = numbers(SHAPE(1, 3, 8, 9));
    g_autoptr(TsrArray) flat = numbers(SHAPE(192));
    g_autoptr(TsrArray) typed = tsr_array_create(TSR_DTYPE_INT32, SHAPE(1, 3, 8, 8), NULL);
    g_autoptr(TsrArray) right = numbers(SHAPE(1, 3, 8, 8));
    g_autoptr(TsrArray) narrow = numbers(SHAPE(1, 9));
    g_autoptr(TsrArray) fits = numbers(SHAPE(1, 10));
    TsrArray *const wrong[] = {wide, flat, typed, NULL};
    TsrArray *outputs[] = {NULL};
    GError *error = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        ck_assert(!tsr_model_run(model, &wrong[i], outputs, &error));
        ck_error(error, TSR_INVALID_ARGUMENT, "input 'image': wanted float[1,3,8,8], got");
        ck_assert_ptr_null(outputs[0]);
    }
    outputs[0] = narrow;
    ck_assert(!tsr_model_run(model, &right, outputs, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "output 'scores': wanted float[1,10], got float[1,9]");
    /* Memory of the caller is written in place. */
    outputs[0] = fits;
    ck_assert(tsr_model_run(model, &right, outputs, &error));
    ck_assert_ptr_eq(outputs[0], fits);
    {
        g_autoptr(TsrArray) wanted = run(model, 1);
        ck_close(fits, wanted);
    }
}
END_TEST

START_TEST(wrong_graphs)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "wrong");
    g_autoptr(TsrArray) matrix = numbers(SHAPE(4, 5));
    GError *error = NULL;
    TsrValue *x = tsr_build_input(graph, "x", TSR_DTYPE_FLOAT, SHAPE(2, 3), &error);
    TsrValue *m = tsr_build_constant(graph, "m", matrix, &error), *y;
    const gint64 many[17] = {0};
    ck_assert_ptr_null(tsr_build_input(graph, "y", TSR_DTYPE_FLOAT, 17, many, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "rank 17");
    ck_assert_ptr_null(tsr_build_node(graph, "None", "n", (TsrValue *const[]){x, NULL}, NULL,
                                      &error));
    ck_error(error, TSR_UNSUPPORTED, "'None'");
    y = tsr_build_node(graph, "MatMul", "product", (TsrValue *const[]){x, m, NULL}, NULL, &error);
    ck_no_error(error);
    tsr_build_output(graph, "y", y);
    ck_assert_ptr_null(tsr_session_compile(session, graph, NULL, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "MatMul 'product'");
}
END_TEST

START_TEST(input_shapes)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrGraph) graph = small_network(session, -1);
    GError *error = NULL;
    ck_assert(!tsr_graph_set_input_shape(graph, "nobody", SHAPE(1), &error));
    ck_error(error, TSR_NOT_FOUND, "'nobody'");
    ck_assert(!tsr_graph_set_input_shape(graph, "image", SHAPE(1, 4, 8, 8), &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "does not admit float[1,4,8,8]");
    ck_assert(!tsr_graph_set_input_shape(graph, "image", SHAPE(1, 3, 8), &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "image");
    ck_assert(tsr_graph_set_input_shape(graph, "image", SHAPE(1, 3, 8, 8), &error));
}
END_TEST

START_TEST(sessions_that_cannot_be)
{
    const char *const nobody[] = {"nobody", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    options.engine_priority = nobody;
    ck_assert_ptr_null(tsr_session_new(&options, &error));
    ck_error(error, TSR_NOT_FOUND, "engine 'nobody'");
    options = (TsrSessionOptions)TSR_SESSION_OPTIONS_INIT;
    options.plugins_conf = "/nonexistent.conf";
    ck_assert_ptr_null(tsr_session_new(&options, &error));
    ck_error(error, TSR_IO, "/nonexistent.conf");
    tsr_session_free(NULL);
    tsr_model_free(NULL);
    tsr_graph_unref(NULL);
    tsr_array_unref(NULL);
}
END_TEST

START_TEST(unknown_switches)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrGraph) graph = small_network(session, 1);
    const char *const wrong[] = {"no_such_pass", NULL};
    const TsrCompileOptions options = {sizeof(options), .disable_fusion = wrong};
    GError *error = NULL;
    ck_assert_ptr_null(tsr_session_compile(session, graph, &options, &error));
    ck_error(error, TSR_NOT_FOUND, "no_such_pass");
}
END_TEST

START_TEST(dumps_its_stages)
{
    g_autoptr(TsrSession) session = open_session(NULL, TSR_FALLBACK_DEFAULT);
    g_autofree char *directory = g_dir_make_tmp("tessera_test_XXXXXX", NULL);
    g_autofree char *text = g_build_filename(directory, "3_fused.txt", NULL);
    const TsrCompileOptions options = {sizeof(options), .dump_graph_dir = directory};
    const TsrCompileOptions bad = {sizeof(bad), .dump_graph_dir = "/proc/none"};
    g_autoptr(TsrModel) model = compile(session, 1, &options);
    g_autoptr(TsrGraph) graph = small_network(session, 1);
    GError *error = NULL;
    ck_assert(g_file_test(text, G_FILE_TEST_IS_REGULAR));
    ck_assert_ptr_null(tsr_session_compile(session, graph, &bad, &error));
    ck_error(error, TSR_IO, "/proc/none");
    {
        /* Where the file should go there is a directory. */
        g_autofree char *other = g_dir_make_tmp("tessera_test_XXXXXX", NULL);
        g_autofree char *taken = g_build_filename(other, "0_imported.txt", NULL);
        g_autoptr(TsrGraph) again = small_network(session, 1);
        const TsrCompileOptions full = {sizeof(full), .dump_graph_dir = other};
        ck_assert_int_eq(g_mkdir(taken, 0755), 0);
        ck_assert_ptr_null(tsr_session_compile(session, again, &full, &error));
        ck_error(error, TSR_IO, "0_imported.txt");
    }
}
END_TEST

START_TEST(arrays)
{
    const float data[] = {1, 2, 3};
    GError *error = NULL;
    TsrArray *array = tsr_array_create_from(TSR_DTYPE_FLOAT, SHAPE(3), data, 12, &error);
    ck_no_error(error);
    ck_assert_int_eq(memcmp(tsr_array_data(array), data, 12), 0);
    ck_assert_ptr_eq(tsr_array_ref(array), array);
    tsr_array_unref(array);
    ck_assert_uint_eq(tsr_array_size_bytes(array), 12);
    tsr_array_unref(array);
    ck_assert_ptr_null(tsr_array_create_from(TSR_DTYPE_FLOAT, SHAPE(3), data, 8, &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "takes 12 bytes, got 8");
    ck_assert_ptr_null(tsr_array_create(TSR_DTYPE_FLOAT, SHAPE(-1), &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "definite size");
    ck_assert_ptr_null(tsr_array_create(TSR_DTYPE_UNDEFINED, SHAPE(1), &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "definite size");
    ck_assert_ptr_null(tsr_array_create(TSR_DTYPE_DOUBLE, SHAPE(G_MAXINT64 / 16), &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "definite size"); /* not in 63 bits */
    ck_assert_ptr_null(tsr_array_create(TSR_DTYPE_DOUBLE, SHAPE(G_MAXINT64 / 1024), &error));
    ck_error(error, TSR_OUT_OF_MEMORY, "no memory");
    array = tsr_array_create(TSR_DTYPE_FLOAT, SHAPE(0, 3), &error);
    ck_assert_uint_eq(tsr_array_size_bytes(array), 0);
    tsr_array_unref(array);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {engines_agree, saves_and_loads, batch_of_any_size,
                                  describes_itself, wrong_inputs, wrong_graphs, input_shapes,
                                  sessions_that_cannot_be, unknown_switches, dumps_its_stages,
                                  arrays};
    TCase *tcase = tcase_create("session");
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_set_timeout(tcase, 60);
    return check_main("session", tcase);
}
