/* SPDX-License-Identifier: Apache-2.0
 *
 * test_memory_share.c: which tensors come to share memory (views, joined, cut, in place),
 * which must not, and that no switch changes a bit of any result.
 */
#include "api/session.h"
#include "build/memory_table.h"
#include "fixture.h"
#include "runtime/model.h"

typedef void (*Build)(TsrGraph *graph);

static TsrModel *compile(TsrSession *session, Build build, const TsrCompileOptions *options)
{
    TsrGraph *graph = tsr_session_graph(session, "net");
    GError *error = NULL;
    TsrModel *model;
    build(graph);
    model = tsr_session_compile(session, graph, options, &error);
    tsr_graph_unref(graph);
    ck_no_error(error);
    return model;
}

static const TsrProgram *program_of(TsrModel *model)
{
    return tsr_bound_model_program(model->bound);
}

static guint tasks_of(TsrModel *model, const char *name)
{
    guint count = 0;
    for (guint i = 0; i < program_of(model)->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program_of(model)->tasks, i);
        count += strcmp(task->name, name) == 0;
    }
    return count;
}

static guint rows_of_kind(TsrModel *model, guint32 kind)
{
    guint count = 0;
    for (guint i = 0; i < program_of(model)->memory->len; i++)
        count += g_array_index(program_of(model)->memory, TsrMemoryRow, i).kind == kind;
    return count;
}

/* Whether any note of the table holds that text. */
static gboolean is_noted(TsrModel *model, const char *part)
{
    for (guint i = 0; i < program_of(model)->memory->len; i++)
        if (strstr(g_array_index(program_of(model)->memory, TsrMemoryRow, i).note, part) != NULL)
            return TRUE;
    return FALSE;
}

static GPtrArray *run(TsrModel *model)
{
    const TsrGraph *graph = program_of(model)->graph;
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GPtrArray *outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        g_ptr_array_add(inputs,
                        fixture_array(NULL, value->desc.view.rank, value->desc.view.shape));
    }
    g_ptr_array_set_size(outputs, (gint)graph->outputs->len);
    ck_assert(tsr_model_run(model, (TsrArray *const *)inputs->pdata,
                            (TsrArray **)outputs->pdata, &error));
    return outputs;
}

/* The same bits without sharing, without reuse and node by node; returns the model with
 * all switched on. */
static TsrModel *same_everywhere(TsrSession *session, Build build)
{
    const char *const off[] = {"all", NULL};
    const TsrCompileOptions plain = {sizeof(plain), .disable_fusion = off};
    TsrCompileOptions ways[3] = {plain, plain, plain};
    TsrModel *model = compile(session, build, &plain);
    g_autoptr(GPtrArray) first = run(model);
    ways[0].disable_inplace = TRUE;
    ways[1].disable_memory_reuse = TRUE;
    ways[2].host_mode = TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autoptr(TsrModel) other = compile(session, build, &ways[i]);
        g_autoptr(GPtrArray) second = run(other);
        if (i < 2) {
            ck_assert_uint_eq(rows_of_kind(other, TSR_MEMORY_PART), 0);
            ck_assert_uint_eq(rows_of_kind(other, TSR_MEMORY_INPLACE), 0);
        }
        for (guint k = 0; k < first->len; k++) {
            TsrArray *a = g_ptr_array_index(first, k), *b = g_ptr_array_index(second, k);
            ck_assert_uint_eq(tsr_array_size_bytes(a), tsr_array_size_bytes(b));
            ck_assert_int_eq(memcmp(tsr_array_data(a), tsr_array_data(b),
                                    tsr_array_size_bytes(a)), 0);
        }
    }
    return model;
}

static TsrValue *unary(TsrGraph *graph, const char *op, const char *name, TsrValue *x)
{
    return fixture_node(graph, op, name, VALUES(x), NULL);
}

static void out(TsrGraph *graph, const char *name, TsrValue *value)
{
    tsr_build_output(graph, name, value);
}

/* ----------------------------------------------------------------------- joins */

static void build_join(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 16));
    TsrValue *a = unary(graph, "Exp", "a", x), *b = unary(graph, "Tanh", "b", x);
    TsrValue *all = fixture_node(graph, "Concat", "all", VALUES(a, b), "axis=0");
    TsrValue *more = fixture_node(graph, "Concat", "more", VALUES(all, unary(graph, "Sin", "c", x)),
                                  "axis=0");
    out(graph, "y", unary(graph, "Neg", "y", more));
    out(graph, "z", unary(graph, "Abs", "z", b));
}

START_TEST(joined)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_join);
    ck_assert_uint_eq(tasks_of(model, "all"), 0);
    ck_assert_uint_eq(tasks_of(model, "more"), 0);
    ck_assert_uint_eq(rows_of_kind(model, TSR_MEMORY_PART), 4);
}
END_TEST

/* Straight into the caller's memory. */
static void build_join_output(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 2, 32));
    out(graph, "y", fixture_node(graph, "Concat", "all",
                                 VALUES(unary(graph, "Exp", "a", x), unary(graph, "Tanh", "b", x)),
                                 "axis=-2"));
}

START_TEST(joined_in_an_output)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_join_output);
    ck_assert_uint_eq(program_of(model)->tasks->len, 2);
    ck_assert_uint_eq(program_of(model)->stats.activation_bytes, 0);
}
END_TEST

/* An input, a value twice, a graph output, runs that are cut or begin between 64 bytes. */
static void build_not_joined(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 16)), *a = unary(graph, "Exp", "a", x);
    TsrValue *b = unary(graph, "Tanh", "b", x), *c = unary(graph, "Sin", "c", x);
    TsrValue *odd = fixture_input(graph, "odd", SHAPE(3, 5));
    TsrValue *d = unary(graph, "Cos", "d", odd), *e = unary(graph, "Exp", "e", odd);
    out(graph, "o1", unary(graph, "Neg", "n1",
                           fixture_node(graph, "Concat", "input", VALUES(a, x), "axis=0")));
    out(graph, "o2", unary(graph, "Neg", "n2",
                           fixture_node(graph, "Concat", "twice", VALUES(b, b), "axis=0")));
    out(graph, "o3", unary(graph, "Neg", "n3",
                           fixture_node(graph, "Concat", "output", VALUES(a, c), "axis=0")));
    out(graph, "o4", c);
    out(graph, "o5", unary(graph, "Neg", "n5",
                           fixture_node(graph, "Concat", "inner", VALUES(a, b), "axis=1")));
    out(graph, "o6", unary(graph, "Neg", "n6",
                           fixture_node(graph, "Concat", "odd", VALUES(d, e), "axis=0")));
}

START_TEST(not_joined)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_not_joined);
    ck_assert_uint_gt(tasks_of(model, "input"), 0);
    ck_assert_uint_gt(tasks_of(model, "twice"), 0);
    ck_assert_uint_gt(tasks_of(model, "output"), 0);
    ck_assert_uint_gt(tasks_of(model, "inner"), 0);
    ck_assert_uint_eq(rows_of_kind(model, TSR_MEMORY_PART), 0);
    ck_assert(is_noted(model, "is a graph input or a constant"));
    ck_assert(is_noted(model, "is there twice"));
    ck_assert(is_noted(model, "is a graph output"));
}
END_TEST

/* A value in two Concats can lie in one of them only. */
static void build_two_joins(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 16)), *a = unary(graph, "Exp", "a", x);
    TsrValue *b = unary(graph, "Tanh", "b", x), *c = unary(graph, "Sin", "c", x);
    out(graph, "o1", unary(graph, "Neg", "n1",
                           fixture_node(graph, "Concat", "one", VALUES(a, b), "axis=0")));
    out(graph, "o2", unary(graph, "Abs", "n2",
                           fixture_node(graph, "Concat", "two", VALUES(b, c), "axis=0")));
}

START_TEST(member_of_two_joins)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_two_joins);
    ck_assert_uint_eq(tasks_of(model, "one"), 0);
    ck_assert_uint_gt(tasks_of(model, "two"), 0);
    ck_assert(is_noted(model, "lies in a larger tensor already"));
}
END_TEST

/* Pictures in channel blocks: whole blocks are joined, but for the last input, and only of
 * one batch entry. Channels that are no whole blocks may end in plain storage, joined or
 * not. */
static void build_blocked(TsrGraph *graph, gint64 batch, gint64 first)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(batch, 16, 6, 6)), *all;
    TsrValue *a = fixture_node(graph, "Conv", "a",
                               VALUES(x, fixture_constant(graph, "wa", SHAPE(first, 16, 3, 3))),
                               NULL);
    TsrValue *b = fixture_node(graph, "Conv", "b",
                               VALUES(x, fixture_constant(graph, "wb", SHAPE(24, 16, 3, 3))),
                               NULL);
    all = fixture_node(graph, "Concat", "all", VALUES(a, b), "axis=1");
    out(graph, "y", fixture_node(graph, "Conv", "y",
                                 VALUES(all, fixture_constant(graph, "wy",
                                                              SHAPE(16, first + 24, 1, 1))),
                                 NULL));
}

static void build_whole_blocks(TsrGraph *graph) { build_blocked(graph, 1, 32); }
static void build_part_blocks(TsrGraph *graph) { build_blocked(graph, 1, 24); }
static void build_batch(TsrGraph *graph) { build_blocked(graph, 2, 32); }

START_TEST(blocked_pictures)
{
    const Build builds[] = {build_whole_blocks, build_part_blocks, build_batch};
    for (guint i = 0; i < G_N_ELEMENTS(builds); i++) {
        g_autoptr(TsrSession) session = fixture_session(1);
        g_autoptr(TsrModel) model = same_everywhere(session, builds[i]);
        if (i == 0)
            ck_assert_uint_eq(tasks_of(model, "all"), 0);
        if (i == 2)
            ck_assert_uint_gt(tasks_of(model, "all"), 0);
    }
}
END_TEST

/* ------------------------------------------------------------------------ cuts */

/* A list of one number. */
static TsrValue *number(TsrGraph *graph, const char *name, gint64 value)
{
    GError *error = NULL;
    g_autoptr(TsrArray) array =
        tsr_array_create_from(TSR_DTYPE_INT64, SHAPE(1), &value, sizeof(value), &error);
    return tsr_build_constant(graph, name, array, &error);
}

static void build_slice(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 8, 32));
    TsrValue *e = unary(graph, "Exp", "e", x);
    TsrValue *first = fixture_node(graph, "Slice", "first",
                                   VALUES(e, number(graph, "s", 3), number(graph, "t", 7),
                                          number(graph, "ax", -2)),
                                   NULL);
    out(graph, "y", unary(graph, "Neg", "y", first));
    out(graph, "z", unary(graph, "Abs", "z", e));
}

START_TEST(cut)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_slice);
    ck_assert_uint_eq(tasks_of(model, "first"), 0);
    ck_assert_uint_eq(rows_of_kind(model, TSR_MEMORY_PART), 1);
}
END_TEST

/* A graph output that is a part is copied by the operator itself, and a part of an input
 * is read where the caller has it. */
static void build_cut_input(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 32));
    TsrValue *s = number(graph, "s", 1), *t = number(graph, "t", 3);
    out(graph, "y", unary(graph, "Exp", "y",
                          fixture_node(graph, "Slice", "part", VALUES(x, s, t), NULL)));
    out(graph, "z", fixture_node(graph, "Slice", "direct", VALUES(x, s, t), NULL));
}

START_TEST(cut_of_an_input)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_cut_input);
    ck_assert_uint_eq(tasks_of(model, "part"), 0);
    ck_assert_uint_eq(program_of(model)->stats.activation_bytes, 0);
}
END_TEST

/* -------------------------------------------------------------------- in place */

static void build_chain(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(64, 64)), *y = x;
    for (guint i = 0; i < 10; i++) {
        g_autofree char *name = g_strdup_printf("n%u", i);
        y = unary(graph, i % 2 == 0 ? "Tanh" : "Neg", name, y);
    }
    out(graph, "y", y);
}

START_TEST(chain_in_the_output)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_chain);
    ck_assert_uint_eq(program_of(model)->stats.activation_bytes, 0);
    ck_assert_uint_gt(program_of(model)->stats.no_reuse_bytes, 8 * 64 * 64 * sizeof(float));
}
END_TEST

/* Inputs and constants stay; a value that is read again stays; one read twice by the same
 * node may go; one of another size does not. */
static void build_careful(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(32, 32));
    TsrValue *row = fixture_input(graph, "row", SHAPE(1, 32));
    TsrValue *a = unary(graph, "Tanh", "a", x), *b = unary(graph, "Neg", "b", a);
    TsrValue *c = fixture_node(graph, "Add", "c", VALUES(a, b), NULL);
    TsrValue *d = fixture_node(graph, "Mul", "d", VALUES(c, c), NULL);
    TsrValue *e = fixture_node(graph, "Add", "e", VALUES(unary(graph, "Exp", "small", row), d),
                               NULL);
    TsrValue *f = fixture_node(graph, "Softmax", "f", VALUES(e), "axis=1");
    out(graph, "y", fixture_node(graph, "MatMul", "y", VALUES(f, x), NULL));
}

START_TEST(careful)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_careful);
    ck_assert_uint_ge(rows_of_kind(model, TSR_MEMORY_INPLACE), 3);
    ck_assert(is_noted(model, "it is a graph input or a constant"));
    ck_assert(is_noted(model, "still uses it"));
}
END_TEST

/* A sum of three reads the third after it wrote the first two. */
static void build_sum(TsrGraph *graph)
{
    TsrValue *x = fixture_input(graph, "x", SHAPE(32, 32));
    TsrValue *a = unary(graph, "Tanh", "a", x), *b = unary(graph, "Exp", "b", x);
    TsrValue *c = unary(graph, "Abs", "c", x);
    out(graph, "y", unary(graph, "Neg", "y",
                          fixture_node(graph, "Sum", "sum", VALUES(a, b, c), NULL)));
    out(graph, "z", fixture_node(graph, "Sum", "once", VALUES(c, c, c), NULL));
}

START_TEST(sum_of_three)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = same_everywhere(session, build_sum);
    ck_assert(program_of(model)->is_sink);
}
END_TEST

/* --------------------------------------------------------------------- the table */

START_TEST(table_for_people)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    const char *const off[] = {"all", NULL};
    const TsrCompileOptions options = {sizeof(options), .disable_fusion = off};
    g_autoptr(TsrModel) model = compile(session, build_careful, &options);
    g_autoptr(TsrMemoryTable) table = NULL;
    GError *error = NULL;
    TsrOmFile file;
    gboolean in_place = FALSE;
    ck_assert(tsr_om_open_bytes(model->om, &file, &error));
    table = tsr_om_memory_table(&file, &error);
    tsr_om_close(&file);
    ck_no_error(error);
    ck_assert_uint_eq(table->rows->len, program_of(model)->memory->len);
    ck_assert_uint_eq(table->stats.activation_bytes, program_of(model)->stats.activation_bytes);
    for (guint i = 0; i < table->rows->len; i++) {
        const TsrMemoryRow *row = &g_array_index(table->rows, TsrMemoryRow, i);
        g_autofree char *why = tsr_memory_table_why(table, i);
        ck_assert_uint_gt(strlen(why), 0);
        ck_assert_str_ne(tsr_memory_table_task(table, row->birth), "?");
        ck_assert_str_ne(tsr_memory_table_task(table, row->death), "?");
        in_place = in_place || strstr(why, "in place with '") != NULL;
    }
    ck_assert(in_place);
    ck_assert_str_eq(tsr_memory_table_task(table, 9999), "?");
    ck_assert_str_eq(tsr_memory_kind_name(99), "?");
}
END_TEST

FIXTURE_MAIN("memory_share", joined, joined_in_an_output, not_joined, member_of_two_joins,
             blocked_pictures, cut, cut_of_an_input, chain_in_the_output, careful, sum_of_three,
             table_for_people)
