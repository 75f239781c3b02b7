/* SPDX-License-Identifier: Apache-2.0
 *
 * node_check.c: see node_check.h.
 */
#include "ir/node_check.h"

#include <string.h>

#include "base/error.h"

static gboolean check_inputs(const TsrOpDef *def, const char *name, TsrValue *const *inputs,
                             gsize count, GError **error)
{
    gboolean variadic = def->input_count != 0 &&
                        tsr_op_input(def, def->input_count - 1)->kind >= TSR_PARAM_VARIADIC;
    if (count > def->input_count && !variadic) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': takes at most %u inputs, got %zu", def->name, name,
                    def->input_count, count);
        return FALSE;
    }
    for (guint32 i = 0; i < def->input_count; i++) {
        const TsrOpParam *param = tsr_op_input(def, i);
        if (param->kind == TSR_PARAM_REQUIRED && (i >= count || inputs[i] == NULL)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "%s '%s': required input %u ('%s') is missing", def->name, name, i,
                        param->name);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean check_outputs(const TsrOpDef *def, const char *name,
                              const char *const *output_names, gsize count, GError **error)
{
    gboolean variadic = def->output_count != 0 &&
                        tsr_op_output(def, def->output_count - 1)->kind >= TSR_PARAM_VARIADIC;
    if (count > def->output_count && !variadic) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': gives at most %u outputs, but %zu are named", def->name, name,
                    def->output_count, count);
        return FALSE;
    }
    for (guint32 i = 0; i < def->output_count; i++) {
        const TsrOpParam *param = tsr_op_output(def, i);
        if (param->kind == TSR_PARAM_REQUIRED &&
            (i >= count || (output_names != NULL &&
                            (output_names[i] == NULL || output_names[i][0] == '\0')))) {
            /* A required output may stay unnamed when another one is wanted. */
            if (i < count && count > 1)
                continue;
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "%s '%s': required output %u ('%s') has no name", def->name, name, i,
                        param->name);
            return FALSE;
        }
    }
    return TRUE;
}

static const TsrOpAttr *find_row(const TsrOpDef *def, const char *name)
{
    for (guint32 i = 0; i < def->attr_count; i++)
        if (strcmp(tsr_op_attr(def, i)->name, name) == 0)
            return tsr_op_attr(def, i);
    return NULL;
}

static gboolean in_range(const TsrOpAttr *row, gint64 value, const char *op, const char *name,
                         GError **error)
{
    if (row->min >= row->max || (value >= row->min && value <= row->max))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "%s '%s': attribute '%s' must be in [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                "], got %" G_GINT64_FORMAT,
                op, name, row->name, row->min, row->max, value);
    return FALSE;
}

static gboolean is_word(const char *words, const TsrString *word)
{
    const char *at = words;
    while (*at != '\0') {
        gsize length = strcspn(at, "|");
        if (length == word->size && memcmp(at, word->data, length) == 0)
            return TRUE;
        at += length;
        if (*at == '|')
            at++;
    }
    return FALSE;
}

static gboolean check_attr(const TsrOpDef *def, const char *name, const TsrAttr *attr,
                           GError **error)
{
    const TsrOpAttr *row = find_row(def, attr->name);
    if (row == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': version %u of the operator has no attribute '%s'", def->name, name,
                    def->since_version, attr->name);
        return FALSE;
    }
    if (row->type != attr->type) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': attribute '%s' must be %s, got %s", def->name, name, attr->name,
                    tsr_attr_type_name(row->type), tsr_attr_type_name(attr->type));
        return FALSE;
    }
    if (attr->type == TSR_ATTR_INT && !in_range(row, attr->i, def->name, name, error))
        return FALSE;
    for (guint32 i = 0; attr->type == TSR_ATTR_INTS && i < attr->count; i++)
        if (!in_range(row, attr->ints[i], def->name, name, error))
            return FALSE;
    if (attr->type == TSR_ATTR_STRING && row->words != NULL && !is_word(row->words, &attr->s)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': attribute '%s' must be one of %s, got '%.*s'", def->name, name,
                    attr->name, row->words, (int)MIN(attr->s.size, 64), attr->s.data);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_attrs(const TsrOpDef *def, const char *name, TsrAttrBox *const *attrs,
                            gsize count, GError **error)
{
    for (gsize i = 0; i < count; i++) {
        const TsrAttr *attr = tsr_attr_view(attrs[i]);
        for (gsize j = 0; j < i; j++) {
            if (strcmp(attr->name, tsr_attr_view(attrs[j])->name) == 0) {
                g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                            "%s '%s': attribute '%s' is given twice", def->name, name,
                            attr->name);
                return FALSE;
            }
        }
        if (!check_attr(def, name, attr, error))
            return FALSE;
    }
    for (guint32 i = 0; i < def->attr_count; i++) {
        const TsrOpAttr *row = tsr_op_attr(def, i);
        gboolean there = !row->required;
        for (gsize j = 0; j < count && !there; j++)
            there = strcmp(row->name, tsr_attr_view(attrs[j])->name) == 0;
        if (!there) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "%s '%s': required attribute '%s' (%s) is missing", def->name, name,
                        row->name, tsr_attr_type_name(row->type));
            return FALSE;
        }
    }
    return TRUE;
}

gboolean tsr_node_check(const TsrOpDef *def, const char *name, TsrValue *const *inputs,
                        gsize input_count, const char *const *output_names, gsize output_count,
                        TsrAttrBox *const *attrs, gsize attr_count, GError **error)
{
    return check_inputs(def, name, inputs, input_count, error) &&
           check_outputs(def, name, output_names, output_count, error) &&
           check_attrs(def, name, attrs, attr_count, error);
}

static TsrAttrBox *default_of(const TsrOpAttr *row)
{
    switch (row->type) {
    case TSR_ATTR_FLOAT:
        return tsr_attr_new_float(row->name, row->f);
    case TSR_ATTR_INT:
        return tsr_attr_new_int(row->name, row->i);
    case TSR_ATTR_STRING: {
        const char *text = row->s != NULL ? row->s : "";
        return tsr_attr_new_string(row->name, text, strlen(text));
    }
    case TSR_ATTR_INTS:
        return tsr_attr_new_ints(row->name, row->ints, row->ints_count);
    default:
        return NULL;
    }
}

void tsr_node_add_defaults(TsrNode *node)
{
    for (guint32 i = 0; i < node->def->attr_count; i++) {
        const TsrOpAttr *row = tsr_op_attr(node->def, i);
        TsrAttrBox *attr;
        if (!row->has_default || tsr_node_attr(node, row->name) != NULL)
            continue;
        attr = default_of(row);
        if (attr != NULL)
            g_ptr_array_add(node->attrs, attr);
    }
}
