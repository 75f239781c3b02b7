/* SPDX-License-Identifier: Apache-2.0
 *
 * extents_variant.c: see extents_variant.h.
 */
#include "build/extents_variant.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/value_dims.h"

static gboolean is_told(const TsrValue *value)
{
    const TsrTensorDesc *desc = &value->desc.view;
    return value->dims != NULL && desc->rank != TSR_RANK_UNKNOWN &&
           desc->rank == value->dims->rank &&
           (!tsr_desc_is_static(desc) || value->dims->element_count >= 0);
}

static void add_value(GVariantBuilder *list, const TsrNode *node, guint output)
{
    const TsrValue *value = g_ptr_array_index(node->outputs, output);
    const TsrValueDims *dims = value->dims;
    gint64 extents[TSR_MAX_RANK];
    for (guint32 i = 0; i < dims->rank; i++)
        extents[i] = tsr_value_extent(value, i);
    g_variant_builder_add(list, "(uu@ax@ax)", node->index, output,
                          g_variant_new_fixed_array(G_VARIANT_TYPE_INT64, extents, dims->rank,
                                                    sizeof(gint64)),
                          g_variant_new_fixed_array(G_VARIANT_TYPE_INT64, dims->elements,
                                                    (gsize)MAX(dims->element_count, 0),
                                                    sizeof(gint64)));
}

GVariant *tsr_extents_to_variant(TsrGraph *graph)
{
    GVariantBuilder list;
    gboolean any = FALSE;
    g_variant_builder_init(&list, G_VARIANT_TYPE("a(uuaxax)"));
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value == NULL || !is_told(value))
                continue;
            add_value(&list, node, k);
            any = any || !tsr_desc_is_static(&value->desc.view);
        }
    }
    if (any)
        return g_variant_new("(@" TSR_DIMS_TYPE "a(uuaxax))",
                             tsr_dims_to_variant(tsr_graph_dims(graph)), &list);
    g_variant_builder_clear(&list);
    return NULL;
}

/* Whether an element is a number or an expression of the table. */
static gboolean is_element(const TsrDims *dims, gint64 element)
{
    return !TSR_DIM_IS_SYMBOL(element) || tsr_dims_has(dims, element);
}

G_GNUC_PRINTF(2, 3)
static gboolean corrupt(GError **error, const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, TSR_ERROR, TSR_CORRUPT, text);
    return FALSE;
}

static gboolean read_value(TsrGraph *graph, GVariant *variant, GError **error)
{
    g_autoptr(GVariant) extents = NULL;
    g_autoptr(GVariant) elements = NULL;
    TsrValueDims dims = {.element_count = -1};
    const gint64 *from;
    const TsrNode *node;
    TsrValue *value;
    guint32 place, output;
    gsize rank, count;
    g_variant_get(variant, "(uu@ax@ax)", &place, &output, &extents, &elements);
    node = place < graph->nodes->len ? g_ptr_array_index(graph->nodes, place) : NULL;
    value = node != NULL && output < node->outputs->len
                ? g_ptr_array_index(node->outputs, output) : NULL;
    from = g_variant_get_fixed_array(extents, &rank, sizeof(gint64));
    if (value == NULL)
        return corrupt(error, "extents of output %u of node %u, which is no value", output, place);
    if (value->desc.view.rank != rank)
        return corrupt(error, "'%s' has %zu extents, wanted %u", value->name, rank,
                       value->desc.view.rank);
    dims.rank = (guint32)rank;
    for (gsize i = 0; i < rank; i++) {
        if (!tsr_dims_has(graph->dims, from[i]))
            return corrupt(error, "extent %zu of '%s' is %" G_GINT64_FORMAT ", wanted a number "
                           "from -1 on or one of %u expressions", i, value->name, from[i],
                           tsr_dims_count(graph->dims));
        dims.extents[i] = from[i];
    }
    from = g_variant_get_fixed_array(elements, &count, sizeof(gint64));
    if (count > TSR_INFER_ELEMENTS || (count != 0 && rank > 1))
        return corrupt(error, "'%s' of rank %zu has %zu elements, wanted at most %d of a list",
                       value->name, rank, count, TSR_INFER_ELEMENTS);
    for (gsize i = 0; i < count; i++) {
        if (!is_element(graph->dims, from[i]))
            return corrupt(error, "element %zu of '%s' is none of %u expressions", i,
                           value->name, tsr_dims_count(graph->dims));
        dims.elements[i] = from[i];
    }
    dims.element_count = count != 0 ? (gint32)count : -1;
    tsr_value_set_dims(value, &dims);
    return TRUE;
}

gboolean tsr_extents_from_variant(TsrGraph *graph, GVariant *variant, GError **error)
{
    g_autoptr(GVariant) table = g_variant_get_child_value(variant, 0);
    g_autoptr(GVariant) list = g_variant_get_child_value(variant, 1);
    if (graph->dims != NULL || (graph->dims = tsr_dims_from_variant(table)) == NULL)
        return corrupt(error, "graph '%s': its table of extents is no table of expressions",
                       graph->name);
    for (gsize i = 0; i < g_variant_n_children(list); i++) {
        g_autoptr(GVariant) child = g_variant_get_child_value(list, i);
        if (!read_value(graph, child, error))
            return FALSE;
    }
    return TRUE;
}
