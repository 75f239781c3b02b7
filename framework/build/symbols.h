/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.h: which values share memory. A view (Reshape, Squeeze, ...) and what it
 * looks at are one symbol, and a symbol has one address.
 */
#ifndef TSR_BUILD_SYMBOLS_H
#define TSR_BUILD_SYMBOLS_H

#include "ir/graph.h"

typedef struct TsrSymbols TsrSymbols;

/* order is the topological order of the root graph. (transfer full) */
TsrSymbols *tsr_symbols_new(const GPtrArray *order);
void tsr_symbols_free(TsrSymbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrSymbols, tsr_symbols_free)

/* The value that stands for the symbol: the one whose producer computes it. */
TsrValue *tsr_symbols_root(TsrSymbols *symbols, TsrValue *value);
/* Whether the node needs no task because its output is its input's memory. */
gboolean tsr_symbols_is_view(TsrSymbols *symbols, const TsrNode *node);
/* Whether a node of that operator could be a view at all, formats and all. */
gboolean tsr_node_is_viewable(const TsrNode *node);

#endif
