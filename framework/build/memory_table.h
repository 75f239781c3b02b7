/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_table.h: the table of memory as people read it: who lies where, when, with whom,
 * and why nobody else does.
 */
#ifndef TSR_BUILD_MEMORY_TABLE_H
#define TSR_BUILD_MEMORY_TABLE_H

#include "build/program.h"

typedef struct TsrMemoryTable {
    GArray *rows;         /* TsrMemoryRow */
    GPtrArray *tasks;     /* names */
    TsrMemoryStats stats; /* planner is interned */
} TsrMemoryTable;

/* Empty; its rows and names are owned. (transfer full) */
TsrMemoryTable *tsr_memory_table_new(void);
void tsr_memory_table_free(TsrMemoryTable *table); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrMemoryTable, tsr_memory_table_free)

const char *tsr_memory_kind_name(guint32 kind);
const char *tsr_memory_space_name(guint32 space);
/* The name of a task, or "?" beyond them. */
const char *tsr_memory_table_task(const TsrMemoryTable *table, guint32 task);
/* What row i shares or takes over, or why it takes over nothing. (transfer full) */
char *tsr_memory_table_why(const TsrMemoryTable *table, guint i);

#endif
