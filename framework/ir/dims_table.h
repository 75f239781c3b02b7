/* SPDX-License-Identifier: Apache-2.0
 *
 * dims_table.h: how dims.h keeps its expressions; for dims.c and dims_table.c only.
 */
#ifndef TSR_IR_DIMS_TABLE_H
#define TSR_IR_DIMS_TABLE_H

#include "ir/dims.h"

enum {
    TSR_DIM_MAX_TERMS = 8,
    TSR_DIM_MAX_DEGREE = 6,
    TSR_DIM_MAX_COST = 256, /* atoms that are looked at for one */
    TSR_DIM_SYMBOL = G_MAXUINT16,
};

/* factor * atoms[0] * ...; atoms in the order of memcmp, unused ones 0. */
typedef struct TsrDimTerm {
    gint64 factor;
    guint32 degree;
    guint32 atoms[TSR_DIM_MAX_DEGREE];
} TsrDimTerm;

/* In the order of their products, which differ; unused terms 0 once it is kept. */
typedef struct TsrDimSum {
    guint32 count;
    TsrDimTerm terms[TSR_DIM_MAX_TERMS];
} TsrDimSum;

typedef struct TsrDimAtom {
    guint32 kind;         /* TSR_DIM_SYMBOL, or TSR_DIM_DIV (floor), MIN, MAX of a and b */
    gboolean is_nonnegative;
    guint32 symbol;       /* number of the symbol */
    guint32 cost;         /* atoms that evaluation looks at, itself included */
    char *name;           /* of a symbol */
    gint64 a;             /* extents that came before */
    gint64 b;
} TsrDimAtom;

guint tsr_dims_atom_count(const TsrDims *dims);
const TsrDimSum *tsr_dims_sum(const TsrDims *dims, gint64 extent);
const TsrDimAtom *tsr_dims_atom(const TsrDims *dims, guint32 atom);
/* The extent that is this sum: a number where it is one. */
gint64 tsr_dims_keep(TsrDims *dims, const TsrDimSum *sum);
/* The atom of that kind and operands. FALSE: it would cost too much. */
gboolean tsr_dims_pair(TsrDims *dims, guint32 kind, gint64 a, gint64 b,
                       gboolean is_nonnegative, guint32 *out_atom) G_GNUC_WARN_UNUSED_RESULT;
/* Adds what a file has, in its order. FALSE: it is not sound. */
gboolean tsr_dims_restore_atom(TsrDims *dims, guint32 kind, const char *name, gint64 a, gint64 b)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
