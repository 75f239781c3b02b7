/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_table.c: see memory_table.h.
 */
#include "build/memory_table.h"

static void clear_row(gpointer data)
{
    TsrMemoryRow *row = data;
    g_free(row->name);
    g_free(row->with);
    g_free(row->note);
}

TsrMemoryTable *tsr_memory_table_new(void)
{
    TsrMemoryTable *table = g_new0(TsrMemoryTable, 1);
    table->rows = g_array_new(FALSE, FALSE, sizeof(TsrMemoryRow));
    g_array_set_clear_func(table->rows, clear_row);
    table->tasks = g_ptr_array_new_with_free_func(g_free);
    table->stats.planner = "";
    return table;
}

void tsr_memory_table_free(TsrMemoryTable *table)
{
    if (table == NULL)
        return;
    g_array_unref(table->rows);
    g_ptr_array_unref(table->tasks);
    g_free(table);
}

const char *tsr_memory_kind_name(guint32 kind)
{
    static const char *const names[] = {
        [TSR_MEMORY_OWN] = "own",   [TSR_MEMORY_WORKSPACE] = "workspace",
        [TSR_MEMORY_VIEW] = "view", [TSR_MEMORY_PART] = "part",
        [TSR_MEMORY_INPLACE] = "in_place",
    };
    return kind < G_N_ELEMENTS(names) ? names[kind] : "?";
}

const char *tsr_memory_space_name(guint32 space)
{
    static const char *const names[] = {
        [TSR_SPACE_NULL] = "none",       [TSR_SPACE_ARENA] = "activations",
        [TSR_SPACE_WEIGHTS] = "weights", [TSR_SPACE_INPUT] = "input",
        [TSR_SPACE_OUTPUT] = "output",
    };
    return space < G_N_ELEMENTS(names) ? names[space] : "?";
}

const char *tsr_memory_table_task(const TsrMemoryTable *table, guint32 task)
{
    return task < table->tasks->len ? g_ptr_array_index(table->tasks, task) : "?";
}

static gboolean is_piece(const TsrMemoryRow *row)
{
    return row->address.space == TSR_SPACE_ARENA &&
           (row->kind == TSR_MEMORY_OWN || row->kind == TSR_MEMORY_WORKSPACE);
}

/* Of a piece: the one whose memory it takes over, or what stood in the way. */
static char *why_here(const TsrMemoryTable *table, const TsrMemoryRow *row)
{
    const TsrMemoryRow *before = NULL;
    guint dead = 0, more = 0;
    guint64 largest = 0;
    for (guint i = 0; i < table->rows->len; i++) {
        const TsrMemoryRow *other = &g_array_index(table->rows, TsrMemoryRow, i);
        if (!is_piece(other) || other == row || other->death >= row->birth)
            continue;
        dead++;
        largest = MAX(largest, other->size);
        if (other->address.offset >= row->address.offset + row->size ||
            row->address.offset >= other->address.offset + other->size)
            continue;
        more += before != NULL;
        if (before == NULL || other->death > before->death)
            before = other;
    }
    if (before != NULL && more != 0)
        return g_strdup_printf("reuses '%s' and %u more", before->name, more);
    if (before != NULL)
        return g_strdup_printf("reuses '%s'", before->name);
    if (dead == 0)
        return g_strdup("new: nothing is dead yet");
    return g_strdup_printf("new: the place of the %u dead (largest %" G_GUINT64_FORMAT
                           " bytes) is taken or was better left to others",
                           dead, largest);
}

char *tsr_memory_table_why(const TsrMemoryTable *table, guint i)
{
    const TsrMemoryRow *row = &g_array_index(table->rows, TsrMemoryRow, i);
    const char *with = row->with != NULL ? row->with : "";
    g_autofree char *why = NULL;
    switch (row->kind) {
    case TSR_MEMORY_VIEW:
        why = g_strdup_printf("view of '%s'", with);
        break;
    case TSR_MEMORY_PART:
        why = g_strdup_printf("part of '%s'", with);
        break;
    case TSR_MEMORY_INPLACE:
        why = g_strdup_printf("in place with '%s'", with);
        break;
    default:
        why = row->address.space != TSR_SPACE_ARENA ? g_strdup("the caller's memory")
                                                    : why_here(table, row);
    }
    return row->note != NULL && row->note[0] != '\0' ? g_strdup_printf("%s; %s", why, row->note)
                                                     : g_steal_pointer(&why);
}
