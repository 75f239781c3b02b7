/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_layout.h: a storage as the loops over the origin's dimensions that visit its
 * elements in the order of memory. Two storages with the same loops are the same bytes.
 */
#ifndef TSR_IR_STORAGE_LAYOUT_H
#define TSR_IR_STORAGE_LAYOUT_H

#include "ir/storage.h"

/* One loop, outermost first: `extent` steps of `step` along an origin dimension. */
typedef struct TsrStorageLoop {
    guint32 dim;
    gint64 extent;
    gint64 step;
} TsrStorageLoop;

#define TSR_STORAGE_LOOPS (TSR_MAX_RANK + 2)

/* Writes the loops of a static tensor without those of one step, neighbours joined, and
 * returns their number; *out_padded tells whether they reach beyond the origin's shape.
 * G_MAXUINT when the storage format gives no loops (C1HWNCoC0, which lies on diagonals). */
guint tsr_storage_loops(const TsrTensorDesc *desc, TsrStorageLoop loops[TSR_STORAGE_LOOPS],
                        gboolean *out_padded);

/* Whether a tensor stored as a and as b, whose origin is one, is the same bytes, so that
 * converting it is doing nothing. */
gboolean tsr_storage_same_bytes(const TsrTensorDesc *a, const TsrTensorDesc *b);

#endif
