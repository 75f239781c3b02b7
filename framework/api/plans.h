/* SPDX-License-Identifier: Apache-2.0
 *
 * plans.h: programs for fixed shapes beside the one for all: gears, which were compiled with the
 * model, and plans, which runs make of its source for the shapes that they bring. A task list
 * whose memory is planned is many times faster than nodes that settle everything in a run.
 *
 * The plans kept are the last used, at most TSR_PLANS_MAX. A plan is made when its shapes come
 * the first time, but where shapes turn out never to come again, when they come the second
 * time; and compiling has an allowance, which runs earn back slowly. Without a plan a run goes
 * node by node. All plans take activations from one pool and share constants.
 */
#ifndef TSR_API_PLANS_H
#define TSR_API_PLANS_H

#include <tessera/tessera.h>

#include "runtime/model.h"

#define TSR_PLANS_MAX 16u

typedef struct TsrPlans TsrPlans;
typedef struct TsrPlan TsrPlan;

/* What became of the runs. */
typedef struct TsrPlanStats {
    guint64 hits;      /* with a gear or a plan that was there */
    guint64 compiled;
    guint64 dropped;   /* plans given up for others */
    guint64 dynamic;   /* runs without one */
    guint plans;       /* now, without gears */
} TsrPlanStats;

/* Of a model whose graph for all shapes is graph. source: its section, or NULL: only gears
 * then; weights are those of both. session outlives it. (transfer full) */
TsrPlans *tsr_plans_new(TsrSession *session, const TsrGraph *graph, GVariant *source,
                        TsrWeights *weights);
void tsr_plans_free(TsrPlans *plans); /* NULL is a no-op */

/* Adds a program that was compiled with the model. Takes it. */
gboolean tsr_plans_add_gear(TsrPlans *plans, TsrProgram *program, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* From now on inputs that fit no gear are an error. */
void tsr_plans_only_gears(TsrPlans *plans);
guint tsr_plans_gear_count(const TsrPlans *plans);
/* The inputs' shapes of a gear, for people. (transfer full) */
char *tsr_plans_gear_to_text(const TsrPlans *plans, guint index);

/* The plan for the inputs' shapes, made now if it is worth it; NULL: run node by node. Inputs
 * were checked. Threads: any. Errors: INVALID_ARGUMENT lists the gears. */
gboolean tsr_plans_take(TsrPlans *plans, TsrArray *const *inputs, TsrPlan **out_plan,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
TsrBoundModel *tsr_plan_bound(TsrPlan *plan);
/* The same for good: the plan is of no more use. (transfer full) */
TsrBoundModel *tsr_plan_steal_bound(TsrPlan *plan);
void tsr_plans_give(TsrPlans *plans, TsrPlan *plan); /* after the run */

TsrPlanStats tsr_plans_stats(TsrPlans *plans);

#endif
