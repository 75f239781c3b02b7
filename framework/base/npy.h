/* SPDX-License-Identifier: Apache-2.0
 *
 * npy.h: NumPy's array files, version 1 to 3, C order, little endian. Source: the
 * format description in numpy.lib.format.
 */
#ifndef TSR_BASE_NPY_H
#define TSR_BASE_NPY_H

#include <glib.h>
#include <tessera/types.h>

/* Reads a file: its dtype, rank, shape[TSR_MAX_RANK] and contents. bfloat16 is kept as
 * '<V2'. Errors: IO, CORRUPT, UNSUPPORTED (dtype, byte order, Fortran order), naming
 * the file. (transfer full) */
GBytes *tsr_npy_read(const char *path, guint32 *out_dtype, guint32 *out_rank,
                     gint64 *out_shape, GError **error);

/* Writes a file. Errors: IO, UNSUPPORTED (strings, sub-byte and 8-bit float types). */
gboolean tsr_npy_write(const char *path, guint32 dtype, guint32 rank, const gint64 *shape,
                       gconstpointer data, gsize size_bytes, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
