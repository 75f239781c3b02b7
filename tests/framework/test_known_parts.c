/* SPDX-License-Identifier: Apache-2.0
 *
 * test_known_parts.c: graphs of which a part is a task list: the results are those of a run
 * node by node, in file and memory, in several threads, and whoever looks at values sees all.
 */
#include "api/session.h"
#include "build/known_parts.h"
#include "dynamic_net.h"
#include "runtime/host_part.h"

enum { EXTENT = 40 };

/* Five known operators -> which of 40 are above 0 (a size that data settles) -> their squares
 * (unknown) -> their sum (known again) -> five known operators, with a value of the first
 * part. */
static TsrGraph *mixed_net(TsrSession *session)
{
    TsrGraph *graph = tsr_session_graph(session, "mixed");
    TsrValue *x = fixture_input(graph, "x", SHAPE(EXTENT)), *a, *b, *early;
    a = fixture_node(graph, "Neg", "neg", VALUES(x), NULL);
    a = fixture_node(graph, "Sin", "sin", VALUES(a), NULL);
    early = a = fixture_node(graph, "Mul", "mul", VALUES(a, x), NULL);
    a = fixture_node(graph, "Cos", "cos", VALUES(a), NULL);
    a = fixture_node(graph, "Relu", "relu", VALUES(a), NULL);
    b = fixture_node(graph, "Greater", "above",
                     VALUES(a, fixture_constant(graph, "zero", SHAPE(1))), NULL);
    b = fixture_node(graph, "Compress", "chosen", VALUES(a, b), "axis=0");
    b = fixture_node(graph, "Mul", "squares", VALUES(b, b), NULL);
    tsr_build_output(graph, "squares", b);
    b = fixture_node(graph, "ReduceSum", "sum", VALUES(b), "keepdims=1");
    b = fixture_node(graph, "Reshape", "one",
                     VALUES(b, fixture_integers(graph, "shape", 1, (const gint64[]){1})), NULL);
    b = fixture_node(graph, "Sqrt", "root", VALUES(b), NULL);
    b = fixture_node(graph, "Add", "add", VALUES(b, early), NULL);
    b = fixture_node(graph, "Abs", "abs", VALUES(b), NULL);
    b = fixture_node(graph, "Neg", "neg2", VALUES(b), NULL);
    tsr_build_output(graph, "y", fixture_node(graph, "Exp", "exp", VALUES(b), NULL));
    return graph;
}

static TsrModel *compile(TsrSession *session, gboolean host_mode)
{
    static const char *const all[] = {"all", NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options), .host_mode = host_mode,
                                       .disable_fusion = all};
    g_autoptr(TsrGraph) graph = mixed_net(session);
    GError *error = NULL;
    TsrModel *model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    return model;
}

static TsrArray *input(guint seed)
{
    TsrArray *x = fixture_array(NULL, SHAPE(EXTENT));
    for (guint i = 0; i < EXTENT; i++)
        ((float *)tsr_array_data(x))[i] += (float)((i * 7 + seed * 5) % 9) / 3.0f;
    return x;
}

static void ck_same(TsrModel *model, TsrModel *reference, guint seed)
{
    g_autoptr(TsrArray) x = input(seed);
    TsrArray *const inputs[] = {x};
    TsrArray *got[2] = {NULL, NULL}, *want[2] = {NULL, NULL};
    GError *error = NULL;
    ck_assert(tsr_model_run(model, inputs, got, &error));
    ck_no_error(error);
    ck_assert(tsr_model_run(reference, inputs, want, &error));
    ck_no_error(error);
    for (guint i = 0; i < 2; i++) {
        ck_assert_int_eq(tsr_array_shape(got[i])[0], tsr_array_shape(want[i])[0]);
        ck_assert_uint_eq(tsr_array_size_bytes(got[i]), tsr_array_size_bytes(want[i]));
        ck_assert_mem_eq(tsr_array_data(got[i]), tsr_array_data(want[i]),
                         tsr_array_size_bytes(got[i]));
        tsr_array_unref(got[i]);
        tsr_array_unref(want[i]);
    }
}

START_TEST(same_results)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrModel) model = compile(session, FALSE);
    g_autoptr(TsrModel) reference = compile(session, TRUE);
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "mixed.om", NULL);
    GError *error = NULL;
    ck_assert(!program->is_sink);
    ck_assert_uint_eq(program->parts->len, 2);
    ck_assert_uint_eq(tsr_bound_model_program(reference->bound)->parts->len, 0);
    ck_assert_uint_gt(program->stats.activation_bytes, 0);
    for (guint seed = 0; seed < 20; seed++)
        ck_same(model, reference, seed);
    ck_assert(tsr_model_save(model, path, &error));
    g_clear_pointer(&model, tsr_model_free);
    model = tsr_session_load(session, path, &error);
    ck_no_error(error);
    ck_assert_uint_eq(tsr_bound_model_program(model->bound)->parts->len, 2);
    for (guint seed = 0; seed < 20; seed++)
        ck_same(model, reference, seed);
}
END_TEST

/* Inputs of a caller have no format, those of a convolution mean NCHW. */
START_TEST(an_input_with_a_format)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "format");
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(1, 20, 8, 8));
    static const char *const all[] = {"all", NULL};
    const TsrCompileOptions options = {.struct_size = sizeof(options), .disable_fusion = all};
    TsrValue *a = fixture_input(graph, "x", SHAPE(1, 20, 8, 8));
    TsrArray *const inputs[] = {x};
    TsrArray *y = NULL;
    GError *error = NULL;
    for (guint i = 0; i < 3; i++) {
        g_autofree char *name = g_strdup_printf("conv%u", i);
        g_autofree char *relu = g_strdup_printf("relu%u", i);
        a = fixture_node(graph, "Conv", name,
                         VALUES(a, fixture_constant(graph, NULL, SHAPE(20, 20, 1, 1))), NULL);
        a = fixture_node(graph, "Relu", relu, VALUES(a), NULL);
    }
    tsr_build_output(graph, "y", fixture_node(graph, "NonZero", "where", VALUES(a), NULL));
    model = tsr_session_compile(session, graph, &options, &error);
    ck_no_error(error);
    ck_assert_uint_eq(tsr_bound_model_program(model->bound)->parts->len, 1);
    ck_assert_msg(tsr_model_run(model, inputs, &y, &error), "%s",
                  error != NULL ? error->message : "");
    ck_assert_int_eq(tsr_array_shape(y)[0], 4);
    tsr_array_unref(y);
}
END_TEST

/* Every operator is in one part at most, and what a part takes and gives is what the nodes
 * outside it give and read. */
START_TEST(parts_are_whole)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = compile(session, FALSE);
    const TsrProgram *program = tsr_bound_model_program(model->bound);
    g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
    const guint least[] = {5, 5};
    for (guint p = 0; p < program->parts->len; p++) {
        const TsrKnownPart *part = g_ptr_array_index(program->parts, p);
        ck_assert(part->program->is_sink);
        ck_assert_uint_ge(part->nodes->len, least[p]);
        for (guint i = 0; i < part->nodes->len; i++)
            ck_assert(g_hash_table_add(
                taken, g_ptr_array_index(program->nodes,
                                         g_array_index(part->nodes, guint32, i))));
    }
    ck_assert(!g_hash_table_contains(taken, fixture_find(program->graph, "chosen")));
    ck_assert(!g_hash_table_contains(taken, fixture_find(program->graph, "squares")));
    ck_assert(g_hash_table_contains(taken, fixture_find(program->graph, "exp")));
}
END_TEST

static void count_value(gpointer user, const TsrValue *value, TsrArray *array)
{
    (void)array;
    g_hash_table_add(user, (gpointer)value);
}

START_TEST(a_hook_sees_every_value)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = compile(session, FALSE);
    g_autoptr(TsrModel) reference = compile(session, TRUE);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    TsrGraph *graph = tsr_bound_model_program(model->bound)->graph;
    TsrHostExec *exec = tsr_bound_model_host_exec(model->bound);
    tsr_host_exec_set_hook(exec, count_value, seen);
    ck_same(model, reference, 1);
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR)
            ck_assert(g_hash_table_contains(seen, g_ptr_array_index(node->outputs, 0)));
    }
    g_hash_table_remove_all(seen);
    tsr_host_exec_set_hook(exec, NULL, NULL);
    ck_same(model, reference, 2);
    ck_assert_uint_eq(g_hash_table_size(seen), 0);
}
END_TEST

typedef struct Race {
    TsrModel *model;
    TsrModel *reference;
} Race;

static gpointer run_many(gpointer data)
{
    const Race *race = data;
    for (guint seed = 0; seed < 100; seed++)
        ck_same(race->model, race->reference, seed);
    return NULL;
}

START_TEST(many_threads)
{
    g_autoptr(TsrSession) session = fixture_session(2);
    g_autoptr(TsrModel) model = compile(session, FALSE);
    g_autoptr(TsrModel) reference = compile(session, TRUE);
    Race race = {model, reference};
    GThread *threads[4];
    for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("run", run_many, &race);
    for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
}
END_TEST

/* Parts out of a file that are no parts: an error, whatever is wrong. */
START_TEST(parts_that_cannot_be)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = compile(session, FALSE);
    TsrProgram *program = tsr_bound_model_program(model->bound);
    TsrKnownPart *first = g_ptr_array_index(program->parts, 0);
    TsrKnownPart *second = g_ptr_array_index(program->parts, 1);
    TsrPartValue *value = &g_array_index(second->outputs, TsrPartValue, 0);
    const TsrPartValue saved = *value;
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    GError *error = NULL;
    /* The second part hands the first what that hands the second. */
    for (guint i = 0; i < program->nodes->len; i++) {
        TsrNode *each = g_ptr_array_index(program->nodes, i);
        if (each->kind == TSR_NODE_OPERATOR)
            g_ptr_array_add(order, each);
    }
    g_array_append_val(first->inputs, saved);
    ck_assert_ptr_null(tsr_host_units(program, order, &error));
    ck_error(error, TSR_CORRUPT, "waits for itself");
    g_array_set_size(first->inputs, first->inputs->len - 1);
    {
        GArray *units = tsr_host_units(program, order, &error);
        ck_no_error(error);
        ck_assert_uint_lt(units->len, order->len);
        g_array_unref(units);
    }
}
END_TEST

FIXTURE_MAIN("known_parts", same_results, an_input_with_a_format, parts_are_whole,
             a_hook_sees_every_value, many_threads, parts_that_cannot_be)
