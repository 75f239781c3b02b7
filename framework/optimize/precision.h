/* SPDX-License-Identifier: Apache-2.0
 *
 * precision.h: precision modes: which operators compute in float16 or bfloat16. Runs on a
 * fused graph before storage formats are chosen. Inputs and outputs of the graph and of
 * subgraphs keep their types, and so do all values that are not float.
 */
#ifndef TSR_OPTIMIZE_PRECISION_H
#define TSR_OPTIMIZE_PRECISION_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

typedef enum TsrPrecisionMode {
    TSR_MUST_KEEP_ORIGIN, /* nothing changes */
    TSR_ALLOW_FP16,       /* white operators are narrow where their engine takes that */
    TSR_ALLOW_BF16,
    TSR_FORCE_FP16,       /* every operator is */
    TSR_FORCE_BF16,
    TSR_MIX_FP16,         /* white ones are, black ones are not, grey ones follow */
    TSR_MIX_BF16,
} TsrPrecisionMode;

/* Reads "must_keep_origin", "allow_fp32_to_fp16", "allow_bf16", "force_fp16", "force_bf16",
 * "mix_fp16" or "mix_bf16"; NULL is the first. Errors: INVALID_ARGUMENT. */
gboolean tsr_precision_mode(const char *word, TsrPrecisionMode *out_mode, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
const char *tsr_precision_mode_name(TsrPrecisionMode mode);

typedef struct TsrPrecisionReport {
    TsrPrecisionMode mode;
    guint ops[TSR_DTYPE_COUNT]; /* operators by the type they compute in */
    guint casts;                /* inserted */
    guint constants;            /* converted */
    GPtrArray *warnings;        /* of char *; NULL: none */
} TsrPrecisionReport;

void tsr_precision_report_clear(TsrPrecisionReport *report);

/* Applies the mode. list is of precision_list.h or NULL and goes before the configuration's.
 * Errors: UNSUPPORTED names an operator that a forced mode cannot have. */
gboolean tsr_precision_apply(TsrGraph *graph, const TsrPluginSet *set, TsrPrecisionMode mode,
                             GHashTable *list, TsrPrecisionReport *report, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
