/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_proto.c: see tensor_proto.h. The element types are told apart by the
 * table of typed fields, so a new narrow type is one more row.
 */
#include "onnx/tensor_proto.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "onnx/external_data.h"

static const char *name_of(const Onnx__Tensor *proto)
{
    return proto->name != NULL && proto->name[0] != '\0' ? proto->name : "(unnamed)";
}

static gboolean read_shape(const Onnx__Tensor *proto, TsrDesc *desc, guint64 *out_count,
                           guint64 *out_bytes, GError **error)
{
    guint64 count = 1;
    if (proto->n_dims > TSR_MAX_RANK) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "tensor '%s': rank %zu is above the highest supported, %d", name_of(proto),
                    proto->n_dims, TSR_MAX_RANK);
        return FALSE;
    }
    for (gsize i = 0; i < proto->n_dims; i++) {
        if (proto->dims[i] < 0 ||
            !g_uint64_checked_mul(&count, count, (guint64)proto->dims[i])) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "tensor '%s': dimension %zu is %" G_GINT64_FORMAT
                        ", wanted 0 or more and a product that fits 63 bits",
                        name_of(proto), i, proto->dims[i]);
            return FALSE;
        }
    }
    if (tsr_dtype_bits((guint32)proto->data_type) == 0) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "tensor '%s': unknown data type %d",
                    name_of(proto), proto->data_type);
        return FALSE;
    }
    tsr_desc_set(desc, (guint32)proto->data_type, (guint32)proto->n_dims, proto->dims);
    if (!tsr_desc_storage_bytes(&desc->view, out_bytes)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': its size does not fit 63 bits", name_of(proto));
        return FALSE;
    }
    *out_count = count;
    return TRUE;
}

/* Which field of a TensorProto carries a type that is not stored raw (the comments
 * of the schema), and how many of its elements make one entry there. */
typedef enum Field { FIELD_FLOAT, FIELD_INT32, FIELD_INT64, FIELD_DOUBLE, FIELD_UINT64 } Field;

typedef struct FieldRow {
    guint32 dtype;
    Field field;
    guint32 entries; /* field entries per element (complex numbers have two) */
    guint32 packed;  /* elements per field entry (sub-byte types) */
} FieldRow;

static const FieldRow field_rows[] = {
    {TSR_DTYPE_FLOAT, FIELD_FLOAT, 1, 1},        {TSR_DTYPE_COMPLEX64, FIELD_FLOAT, 2, 1},
    {TSR_DTYPE_DOUBLE, FIELD_DOUBLE, 1, 1},      {TSR_DTYPE_COMPLEX128, FIELD_DOUBLE, 2, 1},
    {TSR_DTYPE_INT64, FIELD_INT64, 1, 1},        {TSR_DTYPE_UINT64, FIELD_UINT64, 1, 1},
    {TSR_DTYPE_UINT32, FIELD_UINT64, 1, 1},      {TSR_DTYPE_INT32, FIELD_INT32, 1, 1},
    {TSR_DTYPE_INT16, FIELD_INT32, 1, 1},        {TSR_DTYPE_UINT16, FIELD_INT32, 1, 1},
    {TSR_DTYPE_INT8, FIELD_INT32, 1, 1},         {TSR_DTYPE_UINT8, FIELD_INT32, 1, 1},
    {TSR_DTYPE_BOOL, FIELD_INT32, 1, 1},         {TSR_DTYPE_FLOAT16, FIELD_INT32, 1, 1},
    {TSR_DTYPE_BFLOAT16, FIELD_INT32, 1, 1},     {TSR_DTYPE_FLOAT8E4M3FN, FIELD_INT32, 1, 1},
    {TSR_DTYPE_FLOAT8E4M3FNUZ, FIELD_INT32, 1, 1}, {TSR_DTYPE_FLOAT8E5M2, FIELD_INT32, 1, 1},
    {TSR_DTYPE_FLOAT8E5M2FNUZ, FIELD_INT32, 1, 1}, {TSR_DTYPE_FLOAT8E8M0, FIELD_INT32, 1, 1},
    {TSR_DTYPE_UINT4, FIELD_INT32, 1, 2},        {TSR_DTYPE_INT4, FIELD_INT32, 1, 2},
    {TSR_DTYPE_FLOAT4E2M1, FIELD_INT32, 1, 2},   {TSR_DTYPE_UINT2, FIELD_INT32, 1, 4},
    {TSR_DTYPE_INT2, FIELD_INT32, 1, 4},
};

static gsize field_length(const Onnx__Tensor *proto, Field field, const void **out_data,
                          gsize *out_entry_size)
{
    switch (field) {
    case FIELD_FLOAT:
        *out_data = proto->float_data;
        *out_entry_size = sizeof(float);
        return proto->n_float_data;
    case FIELD_INT32:
        *out_data = proto->int32_data;
        *out_entry_size = sizeof(gint32);
        return proto->n_int32_data;
    case FIELD_INT64:
        *out_data = proto->int64_data;
        *out_entry_size = sizeof(gint64);
        return proto->n_int64_data;
    case FIELD_DOUBLE:
        *out_data = proto->double_data;
        *out_entry_size = sizeof(double);
        return proto->n_double_data;
    default:
        *out_data = proto->uint64_data;
        *out_entry_size = sizeof(guint64);
        return proto->n_uint64_data;
    }
}

static GBytes *read_typed(const Onnx__Tensor *proto, guint64 count, guint64 size_bytes,
                          GError **error)
{
    for (gsize r = 0; r < G_N_ELEMENTS(field_rows); r++) {
        const FieldRow *row = &field_rows[r];
        const void *data;
        gsize entry_size, length, target_size;
        guint64 wanted;
        guint8 *memory;
        if (row->dtype != (guint32)proto->data_type)
            continue;
        length = field_length(proto, row->field, &data, &entry_size);
        wanted = (count * row->entries + row->packed - 1) / row->packed;
        if (length != wanted) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "tensor '%s': %" G_GUINT64_FORMAT " values of %s wanted, got %zu",
                        name_of(proto), wanted, tsr_dtype_name(row->dtype), length);
            return NULL;
        }
        memory = tsr_memory_alloc(size_bytes);
        if (memory == NULL)
            break;
        /* Little endian: the low bytes of an entry are the element. */
        target_size = wanted != 0 ? (gsize)(size_bytes / wanted) : 1;
        for (gsize i = 0; i < length; i++)
            memcpy(memory + i * target_size, (const guint8 *)data + i * entry_size, target_size);
        return tsr_memory_to_bytes(memory, size_bytes);
    }
    g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY,
                "tensor '%s': no memory for %" G_GUINT64_FORMAT " bytes", name_of(proto),
                size_bytes);
    return NULL;
}

GBytes *tsr_strings_to_bytes(const TsrString *strings, gsize count)
{
    gsize head = count * sizeof(TsrString), total = head;
    TsrString *memory;
    char *text;
    for (gsize i = 0; i < count; i++)
        total += strings[i].size;
    memory = tsr_memory_alloc(total);
    if (memory == NULL)
        return NULL;
    text = (char *)memory + head;
    for (gsize i = 0; i < count; i++) {
        memory[i].data = text;
        memory[i].size = strings[i].size;
        if (strings[i].size != 0)
            memcpy(text, strings[i].data, strings[i].size);
        text += strings[i].size;
    }
    return tsr_memory_to_bytes(memory, head);
}

static GBytes *read_strings(const Onnx__Tensor *proto, guint64 count, GError **error)
{
    g_autofree TsrString *strings = NULL;
    if (proto->n_string_data != count) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': %" G_GUINT64_FORMAT " strings wanted, got %zu",
                    name_of(proto), count, proto->n_string_data);
        return NULL;
    }
    strings = g_new0(TsrString, count + 1);
    for (gsize i = 0; i < count; i++) {
        strings[i].data = (const char *)proto->string_data[i].data;
        strings[i].size = proto->string_data[i].len;
    }
    return tsr_strings_to_bytes(strings, count);
}

GBytes *tsr_tensor_proto_read(const Onnx__Tensor *proto, const char *directory,
                              TsrDesc *out_desc, GError **error)
{
    guint64 count, size_bytes;
    GBytes *bytes;
    if (!read_shape(proto, out_desc, &count, &size_bytes, error))
        return NULL;
    if (proto->has_data_location && proto->data_location == 1 &&
        proto->data_type == TSR_DTYPE_STRING) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': strings cannot be external data", name_of(proto));
        return NULL;
    }
    if (proto->has_data_location && proto->data_location == 1)
        return tsr_external_data_read(proto, directory, size_bytes, error);
    if (proto->data_type == TSR_DTYPE_STRING)
        return read_strings(proto, count, error);
    if (!proto->has_raw_data)
        return read_typed(proto, count, size_bytes, error);
    if (proto->raw_data.len != size_bytes) {
        g_autofree char *text = tsr_desc_to_text(&out_desc->view);
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': %s takes %" G_GUINT64_FORMAT " bytes, but its raw data has %zu",
                    name_of(proto), text, size_bytes, proto->raw_data.len);
        return NULL;
    }
    bytes = tsr_memory_copy_bytes(proto->raw_data.data, size_bytes);
    if (bytes == NULL)
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY,
                    "tensor '%s': no memory for %" G_GUINT64_FORMAT " bytes", name_of(proto),
                    size_bytes);
    return bytes;
}

/* Linear position of non-zero number i: indices are [NNZ] positions or [NNZ, rank]
 * coordinates (IR.md, SparseTensorProto). -1 when it is outside. */
static gint64 sparse_position(const TsrDesc *indices, const gint64 *data, gsize i,
                              const TsrDesc *dense, gint64 count)
{
    gint64 position = 0;
    if (indices->view.rank == 1) {
        position = data[i];
    } else {
        for (guint32 axis = 0; axis < dense->view.rank; axis++) {
            gint64 at = data[i * dense->view.rank + axis];
            if (at < 0 || at >= dense->shape[axis])
                return -1;
            position = position * dense->shape[axis] + at;
        }
    }
    return position >= 0 && position < count ? position : -1;
}

GBytes *tsr_sparse_proto_read(const Onnx__SparseTensor *proto, const char *directory,
                              TsrDesc *out_desc, GError **error)
{
    TsrDesc values, indices;
    g_autoptr(GBytes) value_bytes = NULL;
    g_autoptr(GBytes) index_bytes = NULL;
    Onnx__Tensor shape = ONNX__TENSOR__INIT;
    guint64 count, size_bytes;
    gsize element, wanted;
    guint8 *memory;

    tsr_desc_init(&values);
    tsr_desc_init(&indices);
    if (proto->values == NULL || proto->indices == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "sparse tensor: values or indices are missing");
        return NULL;
    }
    value_bytes = tsr_tensor_proto_read(proto->values, directory, &values, error);
    index_bytes = value_bytes != NULL
                      ? tsr_tensor_proto_read(proto->indices, directory, &indices, error)
                      : NULL;
    if (index_bytes == NULL)
        return NULL;
    shape.name = proto->values->name;
    shape.dims = proto->dims;
    shape.n_dims = proto->n_dims;
    shape.data_type = (gint32)values.view.dtype;
    if (!read_shape(&shape, out_desc, &count, &size_bytes, error))
        return NULL;
    element = tsr_dtype_bits(values.view.dtype) / 8;
    wanted = values.view.rank == 1 ? (gsize)values.shape[0] : 0;
    if (values.view.rank != 1 || element == 0 || values.view.dtype == TSR_DTYPE_STRING ||
        indices.view.dtype != TSR_DTYPE_INT64 ||
        (gsize)tsr_desc_elements(&indices.view) !=
            wanted * (indices.view.rank == 1 ? 1 : out_desc->view.rank)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "sparse tensor '%s': values must be 1-D and indices int64 [NNZ] or "
                    "[NNZ, rank]",
                    name_of(proto->values));
        return NULL;
    }
    memory = tsr_memory_alloc(size_bytes);
    if (memory == NULL) {
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY,
                    "sparse tensor '%s': no memory for %" G_GUINT64_FORMAT " bytes",
                    name_of(proto->values), size_bytes);
        return NULL;
    }
    memset(memory, 0, size_bytes);
    for (gsize i = 0; i < wanted; i++) {
        gint64 position = sparse_position(&indices, g_bytes_get_data(index_bytes, NULL), i,
                                          out_desc, (gint64)count);
        if (position < 0) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "sparse tensor '%s': index of value %zu is outside the shape",
                        name_of(proto->values), i);
            tsr_memory_free(memory);
            return NULL;
        }
        memcpy(memory + (gsize)position * element,
               (const guint8 *)g_bytes_get_data(value_bytes, NULL) + i * element, element);
    }
    return tsr_memory_to_bytes(memory, size_bytes);
}

GBytes *tsr_tensor_file_read(const char *path, TsrDesc *out_desc, char **out_name,
                             GError **error)
{
    g_autofree char *directory = g_path_get_dirname(path);
    g_autofree char *content = NULL;
    g_autoptr(GError) cause = NULL;
    gsize length;
    Onnx__Tensor *proto;
    GBytes *bytes;
    if (!g_file_get_contents(path, &content, &length, &cause)) {
        g_set_error(error, TSR_ERROR, TSR_IO, "'%s': %s", path, cause->message);
        return NULL;
    }
    proto = onnx__tensor__unpack(NULL, length, (const guint8 *)content);
    if (proto == NULL) {
        g_set_error(error, TSR_ERROR, TSR_CORRUPT, "'%s' is not a TensorProto", path);
        return NULL;
    }
    bytes = tsr_tensor_proto_read(proto, directory, out_desc, error);
    if (bytes != NULL && out_name != NULL)
        *out_name = g_strdup(proto->name != NULL ? proto->name : "");
    onnx__tensor__free_unpacked(proto, NULL);
    if (bytes == NULL)
        g_prefix_error(error, "'%s': ", path);
    return bytes;
}
