/* SPDX-License-Identifier: Apache-2.0
 *
 * cases.c: see cases.h: the rows of the table (case_rows.c), and the cases that follow from
 * definitions: operators of one input, and element by element of two, over shapes that
 * engines get wrong (scalars, no elements, one, more than a vector, channels that fill no
 * block, broadcasting from each side).
 */
#include "plugin_check/case_rows.h"
#include "plugin_check/cases.h"

#include <string.h>
#include <tessera/plugin_util.h>

/* Of operators of one input: what it may look like. The first two are tried with every type. */
static const char *const one_shapes[] = {
    "3x17", "2x3x4x5", "", "1", "7", "0", "65", "1x17x5x5", "2x32x3x3", "1x1x1x1", "3x0x2",
    "2x3x2x3x2",
};
/* Of two inputs, element by element. */
static const char *const two_shapes[][2] = {
    {"3x17", "3x17"}, {"2x3x4x5", "3x1x1"}, {"", ""}, {"7", ""}, {"", "7"}, {"0", "1"},
    {"4x1", "1x5"}, {"65", "65"}, {"1x17x5x5", "1x17x1x1"}, {"1x17x5x5", "1x17x5x5"},
    {"2x3x2x3x2", "3x2"}, {"2x32x3x3", "1"},
};

static const guint32 dtypes[] = {
    TSR_DTYPE_FLOAT, TSR_DTYPE_FLOAT16, TSR_DTYPE_BFLOAT16, TSR_DTYPE_DOUBLE, TSR_DTYPE_INT8,
    TSR_DTYPE_UINT8, TSR_DTYPE_INT16, TSR_DTYPE_UINT16, TSR_DTYPE_INT32, TSR_DTYPE_UINT32,
    TSR_DTYPE_INT64, TSR_DTYPE_UINT64, TSR_DTYPE_BOOL, TSR_DTYPE_STRING,
};

enum { TYPED_SHAPES = 2, OPSET = 1000 };

void pc_case_free(PcCase *item)
{
    g_free(item->op);
    g_free(item->inputs);
    g_free(item->attrs);
    g_free(item->text);
    g_free(item);
}

/* version 0: the newest. */
static void add_case(GPtrArray *cases, const PcCaseRow *row, guint32 version, guint32 dtype)
{
    PcCase *item = g_new0(PcCase, 1);
    g_autofree char *suffix = version != 0 ? g_strdup_printf("-%u", version) : g_strdup("");
    item->op = g_strdup(row->op);
    item->inputs = g_strdup(row->inputs);
    item->attrs = g_strdup(row->attrs);
    item->tensors = row->tensors;
    item->bodies = row->bodies;
    item->is_random = row->is_random;
    item->outputs = MAX(row->outputs, 1);
    item->version = version;
    item->dtype = dtype;
    item->text = g_strdup_printf("%s%s(%s%s%s) %s", row->op, suffix, row->inputs,
                                 row->attrs != NULL ? "; " : "",
                                 row->attrs != NULL ? row->attrs : "", tsr_dtype_name(dtype));
    g_ptr_array_add(cases, item);
}

static guint64 types_of(const TsrOpDef *def, guint32 index)
{
    const guint64 types = index < def->input_count ? tsr_op_input(def, index)->dtypes : 0;
    return types != 0 ? types : TSR_TYPES_ANY;
}

/* The input by whose type the word T is: the first that says so. */
static guint32 typed_input(const char *inputs)
{
    g_auto(GStrv) words = g_strsplit(inputs, " ", -1);
    for (guint32 i = 0; words[i] != NULL; i++)
        if (words[i][words[i][0] == '!'] == 'T')
            return i;
    return 0;
}

static void add_types(GPtrArray *cases, const TsrOpDef *def, const PcCaseRow *row, guint32 version,
                      gboolean all)
{
    const guint64 allowed =
        types_of(def, MIN(typed_input(row->inputs), MAX(def->input_count, 1) - 1));
    guint added = 0;
    for (gsize t = 0; t < G_N_ELEMENTS(dtypes) && (all || added == 0); t++) {
        if (!(allowed & TSR_BIT(dtypes[t])))
            continue;
        add_case(cases, row, version, dtypes[t]);
        added++;
    }
}

static char *full_name(const TsrOpDef *def)
{
    return def->domain[0] != '\0' ? g_strconcat(def->domain, "::", def->name, NULL)
                                  : g_strdup(def->name);
}

static gboolean has_row(const char *op)
{
    for (gsize i = 0; i < pc_case_row_count; i++)
        if (strcmp(pc_case_rows[i].op, op) == 0)
            return TRUE;
    return FALSE;
}

static gboolean needs_attr(const TsrOpDef *def)
{
    for (guint32 i = 0; i < def->attr_count; i++)
        if (tsr_op_attr(def, i)->required)
            return TRUE;
    return FALSE;
}

/* How many inputs or outputs of a kind a definition has. */
static guint count_kind(const TsrOpDef *def, gboolean outputs, guint32 kind)
{
    guint count = 0;
    for (guint32 i = 0; i < (outputs ? def->output_count : def->input_count); i++)
        count += (outputs ? tsr_op_output(def, i) : tsr_op_input(def, i))->kind == kind;
    return count;
}

/* One input, alone or with others that may be omitted. */
static void add_one(GPtrArray *cases, const TsrOpDef *def, PcCaseRow *row, guint32 version,
                    gboolean full)
{
    for (gsize i = 0; i < G_N_ELEMENTS(one_shapes); i++) {
        g_autofree char *inputs = g_strconcat("T", one_shapes[i], NULL);
        row->inputs = inputs;
        add_types(cases, def, row, version, version == 0 && (full || i < TYPED_SHAPES));
    }
}

/* Two inputs of one type; of equal shapes unless the operator works element by element. */
static void add_two(GPtrArray *cases, const TsrOpDef *def, PcCaseRow *row, guint32 version,
                    gboolean full)
{
    const guint32 group = tsr_op_input(def, 0)->type_group;
    for (gsize i = 0; i < G_N_ELEMENTS(two_shapes); i++) {
        const char *const *shapes = two_shapes[i];
        g_autofree char *inputs = g_strdup_printf("T%s T%s+", shapes[0], shapes[1]);
        g_autofree char *constant = g_strdup_printf("T%s !T%s+", shapes[0], shapes[1]);
        if (group == 0 || group != tsr_op_input(def, 1)->type_group ||
            (!(def->flags & TSR_OP_ELEMENTWISE) && strcmp(shapes[0], shapes[1]) != 0))
            continue;
        row->inputs = inputs;
        add_types(cases, def, row, version, version == 0 && (full || i < TYPED_SHAPES));
        row->inputs = constant;
        if (i < 4)
            add_types(cases, def, row, version, FALSE);
    }
}

/* Any number of inputs of one type: one to three of them. */
static void add_many(GPtrArray *cases, const TsrOpDef *def, PcCaseRow *row, guint32 version)
{
    static const char *const inputs[] = {"T3x17 T3x17 T3x17", "T3x17", "T T", "T0 T0", "T4x1 T1x5"};
    for (gsize i = 0; i < G_N_ELEMENTS(inputs); i++) {
        row->inputs = inputs[i];
        add_types(cases, def, row, version, version == 0 && i == 0);
    }
}

/* Operators that need no row: what their inputs are follows from the definition, and what
 * does not fit it is no case. Of an older version, which most often differs in the types that
 * it allows, each shape is tried with one type. */
static void add_plain(GPtrArray *cases, const TsrOpDef *def, const char *op, guint32 version,
                      gboolean full)
{
    const guint required = count_kind(def, FALSE, TSR_PARAM_REQUIRED);
    PcCaseRow row = {.op = op, .outputs = count_kind(def, TRUE, TSR_PARAM_REQUIRED),
                     .is_random = (def->flags & TSR_OP_RANDOM) != 0};
    if (row.outputs == 0 || needs_attr(def))
        return;
    if (required == 1 && count_kind(def, FALSE, TSR_PARAM_OPTIONAL) + 1 == def->input_count)
        add_one(cases, def, &row, version, full);
    else if (required == 2 && def->input_count == 2)
        add_two(cases, def, &row, version, full);
    else if (def->input_count == 1 && tsr_op_input(def, 0)->kind == TSR_PARAM_VARIADIC)
        add_many(cases, def, &row, version);
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    const TsrOpDef *first = *(const TsrOpDef *const *)a, *second = *(const TsrOpDef *const *)b;
    const int order = strcmp(first->domain, second->domain);
    return order != 0 ? order : strcmp(first->name, second->name);
}

/* The definitions of an operator before the newest, latest first. (transfer container) */
static GPtrArray *older(TsrSession *session, const TsrOpDef *newest_def)
{
    GPtrArray *list = g_ptr_array_new();
    const TsrOpDef *def = newest_def;
    while (def != NULL && def->since_version > 1) {
        def = tsr_op_registry_find(session->set->registry, newest_def->domain, newest_def->name,
                                   (gint64)def->since_version - 1);
        if (def != NULL)
            g_ptr_array_add(list, (gpointer)(guintptr)def);
    }
    return list;
}

/* The newest definition of each operator, by domain and name. (transfer container) */
static GPtrArray *newest(TsrSession *session)
{
    g_autoptr(GPtrArray) all = tsr_op_registry_list(session->set->registry);
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < all->len; i++) {
        const TsrOpDef *def = g_ptr_array_index(all, i);
        if (tsr_op_registry_find(session->set->registry, def->domain, def->name, OPSET) == def)
            g_ptr_array_add(list, (gpointer)(guintptr)def);
    }
    g_ptr_array_sort(list, by_name);
    return list;
}

static void add_row(GPtrArray *cases, TsrSession *session, const PcCaseRow *row)
{
    const char *colons = strstr(row->op, "::");
    g_autofree char *domain =
        colons != NULL ? g_strndup(row->op, (gsize)(colons - row->op)) : g_strdup("");
    const TsrOpDef *def = tsr_op_registry_find(session->set->registry, domain,
                                               colons != NULL ? colons + 2 : row->op, OPSET);
    g_autoptr(GPtrArray) before = NULL;
    if (def == NULL)
        return;
    if (row->once)
        add_case(cases, row, 0, TSR_DTYPE_FLOAT);
    else
        add_types(cases, def, row, 0, TRUE);
    if (row->attrs != NULL || row->tensors != NULL || row->bodies != NULL)
        return;
    before = older(session, def);
    for (guint i = 0; i < before->len; i++) {
        const TsrOpDef *old = g_ptr_array_index(before, i);
        PcCaseRow old_row = *row;
        old_row.is_random |= (old->flags & TSR_OP_RANDOM) != 0;
        add_case(cases, &old_row, old->since_version, TSR_DTYPE_FLOAT);
    }
}

GPtrArray *pc_cases_new(TsrSession *session, gboolean full)
{
    GPtrArray *cases = g_ptr_array_new_with_free_func((GDestroyNotify)pc_case_free);
    g_autoptr(GPtrArray) defs = newest(session);
    for (gsize i = 0; i < pc_case_row_count; i++)
        add_row(cases, session, &pc_case_rows[i]);
    for (guint i = 0; i < defs->len; i++) {
        const TsrOpDef *def = g_ptr_array_index(defs, i);
        g_autofree char *op = full_name(def);
        g_autoptr(GPtrArray) before = older(session, def);
        if (has_row(op) || strncmp(def->domain, "tessera", 7) == 0)
            continue;
        add_plain(cases, def, op, 0, full);
        for (guint k = 0; k < before->len; k++) {
            const TsrOpDef *old = g_ptr_array_index(before, k);
            add_plain(cases, old, op, old->since_version, full);
        }
    }
    return cases;
}

const char *pc_missing_reason(const char *op)
{
    if (g_str_has_prefix(op, "tessera::"))
        return "the compiler makes them, and group formats runs what it makes";
    if (g_str_has_prefix(op, "tessera."))
        return "passes of the plugin make them, and group fusion compares what they make";
    if (g_str_has_suffix(op, "::Gradient"))
        return "the compiler writes it as other operators before an engine is asked";
    return "the kit does not know their inputs";
}

GPtrArray *pc_cases_missing(TsrSession *session, GPtrArray *cases)
{
    GPtrArray *missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) defs = newest(session);
    for (guint i = 0; i < cases->len; i++)
        g_hash_table_add(seen, ((PcCase *)g_ptr_array_index(cases, i))->op);
    for (guint i = 0; i < defs->len; i++) {
        char *op = full_name(g_ptr_array_index(defs, i));
        if (g_hash_table_contains(seen, op))
            g_free(op);
        else
            g_ptr_array_add(missing, op);
    }
    return missing;
}
