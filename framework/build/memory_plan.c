/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_plan.c: see memory_plan.h.
 */
#include "build/memory_plan.h"

#include "base/error.h"
#include "base/memory.h"

static TsrMemoryRow *row_at(const GArray *rows, guint index)
{
    return &g_array_index(rows, TsrMemoryRow, index);
}

static gboolean alive_together(const TsrMemoryRow *a, const TsrMemoryRow *b)
{
    return a->birth <= b->death && b->birth <= a->death;
}

static gint largest_first(gconstpointer a, gconstpointer b)
{
    const TsrMemoryRow *first = *(TsrMemoryRow *const *)a, *second = *(TsrMemoryRow *const *)b;
    if (first->size != second->size)
        return first->size > second->size ? -1 : 1;
    if (first->birth != second->birth)
        return first->birth < second->birth ? -1 : 1;
    return first < second ? -1 : 1;
}

static gint by_offset(gconstpointer a, gconstpointer b)
{
    const TsrMemoryRow *first = *(TsrMemoryRow *const *)a, *second = *(TsrMemoryRow *const *)b;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

/* The start of the tightest gap of that size between rows sorted by offset. */
static guint64 best_gap(const GPtrArray *neighbours, guint64 size)
{
    guint64 end = 0, best = G_MAXUINT64, best_slack = G_MAXUINT64;
    for (guint i = 0; i < neighbours->len; i++) {
        const TsrMemoryRow *row = g_ptr_array_index(neighbours, i);
        if (row->offset > end && row->offset - end >= size &&
            row->offset - end - size < best_slack) {
            best = end;
            best_slack = row->offset - end - size;
        }
        end = MAX(end, row->offset + row->size);
    }
    return best != G_MAXUINT64 ? best : end;
}

static guint64 lower_bound(const GArray *rows)
{
    guint32 last = 0;
    guint64 most = 0, alive = 0;
    g_autofree guint64 *change = NULL;
    for (guint i = 0; i < rows->len; i++)
        last = MAX(last, row_at(rows, i)->death);
    change = g_new0(guint64, (gsize)last + 2);
    for (guint i = 0; i < rows->len; i++) {
        const TsrMemoryRow *row = row_at(rows, i);
        change[row->birth] += row->size;
        change[row->death + 1] -= row->size; /* wraps, and wraps back in the sum */
    }
    for (guint32 t = 0; t <= last; t++) {
        alive += change[t];
        most = MAX(most, alive);
    }
    return most;
}

void tsr_memory_plan(GArray *rows, gboolean reuse, TsrMemoryStats *stats)
{
    g_autoptr(GPtrArray) queue = g_ptr_array_new();
    g_autoptr(GPtrArray) placed = g_ptr_array_new();
    stats->activation_bytes = 0;
    stats->no_reuse_bytes = 0;
    for (guint i = 0; i < rows->len; i++) {
        TsrMemoryRow *row = row_at(rows, i);
        row->size = tsr_align_up(MAX(row->size, 1), TSR_MEMORY_ALIGNMENT);
        row->offset = stats->no_reuse_bytes;
        stats->no_reuse_bytes += row->size;
        g_ptr_array_add(queue, row);
    }
    stats->lower_bound_bytes = rows->len != 0 ? lower_bound(rows) : 0;
    stats->activation_bytes = stats->no_reuse_bytes;
    if (!reuse)
        return;
    stats->activation_bytes = 0;
    g_ptr_array_sort(queue, largest_first);
    for (guint i = 0; i < queue->len; i++) {
        TsrMemoryRow *row = g_ptr_array_index(queue, i);
        g_autoptr(GPtrArray) neighbours = g_ptr_array_new();
        for (guint k = 0; k < placed->len; k++)
            if (alive_together(row, g_ptr_array_index(placed, k)))
                g_ptr_array_add(neighbours, g_ptr_array_index(placed, k));
        g_ptr_array_sort(neighbours, by_offset);
        row->offset = best_gap(neighbours, row->size);
        stats->activation_bytes = MAX(stats->activation_bytes, row->offset + row->size);
        g_ptr_array_add(placed, row);
    }
}

gboolean tsr_memory_check(const GArray *rows, guint64 activation_bytes, GError **error)
{
    for (guint i = 0; i < rows->len; i++) {
        const TsrMemoryRow *a = row_at(rows, i);
        if (a->birth > a->death || a->size > activation_bytes ||
            a->offset > activation_bytes - a->size) {
            g_set_error(error, TSR_ERROR, TSR_INTERNAL,
                        "memory plan: '%s' at %" G_GUINT64_FORMAT " with %" G_GUINT64_FORMAT
                        " bytes leaves the activation memory of %" G_GUINT64_FORMAT,
                        a->name, a->offset, a->size, activation_bytes);
            return FALSE;
        }
        for (guint k = 0; k < i; k++) {
            const TsrMemoryRow *b = row_at(rows, k);
            if (alive_together(a, b) && a->offset < b->offset + b->size &&
                b->offset < a->offset + a->size) {
                g_set_error(error, TSR_ERROR, TSR_INTERNAL,
                            "memory plan: '%s' and '%s' are alive at once and overlap", a->name,
                            b->name);
                return FALSE;
            }
        }
    }
    return TRUE;
}
