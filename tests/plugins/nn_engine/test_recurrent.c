/* SPDX-License-Identifier: Apache-2.0
 *
 * test_recurrent.c: LSTM and GRU of ONNX on nn_engine over all their attributes and optional
 * inputs, in float, float16 and bfloat16, with the numbers of the general engine; and what
 * nn_engine leaves to that.
 */
#include <math.h>
#include <string.h>
#include <tessera/tessera.h>
#include <tessera/plugin_util.h>

#include "ir/graph.h"
#include "nn.h"
#include "../../support/check_main.h"

enum {
    BIAS = 1, LENGTHS = 2, H0 = 4, C0 = 8, PEEPHOLES = 16, /* inputs that are there */
    FIXED_LENGTHS = 32,                /* sequence_lens are a constant */
    LIVE_WEIGHTS = 64, WRONG_HIDDEN = 128, /* refused: R an input, hidden_size as W is not */
    EVERYTHING = BIAS | LENGTHS | H0 | C0 | PEEPHOLES,
};

typedef struct Layer {
    const char *op;
    const char *attrs;
    guint has;
    guint32 dtype; /* 0: float */
    gint64 seq, batch, input, hidden;
} Layer;

static GPtrArray *run_inputs; /* arrays for the run under construction */

static void no_error(GError *error)
{
    ck_assert_msg(error == NULL, "%s", error != NULL ? error->message : "");
}

static void store(TsrArray *array, gint64 i, float value)
{
    void *data = tsr_array_data(array);
    if (tsr_array_dtype(array) == TSR_DTYPE_FLOAT16)
        ((guint16 *)data)[i] = tsr_float_to_float16(value);
    else if (tsr_array_dtype(array) == TSR_DTYPE_BFLOAT16)
        ((guint16 *)data)[i] = tsr_float_to_bfloat16(value);
    else
        ((float *)data)[i] = value;
}

static float load(TsrArray *array, gint64 i)
{
    const void *data = tsr_array_data(array);
    return tsr_array_dtype(array) == TSR_DTYPE_FLOAT16
               ? tsr_float16_to_float(((const guint16 *)data)[i])
           : tsr_array_dtype(array) == TSR_DTYPE_BFLOAT16
               ? tsr_bfloat16_to_float(((const guint16 *)data)[i])
               : ((const float *)data)[i];
}

/* Random numbers of [-range, range], or steps of [0, seq] for int32. */
static TsrArray *array_of(guint32 dtype, float range, guint32 rank, const gint64 *shape)
{
    TsrArray *array = tsr_array_create(dtype, rank, shape, NULL);
    guint32 seed = 99 + (guint32)shape[rank - 1];
    gint64 count = 1;
    for (guint32 i = 0; i < rank; i++)
        count *= shape[i];
    for (gint64 i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (dtype == TSR_DTYPE_INT32)
            ((gint32 *)tsr_array_data(array))[i] = (gint32)((seed >> 8) % ((guint)range + 1));
        else
            store(array, i, range * ((float)(seed >> 8) / 8388608.0f - 1.0f));
    }
    return array;
}

static TsrValue *value_of(TsrGraph *graph, const char *name, gboolean constant, guint32 dtype,
                          float range, guint32 rank, const gint64 *shape)
{
    TsrArray *array = array_of(dtype, range, rank, shape);
    GError *error = NULL;
    TsrValue *value = constant ? tsr_build_constant(graph, name, array, &error)
                               : tsr_build_input(graph, name, dtype, rank, shape, &error);
    no_error(error);
    if (constant)
        tsr_array_unref(array);
    else
        g_ptr_array_add(run_inputs, array);
    return value;
}

#define VALUE(name, constant, dtype, range, ...)                                    \
    value_of(graph, name, constant, dtype, range,                                   \
             (guint32)(sizeof((gint64[]){__VA_ARGS__}) / sizeof(gint64)),            \
             (const gint64[]){__VA_ARGS__})

static void build(const Layer *l, TsrGraph *graph)
{
    const gboolean lstm = strcmp(l->op, "LSTM") == 0;
    const gint64 gates = lstm ? 4 : 3, hidden = l->hidden;
    const gint64 directions = strstr(l->attrs, "bidirectional") != NULL ? 2 : 1;
    const gboolean first = strstr(l->attrs, "layout=1") != NULL;
    const guint32 dtype = l->dtype != 0 ? l->dtype : TSR_DTYPE_FLOAT;
    const float range = 1.5f / sqrtf((float)hidden);
    const guint32 outputs = lstm ? 3 : 2;
    g_autofree char *attrs = g_strdup_printf(
        "hidden_size=%d %s", (int)hidden, l->attrs);
    TsrValue *inputs[8] = {NULL}, *out[3];
    GError *error = NULL;
    guint count = 0;
    inputs[0] = VALUE("x", FALSE, dtype, 1.0f, first ? l->batch : l->seq,
                      first ? l->seq : l->batch, l->input);
    inputs[1] = VALUE("w", TRUE, dtype, range, directions, gates * hidden, l->input);
    inputs[2] = VALUE("r", (l->has & LIVE_WEIGHTS) == 0, dtype, range, directions,
                      gates * hidden, hidden);
    if (l->has & BIAS)
        inputs[3] = VALUE("b", TRUE, dtype, 0.5f, directions, 2 * gates * hidden);
    if (l->has & (LENGTHS | FIXED_LENGTHS))
        inputs[4] = VALUE("lengths", (l->has & FIXED_LENGTHS) != 0, TSR_DTYPE_INT32,
                          (float)l->seq, l->batch);
    if (l->has & H0)
        inputs[5] = VALUE("h0", FALSE, dtype, 1.0f, first ? l->batch : directions,
                          first ? directions : l->batch, hidden);
    if (lstm && l->has & C0)
        inputs[6] = VALUE("c0", TRUE, dtype, 1.0f, first ? l->batch : directions,
                          first ? directions : l->batch, hidden);
    if (lstm && l->has & PEEPHOLES)
        inputs[7] = VALUE("p", TRUE, dtype, 0.7f, directions, 3 * hidden);
    for (guint i = 0; i < 8; i++)
        if (inputs[i] != NULL)
            count = i + 1;
    ck_assert_msg(tsr_build_node_full(graph, l->op, "cell", inputs, count, attrs, out, outputs,
                                      &error), "%s", error != NULL ? error->message : "");
    for (guint i = 0; i < outputs; i++)
        tsr_build_output(graph, ((const char *const[]){"y", "y_h", "y_c"})[i], out[i]);
}

/* The results of a layer, on the general engine alone where plain; *out_engine is the
 * engine of its node. */
static GPtrArray *run(const Layer *l, gboolean plain, char **out_engine)
{
    TsrSessionOptions session_options = TSR_SESSION_OPTIONS_INIT;
    const TsrCompileOptions options = {.struct_size = sizeof(options)};
    GPtrArray *outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    TsrGraph *graph;
    session_options.safe_mode = plain;
    g_autoptr(TsrSession) session = tsr_session_new(&session_options, &error);
    no_error(error);
    graph = tsr_session_graph(session, "recurrent");
    run_inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    build(l, graph);
    g_autoptr(TsrModel) model = tsr_session_compile(session, graph, &options, &error);
    no_error(error);
    *out_engine = NULL;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && strcmp(tsr_node_view(node)->op_type, l->op) == 0)
            *out_engine = g_strdup(node->engine);
    }
    g_ptr_array_set_size(outputs, (gint)tsr_model_output_count(model));
    tsr_model_run(model, (TsrArray *const *)run_inputs->pdata, (TsrArray **)outputs->pdata,
                  &error);
    no_error(error);
    tsr_graph_unref(graph);
    g_ptr_array_unref(run_inputs);
    return outputs;
}

/* The layer ran on that engine and gives what the general engine gives. */
static void ck_layer(const Layer *l, const char *engine)
{
    const double bound = l->dtype == 0 ? 2e-5 : l->dtype == TSR_DTYPE_FLOAT16 ? 2e-3 : 1.6e-2;
    g_autofree char *got_engine = NULL;
    g_autofree char *plain_engine = NULL;
    g_autoptr(GPtrArray) plain = run(l, TRUE, &plain_engine);
    g_autoptr(GPtrArray) got = run(l, FALSE, &got_engine);
    ck_assert_msg(g_strcmp0(got_engine, engine) == 0, "%s %s: on %s, wanted %s", l->op, l->attrs,
                  got_engine, engine);
    ck_assert_str_eq(plain_engine, "aicpu");
    for (guint i = 0; i < plain->len; i++) {
        TsrArray *a = g_ptr_array_index(got, i), *b = g_ptr_array_index(plain, i);
        const gint64 count = (gint64)tsr_array_size_bytes(a) / (l->dtype == 0 ? 4 : 2);
        gboolean varied = FALSE;
        ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
        for (gint64 k = 0; k < count; k++) {
            const double g = (double)load(a, k), w = (double)load(b, k);
            varied |= load(b, k) != load(b, 0);
            ck_assert_msg(fabs(g - w) <= bound * fmax(1.0, fabs(w)),
                          "%s %s, inputs 0x%x: output %u [%d] is %g, wanted %g", l->op, l->attrs,
                          l->has, i, (int)k, g, w);
        }
        ck_assert(varied || count == 1);
    }
}

static const char *const directions[] = {
    "direction=\"forward\"", "direction=\"reverse\"", "direction=\"bidirectional\"",
};

static const char *const details[] = {
    "", "clip=0.3", "layout=1",
    "activations=[\"Relu\",\"sigmoid\",\"TANH\",\"Sigmoid\",\"Tanh\",\"Relu\"] clip=0.9",
    "activations=[\"HardSigmoid\",\"LeakyRelu\",\"HardSigmoid\",\"HardSigmoid\",\"Tanh\","
    "\"Tanh\"] activation_alpha=[0.3,0.05,0.25] activation_beta=[0.4] layout=1",
};

enum { DIRECTIONS = 3, DETAILS = sizeof(details) / sizeof(details[0]) };

/* Every direction with every detail; either form of the cell; a few sets of inputs. */
START_TEST(test_attributes)
{
    static const guint sets[] = {0, EVERYTHING, BIAS | H0 | FIXED_LENGTHS};
    const char *op = _i & 1 ? "LSTM" : "GRU";
    const int flag = _i >> 1 & 1, detail = (_i >> 2) % DETAILS, direction = (_i >> 2) / DETAILS;
    g_autofree char *attrs = g_strdup_printf("%s %s %s=%d", directions[direction],
                                             details[detail],
                                             _i & 1 ? "input_forget" : "linear_before_reset",
                                             flag);
    if (direction != 2 && strstr(attrs, "Sigmoid") != NULL) { /* names for one direction only */
        g_free(attrs);
        attrs = g_strdup_printf("%s activations=[\"HardSigmoid\",\"Tanh\"%s] layout=1 %s=%d",
                                directions[direction], _i & 1 ? ",\"Relu\"" : "",
                                _i & 1 ? "input_forget" : "linear_before_reset", flag);
    } else if ((_i & 1) == 0 && strstr(attrs, "activations") != NULL) {
        char *five = strstr(attrs, ",\"Tanh\",\"");
        ck_assert_ptr_nonnull(five); /* a GRU has two names for a direction */
        memset(five, ' ', strcspn(five, "]"));
    }
    for (guint i = 0; i < G_N_ELEMENTS(sets); i++)
        ck_layer(&(Layer){op, attrs, sets[i], 0, 4, 3, 7, 18}, "nn_engine");
}
END_TEST

START_TEST(test_sizes)
{
    static const gint64 sizes[][4] = {
        {1, 1, 1, 1}, {1, 1, 128, 128}, {7, 1, 16, 16}, {2, 9, 5, 33}, {3, 4, 40, 47},
    };
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        const gint64 *s = sizes[i];
        for (int k = 0; k < 3; k++)
            ck_layer(&(Layer){k == 0 ? "LSTM" : "GRU",
                              k == 1 ? "direction=\"bidirectional\" linear_before_reset=1"
                                     : "direction=\"bidirectional\"",
                              BIAS | H0, 0, s[0], s[1], s[2], s[3]}, "nn_engine");
    }
}
END_TEST

START_TEST(test_narrow)
{
    const guint32 dtype = _i & 1 ? TSR_DTYPE_FLOAT16 : TSR_DTYPE_BFLOAT16;
    ck_layer(&(Layer){_i & 2 ? "LSTM" : "GRU", "direction=\"bidirectional\"", EVERYTHING, dtype,
                      4, 3, 7, 18}, "nn_engine");
}
END_TEST

static const struct {
    const char *op, *attrs;
    guint has;
} refused[] = {
    {"GRU", "", LIVE_WEIGHTS},
    {"LSTM", "", LIVE_WEIGHTS},
    {"GRU", "activations=[\"Softsign\",\"Tanh\"]", 0},
    {"LSTM", "activations=[\"Sigmoid\",\"Tanh\",\"Elu\"]", 0},
    {"GRU", "activations=[\"Affine\",\"ScaledTanh\"]", 0},
};

START_TEST(test_left_to_the_general_engine)
{
    ck_layer(&(Layer){refused[_i].op, refused[_i].attrs, refused[_i].has, 0, 3, 2, 5, 6},
             "aicpu");
}
END_TEST

/* Every version of the definitions has the row. */
START_TEST(test_versions)
{
    static const struct {
        const char *op;
        guint32 version;
    } versions[] = {
        {"GRU", 1}, {"GRU", 3}, {"GRU", 7}, {"GRU", 14}, {"GRU", 22},
        {"LSTM", 1}, {"LSTM", 7}, {"LSTM", 14}, {"LSTM", 22},
    };
    for (guint i = 0; i < G_N_ELEMENTS(versions); i++) {
        const TsrNodeView view = {.struct_size = sizeof(view), .op_type = versions[i].op,
                                  .domain = "", .since_version = versions[i].version};
        int is_known;
        ck_assert_msg(nn_op_find(&view, &is_known) != NULL, "%s %u", versions[i].op,
                      versions[i].version);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("recurrent");
    tcase_add_loop_test(tests, test_attributes, 0, 4 * DETAILS * DIRECTIONS);
    tcase_add_test(tests, test_sizes);
    tcase_add_loop_test(tests, test_narrow, 0, 4);
    tcase_add_loop_test(tests, test_left_to_the_general_engine, 0, G_N_ELEMENTS(refused));
    tcase_add_test(tests, test_versions);
    return check_main("recurrent", tests);
}
