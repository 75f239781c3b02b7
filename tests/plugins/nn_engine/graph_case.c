/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_case.c: see graph_case.h.
 */
#include "graph_case.h"

/* The graph under construction; one is alive at a time. */
static struct {
    TsrGraph *graph;
    gboolean open;      /* inputs leave dims unknown */
    GPtrArray *inputs;  /* arrays for a run */
    guint names;
} make;

static void no_error(GError *error)
{
    ck_assert_msg(error == NULL, "%s", error != NULL ? error->message : "");
}

static void make_new(TsrSession *session, const char *name, gboolean open)
{
    make.graph = tsr_session_graph(session, name);
    make.open = open;
    make.names = 0;
    make.inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
}

/* Numbers of [-2, 2] that follow from `seed`. */
static TsrArray *numbers(guint32 rank, const gint64 *shape, guint seed)
{
    GError *error = NULL;
    TsrArray *array = tsr_array_create(TSR_DTYPE_FLOAT, rank, shape, &error);
    float *data;
    no_error(error);
    data = tsr_array_data(array);
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)(seed >> 8) / 4194304.0f - 2.0f;
    }
    return array;
}

TsrValue *node(const char *op, const char *attrs, TsrValue *const *inputs)
{
    g_autofree char *name = g_strdup_printf("n%u", make.names++);
    GError *error = NULL;
    TsrValue *value = tsr_build_node(make.graph, op, name, inputs, attrs, &error);
    no_error(error);
    return value;
}

/* An input. Open: all dims but the last are unknown, of rank 4 the first two. */
TsrValue *input(guint32 rank, const gint64 *shape)
{
    g_autofree char *name = g_strdup_printf("x%u", make.inputs->len);
    gint64 dims[8];
    GError *error = NULL;
    TsrValue *value;
    memcpy(dims, shape, rank * sizeof(gint64));
    for (guint32 i = 0; make.open && i + 1 < rank && i < (rank == 4 ? 2 : rank); i++)
        dims[i] = -1;
    value = tsr_build_input(make.graph, name, TSR_DTYPE_FLOAT, rank, dims, &error);
    no_error(error);
    g_ptr_array_add(make.inputs, numbers(rank, shape, make.inputs->len + 7));
    return value;
}

TsrValue *constant(TsrArray *array)
{
    g_autofree char *name = g_strdup_printf("c%u", make.names++);
    GError *error = NULL;
    TsrValue *value = tsr_build_constant(make.graph, name, array, &error);
    no_error(error);
    return value;
}

TsrValue *weights(guint32 rank, const gint64 *shape)
{
    g_autoptr(TsrArray) array = numbers(rank, shape, make.names + 99);
    return constant(array);
}

TsrValue *shaped(float value, guint32 rank)
{
    static const gint64 ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_FLOAT, rank, ones, NULL);
    *(float *)tsr_array_data(array) = value;
    return constant(array);
}

TsrValue *number(float value) { return shaped(value, 0); }

TsrValue *axis(gint64 value)
{
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_INT64, SHAPE(1), NULL);
    *(gint64 *)tsr_array_data(array) = value;
    return constant(array);
}

void output(TsrValue *value)
{
    g_autofree char *name = g_strdup_printf("y%u", make.names++);
    tsr_build_output(make.graph, name, value);
}

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
        gboolean ours;
        if (each->kind != TSR_NODE_OPERATOR)
            continue;
        view = tsr_node_view(each);
        if (strcmp(view->op_type, "TransData") == 0)
            continue;
        ours = strcmp(view->domain, NN_DOMAIN) == 0;
        g_ptr_array_add(names, ours && nn_activation_of(view).kind != TSR_ACT_NONE
                                   ? g_strdup_printf("nn.%s:%u", view->op_type,
                                                     nn_activation_of(view).kind)
                                   : g_strconcat(ours ? "nn." : "", view->op_type, NULL));
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return g_strjoinv(" ", (char **)names->pdata);
}

/* Builds, compiles and runs a case; the first output, and what the graph became. */
static GPtrArray *run(TsrSession *session, const GraphCase *which, gboolean open, gboolean fused,
                      char **out_operators)
{
    /* The framework's passes would change what the pass under test gets to see. */
    static const char *const all[] = {"all", NULL};
    static const char *const others[] = {"transpose_merge", "transpose_meet",
                                         "transpose_to_reshape", "nn_eltwise_chain", NULL};
    static const char *const framework[] = {"transpose_merge", "transpose_meet",
                                            "transpose_to_reshape", NULL};
    const TsrCompileOptions options = {sizeof(options), .disable_fusion = !fused ? all
                                                         : which->chains ? framework
                                                                         : others};
    GPtrArray *outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    make_new(session, which->name, open);
    which->build();
    g_autoptr(TsrModel) model = tsr_session_compile(session, make.graph, &options, &error);
    no_error(error);
    *out_operators = operators(make.graph);
    g_ptr_array_set_size(outputs, (gint)tsr_model_output_count(model));
    ck_assert_msg(tsr_model_run(model, (TsrArray *const *)make.inputs->pdata,
                                (TsrArray **)outputs->pdata, &error),
                  "%s: %s", which->name, error != NULL ? error->message : "");
    tsr_graph_unref(make.graph);
    g_ptr_array_unref(make.inputs);
    return outputs;
}

static void ck_close(TsrArray *got, TsrArray *want, const char *name)
{
    const float *a = tsr_array_data(got), *b = tsr_array_data(want);
    double largest = 0, size = 0;
    ck_assert_msg(tsr_array_rank(got) == tsr_array_rank(want) &&
                      memcmp(tsr_array_shape(got), tsr_array_shape(want),
                             tsr_array_rank(got) * sizeof(gint64)) == 0,
                  "%s: shapes differ", name);
    if (tsr_array_dtype(got) != TSR_DTYPE_FLOAT) {
        ck_assert_int_eq(memcmp(a, b, tsr_array_size_bytes(got)), 0);
        return;
    }
    for (gsize i = 0; i < tsr_array_size_bytes(got) / sizeof(float); i++) {
        ck_assert_msg(!isnan(a[i]), "%s: element %zu is NaN", name, i);
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
        size = fmax(size, fabs((double)b[i]));
    }
    ck_assert_msg(size > 0 && largest <= 4e-6 * size, "%s: largest error %g of %g", name, largest,
                  size);
}

void ck_case(const GraphCase *which)
{
    GError *error = NULL;
    g_autoptr(TsrSession) session = tsr_session_new(NULL, &error);
    no_error(error);
    for (int open = 0; open < 2; open++) {
        g_autofree char *got = NULL;
        g_autofree char *before = NULL;
        g_autoptr(GPtrArray) fused = run(session, which, open, TRUE, &got);
        g_autoptr(GPtrArray) plain = run(session, which, open, FALSE, &before);
        const char *want = open && which->want_open != NULL ? which->want_open : which->want;
        ck_assert_msg(strcmp(got, want) == 0, "%s, %s shapes: '%s', wanted '%s'", which->name,
                      open ? "open" : "known", got, want);
        ck_assert_ptr_null(strstr(before, "nn."));
        for (guint i = 0; i < plain->len; i++)
            ck_close(g_ptr_array_index(fused, i), g_ptr_array_index(plain, i), which->name);
    }
}

TsrGraph *case_graph(void (*build)(void))
{
    GError *error = NULL;
    g_autoptr(TsrSession) session = tsr_session_new(NULL, &error);
    no_error(error);
    make_new(session, "looked_into", FALSE);
    build();
    g_autoptr(TsrModel) model = tsr_session_compile(session, make.graph, NULL, &error);
    no_error(error);
    g_ptr_array_unref(make.inputs);
    return make.graph;
}
