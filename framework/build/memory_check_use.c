/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check_use.c: one use of memory by a task: whether it lies where it may, finds what it
 * reads, and what it leaves behind. Also what errors say.
 */
#include <tessera/plugin.h>

#include "base/error.h"
#include "build/memory_checker.h"
#include "build/memory_use.h"

gboolean tsr_checker_wrong(TsrChecker *checker, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    if (checker->task != NULL)
        g_set_error(checker->error, TSR_ERROR, TSR_CORRUPT, "memory: task %u '%s' %s",
                    checker->task_index, checker->task->name, text);
    else
        g_set_error(checker->error, TSR_ERROR, TSR_CORRUPT, "memory: %s", text);
    return FALSE;
}

/* "'x'", "workspace 0 of 'y'"; (transfer full) */
static char *source_name(const TsrChecker *checker, gconstpointer source)
{
    if (source == NULL)
        return g_strdup("nothing");
    if (g_hash_table_contains(checker->tokens, source))
        return g_strdup(((const TsrCheckToken *)source)->text);
    return g_strdup_printf("'%s'", ((const TsrValue *)source)->name);
}

static const char *task_name(const TsrChecker *checker, guint32 task)
{
    return task != TSR_NO_TASK
               ? ((const TsrProgramTask *)g_ptr_array_index(checker->program->tasks, task))->name
               : "nobody";
}

static const char *space_name(guint32 space)
{
    static const char *const names[] = {"nowhere", "activations", "weights", "input", "output"};
    return space < G_N_ELEMENTS(names) ? names[space] : "?";
}

char *tsr_checker_use_text(const TsrChecker *checker, const TsrCheckUse *use)
{
    g_autofree char *name = source_name(checker, use->source);
    const TsrAddress *address = &use->arg->address;
    if (address->space == TSR_SPACE_INPUT || address->space == TSR_SPACE_OUTPUT)
        return g_strdup_printf("%s at %s %u [%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ")",
                               name, space_name(address->space), address->index, use->begin,
                               use->end);
    return g_strdup_printf("%s at %s [%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ")", name,
                           space_name(address->space), use->begin, use->end);
}

static gboolean wrong_run(TsrChecker *checker, const TsrCheckUse *use, const char *does,
                          const TsrMemoryRun *run, const char *how)
{
    g_autofree char *mine = tsr_checker_use_text(checker, use);
    g_autofree char *name = source_name(checker, run->source);
    if (run->source == NULL)
        return tsr_checker_wrong(checker,
                                 "%s %s, but nothing was written at [%" G_GUINT64_FORMAT
                                 ", %" G_GUINT64_FORMAT ")",
                                 does, mine, run->begin, run->end);
    return tsr_checker_wrong(checker,
                             "%s %s, but [%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                             ") holds %s, which task %u '%s' wrote%s",
                             does, mine, run->begin, run->end, name, run->writer,
                             task_name(checker, run->writer), how);
}

/* ------------------------------------------------------------------- one use */

TsrMemoryMap *tsr_checker_map(const TsrChecker *checker, const TsrAddress *address)
{
    if (address->space == TSR_SPACE_ARENA)
        return checker->state.arena;
    return address->space == TSR_SPACE_OUTPUT && address->index < checker->state.outputs->len
               ? g_ptr_array_index(checker->state.outputs, address->index)
               : NULL;
}

/* Whether the task at hand comes after another in every execution. Of two tasks of one stream
 * the one that was walked before is done: the list is its order, but for jumps, which the walk
 * follows. */
static gboolean is_ordered(const TsrChecker *checker, guint32 earlier)
{
    return earlier == TSR_NO_TASK ||
           checker->order->stream[earlier] == checker->order->stream[checker->task_index] ||
           tsr_task_order_before(checker->order, earlier, checker->task_index);
}

gboolean tsr_checker_holds(TsrChecker *checker, const TsrCheckUse *use, guint64 begin,
                           guint64 end, gconstpointer source, guint64 at, const char *does)
{
    const TsrMemoryMap *map = tsr_checker_map(checker, &use->arg->address);
    for (guint i = tsr_memory_map_find(map, begin); i < map->runs->len; i++) {
        const TsrMemoryRun *run = tsr_memory_map_run(map, i);
        if (run->begin >= end)
            break;
        if (run->source != source ||
            run->at + (MAX(run->begin, begin) - run->begin) !=
                at + (MAX(run->begin, begin) - begin))
            return wrong_run(checker, use, does, run, "");
        if (!is_ordered(checker, run->writer))
            return wrong_run(checker, use, does, run, " without an event between them");
    }
    return TRUE;
}

static void note_read(TsrChecker *checker, const TsrCheckUse *use, TsrMemoryMap *map)
{
    tsr_memory_map_read(map, use->begin, use->end, checker->order->stream[checker->task_index],
                        checker->task_index);
}

gboolean tsr_checker_read_source(TsrChecker *checker, const TsrCheckUse *use,
                                 gconstpointer source)
{
    TsrMemoryMap *map = tsr_checker_map(checker, &use->arg->address);
    if (map == NULL) {
        g_autofree char *text = tsr_checker_use_text(checker, use);
        return tsr_checker_wrong(checker, "reads %s, where that is not", text);
    }
    if (!tsr_checker_holds(checker, use, use->begin, use->end, source, 0, "reads"))
        return FALSE;
    note_read(checker, use, map);
    return TRUE;
}

/* Whether a kernel or host call that is still to come writes the source. */
static gboolean is_unfinished(const TsrChecker *checker, const TsrValue *source)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(checker->last_write, source)) >
           checker->task_index;
}

/* Whether a piece of a value is where tasks do not write. */
static gboolean is_outside(const TsrChecker *checker, const TsrCheckUse *use,
                           const TsrCheckPiece *piece, gboolean is_all)
{
    const TsrAddress *address = &use->arg->address;
    if (address->space == TSR_SPACE_INPUT)
        return g_ptr_array_index(checker->program->graph->inputs, address->index) ==
                   piece->source &&
               use->begin + piece->offset == piece->at;
    return address->space == TSR_SPACE_WEIGHTS && is_all &&
           piece->source->producer->kind == TSR_NODE_CONSTANT;
}

gboolean tsr_checker_read(TsrChecker *checker, const TsrCheckUse *use)
{
    const GArray *pieces = g_hash_table_lookup(checker->pieces, use->value);
    TsrMemoryMap *map = tsr_checker_map(checker, &use->arg->address);
    guint64 covered = 0;
    for (guint i = 0; pieces != NULL && i < pieces->len; i++) {
        const TsrCheckPiece *piece = &g_array_index(pieces, TsrCheckPiece, i);
        const guint64 begin = use->begin + piece->offset;
        if (is_unfinished(checker, piece->source))
            return tsr_checker_wrong(checker,
                                     "reads '%s' before the last task that writes '%s' is done",
                                     use->value->name, piece->source->name);
        if (map == NULL && !is_outside(checker, use, piece, pieces->len == 1)) {
            g_autofree char *text = tsr_checker_use_text(checker, use);
            return tsr_checker_wrong(checker, "reads %s, where that is not", text);
        }
        if (map != NULL && !tsr_checker_holds(checker, use, begin, begin + piece->size,
                                              piece->source, piece->at, "reads"))
            return FALSE;
        covered += piece->size;
    }
    if (covered != use->end - use->begin)
        return tsr_checker_wrong(checker, "reads '%s', which no task writes", use->value->name);
    if (map != NULL)
        note_read(checker, use, map);
    return TRUE;
}

gboolean tsr_checker_earlier(TsrChecker *checker, const TsrCheckUse *use,
                             const TsrMemoryMap *map)
{
    for (guint i = tsr_memory_map_find(map, use->begin); i < map->runs->len; i++) {
        const TsrMemoryRun *run = tsr_memory_map_run(map, i);
        if (run->begin >= use->end)
            break;
        if (!is_ordered(checker, run->writer))
            return wrong_run(checker, use, "writes", run, " without an event between them");
        for (guint s = 0; run->readers != NULL && s < map->stream_count; s++)
            if (!is_ordered(checker, run->readers[s])) {
                g_autofree char *text = tsr_checker_use_text(checker, use);
                g_autofree char *name = source_name(checker, run->source);
                return tsr_checker_wrong(checker,
                             "writes %s, but task %u '%s' may still read %s there: no event is "
                             "between them",
                             text, run->readers[s], task_name(checker, run->readers[s]), name);
            }
    }
    return TRUE;
}

gboolean tsr_checker_put(TsrChecker *checker, const TsrCheckUse *use, gconstpointer source)
{
    TsrMemoryMap *map = tsr_checker_map(checker, &use->arg->address);
    if (use->begin == use->end)
        return TRUE;
    if (map == NULL) {
        g_autofree char *text = tsr_checker_use_text(checker, use);
        return tsr_checker_wrong(checker, "writes %s, which is read only", text);
    }
    if (!tsr_checker_earlier(checker, use, map))
        return FALSE;
    tsr_memory_map_write(map, use->begin, use->end, source, 0, checker->task_index);
    return TRUE;
}

gboolean tsr_checker_write(TsrChecker *checker, const TsrCheckUse *use)
{
    const guint first =
        GPOINTER_TO_UINT(g_hash_table_lookup(checker->first_write, use->source));
    if (use->begin != use->end && first != checker->task_index + 1 &&
        tsr_checker_map(checker, &use->arg->address) != NULL &&
        !tsr_checker_holds(checker, use, use->begin, use->end, use->source, 0, "goes on with"))
        return FALSE;
    return tsr_checker_put(checker, use, use->source);
}
