/* SPDX-License-Identifier: Apache-2.0
 *
 * test_host_variant.c: when the host executor may use what it inferred and tiled before: the same
 * shapes, and the same contents where inference reads them. Runs whose shapes take turns give
 * what runs of a new model give.
 */
#include "dynamic_net.h"
#include "runtime/host_variant.h"

/* Reshape of x by a shape that a run brings. */
static TsrNode *reshape(TsrGraph *graph)
{
    const gint64 two = 2;
    TsrDesc desc;
    TsrValue *x = fixture_input(graph, "x", SHAPE(-1)), *shape;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT64, 1, &two);
    shape = tsr_graph_add_input(graph, "shape", &desc.view, NULL);
    tsr_build_output(graph, "y", fixture_node(graph, "Reshape", "r", VALUES(x, shape), NULL));
    return fixture_find(graph, "r");
}

static TsrArray *integers(gint64 a, gint64 b)
{
    const gint64 two = 2, values[] = {a, b};
    return tsr_array_create_from(TSR_DTYPE_INT64, 1, &two, values, sizeof(values), NULL);
}

START_TEST(what_fits)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    const TsrNode *node = reshape(graph);
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(12));
    g_autoptr(TsrArray) longer = fixture_array(NULL, SHAPE(24));
    g_autoptr(TsrArray) shape = integers(3, 4);
    g_autoptr(TsrArray) other = integers(4, 3);
    TsrArray *inputs[] = {x, shape}, *turned[] = {x, other}, *grown[] = {longer, shape};
    TsrArray *omitted[] = {x, NULL};
    TsrHostVariant *variant = tsr_host_variant_new(node, inputs);
    ck_assert(tsr_host_variant_is_whole(node, inputs));
    ck_assert(tsr_host_variant_fits(variant, inputs, TRUE));
    ck_assert(!tsr_host_variant_fits(variant, turned, TRUE));
    ck_assert(tsr_host_variant_fits(variant, turned, FALSE));
    ck_assert(!tsr_host_variant_fits(variant, grown, FALSE));
    ck_assert(!tsr_host_variant_fits(variant, omitted, FALSE));
    /* x may hold other numbers: nobody infers from them. */
    ((float *)tsr_array_data(x))[0] += 1.0f;
    ck_assert(tsr_host_variant_fits(variant, inputs, TRUE));
    ((gint64 *)tsr_array_data(shape))[0] = 6;
    ck_assert(!tsr_host_variant_fits(variant, inputs, TRUE));
    tsr_host_variant_free(variant);
}
END_TEST

START_TEST(what_is_not_whole)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    const TsrNode *node = reshape(graph);
    const gint64 many = 100;
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(12));
    g_autoptr(TsrArray) large = tsr_array_create(TSR_DTYPE_INT64, 1, &many, NULL);
    g_autoptr(TsrArray) sequence = tsr_array_new_items("s", TSR_KIND_SEQUENCE, TSR_DTYPE_FLOAT,
                                                       &x, 1);
    TsrArray *inputs[] = {x, large}, *items[] = {sequence, NULL};
    ck_assert(!tsr_host_variant_is_whole(node, inputs));
    ck_assert(!tsr_host_variant_is_whole(node, items));
}
END_TEST

START_TEST(constants_are_shared)
{
    g_autoptr(TsrGraph) graph = fixture_graph();
    const TsrNode *node = reshape(graph);
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(12));
    g_autoptr(TsrArray) shape = integers(3, 4);
    TsrArray *inputs[] = {x, shape};
    TsrHostVariant *a = tsr_host_variant_new(node, inputs);
    TsrHostVariant *b = tsr_host_variant_new(node, inputs);
    TsrBuiltNode *built[2];
    tsr_host_variant_share(a, b); /* neither has tasks: nothing happens */
    for (guint i = 0; i < 2; i++) {
        built[i] = g_new0(TsrBuiltNode, 1);
        built[i]->tasks = g_ptr_array_new();
        built[i]->workspaces = g_array_new(FALSE, FALSE, sizeof(guint64));
        built[i]->constants = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
        g_ptr_array_add(built[i]->constants, g_bytes_new("same", 4));
        g_ptr_array_add(built[i]->constants, g_bytes_new(i == 0 ? "one" : "two", 3));
    }
    a->built = built[0];
    b->built = built[1];
    tsr_host_variant_share(a, b);
    ck_assert_ptr_eq(g_ptr_array_index(built[0]->constants, 0),
                     g_ptr_array_index(built[1]->constants, 0));
    ck_assert_ptr_ne(g_ptr_array_index(built[0]->constants, 1),
                     g_ptr_array_index(built[1]->constants, 1));
    tsr_host_variant_free(a);
    tsr_host_variant_free(b);
}
END_TEST

/* Six shapes in turn, more than are kept, against a model that has seen no other. */
START_TEST(shapes_take_turns)
{
    g_autoptr(TsrSession) session = fixture_session(1);
    g_autoptr(TsrModel) model = dynamic_compile(session, NULL, TRUE);
    for (guint turn = 0; turn < 4; turn++)
        for (gint64 i = 0; i < 6; i++) {
            const gint64 shape[] = {1 + i % 2, 3, 5 + i % 3, 7};
            g_autoptr(TsrModel) fresh = dynamic_compile(session, NULL, TRUE);
            g_autoptr(TsrArray) x = dynamic_input(shape, turn * 6 + (guint)i);
            g_autoptr(TsrArray) got = dynamic_run(model, x);
            g_autoptr(TsrArray) want = dynamic_run(fresh, x);
            ck_assert_float_eq(dynamic_difference(got, want), 0.0f);
        }
}
END_TEST

FIXTURE_MAIN("host_variant", what_fits, what_is_not_whole, constants_are_shared,
             shapes_take_turns)
