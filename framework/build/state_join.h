/* SPDX-License-Identifier: Apache-2.0
 *
 * state_join.h: results of a loop's body that are written straight over the state that they
 * become, so that no round copies them. Called by memory_assign.c: before outputs take over the
 * memory of inputs, and once everything has its address.
 */
#ifndef TSR_BUILD_STATE_JOIN_H
#define TSR_BUILD_STATE_JOIN_H

#include "build/memory_use.h"
#include "plugin/plugin_set.h"

/* Joins the symbol of a result with that of its state where nobody in the body uses the state's
 * memory any more when the first task begins that makes the result, or only that node does, which
 * allows it. The copies stay in the list, since they tell everybody else that the result is needed
 * to the end of the round; tsr_state_drop_copies takes them out of the finished plan. */
void tsr_state_join(TsrSymbols *symbols, const TsrMemoryUse *use, const GPtrArray *nodes,
                    const TsrPluginSet *set);

/* Takes copies of a result to where it lies already out of the list. */
void tsr_state_drop_copies(TsrProgram *program);

#endif
