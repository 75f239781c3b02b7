/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_assign.c: see memory_assign.h.
 */
#include "build/memory_assign.h"

#include <tessera/plugin.h>

#include "base/memory.h"
#include "build/inplace.h"
#include "build/memory_plan.h"
#include "build/memory_use.h"
#include "build/state_join.h"

/* What a piece is: a symbol, or a workspace of a node. */
typedef struct Owner {
    TsrSymbol *symbol;
    guint64 workspace;   /* key of workspaces, when symbol is NULL */
    const TsrNode *node;
} Owner;

typedef struct Assigner {
    TsrProgram *program;
    TsrSymbols *symbols;
    const GPtrArray *nodes;
    const TsrAssignOptions *options;
    TsrMemoryUse *use;
    GArray *pieces;          /* TsrPiece */
    GArray *owners;          /* Owner of each */
    GArray *spans;           /* per piece and stream: first and last position, 0: none */
    GHashTable *workspaces;  /* node and index -> piece + 1 */
} Assigner;

static guint64 workspace_key(const TsrProgramTask *task, const TsrTaskArg *arg)
{
    return (guint64)task->node << 24 | (arg->ref & 0x00ffffffu);
}

/* ------------------------------------------------------------------ pieces */

static void add_use(Assigner *assigner, guint piece, guint task)
{
    const TsrTaskOrder *order = assigner->use->order;
    const guint32 position = order->position[task];
    guint32 *span = &g_array_index(assigner->spans, guint32,
                                   ((gsize)piece * order->stream_count + order->stream[task]) * 2);
    TsrPiece *entry = &g_array_index(assigner->pieces, TsrPiece, piece);
    span[0] = span[0] == 0 ? position : MIN(span[0], position);
    span[1] = MAX(span[1], position);
    entry->birth = MIN(entry->birth, task);
    entry->death = MAX(entry->death, task);
}

static guint add_piece(Assigner *assigner, const Owner *owner, guint64 size)
{
    const TsrPiece piece = {.size = size, .birth = G_MAXUINT32};
    g_array_append_val(assigner->pieces, piece);
    g_array_append_val(assigner->owners, *owner);
    g_array_set_size(assigner->spans,
                     assigner->spans->len + 2 * assigner->use->order->stream_count);
    return assigner->pieces->len - 1;
}

static void add_symbols(Assigner *assigner)
{
    const GPtrArray *all = tsr_symbols_all(assigner->symbols);
    for (guint i = 0; i < all->len; i++) {
        Owner owner = {.symbol = g_ptr_array_index(all, i)};
        guint32 first, last;
        guint piece;
        if (!tsr_symbol_is_written(owner.symbol) || owner.symbol->output >= 0 ||
            !tsr_memory_use_span(assigner->use, owner.symbol, &first, &last))
            continue;
        piece = add_piece(assigner, &owner, owner.symbol->bytes);
        owner.symbol->row = piece + 1;
        for (guint m = 0; m < owner.symbol->members->len; m++) {
            const TsrMember *member = g_ptr_array_index(owner.symbol->members, m);
            const GArray *tasks = tsr_memory_use_of(assigner->use, member->value);
            for (guint t = 0; tasks != NULL && t < tasks->len; t++)
                add_use(assigner, piece, g_array_index(tasks, guint, t));
        }
    }
}

static void add_workspaces(Assigner *assigner)
{
    const GPtrArray *tasks = assigner->program->tasks;
    guint64 of_node = 0;
    guint32 node = G_MAXUINT32;
    for (guint i = 0; i < tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(tasks, i);
        for (guint a = 0; a < task->args->len; a++) {
            const TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            Owner owner = {.workspace = workspace_key(task, arg)};
            guint piece;
            if ((arg->ref & 0xff000000u) != TSR_ARG_WORKSPACE)
                continue;
            piece = GPOINTER_TO_UINT(g_hash_table_lookup(assigner->workspaces,
                                                         &owner.workspace));
            if (piece == 0) {
                owner.node = g_ptr_array_index(assigner->nodes, task->node);
                piece = add_piece(assigner, &owner, arg->bytes) + 1;
                g_hash_table_insert(assigner->workspaces,
                                    g_memdup2(&owner.workspace, sizeof(guint64)),
                                    GUINT_TO_POINTER(piece));
                of_node = (task->node == node ? of_node : 0) + arg->bytes;
                node = task->node;
                assigner->program->stats.workspace_bytes =
                    MAX(assigner->program->stats.workspace_bytes, of_node);
            }
            add_use(assigner, piece - 1, i);
        }
    }
}

/* ------------------------------------------------------------------- order */

static const guint32 *span_of(const Assigner *assigner, guint piece)
{
    return &g_array_index(assigner->spans, guint32,
                          (gsize)piece * 2 * assigner->use->order->stream_count);
}

/* Every use of a is done before every use of b: the clock of b's first task on each stream
 * knows of a's last on each. */
static gboolean piece_before(gconstpointer user, guint a, guint b)
{
    const Assigner *assigner = user;
    const TsrTaskOrder *order = assigner->use->order;
    const guint width = order->stream_count;
    const guint32 *from = span_of(assigner, a), *to = span_of(assigner, b);
    const GArray *pieces = assigner->pieces;
    if (width == 1)
        return from[1] < to[0];
    if (g_array_index(pieces, TsrPiece, a).death >= g_array_index(pieces, TsrPiece, b).birth)
        return FALSE;
    for (guint task = 0; task < order->task_count; task++) {
        const guint32 *clock = order->clock + (gsize)task * width;
        if (order->position[task] != to[2 * order->stream[task]])
            continue; /* only the first use on each stream */
        for (guint s = 0; s < width; s++)
            if (from[2 * s + 1] > clock[s])
                return FALSE;
    }
    return TRUE;
}

/* Whether a use of the piece is at the task or before it, and one at or after it. */
static gboolean piece_alive(gconstpointer user, guint piece, guint task)
{
    const Assigner *assigner = user;
    const TsrTaskOrder *order = assigner->use->order;
    const guint width = order->stream_count, stream = order->stream[task];
    const guint32 *span = span_of(assigner, piece);
    const guint32 *clock = order->clock + (gsize)task * width;
    gboolean begun = span[2 * stream] != 0 && span[2 * stream] <= order->position[task];
    gboolean goes_on = span[2 * stream + 1] >= order->position[task];
    for (guint s = 0; s < width && !begun; s++)
        begun = span[2 * s] != 0 && span[2 * s] <= clock[s];
    for (guint t = task + 1; width > 1 && !goes_on && t < order->task_count; t++)
        goes_on = span[2 * order->stream[t] + 1] == order->position[t] &&
                  tsr_task_order_before(order, task, t);
    return begun && goes_on;
}

/* --------------------------------------------------------------- addresses */

TsrAddress tsr_memory_address(TsrProgram *program, TsrSymbols *symbols, const TsrValue *value)
{
    TsrAddress address = {TSR_SPACE_NULL, 0, 0};
    const TsrMember *member = value != NULL ? tsr_symbols_member(symbols, value) : NULL;
    const TsrSymbol *symbol;
    if (member == NULL)
        return address;
    symbol = member->symbol;
    address.offset = member->offset;
    if (symbol->base->producer->kind == TSR_NODE_CONSTANT) {
        address.space = TSR_SPACE_WEIGHTS;
        address.offset += tsr_program_add_constant(program, symbol->base);
    } else if (!tsr_symbol_is_written(symbol)) {
        address.space = TSR_SPACE_INPUT;
        while (g_ptr_array_index(program->graph->inputs, address.index) != symbol->base)
            address.index++;
    } else if (symbol->output >= 0) {
        address.space = TSR_SPACE_OUTPUT;
        address.index = (guint32)symbol->output;
    } else {
        address.space = TSR_SPACE_ARENA;
        if (symbol->row != 0)
            address.offset += symbol->offset;
    }
    return address;
}

static void resolve_args(Assigner *assigner, const TsrProgramTask *task)
{
    TsrProgram *program = assigner->program;
    for (guint a = 0; a < task->args->len; a++) {
        TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
        const guint64 key = workspace_key(task, arg);
        switch (arg->ref & 0xff000000u) {
        case TSR_ARG_INPUT:
        case TSR_ARG_OUTPUT:
        case TSR_REF_BODY_INPUT:
        case TSR_REF_BODY_OUTPUT:
            if (task->kind == TSR_TASK_MEMCPY && task->node == G_MAXUINT32 &&
                (arg->ref & 0xff000000u) == TSR_ARG_OUTPUT)
                arg->address = (TsrAddress){TSR_SPACE_OUTPUT, arg->ref & 0x00ffffffu, 0};
            else
                arg->address = tsr_memory_address(
                    program, assigner->symbols,
                    tsr_task_arg_value(program->graph, assigner->nodes, task, arg));
            break;
        case TSR_ARG_WORKSPACE: {
            const guint piece =
                GPOINTER_TO_UINT(g_hash_table_lookup(assigner->workspaces, &key)) - 1;
            arg->address = (TsrAddress){
                TSR_SPACE_ARENA, 0, g_array_index(assigner->pieces, TsrPiece, piece).offset};
            break;
        }
        default:
            break;
        }
    }
}

/* ------------------------------------------------------------------- table */

static void add_row(Assigner *assigner, const TsrMember *member)
{
    const GArray *tasks = tsr_memory_use_of(assigner->use, member->value);
    TsrMemoryRow row = {.size = member->bytes, .kind = member->kind};
    if (member->value == member->symbol->base && member->symbol->row != 0) {
        const TsrPiece *piece =
            &g_array_index(assigner->pieces, TsrPiece, member->symbol->row - 1);
        row.size = piece->size; /* for all who share it */
        row.birth = piece->birth;
        row.death = piece->death;
    } else if (tasks != NULL) {
        row.birth = g_array_index(tasks, guint, 0);
        row.death = g_array_index(tasks, guint, tasks->len - 1);
    } else if (member->kind == TSR_MEMORY_OWN) {
        return; /* no task knows of it */
    } else {
        guint32 first, last;
        if (!tsr_memory_use_span(assigner->use, member->symbol, &first, &last))
            return;
        row.birth = first;
        row.death = last;
    }
    row.name = g_strdup(member->value->name);
    row.address = tsr_memory_address(assigner->program, assigner->symbols, member->value);
    row.with = member->with != NULL ? g_strdup(member->with->name) : NULL;
    row.note = g_strdup(member->note);
    g_array_append_val(assigner->program->memory, row);
}

static void add_rows(Assigner *assigner)
{
    for (guint i = 0; i < assigner->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(assigner->nodes, i);
        for (guint k = 0; node->kind != TSR_NODE_CONSTANT && k < node->outputs->len; k++)
            if (g_ptr_array_index(node->outputs, k) != NULL)
                add_row(assigner, tsr_symbols_member(assigner->symbols,
                                                     g_ptr_array_index(node->outputs, k)));
    }
    for (guint i = 0; i < assigner->pieces->len; i++) {
        const TsrPiece *piece = &g_array_index(assigner->pieces, TsrPiece, i);
        const Owner *owner = &g_array_index(assigner->owners, Owner, i);
        TsrMemoryRow row = {.address = {TSR_SPACE_ARENA, 0, piece->offset}, .size = piece->size,
                            .birth = piece->birth, .death = piece->death,
                            .kind = TSR_MEMORY_WORKSPACE};
        if (owner->symbol != NULL)
            continue;
        row.name = g_strdup_printf("%s workspace %u", owner->node->name,
                                   (guint)(owner->workspace & 0x00ffffffu));
        g_array_append_val(assigner->program->memory, row);
    }
}

/* What the pieces would take if every tensor that a task writes had its own. */
static guint64 apart_bytes(const Assigner *assigner)
{
    guint64 sum = 0;
    for (guint i = 0; i < assigner->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(assigner->nodes, i);
        for (guint k = 0; node->kind == TSR_NODE_OPERATOR && k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            const TsrMember *member =
                value != NULL ? tsr_symbols_member(assigner->symbols, value) : NULL;
            const gboolean callers = member != NULL && member->symbol->output >= 0 &&
                                     member->value == member->symbol->base;
            if (member != NULL && member->kind != TSR_MEMORY_VIEW && !callers)
                sum += tsr_align_up(MAX(member->bytes, 1), TSR_MEMORY_ALIGNMENT);
        }
    }
    for (guint i = 0; i < assigner->owners->len; i++)
        if (g_array_index(assigner->owners, Owner, i).symbol == NULL)
            sum += g_array_index(assigner->pieces, TsrPiece, i).size;
    return sum;
}

/* ------------------------------------------------------------------- whole */

static void plan(Assigner *assigner)
{
    const TsrPieceOrder order = {piece_before, piece_alive, assigner,
                                 assigner->program->tasks->len};
    const TsrPlanOptions options = {assigner->options->reuse, assigner->options->alignment,
                                    assigner->program->stream_count > 1 ? &order : NULL};
    TsrPiece *pieces = (TsrPiece *)(void *)assigner->pieces->data;
    tsr_memory_plan(pieces, assigner->pieces->len, &options, &assigner->program->stats);
    for (guint i = 0; i < assigner->owners->len; i++) {
        TsrSymbol *symbol = g_array_index(assigner->owners, Owner, i).symbol;
        if (symbol != NULL)
            symbol->offset = pieces[i].offset;
    }
    assigner->program->stats.no_reuse_bytes = apart_bytes(assigner);
}

void tsr_memory_assign(TsrProgram *program, TsrSymbols *symbols, const GPtrArray *nodes,
                       const TsrPluginSet *set, const TsrAssignOptions *options)
{
    Assigner assigner = {.program = program, .symbols = symbols, .nodes = nodes,
                         .options = options};
    assigner.use = tsr_memory_use_new(program, nodes);
    tsr_memory_use_repeat(assigner.use, symbols);
    assigner.pieces = g_array_new(FALSE, TRUE, sizeof(TsrPiece));
    assigner.owners = g_array_new(FALSE, TRUE, sizeof(Owner));
    assigner.spans = g_array_new(FALSE, TRUE, sizeof(guint32));
    assigner.workspaces = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (options->in_place) {
        tsr_state_join(symbols, assigner.use, nodes, set);
        tsr_inplace_join(symbols, assigner.use, nodes, set);
    }
    add_symbols(&assigner);
    add_workspaces(&assigner);
    plan(&assigner);
    for (guint i = 0; i < program->tasks->len; i++)
        resolve_args(&assigner, g_ptr_array_index(program->tasks, i));
    add_rows(&assigner);
    tsr_state_drop_copies(program);
    tsr_memory_use_free(assigner.use);
    g_array_unref(assigner.pieces);
    g_array_unref(assigner.owners);
    g_array_unref(assigner.spans);
    g_hash_table_unref(assigner.workspaces);
}
