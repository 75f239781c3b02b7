/* SPDX-License-Identifier: Apache-2.0
 *
 * desc.h: the framework's own tensor descriptor: a TsrTensorDesc (what plugins
 * see) together with the memory of its shapes. view.shape always points into
 * the same struct, so a descriptor is copied with tsr_desc_copy, never by value.
 */
#ifndef TSR_IR_DESC_H
#define TSR_IR_DESC_H

#include <glib.h>
#include <tessera/plugin.h>

typedef struct TsrDesc {
    TsrTensorDesc view;
    gint64 shape[TSR_MAX_RANK];
    gint64 storage_shape[TSR_MAX_RANK];
    gint64 max_shape[TSR_MAX_RANK]; /* view.max_shape points here, or is NULL */
} TsrDesc;

/* Makes an empty descriptor: dtype and rank unknown, format ND. */
void tsr_desc_init(TsrDesc *desc);
/* Copies everything but the name, which stays the target's. */
void tsr_desc_copy(TsrDesc *target, const TsrTensorDesc *source);
/* Gives dtype and origin shape; storage becomes equal to origin. shape may be NULL
 * with rank TSR_RANK_UNKNOWN. rank is at most TSR_MAX_RANK or unknown. */
void tsr_desc_set(TsrDesc *desc, guint32 dtype, guint32 rank, const gint64 *shape);
/* Bounds the dimensions; max_shape has the desc's rank, NULL takes the bounds away. */
void tsr_desc_set_max(TsrDesc *desc, const gint64 *max_shape);
/* Bytes of the stored tensor; FALSE when a dimension is unknown or the size does
 * not fit 63 bits. */
gboolean tsr_desc_storage_bytes(const TsrTensorDesc *desc, guint64 *out_bytes)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether dtype, rank and dimensions agree, unknown ones agreeing with anything. */
gboolean tsr_desc_compatible(const TsrTensorDesc *a, const TsrTensorDesc *b);
/* "float[1,3,224,224]" or "float[1,3,224,224] NC1HWC0"; (transfer full) */
char *tsr_desc_to_text(const TsrTensorDesc *desc);

#endif
