/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs.c: see inputs.h.
 */
#include "inputs.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/npy.h"
#include "input_shape.h"
#include "ir/storage_walk.h"
#include "onnx/tensor_proto.h"

TsrArray *tsr_tool_read_array(const char *path, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    TsrDesc desc;
    tsr_desc_init(&desc);
    if (g_str_has_suffix(path, ".pb")) {
        bytes = tsr_tensor_file_read(path, &desc, NULL, error);
    } else {
        guint32 dtype, rank;
        gint64 shape[TSR_MAX_RANK];
        bytes = tsr_npy_read(path, &dtype, &rank, shape, error);
        if (bytes != NULL)
            tsr_desc_set(&desc, dtype, rank, shape);
    }
    return bytes != NULL ? tsr_array_new_from_bytes(&desc.view, bytes, error) : NULL;
}

char *tsr_tool_file_name(const char *tensor, const char *suffix)
{
    GString *name = g_string_new(NULL);
    for (const char *at = tensor; *at != '\0'; at++)
        g_string_append_c(name, g_ascii_isalnum(*at) || strchr("._-", *at) != NULL ? *at : '_');
    g_string_append(name, suffix);
    return g_string_free(name, FALSE);
}

/* Random elements: floats in [-1, 1), integers in [0, 8), booleans either way. */
static void fill_random(TsrArray *array, guint32 seed)
{
    GRand *rand = g_rand_new_with_seed(seed);
    guint32 dtype = tsr_array_dtype(array);
    gsize element = tsr_dtype_bits(dtype) / 8, count;
    guint8 *data = tsr_array_data(array);
    if (element == 0 || dtype == TSR_DTYPE_STRING) {
        g_rand_free(rand);
        return; /* strings stay empty, sub-byte types zero */
    }
    count = tsr_array_size_bytes(array) / element;
    for (gsize i = 0; i < count; i++, data += element) {
        float real = (float)g_rand_double_range(rand, -1.0, 1.0);
        guint64 integer = g_rand_int(rand) % 8;
        double wide = real;
        guint16 half;
        switch (dtype) {
        case TSR_DTYPE_FLOAT:
            memcpy(data, &real, sizeof(real));
            break;
        case TSR_DTYPE_DOUBLE:
            memcpy(data, &wide, sizeof(wide));
            break;
        case TSR_DTYPE_FLOAT16:
        case TSR_DTYPE_BFLOAT16:
            half = dtype == TSR_DTYPE_FLOAT16 ? tsr_float_to_float16(real)
                                              : tsr_float_to_bfloat16(real);
            memcpy(data, &half, sizeof(half));
            break;
        case TSR_DTYPE_BOOL:
            *data = integer & 1;
            break;
        default:
            memcpy(data, &integer, MIN(element, sizeof(integer)));
        }
    }
    g_rand_free(rand);
}

static TsrArray *make_filled(const char *name, guint32 dtype, guint32 rank, const gint64 *shape,
                             gboolean random, guint32 seed, GError **error)
{
    TsrArray *array;
    for (guint32 i = 0; rank != TSR_RANK_UNKNOWN && i < rank; i++) {
        if (shape[i] < 0)
            rank = TSR_RANK_UNKNOWN;
    }
    if (rank == TSR_RANK_UNKNOWN) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "input '%s' has dimensions that only a run knows: give --input-shape or "
                    "--input %s=FILE",
                    name, name);
        return NULL;
    }
    array = tsr_array_create(dtype, rank, shape, error);
    if (array != NULL && random)
        fill_random(array, seed);
    return array;
}

static const char *find_spec(char **specs, const char *name)
{
    gsize length = strlen(name);
    for (char **at = specs; at != NULL && *at != NULL; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

static gboolean check_names(TsrModel *model, char **specs, GError **error)
{
    for (char **at = specs; at != NULL && *at != NULL; at++) {
        gboolean known = FALSE;
        for (guint i = 0; i < tsr_model_input_count(model); i++) {
            char *one[] = {*at, NULL};
            known |= find_spec(one, tsr_model_input(model, i, NULL, NULL, NULL)) != NULL;
        }
        if (!known) {
            g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                        "--input '%s' names no input of the model", *at);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean has_shape(TsrArray *array, guint32 rank, const gint64 *shape)
{
    return tsr_array_rank(array) == rank &&
           memcmp(tsr_array_shape(array), shape, rank * sizeof(*shape)) == 0;
}

TsrArray *tsr_tool_to_storage(const TsrTensorDesc *desc, TsrArray *array, GError **error)
{
    g_autoptr(TsrArray) stored = NULL;
    if (desc->storage_format == desc->origin_format ||
        !has_shape(array, desc->rank, desc->shape) || tsr_array_dtype(array) != desc->dtype)
        return tsr_array_ref(array);
    stored = tsr_array_create(desc->dtype, desc->storage_rank, desc->storage_shape, error);
    if (stored == NULL ||
        !tsr_storage_from_origin(desc, tsr_array_data(array), tsr_array_data(stored),
                                 tsr_array_size_bytes(stored), error))
        return NULL;
    return g_steal_pointer(&stored);
}

TsrArray *tsr_tool_from_storage(const TsrTensorDesc *desc, TsrArray *array, GError **error)
{
    g_autoptr(TsrArray) meant = NULL;
    if (desc->storage_format == desc->origin_format ||
        !has_shape(array, desc->storage_rank, desc->storage_shape))
        return tsr_array_ref(array);
    meant = tsr_array_create(desc->dtype, desc->rank, desc->shape, error);
    if (meant == NULL ||
        !tsr_storage_to_origin(desc, tsr_array_data(array), tsr_array_size_bytes(array),
                               tsr_array_data(meant), error))
        return NULL;
    return g_steal_pointer(&meant);
}

GPtrArray *tsr_tool_make_inputs(TsrModel *model, char **specs, char **shapes, GError **error)
{
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    if (!check_names(model, specs, error))
        return NULL;
    for (guint i = 0; i < tsr_model_input_count(model); i++) {
        guint32 dtype, rank, seed = 42;
        const gint64 *shape;
        const char *name = tsr_model_input(model, i, &dtype, &rank, &shape);
        const char *spec = find_spec(specs, name);
        TsrArray *array, *stored;
        gint64 fixed[TSR_MAX_RANK];
        GError *shape_error = NULL;
        if (tsr_input_shape_find(shapes, name, &rank, fixed, &shape_error))
            shape = fixed;
        if (shape_error != NULL) {
            g_propagate_error(error, shape_error);
            return NULL;
        }
        if (spec != NULL && g_str_has_prefix(spec, "random:"))
            seed = (guint32)g_ascii_strtoull(spec + 7, NULL, 10);
        if (spec == NULL || strcmp(spec, "random") == 0 || g_str_has_prefix(spec, "random:"))
            array = make_filled(name, dtype, rank, shape, TRUE, seed, error);
        else if (strcmp(spec, "zeros") == 0)
            array = make_filled(name, dtype, rank, shape, FALSE, 0, error);
        else
            array = tsr_tool_read_array(spec, error);
        if (array == NULL)
            return NULL;
        stored = tsr_tool_to_storage(tsr_model_input_desc(model, i), array, error);
        tsr_array_unref(array);
        if (stored == NULL)
            return NULL;
        g_ptr_array_add(inputs, stored);
    }
    return g_steal_pointer(&inputs);
}
