/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_plan.h: offsets in the activation memory for pieces that are in use for a while.
 * Several planners are tried and the smallest plan is taken. The plan is not trusted:
 * memory_check.h looks at the tasks again without knowing of it.
 */
#ifndef TSR_BUILD_MEMORY_PLAN_H
#define TSR_BUILD_MEMORY_PLAN_H

#include "build/program.h"

/* A piece to place: size is in, offset is out. */
typedef struct TsrPiece {
    guint64 size;
    guint64 offset;
    guint32 birth;   /* the first and last task that use it, as the serial order has them */
    guint32 death;
} TsrPiece;

/* What is known of the order in which pieces are used. Without it (NULL) a piece is done
 * before another begins when its death comes before the other's birth. */
typedef struct TsrPieceOrder {
    gboolean (*before)(gconstpointer user, guint a, guint b); /* all of a before all of b */
    gboolean (*alive)(gconstpointer user, guint piece, guint task); /* at that task */
    gconstpointer user;
    guint task_count;
} TsrPieceOrder;

typedef struct TsrPlanOptions {
    gboolean reuse;
    guint64 alignment;          /* a power of two; 0: that of memory.h */
    const TsrPieceOrder *order; /* or NULL */
} TsrPlanOptions;

/* Rounds every size up to the alignment, writes every offset and fills the activation
 * figures of stats, among them the name of the planner that won. Pieces neither of which
 * is done before the other begins never overlap; without reuse none do. Deterministic,
 * and bounded: about count^2 steps plus a fixed budget of tries. */
void tsr_memory_plan(TsrPiece *pieces, guint count, const TsrPlanOptions *options,
                     TsrMemoryStats *stats);

#endif
