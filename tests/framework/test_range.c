/* SPDX-License-Identifier: Apache-2.0
 *
 * test_range.c: bounds of outputs whose shape only the data tells: what the definitions
 * say, and that a kernel takes its real shape within the memory for the bound.
 */
#include "fixture.h"
#include "plugin/host_run.h"
#include "prepare/infer.h"

static const TsrTensorDesc *bounds_of(TsrGraph *graph, const char *name, guint output)
{
    GError *error = NULL;
    TsrNode *node = fixture_find(graph, name);
    ck_assert(tsr_infer_graph(graph, NULL, &error));
    ck_no_error(error);
    return &((const TsrValue *)g_ptr_array_index(node->outputs, output))->desc.view;
}

static void ck_bounds(const TsrTensorDesc *desc, guint32 rank, const gint64 *wanted)
{
    ck_assert_uint_eq(desc->rank, rank);
    ck_assert_ptr_nonnull(desc->max_shape);
    for (guint32 i = 0; i < rank; i++)
        ck_assert_int_eq(desc->max_shape[i], wanted[i]);
}

START_TEST(nonzero)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 3));
    g_autofree char *text = NULL;
    const TsrTensorDesc *desc;
    fixture_node(graph, "NonZero", "n", VALUES(x), NULL);
    desc = bounds_of(graph, "n", 0);
    ck_assert_int_eq(desc->shape[1], TSR_DIM_UNKNOWN);
    ck_bounds(desc, 2, (const gint64[]){2, 6});
    text = tsr_desc_to_text(desc);
    ck_assert_str_eq(text, "int64[2,?] at most [2,6]");
}
END_TEST

START_TEST(nonzero_of_unknown_extent_has_no_bound)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, -1));
    fixture_node(graph, "NonZero", "n", VALUES(x), NULL);
    ck_assert_ptr_null(bounds_of(graph, "n", 0)->max_shape);
}
END_TEST

/* A boolean input, which the fixture does not make. */
static TsrValue *bool_input(TsrGraph *graph, const char *name, gint64 extent)
{
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_BOOL, 1, &extent);
    return tsr_graph_add_input(graph, name, &desc.view, NULL);
}

START_TEST(compress)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 5));
    TsrValue *condition = bool_input(graph, "c", 3);
    fixture_node(graph, "Compress", "flat", VALUES(x, condition), NULL);
    fixture_node(graph, "Compress", "axis", VALUES(x, condition), "axis=0");
    ck_bounds(bounds_of(graph, "flat", 0), 1, (const gint64[]){3});
    ck_bounds(bounds_of(graph, "axis", 0), 2, (const gint64[]){3, 5});
}
END_TEST

START_TEST(unique)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(4, 5));
    fixture_node(graph, "Unique", "flat", VALUES(x), NULL);
    fixture_node(graph, "Unique", "axis", VALUES(x), "axis=-1");
    ck_bounds(bounds_of(graph, "flat", 0), 1, (const gint64[]){20});
    ck_bounds(bounds_of(graph, "axis", 0), 2, (const gint64[]){4, 5});
}
END_TEST

START_TEST(non_max_suppression)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *boxes = fixture_input(graph, "boxes", SHAPE(2, 10, 4));
    TsrValue *scores = fixture_input(graph, "scores", SHAPE(2, 3, 10));
    fixture_node(graph, "NonMaxSuppression", "n", VALUES(boxes, scores), NULL);
    /* Without a limit the operator takes none. */
    ck_bounds(bounds_of(graph, "n", 0), 2, (const gint64[]){0, 3});
}
END_TEST

/* An engine whose kernel says the shape that its test wants. */
static gint64 said;

static int32_t say_shape(const TsrExecutor *executor, void *state, TsrRunContext *run)
{
    (void)executor;
    (void)state;
    return run->alloc_output(run, 0, TSR_DTYPE_FLOAT, 1, &said);
}

static gboolean run_saying(gint64 extent, TsrArray **out_array, GError **error)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(8));
    const TsrExecutor executor = {.struct_size = sizeof(executor), .run = say_shape};
    const TsrEngine engine = {.struct_size = sizeof(engine), .name = "sayer"};
    const TsrLoadedPlugin plugin = {.engine = &engine, .executor = &executor};
    const TsrRunServices services = {.core_count = 1};
    TsrArray *input = fixture_array(NULL, SHAPE(8));
    gboolean done;
    fixture_node(graph, "Relu", "n", VALUES(x), NULL);
    said = extent;
    *out_array = fixture_array(NULL, SHAPE(8)); /* memory for the bound */
    done = tsr_host_run(&plugin, NULL, tsr_node_view(fixture_find(graph, "n")), &input, out_array,
                        TRUE, &services, error);
    tsr_array_unref(input);
    return done;
}

START_TEST(kernel_takes_its_shape_within_the_bound)
{
    TsrArray *array;
    GError *error = NULL;
    ck_assert(run_saying(5, &array, &error));
    ck_no_error(error);
    ck_assert_int_eq(array->desc.shape[0], 5);
    ck_assert_uint_eq(array->tensor.size_bytes, 5 * sizeof(float));
    ck_assert_uint_eq(array->capacity, 8 * sizeof(float));
    tsr_array_unref(array);
}
END_TEST

START_TEST(kernel_beyond_the_bound)
{
    TsrArray *array;
    GError *error = NULL;
    ck_assert(!run_saying(9, &array, &error));
    ck_error(error, TSR_INTERNAL, "beyond its bound");
    tsr_array_unref(array);
}
END_TEST

FIXTURE_MAIN("range", nonzero, nonzero_of_unknown_extent_has_no_bound, compress, unique,
             non_max_suppression, kernel_takes_its_shape_within_the_bound,
             kernel_beyond_the_bound)
