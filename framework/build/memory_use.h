/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_use.h: which tasks use a value, and how uses stand to each other in the order of
 * the tasks. Used by whoever assigns memory.
 */
#ifndef TSR_BUILD_MEMORY_USE_H
#define TSR_BUILD_MEMORY_USE_H

#include "build/symbols.h"
#include "build/task_order.h"

typedef struct TsrMemoryUse {
    const TsrProgram *program;
    const GPtrArray *nodes; /* as tasks number them: the topological order */
    TsrTaskOrder *order;
    GHashTable *tasks;   /* value -> GArray of guint, ascending */
    guint32 *first_task; /* per node: its first task, or G_MAXUINT32 */
} TsrMemoryUse;

TsrMemoryUse *tsr_memory_use_new(const TsrProgram *program, const GPtrArray *nodes);
void tsr_memory_use_free(TsrMemoryUse *use); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrMemoryUse, tsr_memory_use_free)

/* Makes what a loop uses live as long as its depth wants: a symbol that is used both in the
 * tasks that a jump repeats and outside of them is in use during all of them. */
void tsr_memory_use_repeat(TsrMemoryUse *use, TsrSymbols *symbols);

/* The value that an argument is, or NULL (workspaces, constants, an output's copy). */
TsrValue *tsr_task_arg_value(const TsrGraph *graph, const GPtrArray *nodes,
                             const TsrProgramTask *task, const TsrTaskArg *arg);
/* The tasks that use a value; NULL: none. */
const GArray *tsr_memory_use_of(const TsrMemoryUse *use, const TsrValue *value);
/* The first and last task that use a member of the symbol; FALSE: none does. */
gboolean tsr_memory_use_span(const TsrMemoryUse *use, const TsrSymbol *symbol,
                             guint32 *out_first, guint32 *out_last);

#endif
