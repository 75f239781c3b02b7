/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_case.h: small graphs for the fusion passes of nn_engine, built in short words, and
 * the check of one: compiled with and without fusion, with known and with open shapes, it
 * becomes the operators that are wanted and gives the numbers of the unfused graph.
 */
#ifndef TSR_NN_GRAPH_CASE_H
#define TSR_NN_GRAPH_CASE_H

#include <math.h>
#include <string.h>
#include <tessera/tessera.h>

#include "ir/graph.h"
#include "nn.h"
#include "../../support/check_main.h"

#define SHAPE(...)                                                                  \
    (guint32)(sizeof((gint64[]){__VA_ARGS__}) / sizeof(gint64)), (const gint64[]){__VA_ARGS__}
#define NODE(op, attrs, ...) node(op, attrs, (TsrValue *const[]){__VA_ARGS__, NULL})

/* A graph, and what it becomes: operators in alphabetical order, an activation as its
 * number behind a colon; TransData left out. */
typedef struct GraphCase {
    const char *name;
    void (*build)(void);
    const char *want;
    int chains;            /* nn_eltwise_chain, which takes what other passes leave, is on */
    const char *want_open; /* where it differs with open shapes */
} GraphCase;

/* What `build` is made of; values belong to the graph under construction. */
TsrValue *node(const char *op, const char *attrs, TsrValue *const *inputs);
/* Where shapes are open all dims but the last are unknown, of rank 4 the first two. */
TsrValue *input(guint32 rank, const gint64 *shape);
TsrValue *weights(guint32 rank, const gint64 *shape); /* constant numbers of [-2, 2] */
TsrValue *number(float value);                        /* a scalar */
TsrValue *shaped(float value, guint32 rank);          /* one number, of that rank */
TsrValue *constant(TsrArray *array);
TsrValue *axis(gint64 value);                         /* a list of one integer */
void output(TsrValue *value);

void ck_case(const GraphCase *which);
/* A compiled graph, to look into. (transfer full) */
TsrGraph *case_graph(void (*build)(void));

#endif
