/* SPDX-License-Identifier: Apache-2.0
 *
 * source.h: what a model with dimensions that only a run knows keeps to be compiled again for
 * the shapes of a run: its graph as it was imported, and the options that matter. Lies in the
 * offline model as one section; its constants are in the weights that all programs share.
 */
#ifndef TSR_API_SOURCE_H
#define TSR_API_SOURCE_H

#include <tessera/tessera.h>

#include "build/graph_variant.h"

/* Of the section: options by name, and the graph. */
#define TSR_SOURCE_TYPE "(a{sv}" TSR_GRAPH_VARIANT_TYPE ")"

/* Whether the graph has dimensions that only a run knows, and the options let it be compiled
 * for others. why, where it is not NULL, gets static text. */
gboolean tsr_source_wanted(const TsrGraph *graph, const TsrCompileOptions *options,
                           const char **out_why);
/* The source of a graph as it was imported; its constants go into the weights. (floating) */
GVariant *tsr_source_new(TsrGraph *graph, const TsrCompileOptions *options,
                         TsrWeights *weights);
/* The graph again. Errors: CORRUPT, UNSUPPORTED. (transfer full) */
TsrGraph *tsr_source_graph(GVariant *source, TsrOpRegistry *registry, const TsrWeights *weights,
                           GError **error);
/* The options; their texts are the source's. Lists of names are in out_lists, which owns
 * them. */
void tsr_source_options(GVariant *source, TsrCompileOptions *out_options, GPtrArray *out_lists);

#endif
