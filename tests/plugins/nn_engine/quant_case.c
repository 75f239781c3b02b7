/* SPDX-License-Identifier: Apache-2.0
 *
 * quant_case.c: see quant_case.h.
 */
#include "quant_case.h"

/* The graph under construction; one is alive at a time. */
static struct {
    TsrGraph *graph;
    GPtrArray *inputs; /* arrays for a run */
    guint names;
    gboolean open; /* inputs leave all dims but channels and columns unknown */
} make;

static void no_error(GError *error)
{
    ck_assert_msg(error == NULL, "%s", error != NULL ? error->message : "");
}

static guint next_random(guint *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static TsrArray *array_new(guint32 dtype, guint32 rank, const gint64 *shape, guint seed)
{
    GError *error = NULL;
    TsrArray *array = tsr_array_create(dtype, rank, shape, &error);
    void *data;
    no_error(error);
    data = tsr_array_data(array);
    for (gsize i = 0; dtype == TSR_DTYPE_FLOAT && i < tsr_array_size_bytes(array) / 4; i++)
        ((float *)data)[i] = (float)next_random(&seed) / 4194304.0f - 2.0f;
    for (gsize i = 0; dtype == TSR_DTYPE_INT32 && i < tsr_array_size_bytes(array) / 4; i++)
        ((gint32 *)data)[i] = (gint32)(next_random(&seed) % 2000) - 1000;
    for (gsize i = 0; (dtype == U8 || dtype == S8) && i < tsr_array_size_bytes(array); i++)
        ((guint8 *)data)[i] = (guint8)(next_random(&seed) >> 8);
    return array;
}

static TsrValue *constant_of(TsrArray *array)
{
    g_autofree char *name = g_strdup_printf("c%u", make.names++);
    GError *error = NULL;
    TsrValue *value = tsr_build_constant(make.graph, name, array, &error);
    no_error(error);
    tsr_array_unref(array);
    return value;
}

TsrValue *q_node(const char *op, const char *attrs, TsrValue *const *inputs)
{
    g_autofree char *name = g_strdup_printf("n%u", make.names++);
    GError *error = NULL;
    TsrValue *value = tsr_build_node(make.graph, op, name, inputs, attrs, &error);
    no_error(error);
    return value;
}

void q_node_outputs(const char *op, TsrValue *x, TsrValue **out_values, guint count)
{
    g_autofree char *name = g_strdup_printf("n%u", make.names++);
    GError *error = NULL;
    ck_assert(tsr_build_node_full(make.graph, op, name, &x, 1, NULL, out_values, count, &error));
}

TsrValue *q_input(guint32 dtype, guint32 rank, const gint64 *shape)
{
    g_autofree char *name = g_strdup_printf("x%u", make.inputs->len);
    gint64 dims[8];
    GError *error = NULL;
    TsrValue *value;
    for (guint32 i = 0; i < rank; i++)
        dims[i] = make.open && rank > 1 && (rank > 2 ? i != 1 && (rank > 3 || i != 2) : i == 0)
                      ? -1 : shape[i];
    value = tsr_build_input(make.graph, name, dtype, rank, dims, &error);
    no_error(error);
    g_ptr_array_add(make.inputs, array_new(dtype, rank, shape, make.inputs->len + 7));
    return value;
}

TsrValue *q_bytes(guint32 dtype, guint32 rank, const gint64 *shape)
{
    return constant_of(array_new(dtype, rank, shape, make.names + 99));
}

TsrValue *q_floats(guint32 rank, const gint64 *shape)
{
    return constant_of(array_new(TSR_DTYPE_FLOAT, rank, shape, make.names + 99));
}

TsrValue *q_scales(float scale, gint64 count)
{
    TsrArray *array = tsr_array_create(TSR_DTYPE_FLOAT, count > 0, &count, NULL);
    float *data = tsr_array_data(array);
    data[0] = scale;
    for (gint64 i = 1; i < count; i++)
        data[i] = scale * (1.0f + 0.03f * (float)(i % 11));
    return constant_of(array);
}

TsrValue *q_zeros(guint32 dtype, gint64 zero, gint64 count)
{
    TsrArray *array = tsr_array_create(dtype, count > 0, &count, NULL);
    for (gint64 i = 0; i < MAX(count, 1); i++) {
        const gint64 value = count > 0 && zero != 0 ? zero + i % 5 : zero;
        if (dtype == TSR_DTYPE_INT32)
            ((gint32 *)tsr_array_data(array))[i] = (gint32)value;
        else
            ((guint8 *)tsr_array_data(array))[i] = (guint8)value;
    }
    return constant_of(array);
}

TsrValue *q_ints(gint64 count, const gint64 *values)
{
    TsrArray *array = tsr_array_create(TSR_DTYPE_INT64, 1, &count, NULL);
    memcpy(tsr_array_data(array), values, (gsize)count * sizeof(gint64));
    return constant_of(array);
}

void q_output(TsrValue *value)
{
    g_autofree char *name = g_strdup_printf("y%u", make.names++);
    tsr_build_output(make.graph, name, value);
}

TsrValue *q_quantize(TsrValue *x, float scale, guint32 dtype, gint64 zero)
{
    return NODE("QuantizeLinear", NULL, x, q_scales(scale, 0), q_zeros(dtype, zero, 0));
}

TsrValue *q_dequantize(TsrValue *x, float scale, guint32 dtype, gint64 zero)
{
    return NODE("DequantizeLinear", NULL, x, q_scales(scale, 0), q_zeros(dtype, zero, 0));
}

/* ------------------------------------------------------------------ checks */

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *operators(TsrGraph *graph)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *each = g_ptr_array_index(graph->nodes, i);
        const TsrNodeView *view;
        if (each->kind != TSR_NODE_OPERATOR)
            continue;
        view = tsr_node_view(each);
        if (strcmp(view->op_type, "TransData") == 0)
            continue;
        g_ptr_array_add(names, g_strconcat(g_strcmp0(each->engine, "nn_engine") == 0 ? "" : "@",
                                           strcmp(view->domain, NN_DOMAIN) == 0 ? "nn." : "",
                                           view->op_type, NULL));
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return g_strjoinv(" ", (char **)names->pdata);
}

static GPtrArray *run(const QuantCase *which, gboolean open, gboolean plain, char **out_operators)
{
    static const char *const all[] = {"all", NULL};
    TsrSessionOptions session_options = TSR_SESSION_OPTIONS_INIT;
    const TsrCompileOptions options = {sizeof(options), .disable_fusion = plain ? all : NULL};
    GPtrArray *outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    session_options.safe_mode = plain;
    g_autoptr(TsrSession) session = tsr_session_new(&session_options, &error);
    no_error(error);
    make.graph = tsr_session_graph(session, which->name);
    make.names = 0;
    make.open = open;
    make.inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    which->build();
    g_autoptr(TsrModel) model = tsr_session_compile(session, make.graph, &options, &error);
    ck_assert_msg(error == NULL, "%s: %s", which->name, error != NULL ? error->message : "");
    *out_operators = operators(make.graph);
    g_ptr_array_set_size(outputs, (gint)tsr_model_output_count(model));
    ck_assert_msg(tsr_model_run(model, (TsrArray *const *)make.inputs->pdata,
                                (TsrArray **)outputs->pdata, &error),
                  "%s: %s", which->name, error != NULL ? error->message : "");
    tsr_graph_unref(make.graph);
    g_ptr_array_unref(make.inputs);
    return outputs;
}

/* Element i as a number; a byte or an int32 counts in steps of one. */
static double element(TsrArray *array, gsize i)
{
    const void *data = tsr_array_data(array);
    switch (tsr_array_dtype(array)) {
    case TSR_DTYPE_FLOAT: return ((const float *)data)[i];
    case TSR_DTYPE_INT32: return ((const gint32 *)data)[i];
    case TSR_DTYPE_INT8: return ((const gint8 *)data)[i];
    default: return ((const guint8 *)data)[i];
    }
}

static void ck_outputs(const QuantCase *which, GPtrArray *fused, GPtrArray *plain)
{
    for (guint i = 0; i < plain->len; i++) {
        TsrArray *a = g_ptr_array_index(fused, i), *b = g_ptr_array_index(plain, i);
        const guint32 dtype = tsr_array_dtype(a);
        const gsize size = dtype == TSR_DTYPE_FLOAT || dtype == TSR_DTYPE_INT32 ? 4 : 1;
        const double bound = which->steps * (dtype == TSR_DTYPE_FLOAT ? 1.0001 * which->step : 1);
        gboolean varied = FALSE;
        ck_assert_uint_eq(dtype, tsr_array_dtype(b));
        ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
        for (gsize k = 0; k < tsr_array_size_bytes(a) / size; k++) {
            varied |= element(b, k) != element(b, 0);
            ck_assert_msg(fabs(element(a, k) - element(b, k)) <= bound,
                          "%s, %s shapes: output %u [%zu] is %g, wanted %g", which->name,
                          make.open ? "open" : "known", i, k, element(a, k), element(b, k));
        }
        ck_assert_msg(varied || tsr_array_size_bytes(a) <= 4, "%s: output %u is constant",
                      which->name, i);
    }
}

void ck_quant_case(const QuantCase *which)
{
    for (int open = 0; open < 2; open++) {
        g_autofree char *got = NULL;
        g_autofree char *before = NULL;
        g_autoptr(GPtrArray) plain = run(which, open, TRUE, &before);
        g_autoptr(GPtrArray) fused = run(which, open, FALSE, &got);
        /* With open shapes, what needs them stays. */
        ck_assert_msg(open || strcmp(got, which->want) == 0, "%s: '%s', wanted '%s'",
                      which->name, got, which->want);
        ck_outputs(which, fused, plain);
    }
}
