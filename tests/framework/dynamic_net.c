/* SPDX-License-Identifier: Apache-2.0
 *
 * dynamic_net.c: see dynamic_net.h.
 */
#include "dynamic_net.h"

#include <math.h>

#include "ir/input_dim.h"

static TsrValue *weights(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape)
{
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_FLOAT, rank, shape, NULL);
    float *data = tsr_array_data(array);
    const gsize count = tsr_array_size_bytes(array) / sizeof(float);
    TsrValue *value;
    for (gsize i = 0; i < count; i++)
        data[i] = (float)((gint)(i * 7 % 13) - 6) / 16.0f;
    value = tsr_build_constant(graph, name, array, NULL);
    ck_assert_ptr_nonnull(value);
    return value;
}

TsrGraph *dynamic_net(TsrSession *session)
{
    TsrGraph *graph = tsr_session_graph(session, "dynamic");
    TsrValue *x = fixture_input(graph, "x", SHAPE(-1, 3, -1, -1));
    TsrValue *first, *second, *pooled, *count, *target, *flat;
    tsr_graph_set_input_dim(graph, 0, 0, "N", 0, -1);
    tsr_graph_set_input_dim(graph, 0, 2, "height", 0, -1);
    first = fixture_node(graph, "Conv", "first", VALUES(x, weights(graph, "w1", SHAPE(9, 3, 3, 3))),
                         "pads=[1,1,1,1]");
    first = fixture_node(graph, "Relu", "relu", VALUES(first), NULL);
    second = fixture_node(graph, "Conv", "second",
                          VALUES(first, weights(graph, "w2", SHAPE(17, 9, 3, 3))),
                          "pads=[1,1,1,1] strides=[2,2]");
    pooled = fixture_node(graph, "GlobalAveragePool", "pool", VALUES(second), NULL);
    count = fixture_node(graph, "Gather", "count",
                         VALUES(fixture_node(graph, "Shape", "shape", VALUES(x), NULL),
                                fixture_integers(graph, "zero", 1, (const gint64[]){0})),
                         NULL);
    target = fixture_node(graph, "Concat", "target",
                          VALUES(count, fixture_integers(graph, "rest", 1, (const gint64[]){-1})),
                          "axis=0");
    flat = fixture_node(graph, "Reshape", "flat", VALUES(pooled, target), NULL);
    tsr_build_output(graph, "y",
                     fixture_node(graph, "MatMul", "product",
                                  VALUES(flat, weights(graph, "w3", SHAPE(17, 5))), NULL));
    return graph;
}

TsrModel *dynamic_compile(TsrSession *session, const char *dims, gboolean disable_plans)
{
    g_autoptr(TsrGraph) graph = dynamic_net(session);
    const TsrCompileOptions options = {.struct_size = sizeof(options), .dynamic_dims = dims,
                                       .disable_plans = disable_plans};
    GError *error = NULL;
    TsrModel *model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    return model;
}

TsrArray *dynamic_input(const gint64 *shape, guint32 seed)
{
    TsrArray *x = tsr_array_create(TSR_DTYPE_FLOAT, 4, shape, NULL);
    float *data = tsr_array_data(x);
    const gsize count = tsr_array_size_bytes(x) / sizeof(float);
    for (gsize i = 0; i < count; i++)
        data[i] = (float)((i * 31 + seed * 17) % 101) / 50.0f - 1.0f;
    return x;
}

TsrArray *dynamic_run(TsrModel *model, TsrArray *x)
{
    TsrArray *const inputs[] = {x};
    TsrArray *y = NULL;
    GError *error = NULL;
    const gboolean done = tsr_model_run(model, inputs, &y, &error);
    ck_no_error(error);
    ck_assert(done);
    return y;
}

float dynamic_difference(TsrArray *a, TsrArray *b)
{
    const float *x = tsr_array_data(a), *y = tsr_array_data(b);
    float most = 0.0f;
    ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
    for (gsize i = 0; i < tsr_array_size_bytes(a) / sizeof(float); i++)
        most = fmaxf(most, fabsf(x[i] - y[i]));
    return most;
}
