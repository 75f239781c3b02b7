/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_variant.h: a graph as a GVariant and back. Constants are not inside: each has
 * an offset into the weights section, or none when nothing reads it at run time.
 */
#ifndef TSR_BUILD_GRAPH_VARIANT_H
#define TSR_BUILD_GRAPH_VARIANT_H

#include "build/program.h"

/* (name, fault, values, nodes, inputs, outputs); nodes come in topological order and number
 * their values as they go, subgraphs inside their node. */
#define TSR_GRAPH_VARIANT_TYPE "(ssa(suuuuaxaxt)a(usssusaiaia(suv)avasiuai)aia(si))"

/* A new floating variant. */
GVariant *tsr_graph_to_variant(TsrProgram *program);

/* Rebuilds the graph. Constants are slices of weights. Errors: CORRUPT for what cannot
 * be; UNSUPPORTED for an operator that is not defined here. (transfer full) */
TsrGraph *tsr_graph_from_variant(TsrOpRegistry *registry, GVariant *variant,
                                 const TsrWeights *weights,
                                 GError **error);

#endif
