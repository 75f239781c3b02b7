/* SPDX-License-Identifier: Apache-2.0
 *
 * plans.c: see plans.h.
 */
#include "api/plans.h"

#include <tessera/plugin_util.h>

#include "api/plan_key.h"
#include "api/session.h"
#include "api/source.h"
#include "base/error.h"

/* Compiling takes its cost from the allowance. A run with a plan earns a share back, one
 * without a smaller one: shapes that stay away for good are given up, new ones get their turn.
 * Where shapes never come twice, as they grow token by token, only UNPROVEN_MAX plans are made
 * in vain: from then on a shape must have come before, within MISSES_KEPT runs. */
enum {
    UNPROVEN_MAX = 4,
    MISSES_KEPT = 64,
    COMPILE_COST = 256,
    ALLOWANCE = TSR_PLANS_MAX * COMPILE_COST,
    EARN_HIT = 32,
    EARN_DYNAMIC = 1,
};

struct TsrPlan {
    gint64 *key;
    TsrBoundModel *bound;
    guint users;         /* runs that are on */
    guint64 used;        /* when it was taken last */
    gboolean proven;     /* its shapes came more than once */
};

struct TsrPlans {
    TsrSession *session;
    const TsrGraph *graph;
    GVariant *source;
    TsrWeights *weights;
    TsrArenaPool *pool;
    GPtrArray *list;     /* TsrPlan; gears first */
    guint gears;
    gboolean only_gears;
    gboolean useless;    /* plans of this model are no task lists */
    guint64 clock;
    gint allowance;
    guint64 misses[MISSES_KEPT]; /* hashes of the shapes that ran without a plan, a ring */
    guint next_miss;
    TsrPlanStats stats;
    GMutex lock;         /* of all above from list on */
};

static void plan_free(TsrPlan *plan)
{
    tsr_bound_model_free(plan->bound);
    g_free(plan->key);
    g_free(plan);
}

TsrPlans *tsr_plans_new(TsrSession *session, const TsrGraph *graph, GVariant *source,
                        TsrWeights *weights)
{
    TsrPlans *plans = g_new0(TsrPlans, 1);
    g_mutex_init(&plans->lock);
    plans->session = session;
    plans->graph = graph;
    plans->source = source != NULL ? g_variant_ref(source) : NULL;
    plans->weights = tsr_weights_ref(weights);
    plans->pool = tsr_arena_pool_new(session->device);
    plans->list = g_ptr_array_new_with_free_func((GDestroyNotify)plan_free);
    plans->allowance = ALLOWANCE;
    return plans;
}

void tsr_plans_free(TsrPlans *plans)
{
    if (plans == NULL)
        return;
    g_ptr_array_unref(plans->list);
    tsr_arena_pool_unref(plans->pool);
    tsr_weights_unref(plans->weights);
    g_clear_pointer(&plans->source, g_variant_unref);
    g_mutex_clear(&plans->lock);
    g_free(plans);
}

/* Takes the program; the key is that of its inputs. (transfer full) */
static TsrPlan *plan_new(TsrPlans *plans, TsrProgram *program, GError **error)
{
    gint64 *key = tsr_plan_key_of_graph(program->graph);
    TsrBoundModel *bound = tsr_bound_model_new(program, plans->session->set,
                                               plans->session->device, plans->pool, error);
    TsrPlan *plan;
    if (bound == NULL) {
        g_free(key);
        return NULL;
    }
    plan = g_new0(TsrPlan, 1);
    plan->key = key;
    plan->bound = bound;
    return plan;
}

static gboolean same_type(const TsrTensorDesc *fixed, const TsrTensorDesc *all)
{
    return fixed->kind == TSR_KIND_TENSOR && all->kind == TSR_KIND_TENSOR &&
           fixed->dtype == all->dtype && tsr_desc_compatible(fixed, all);
}

/* Whether a graph takes and gives what the one for all shapes does: a file may say anything. */
static gboolean same_interface(const TsrGraph *fixed, const TsrGraph *all)
{
    gboolean same = fixed->inputs->len == all->inputs->len &&
                    fixed->outputs->len == all->outputs->len;
    for (guint i = 0; same && i < all->inputs->len; i++)
        same = same_type(&((const TsrValue *)g_ptr_array_index(fixed->inputs, i))->desc.view,
                         &((const TsrValue *)g_ptr_array_index(all->inputs, i))->desc.view);
    return same;
}

gboolean tsr_plans_add_gear(TsrPlans *plans, TsrProgram *program, GError **error)
{
    TsrPlan *plan;
    gboolean fixed = same_interface(program->graph, plans->graph);
    for (guint i = 0; fixed && i < program->graph->inputs->len; i++)
        fixed = tsr_desc_is_static(
            &((const TsrValue *)g_ptr_array_index(program->graph->inputs, i))->desc.view);
    if (!fixed) {
        tsr_program_free(program);
        g_set_error(error, TSR_ERROR, TSR_CORRUPT,
                    "gear %u: its inputs and outputs are not those of the model, with known "
                    "shapes",
                    plans->gears);
        return FALSE;
    }
    plan = plan_new(plans, program, error);
    if (plan == NULL)
        return FALSE;
    g_ptr_array_insert(plans->list, (gint)plans->gears++, plan);
    return TRUE;
}

void tsr_plans_only_gears(TsrPlans *plans)
{
    plans->only_gears = TRUE;
}

guint tsr_plans_gear_count(const TsrPlans *plans)
{
    return plans->gears;
}

char *tsr_plans_gear_to_text(const TsrPlans *plans, guint index)
{
    return tsr_plan_key_to_text(plans->graph,
                                ((const TsrPlan *)g_ptr_array_index(plans->list, index))->key);
}

TsrBoundModel *tsr_plan_bound(TsrPlan *plan)
{
    return plan->bound;
}

TsrBoundModel *tsr_plan_steal_bound(TsrPlan *plan)
{
    return g_steal_pointer(&plan->bound);
}

TsrPlanStats tsr_plans_stats(TsrPlans *plans)
{
    TsrPlanStats stats;
    g_mutex_lock(&plans->lock);
    stats = plans->stats;
    stats.plans = plans->list->len - plans->gears;
    g_mutex_unlock(&plans->lock);
    return stats;
}

/* With the lock: the plan for the shapes, taken. */
static TsrPlan *find(TsrPlans *plans, TsrArray *const *inputs)
{
    for (guint i = 0; i < plans->list->len; i++) {
        TsrPlan *plan = g_ptr_array_index(plans->list, i);
        if (!tsr_plan_key_fits(plan->key, inputs, plans->graph->inputs->len))
            continue;
        plan->users++;
        plan->used = ++plans->clock;
        plan->proven = TRUE;
        return plan;
    }
    return NULL;
}

static void list_gears(const TsrPlans *plans, TsrArray *const *inputs, GError **error)
{
    g_autofree char *got = tsr_plan_key_text_of_inputs(plans->graph, inputs);
    GString *gears = g_string_new(NULL);
    for (guint i = 0; i < plans->gears; i++) {
        g_autofree char *text = tsr_plans_gear_to_text(plans, i);
        g_string_append_printf(gears, "%s%s", i != 0 ? "; " : "", text);
    }
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "no gear of the model fits %s; wanted one of: %s", got, gears->str);
    g_string_free(gears, TRUE);
}

/* With the lock: the plan that nobody has used for the longest time, out of the list, when
 * there are too many. (transfer full) */
static TsrPlan *drop_oldest(TsrPlans *plans)
{
    guint oldest = G_MAXUINT;
    for (guint i = plans->gears; i < plans->list->len; i++) {
        const TsrPlan *plan = g_ptr_array_index(plans->list, i);
        if (plan->users == 0 &&
            (oldest == G_MAXUINT ||
             plan->used < ((const TsrPlan *)g_ptr_array_index(plans->list, oldest))->used))
            oldest = i;
    }
    if (plans->list->len - plans->gears <= TSR_PLANS_MAX || oldest == G_MAXUINT)
        return NULL;
    plans->stats.dropped++;
    return g_ptr_array_steal_index(plans->list, oldest);
}

/* Constants that another plan has packed the same way are there once. */
static void share_weights(TsrPlans *plans, TsrProgram *program)
{
    g_mutex_lock(&plans->lock);
    for (guint i = 0; i < plans->list->len; i++) {
        TsrPlan *plan = g_ptr_array_index(plans->list, i);
        tsr_weights_share(program->weights, tsr_bound_model_program(plan->bound)->weights);
    }
    g_mutex_unlock(&plans->lock);
}

static TsrProgram *give_up(TsrPlans *plans)
{
    g_mutex_lock(&plans->lock);
    plans->useless = TRUE;
    g_mutex_unlock(&plans->lock);
    return NULL;
}

/* A program for the inputs' shapes; NULL when there is none that is worth it, for whatever
 * reason: the run without a plan then says what is wrong. */
static TsrProgram *compile_plan(TsrPlans *plans, TsrArray *const *inputs)
{
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(TsrCompileReport) report = tsr_compile_report_new();
    g_autoptr(TsrProgram) program = NULL;
    TsrCompileOptions options;
    g_autoptr(TsrGraph) graph = tsr_source_graph(plans->source, plans->session->set->registry,
                                                 plans->weights, NULL);
    if (graph == NULL || !same_interface(graph, plans->graph))
        return give_up(plans);
    tsr_plan_key_apply(inputs, graph);
    tsr_source_options(plans->source, &options, lists);
    program = tsr_build_program(plans->session, graph, &options, NULL, report, NULL);
    if (program != NULL && !program->is_sink && program->parts->len == 0)
        return give_up(plans);
    if (program != NULL)
        share_weights(plans, program);
    return g_steal_pointer(&program);
}

static gboolean came_before(const TsrPlans *plans, guint64 hash)
{
    for (guint i = 0; i < MISSES_KEPT; i++)
        if (plans->misses[i] == hash)
            return TRUE;
    return FALSE;
}

/* Makes the plan and takes it. Only one thread of a session compiles; the others go on
 * without. */
static TsrPlan *make_plan(TsrPlans *plans, TsrArray *const *inputs)
{
    TsrProgram *program;
    TsrPlan *plan, *oldest = NULL;
    if (!g_mutex_trylock(&plans->session->plan_lock))
        return NULL;
    g_mutex_lock(&plans->lock);
    plan = find(plans, inputs); /* somebody may have been faster */
    g_mutex_unlock(&plans->lock);
    if (plan == NULL) {
        program = compile_plan(plans, inputs);
        plan = program != NULL ? plan_new(plans, program, NULL) : NULL;
        g_mutex_lock(&plans->lock);
        plans->allowance -= COMPILE_COST;
        if (plan != NULL) {
            plan->users = 1;
            plan->proven = came_before(plans, tsr_plan_key_hash(inputs,
                                                                plans->graph->inputs->len));
            plan->used = ++plans->clock;
            g_ptr_array_add(plans->list, plan);
            plans->stats.compiled++;
            oldest = drop_oldest(plans);
        }
        g_mutex_unlock(&plans->lock);
    }
    g_mutex_unlock(&plans->session->plan_lock);
    if (oldest != NULL)
        plan_free(oldest);
    return plan;
}

static void earn(TsrPlans *plans, gint share)
{
    plans->allowance = MIN(plans->allowance + share, ALLOWANCE);
}

/* With the lock: whether a plan for new shapes may be made. */
static gboolean may_compile(const TsrPlans *plans, TsrArray *const *inputs)
{
    guint unproven = 0;
    if (plans->only_gears || plans->source == NULL || plans->useless ||
        plans->allowance < COMPILE_COST)
        return FALSE;
    for (guint i = plans->gears; i < plans->list->len; i++)
        unproven += !((const TsrPlan *)g_ptr_array_index(plans->list, i))->proven;
    return unproven < UNPROVEN_MAX ||
           came_before(plans, tsr_plan_key_hash(inputs, plans->graph->inputs->len));
}

/* With the lock: a run without a plan. */
static void note_miss(TsrPlans *plans, TsrArray *const *inputs)
{
    plans->misses[plans->next_miss++ % MISSES_KEPT] =
        tsr_plan_key_hash(inputs, plans->graph->inputs->len);
    plans->stats.dynamic++;
    earn(plans, EARN_DYNAMIC);
}

gboolean tsr_plans_take(TsrPlans *plans, TsrArray *const *inputs, TsrPlan **out_plan,
                        GError **error)
{
    gboolean compiles;
    TsrPlan *plan;
    g_mutex_lock(&plans->lock);
    plan = find(plans, inputs);
    if (plan != NULL) {
        plans->stats.hits++;
        earn(plans, EARN_HIT);
    }
    compiles = plan == NULL && may_compile(plans, inputs);
    g_mutex_unlock(&plans->lock);
    if (compiles)
        plan = make_plan(plans, inputs);
    *out_plan = plan;
    if (plan != NULL)
        return TRUE;
    if (plans->only_gears) {
        list_gears(plans, inputs, error);
        return FALSE;
    }
    g_mutex_lock(&plans->lock);
    note_miss(plans, inputs);
    g_mutex_unlock(&plans->lock);
    return TRUE;
}

void tsr_plans_give(TsrPlans *plans, TsrPlan *plan)
{
    g_mutex_lock(&plans->lock);
    plan->users--;
    g_mutex_unlock(&plans->lock);
}
