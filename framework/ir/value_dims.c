/* SPDX-License-Identifier: Apache-2.0
 *
 * value_dims.c: see value_dims.h.
 */
#include "ir/value_dims.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "ir/input_dim.h"

static TsrGraph *root_of(TsrGraph *graph)
{
    while (graph->parent != NULL)
        graph = graph->parent->graph;
    return graph;
}

TsrDims *tsr_graph_dims(TsrGraph *graph)
{
    TsrGraph *root = root_of(graph);
    if (root->dims == NULL)
        root->dims = tsr_dims_new();
    return root->dims;
}

gint64 tsr_value_extent(const TsrValue *value, guint32 axis)
{
    const TsrTensorDesc *desc = &value->desc.view;
    if (desc->rank == TSR_RANK_UNKNOWN || axis >= desc->rank)
        return TSR_DIM_UNKNOWN;
    if (desc->shape[axis] >= 0)
        return desc->shape[axis];
    return value->dims != NULL && value->dims->rank == desc->rank ? value->dims->extents[axis]
                                                                   : TSR_DIM_UNKNOWN;
}

gint64 tsr_tensor_elements(const TsrTensor *tensor, gint64 *out, guint32 room)
{
    const TsrTensorDesc *desc = tensor->desc;
    const gint64 count = desc->rank == 0 ? 1 : desc->rank == 1 ? desc->shape[0] : -1;
    if (count < 0 || count > room)
        return -1;
    switch (desc->dtype) {
    case TSR_DTYPE_INT64:
        for (gint64 i = 0; i < count; i++) {
            out[i] = ((const gint64 *)tensor->data)[i];
            /* What would read as a symbol is no size anyway. */
            if (TSR_DIM_IS_SYMBOL(out[i]))
                return -1;
        }
        return count;
    case TSR_DTYPE_INT32:
        for (gint64 i = 0; i < count; i++)
            out[i] = ((const gint32 *)tensor->data)[i];
        return count;
    case TSR_DTYPE_BOOL:
        for (gint64 i = 0; i < count; i++)
            out[i] = ((const guint8 *)tensor->data)[i] != 0;
        return count;
    default:
        return -1;
    }
}

gint64 tsr_value_elements(const TsrValue *value, gint64 *out, guint32 room)
{
    if (value->constant != NULL)
        return tsr_tensor_elements(&value->tensor, out, room);
    if (value->dims == NULL || value->dims->element_count < 0 ||
        (guint32)value->dims->element_count > room)
        return -1;
    memcpy(out, value->dims->elements, (gsize)value->dims->element_count * sizeof(out[0]));
    return value->dims->element_count;
}

void tsr_value_set_dims(TsrValue *value, const TsrValueDims *dims)
{
    if (dims == NULL) {
        g_clear_pointer(&value->dims, g_free);
        return;
    }
    if (value->dims == NULL)
        value->dims = g_new(TsrValueDims, 1);
    *value->dims = *dims;
}

/* The dims of a value, made where they are not there or of another rank. */
static TsrValueDims *dims_of(TsrValue *value)
{
    const guint32 rank = value->desc.view.rank;
    if (value->dims == NULL || value->dims->rank != rank) {
        TsrValueDims dims = {.rank = rank, .element_count = -1};
        for (guint32 i = 0; i < TSR_MAX_RANK; i++)
            dims.extents[i] = TSR_DIM_UNKNOWN;
        tsr_value_set_dims(value, &dims);
    }
    return value->dims;
}

void tsr_value_name_extent(TsrValue *value, guint32 axis, const char *name)
{
    g_autofree char *made_up =
        name == NULL ? g_strdup_printf("%s[%u]", value->name, axis) : NULL;
    dims_of(value)->extents[axis] =
        tsr_dims_symbol(tsr_graph_dims(value->producer->graph), name != NULL ? name : made_up);
}

void tsr_graph_name_inputs(TsrGraph *graph)
{
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        const guint32 rank = value->desc.view.rank;
        for (guint32 axis = 0; rank != TSR_RANK_UNKNOWN && axis < rank; axis++) {
            const TsrInputDim *dim = tsr_graph_input_dim(graph, i, axis);
            if (value->desc.view.shape[axis] < 0)
                tsr_value_name_extent(value, axis, dim != NULL ? dim->name : NULL);
        }
    }
}

/* Whether all that is known of an extent is that it is this value's. */
static gboolean is_made_up(const TsrValue *value, guint32 axis)
{
    const gint64 extent = tsr_value_extent(value, axis);
    g_autofree char *own = g_strdup_printf("%s[%u]", value->name, axis);
    g_autofree char *text = NULL;
    if (!TSR_DIM_IS_SYMBOL(extent))
        return FALSE;
    text = tsr_dims_text(tsr_graph_dims(value->producer->graph), extent);
    return strcmp(own, text) == 0;
}

void tsr_value_inherit_dims(TsrValue *value, const TsrValue *from)
{
    const guint32 rank = value->desc.view.rank;
    if (from->dims == NULL || rank == TSR_RANK_UNKNOWN || rank != from->desc.view.rank)
        return;
    for (guint32 i = 0; i < rank; i++) {
        const gint64 known = tsr_value_extent(from, i), mine = tsr_value_extent(value, i);
        if (known != TSR_DIM_UNKNOWN && (mine == TSR_DIM_UNKNOWN || is_made_up(value, i)))
            dims_of(value)->extents[i] = known;
    }
}

char *tsr_value_to_text(const TsrValue *value)
{
    const TsrTensorDesc *desc = &value->desc.view;
    GString *text;
    const TsrDims *dims;
    if (value->dims == NULL || desc->kind != TSR_KIND_TENSOR || desc->max_shape != NULL ||
        desc->rank == TSR_RANK_UNKNOWN || tsr_desc_is_static(desc))
        return tsr_desc_to_text(desc);
    dims = tsr_graph_dims(value->producer->graph);
    text = g_string_new(tsr_dtype_name(desc->dtype));
    for (guint32 i = 0; i < desc->rank; i++) {
        const gint64 extent = tsr_value_extent(value, i);
        g_autofree char *one = extent == TSR_DIM_UNKNOWN ? g_strdup("?")
                                                         : tsr_dims_text(dims, extent);
        g_string_append_printf(text, "%c%s", i == 0 ? '[' : ',', one);
    }
    g_string_append(text, "]");
    if (desc->storage_format != desc->origin_format)
        g_string_append_printf(text, " %s", tsr_format_name(desc->storage_format));
    return g_string_free(text, FALSE);
}
