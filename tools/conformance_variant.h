/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_variant.h: the same test in another form: constants fed when the model
 * runs, inputs known when it is compiled, and expected outputs spoilt on purpose, by
 * which the runner proves that it would notice.
 */
#ifndef TSR_TOOLS_CONFORMANCE_VARIANT_H
#define TSR_TOOLS_CONFORMANCE_VARIANT_H

#include "api/session.h"

typedef enum TsrFeed {
    TSR_FEED_AS_STORED,
    TSR_FEED_RUN_TIME, /* every constant of the main graph becomes an input */
    TSR_FEED_CONSTANT, /* every input tensor becomes a constant */
    TSR_FEED_DYNAMIC,  /* no dimension of an input is known before the run */
} TsrFeed;

/* The feed of that name ("as-stored", "run-time", "constant", "dynamic"); FALSE when there
 * is none. */
gboolean tsr_feed_parse(const char *name, TsrFeed *out_feed);

/* Turns constants of the graph into inputs behind those it has; out_arrays gets their
 * values (TsrArray) in that order. */
void tsr_variant_constants_to_inputs(TsrGraph *graph, GPtrArray *out_arrays);

/* Turns the inputs for which arrays has a tensor into constants; arrays that stay inputs
 * are left in arrays, the others become NULL there. */
void tsr_variant_inputs_to_constants(TsrGraph *graph, TsrArray **arrays);

/* Forgets every dimension of every input tensor; ranks stay. */
void tsr_variant_forget_shapes(TsrGraph *graph);

/* The kinds of damage, NULL-terminated: element, nan, inf, sign, shape, dtype. */
extern const char *const tsr_damage_names[];

/* A copy of array with one damage done to it; NULL when it is empty, so that nothing in it
 * can be damaged. A damage that the dtype does not know (a NaN among integers) is that
 * of one element. coarse makes the error larger than chance could: what is random is
 * judged by its statistics. (transfer full) */
TsrArray *tsr_variant_damage(TsrArray *array, const char *damage, gboolean coarse);

#endif
