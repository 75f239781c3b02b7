/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h: 64-byte aligned memory (a full vector register) and GBytes over it.
 * Constants, tensors of the host executor and folded values live in it.
 */
#ifndef TSR_BASE_MEMORY_H
#define TSR_BASE_MEMORY_H

#include <glib.h>

#define TSR_MEMORY_ALIGNMENT 64

/* Aligned memory, or NULL when there is none; size 0 gives a valid pointer.
 * (transfer full): tsr_memory_free. */
gpointer tsr_memory_alloc(gsize size_bytes);
void tsr_memory_free(gpointer memory);

/* Wraps memory of tsr_memory_alloc, which it takes. (transfer full) */
GBytes *tsr_memory_to_bytes(gpointer memory, gsize size_bytes);

/* An aligned copy of data. (transfer full), NULL when there is no memory. */
GBytes *tsr_memory_copy_bytes(gconstpointer data, gsize size_bytes);

/* Rounds up to a multiple of a power of two. */
static inline guint64 tsr_align_up(guint64 value, guint64 alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif
