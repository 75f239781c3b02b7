/* SPDX-License-Identifier: Apache-2.0
 *
 * array.h: a tensor with memory on the host: what a run takes and gives, what the
 * host executor passes between nodes, what folding computes. Refcounted; contents
 * are shared by readers and written only by the one who made it.
 */
#ifndef TSR_IR_ARRAY_H
#define TSR_IR_ARRAY_H

#include <tessera/tessera.h>

#include "ir/desc.h"

struct TsrArray {
    gatomicrefcount refs;
    TsrDesc desc;
    TsrTensor tensor;     /* view; what plugins see */
    GBytes *bytes;        /* shared memory, or NULL */
    gpointer memory;      /* own memory (tsr_memory_alloc), or NULL */
    gsize capacity;       /* of own memory */
    GPtrArray *strings;   /* texts of string elements that it owns, or NULL */
    struct TsrArray *base;/* kept alive where the memory belongs to it, or NULL */
    GPtrArray *items;     /* TsrArray, of a sequence, optional or map; else NULL */
    const TsrTensor **item_views;
    char *name;
};

/* Uninitialised memory (zeroed for strings); storage as desc says. NULL with an
 * error when the shape is not known or there is no memory. (transfer full) */
TsrArray *tsr_array_new(const TsrTensorDesc *desc, GError **error);
/* Shares bytes, which must have the stored size of desc. (transfer full) */
TsrArray *tsr_array_new_from_bytes(const TsrTensorDesc *desc, GBytes *bytes, GError **error);
/* The same memory under another descriptor of the same size. (transfer full) */
TsrArray *tsr_array_new_view(TsrArray *base, const TsrTensorDesc *desc);
/* Memory that somebody else keeps alive. (transfer full) */
TsrArray *tsr_array_new_borrowed(const TsrTensorDesc *desc, gpointer data, gsize size_bytes);

/* A value of that TSR_KIND_ (not a tensor) made of items, to which it takes references;
 * dtype is that of the tensors inside. (transfer full) */
TsrArray *tsr_array_new_items(const char *name, guint32 kind, guint32 dtype,
                              TsrArray *const *items, guint item_count);
/* The array itself when it owns or shares its memory, else a copy that does.
 * (transfer full), NULL with an error when there is no memory. */
TsrArray *tsr_array_ensure_owned(TsrArray *array, GError **error);

/* Copies a text into the array and points element at it. */
void tsr_array_set_string(TsrArray *array, TsrString *element, const char *data, gsize size);
/* Makes every text of a string array its own, so that it outlives what it was
 * computed from. */
void tsr_array_own_strings(TsrArray *array);
/* The contents as GBytes: shared where possible. (transfer full) */
GBytes *tsr_array_to_bytes(TsrArray *array);

#endif
