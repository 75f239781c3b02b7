/* SPDX-License-Identifier: Apache-2.0
 *
 * inplace.h: lets outputs be written over inputs that nobody reads afterwards, where the
 * engine allows it and memory does not grow by it.
 */
#ifndef TSR_BUILD_INPLACE_H
#define TSR_BUILD_INPLACE_H

#include "build/memory_use.h"
#include "plugin/plugin_set.h"

/* Joins the symbols of inputs and outputs of every node in turn; notes on the member of an
 * output why it was not possible where the engine would have allowed it. */
void tsr_inplace_join(TsrSymbols *symbols, const TsrMemoryUse *use, const GPtrArray *nodes,
                      const TsrPluginSet *set);

#endif
