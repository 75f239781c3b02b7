/* SPDX-License-Identifier: Apache-2.0
 *
 * array.c: the array handle of tessera.h over ir/array.h.
 */
#include "ir/array.h"

#include <string.h>

#include "base/error.h"

TsrArray *tsr_array_create(guint32 dtype, guint32 rank, const gint64 *shape, GError **error)
{
    TsrArray *array;
    TsrDesc desc;
    if (rank > TSR_MAX_RANK) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "array: rank %u is above %d", rank,
                    TSR_MAX_RANK);
        return NULL;
    }
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, rank, shape);
    array = tsr_array_new(&desc.view, error);
    if (array != NULL)
        memset(array->tensor.data, 0, array->tensor.size_bytes);
    return array;
}

TsrArray *tsr_array_create_from(guint32 dtype, guint32 rank, const gint64 *shape,
                                gconstpointer data, gsize size_bytes, GError **error)
{
    TsrArray *array = tsr_array_create(dtype, rank, shape, error);
    if (array == NULL)
        return NULL;
    if (array->tensor.size_bytes != size_bytes) {
        g_autofree char *text = tsr_desc_to_text(&array->desc.view);
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "array: %s takes %" G_GUINT64_FORMAT " bytes, got %zu", text,
                    array->tensor.size_bytes, size_bytes);
        tsr_array_unref(array);
        return NULL;
    }
    if (size_bytes != 0)
        memcpy(array->tensor.data, data, size_bytes);
    tsr_array_own_strings(array);
    return array;
}

guint32 tsr_array_dtype(TsrArray *array)
{
    return array->desc.view.dtype;
}

guint32 tsr_array_rank(TsrArray *array)
{
    return array->desc.view.rank;
}

const gint64 *tsr_array_shape(TsrArray *array)
{
    return array->desc.shape;
}

gpointer tsr_array_data(TsrArray *array)
{
    return array->tensor.data;
}

gsize tsr_array_size_bytes(TsrArray *array)
{
    return array->tensor.size_bytes;
}
