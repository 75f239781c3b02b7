/* SPDX-License-Identifier: Apache-2.0
 *
 * verdict.h: for every node and every engine in use, why the node is there or why not. Taken
 * while a graph is compiled for `tessera explain`: placement asks an engine only as long as
 * none before it said yes, and a node that is fused takes its reasons with it.
 */
#ifndef TSR_ENGINE_VERDICT_H
#define TSR_ENGINE_VERDICT_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

typedef enum TsrVerdictKind {
    TSR_VERDICT_CHOSEN,
    TSR_VERDICT_REFUSED,     /* the engine refuses the node, alone or in its cluster */
    TSR_VERDICT_PASSED_OVER, /* it would take the node */
} TsrVerdictKind;

typedef struct TsrVerdict {
    const char *engine;      /* interned */
    TsrVerdictKind kind;
    guint32 code;            /* TSR_REFUSE_, of a refusal */
    char *reason;
    double cost;             /* what the engine says that the node costs it, in us; 0: nothing */
} TsrVerdict;

/* One node as it was when it was placed. */
typedef struct TsrPlacedNode {
    char *name;
    char *op, *domain;
    const char *graph;       /* interned; the (sub)graph that it is in */
    const char *engine;      /* interned */
    const char *placed_by;   /* static */
    gint cluster;
    GPtrArray *origin_names; /* the user's nodes that it stands for; empty: itself */
    gboolean made;           /* by a pass, after the model's own nodes were placed */
    GArray *verdicts;        /* TsrVerdict, one for each engine in the effective order */
} TsrPlacedNode;

void tsr_placed_node_free(TsrPlacedNode *node);

/* Adds the operator nodes of the graph and below it that are not in the list yet. */
void tsr_verdicts_add(GPtrArray *placed, TsrGraph *graph, const TsrPluginSet *set,
                      gboolean made);

/* "chosen", "refused" or "passed over". */
const char *tsr_verdict_name(TsrVerdictKind kind);
/* "op", "dtype", ... of a TSR_REFUSE_ code. */
const char *tsr_refusal_name(guint32 code);

#endif
