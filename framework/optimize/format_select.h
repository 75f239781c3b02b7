/* SPDX-License-Identifier: Apache-2.0
 *
 * format_select.h: storage formats: which column of its selector each node takes, and
 * the TransData nodes where producer and consumer differ.
 */
#ifndef TSR_OPTIMIZE_FORMAT_SELECT_H
#define TSR_OPTIMIZE_FORMAT_SELECT_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

typedef struct TsrFormatReport {
    guint transdata;         /* nodes left to run */
    guint transdata_folded;  /* of constants, computed at compile time */
    guint64 converted_bytes; /* what the nodes left to run read */
    /* In bytes moved by conversions, and by what lower scores are weighed at: */
    guint64 cost;            /* of what was chosen */
    guint64 cost_plain;      /* of plain storage throughout */
    guint64 cost_propagated; /* of heavy-format propagation alone */
} TsrFormatReport;

/* Chooses storage formats for the root graph's nodes (subgraphs stay in their origin
 * formats), sets them on the values and inserts conversions. c0_lanes is the device's.
 * force: TSR_FORMAT_ND for nothing, TSR_FORMAT_ANY for plain storage throughout, else the
 * format that every node takes that can. Errors: a conversion that no engine takes. */
gboolean tsr_format_select(TsrGraph *graph, const TsrPluginSet *set, guint32 c0_lanes,
                           guint32 force, TsrFormatReport *out_report, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
