/* SPDX-License-Identifier: Apache-2.0
 *
 * format_assign.h: solves a TsrFormatProblem: which column each node takes.
 */
#ifndef TSR_OPTIMIZE_FORMAT_ASSIGN_H
#define TSR_OPTIMIZE_FORMAT_ASSIGN_H

#include "optimize/format_problem.h"

/* Every node in plain storage as far as it has a column for that: what a graph without
 * storage formats costs. */
void tsr_format_assign_plain(TsrFormatProblem *problem);
/* Heavy-format propagation: nodes that prefer an internal format are seeds, from which it
 * spreads to every neighbour that can take it, first come first served. */
void tsr_format_propagate(TsrFormatProblem *problem);
/* Lowers the cost, from whatever is assigned, until no move of a format over the whole
 * graph and no other column of a single node lowers it any more. */
void tsr_format_improve(TsrFormatProblem *problem);

#endif
