/* SPDX-License-Identifier: Apache-2.0
 *
 * build_attrs.h: attributes from a text (tsr_build_node in tessera.h says how it looks), for
 * those who add nodes of a certain version or with subgraphs.
 */
#ifndef TSR_API_BUILD_ATTRS_H
#define TSR_API_BUILD_ATTRS_H

#include "ir/graph.h"

/* Appends to attrs a TsrAttrBox for each attribute of the text. FALSE with an error. */
gboolean tsr_build_attrs(const TsrOpDef *def, const char *text, GPtrArray *attrs, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
