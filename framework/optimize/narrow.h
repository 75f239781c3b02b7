/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow.h: gives a value in another float type: a constant is converted now, anything else
 * goes through a Cast, one per value and type. precision.c decides who wants what.
 */
#ifndef TSR_OPTIMIZE_NARROW_H
#define TSR_OPTIMIZE_NARROW_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

typedef struct TsrNarrower TsrNarrower;

/* warnings (of char *) gets a line for each constant that leaves the range of the narrow
 * type; set and warnings outlive it. (transfer full) */
TsrNarrower *tsr_narrower_new(const TsrPluginSet *set, GPtrArray *warnings);
void tsr_narrower_free(TsrNarrower *narrower); /* NULL is a no-op */

/* Whether the node only changes the element type. */
gboolean tsr_is_cast(const TsrNode *node);
/* Notes that the value, which was float, is of a narrow type from now on. */
void tsr_narrower_note(TsrNarrower *narrower, TsrValue *value, guint32 dtype);
/* Whether it is float, or was before that. */
gboolean tsr_narrower_was_float(const TsrNarrower *narrower, const TsrValue *value);
gboolean tsr_narrower_is_narrow(const TsrNarrower *narrower, const TsrValue *value);

/* A constant's data in that type; numbers out of range become its largest. (transfer none) */
GBytes *tsr_narrow_constant(TsrNarrower *narrower, TsrValue *value, guint32 dtype);
/* The value in that type: itself, its source where it only was cast there, or a new one.
 * engine is asked first to take the Cast. Errors: no engine takes it. */
TsrValue *tsr_narrow_value(TsrNarrower *narrower, TsrValue *value, guint32 dtype,
                           const char *engine, GError **error);

guint tsr_narrower_casts(const TsrNarrower *narrower);
guint tsr_narrower_constants(const TsrNarrower *narrower);

#endif
