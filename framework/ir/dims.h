/* SPDX-License-Identifier: Apache-2.0
 *
 * dims.h: extents that only a run knows, as expressions of symbols. A symbol is a name: of a
 * dimension of an input, or of a value whose extent follows from data. An expression is a sum of
 * products of symbols and of floor, min and max of other expressions, in one normal form, so that
 * two extents that are equal by algebra are one number here.
 *
 * An extent is a number, or TSR_DIM_IS_SYMBOL() and then the handle of an expression of one
 * table. All symbols are at least 0. A table only grows. Threads: one at a time writes; any read.
 */
#ifndef TSR_IR_DIMS_H
#define TSR_IR_DIMS_H

#include <glib.h>
#include <tessera/plugin.h>

typedef struct TsrDims TsrDims;

/* (transfer full) */
TsrDims *tsr_dims_new(void);
TsrDims *tsr_dims_ref(TsrDims *dims);
void tsr_dims_unref(TsrDims *dims); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrDims, tsr_dims_unref)

/* The symbol of that name. */
gint64 tsr_dims_symbol(TsrDims *dims, const char *name);
/* a op b by TSR_DIM_ADD and its like; a and b are numbers or expressions. FALSE: it has no form
 * here (a division by 0, beyond 2^56, too many terms). */
gboolean tsr_dims_apply(TsrDims *dims, guint32 op, gint64 a, gint64 b, gint64 *out)
    G_GNUC_WARN_UNUSED_RESULT;
/* "batch", "2*h + 1", "floor((h - 1)/2) + 1"; "5" of a number. (transfer full) */
char *tsr_dims_text(const TsrDims *dims, gint64 extent);

/* Symbols are numbered from 0 in the order they came. */
guint tsr_dims_symbol_count(const TsrDims *dims);
/* Which symbol an extent is; -1 when it is none or more than one. */
gint tsr_dims_symbol_index(const TsrDims *dims, gint64 extent);
/* The extent where symbols have those values (-1: not known). FALSE: one is not known, or it
 * does not fit. */
gboolean tsr_dims_eval(const TsrDims *dims, gint64 extent, const gint64 *values, gint64 *out)
    G_GNUC_WARN_UNUSED_RESULT;

/* The table as a GVariant of type TSR_DIMS_TYPE and back; NULL: it is no sound table. */
#define TSR_DIMS_TYPE "(a(usxx)aa(xau))"
GVariant *tsr_dims_to_variant(const TsrDims *dims);
TsrDims *tsr_dims_from_variant(GVariant *variant);
/* How many expressions it has. */
guint tsr_dims_count(const TsrDims *dims);
/* Whether the extent is a number from 0 on, TSR_DIM_UNKNOWN, or an expression of the table. */
gboolean tsr_dims_has(const TsrDims *dims, gint64 extent);

#endif
