/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_trial.h: a node as it would be with narrow floats, to ask engines about it before
 * anything is changed.
 */
#ifndef TSR_OPTIMIZE_PRECISION_TRIAL_H
#define TSR_OPTIMIZE_PRECISION_TRIAL_H

#include "optimize/narrow.h"

typedef struct TsrPrecisionTrial {
    TsrNodeView view;
    guint32 *input_dtypes;  /* wanted, per input */
    guint32 *output_dtypes; /* that follow from them */
    TsrDesc *descs;         /* inputs, then outputs */
    TsrTensor *tensors;     /* of constant inputs */
    gpointer pointers;      /* what view points to */
} TsrPrecisionTrial;

/* Which ports become narrow. */
typedef enum TsrTrialExtent {
    TSR_TRIAL_ALL,  /* every float port whose definition allows it */
    TSR_TRIAL_MAIN, /* those of the type group of the first of them */
} TsrTrialExtent;

/* The node with narrow ports; NULL without an error when it has no float input that may be
 * narrow, with *out_reason (transfer full) when its definition forbids that or cannot tell what
 * would come out. (transfer full) */
TsrPrecisionTrial *tsr_precision_trial_new(TsrNarrower *narrower, TsrNode *node, guint32 dtype,
                                           TsrTrialExtent extent, char **out_reason);
void tsr_precision_trial_free(TsrPrecisionTrial *trial); /* NULL is a no-op */

/* Whether the engine takes it; FALSE gives the reason. */
gboolean tsr_precision_trial_ask(const TsrPrecisionTrial *trial, const TsrRankedEngine *ranked,
                                 char **out_reason);

#endif
