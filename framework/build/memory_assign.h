/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_assign.h: gives every argument of a program's tasks its address. The tasks say
 * who reads and writes what and when; symbols say what must lie together.
 */
#ifndef TSR_BUILD_MEMORY_ASSIGN_H
#define TSR_BUILD_MEMORY_ASSIGN_H

#include "build/symbols.h"
#include "plugin/plugin_set.h"

typedef struct TsrAssignOptions {
    gboolean reuse;      /* of activation memory */
    gboolean in_place;   /* outputs over inputs that die there */
    guint64 alignment;
} TsrAssignOptions;

/* Lets outputs take over inputs as the engines of set allow, plans the activation memory
 * and writes the address of every argument but constants of tasks, which have theirs; the
 * memory table; and the activation figures. nodes is the topological order. */
void tsr_memory_assign(TsrProgram *program, TsrSymbols *symbols, const GPtrArray *nodes,
                       const TsrPluginSet *set, const TsrAssignOptions *options);

/* Where a value lies; after tsr_memory_assign. */
TsrAddress tsr_memory_address(TsrProgram *program, TsrSymbols *symbols, const TsrValue *value);

#endif
