/* SPDX-License-Identifier: Apache-2.0
 *
 * value_proto.c: see value_proto.h.
 */
#include "onnx/value_proto.h"

#include "base/error.h"
#include "onnx/tensor_proto.h"

static TsrArray *read_tensor(const Onnx__Tensor *proto, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    TsrDesc desc;
    tsr_desc_init(&desc);
    bytes = tsr_tensor_proto_read(proto, NULL, &desc, error);
    return bytes != NULL ? tsr_array_new_from_bytes(&desc.view, bytes, error) : NULL;
}

static TsrArray *read_sequence(const Onnx__Sequence *proto, GError **error)
{
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    guint32 dtype = TSR_DTYPE_UNDEFINED;
    if (proto->n_sparse_tensor_values + proto->n_sequence_values + proto->n_map_values +
            proto->n_optional_values !=
        0) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "a sequence of other than tensors");
        return NULL;
    }
    for (gsize i = 0; i < proto->n_tensor_values; i++) {
        TsrArray *item = read_tensor(proto->tensor_values[i], error);
        if (item == NULL)
            return NULL;
        dtype = item->desc.view.dtype;
        g_ptr_array_add(items, item);
    }
    return tsr_array_new_items(proto->name, TSR_KIND_SEQUENCE, dtype,
                               (TsrArray *const *)items->pdata, items->len);
}

static TsrArray *read_optional(const Onnx__Optional *proto, guint32 kind, GError **error)
{
    TsrArray *item = NULL, *array;
    if (proto->sparse_tensor_value != NULL || proto->map_value != NULL ||
        proto->optional_value != NULL) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "an optional of other than a tensor or sequence");
        return NULL;
    }
    if (proto->tensor_value != NULL || proto->sequence_value != NULL) {
        item = proto->tensor_value != NULL ? read_tensor(proto->tensor_value, error)
                                           : read_sequence(proto->sequence_value, error);
        if (item == NULL)
            return NULL;
    }
    array = tsr_array_new_items(proto->name, kind,
                                item != NULL ? item->desc.view.dtype : TSR_DTYPE_UNDEFINED, &item,
                                item != NULL ? 1 : 0);
    tsr_array_unref(item);
    return array;
}

static TsrArray *read_content(const guint8 *data, gsize size, guint32 kind, GError **error)
{
    TsrArray *array = NULL;
    if (kind == TSR_KIND_SEQUENCE) {
        Onnx__Sequence *proto = onnx__sequence__unpack(NULL, size, data);
        if (proto != NULL) {
            array = read_sequence(proto, error);
            onnx__sequence__free_unpacked(proto, NULL);
            return array;
        }
    } else if (kind == TSR_KIND_OPTIONAL || kind == TSR_KIND_OPTIONAL_SEQUENCE) {
        Onnx__Optional *proto = onnx__optional__unpack(NULL, size, data);
        if (proto != NULL) {
            array = read_optional(proto, kind, error);
            onnx__optional__free_unpacked(proto, NULL);
            return array;
        }
    } else {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "a map");
        return NULL;
    }
    g_set_error(error, TSR_ERROR, TSR_CORRUPT, "does not decode");
    return NULL;
}

TsrArray *tsr_value_file_read(const char *path, guint32 kind, GError **error)
{
    g_autofree char *content = NULL;
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) cause = NULL;
    TsrArray *array;
    TsrDesc desc;
    gsize size;
    if (kind == TSR_KIND_TENSOR) {
        tsr_desc_init(&desc);
        bytes = tsr_tensor_file_read(path, &desc, NULL, error);
        return bytes != NULL ? tsr_array_new_from_bytes(&desc.view, bytes, error) : NULL;
    }
    if (!g_file_get_contents(path, &content, &size, &cause)) {
        g_set_error(error, TSR_ERROR, TSR_IO, "'%s': %s", path, cause->message);
        return NULL;
    }
    array = read_content((const guint8 *)content, size, kind, error);
    if (array == NULL)
        g_prefix_error(error, "'%s': ", path);
    return array;
}
