/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check.c: see memory_check.h. A serial walk that is right, together with the
 * order of every two conflicting uses, makes every parallel execution right.
 */
#include "build/memory_check.h"

#include <tessera/plugin.h>

#include "base/error.h"
#include "build/continuous.h"
#include "build/memory_map.h"
#include "build/memory_use.h"
#include "build/symbols.h"
#include "build/task_order.h"

/* Bytes [offset, offset + size) of a value are those of a source from `at` on. */
typedef struct Piece {
    const TsrValue *source;
    guint64 at;
    guint64 offset;
    guint64 size;
} Piece;

/* A workspace of a node, as a source. */
typedef struct Workspace {
    const TsrProgramTask *task;
    guint32 index;
} Workspace;

typedef struct Checker {
    const TsrProgram *program;
    const GPtrArray *nodes;
    const TsrPluginSet *set;
    GError **error;
    TsrTaskOrder *order;
    TsrMemoryMap *arena;
    GPtrArray *outputs;      /* TsrMemoryMap of each graph output */
    GHashTable *pieces;      /* value -> GArray of Piece: where its bytes come from */
    GHashTable *to_write;    /* value -> number of tasks that have yet to write it */
    GHashTable *begun;       /* values and workspaces that a task wrote already */
    GHashTable *workspaces;  /* node and index -> Workspace */
    guint8 *has_task;        /* per node */
    guint task_index;
    const TsrProgramTask *task;
} Checker;

/* A use of memory by the task at hand. */
typedef struct Use {
    const TsrTaskArg *arg;
    TsrValue *value;         /* of inputs and outputs */
    gconstpointer source;    /* what a write leaves behind */
    guint64 begin;
    guint64 end;
    gboolean writes;
} Use;

static gboolean G_GNUC_PRINTF(2, 3) wrong(Checker *checker, const char *format, ...)
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

/* (transfer full) */
static char *source_name(const Checker *checker, gconstpointer source)
{
    const Workspace *workspace = source;
    GHashTableIter iter;
    gpointer known;
    if (source == NULL)
        return g_strdup("nothing");
    g_hash_table_iter_init(&iter, checker->workspaces);
    while (g_hash_table_iter_next(&iter, NULL, &known))
        if (known == source)
            return g_strdup_printf("workspace %u of '%s'", workspace->index,
                                   workspace->task->name);
    return g_strdup_printf("'%s'", ((const TsrValue *)source)->name);
}

static const char *task_name(const Checker *checker, guint32 task)
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

/* "'x' at activations [0, 64)"; (transfer full) */
static char *use_text(const Checker *checker, const Use *use)
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

static gboolean wrong_run(Checker *checker, const Use *use, const char *does,
                          const TsrMemoryRun *run, const char *how)
{
    g_autofree char *mine = use_text(checker, use);
    g_autofree char *name = source_name(checker, run->source);
    if (run->source == NULL)
        return wrong(checker, "%s %s, but nothing was written at [%" G_GUINT64_FORMAT
                     ", %" G_GUINT64_FORMAT ")",
                     does, mine, run->begin, run->end);
    return wrong(checker,
                 "%s %s, but [%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                 ") holds %s, which task %u '%s' wrote%s",
                 does, mine, run->begin, run->end, name, run->writer,
                 task_name(checker, run->writer), how);
}

/* ------------------------------------------- where the bytes of values are from */

static void add_piece(GArray *pieces, const TsrValue *source, guint64 at, guint64 offset,
                      guint64 size)
{
    Piece piece = {source, at, offset, size};
    Piece *last = pieces->len != 0 ? &g_array_index(pieces, Piece, pieces->len - 1) : NULL;
    if (size == 0)
        return;
    if (last != NULL && last->source == source && last->at + last->size == at &&
        last->offset + last->size == offset)
        last->size += size;
    else
        g_array_append_val(pieces, piece);
}

/* Adds bytes [first, first + size) of a value at offset. */
static void add_bytes(const Checker *checker, GArray *pieces, const TsrValue *value,
                      guint64 first, guint64 size, guint64 offset)
{
    const GArray *from = g_hash_table_lookup(checker->pieces, value);
    for (guint i = 0; from != NULL && i < from->len; i++) {
        const Piece *piece = &g_array_index(from, Piece, i);
        const guint64 begin = MAX(piece->offset, first);
        const guint64 end = MIN(piece->offset + piece->size, first + size);
        if (begin < end)
            add_piece(pieces, piece->source, piece->at + begin - piece->offset,
                      offset + begin - first, end - begin);
    }
}

static guint64 bytes_of(const TsrValue *value)
{
    guint64 bytes;
    return tsr_desc_storage_bytes(&value->desc.view, &bytes) ? bytes : 0;
}

/* What the graph says of the outputs of a node without a task. */
static void trace_view(Checker *checker, const TsrNode *node, GArray *offsets)
{
    if (tsr_node_is_viewable(node)) {
        const TsrValue *output = g_ptr_array_index(node->outputs, 0);
        add_bytes(checker, g_hash_table_lookup(checker->pieces, output),
                  g_ptr_array_index(node->inputs, 0), 0, bytes_of(output), 0);
    } else if (tsr_part_offsets(node, offsets)) {
        for (guint i = 0; i < offsets->len; i++) {
            const TsrValue *output = g_ptr_array_index(node->outputs, i);
            add_bytes(checker, g_hash_table_lookup(checker->pieces, output),
                      g_ptr_array_index(node->inputs, 0), g_array_index(offsets, guint64, i),
                      bytes_of(output), 0);
        }
    } else if (tsr_join_offsets(node, offsets)) {
        for (guint i = 0; i < offsets->len; i++) {
            const TsrValue *input = g_ptr_array_index(node->inputs, i);
            add_bytes(checker, g_hash_table_lookup(checker->pieces,
                                                   g_ptr_array_index(node->outputs, 0)),
                      input, 0, bytes_of(input), g_array_index(offsets, guint64, i));
        }
    }
}

static void trace_values(Checker *checker)
{
    g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < checker->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(checker->nodes, i);
        const gboolean is_source = node->kind != TSR_NODE_OPERATOR || checker->has_task[i];
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            GArray *pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
            if (value == NULL) {
                g_array_unref(pieces);
                continue;
            }
            if (is_source)
                add_piece(pieces, value, 0, 0, bytes_of(value));
            g_hash_table_insert(checker->pieces, (gpointer)value, pieces);
        }
        if (!is_source)
            trace_view(checker, node, offsets);
    }
}

/* ------------------------------------------------------------------- one use */

static TsrMemoryMap *map_of(const Checker *checker, const TsrAddress *address)
{
    if (address->space == TSR_SPACE_ARENA)
        return checker->arena;
    return address->space == TSR_SPACE_OUTPUT && address->index < checker->outputs->len
               ? g_ptr_array_index(checker->outputs, address->index)
               : NULL;
}

/* Whether the task at hand comes after another in every execution. */
static gboolean is_ordered(const Checker *checker, guint32 earlier)
{
    return earlier == TSR_NO_TASK || earlier == checker->task_index ||
           tsr_task_order_before(checker->order, earlier, checker->task_index);
}

/* Whether [begin, end) of the use's memory holds the source from `at` on. */
static gboolean holds(Checker *checker, const Use *use, guint64 begin, guint64 end,
                      gconstpointer source, guint64 at, const char *does)
{
    const TsrMemoryMap *map = map_of(checker, &use->arg->address);
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

static gboolean check_read(Checker *checker, const Use *use)
{
    const GArray *pieces = g_hash_table_lookup(checker->pieces, use->value);
    const TsrAddress *address = &use->arg->address;
    TsrMemoryMap *map = map_of(checker, address);
    guint64 covered = 0;
    for (guint i = 0; pieces != NULL && i < pieces->len; i++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        const guint64 begin = use->begin + piece->offset;
        gboolean right = TRUE;
        if (g_hash_table_lookup(checker->to_write, piece->source) != NULL)
            return wrong(checker, "reads '%s' before the last task that writes '%s' is done",
                         use->value->name, piece->source->name);
        if (map != NULL)
            right = holds(checker, use, begin, begin + piece->size, piece->source, piece->at,
                          "reads");
        else if (address->space == TSR_SPACE_INPUT)
            right = g_ptr_array_index(checker->program->graph->inputs, address->index) ==
                        piece->source &&
                    begin == piece->at;
        else
            right = address->space == TSR_SPACE_WEIGHTS && pieces->len == 1 &&
                    piece->source->producer->kind == TSR_NODE_CONSTANT;
        if (!right && map == NULL) {
            g_autofree char *text = use_text(checker, use);
            wrong(checker, "reads %s, where that is not", text);
        }
        if (!right)
            return FALSE;
        covered += piece->size;
    }
    if (covered != use->end - use->begin)
        return wrong(checker, "reads '%s', which no task writes", use->value->name);
    if (map != NULL)
        tsr_memory_map_read(map, use->begin, use->end,
                            checker->order->stream[checker->task_index], checker->task_index);
    return TRUE;
}

/* Whether whoever used the memory before is done in every execution. */
static gboolean check_earlier(Checker *checker, const Use *use, const TsrMemoryMap *map)
{
    for (guint i = tsr_memory_map_find(map, use->begin); i < map->runs->len; i++) {
        const TsrMemoryRun *run = tsr_memory_map_run(map, i);
        if (run->begin >= use->end)
            break;
        if (!is_ordered(checker, run->writer))
            return wrong_run(checker, use, "writes", run, " without an event between them");
        for (guint s = 0; run->readers != NULL && s < map->stream_count; s++)
            if (!is_ordered(checker, run->readers[s])) {
                g_autofree char *text = use_text(checker, use);
                g_autofree char *name = source_name(checker, run->source);
                return wrong(checker,
                             "writes %s, but task %u '%s' may still read %s there: no event is "
                             "between them",
                             text, run->readers[s], task_name(checker, run->readers[s]), name);
            }
    }
    return TRUE;
}

static gboolean check_write(Checker *checker, const Use *use)
{
    TsrMemoryMap *map = map_of(checker, &use->arg->address);
    if (use->begin == use->end)
        return TRUE;
    if (map == NULL) {
        g_autofree char *text = use_text(checker, use);
        return wrong(checker, "writes %s, which is read only", text);
    }
    if (g_hash_table_contains(checker->begun, use->source) &&
        !holds(checker, use, use->begin, use->end, use->source, 0, "goes on with"))
        return FALSE;
    if (!check_earlier(checker, use, map))
        return FALSE;
    g_hash_table_add(checker->begun, (gpointer)use->source);
    tsr_memory_map_write(map, use->begin, use->end, use->source, 0, checker->task_index);
    return TRUE;
}

/* ------------------------------------------------------------------ one task */

static gconstpointer workspace_of(Checker *checker, const TsrTaskArg *arg)
{
    const guint64 key = (guint64)checker->task->node << 24 | (arg->ref & 0x00ffffffu);
    Workspace *known = g_hash_table_lookup(checker->workspaces, &key);
    if (known == NULL) {
        known = g_new(Workspace, 1);
        *known = (Workspace){checker->task, arg->ref & 0x00ffffffu};
        g_hash_table_insert(checker->workspaces, g_memdup2(&key, sizeof(key)), known);
    }
    return known;
}

/* Each use lies in one piece of the memory table that is alive then. */
static gboolean is_in_table(const Checker *checker, const Use *use)
{
    for (guint i = 0; i < checker->program->memory->len; i++) {
        const TsrMemoryRow *row = &g_array_index(checker->program->memory, TsrMemoryRow, i);
        if (row->address.space == TSR_SPACE_ARENA &&
            (row->kind == TSR_MEMORY_OWN || row->kind == TSR_MEMORY_WORKSPACE) &&
            row->address.offset <= use->begin && row->size >= use->end - row->address.offset &&
            row->birth <= checker->task_index && checker->task_index <= row->death)
            return TRUE;
    }
    return use->begin == use->end;
}

/* Fills a use from an argument. */
static gboolean read_arg(Checker *checker, const TsrTaskArg *arg, Use *out_use)
{
    const guint32 kind = arg->ref & 0xff000000u;
    const gboolean copies = checker->task->kind == TSR_TASK_MEMCPY && kind == TSR_ARG_OUTPUT;
    guint64 size, bytes = arg->bytes;
    *out_use = (Use){.arg = arg, .writes = kind == TSR_ARG_OUTPUT || kind == TSR_ARG_WORKSPACE};
    out_use->value = tsr_task_arg_value(checker->program->graph, checker->nodes, checker->task,
                                        arg);
    if (copies)
        out_use->value = arg->address.index < checker->program->graph->outputs->len
                             ? g_array_index(checker->program->graph->outputs, TsrGraphOutput,
                                             arg->address.index).value
                             : NULL;
    if (kind == TSR_ARG_INPUT || kind == TSR_ARG_OUTPUT) {
        if (out_use->value == NULL)
            return wrong(checker, "has an argument that is no value of its node");
        bytes = bytes_of(out_use->value);
        out_use->source = out_use->value;
    } else if (kind == TSR_ARG_WORKSPACE) {
        out_use->source = workspace_of(checker, arg);
    }
    out_use->begin = arg->address.offset;
    out_use->end = arg->address.offset + bytes;
    if (bytes == 0 || kind == TSR_ARG_NULL)
        return TRUE;
    if (!tsr_program_space_bytes(checker->program, &arg->address, &size) || bytes > size ||
        arg->address.offset > size - bytes) {
        g_autofree char *text = use_text(checker, out_use);
        return wrong(checker, "uses %s, which leaves its memory", text);
    }
    if (arg->address.space == TSR_SPACE_ARENA && !is_in_table(checker, out_use)) {
        g_autofree char *text = use_text(checker, out_use);
        return wrong(checker, "uses %s, where the memory table has no piece for it", text);
    }
    return TRUE;
}

static gboolean same_memory(const Use *a, const Use *b)
{
    return a->arg->address.space == b->arg->address.space &&
           a->arg->address.index == b->arg->address.index && a->begin < b->end &&
           b->begin < a->end;
}

/* Whether the write may share its memory with the other use of the same task. */
static gboolean may_share(const Checker *checker, const Use *write, const Use *other)
{
    const guint32 input = other->arg->ref & 0x00ffffffu;
    if (write->arg->ref == other->arg->ref)
        return write->begin == other->begin;
    if (checker->set == NULL || other->writes || input >= 64 ||
        (write->arg->ref & 0xff000000u) != TSR_ARG_OUTPUT || write->begin != other->begin ||
        write->end != other->end || checker->task->node >= checker->nodes->len ||
        checker->task->kind == TSR_TASK_MEMCPY)
        return FALSE;
    return (tsr_plugin_set_inplace(checker->set,
                                   g_ptr_array_index(checker->nodes, checker->task->node),
                                   write->arg->ref & 0x00ffffffu) >>
                input & 1) != 0;
}

static gboolean check_within(Checker *checker, const GArray *uses)
{
    for (guint i = 0; i < uses->len; i++) {
        const Use *write = &g_array_index(uses, Use, i);
        for (guint k = 0; write->writes && k < uses->len; k++) {
            const Use *other = &g_array_index(uses, Use, k);
            if (k != i && same_memory(write, other) && !may_share(checker, write, other)) {
                g_autofree char *mine = use_text(checker, write);
                g_autofree char *theirs = use_text(checker, other);
                return wrong(checker, "writes %s over %s, which it %s", mine, theirs,
                             other->writes ? "writes, too" : "reads");
            }
        }
    }
    return TRUE;
}

static void done_writing(Checker *checker, const TsrValue *value)
{
    const guint left = GPOINTER_TO_UINT(g_hash_table_lookup(checker->to_write, value));
    if (left > 1)
        g_hash_table_insert(checker->to_write, (gpointer)value, GUINT_TO_POINTER(left - 1));
    else
        g_hash_table_remove(checker->to_write, value);
}

/* A copy leaves the pieces of its value behind. */
static void copy_pieces(Checker *checker, const Use *use)
{
    const GArray *pieces = g_hash_table_lookup(checker->pieces, use->value);
    for (guint i = 0; pieces != NULL && i < pieces->len; i++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        tsr_memory_map_write(map_of(checker, &use->arg->address), use->begin + piece->offset,
                             use->begin + piece->offset + piece->size, piece->source, piece->at,
                             checker->task_index);
    }
}

static gboolean check_copy(Checker *checker, const GArray *uses)
{
    const Use *to = &g_array_index(uses, Use, 0), *from = &g_array_index(uses, Use, 1);
    if (!to->writes || from->writes || to->value != from->value ||
        (to->arg->ref & 0x00ffffffu) != to->arg->address.index ||
        to->arg->address.space != TSR_SPACE_OUTPUT ||
        checker->task->bytes != to->end - to->begin)
        return wrong(checker, "copies something else than a graph output");
    if (!check_read(checker, from) ||
        !check_earlier(checker, to, map_of(checker, &to->arg->address)))
        return FALSE;
    copy_pieces(checker, to);
    return TRUE;
}

static gboolean check_task(Checker *checker, GArray *uses)
{
    g_array_set_size(uses, 0);
    for (guint a = 0; a < checker->task->args->len; a++) {
        Use use;
        if (!read_arg(checker, &g_array_index(checker->task->args, TsrTaskArg, a), &use))
            return FALSE;
        if (use.source != NULL)
            g_array_append_val(uses, use);
    }
    if (!check_within(checker, uses))
        return FALSE;
    if (checker->task->kind == TSR_TASK_MEMCPY)
        return uses->len == 2 ? check_copy(checker, uses) : wrong(checker, "copies nothing");
    for (guint i = 0; i < uses->len; i++)
        if (!g_array_index(uses, Use, i).writes &&
            !check_read(checker, &g_array_index(uses, Use, i)))
            return FALSE;
    for (guint i = 0; i < uses->len; i++)
        if (g_array_index(uses, Use, i).writes &&
            !check_write(checker, &g_array_index(uses, Use, i)))
            return FALSE;
    for (guint i = 0; i < uses->len; i++)
        if (g_array_index(uses, Use, i).writes && g_array_index(uses, Use, i).value != NULL)
            done_writing(checker, g_array_index(uses, Use, i).value);
    return TRUE;
}

/* --------------------------------------------------------------------- whole */

static void count_writes(Checker *checker)
{
    for (guint i = 0; i < checker->program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(checker->program->tasks, i);
        if (task->kind != TSR_TASK_KERNEL && task->kind != TSR_TASK_HOST_CALL)
            continue;
        if (task->node < checker->nodes->len)
            checker->has_task[task->node] = 1;
        for (guint a = 0; a < task->args->len; a++) {
            const TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            const TsrValue *value =
                tsr_task_arg_value(checker->program->graph, checker->nodes, task, arg);
            if (value != NULL && (arg->ref & 0xff000000u) == TSR_ARG_OUTPUT)
                g_hash_table_insert(
                    checker->to_write, (gpointer)value,
                    GUINT_TO_POINTER(
                        GPOINTER_TO_UINT(g_hash_table_lookup(checker->to_write, value)) + 1));
        }
    }
}

/* Every graph output holds its value once all tasks are done. */
static gboolean check_outputs(Checker *checker)
{
    const GArray *outputs = checker->program->graph->outputs;
    for (guint i = 0; i < outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(outputs, TsrGraphOutput, i);
        const GArray *pieces = g_hash_table_lookup(checker->pieces, output->value);
        const TsrMemoryMap *map = g_ptr_array_index(checker->outputs, i);
        guint64 covered = 0;
        for (guint r = 0; r < map->runs->len; r++) {
            const TsrMemoryRun *run = tsr_memory_map_run(map, r);
            for (guint k = 0; pieces != NULL && k < pieces->len; k++) {
                const Piece *piece = &g_array_index(pieces, Piece, k);
                const guint64 begin = MAX(run->begin, piece->offset);
                const guint64 end = MIN(run->end, piece->offset + piece->size);
                if (begin < end && run->source == piece->source &&
                    run->at + begin - run->begin == piece->at + begin - piece->offset)
                    covered += end - begin;
            }
        }
        if (covered != bytes_of(output->value))
            return wrong(checker, "graph output '%s' does not hold '%s' in the end",
                         output->name, output->value->name);
    }
    return TRUE;
}

static void clear_pieces(gpointer data)
{
    g_array_unref(data);
}

gboolean tsr_memory_check(const TsrProgram *program, const GPtrArray *nodes,
                          const TsrPluginSet *set, GError **error)
{
    Checker checker = {.program = program, .nodes = nodes, .set = set, .error = error};
    g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(Use));
    gboolean right = TRUE;
    if (!program->is_sink)
        return TRUE;
    checker.order = tsr_task_order_new(program->tasks, program->stream_count,
                                       program->event_count);
    checker.arena = tsr_memory_map_new(program->stats.activation_bytes, program->stream_count);
    checker.outputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_memory_map_free);
    for (guint i = 0; i < program->graph->outputs->len; i++)
        g_ptr_array_add(checker.outputs,
                        tsr_memory_map_new(bytes_of(g_array_index(program->graph->outputs,
                                                                  TsrGraphOutput, i).value),
                                           program->stream_count));
    checker.pieces = g_hash_table_new_full(NULL, NULL, NULL, clear_pieces);
    checker.to_write = g_hash_table_new(NULL, NULL);
    checker.begun = g_hash_table_new(NULL, NULL);
    checker.workspaces = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    checker.has_task = g_new0(guint8, nodes->len + 1);
    count_writes(&checker);
    trace_values(&checker);
    for (guint i = 0; right && i < program->tasks->len; i++) {
        checker.task_index = i;
        checker.task = g_ptr_array_index(program->tasks, i);
        right = check_task(&checker, uses);
    }
    checker.task = NULL;
    right = right && check_outputs(&checker);
    tsr_task_order_free(checker.order);
    tsr_memory_map_free(checker.arena);
    g_ptr_array_unref(checker.outputs);
    g_hash_table_unref(checker.pieces);
    g_hash_table_unref(checker.to_write);
    g_hash_table_unref(checker.begun);
    g_hash_table_unref(checker.workspaces);
    g_free(checker.has_task);
    return right;
}
