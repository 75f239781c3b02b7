/* SPDX-License-Identifier: Apache-2.0
 *
 * host_release.h: when the host executor may let go of a value: behind the last place of an
 * order that reads it. Notes are taken in the order's direction, then made into lists.
 */
#ifndef TSR_RUNTIME_HOST_RELEASE_H
#define TSR_RUNTIME_HOST_RELEASE_H

#include "ir/graph.h"

typedef GHashTable TsrLastUses; /* TsrValue -> place + 1; freed with g_hash_table_unref */

TsrLastUses *tsr_last_uses_new(void); /* (transfer full) */
/* The value is made or read at that place. */
void tsr_last_uses_note(TsrLastUses *uses, TsrValue *value, guint place);
/* All that the node makes, and all that it and the graphs below it read of graph. */
void tsr_last_uses_note_node(TsrLastUses *uses, const TsrGraph *graph, const TsrNode *node,
                             guint place);
/* Per place a GArray of value ids (guint32), or NULL; neither constants nor outputs of the graph
 * are in them. (transfer full) */
GPtrArray *tsr_last_uses_lists(TsrLastUses *uses, const TsrGraph *graph, guint places);

#endif
