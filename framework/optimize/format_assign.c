/* SPDX-License-Identifier: Apache-2.0
 *
 * format_assign.c: see format_assign.h. A move offers one format to all nodes at once; who
 * takes it is a minimum cut (alpha expansion: Boykov, Veksler, Zabih, "Fast approximate
 * energy minimization via graph cuts", 2001). Where a cost is not submodular the cut works
 * with an upper bound of it, so a move is kept only if the true cost went down.
 */
#include "optimize/format_assign.h"

#include "base/min_cut.h"

#define NO_COLUMN G_MAXUINT

static guint32 plain_of(const TsrFormatNode *item, guint port)
{
    const TsrNode *node = item->node;
    const TsrValue *value = port < node->inputs->len
                                ? g_ptr_array_index(node->inputs, port)
                                : g_ptr_array_index(node->outputs, port - node->inputs->len);
    return value != NULL ? value->desc.view.origin_format : TSR_FORMAT_ND;
}

static guint port_count(const TsrFormatNode *item)
{
    return item->node->inputs->len + item->node->outputs->len;
}

/* How many ports of a column have the format; ND stands for whatever is plain. */
static guint ports_with(const TsrFormatNode *item, const TsrFormatColumn *column, guint32 format)
{
    guint count = 0;
    for (guint i = 0; i < port_count(item); i++)
        count += column->formats[i] == (format == TSR_FORMAT_ND ? plain_of(item, i) : format);
    return count;
}

/* The column that suits the format best, or NO_COLUMN when none has it. */
static guint column_for(const TsrFormatNode *item, guint32 format)
{
    guint best = NO_COLUMN, best_ports = 0;
    double best_penalty = 0.0;
    for (guint c = 0; c < item->columns->len; c++) {
        const TsrFormatColumn *column = tsr_format_column(item, c);
        const guint ports = ports_with(item, column, format);
        if (ports == 0 || (format == TSR_FORMAT_ND && ports != port_count(item)))
            continue;
        if (best == NO_COLUMN || column->penalty < best_penalty ||
            (column->penalty == best_penalty && ports > best_ports)) {
            best = c;
            best_ports = ports;
            best_penalty = column->penalty;
        }
    }
    return best;
}

/* The best column of a node on its own; the first of several. */
static guint cheapest_column(const TsrFormatNode *item)
{
    guint best = 0;
    for (guint c = 1; c < item->columns->len; c++)
        if (tsr_format_column(item, c)->penalty < tsr_format_column(item, best)->penalty)
            best = c;
    return best;
}

void tsr_format_assign_plain(TsrFormatProblem *problem)
{
    for (guint i = 0; i < problem->nodes->len; i++) {
        TsrFormatNode *item = tsr_format_node(problem, i);
        const guint column = column_for(item, TSR_FORMAT_ND);
        item->chosen = column != NO_COLUMN ? column : cheapest_column(item);
    }
}

/* -------------------------------------------------------------- propagation */

static gboolean is_internal(guint32 format)
{
    return format >= TSR_FORMAT_NC1HWC0 && format != TSR_FORMAT_ANY;
}

/* Whether an internal format is what the node is better off with. */
static gboolean is_seed(const TsrFormatNode *item)
{
    const guint plain = column_for(item, TSR_FORMAT_ND), best = cheapest_column(item);
    const TsrFormatColumn *column = tsr_format_column(item, best);
    gboolean internal = FALSE;
    for (guint i = 0; i < port_count(item); i++)
        internal |= is_internal(column->formats[i]);
    return internal &&
           (plain == NO_COLUMN || tsr_format_column(item, plain)->penalty > column->penalty);
}

/* Offers the format of a value to a node that touches it. */
static void offer(TsrFormatProblem *problem, gint node, guint port, guint32 format,
                  gboolean *settled, GQueue *queue)
{
    TsrFormatNode *item;
    guint best = NO_COLUMN;
    if (node < 0 || settled[node] || !is_internal(format))
        return;
    item = tsr_format_node(problem, (guint)node);
    for (guint c = 0; c < item->columns->len; c++) {
        const TsrFormatColumn *column = tsr_format_column(item, c);
        if (column->formats[port] == format &&
            (best == NO_COLUMN || column->penalty < tsr_format_column(item, best)->penalty))
            best = c;
    }
    if (best == NO_COLUMN)
        return;
    item->chosen = best;
    settled[node] = TRUE;
    g_queue_push_tail(queue, GINT_TO_POINTER(node));
}

void tsr_format_propagate(TsrFormatProblem *problem)
{
    g_autofree gboolean *settled = g_new0(gboolean, problem->nodes->len + 1);
    GQueue queue = G_QUEUE_INIT;
    tsr_format_assign_plain(problem);
    for (guint i = 0; i < problem->nodes->len; i++) {
        TsrFormatNode *item = tsr_format_node(problem, i);
        if (!is_seed(item))
            continue;
        item->chosen = cheapest_column(item);
        settled[i] = TRUE;
        g_queue_push_tail(&queue, GINT_TO_POINTER((gint)i));
    }
    while (!g_queue_is_empty(&queue)) {
        const guint at = GPOINTER_TO_UINT(g_queue_pop_head(&queue));
        const TsrFormatNode *item = tsr_format_node(problem, at);
        for (guint i = 0; i < item->values->len; i++) {
            const TsrFormatValue *value =
                tsr_format_value(problem, g_array_index(item->values, guint, i));
            const guint32 format = tsr_format_produced(problem, value);
            for (guint k = 0; k < value->uses->len; k++) {
                const TsrFormatUse *use = &g_array_index(value->uses, TsrFormatUse, k);
                if (use->node == (gint)at)
                    offer(problem, value->producer, value->port, tsr_format_wanted(problem, use),
                          settled, &queue);
                else if (value->producer == (gint)at)
                    offer(problem, use->node, use->port, format, settled, &queue);
            }
        }
    }
}

/* -------------------------------------------------------------------- moves */

/* One move: variable i is 1 when node i takes its offered column. */
typedef struct Move {
    TsrFormatProblem *problem;
    TsrMinCut *cut;
    guint *offered;   /* column, or NO_COLUMN */
    guint *variables; /* where there is one */
} Move;

static guint32 format_under(const Move *move, gint node, guint port, gboolean taken)
{
    const TsrFormatNode *item = tsr_format_node(move->problem, (guint)node);
    const guint column = taken && move->offered[node] != NO_COLUMN ? move->offered[node]
                                                                    : item->chosen;
    return tsr_format_column(item, column)->formats[port];
}

static gboolean has_variable(const Move *move, gint node)
{
    return node >= 0 && move->offered[node] != NO_COLUMN;
}

/* Cost of having to convert a value to one format: needed by `always`, or by the uses that
 * want it only when their node takes (or keeps) its column. */
static void add_target(Move *move, guint index, guint32 target)
{
    const TsrFormatValue *value = tsr_format_value(move->problem, index);
    const gboolean producer_moves = has_variable(move, value->producer);
    const guint32 kept = value->producer >= 0
                             ? format_under(move, value->producer, value->port, FALSE)
                             : value->fixed;
    const guint32 taken = producer_moves
                              ? format_under(move, value->producer, value->port, TRUE)
                              : kept;
    /* What it costs when the producer keeps its column and when it takes the offer. */
    const double if_kept = tsr_format_conversion(move->problem, index, kept, target);
    const double if_taken = tsr_format_conversion(move->problem, index, taken, target);
    gboolean always = FALSE, on_take = FALSE, on_keep = FALSE;
    guint any_take, any_keep;
    if (if_kept == 0.0 && if_taken == 0.0)
        return;
    for (guint i = 0; i < value->uses->len; i++) {
        const TsrFormatUse *use = &g_array_index(value->uses, TsrFormatUse, i);
        const gboolean zero = (use->node < 0 ? use->format
                                             : format_under(move, use->node, use->port, FALSE)) ==
                              target;
        const gboolean one = (use->node < 0 ? use->format
                                            : format_under(move, use->node, use->port, TRUE)) ==
                             target;
        always |= zero && one;
        on_take |= one && !zero;
        on_keep |= zero && !one;
    }
    if (always) {
        if (producer_moves) {
            tsr_min_cut_if_zero(move->cut, move->variables[value->producer], if_kept);
            tsr_min_cut_if_one(move->cut, move->variables[value->producer], if_taken);
        }
        return;
    }
    any_take = on_take ? tsr_min_cut_variable(move->cut) : 0;
    any_keep = on_keep ? tsr_min_cut_variable(move->cut) : 0;
    for (guint i = 0; i < value->uses->len; i++) {
        const TsrFormatUse *use = &g_array_index(value->uses, TsrFormatUse, i);
        if (!has_variable(move, use->node))
            continue;
        if (format_under(move, use->node, use->port, TRUE) == target)
            tsr_min_cut_if_differ(move->cut, any_take, move->variables[use->node], TSR_CUT_NEVER);
        else if (format_under(move, use->node, use->port, FALSE) == target)
            tsr_min_cut_if_differ(move->cut, move->variables[use->node], any_keep, TSR_CUT_NEVER);
    }
    /* any_take is 1 when somebody takes; paying more for a producer that takes too cannot be
     * said in a cut, so the larger price stands for both. Likewise any_keep at 0. */
    if (on_take) {
        tsr_min_cut_if_one(move->cut, any_take, if_taken);
        if (producer_moves && if_kept > if_taken)
            tsr_min_cut_if_differ(move->cut, move->variables[value->producer], any_take,
                                  if_kept - if_taken);
    }
    if (on_keep) {
        tsr_min_cut_if_zero(move->cut, any_keep, if_kept);
        if (producer_moves && if_taken > if_kept)
            tsr_min_cut_if_differ(move->cut, any_keep, move->variables[value->producer],
                                  if_taken - if_kept);
    }
}

static void add_value(Move *move, guint index)
{
    const TsrFormatValue *value = tsr_format_value(move->problem, index);
    g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < value->uses->len; i++) {
        const TsrFormatUse *use = &g_array_index(value->uses, TsrFormatUse, i);
        for (int taken = 0; taken < 2; taken++) {
            const guint32 format = use->node < 0
                                       ? use->format
                                       : format_under(move, use->node, use->port, taken != 0);
            gboolean known = FALSE;
            for (guint k = 0; k < targets->len; k++)
                known |= g_array_index(targets, guint32, k) == format;
            if (!known)
                g_array_append_val(targets, format);
        }
    }
    for (guint i = 0; i < targets->len; i++)
        add_target(move, index, g_array_index(targets, guint32, i));
}

/* Offers each node a column (NO_COLUMN: none); TRUE when the cost went down. */
static gboolean move_all(TsrFormatProblem *problem, guint *offered)
{
    const guint count = problem->nodes->len;
    g_autoptr(TsrMinCut) cut = tsr_min_cut_new();
    g_autofree guint *variables = g_new0(guint, count + 1);
    g_autofree guint *before = g_new(guint, count + 1);
    Move move = {problem, cut, offered, variables};
    const double cost = tsr_format_cost(problem);
    for (guint i = 0; i < count; i++) {
        const TsrFormatNode *item = tsr_format_node(problem, i);
        before[i] = item->chosen;
        if (offered[i] == item->chosen)
            offered[i] = NO_COLUMN;
        if (offered[i] == NO_COLUMN)
            continue;
        variables[i] = tsr_min_cut_variable(cut);
        tsr_min_cut_if_zero(cut, variables[i], tsr_format_column(item, item->chosen)->penalty);
        tsr_min_cut_if_one(cut, variables[i], tsr_format_column(item, offered[i])->penalty);
    }
    for (guint i = 0; i < problem->values->len; i++)
        add_value(&move, i);
    tsr_min_cut_solve(cut);
    for (guint i = 0; i < count; i++)
        if (offered[i] != NO_COLUMN && tsr_min_cut_answer(cut, variables[i]))
            tsr_format_node(problem, i)->chosen = offered[i];
    if (tsr_format_cost(problem) < cost)
        return TRUE;
    for (guint i = 0; i < count; i++)
        tsr_format_node(problem, i)->chosen = before[i];
    return FALSE;
}

/* Offers every node the column that suits a format best. */
static gboolean move_format(TsrFormatProblem *problem, guint32 format)
{
    g_autofree guint *offered = g_new(guint, problem->nodes->len + 1);
    for (guint i = 0; i < problem->nodes->len; i++)
        offered[i] = column_for(tsr_format_node(problem, i), format);
    return move_all(problem, offered);
}

/* Offers every node its column of that number, for columns that are no format's best, such as
 * those that change the format between input and output. */
static gboolean move_column(TsrFormatProblem *problem, guint column, gboolean *out_any)
{
    g_autofree guint *offered = g_new(guint, problem->nodes->len + 1);
    *out_any = FALSE;
    for (guint i = 0; i < problem->nodes->len; i++) {
        const gboolean has = column < tsr_format_node(problem, i)->columns->len;
        offered[i] = has ? column : NO_COLUMN;
        *out_any |= has;
    }
    return *out_any && move_all(problem, offered);
}

/* Each node on its own; TRUE when one changed. */
static gboolean sweep(TsrFormatProblem *problem)
{
    gboolean changed = FALSE;
    for (guint i = 0; i < problem->nodes->len; i++) {
        TsrFormatNode *item = tsr_format_node(problem, i);
        guint best = item->chosen;
        double least = item->columns->len > 1 ? tsr_format_node_cost(problem, i) : 0.0;
        for (guint c = 0; c < item->columns->len && item->columns->len > 1; c++) {
            double cost;
            item->chosen = c;
            cost = tsr_format_node_cost(problem, i);
            if (cost >= least)
                continue;
            least = cost;
            best = c;
            changed = TRUE;
        }
        item->chosen = best;
    }
    return changed;
}

void tsr_format_improve(TsrFormatProblem *problem)
{
    gboolean changed = TRUE, any = TRUE;
    while (changed) {
        changed = FALSE;
        for (guint f = 0; f < problem->formats->len; f++)
            changed |= move_format(problem, g_array_index(problem->formats, guint32, f));
        for (guint column = 0; column == 0 || any; column++)
            changed |= move_column(problem, column, &any);
        while (sweep(problem))
            changed = TRUE;
    }
}
