/* SPDX-License-Identifier: Apache-2.0
 *
 * extents_variant.h: what is known of extents that only a run knows (value_dims.h) in an offline
 * model: the table of expressions, then for values of the outermost graph their node (in the
 * order of graph_variant.h) and output, their extents and their elements.
 */
#ifndef TSR_BUILD_EXTENTS_VARIANT_H
#define TSR_BUILD_EXTENTS_VARIANT_H

#include "ir/dims.h"
#include "ir/graph.h"

#define TSR_OM_EXTENTS_TYPE "(" TSR_DIMS_TYPE "a(uuaxax))"

/* Of a graph that tsr_graph_to_variant just wrote. NULL: every extent is a number. (floating) */
GVariant *tsr_extents_to_variant(TsrGraph *graph);
/* Gives a graph that was just read what the variant has. Errors: CORRUPT names the value, what was
 * wanted and what was got. */
gboolean tsr_extents_from_variant(TsrGraph *graph, GVariant *variant, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
