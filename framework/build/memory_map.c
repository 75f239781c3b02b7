/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_map.c: see memory_map.h.
 */
#include "build/memory_map.h"

static void clear_run(gpointer data)
{
    g_free(((TsrMemoryRun *)data)->readers);
}

TsrMemoryMap *tsr_memory_map_new(guint64 size, guint stream_count)
{
    TsrMemoryMap *map = g_new0(TsrMemoryMap, 1);
    const TsrMemoryRun all = {.end = size, .writer = TSR_NO_TASK};
    map->runs = g_array_new(FALSE, FALSE, sizeof(TsrMemoryRun));
    g_array_set_clear_func(map->runs, clear_run);
    map->size = size;
    map->stream_count = stream_count;
    if (size != 0)
        g_array_append_val(map->runs, all);
    return map;
}

void tsr_memory_map_free(TsrMemoryMap *map)
{
    if (map == NULL)
        return;
    g_array_unref(map->runs);
    g_free(map);
}

TsrMemoryRun *tsr_memory_map_run(const TsrMemoryMap *map, guint index)
{
    return &g_array_index(map->runs, TsrMemoryRun, index);
}

guint tsr_memory_map_find(const TsrMemoryMap *map, guint64 begin)
{
    guint low = 0, high = map->runs->len;
    while (low < high) {
        const guint middle = (low + high) / 2;
        if (tsr_memory_map_run(map, middle)->end <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Makes a border at that place, which is within the map; returns the run that begins
 * there, or the number of runs. */
static guint cut(TsrMemoryMap *map, guint64 at)
{
    const guint index = tsr_memory_map_find(map, at);
    TsrMemoryRun right;
    if (index == map->runs->len || tsr_memory_map_run(map, index)->begin == at)
        return index;
    right = *tsr_memory_map_run(map, index);
    if (right.readers != NULL)
        right.readers = g_memdup2(right.readers, map->stream_count * sizeof(guint32));
    right.at += at - right.begin;
    right.begin = at;
    tsr_memory_map_run(map, index)->end = at;
    g_array_insert_val(map->runs, index + 1, right);
    return index + 1;
}

void tsr_memory_map_write(TsrMemoryMap *map, guint64 begin, guint64 end, gconstpointer source,
                          guint64 at, guint32 writer)
{
    const TsrMemoryRun run = {begin, end, at, source, writer, NULL};
    guint first, last;
    if (begin == end)
        return;
    first = cut(map, begin);
    last = cut(map, end);
    g_array_remove_range(map->runs, first, last - first);
    g_array_insert_val(map->runs, first, run);
}

void tsr_memory_map_read(TsrMemoryMap *map, guint64 begin, guint64 end, guint stream,
                         guint32 reader)
{
    guint first, last;
    if (begin == end)
        return;
    first = cut(map, begin);
    last = cut(map, end);
    for (guint i = first; i < last; i++) {
        TsrMemoryRun *run = tsr_memory_map_run(map, i);
        if (run->readers == NULL) {
            run->readers = g_new(guint32, map->stream_count);
            for (guint s = 0; s < map->stream_count; s++)
                run->readers[s] = TSR_NO_TASK;
        }
        run->readers[stream] = reader;
    }
}

TsrMemoryMap *tsr_memory_map_copy(const TsrMemoryMap *map)
{
    TsrMemoryMap *copy = g_new0(TsrMemoryMap, 1);
    *copy = *map;
    copy->runs = g_array_sized_new(FALSE, FALSE, sizeof(TsrMemoryRun), map->runs->len);
    g_array_set_clear_func(copy->runs, clear_run);
    for (guint i = 0; i < map->runs->len; i++) {
        TsrMemoryRun run = *tsr_memory_map_run(map, i);
        if (run.readers != NULL)
            run.readers = g_memdup2(run.readers, map->stream_count * sizeof(guint32));
        g_array_append_val(copy->runs, run);
    }
    return copy;
}

/* The later of two tasks, of which each may be none. */
static gboolean take_later(guint32 *task, guint32 other)
{
    if (other == TSR_NO_TASK || (*task != TSR_NO_TASK && *task >= other))
        return FALSE;
    *task = other;
    return TRUE;
}

static gboolean meet_run(const TsrMemoryMap *map, TsrMemoryRun *run, const TsrMemoryRun *other)
{
    gboolean changed = take_later(&run->writer, other->writer);
    if (run->source != NULL &&
        (run->source != other->source ||
         run->at - run->begin != other->at - other->begin)) {
        run->source = NULL;
        run->at = 0;
        changed = TRUE;
    }
    for (guint s = 0; other->readers != NULL && s < map->stream_count; s++) {
        if (other->readers[s] == TSR_NO_TASK)
            continue;
        if (run->readers == NULL) {
            run->readers = g_new(guint32, map->stream_count);
            for (guint k = 0; k < map->stream_count; k++)
                run->readers[k] = TSR_NO_TASK;
        }
        changed |= take_later(&run->readers[s], other->readers[s]);
    }
    return changed;
}

gboolean tsr_memory_map_meet(TsrMemoryMap *map, const TsrMemoryMap *other)
{
    gboolean changed = FALSE;
    for (guint i = 0; i < other->runs->len; i++) {
        const TsrMemoryRun *run = tsr_memory_map_run(other, i);
        const guint first = cut(map, run->begin), last = cut(map, run->end);
        for (guint k = first; k < last; k++)
            changed |= meet_run(map, tsr_memory_map_run(map, k), run);
    }
    return changed;
}

void tsr_memory_map_rename(TsrMemoryMap *map, TsrMemoryRename rename, gpointer user)
{
    for (guint i = 0; i < map->runs->len; i++) {
        TsrMemoryRun *run = tsr_memory_map_run(map, i);
        if (run->source != NULL)
            run->source = rename(user, run->source);
    }
}
