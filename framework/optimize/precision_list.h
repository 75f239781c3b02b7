/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_list.h: the user's word on how operators take to narrow floats: the group
 * [precision] of a key file, with lists of operator types or node names under the keys
 * white, black and grey.
 */
#ifndef TSR_OPTIMIZE_PRECISION_LIST_H
#define TSR_OPTIMIZE_PRECISION_LIST_H

#include "ir/graph.h"

/* Reads a file of its own. The table maps names to TSR_PRECISION_ + 1. Errors: IO,
 * INVALID_ARGUMENT (group or key that does not belong there, a name in two lists).
 * (transfer full) */
GHashTable *tsr_precision_list_load(const char *path, GError **error);

/* What the tables say of a node: by its name, one of the user's nodes that it stands for, its
 * operator; the first table that knows it wins. FALSE when none does. Tables may be NULL. */
gboolean tsr_precision_list_find(GHashTable *const *tables, guint count, const TsrNode *node,
                                 guint32 *out_class);

/* Appends a line for each name of the table that is no operator and no node of the graph. */
void tsr_precision_list_check(GHashTable *table, TsrGraph *graph, GPtrArray *warnings);

#endif
