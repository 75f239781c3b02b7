/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient_rules.h: the derivative of one operator, as nodes. gradient.c calls the rules
 * from y back to the independent values.
 */
#ifndef TSR_PREPARE_GRADIENT_RULES_H
#define TSR_PREPARE_GRADIENT_RULES_H

#include "ir/graph.h"

/* Where new nodes go and how a failure is told: what emits returns NULL with error set,
 * and NULL where an operand is NULL, so that calls nest. */
typedef struct TsrTape {
    TsrGraph *graph;
    GError **error;
} TsrTape;

/* A new node of one output, inferred; attr may be NULL. */
TsrValue *tsr_tape_emit1(TsrTape *tape, const char *op, TsrValue *a, TsrAttrBox *attr);
TsrValue *tsr_tape_emit2(TsrTape *tape, const char *op, TsrValue *a, TsrValue *b);
/* The number in dtype and shape of a value. Errors: UNSUPPORTED unless that is a float,
 * double or half. */
TsrValue *tsr_tape_fill(TsrTape *tape, TsrValue *like, double number);

/* One node on the way back. */
typedef struct TsrGradientStep {
    TsrTape *tape;
    TsrValue *const *in;
    guint count;            /* of in, wanted and out */
    TsrValue *y;            /* output 0 */
    TsrValue *dy;           /* the derivative with respect to it */
    const gboolean *wanted; /* which inputs depend on the independent values */
    TsrValue **out;         /* per wanted input: the derivative with respect to it */
} TsrGradientStep;

/* Fills out. FALSE after an error. */
typedef gboolean (*TsrGradientRule)(const TsrGradientStep *step);

/* NULL: no derivative is known. */
TsrGradientRule tsr_gradient_rule_find(const TsrNode *node);

#endif
