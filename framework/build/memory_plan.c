/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_plan.c: see memory_plan.h. All planners place one piece after the other beside
 * those that conflict with it and differ in the order: by size (largest first), by time
 * (as they are born, then those that live longest first), by the degree in the graph of
 * conflicts (as Welsh and Powell colour), and by a local search that moves what sticks out
 * at the top of the best plan to the front. Whoever reaches the lower bound ends it.
 */
#include "build/memory_plan.h"

#include <string.h>

#include "base/memory.h"

enum { SEARCH_STEPS = 4000000, SEARCH_TRIES = 600 };

typedef struct Planner {
    TsrPiece *pieces;
    guint count;
    const TsrPlanOptions *options;
    GArray **conflicts;    /* per piece: guint indices */
    guint64 *weight;       /* per piece: bytes of all that conflict with it */
    guint *sequence;       /* of the try that is on */
    guint64 *offset;       /* likewise; G_MAXUINT64: not placed */
    guint *placed;         /* neighbours, by offset */
    guint64 bound;
    guint64 best;
    guint64 steps;
} Planner;

static gboolean is_before(const Planner *planner, guint a, guint b)
{
    const TsrPieceOrder *order = planner->options->order;
    return order != NULL ? order->before(order->user, a, b)
                         : planner->pieces[a].death < planner->pieces[b].birth;
}

static void find_conflicts(Planner *planner)
{
    planner->conflicts = g_new0(GArray *, planner->count + 1);
    for (guint i = 0; i < planner->count; i++)
        planner->conflicts[i] = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < planner->count; i++)
        for (guint k = 0; k < i; k++) {
            if (is_before(planner, i, k) || is_before(planner, k, i))
                continue;
            g_array_append_val(planner->conflicts[i], k);
            g_array_append_val(planner->conflicts[k], i);
            planner->weight[i] += planner->pieces[k].size;
            planner->weight[k] += planner->pieces[i].size;
        }
}

/* The largest sum of pieces in use at one task, all of which conflict with each other. */
static guint64 lower_bound(const Planner *planner)
{
    const TsrPieceOrder *order = planner->options->order;
    g_autofree guint64 *change = NULL;
    guint64 most = 0, alive = 0;
    guint32 last = 0;
    if (order != NULL) {
        for (guint t = 0; t < order->task_count; t++) {
            alive = 0;
            for (guint i = 0; i < planner->count; i++)
                alive += order->alive(order->user, i, t) ? planner->pieces[i].size : 0;
            most = MAX(most, alive);
        }
        return most;
    }
    for (guint i = 0; i < planner->count; i++)
        last = MAX(last, planner->pieces[i].death);
    change = g_new0(guint64, (gsize)last + 2);
    for (guint i = 0; i < planner->count; i++) {
        change[planner->pieces[i].birth] += planner->pieces[i].size;
        change[planner->pieces[i].death + 1] -= planner->pieces[i].size; /* wraps, and back */
    }
    for (guint32 t = 0; t <= last; t++) {
        alive += change[t];
        most = MAX(most, alive);
    }
    return most;
}

/* ---------------------------------------------------------------- placing */

static gint by_offset(gconstpointer a, gconstpointer b, gpointer data)
{
    const Planner *planner = data;
    const guint64 x = planner->offset[*(const guint *)a], y = planner->offset[*(const guint *)b];
    return x < y ? -1 : x > y;
}

/* The lowest gap that is large enough, or the tightest one. */
static guint64 find_gap(const Planner *planner, guint count, guint64 size, gboolean tightest)
{
    guint64 end = 0, best = G_MAXUINT64, best_slack = G_MAXUINT64;
    for (guint i = 0; i < count; i++) {
        const guint piece = planner->placed[i];
        const guint64 offset = planner->offset[piece];
        if (offset > end && offset - end >= size && offset - end - size < best_slack) {
            if (!tightest)
                return end;
            best = end;
            best_slack = offset - end - size;
        }
        end = MAX(end, offset + planner->pieces[piece].size);
    }
    return best != G_MAXUINT64 ? best : end;
}

/* Places all pieces in the planner's sequence; returns what they take. */
static guint64 place_all(Planner *planner, gboolean tightest)
{
    guint64 total = 0;
    for (guint i = 0; i < planner->count; i++)
        planner->offset[i] = G_MAXUINT64;
    for (guint s = 0; s < planner->count; s++) {
        const guint piece = planner->sequence[s];
        const GArray *others = planner->conflicts[piece];
        guint count = 0;
        for (guint k = 0; k < others->len; k++) {
            const guint other = g_array_index(others, guint, k);
            if (planner->offset[other] != G_MAXUINT64)
                planner->placed[count++] = other;
        }
        g_qsort_with_data(planner->placed, (gint)count, sizeof(guint), by_offset, planner);
        planner->offset[piece] =
            find_gap(planner, count, planner->pieces[piece].size, tightest);
        total = MAX(total, planner->offset[piece] + planner->pieces[piece].size);
        planner->steps += others->len + count + 1;
    }
    return total;
}

/* One try with the sequence as it is; keeps it when it is the best so far. Returns what
 * it takes. */
static guint64 try_sequence(Planner *planner, gboolean tightest, const char *name,
                            TsrMemoryStats *stats)
{
    const guint64 total = place_all(planner, tightest);
    if (total < planner->best) {
        planner->best = total;
        stats->planner = name;
        for (guint i = 0; i < planner->count; i++)
            planner->pieces[i].offset = planner->offset[i];
    }
    return total;
}

/* --------------------------------------------------------------- sequences */

static gint ascending(guint64 x, guint64 y)
{
    return x < y ? -1 : x > y;
}

static gint by_size(gconstpointer a, gconstpointer b, gpointer data)
{
    const Planner *planner = data;
    const guint i = *(const guint *)a, k = *(const guint *)b;
    const TsrPiece *x = &planner->pieces[i], *y = &planner->pieces[k];
    gint order = ascending(y->size, x->size);
    order = order != 0 ? order : ascending(x->birth, y->birth);
    return order != 0 ? order : ascending(i, k);
}

static gint by_time(gconstpointer a, gconstpointer b, gpointer data)
{
    const Planner *planner = data;
    const TsrPiece *x = &planner->pieces[*(const guint *)a];
    const TsrPiece *y = &planner->pieces[*(const guint *)b];
    gint order = ascending(x->birth, y->birth);
    order = order != 0 ? order : ascending(y->death, x->death);
    return order != 0 ? order : by_size(a, b, data);
}

static gint by_conflicts(gconstpointer a, gconstpointer b, gpointer data)
{
    const Planner *planner = data;
    const guint i = *(const guint *)a, k = *(const guint *)b;
    const gint order = ascending(planner->weight[k] + planner->pieces[k].size,
                                 planner->weight[i] + planner->pieces[i].size);
    return order != 0 ? order : by_size(a, b, data);
}

typedef struct Sequence {
    const char *name;
    gint (*compare)(gconstpointer a, gconstpointer b, gpointer data);
    gboolean tightest;
} Sequence;

static const Sequence sequences[] = {
    {"best fit by size", by_size, TRUE},
    {"first fit by size", by_size, FALSE},
    {"first fit by time", by_time, FALSE},
    {"best fit by time", by_time, TRUE},
    {"conflict colouring", by_conflicts, FALSE},
};

static void start_sequence(Planner *planner, const Sequence *from)
{
    for (guint i = 0; i < planner->count; i++)
        planner->sequence[i] = i;
    g_qsort_with_data(planner->sequence, (gint)planner->count, sizeof(guint), from->compare,
                      planner);
}

static void move_to(guint *sequence, guint from, guint to)
{
    const guint piece = sequence[from];
    memmove(sequence + to + 1, sequence + to, (from - to) * sizeof(*sequence));
    sequence[to] = piece;
}

/* Where in the sequence a piece that reaches the top of the last try is; the rank-th one. */
static guint find_top(const Planner *planner, guint64 total, guint32 rank)
{
    guint tops = 0, at = 0;
    for (guint s = 0; s < planner->count; s++) {
        const guint piece = planner->sequence[s];
        if (planner->offset[piece] + planner->pieces[piece].size == total)
            tops++;
    }
    for (guint s = 0, seen = 0; s < planner->count; s++) {
        const guint piece = planner->sequence[s];
        if (planner->offset[piece] + planner->pieces[piece].size != total)
            continue;
        at = s;
        if (seen++ == rank % MAX(tops, 1))
            break;
    }
    return at;
}

/* Moves a piece at the top of the plan to a place before it, and keeps what does not get
 * worse. */
static void search(Planner *planner, const Sequence *from, TsrMemoryStats *stats)
{
    g_autofree guint *kept = g_new(guint, planner->count + 1);
    g_autoptr(GRand) random = g_rand_new_with_seed(20231);
    guint64 current;
    start_sequence(planner, from);
    current = place_all(planner, from->tightest);
    for (guint i = 0; i < SEARCH_TRIES && planner->steps < SEARCH_STEPS; i++) {
        const guint at = find_top(planner, current, g_rand_int(random));
        guint64 total;
        memcpy(kept, planner->sequence, planner->count * sizeof(guint));
        if (at == 0)
            move_to(planner->sequence, g_rand_int(random) % planner->count, 0);
        else
            move_to(planner->sequence, at, g_rand_int(random) % at);
        total = try_sequence(planner, from->tightest, "local search", stats);
        if (total <= current) {
            current = total;
        } else {
            memcpy(planner->sequence, kept, planner->count * sizeof(guint));
            place_all(planner, from->tightest);
        }
        if (planner->best <= planner->bound)
            return;
    }
}

void tsr_memory_plan(TsrPiece *pieces, guint count, const TsrPlanOptions *options,
                     TsrMemoryStats *stats)
{
    const guint64 alignment = options->alignment != 0 ? options->alignment : TSR_MEMORY_ALIGNMENT;
    Planner planner = {.pieces = pieces, .count = count, .options = options,
                       .best = G_MAXUINT64};
    stats->no_reuse_bytes = 0;
    stats->planner = "no reuse";
    for (guint i = 0; i < count; i++) {
        pieces[i].size = tsr_align_up(MAX(pieces[i].size, 1), alignment);
        pieces[i].offset = stats->no_reuse_bytes;
        stats->no_reuse_bytes += pieces[i].size;
    }
    stats->activation_bytes = stats->no_reuse_bytes;
    planner.bound = stats->lower_bound_bytes = count != 0 ? lower_bound(&planner) : 0;
    if (!options->reuse || count == 0)
        return;
    planner.weight = g_new0(guint64, count);
    planner.sequence = g_new(guint, count);
    planner.offset = g_new(guint64, count);
    planner.placed = g_new(guint, count);
    find_conflicts(&planner);
    for (gsize i = 0; i < G_N_ELEMENTS(sequences) && planner.best > planner.bound; i++) {
        start_sequence(&planner, &sequences[i]);
        try_sequence(&planner, sequences[i].tightest, sequences[i].name, stats);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(sequences) && planner.best > planner.bound; i++) {
        planner.steps = 0;
        search(&planner, &sequences[i], stats);
    }
    stats->activation_bytes = planner.best;
    for (guint i = 0; i < count; i++)
        g_array_unref(planner.conflicts[i]);
    g_free(planner.conflicts);
    g_free(planner.weight);
    g_free(planner.sequence);
    g_free(planner.offset);
    g_free(planner.placed);
}
