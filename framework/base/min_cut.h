/* SPDX-License-Identifier: Apache-2.0
 *
 * min_cut.h: minimum cut of a directed graph with two terminals, by which questions with
 * two answers per variable are decided for all variables at once. A variable on the
 * source's side has the answer 0, on the sink's side 1.
 */
#ifndef TSR_BASE_MIN_CUT_H
#define TSR_BASE_MIN_CUT_H

#include <glib.h>

typedef struct TsrMinCut TsrMinCut;

/* Cost of what must not be. */
#define TSR_CUT_NEVER 1e30

TsrMinCut *tsr_min_cut_new(void); /* (transfer full) */
void tsr_min_cut_free(TsrMinCut *cut);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrMinCut, tsr_min_cut_free)

/* A new variable; its number. */
guint tsr_min_cut_variable(TsrMinCut *cut);
/* Adds a cost, at least 0, for an answer of one variable, or for 0 of one and 1 of another. */
void tsr_min_cut_if_zero(TsrMinCut *cut, guint variable, double cost);
void tsr_min_cut_if_one(TsrMinCut *cut, guint variable, double cost);
void tsr_min_cut_if_differ(TsrMinCut *cut, guint zero, guint one, double cost);
/* Finds answers of least total cost. To be called once. */
void tsr_min_cut_solve(TsrMinCut *cut);
gboolean tsr_min_cut_answer(const TsrMinCut *cut, guint variable);

#endif
