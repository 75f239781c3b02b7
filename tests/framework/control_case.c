/* SPDX-License-Identifier: Apache-2.0
 *
 * control_case.c: see control_case.h; the networks are in control_networks.c.
 */
#include "control_case.h"

#include <glib/gstdio.h>
#include <tessera/plugin_util.h>

#include "build/known_parts.h"
#include "onnx/import.h"

const gint64 control_shape[] = {CONTROL_ROWS, CONTROL_COLUMNS};
TsrSession *control_sessions[2];

void control_open(void)
{
    for (guint i = 0; i < 2; i++) {
        TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
        GError *error = NULL;
        options.threads = i + 1;
        control_sessions[i] = tsr_session_new(&options, &error);
        ck_no_error(error);
    }
}

void control_close(void)
{
    for (guint i = 0; i < 2; i++)
        tsr_session_free(control_sessions[i]);
}

void control_float(ModelMaker *maker, Onnx__Graph *graph, const char *name)
{
    maker_input(maker, graph, name, TSR_DTYPE_FLOAT, 2, control_shape);
}

void control_int(ModelMaker *maker, Onnx__Node *node, const char *name, gint64 value)
{
    maker_attr(maker, node, name, TSR_ATTR_INT)->i = value;
}

void control_count(ModelMaker *maker, const char *name, gint64 value)
{
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, name, TSR_DTYPE_INT64, 0, NULL, &value, sizeof(value)));
}

void control_truth(ModelMaker *maker, const char *name, gboolean value)
{
    const guint8 byte = value ? 1 : 0;
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, name, TSR_DTYPE_BOOL, 0, NULL, &byte, sizeof(byte)));
}

static void add_graph(ModelMaker *maker, Onnx__Node *node, const char *name, Onnx__Graph *graph)
{
    maker_attr(maker, node, name, TSR_ATTR_GRAPH)->g = graph;
}

void control_ints(ModelMaker *maker, Onnx__Node *node, const char *name, guint count,
                  const gint64 *ints)
{
    Onnx__Attribute *attr = maker_attr(maker, node, name, TSR_ATTR_INTS);
    attr->n_ints = count;
    attr->ints = maker_keep(maker, g_memdup2(ints, count * sizeof(*ints)));
}

void control_outputs(ModelMaker *maker, Onnx__Graph *graph, const char *names)
{
    g_auto(GStrv) parts = g_strsplit(names, ",", -1);
    for (guint i = 0; parts[i] != NULL; i++)
        maker_output(maker, graph, parts[i]);
}

Onnx__Graph *control_if(ModelMaker *maker, Onnx__Graph *graph, const char *condition,
                           const char *results, Onnx__Graph **out_else)
{
    Onnx__Node *node = maker_node(maker, graph, "If", "", condition, results);
    Onnx__Graph *then_graph = maker_graph(maker, "then");
    *out_else = maker_graph(maker, "else");
    add_graph(maker, node, "then_branch", then_graph);
    add_graph(maker, node, "else_branch", *out_else);
    return then_graph;
}

Onnx__Graph *control_loop(ModelMaker *maker, Onnx__Graph *graph, const char *inputs,
                             const char *results, const char *prefix)
{
    Onnx__Node *node = maker_node(maker, graph, "Loop", prefix, inputs, results);
    Onnx__Graph *body = maker_graph(maker, "body");
    g_autofree char *count = g_strconcat(prefix, "i", NULL);
    g_autofree char *condition = g_strconcat(prefix, "go", NULL);
    add_graph(maker, node, "body", body);
    maker_input(maker, body, count, TSR_DTYPE_INT64, 0, NULL);
    maker_input(maker, body, condition, TSR_DTYPE_BOOL, 0, NULL);
    return body;
}

Onnx__Graph *control_scan(ModelMaker *maker, Onnx__Graph *graph, const char *inputs,
                             const char *results, gint64 scan_inputs, Onnx__Node **out_node)
{
    Onnx__Node *node = maker_node(maker, graph, "Scan", "", inputs, results);
    Onnx__Graph *body = maker_graph(maker, "body");
    add_graph(maker, node, "body", body);
    control_int(maker, node, "num_scan_inputs", scan_inputs);
    if (out_node != NULL)
        *out_node = node;
    return body;
}

TsrGraph *control_import(TsrSession *session, ControlBuild build, gpointer user)
{
    static const gint64 row[] = {CONTROL_COLUMNS};
    g_autoptr(ModelMaker) maker = maker_new();
    g_autoptr(GBytes) bytes = NULL;
    GError *error = NULL;
    TsrGraph *graph;
    gsize size;
    const guint8 *data;
    control_float(maker, maker->graph, "x");
    control_float(maker, maker->graph, "w");
    control_float(maker, maker->graph, "v");
    maker_input(maker, maker->graph, "row", TSR_DTYPE_FLOAT, 1, row);
    maker_input(maker, maker->graph, "c0", TSR_DTYPE_BOOL, 0, NULL);
    maker_input(maker, maker->graph, "c1", TSR_DTYPE_BOOL, 0, NULL);
    maker_input(maker, maker->graph, "m0", TSR_DTYPE_INT64, 0, NULL);
    maker_input(maker, maker->graph, "m1", TSR_DTYPE_INT64, 0, NULL);
    build(maker, user);
    bytes = maker_pack(maker);
    data = g_bytes_get_data(bytes, &size);
    graph = tsr_onnx_import_data(session->set->registry, data, size, NULL, &error);
    ck_no_error(error);
    return graph;
}

void control_build_network(ModelMaker *maker, gpointer user)
{
    ((const ControlNetwork *)user)->build(maker);
}

TsrModel *control_compile(TsrSession *session, TsrGraph *graph, const TsrCompileOptions *options)
{
    GError *error = NULL;
    TsrModel *model = tsr_session_compile(session, graph, options, &error);
    ck_no_error(error);
    return model;
}

GPtrArray *control_run(TsrModel *model, guint32 conditions, gint64 m0, gint64 m1)
{
    const gint64 row = CONTROL_COLUMNS, counts[] = {m0, m1};
    const guint8 bools[] = {conditions & 1, conditions >> 1 & 1};
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GPtrArray *results = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    for (guint i = 0; i < 3; i++) {
        TsrArray *array = fixture_array(NULL, 2, control_shape);
        for (guint k = 0; k < CONTROL_ROWS * CONTROL_COLUMNS; k++)
            ((float *)tsr_array_data(array))[k] *= i == 0 ? 0.125f : i == 1 ? -0.03125f : 0.0625f;
        g_ptr_array_add(inputs, array);
    }
    g_ptr_array_add(inputs, fixture_array(NULL, 1, &row));
    for (guint i = 0; i < 2; i++)
        g_ptr_array_add(inputs, tsr_array_create_from(TSR_DTYPE_BOOL, 0, NULL, &bools[i], 1, NULL));
    for (guint i = 0; i < 2; i++)
        g_ptr_array_add(inputs,
                        tsr_array_create_from(TSR_DTYPE_INT64, 0, NULL, &counts[i], 8, NULL));
    g_ptr_array_set_size(results, (gint)tsr_model_output_count(model));
    ck_assert(tsr_model_run(model, (TsrArray *const *)inputs->pdata, (TsrArray **)results->pdata,
                            &error));
    ck_no_error(error);
    return results;
}

static void ck_same_bits(const GPtrArray *got, const GPtrArray *want, const char *what)
{
    for (guint i = 0; i < want->len; i++) {
        TsrArray *a = g_ptr_array_index(got, i), *b = g_ptr_array_index(want, i);
        ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
        ck_assert_uint_eq(tsr_array_rank(a), tsr_array_rank(b));
        for (guint k = 0; k < tsr_array_rank(b); k++)
            ck_assert_int_eq(tsr_array_shape(a)[k], tsr_array_shape(b)[k]);
        ck_assert_msg(memcmp(tsr_array_data(a), tsr_array_data(b), tsr_array_size_bytes(b)) == 0,
                      "%s: output %u differs", what, i);
    }
}

TsrProgram *control_program(TsrModel *model)
{
    return tsr_bound_model_program(model->bound);
}

static guint host_calls(const TsrProgram *program)
{
    guint count = 0;
    for (guint i = 0; i < program->tasks->len; i++)
        count += ((const TsrProgramTask *)g_ptr_array_index(program->tasks, i))->kind ==
                 TSR_TASK_HOST_CALL;
    return count;
}

/* As many rounds as the inputs say, all of them against node by node. */
static void ck_all_inputs(TsrModel *model, TsrModel *plain, const char *name)
{
    static const gint64 counts[][2] = {{0, 0}, {1, 2}, {5, 3}, {2, 0}, {-1, 1}};
    for (guint k = 0; k < G_N_ELEMENTS(counts); k++)
        for (guint32 conditions = 0; conditions < 4; conditions++) {
            g_autoptr(GPtrArray) want = control_run(plain, conditions, counts[k][0], counts[k][1]);
            g_autoptr(GPtrArray) got = control_run(model, conditions, counts[k][0], counts[k][1]);
            g_autofree char *what = g_strdup_printf("%s, rounds %d and %d, conditions %u", name,
                                                    (int)counts[k][0], (int)counts[k][1],
                                                    conditions);
            ck_same_bits(got, want, what);
        }
}

const TsrCompileOptions control_forms[CONTROL_FORMS] = {
    {sizeof(TsrCompileOptions), .streams = 1},
    {sizeof(TsrCompileOptions), .streams = 4},
    {sizeof(TsrCompileOptions), .disable_inplace = TRUE},
    {sizeof(TsrCompileOptions), .disable_memory_reuse = TRUE},
};
static const TsrCompileOptions on_host = {sizeof(TsrCompileOptions), .host_mode = TRUE};

guint control_check(ControlBuild build, gpointer user, const char *name, gboolean on_device)
{
    guint streams = 0;
    for (guint s = 0; s < 2; s++) {
        g_autoptr(TsrGraph) first = control_import(control_sessions[s], build, user);
        g_autoptr(TsrModel) plain = control_compile(control_sessions[s], first, &on_host);
        ck_assert(!control_program(plain)->is_sink);
        for (guint f = 0; f < CONTROL_FORMS; f++) {
            g_autoptr(TsrGraph) graph = control_import(control_sessions[s], build, user);
            g_autoptr(TsrModel) model =
                control_compile(control_sessions[s], graph, &control_forms[f]);
            ck_assert_msg(control_program(model)->is_sink, "%s: %s", name,
                          control_program(model)->why_not_sink);
            ck_assert_msg(!on_device || host_calls(control_program(model)) == 0,
                          "%s calls the host", name);
            streams = MAX(streams, control_program(model)->stream_count);
            ck_all_inputs(model, plain, name);
            if (f == 0) {
                tsr_bound_model_set_one_by_one(model->bound, TRUE);
                ck_all_inputs(model, plain, name);
            }
        }
    }
    return streams;
}

/* ------------------------------------------------------------ known in parts */

typedef struct Mixed {
    ControlBuild build;
    gpointer user;
} Mixed;

static void build_mixed(ModelMaker *maker, gpointer user)
{
    const Mixed *mixed = user;
    mixed->build(maker, mixed->user);
    maker_node(maker, maker->graph, "NonZero", "", "x", "where_x_is");
    maker_output(maker, maker->graph, "where_x_is");
}

static guint nodes_on_host(const TsrProgram *program)
{
    g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
    guint count = 0;
    for (guint p = 0; p < program->parts->len; p++) {
        const TsrKnownPart *part = g_ptr_array_index(program->parts, p);
        for (guint i = 0; i < part->nodes->len; i++)
            g_hash_table_add(taken,
                             g_ptr_array_index(program->nodes,
                                               g_array_index(part->nodes, guint32, i)));
    }
    for (guint i = 0; i < program->graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(program->graph->nodes, i);
        count += node->subgraphs->len != 0 && !g_hash_table_contains(taken, node);
    }
    return count;
}

guint control_check_mixed(ControlBuild build, gpointer user, const char *name)
{
    Mixed mixed = {build, user};
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "mixed.om", NULL);
    guint left = 0;
    for (guint s = 0; s < 2; s++) {
        g_autoptr(TsrGraph) first = control_import(control_sessions[s], build_mixed, &mixed);
        g_autoptr(TsrModel) plain = control_compile(control_sessions[s], first, &on_host);
        g_autoptr(TsrGraph) graph = control_import(control_sessions[s], build_mixed, &mixed);
        g_autoptr(TsrModel) model = control_compile(control_sessions[s], graph, &control_forms[s]);
        g_autoptr(TsrModel) loaded = NULL;
        GError *error = NULL;
        ck_assert(!control_program(model)->is_sink);
        left = nodes_on_host(control_program(model));
        ck_all_inputs(model, plain, name);
        ck_assert(tsr_model_save(model, path, &error));
        loaded = tsr_session_load(control_sessions[s], path, &error);
        ck_no_error(error);
        ck_assert_uint_eq(nodes_on_host(control_program(loaded)), left);
        ck_all_inputs(loaded, plain, name);
    }
    g_remove(path);
    g_rmdir(directory);
    return left;
}
