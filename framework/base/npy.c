/* SPDX-License-Identifier: Apache-2.0
 *
 * npy.c: see npy.h.
 */
#include "base/npy.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"

static const struct {
    guint32 dtype;
    const char *descr;
} descr_rows[] = {
    {TSR_DTYPE_FLOAT, "<f4"},   {TSR_DTYPE_DOUBLE, "<f8"},  {TSR_DTYPE_FLOAT16, "<f2"},
    {TSR_DTYPE_BFLOAT16, "<V2"}, {TSR_DTYPE_INT8, "|i1"},    {TSR_DTYPE_UINT8, "|u1"},
    {TSR_DTYPE_INT16, "<i2"},   {TSR_DTYPE_UINT16, "<u2"},  {TSR_DTYPE_INT32, "<i4"},
    {TSR_DTYPE_UINT32, "<u4"},  {TSR_DTYPE_INT64, "<i8"},   {TSR_DTYPE_UINT64, "<u8"},
    {TSR_DTYPE_BOOL, "|b1"},    {TSR_DTYPE_COMPLEX64, "<c8"}, {TSR_DTYPE_COMPLEX128, "<c16"},
};

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6

/* The text behind 'key': in the header, with blanks skipped; NULL when missing. */
static const char *find_key(const char *header, const char *key)
{
    g_autofree char *quoted = g_strdup_printf("'%s'", key);
    const char *at = strstr(header, quoted);
    if (at == NULL)
        return NULL;
    at += strlen(quoted);
    while (*at == ' ' || *at == ':')
        at++;
    return at;
}

static gboolean bad_file(const char *path, gint code, const char *what, GError **error)
{
    g_set_error(error, TSR_ERROR, code, "'%s': %s", path, what);
    return FALSE;
}

static gboolean parse_header(const char *path, const char *header, guint32 *out_dtype,
                             guint32 *out_rank, gint64 *out_shape, GError **error)
{
    const char *descr = find_key(header, "descr"), *order = find_key(header, "fortran_order");
    const char *shape = find_key(header, "shape");
    *out_dtype = TSR_DTYPE_UNDEFINED;
    *out_rank = 0;
    if (descr == NULL || order == NULL || shape == NULL || *shape != '(')
        return bad_file(path, TSR_CORRUPT, "not a readable .npy header", error);
    for (gsize i = 0; i < G_N_ELEMENTS(descr_rows); i++) {
        gsize length = strlen(descr_rows[i].descr);
        if (descr[0] == '\'' && strncmp(descr + 1, descr_rows[i].descr, length) == 0 &&
            descr[1 + length] == '\'')
            *out_dtype = descr_rows[i].dtype;
    }
    if (*out_dtype == TSR_DTYPE_UNDEFINED)
        return bad_file(path, TSR_UNSUPPORTED, "its dtype is not supported", error);
    if (!g_str_has_prefix(order, "False"))
        return bad_file(path, TSR_UNSUPPORTED, "Fortran order is not supported", error);
    for (shape++; *shape != ')' && *shape != '\0';) {
        char *end;
        gint64 extent = g_ascii_strtoll(shape, &end, 10);
        if (end == shape || extent < 0 || *out_rank == TSR_MAX_RANK)
            return bad_file(path, TSR_CORRUPT, "its shape cannot be read", error);
        out_shape[(*out_rank)++] = extent;
        shape = end;
        while (*shape == ',' || *shape == ' ')
            shape++;
    }
    return TRUE;
}

GBytes *tsr_npy_read(const char *path, guint32 *out_dtype, guint32 *out_rank,
                     gint64 *out_shape, GError **error)
{
    g_autofree char *content = NULL;
    g_autofree char *header = NULL;
    g_autoptr(GError) cause = NULL;
    guint64 count = 1, header_size, begin;
    const guint8 *bytes;
    gsize size;

    if (!g_file_get_contents(path, &content, &size, &cause)) {
        g_set_error(error, TSR_ERROR, TSR_IO, "'%s': %s", path, cause->message);
        return NULL;
    }
    bytes = (const guint8 *)content;
    if (size < 12 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0 || bytes[6] == 0 || bytes[6] > 3) {
        bad_file(path, TSR_CORRUPT, "not a .npy file", error);
        return NULL;
    }
    header_size = bytes[8] | (guint64)bytes[9] << 8;
    begin = 10;
    if (bytes[6] > 1) {
        header_size |= (guint64)bytes[10] << 16 | (guint64)bytes[11] << 24;
        begin = 12;
    }
    if (header_size > size - begin) {
        bad_file(path, TSR_CORRUPT, "truncated in its header", error);
        return NULL;
    }
    header = g_strndup(content + begin, header_size);
    if (!parse_header(path, header, out_dtype, out_rank, out_shape, error))
        return NULL;
    for (guint32 i = 0; i < *out_rank; i++)
        if (!g_uint64_checked_mul(&count, count, (guint64)out_shape[i]))
            count = G_MAXUINT64 / 64;
    begin += header_size;
    if (count > G_MAXUINT64 / 64 || tsr_dtype_bytes(*out_dtype, count) != size - begin) {
        g_set_error(error, TSR_ERROR, TSR_CORRUPT, "'%s': holds %" G_GUINT64_FORMAT
                    " bytes of data, which is not its shape's size", path, size - begin);
        return NULL;
    }
    return tsr_memory_copy_bytes(content + begin, size - begin);
}

gboolean tsr_npy_write(const char *path, guint32 dtype, guint32 rank, const gint64 *shape,
                       gconstpointer data, gsize size_bytes, GError **error)
{
    g_autoptr(GString) header = g_string_new(NULL);
    g_autoptr(GError) cause = NULL;
    const char *descr = NULL;
    guint16 length;
    for (gsize i = 0; i < G_N_ELEMENTS(descr_rows); i++)
        if (descr_rows[i].dtype == dtype)
            descr = descr_rows[i].descr;
    if (descr == NULL) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "'%s': %s has no .npy form", path,
                    tsr_dtype_name(dtype));
        return FALSE;
    }
    g_string_append_printf(header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (guint32 i = 0; i < rank; i++)
        g_string_append_printf(header, "%" G_GINT64_FORMAT "%s", shape[i],
                               rank == 1 || i + 1 < rank ? "," : "");
    g_string_append(header, "), }");
    while ((header->len + 11) % 64 != 0)
        g_string_append_c(header, ' ');
    g_string_append_c(header, '\n');
    length = (guint16)header->len;
    g_string_prepend_len(header, (const char *)&length, 2);
    g_string_prepend_len(header, MAGIC "\x01\x00", MAGIC_SIZE + 2);
    if (size_bytes != 0)
        g_string_append_len(header, data, (gssize)size_bytes);
    if (g_file_set_contents(path, header->str, (gssize)header->len, &cause))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_IO, "'%s': %s", path, cause->message);
    return FALSE;
}
