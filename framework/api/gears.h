/* SPDX-License-Identifier: Apache-2.0
 *
 * gears.h: the dimensions of a model's inputs that only a run knows, and the values that its
 * user says they will have: each set of values is a gear, with a program of its own.
 */
#ifndef TSR_API_GEARS_H
#define TSR_API_GEARS_H

#include "ir/graph.h"

/* Dimensions in the order of inputs and axes; those of one name are one. */
typedef struct TsrFreeDims {
    guint count;
    GArray *of_axis;  /* per input and axis (TSR_MAX_RANK apart): index of its dimension, or -1 */
    GPtrArray *names; /* of each, for people: its name, or "axis 2 of 'x'" */
} TsrFreeDims;

typedef struct TsrGears {
    GPtrArray *values;  /* gint64[count] each */
    gboolean others;    /* what no gear fits runs too */
} TsrGears;

/* Errors: UNSUPPORTED for an input whose rank is not known. (transfer full) */
TsrFreeDims *tsr_free_dims_new(const TsrGraph *graph, GError **error);
void tsr_free_dims_free(TsrFreeDims *dims); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrFreeDims, tsr_free_dims_free)

/* "1;2;4" or "1,224;2,320;*": sets of values apart by ';', each with one value per dimension;
 * '*' as the last. Errors: INVALID_ARGUMENT names the set, wanted and got. (transfer full) */
TsrGears *tsr_gears_parse(const TsrFreeDims *dims, const char *text, GError **error);
void tsr_gears_free(TsrGears *gears); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrGears, tsr_gears_free)

/* Gives the inputs of a graph the shapes of a gear. */
void tsr_gear_apply(const TsrFreeDims *dims, const gint64 *values, TsrGraph *graph);
/* "N 1, width 224". (transfer full) */
char *tsr_gear_to_text(const TsrFreeDims *dims, const gint64 *values);

#endif
