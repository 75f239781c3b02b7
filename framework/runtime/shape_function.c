/* SPDX-License-Identifier: Apache-2.0
 *
 * shape_function.c: see shape_function.h; shape_trial.c tries them.
 */
#include "runtime/shape_function.h"

#include <string.h>
#include <tessera/plugin_util.h>

void tsr_symbol_values_init(TsrSymbolValues *symbols, const TsrGraph *graph)
{
    symbols->dims = graph->dims;
    symbols->values =
        g_new(gint64, graph->dims != NULL ? tsr_dims_symbol_count(graph->dims) + 1 : 1);
    tsr_symbol_values_begin(symbols);
}

void tsr_symbol_values_clear(TsrSymbolValues *symbols)
{
    g_clear_pointer(&symbols->values, g_free);
}

void tsr_symbol_values_begin(TsrSymbolValues *symbols)
{
    symbols->is_odd = FALSE;
    for (guint i = 0; symbols->dims != NULL && i < tsr_dims_symbol_count(symbols->dims); i++)
        symbols->values[i] = -1;
}

/* Whether an expression whose symbols are known comes to something else. */
static gboolean contradicts(const TsrSymbolValues *symbols, gint64 expression, gint64 extent)
{
    gint64 told;
    return TSR_DIM_IS_SYMBOL(expression) &&
           tsr_dims_eval(symbols->dims, expression, symbols->values, &told) && told != extent;
}

void tsr_symbol_values_bind(TsrSymbolValues *symbols, const TsrValue *value,
                            const TsrTensorDesc *desc, gboolean is_told)
{
    if (symbols->dims == NULL || value->dims == NULL || value->dims->rank != desc->rank)
        return;
    for (guint32 i = 0; i < desc->rank; i++) {
        const gint symbol = tsr_dims_symbol_index(symbols->dims, value->dims->extents[i]);
        if ((symbol >= 0 && desc->shape[i] == 0) ||
            (!is_told && contradicts(symbols, value->dims->extents[i], desc->shape[i])))
            symbols->is_odd = TRUE;
        if (symbol >= 0)
            symbols->values[symbol] = desc->shape[i];
    }
}

gboolean tsr_shape_function_run(const TsrNode *node, const TsrSymbolValues *symbols,
                                TsrDesc *outputs)
{
    if (symbols->dims == NULL || symbols->is_odd)
        return FALSE;
    for (guint k = 0; k < node->outputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, k);
        gint64 shape[TSR_MAX_RANK];
        if (value == NULL)
            continue;
        for (guint32 i = 0; i < value->desc.view.rank; i++)
            if (!tsr_dims_eval(symbols->dims, tsr_value_extent(value, i), symbols->values,
                               &shape[i]) || shape[i] < 1)
                return FALSE;
        tsr_desc_set(&outputs[k], value->desc.view.dtype, value->desc.view.rank, shape);
    }
    return TRUE;
}

static gboolean is_list(const TsrValue *value)
{
    const TsrTensorDesc *desc = &value->desc.view;
    return desc->kind == TSR_KIND_TENSOR && value->dims != NULL &&
           (desc->dtype == TSR_DTYPE_INT64 || desc->dtype == TSR_DTYPE_INT32 ||
            desc->dtype == TSR_DTYPE_BOOL) &&
           (desc->rank == 0 || (desc->rank == 1 && desc->shape[0] >= 0)) &&
           value->dims->element_count == (desc->rank == 0 ? 1 : desc->shape[0]);
}

gboolean tsr_shape_function_has_elements(const TsrNode *node)
{
    gboolean any = FALSE;
    for (guint k = 0; k < node->outputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, k);
        if (value == NULL)
            continue;
        if (!is_list(value))
            return FALSE;
        any = TRUE;
    }
    return any;
}

static gboolean put_element(TsrArray *array, guint index, gint64 element)
{
    gpointer data = array->tensor.data;
    switch (array->desc.view.dtype) {
    case TSR_DTYPE_INT64: ((gint64 *)data)[index] = element; return TRUE;
    case TSR_DTYPE_INT32:
        ((gint32 *)data)[index] = (gint32)element;
        return element == (gint32)element;
    default: ((guint8 *)data)[index] = element != 0; return TRUE;
    }
}

static TsrArray *list_of(const TsrValue *value, const TsrSymbolValues *symbols)
{
    g_autoptr(TsrArray) array = tsr_array_new(&value->desc.view, NULL);
    for (gint32 i = 0; array != NULL && i < value->dims->element_count; i++) {
        gint64 element;
        if (!tsr_dims_eval(symbols->dims, value->dims->elements[i], symbols->values, &element) ||
            !put_element(array, (guint)i, element))
            return NULL;
    }
    return g_steal_pointer(&array);
}

gboolean tsr_shape_function_elements(const TsrNode *node, const TsrSymbolValues *symbols,
                                     TsrArray **outputs)
{
    if (symbols->dims == NULL || symbols->is_odd)
        return FALSE;
    for (guint k = 0; k < node->outputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, k);
        if (value == NULL || (outputs[k] = list_of(value, symbols)) != NULL)
            continue;
        for (guint i = 0; i < k; i++)
            g_clear_pointer(&outputs[i], tsr_array_unref);
        return FALSE;
    }
    return TRUE;
}
