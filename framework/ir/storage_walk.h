/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_walk.h: between a storage and the dense order of the origin shape, for whoever shows
 * or takes a user's tensor. It is the plain definition of the formats (types.h), element
 * by element, and no kernel.
 */
#ifndef TSR_IR_STORAGE_WALK_H
#define TSR_IR_STORAGE_WALK_H

#include <glib.h>
#include <tessera/plugin.h>

/* Writes the elements of a stored tensor to origin, tsr_desc_elements() of them in the order of
 * the origin shape; padding is left out. size_bytes is that of storage. Errors: UNSUPPORTED when
 * the two shapes of the desc do not go together. */
gboolean tsr_storage_to_origin(const TsrTensorDesc *desc, gconstpointer storage,
                               gsize size_bytes, gpointer origin, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The other way; padding becomes zero. size_bytes is that of storage. */
gboolean tsr_storage_from_origin(const TsrTensorDesc *desc, gconstpointer origin,
                                 gpointer storage, gsize size_bytes, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
