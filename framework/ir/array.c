/* SPDX-License-Identifier: Apache-2.0
 *
 * array.c: see array.h.
 */
#include "ir/array.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"

static TsrArray *array_alloc(const TsrTensorDesc *desc)
{
    TsrArray *array = g_new0(TsrArray, 1);
    g_atomic_ref_count_init(&array->refs);
    tsr_desc_init(&array->desc);
    tsr_desc_copy(&array->desc, desc);
    array->name = g_strdup(desc->name);
    array->desc.view.name = array->name != NULL ? array->name : "";
    array->tensor.struct_size = sizeof(array->tensor);
    array->tensor.desc = &array->desc.view;
    return array;
}

static gboolean stored_size(const TsrTensorDesc *desc, guint64 *out_bytes, GError **error)
{
    g_autofree char *text = NULL;
    if (tsr_desc_storage_bytes(desc, out_bytes))
        return TRUE;
    text = tsr_desc_to_text(desc);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "tensor '%s': %s has no definite size", desc->name != NULL ? desc->name : "",
                text);
    return FALSE;
}

TsrArray *tsr_array_new(const TsrTensorDesc *desc, GError **error)
{
    guint64 size_bytes;
    TsrArray *array;
    gpointer memory;
    if (!stored_size(desc, &size_bytes, error))
        return NULL;
    memory = tsr_memory_alloc(size_bytes);
    if (memory == NULL) {
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY,
                    "tensor '%s': no memory for %" G_GUINT64_FORMAT " bytes",
                    desc->name != NULL ? desc->name : "", size_bytes);
        return NULL;
    }
    if (desc->dtype == TSR_DTYPE_STRING)
        memset(memory, 0, size_bytes);
    array = array_alloc(desc);
    array->memory = memory;
    array->capacity = size_bytes;
    array->tensor.data = memory;
    array->tensor.size_bytes = size_bytes;
    return array;
}

TsrArray *tsr_array_new_from_bytes(const TsrTensorDesc *desc, GBytes *bytes, GError **error)
{
    guint64 size_bytes;
    TsrArray *array;
    if (!stored_size(desc, &size_bytes, error))
        return NULL;
    if (size_bytes != g_bytes_get_size(bytes)) {
        g_autofree char *text = tsr_desc_to_text(desc);
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': %s takes %" G_GUINT64_FORMAT " bytes, got %zu",
                    desc->name != NULL ? desc->name : "", text, size_bytes,
                    g_bytes_get_size(bytes));
        return NULL;
    }
    array = array_alloc(desc);
    array->bytes = g_bytes_ref(bytes);
    array->tensor.data = (gpointer)g_bytes_get_data(bytes, NULL);
    array->tensor.size_bytes = size_bytes;
    return array;
}

TsrArray *tsr_array_new_view(TsrArray *base, const TsrTensorDesc *desc)
{
    TsrArray *array = array_alloc(desc);
    array->base = tsr_array_ref(base);
    array->tensor.data = base->tensor.data;
    array->tensor.size_bytes = base->tensor.size_bytes;
    return array;
}

TsrArray *tsr_array_new_borrowed(const TsrTensorDesc *desc, gpointer data, gsize size_bytes)
{
    TsrArray *array = array_alloc(desc);
    array->tensor.data = data;
    array->tensor.size_bytes = size_bytes;
    return array;
}

TsrArray *tsr_array_new_items(const char *name, guint32 kind, guint32 dtype,
                              TsrArray *const *items, guint item_count)
{
    TsrArray *array;
    TsrDesc desc;
    tsr_desc_init(&desc);
    desc.view.kind = kind;
    desc.view.dtype = dtype;
    desc.view.name = name;
    array = array_alloc(&desc.view);
    array->items = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    array->item_views = g_new0(const TsrTensor *, item_count + 1);
    for (guint i = 0; i < item_count; i++) {
        g_ptr_array_add(array->items, tsr_array_ref(items[i]));
        array->item_views[i] = &items[i]->tensor;
    }
    array->tensor.items = array->item_views;
    array->tensor.item_count = item_count;
    return array;
}

TsrArray *tsr_array_ensure_owned(TsrArray *array, GError **error)
{
    TsrArray *copy;
    if (array->memory != NULL || array->bytes != NULL || array->items != NULL ||
        (array->base != NULL && array->base->memory != NULL))
        return tsr_array_ref(array);
    copy = tsr_array_new(&array->desc.view, error);
    if (copy != NULL && copy->tensor.size_bytes != 0)
        memcpy(copy->tensor.data, array->tensor.data, copy->tensor.size_bytes);
    if (copy != NULL)
        tsr_array_own_strings(copy);
    return copy;
}

TsrArray *tsr_array_ref(TsrArray *array)
{
    g_atomic_ref_count_inc(&array->refs);
    return array;
}

void tsr_array_unref(TsrArray *array)
{
    if (array == NULL || !g_atomic_ref_count_dec(&array->refs))
        return;
    g_clear_pointer(&array->bytes, g_bytes_unref);
    g_clear_pointer(&array->strings, g_ptr_array_unref);
    tsr_memory_free(array->memory);
    g_clear_pointer(&array->items, g_ptr_array_unref);
    g_free(array->item_views);
    tsr_array_unref(array->base);
    g_free(array->name);
    g_free(array);
}

void tsr_array_set_string(TsrArray *array, TsrString *element, const char *data, gsize size)
{
    char *copy = g_malloc(size + 1);
    if (size != 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    if (array->strings == NULL)
        array->strings = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(array->strings, copy);
    element->data = copy;
    element->size = size;
}

void tsr_array_own_strings(TsrArray *array)
{
    TsrString *elements = array->tensor.data;
    gsize count = array->tensor.size_bytes / sizeof(TsrString), total = 0;
    char *block, *at;
    if (array->desc.view.dtype != TSR_DTYPE_STRING || array->memory == NULL)
        return;
    for (gsize i = 0; i < count; i++)
        total += elements[i].size;
    block = at = g_malloc(total + 1);
    for (gsize i = 0; i < count; i++) {
        if (elements[i].size != 0)
            memcpy(at, elements[i].data, elements[i].size);
        elements[i].data = at;
        at += elements[i].size;
    }
    g_clear_pointer(&array->strings, g_ptr_array_unref);
    array->strings = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(array->strings, block);
}

GBytes *tsr_array_to_bytes(TsrArray *array)
{
    if (array->bytes != NULL)
        return g_bytes_ref(array->bytes);
    return g_bytes_new_with_free_func(array->tensor.data, array->tensor.size_bytes,
                                      (GDestroyNotify)tsr_array_unref, tsr_array_ref(array));
}
