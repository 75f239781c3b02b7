/* SPDX-License-Identifier: Apache-2.0
 *
 * storage.h: how the elements of a tensor lie in memory: the storage shape that follows
 * from the origin shape, by one table of rules. Whoever chooses, checks or reads a storage
 * format goes through here; nobody derives one by himself.
 */
#ifndef TSR_IR_STORAGE_H
#define TSR_IR_STORAGE_H

#include "ir/desc.h"

/* Rows of a fractal, whatever the element type. */
#define TSR_FRACTAL_ROWS 16

/* Extents of N, C, H and W in the origin's meaning: those of an origin format NCHW, NHWC or
 * HWCN; a rank below 4 is expanded by desc->expand_dims. FALSE when the origin format gives
 * the dimensions no such meaning or the rule does not fit the rank. */
gboolean tsr_storage_nchw(const TsrTensorDesc *desc, gint64 extents[4]);

/* Stores desc in that format (TSR_FORMAT_ND: as the origin lies); c0_lanes is the device's.
 * FALSE, and desc unchanged, when it cannot be stored so: a dimension is unknown, the
 * dimensions have no meaning, elements are below a byte or are strings. */
gboolean tsr_desc_set_storage(TsrDesc *desc, guint32 format, guint32 c0_lanes)
    G_GNUC_WARN_UNUSED_RESULT;

/* Number of the format of that name ("NC1HWC0", any case), or G_MAXUINT32. */
guint32 tsr_format_from_name(const char *name);

#endif
