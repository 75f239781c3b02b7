/* SPDX-License-Identifier: Apache-2.0
 *
 * host_part.h: what the host executor runs in order: single nodes, and known parts, whose
 * nodes are one call of a task list.
 */
#ifndef TSR_RUNTIME_HOST_PART_H
#define TSR_RUNTIME_HOST_PART_H

#include "build/known_parts.h"
#include "ir/array.h"
#include "runtime/arena_pool.h"
#include "runtime/device.h"

/* A known part, or the node at that place of an order. */
typedef struct TsrHostUnit {
    gint part;   /* of TsrProgram.parts, or -1 */
    guint node;
} TsrHostUnit;

/* The units of the outermost graph, each behind what it waits for; order has its operator
 * nodes in topological order. Errors: CORRUPT when parts wait for each other, as only a file can
 * say. (transfer full), TsrHostUnit */
GArray *tsr_host_units(const TsrProgram *program, const GPtrArray *order, GError **error);

typedef struct TsrHostPart TsrHostPart;

/* Errors: as of tsr_sink_new. (transfer full) */
TsrHostPart *tsr_host_part_new(const TsrKnownPart *part, const TsrPluginSet *set,
                               TsrOpenDevice *device, TsrArenaPool *pool, GError **error);
void tsr_host_part_free(TsrHostPart *part); /* NULL is a no-op */
/* inputs as the part's graph has them; out_outputs gets new references. Errors: INTERNAL where
 * an array is not what the compiler said; what the tasks report. */
gboolean tsr_host_part_run(TsrHostPart *part, TsrArray *const *inputs, TsrArray **out_outputs,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
