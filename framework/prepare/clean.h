/* SPDX-License-Identifier: Apache-2.0
 *
 * clean.h: removes what no output depends on, and nodes that only hand on a value.
 */
#ifndef TSR_PREPARE_CLEAN_H
#define TSR_PREPARE_CLEAN_H

#include "ir/graph.h"

/* Removes every operator and constant that no output, control edge or subgraph
 * needs, in the graph and below it. Graph inputs stay. */
void tsr_clean_dead(TsrGraph *graph);

/* Lets the users of every Identity read its input instead. */
void tsr_clean_identities(TsrGraph *graph);

#endif
