/* SPDX-License-Identifier: Apache-2.0
 *
 * place_cost.c: see place_cost.h.
 *
 * A choice costs the sum over nodes of what each costs on its engine, plus for each value a
 * border when its producer and readers are not all on one engine. The least is found by
 * expansion moves (Boykov, Veksler, Zabih 2001): for one engine after the other, all nodes
 * decide at once, by a minimum cut, whether they go over to it. A value with several readers
 * is one term and not one per reader (the form of Kohli, Kumar, Torr 2007). From a start where
 * all nodes are on one of two engines a single move decides every node, so two engines are
 * solved exactly; hence every engine is tried as a start.
 */
#include "engine/place_cost.h"

#include <tessera/plugin_util.h>

#include "base/min_cut.h"
#include "engine/cluster.h"
#include "ir/desc.h"

/* A copy or conversion at a border: what starting it costs, and a memory's pace. */
#define BORDER_US 2.0
#define BYTES_PER_US 8000.0
/* An engine that is right before fast, where it does not say itself. */
#define REFERENCE_FACTOR 8.0
/* Of two choices that cost the same the one of the better rank is taken. */
#define RANK_US 1e-4

enum { NO_ENGINE = -1 };

typedef struct Border {
    guint first;         /* its members in Problem.members: producer, then readers */
    guint count;
    double cost;
} Border;

typedef struct Problem {
    GPtrArray *nodes;    /* TsrNode, operators */
    GHashTable *numbers; /* node -> number + 1 */
    guint engines;
    double *prices;      /* [node][engine]; TSR_CUT_NEVER: it may not be there */
    GArray *borders;     /* Border */
    GArray *members;     /* guint, numbers of nodes */
} Problem;

static double bytes_of(const TsrValue *value)
{
    double bytes = (double)tsr_dtype_bits(value->desc.view.dtype) / 8.0;
    if (value->desc.view.rank == TSR_RANK_UNKNOWN)
        return bytes;
    for (guint32 i = 0; i < value->desc.view.rank; i++)
        bytes *= value->desc.view.shape[i] >= 0 ? (double)value->desc.view.shape[i] : 1.0;
    return bytes;
}

static double bytes_of_all(const GPtrArray *values)
{
    double bytes = 0.0;
    for (guint i = 0; i < values->len; i++)
        if (g_ptr_array_index(values, i) != NULL)
            bytes += bytes_of(g_ptr_array_index(values, i));
    return bytes;
}

double tsr_place_estimate(const TsrNode *node, const TsrEngine *engine)
{
    const double us =
        1.0 + (bytes_of_all(node->inputs) + bytes_of_all(node->outputs)) / BYTES_PER_US;
    return (engine->flags & TSR_ENGINE_REFERENCE) != 0 ? us * REFERENCE_FACTOR : us;
}

static double price_of(const Problem *problem, guint node, int engine)
{
    return engine == NO_ENGINE ? 0.0
                               : problem->prices[(gsize)node * problem->engines + (guint)engine];
}

/* The node of the graph that a user of a value is, or that it lies in. */
static TsrNode *owner_in(const TsrGraph *graph, TsrNode *node)
{
    while (node != NULL && node->graph != graph)
        node = node->graph->parent;
    return node;
}

/* The border that a value may become: its producer and every reader, each once. */
static void add_border(Problem *problem, const TsrGraph *graph, const TsrValue *value)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    Border border = {problem->members->len, 1, BORDER_US + bytes_of(value) / BYTES_PER_US};
    const guint producer =
        GPOINTER_TO_UINT(g_hash_table_lookup(problem->numbers, value->producer)) - 1;
    g_array_append_val(problem->members, producer);
    for (guint i = 0; i < value->users->len; i++) {
        TsrNode *reader = owner_in(graph, g_ptr_array_index(value->users, i));
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(problem->numbers, reader));
        if (number == 0 || --number == producer || !g_hash_table_add(seen, reader))
            continue;
        g_array_append_val(problem->members, number);
        border.count++;
    }
    if (border.count > 1)
        g_array_append_val(problem->borders, border);
    else
        g_array_set_size(problem->members, border.first);
}

static void problem_init(Problem *problem, TsrGraph *graph, const TsrPluginSet *set,
                         TsrPriceFn price, gpointer data)
{
    *problem = (Problem){g_ptr_array_new(), g_hash_table_new(NULL, NULL), set->engines->len,
                         NULL, g_array_new(FALSE, FALSE, sizeof(Border)),
                         g_array_new(FALSE, FALSE, sizeof(guint))};
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        g_ptr_array_add(problem->nodes, node);
        g_hash_table_insert(problem->numbers, node, GUINT_TO_POINTER(problem->nodes->len));
    }
    problem->prices = g_new(double, (gsize)problem->nodes->len * problem->engines + 1);
    for (guint i = 0; i < problem->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(problem->nodes, i);
        for (guint e = 0; e < problem->engines; e++) {
            double *at = &problem->prices[(gsize)i * problem->engines + e];
            if (price(node, &g_array_index(set->engines, TsrRankedEngine, e), data, at))
                *at += RANK_US * e;
            else
                *at = TSR_CUT_NEVER;
        }
        for (guint o = 0; o < node->outputs->len; o++)
            if (g_ptr_array_index(node->outputs, o) != NULL)
                add_border(problem, graph, g_ptr_array_index(node->outputs, o));
    }
}

static void problem_clear(Problem *problem)
{
    g_ptr_array_unref(problem->nodes);
    g_hash_table_unref(problem->numbers);
    g_free(problem->prices);
    g_array_unref(problem->borders);
    g_array_unref(problem->members);
}

static double cost_of(const Problem *problem, const int *choice)
{
    double cost = 0.0;
    for (guint i = 0; i < problem->nodes->len; i++)
        cost += price_of(problem, i, choice[i]);
    for (guint b = 0; b < problem->borders->len; b++) {
        const Border *border = &g_array_index(problem->borders, Border, b);
        const guint *members = &g_array_index(problem->members, guint, border->first);
        for (guint k = 1; k < border->count; k++) {
            if (choice[members[k]] != choice[members[0]]) {
                cost += border->cost;
                break;
            }
        }
    }
    return cost;
}

/* The term of one value: nothing when all its members go over, nor when all stay and were on
 * one engine, else its cost. Members that are on the engine already count as going over. */
static void add_term(TsrMinCut *cut, const Problem *problem, const Border *border,
                     const int *choice, int engine, const guint *variables)
{
    const guint *members = &g_array_index(problem->members, guint, border->first);
    const guint any_stays = tsr_min_cut_variable(cut);
    gboolean one = TRUE;
    for (guint k = 0; k < border->count; k++) {
        one = one && choice[members[k]] == choice[members[0]] && choice[members[k]] != engine;
        tsr_min_cut_if_differ(cut, variables[members[k]], any_stays, TSR_CUT_NEVER);
    }
    tsr_min_cut_if_zero(cut, any_stays, border->cost);
    if (one) {
        /* The two costs together are one too much, which all choices have in common. */
        const guint any_goes = tsr_min_cut_variable(cut);
        for (guint k = 0; k < border->count; k++)
            tsr_min_cut_if_differ(cut, any_goes, variables[members[k]], TSR_CUT_NEVER);
        tsr_min_cut_if_one(cut, any_goes, border->cost);
    }
}

/* Lets every node go over to an engine, where that is cheaper altogether. */
static gboolean expand(const Problem *problem, int *choice, int engine)
{
    g_autoptr(TsrMinCut) cut = tsr_min_cut_new();
    g_autofree guint *variables = g_new(guint, problem->nodes->len + 1);
    g_autofree int *next = g_memdup2(choice, sizeof(int) * (problem->nodes->len + 1));
    for (guint i = 0; i < problem->nodes->len; i++) {
        const double there = price_of(problem, i, engine);
        variables[i] = tsr_min_cut_variable(cut);
        if (choice[i] == engine)
            tsr_min_cut_if_zero(cut, variables[i], TSR_CUT_NEVER);
        else if (choice[i] == NO_ENGINE || there >= TSR_CUT_NEVER)
            tsr_min_cut_if_one(cut, variables[i], TSR_CUT_NEVER);
        if (choice[i] != NO_ENGINE && choice[i] != engine && there < TSR_CUT_NEVER) {
            tsr_min_cut_if_zero(cut, variables[i], price_of(problem, i, choice[i]));
            tsr_min_cut_if_one(cut, variables[i], there);
        }
    }
    for (guint b = 0; b < problem->borders->len; b++)
        add_term(cut, problem, &g_array_index(problem->borders, Border, b), choice, engine,
                 variables);
    tsr_min_cut_solve(cut);
    for (guint i = 0; i < problem->nodes->len; i++)
        if (choice[i] != NO_ENGINE && tsr_min_cut_answer(cut, variables[i]))
            next[i] = engine;
    if (cost_of(problem, next) >= cost_of(problem, choice) - 1e-9)
        return FALSE;
    for (guint i = 0; i < problem->nodes->len; i++)
        choice[i] = next[i];
    return TRUE;
}

/* All nodes on one engine, as far as they may be there; the others on their best. */
static void start_from(const Problem *problem, int engine, int *out_choice)
{
    for (guint i = 0; i < problem->nodes->len; i++) {
        out_choice[i] = NO_ENGINE;
        for (int e = 0; e < (int)problem->engines; e++)
            if (price_of(problem, i, e) < TSR_CUT_NEVER &&
                (out_choice[i] == NO_ENGINE ||
                 price_of(problem, i, e) < price_of(problem, i, out_choice[i])))
                out_choice[i] = e;
        if (price_of(problem, i, engine) < TSR_CUT_NEVER)
            out_choice[i] = engine;
    }
}

static int *solve(const Problem *problem)
{
    int *best = g_new(int, problem->nodes->len + 1);
    g_autofree int *choice = g_new(int, problem->nodes->len + 1);
    for (int start = 0; start < (int)problem->engines; start++) {
        gboolean better = TRUE;
        start_from(problem, start, choice);
        while (better) {
            better = FALSE;
            for (int engine = 0; engine < (int)problem->engines; engine++)
                better = expand(problem, choice, engine) || better;
        }
        if (start == 0 || cost_of(problem, choice) < cost_of(problem, best) - 1e-9)
            for (guint i = 0; i < problem->nodes->len; i++)
                best[i] = choice[i];
    }
    return best;
}

static void assign(const Problem *problem, const TsrPluginSet *set, const int *choice)
{
    for (guint i = 0; i < problem->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(problem->nodes, i);
        node->engine = choice[i] != NO_ENGINE
                           ? g_array_index(set->engines, TsrRankedEngine, choice[i]).name
                           : NULL;
        node->placed_by = "cost";
    }
}

/* ------------------------------------------------------------- small clusters */

/* Forms clusters; *out_small is set for nodes in too small ones. Returns how many. */
static guint mark_small(TsrGraph *graph, const Problem *problem, guint least,
                        gboolean *out_small)
{
    const guint count = tsr_cluster_form(graph);
    g_autofree guint *sizes = g_new0(guint, count + 1);
    guint small = 0;
    for (guint i = 0; i < problem->nodes->len; i++)
        sizes[((TsrNode *)g_ptr_array_index(problem->nodes, i))->cluster]++;
    for (guint i = 0; i < problem->nodes->len; i++) {
        out_small[i] = sizes[((TsrNode *)g_ptr_array_index(problem->nodes, i))->cluster] < least;
        small += out_small[i];
    }
    return small;
}

typedef struct Move {
    guint node;   /* whose whole cluster moves */
    int engine;
    double cost;  /* of the choice after it */
} Move;

static gint compare_moves(gconstpointer left, gconstpointer right)
{
    const Move *a = left, *b = right;
    return a->cost != b->cost ? (a->cost < b->cost ? -1 : 1)
           : a->node != b->node ? (a->node < b->node ? -1 : 1)
                                : a->engine - b->engine;
}

static void apply(const Problem *problem, const int *clusters, const Move *move, int *choice)
{
    for (guint i = 0; i < problem->nodes->len; i++)
        if (clusters[i] == clusters[move->node])
            choice[i] = move->engine;
}

/* What small clusters may do, the cheapest first. */
static GArray *list_moves(const Problem *problem, const int *choice, const int *clusters,
                          const gboolean *small)
{
    GArray *moves = g_array_new(FALSE, FALSE, sizeof(Move));
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < problem->nodes->len; i++) {
        if (!small[i] || choice[i] == NO_ENGINE ||
            !g_hash_table_add(seen, GINT_TO_POINTER(clusters[i])))
            continue;
        for (int engine = 0; engine < (int)problem->engines; engine++) {
            g_autofree int *next = NULL;
            Move move = {i, engine, 0.0};
            if (engine == choice[i])
                continue;
            next = g_memdup2(choice, sizeof(int) * (problem->nodes->len + 1));
            apply(problem, clusters, &move, next);
            move.cost = cost_of(problem, next);
            if (move.cost < TSR_CUT_NEVER) /* a node that may not be there costs that */
                g_array_append_val(moves, move);
        }
    }
    g_array_sort(moves, compare_moves);
    return moves;
}

/* The cheapest move that leaves fewer nodes in small clusters. */
static gboolean move_cluster(TsrGraph *graph, const Problem *problem, const TsrPluginSet *set,
                             guint least, int *choice)
{
    g_autofree gboolean *marks = g_new(gboolean, problem->nodes->len + 1);
    g_autofree int *clusters = g_new(int, problem->nodes->len + 1);
    g_autoptr(GArray) moves = NULL;
    guint small;
    assign(problem, set, choice);
    small = mark_small(graph, problem, least, marks);
    for (guint i = 0; i < problem->nodes->len; i++)
        clusters[i] = ((TsrNode *)g_ptr_array_index(problem->nodes, i))->cluster;
    moves = list_moves(problem, choice, clusters, marks);
    for (guint m = 0; m < moves->len; m++) {
        g_autofree int *next = g_memdup2(choice, sizeof(int) * (problem->nodes->len + 1));
        apply(problem, clusters, &g_array_index(moves, Move, m), next);
        assign(problem, set, next);
        if (mark_small(graph, problem, least, marks) >= small)
            continue;
        for (guint i = 0; i < problem->nodes->len; i++)
            choice[i] = next[i];
        return TRUE;
    }
    return FALSE;
}

void tsr_place_by_cost(TsrGraph *graph, const TsrPluginSet *set, guint min_cluster_nodes,
                       TsrPriceFn price, gpointer data)
{
    Problem problem;
    g_autofree int *choice = NULL;
    problem_init(&problem, graph, set, price, data);
    choice = solve(&problem);
    if (min_cluster_nodes > 1)
        while (move_cluster(graph, &problem, set, min_cluster_nodes, choice))
            continue; /* each move leaves fewer nodes in small clusters, so this ends */
    assign(&problem, set, choice);
    problem_clear(&problem);
}

double tsr_place_cost_of(TsrGraph *graph, const TsrPluginSet *set, TsrPriceFn price,
                         gpointer data)
{
    Problem problem;
    g_autofree int *choice = NULL;
    double cost;
    problem_init(&problem, graph, set, price, data);
    choice = g_new(int, problem.nodes->len + 1);
    for (guint i = 0; i < problem.nodes->len; i++) {
        const char *engine = ((TsrNode *)g_ptr_array_index(problem.nodes, i))->engine;
        choice[i] = NO_ENGINE;
        for (guint e = 0; e < set->engines->len; e++)
            if (g_array_index(set->engines, TsrRankedEngine, e).name == engine)
                choice[i] = (int)e;
    }
    cost = cost_of(&problem, choice);
    problem_clear(&problem);
    return cost;
}
