/* SPDX-License-Identifier: Apache-2.0
 *
 * known_parts.h: of a graph that is no task list, the parts that could be: nodes whose shapes
 * are all known, control flow with all that is in it among them, cut out as graphs of their own
 * with a program each. The host runs the rest node
 * by node and a part with one call. Nodes are copied, so the graph stays whole for whoever looks
 * at every value of a run.
 */
#ifndef TSR_BUILD_KNOWN_PARTS_H
#define TSR_BUILD_KNOWN_PARTS_H

#include "build/program.h"

/* Fewer operators are not worth a call, unless they are repeated. */
#define TSR_PART_LEAST_NODES 4u

/* A value of the whole graph: its producer in TsrProgram.nodes, and which output. */
typedef struct TsrPartValue {
    guint32 node;
    guint32 output;
} TsrPartValue;

struct TsrKnownPart {
    TsrProgram *program;
    GArray *nodes;    /* guint32: nodes of the whole program that it stands for */
    GArray *inputs;   /* TsrPartValue that its inputs are */
    GArray *outputs;  /* TsrPartValue that its outputs are */
};

/* The value that a place of a part means, or NULL where the program has none there. */
TsrValue *tsr_part_value(const TsrProgram *program, const TsrPartValue *place);

TsrKnownPart *tsr_known_part_new(void); /* (transfer full) */
void tsr_known_part_free(TsrKnownPart *part);

/* The parts of the outermost graph, without programs: graphs in out_graphs (TsrGraph, in the
 * order of the result). The values that they take and give have known shapes. (transfer
 * full), TsrKnownPart, empty where there is none */
GPtrArray *tsr_known_parts_cut(const TsrProgram *program, GPtrArray *out_graphs);

#endif
