/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_key.h: the shapes of all inputs of a model in one array: the rank and then the extents
 * of each.
 */
#ifndef TSR_API_PLAN_KEY_H
#define TSR_API_PLAN_KEY_H

#include "ir/array.h"
#include "ir/graph.h"

/* Of a graph whose inputs have known shapes. (transfer full) */
gint64 *tsr_plan_key_of_graph(const TsrGraph *graph);
gboolean tsr_plan_key_fits(const gint64 *key, TsrArray *const *inputs, guint count);
/* Not 0. */
guint64 tsr_plan_key_hash(TsrArray *const *inputs, guint count);
/* Gives the inputs of a graph the arrays' shapes. */
void tsr_plan_key_apply(TsrArray *const *inputs, TsrGraph *graph);
/* "x [1,3,224,224], y [4]", of a key and of arrays. (transfer full) */
char *tsr_plan_key_to_text(const TsrGraph *graph, const gint64 *key);
char *tsr_plan_key_text_of_inputs(const TsrGraph *graph, TsrArray *const *inputs);

#endif
