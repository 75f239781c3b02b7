/* SPDX-License-Identifier: Apache-2.0
 *
 * om_program.h: one program out of its variants; for om_read.c and om_parts.c.
 */
#ifndef TSR_RUNTIME_OM_PROGRAM_H
#define TSR_RUNTIME_OM_PROGRAM_H

#include "build/program.h"

/* The variants of a program, in this order in a tuple too. */
enum {
    TSR_OM_PART_META,
    TSR_OM_PART_GRAPH,
    TSR_OM_PART_TASKS,
    TSR_OM_PART_MEMORY,
    TSR_OM_PARTS,
};

/* Every task is checked against the graph, the memory and the weights. Errors: CORRUPT,
 * UNSUPPORTED. Known parts are left out. (transfer full) */
TsrProgram *tsr_om_program(GVariant *const *parts, TsrOpRegistry *registry, TsrWeights *weights,
                           GError **error);
/* The same for the variants in a tuple. */
TsrProgram *tsr_om_program_of_tuple(GVariant *whole, TsrOpRegistry *registry,
                                    TsrWeights *weights, GError **error);
/* Adds the known parts that the program's "meta" tells of. Errors: CORRUPT. */
gboolean tsr_om_read_parts(TsrProgram *program, GVariant *meta, TsrOpRegistry *registry,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
