/* SPDX-License-Identifier: Apache-2.0
 *
 * gears.c: see gears.h.
 */
#include "api/gears.h"

#include <string.h>

#include "base/error.h"
#include "build/om_format.h"
#include "ir/input_dim.h"

/* Index of a named dimension that is known already. */
static gboolean find_name(const TsrFreeDims *dims, const char *name, gint *out_index)
{
    guint index = 0;
    if (name == NULL ||
        !g_ptr_array_find_with_equal_func(dims->names, name, g_str_equal, &index))
        return FALSE;
    *out_index = (gint)index;
    return TRUE;
}

static gint add_dim(TsrFreeDims *dims, const TsrGraph *graph, guint input, guint32 axis)
{
    const TsrInputDim *known = tsr_graph_input_dim(graph, input, axis);
    const TsrValue *value = g_ptr_array_index(graph->inputs, input);
    const char *name = known != NULL ? known->name : NULL;
    gint index;
    if (find_name(dims, name, &index))
        return index;
    g_ptr_array_add(dims->names, name != NULL ? g_strdup(name)
                                              : g_strdup_printf("axis %u of '%s'", axis,
                                                                value->name));
    return (gint)dims->count++;
}

TsrFreeDims *tsr_free_dims_new(const TsrGraph *graph, GError **error)
{
    g_autoptr(TsrFreeDims) dims = g_new0(TsrFreeDims, 1);
    dims->of_axis = g_array_new(FALSE, FALSE, sizeof(gint));
    dims->names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        const TsrTensorDesc *desc = &value->desc.view;
        if (desc->rank == TSR_RANK_UNKNOWN) {
            g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                        "input '%s': gears need a rank, and only a run knows it; give it a shape",
                        value->name);
            return NULL;
        }
        for (guint32 axis = 0; axis < TSR_MAX_RANK; axis++) {
            const gint index = axis < desc->rank && desc->shape[axis] < 0
                                   ? add_dim(dims, graph, i, axis)
                                   : -1;
            g_array_append_val(dims->of_axis, index);
        }
    }
    return g_steal_pointer(&dims);
}

void tsr_free_dims_free(TsrFreeDims *dims)
{
    if (dims == NULL)
        return;
    g_array_unref(dims->of_axis);
    g_ptr_array_unref(dims->names);
    g_free(dims);
}

static char *names_text(const TsrFreeDims *dims)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dims->names->len; i++)
        g_string_append_printf(text, "%s%s", i != 0 ? ", " : "",
                               (const char *)g_ptr_array_index(dims->names, i));
    return g_string_free(text, FALSE);
}

/* (transfer full) */
static gint64 *parse_set(const TsrFreeDims *dims, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    g_autofree gint64 *values = g_new0(gint64, dims->count);
    g_autofree char *names = NULL;
    for (guint i = 0; i < dims->count && g_strv_length(parts) == dims->count; i++) {
        guint64 value;
        if (!g_ascii_string_to_unsigned(g_strstrip(parts[i]), 10, 0, G_MAXINT32, &value, NULL))
            break;
        values[i] = (gint64)value;
        if (i + 1 == dims->count)
            return g_steal_pointer(&values);
    }
    names = names_text(dims);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "dynamic dims: wanted %u number%s apart by ',' (%s), got '%s'", dims->count,
                dims->count == 1 ? "" : "s", names, text);
    return NULL;
}

static gboolean add_gear(const TsrFreeDims *dims, TsrGears *gears, const char *text,
                         GError **error)
{
    g_autofree gint64 *values = parse_set(dims, text, error);
    if (values == NULL)
        return FALSE;
    for (guint i = 0; i < gears->values->len; i++) {
        if (memcmp(g_ptr_array_index(gears->values, i), values,
                   dims->count * sizeof(gint64)) != 0)
            continue;
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "dynamic dims: '%s' is there twice",
                    text);
        return FALSE;
    }
    if (gears->values->len == TSR_OM_MAX_GEARS) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "dynamic dims: more than %u sets of values", TSR_OM_MAX_GEARS);
        return FALSE;
    }
    g_ptr_array_add(gears->values, g_steal_pointer(&values));
    return TRUE;
}

TsrGears *tsr_gears_parse(const TsrFreeDims *dims, const char *text, GError **error)
{
    g_autoptr(TsrGears) gears = g_new0(TsrGears, 1);
    g_auto(GStrv) sets = g_strsplit(text, ";", -1);
    gears->values = g_ptr_array_new_with_free_func(g_free);
    if (dims->count == 0) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "dynamic dims '%s': every dimension of the inputs is known", text);
        return NULL;
    }
    for (guint i = 0; sets[i] != NULL; i++) {
        gears->others = sets[i + 1] == NULL && gears->values->len != 0 &&
                        strcmp(g_strstrip(sets[i]), "*") == 0;
        if (!gears->others && !add_gear(dims, gears, sets[i], error))
            return NULL;
    }
    if (gears->values->len == 0) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "dynamic dims: no values given");
        return NULL;
    }
    return g_steal_pointer(&gears);
}

void tsr_gears_free(TsrGears *gears)
{
    if (gears == NULL)
        return;
    g_ptr_array_unref(gears->values);
    g_free(gears);
}

void tsr_gear_apply(const TsrFreeDims *dims, const gint64 *values, TsrGraph *graph)
{
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        const TsrTensorDesc *desc = &value->desc.view;
        gint64 shape[TSR_MAX_RANK];
        for (guint32 axis = 0; axis < desc->rank; axis++) {
            const gint index = g_array_index(dims->of_axis, gint, i * TSR_MAX_RANK + axis);
            shape[axis] = index >= 0 ? values[index] : desc->shape[axis];
        }
        tsr_desc_set(&value->desc, desc->dtype, desc->rank, shape);
    }
}

char *tsr_gear_to_text(const TsrFreeDims *dims, const gint64 *values)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < dims->count; i++)
        g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT, i != 0 ? ", " : "",
                               (const char *)g_ptr_array_index(dims->names, i), values[i]);
    return g_string_free(text, FALSE);
}
