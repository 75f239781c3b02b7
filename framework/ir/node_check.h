/* SPDX-License-Identifier: Apache-2.0
 *
 * node_check.h: a node against its operator's definition: counts of inputs and
 * outputs, attribute names, types, ranges; and the defaults of what is missing.
 * Called by graph.c as a node is made.
 */
#ifndef TSR_IR_NODE_CHECK_H
#define TSR_IR_NODE_CHECK_H

#include "ir/graph.h"

/* Errors: INVALID_ARGUMENT names the node, the operator, the wanted and the got. */
gboolean tsr_node_check(const TsrOpDef *def, const char *name, TsrValue *const *inputs,
                        gsize input_count, const char *const *output_names, gsize output_count,
                        TsrAttrBox *const *attrs, gsize attr_count, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Adds every attribute that has a default and is not there. */
void tsr_node_add_defaults(TsrNode *node);

#endif
