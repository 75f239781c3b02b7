/* SPDX-License-Identifier: Apache-2.0
 *
 * input_dim.c: see input_dim.h.
 */
#include "ir/input_dim.h"

#include "base/error.h"

static void clear_dim(gpointer dim)
{
    g_free(((TsrInputDim *)dim)->name);
}

GArray *tsr_input_dims_new(void)
{
    GArray *dims = g_array_new(FALSE, FALSE, sizeof(TsrInputDim));
    g_array_set_clear_func(dims, clear_dim);
    return dims;
}

const TsrInputDim *tsr_graph_input_dim(const TsrGraph *graph, guint32 input, guint32 axis)
{
    for (guint i = 0; i < graph->input_dims->len; i++) {
        const TsrInputDim *dim = &g_array_index(graph->input_dims, TsrInputDim, i);
        if (dim->input == input && dim->axis == axis)
            return dim;
    }
    return NULL;
}

void tsr_graph_set_input_dim(TsrGraph *graph, guint32 input, guint32 axis, const char *name,
                             gint64 least, gint64 most)
{
    TsrInputDim *known = (TsrInputDim *)tsr_graph_input_dim(graph, input, axis);
    TsrInputDim dim = {input, axis, NULL, least, most};
    if (name != NULL && name[0] != '\0')
        dim.name = g_strdup(name);
    if (known == NULL) {
        g_array_append_val(graph->input_dims, dim);
        return;
    }
    g_free(known->name);
    *known = dim;
}

void tsr_graph_drop_input(TsrGraph *graph, TsrValue *value)
{
    guint index;
    if (!g_ptr_array_find(graph->inputs, value, &index))
        return;
    g_ptr_array_remove_index(graph->inputs, index);
    for (guint i = graph->input_dims->len; i > 0; i--) {
        TsrInputDim *dim = &g_array_index(graph->input_dims, TsrInputDim, i - 1);
        if (dim->input == index)
            g_array_remove_index(graph->input_dims, i - 1);
        else
            dim->input -= dim->input > index;
    }
}

static const char *input_name(const TsrGraph *graph, const TsrInputDim *dim)
{
    return ((const TsrValue *)g_ptr_array_index(graph->inputs, dim->input))->name;
}

static gboolean check_bounds(const TsrGraph *graph, const TsrInputDim *dim, gint64 extent,
                             GError **error)
{
    g_autofree char *most = NULL;
    if (extent >= dim->least && (dim->most < 0 || extent <= dim->most))
        return TRUE;
    most = dim->most >= 0 ? g_strdup_printf("%" G_GINT64_FORMAT, dim->most) : g_strdup("any");
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "input '%s': dimension %u%s%s%s wanted %" G_GINT64_FORMAT " to %s, got %"
                G_GINT64_FORMAT,
                input_name(graph, dim), dim->axis, dim->name != NULL ? " ('" : "",
                dim->name != NULL ? dim->name : "", dim->name != NULL ? "')" : "", dim->least,
                most, extent);
    return FALSE;
}

/* Dimensions of one name against the first of them. */
static gboolean check_name(const TsrGraph *graph, guint index,
                           const TsrTensorDesc *const *descs, gint64 extent, GError **error)
{
    const TsrInputDim *dim = &g_array_index(graph->input_dims, TsrInputDim, index);
    for (guint i = 0; i < index && dim->name != NULL; i++) {
        const TsrInputDim *other = &g_array_index(graph->input_dims, TsrInputDim, i);
        const TsrTensorDesc *desc = descs[other->input];
        if (g_strcmp0(other->name, dim->name) != 0 || desc == NULL || other->axis >= desc->rank ||
            desc->shape[other->axis] == extent)
            continue;
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "dimension '%s' is %" G_GINT64_FORMAT " in input '%s', but %" G_GINT64_FORMAT
                    " in input '%s'",
                    dim->name, desc->shape[other->axis], input_name(graph, other), extent,
                    input_name(graph, dim));
        return FALSE;
    }
    return TRUE;
}

gboolean tsr_input_dims_check(const TsrGraph *graph, const TsrTensorDesc *const *descs,
                              GError **error)
{
    for (guint i = 0; i < graph->input_dims->len; i++) {
        const TsrInputDim *dim = &g_array_index(graph->input_dims, TsrInputDim, i);
        const TsrTensorDesc *desc = descs[dim->input];
        if (desc == NULL || dim->axis >= desc->rank)
            continue;
        if (!check_bounds(graph, dim, desc->shape[dim->axis], error) ||
            !check_name(graph, i, descs, desc->shape[dim->axis], error))
            return FALSE;
    }
    return TRUE;
}
