/* SPDX-License-Identifier: Apache-2.0
 *
 * test_attr.c: attributes own what they point to, copy deeply and are shared by count.
 */
#include "fixture.h"

START_TEST(scalars)
{
    g_autoptr(TsrAttrBox) f = tsr_attr_new_float("alpha", 0.5f);
    g_autoptr(TsrAttrBox) i = tsr_attr_new_int("axis", -3);
    g_autoptr(TsrAttrBox) g = tsr_attr_new_graph("body", 2);
    ck_assert_str_eq(tsr_attr_view(f)->name, "alpha");
    ck_assert_uint_eq(tsr_attr_view(f)->type, TSR_ATTR_FLOAT);
    ck_assert(tsr_attr_view(f)->f == 0.5f);
    ck_assert_int_eq(tsr_attr_view(i)->i, -3);
    ck_assert_uint_eq(tsr_attr_view(i)->type, TSR_ATTR_INT);
    ck_assert_int_eq(tsr_attr_view(g)->i, 2);
    ck_assert_uint_eq(tsr_attr_view(g)->type, TSR_ATTR_GRAPH);
    ck_assert_uint_eq(tsr_attr_view(g)->struct_size, sizeof(TsrAttr));
}
END_TEST

START_TEST(owns_its_data)
{
    char name[] = "pads", text[] = "SAME";
    gint64 numbers[] = {1, 2, 3};
    TsrString words[] = {{text, 4}, {NULL, 0}};
    g_autoptr(TsrAttrBox) ints = tsr_attr_new_ints(name, numbers, 3);
    g_autoptr(TsrAttrBox) string = tsr_attr_new_string("auto_pad", text, 4);
    g_autoptr(TsrAttrBox) strings = tsr_attr_new_strings("words", words, 2);
    memset(name, 'x', 4);
    memset(text, 'x', 4);
    memset(numbers, 0, sizeof(numbers));
    ck_assert_str_eq(tsr_attr_view(ints)->name, "pads");
    ck_assert_uint_eq(tsr_attr_view(ints)->count, 3);
    ck_assert_int_eq(tsr_attr_view(ints)->ints[2], 3);
    ck_assert_str_eq(tsr_attr_view(string)->s.data, "SAME");
    ck_assert_uint_eq(tsr_attr_view(string)->s.size, 4);
    ck_assert_int_eq(memcmp(tsr_attr_view(strings)->strings[0].data, "SAME", 4), 0);
    ck_assert_uint_eq(tsr_attr_view(strings)->strings[1].size, 0);
}
END_TEST

START_TEST(copies_every_type)
{
    const float floats[] = {1.5f, -2.0f};
    const gint64 ints[] = {7, G_MININT64};
    const TsrString words[] = {{"a", 1}, {"bc", 2}};
    g_autoptr(GBytes) bytes = g_bytes_new("\1\2\3", 3);
    TsrDesc desc;
    TsrAttrBox *made[8];
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_UINT8, SHAPE(3));
    made[0] = tsr_attr_new_float("a", 2.5f);
    made[1] = tsr_attr_new_int("a", 9);
    made[2] = tsr_attr_new_string("a", "x\0y", 3);
    made[3] = tsr_attr_new_floats("a", floats, 2);
    made[4] = tsr_attr_new_ints("a", ints, 2);
    made[5] = tsr_attr_new_strings("a", words, 2);
    made[6] = tsr_attr_new_tensor("a", &desc.view, bytes);
    made[7] = tsr_attr_new_graph("a", 1);
    for (gsize i = 0; i < G_N_ELEMENTS(made); i++) {
        TsrAttrBox *copy = tsr_attr_copy_view(tsr_attr_view(made[i]));
        const TsrAttr *from = tsr_attr_view(made[i]), *to = tsr_attr_view(copy);
        ck_assert_uint_eq(to->type, from->type);
        ck_assert_uint_eq(to->count, from->count);
        ck_assert_int_eq(to->i, from->i);
        ck_assert(to->f == from->f);
        ck_assert_uint_eq(to->s.size, from->s.size);
        ck_assert(from->s.size == 0 || memcmp(to->s.data, from->s.data, from->s.size) == 0);
        ck_assert(from->floats == NULL || memcmp(to->floats, floats, sizeof(floats)) == 0);
        ck_assert(from->ints == NULL || memcmp(to->ints, ints, sizeof(ints)) == 0);
        ck_assert(from->strings == NULL || to->strings[1].size == 2);
        if (from->tensor != NULL) {
            ck_assert_uint_eq(to->tensor->size_bytes, 3);
            ck_assert_ptr_ne(to->tensor->data, from->tensor->data);
            ck_assert_int_eq(memcmp(to->tensor->data, "\1\2\3", 3), 0);
        }
        tsr_attr_unref(copy);
        tsr_attr_unref(made[i]);
    }
}
END_TEST

START_TEST(unknown_type_is_not_copied)
{
    TsrAttr view = {.struct_size = sizeof(view), .type = 77, .name = "a"};
    ck_assert_ptr_null(tsr_attr_copy_view(&view));
    ck_assert_str_eq(tsr_attr_type_name(77), "unknown");
    ck_assert_str_eq(tsr_attr_type_name(TSR_ATTR_INTS), "INTS");
}
END_TEST

START_TEST(is_counted)
{
    TsrAttrBox *attr = tsr_attr_new_int("a", 1);
    g_autoptr(TsrGraph) graph = fixture_graph();
    TsrValue *x = fixture_input(graph, "x", SHAPE(2, 3));
    const TsrOpDef *def = tsr_op_registry_find(graph->registry, "", "Softmax", 13);
    TsrAttrBox *axis = tsr_attr_new_int("axis", 0);
    GError *error = NULL;
    TsrNode *node = tsr_graph_add_node(graph, def, "s", VALUES(x), 1, NULL, 1,
                                       (TsrAttrBox *const[]){axis}, 1, NULL, 0, &error);
    ck_no_error(error);
    ck_assert_ptr_eq(tsr_attr_ref(attr), attr);
    tsr_attr_unref(attr);
    ck_assert_int_eq(tsr_attr_view(attr)->i, 1);
    tsr_attr_unref(attr);
    tsr_attr_unref(axis); /* the node holds its own reference */
    ck_assert_int_eq(tsr_node_attr(node, "axis")->i, 0);
    ck_assert_ptr_null(tsr_node_attr(node, "alpha"));
}
END_TEST

FIXTURE_MAIN("attr", scalars, owns_its_data, copies_every_type, unknown_type_is_not_copied,
             is_counted)
