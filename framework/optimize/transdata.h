/* SPDX-License-Identifier: Apache-2.0
 *
 * transdata.h: inserts the TransData nodes that bring a value into another storage
 * format; one per value and format, constants converted at once.
 */
#ifndef TSR_OPTIMIZE_TRANSDATA_H
#define TSR_OPTIMIZE_TRANSDATA_H

#include "optimize/format_select.h"

typedef struct TsrTransInserter TsrTransInserter;

TsrTransInserter *tsr_trans_inserter_new(const TsrPluginSet *set, guint32 c0_lanes);
/* The value in that storage format: itself, the source it was converted from, an
 * earlier conversion, or a new node of the graph, placed on engine if that takes it.
 * NULL with an error naming value and formats when nobody converts it. */
TsrValue *tsr_trans_convert(TsrTransInserter *inserter, TsrGraph *graph, TsrValue *value,
                            guint32 format, const char *engine, GError **error);
/* Writes the counts and frees the inserter. */
void tsr_trans_inserter_finish(TsrTransInserter *inserter, TsrFormatReport *out_report);

#endif
