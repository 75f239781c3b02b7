/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_infer.h: shape inference alone: what the compiler says of a model's outputs
 * against the outputs that a run should give. conformance_test.c calls it.
 */
#ifndef TSR_TOOLS_CONFORMANCE_INFER_H
#define TSR_TOOLS_CONFORMANCE_INFER_H

#include "api/session.h"

typedef struct TsrInferCount {
    guint outputs;        /* that were judged */
    guint static_outputs; /* whose every dimension was known before the run */
} TsrInferCount;

/* Whether kind, dtype, rank and every dimension that the compiler knows are those of the
 * wanted arrays (TsrArray, one per output); what it does not know cannot be wrong. Adds to
 * the count; FALSE appends the first difference to out_reason. */
gboolean tsr_infer_agrees(TsrModel *model, const GPtrArray *wanted, TsrInferCount *count,
                          GString *out_reason);

#endif
