/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_stats.c: see pass_stats.h.
 */
#include "optimize/pass_stats.h"

GHashTable *tsr_pass_stats_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
}

void tsr_pass_stats_add(GHashTable *stats, const char *name, guint matches, gint removed)
{
    TsrPassStat *stat = g_hash_table_lookup(stats, name);
    if (stat == NULL) {
        stat = g_new0(TsrPassStat, 1);
        g_hash_table_insert(stats, (gpointer)g_intern_string(name), stat);
    }
    stat->matches += matches;
    stat->removed += removed;
}

TsrPassStat tsr_pass_stats_get(GHashTable *stats, const char *name)
{
    const TsrPassStat *stat = g_hash_table_lookup(stats, name);
    return stat != NULL ? *stat : (TsrPassStat){0, 0};
}

gint tsr_pass_stats_nodes(const TsrGraph *graph)
{
    gint count = 0;
    for (guint i = 0; i < graph->nodes->len; i++)
        count += ((const TsrNode *)g_ptr_array_index(graph->nodes, i))->kind == TSR_NODE_OPERATOR;
    return count;
}
