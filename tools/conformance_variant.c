/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_variant.c: see conformance_variant.h.
 */
#include "conformance_variant.h"

#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "ir/array.h"
#include "ir/input_dim.h"

gboolean tsr_feed_parse(const char *name, TsrFeed *out_feed)
{
    static const char *const names[] = {"as-stored", "run-time", "constant", "dynamic"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_strcmp0(name, names[i]) == 0) {
            *out_feed = (TsrFeed)i;
            return TRUE;
        }
    }
    return FALSE;
}

void tsr_variant_constants_to_inputs(TsrGraph *graph, GPtrArray *out_arrays)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        TsrValue *value;
        TsrArray *array;
        if (node->kind != TSR_NODE_CONSTANT)
            continue;
        value = g_ptr_array_index(node->outputs, 0);
        array = tsr_array_new_from_bytes(&value->desc.view, value->constant, NULL);
        if (array == NULL)
            continue;
        g_ptr_array_add(out_arrays, array);
        node->kind = TSR_NODE_DATA;
        tsr_value_set_constant(value, NULL);
        g_ptr_array_add(graph->inputs, value);
    }
}

void tsr_variant_inputs_to_constants(TsrGraph *graph, TsrArray **arrays)
{
    g_autoptr(GPtrArray) inputs = g_ptr_array_copy(graph->inputs, NULL, NULL);
    for (guint i = 0; i < inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(inputs, i);
        g_autoptr(GBytes) bytes = NULL;
        if (arrays[i] == NULL || arrays[i]->items != NULL ||
            value->desc.view.kind != TSR_KIND_TENSOR)
            continue;
        bytes = tsr_array_to_bytes(arrays[i]);
        tsr_desc_set(&value->desc, arrays[i]->desc.view.dtype, arrays[i]->desc.view.rank,
                     arrays[i]->desc.shape);
        value->producer->kind = TSR_NODE_CONSTANT;
        tsr_value_set_constant(value, bytes);
        tsr_graph_drop_input(graph, value);
        arrays[i] = NULL;
    }
}

void tsr_variant_forget_shapes(TsrGraph *graph)
{
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        guint32 rank = value->desc.view.rank;
        gint64 unknown[TSR_MAX_RANK];
        if (value->desc.view.kind != TSR_KIND_TENSOR || rank == TSR_RANK_UNKNOWN)
            continue;
        for (guint32 k = 0; k < rank; k++)
            unknown[k] = TSR_DIM_UNKNOWN;
        tsr_desc_set(&value->desc, value->desc.view.dtype, rank, unknown);
    }
}

const char *const tsr_damage_names[] = {"element", "nan", "inf", "sign", "shape", "dtype", NULL};

static TsrArray *copy_as(TsrArray *array, guint32 dtype, guint32 rank, const gint64 *shape)
{
    TsrArray *copy;
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, rank, shape);
    desc.view.name = array->desc.view.name;
    copy = tsr_array_new(&desc.view, NULL);
    if (copy != NULL) {
        memset(copy->tensor.data, 0, copy->tensor.size_bytes);
        memcpy(copy->tensor.data, array->tensor.data,
               MIN(copy->tensor.size_bytes, array->tensor.size_bytes));
        tsr_array_own_strings(copy);
    }
    return copy;
}

/* The middle element, told wrong by more than any tolerance. */
static void spoil_element(TsrArray *array, gint64 count, gboolean coarse)
{
    guint32 dtype = array->desc.view.dtype, bits = tsr_dtype_bits(dtype);
    guint8 *data = array->tensor.data;
    gsize at = (gsize)(count / 2);
    double step = coarse ? 1000.0 : 1.0;
    if (dtype == TSR_DTYPE_STRING) {
        tsr_array_set_string(array, (TsrString *)array->tensor.data + at, "spoilt on purpose", 17);
    } else if (dtype == TSR_DTYPE_FLOAT) {
        float value;
        memcpy(&value, data + at * 4, 4);
        value = isfinite(value) ? value + (float)step * (1.0f + fabsf(value)) : 0.0f;
        memcpy(data + at * 4, &value, 4);
    } else if (dtype == TSR_DTYPE_DOUBLE) {
        double value;
        memcpy(&value, data + at * 8, 8);
        value = isfinite(value) ? value + step * (1.0 + fabs(value)) : 0.0;
        memcpy(data + at * 8, &value, 8);
    } else if (bits >= 8) {
        /* The highest byte holds sign and exponent of a narrow float; the lowest of an
         * integer is the smallest error there is. */
        gboolean integer = (TSR_BIT(dtype) & TSR_TYPES_INTEGER) != 0 || dtype == TSR_DTYPE_BOOL;
        data[at * (bits / 8) + (integer ? 0 : bits / 8 - 1)] ^= integer ? 0x01 : 0x40;
    } else {
        data[at * bits / 8] ^= (guint8)(1u << (at * bits % 8));
    }
}

static gboolean put_float(TsrArray *array, gint64 count, double value)
{
    guint8 *data = array->tensor.data;
    gsize at = (gsize)(count / 2);
    float narrow = (float)value;
    guint16 half;
    switch (array->desc.view.dtype) {
    case TSR_DTYPE_FLOAT:
        memcpy(data + at * 4, &narrow, 4);
        return TRUE;
    case TSR_DTYPE_DOUBLE:
        memcpy(data + at * 8, &value, 8);
        return TRUE;
    case TSR_DTYPE_FLOAT16:
    case TSR_DTYPE_BFLOAT16:
        half = array->desc.view.dtype == TSR_DTYPE_FLOAT16 ? tsr_float_to_float16(narrow)
                                                           : tsr_float_to_bfloat16(narrow);
        memcpy(data + at * 2, &half, 2);
        return TRUE;
    default:
        return FALSE;
    }
}

/* Turns the sign of the largest finite float, which no tolerance forgives. */
static gboolean turn_sign(TsrArray *array, gint64 count)
{
    float *data = array->tensor.data;
    gint64 largest = -1;
    if (array->desc.view.dtype != TSR_DTYPE_FLOAT)
        return FALSE;
    for (gint64 i = 0; i < count; i++)
        if (isfinite(data[i]) && (largest < 0 || fabsf(data[i]) > fabsf(data[largest])))
            largest = i;
    if (largest < 0 || fabsf(data[largest]) < 1e-3f)
        return FALSE;
    data[largest] = -data[largest];
    return TRUE;
}

static TsrArray *damage_tensor(TsrArray *array, const char *damage, gboolean coarse)
{
    const TsrTensorDesc *desc = &array->desc.view;
    gint64 count = tsr_desc_elements(desc), shape[TSR_MAX_RANK];
    gboolean was_nan, was_inf, was_turned;
    TsrArray *copy;
    if (count == 0)
        return NULL;
    if (strcmp(damage, "shape") == 0 && desc->rank < TSR_MAX_RANK) {
        if (desc->rank != 0)
            memcpy(shape, desc->shape, desc->rank * sizeof(*shape));
        shape[desc->rank] = 1;
        return copy_as(array, desc->dtype, desc->rank + 1, shape);
    }
    if (strcmp(damage, "dtype") == 0)
        return copy_as(array, desc->dtype == TSR_DTYPE_INT16 ? TSR_DTYPE_UINT16 : TSR_DTYPE_INT16,
                       desc->rank, desc->shape);
    copy = copy_as(array, desc->dtype, desc->rank, desc->shape);
    if (copy == NULL)
        return NULL;
    was_nan = strcmp(damage, "nan") == 0 && put_float(copy, count, NAN);
    was_inf = strcmp(damage, "inf") == 0 && put_float(copy, count, INFINITY);
    /* What was there already, or cannot be, is an ordinary wrong element. */
    was_turned = strcmp(damage, "sign") == 0 && !coarse && turn_sign(copy, count);
    if ((!was_nan && !was_inf && !was_turned) ||
        memcmp(copy->tensor.data, array->tensor.data, array->tensor.size_bytes) == 0)
        spoil_element(copy, count, coarse);
    return copy;
}

TsrArray *tsr_variant_damage(TsrArray *array, const char *damage, gboolean coarse)
{
    g_autoptr(GPtrArray) items = NULL;
    TsrArray *damaged = NULL, *copy;
    if (array->items == NULL)
        return damage_tensor(array, damage, coarse);
    items = g_ptr_array_new();
    for (guint i = 0; i < array->items->len; i++) {
        TsrArray *item = g_ptr_array_index(array->items, i);
        if (damaged == NULL && (damaged = tsr_variant_damage(item, damage, coarse)) != NULL)
            item = damaged;
        g_ptr_array_add(items, item);
    }
    if (damaged == NULL)
        return NULL;
    copy = tsr_array_new_items(array->name, array->desc.view.kind, array->desc.view.dtype,
                               (TsrArray *const *)items->pdata, items->len);
    tsr_array_unref(damaged);
    return copy;
}
