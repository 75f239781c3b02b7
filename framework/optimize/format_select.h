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
} TsrFormatReport;

/* Chooses storage formats for the root graph's nodes (subgraphs stay in their origin
 * formats), sets them on the values and inserts conversions. c0_lanes is the device's.
 * Errors: a conversion that no engine takes. */
gboolean tsr_format_select(TsrGraph *graph, const TsrPluginSet *set, guint32 c0_lanes,
                           TsrFormatReport *out_report, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
