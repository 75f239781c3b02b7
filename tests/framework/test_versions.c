/* SPDX-License-Identifier: Apache-2.0
 *
 * test_versions.c: the borders between versions of the built-in operators: which
 * definition serves which opset, and what moved from an attribute to an input there.
 * Source: ONNX Changelog.md.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/op_registry.h"
#include "ops/ops.h"
#include "../support/check_main.h"

static TsrOpRegistry *make_registry(void)
{
    TsrOpRegistry *registry = tsr_op_registry_new();
    guint32 count;
    const TsrOps *const *tables = tsr_ops_builtin(&count);
    for (guint32 i = 0; i < count; i++)
        ck_assert(tsr_op_registry_add(registry, tables[i], "builtin", NULL));
    return registry;
}

START_TEST(test_every_definition_serves_from_its_version_on)
{
    g_autoptr(TsrOpRegistry) registry = make_registry();
    g_autoptr(GPtrArray) list = tsr_op_registry_list(registry);
    ck_assert_uint_gt(list->len, 400);
    for (guint i = 0; i < list->len; i++) {
        const TsrOpDef *def = g_ptr_array_index(list, i), *before;
        ck_assert_ptr_eq(
            tsr_op_registry_find(registry, def->domain, def->name, def->since_version), def);
        before = tsr_op_registry_find(registry, def->domain, def->name,
                                      (gint64)def->since_version - 1);
        if (before != NULL)
            ck_assert_uint_lt(before->since_version, def->since_version);
    }
}
END_TEST

static const TsrOpAttr *find_attr(const TsrOpDef *def, const char *name)
{
    for (guint32 i = 0; i < def->attr_count; i++)
        if (strcmp(tsr_op_attr(def, i)->name, name) == 0)
            return tsr_op_attr(def, i);
    return NULL;
}

static gboolean has_input(const TsrOpDef *def, const char *name)
{
    for (guint32 i = 0; i < def->input_count; i++)
        if (strcmp(tsr_op_input(def, i)->name, name) == 0)
            return TRUE;
    return FALSE;
}

/* An attribute that is gone from a version on, and the input that took its place (NULL:
 * none did). */
static const struct {
    const char *op;
    gint64 border;
    const char *attr;
    const char *input;
} moved[] = {
    {"Squeeze", 13, "axes", "axes"},      {"Unsqueeze", 13, "axes", "axes"},
    {"ReduceSum", 13, "axes", "axes"},    {"ReduceMean", 18, "axes", "axes"},
    {"ReduceMax", 18, "axes", "axes"},    {"ReduceMin", 18, "axes", "axes"},
    {"ReduceProd", 18, "axes", "axes"},   {"ReduceL1", 18, "axes", "axes"},
    {"ReduceL2", 18, "axes", "axes"},     {"ReduceLogSum", 18, "axes", "axes"},
    {"Clip", 11, "min", "min"},           {"Clip", 11, "max", "max"},
    {"Slice", 10, "starts", "starts"},    {"Slice", 10, "axes", "axes"},
    {"Pad", 11, "pads", "pads"},          {"Pad", 11, "value", "constant_value"},
    {"TopK", 10, "k", "K"},               {"Split", 13, "split", "split"},
    {"Dropout", 12, "ratio", "ratio"},    {"Upsample", 9, "scales", "scales"},
    {"BatchNormalization", 9, "spatial", NULL}, {"GRU", 7, "output_sequence", NULL},
    {"LSTM", 7, "output_sequence", NULL}, {"RNN", 7, "output_sequence", NULL},
};

START_TEST(test_attribute_moves_at_its_border)
{
    g_autoptr(TsrOpRegistry) registry = make_registry();
    const TsrOpDef *before =
        tsr_op_registry_find(registry, "", moved[_i].op, moved[_i].border - 1);
    const TsrOpDef *after = tsr_op_registry_find(registry, "", moved[_i].op, moved[_i].border);
    ck_assert_msg(before != NULL && after != NULL, "%s", moved[_i].op);
    ck_assert_ptr_ne(before, after);
    ck_assert_msg(find_attr(before, moved[_i].attr) != NULL, "%s before %d: no attribute %s",
                  moved[_i].op, (int)moved[_i].border, moved[_i].attr);
    ck_assert_msg(find_attr(after, moved[_i].attr) == NULL, "%s from %d on: attribute %s",
                  moved[_i].op, (int)moved[_i].border, moved[_i].attr);
    if (moved[_i].input == NULL)
        return;
    ck_assert_msg(!has_input(before, moved[_i].input), "%s before: input %s", moved[_i].op,
                  moved[_i].input);
    ck_assert_msg(has_input(after, moved[_i].input), "%s from %d on: no input %s", moved[_i].op,
                  (int)moved[_i].border, moved[_i].input);
}
END_TEST

/* A default that changed. */
START_TEST(test_softmax_axis_default)
{
    g_autoptr(TsrOpRegistry) registry = make_registry();
    ck_assert_int_eq(
        find_attr(tsr_op_registry_find(registry, "", "Softmax", 12), "axis")->i, 1);
    ck_assert_int_eq(
        find_attr(tsr_op_registry_find(registry, "", "Softmax", 13), "axis")->i, -1);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("versions");
    tcase_add_test(tcase, test_every_definition_serves_from_its_version_on);
    tcase_add_loop_test(tcase, test_attribute_moves_at_its_border, 0, G_N_ELEMENTS(moved));
    tcase_add_test(tcase, test_softmax_axis_default);
    return check_main("versions", tcase);
}
