/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_stats.h: what each pass of a compilation did. fusion.c and graph_pass.c note it, the
 * report shows it.
 */
#ifndef TSR_OPTIMIZE_PASS_STATS_H
#define TSR_OPTIMIZE_PASS_STATS_H

#include "ir/graph.h"

typedef struct TsrPassStat {
    guint matches; /* changes that it made */
    gint removed;  /* operator nodes fewer than before it ran; below 0: it added some */
} TsrPassStat;

/* Interned pass name -> TsrPassStat; every pass that ran is in it. (transfer full:
 * g_hash_table_unref) */
GHashTable *tsr_pass_stats_new(void);
/* Adds to what is known of the pass. */
void tsr_pass_stats_add(GHashTable *stats, const char *name, guint matches, gint removed);
/* What is known of it; zeros for one that did not run. */
TsrPassStat tsr_pass_stats_get(GHashTable *stats, const char *name);

/* Operator nodes of the graph, without those below it. */
gint tsr_pass_stats_nodes(const TsrGraph *graph);

#endif
