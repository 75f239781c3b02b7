/* SPDX-License-Identifier: Apache-2.0
 *
 * test_op_registry.c: operator definitions by domain, name and opset; what is refused.
 */
#include "fixture.h"

static const TsrOpParam one[] = {{"x", TSR_PARAM_REQUIRED, 1, 0}};
static const TsrOpParam bad_variadic[] = {{"x", TSR_PARAM_VARIADIC, 1, 0},
                                          {"y", TSR_PARAM_REQUIRED, 1, 0}};

#define DEF(op_domain, op_name, version)                                            \
    {.struct_size = sizeof(TsrOpDef), .since_version = (version), .domain = (op_domain), \
     .name = (op_name), .inputs = one, .outputs = one, .input_count = 1, .output_count = 1, \
     .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),       \
     .attr_stride = sizeof(TsrOpAttr), .follow = "x=x"}

static TsrOps table(const TsrOpDef *defs, guint32 count)
{
    return (TsrOps){.struct_size = sizeof(TsrOps), .op_count = count,
                    .op_stride = sizeof(TsrOpDef), .ops = defs};
}

START_TEST(picks_the_version)
{
    static const TsrOpDef defs[] = {DEF("d", "Op", 3), DEF("d", "Op", 1), DEF("d", "Op", 7)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    const TsrOps ops = table(defs, 3);
    GError *error = NULL;
    ck_assert(tsr_op_registry_add(registry, &ops, "p", &error));
    ck_assert_uint_eq(tsr_op_registry_find(registry, "d", "Op", 1)->since_version, 1);
    ck_assert_uint_eq(tsr_op_registry_find(registry, "d", "Op", 2)->since_version, 1);
    ck_assert_uint_eq(tsr_op_registry_find(registry, "d", "Op", 6)->since_version, 3);
    ck_assert_uint_eq(tsr_op_registry_find(registry, "d", "Op", G_MAXINT64)->since_version, 7);
    ck_assert_ptr_null(tsr_op_registry_find(registry, "d", "Op", 0));
    ck_assert(tsr_op_registry_has_domain(registry, "d"));
    ck_assert(!tsr_op_registry_has_domain(registry, "e"));
}
END_TEST

START_TEST(errors_name_what_is_missing)
{
    static const TsrOpDef defs[] = {DEF("d", "Op", 3)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    const TsrOps ops = table(defs, 1);
    GError *error = NULL;
    ck_assert(tsr_op_registry_add(registry, &ops, "p", &error));
    ck_assert_ptr_null(tsr_op_registry_get(registry, "d", "Op", 2, &error));
    ck_error(error, TSR_UNSUPPORTED, "since version 3");
    ck_assert_ptr_null(tsr_op_registry_get(registry, "d", "Other", 9, &error));
    ck_error(error, TSR_UNSUPPORTED, "'Other' is not defined in domain 'd'");
    ck_assert_ptr_null(tsr_op_registry_get(registry, "e", "Op", 9, &error));
    ck_error(error, TSR_UNSUPPORTED, "domain 'e'");
}
END_TEST

START_TEST(long_name_of_the_default_domain)
{
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    ck_assert_ptr_eq(tsr_op_registry_find(registry, "ai.onnx", "Relu", 14),
                     tsr_op_registry_find(registry, "", "Relu", 14));
    ck_assert_ptr_nonnull(tsr_op_registry_find(registry, "", "Relu", 14));
    ck_assert(tsr_op_registry_has_domain(registry, "ai.onnx"));
}
END_TEST

/* A plugin may also write the default domain by its long name. */
START_TEST(adds_under_the_long_name)
{
    static const TsrOpDef defs[] = {DEF("ai.onnx", "MadeUp", 1)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    const TsrOps ops = table(defs, 1);
    GError *error = NULL;
    ck_assert(tsr_op_registry_add(registry, &ops, "p", &error));
    ck_assert_ptr_nonnull(tsr_op_registry_find(registry, "", "MadeUp", 1));
    ck_assert(tsr_op_registry_has_domain(registry, ""));
}
END_TEST

START_TEST(duplicates_name_both_owners)
{
    static const TsrOpDef first[] = {DEF("d", "Op", 3)};
    static const TsrOpDef second[] = {DEF("d", "New", 1), DEF("d", "Op", 3)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    TsrOps ops = table(first, 1);
    GError *error = NULL;
    ck_assert(tsr_op_registry_add(registry, &ops, "one", &error));
    ops = table(second, 2);
    ck_assert(!tsr_op_registry_add(registry, &ops, "two", &error));
    ck_assert_ptr_nonnull(strstr(error->message, "'one'"));
    ck_error(error, TSR_ALREADY_EXISTS, "'two'");
    /* Nothing of the refused table was taken. */
    ck_assert_ptr_null(tsr_op_registry_find(registry, "d", "New", 1));
}
END_TEST

START_TEST(duplicates_within_one_table)
{
    static const TsrOpDef defs[] = {DEF("d", "Op", 3), DEF("d", "Op", 3)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    const TsrOps ops = table(defs, 2);
    GError *error = NULL;
    ck_assert(!tsr_op_registry_add(registry, &ops, "p", &error));
    ck_error(error, TSR_ALREADY_EXISTS, "'Op'");
    ck_assert_ptr_null(tsr_op_registry_find(registry, "d", "Op", 3));
}
END_TEST

START_TEST(malformed_definitions)
{
    TsrOpDef defs[7] = {DEF("d", "A", 1), DEF("d", "A", 1), DEF("d", "A", 1), DEF("d", "A", 1),
                        DEF("d", "A", 1), DEF("d", "A", 1), DEF("d", "A", 1)};
    GError *error = NULL;
    defs[0].name = NULL;
    defs[1].since_version = 0;
    defs[2].inputs = NULL;
    defs[3].input_stride = 1;
    defs[4].inputs = bad_variadic;
    defs[4].input_count = 2;
    defs[5].attr_count = 1;
    defs[6].domain = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(defs); i++) {
        g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
        const TsrOps ops = table(&defs[i], 1);
        ck_assert_msg(!tsr_op_registry_add(registry, &ops, "p", &error), "row %zu", i);
        ck_error(error, TSR_INVALID_ARGUMENT, "malformed");
    }
}
END_TEST

START_TEST(short_stride)
{
    static const TsrOpDef defs[] = {DEF("d", "Op", 3)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    TsrOps ops = table(defs, 1);
    GError *error = NULL;
    ops.op_stride = 8;
    ck_assert(!tsr_op_registry_add(registry, &ops, "p", &error));
    ck_error(error, TSR_INVALID_ARGUMENT, "stride 8");
}
END_TEST

/* A definition of an older minor version: its end is zero, whatever lies behind it. */
START_TEST(smaller_definition)
{
    static const TsrOpAttr attr = {.name = "a", .type = TSR_ATTR_INT, .min = 7, .words = "no"};
    TsrOpDef defs[] = {DEF("d", "Op", 3)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    TsrOps ops = table(defs, 1);
    const TsrOpDef *def;
    GError *error = NULL;
    defs[0].struct_size = offsetof(TsrOpDef, infer_range);
    memset((char *)&defs[0] + defs[0].struct_size, 0xff, sizeof(defs[0]) - defs[0].struct_size);
    defs[0].attrs = &attr;
    defs[0].attr_count = 1;
    defs[0].attr_stride = offsetof(TsrOpAttr, reserved);
    ck_assert(tsr_op_registry_add(registry, &ops, "p", &error));
    def = tsr_op_registry_find(registry, "d", "Op", 3);
    ck_assert_ptr_ne(def, &defs[0]);
    ck_assert_ptr_null(def->infer_range);
    ck_assert_ptr_null(def->infer_format_full);
    ck_assert_str_eq(def->follow, "x=x");
    ck_assert_str_eq(tsr_op_attr(def, 0)->name, "a");
    ck_assert_int_eq(tsr_op_attr(def, 0)->min, 0);
    ck_assert_ptr_null(tsr_op_attr(def, 0)->words);
    for (guint32 wrong = 0; wrong < 2; wrong++) {
        g_autoptr(TsrOpRegistry) other = tsr_op_registry_new();
        defs[0].struct_size = wrong == 0 ? 16 : sizeof(TsrOpDef) + 8;
        ck_assert(!tsr_op_registry_add(other, &ops, "p", &error));
        ck_error(error, TSR_INVALID_ARGUMENT, wrong == 0 ? "it is 16 bytes long" : "to its stride");
    }
}
END_TEST

START_TEST(lists_all)
{
    static const TsrOpDef defs[] = {DEF("d", "Op", 3), DEF("d", "Op", 5), DEF("e", "Op", 1)};
    g_autoptr(TsrOpRegistry) registry = tsr_op_registry_new();
    const TsrOps ops = table(defs, 3);
    g_autoptr(GPtrArray) list = NULL;
    GError *error = NULL;
    ck_assert(tsr_op_registry_add(registry, &ops, "p", &error));
    list = tsr_op_registry_list(registry);
    ck_assert_uint_eq(list->len, 3);
}
END_TEST

START_TEST(rows_of_variadic_operators)
{
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    const TsrOpDef *concat = tsr_op_registry_find(registry, "", "Concat", 13);
    const TsrOpDef *relu = tsr_op_registry_find(registry, "", "Relu", 14);
    ck_assert_ptr_eq(tsr_op_input_at(concat, 5), tsr_op_input(concat, 0));
    ck_assert_ptr_null(tsr_op_input_at(relu, 1));
    ck_assert_ptr_null(tsr_op_output_at(relu, 1));
    ck_assert_ptr_eq(tsr_op_output_at(relu, 0), tsr_op_output(relu, 0));
}
END_TEST

FIXTURE_MAIN("op_registry", picks_the_version, errors_name_what_is_missing,
             long_name_of_the_default_domain, adds_under_the_long_name,
             duplicates_name_both_owners, duplicates_within_one_table, malformed_definitions,
             short_stride,
             smaller_definition, lists_all, rows_of_variadic_operators)
