/* SPDX-License-Identifier: Apache-2.0
 *
 * om_read.h: an offline model back to programs.
 */
#ifndef TSR_RUNTIME_OM_READ_H
#define TSR_RUNTIME_OM_READ_H

#include "build/memory_table.h"
#include "build/program.h"
#include "runtime/om_file.h"

/* Reads the program; constants stay in the weights. Every task is checked against the graph,
 * the memory and the weights. (transfer full) */
TsrProgram *tsr_om_read(const TsrOmFile *file, TsrOpRegistry *registry, TsrWeights *weights,
                        GError **error);
/* The index-th program for fixed shapes. */
TsrProgram *tsr_om_read_gear(const TsrOmFile *file, guint index, TsrOpRegistry *registry,
                             TsrWeights *weights, GError **error);

/* The memory table with the names of the tasks, for people: nothing in it is checked but
 * its form. Errors: CORRUPT. (transfer full) */
TsrMemoryTable *tsr_om_memory_table(const TsrOmFile *file, GError **error);

#endif
