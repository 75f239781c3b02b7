/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_plan.h: offsets in the activation memory for pieces with life intervals.
 */
#ifndef TSR_BUILD_MEMORY_PLAN_H
#define TSR_BUILD_MEMORY_PLAN_H

#include "build/program.h"

/* Writes offset of every row (size, birth and death are given; sizes are rounded up to
 * the alignment of memory.h) and fills the activation figures of stats. Rows whose
 * lives overlap never overlap in memory; with reuse FALSE none do. Deterministic.
 * Best fit: rows are placed from the largest down, each into the tightest gap left
 * between the rows alive with it. */
void tsr_memory_plan(GArray *rows, gboolean reuse, TsrMemoryStats *stats);

/* An independent check: whether no two rows alive at once overlap and every row lies
 * within activation_bytes. Errors: INTERNAL names both rows. */
gboolean tsr_memory_check(const GArray *rows, guint64 activation_bytes, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
