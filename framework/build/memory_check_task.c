/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check_task.c: one task of the list: where its arguments lie, what they may share, and
 * then its reads before its writes.
 */
#include <tessera/plugin.h>

#include "build/memory_checker.h"
#include "build/memory_use.h"

TsrCheckToken *tsr_checker_workspace(TsrChecker *checker, const TsrTaskArg *arg)
{
    const guint32 index = arg->ref & 0x00ffffffu;
    const guint64 key = (guint64)checker->task->node << 24 | index;
    TsrCheckToken *known = g_hash_table_lookup(checker->workspaces, &key);
    if (known == NULL) {
        known = g_new0(TsrCheckToken, 1);
        known->text = g_strdup_printf("workspace %u of '%s'", index, checker->task->name);
        known->node = checker->task->node;
        g_hash_table_add(checker->tokens, known);
        g_hash_table_insert(checker->workspaces, g_memdup2(&key, sizeof(key)), known);
    }
    return known;
}

/* Each use lies in one piece of the memory table that is alive then. */
static gboolean is_in_table(const TsrChecker *checker, const TsrCheckUse *use)
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

/* The graph output that a copy without a node fills; else the value that the graph says. */
static TsrValue *value_of(const TsrChecker *checker, guint index)
{
    const TsrGraph *graph = checker->program->graph;
    const TsrTaskArg *arg = &g_array_index(checker->task->args, TsrTaskArg, index);
    if (checker->task->kind != TSR_TASK_MEMCPY || checker->task->node < checker->nodes->len ||
        (arg->ref & 0xff000000u) != TSR_ARG_OUTPUT)
        return tsr_task_arg_value(graph, checker->nodes, checker->task, arg);
    return arg->address.index < graph->outputs->len
               ? g_array_index(graph->outputs, TsrGraphOutput, arg->address.index).value
               : NULL;
}

gboolean tsr_checker_arg(TsrChecker *checker, guint index, TsrCheckUse *out_use)
{
    const TsrTaskArg *arg = &g_array_index(checker->task->args, TsrTaskArg, index);
    const guint32 kind = arg->ref & 0xff000000u;
    guint64 size, bytes = arg->bytes;
    *out_use = (TsrCheckUse){.arg = arg, .writes = tsr_task_writes(checker->task, index)};
    if (kind == TSR_ARG_INPUT || kind == TSR_ARG_OUTPUT || kind == TSR_REF_BODY_INPUT ||
        kind == TSR_REF_BODY_OUTPUT) {
        out_use->value = value_of(checker, index);
        if (out_use->value == NULL)
            return tsr_checker_wrong(checker, "has an argument that is no value of its node");
        bytes = tsr_checker_bytes(out_use->value);
        out_use->source = out_use->value;
    } else if (kind == TSR_ARG_WORKSPACE) {
        out_use->source = tsr_checker_workspace(checker, arg);
    }
    out_use->begin = arg->address.offset;
    out_use->end = arg->address.offset + bytes;
    if (kind == TSR_ARG_NULL ? arg->address.space != TSR_SPACE_NULL
                             : kind == TSR_ARG_CONSTANT && arg->address.space != TSR_SPACE_WEIGHTS)
        return tsr_checker_wrong(checker, "has an argument that is not where its kind lies");
    if (bytes == 0 || kind == TSR_ARG_NULL)
        return TRUE;
    if (!tsr_program_space_bytes(checker->program, &arg->address, &size) || bytes > size ||
        arg->address.offset > size - bytes) {
        g_autofree char *text = tsr_checker_use_text(checker, out_use);
        return tsr_checker_wrong(checker, "uses %s, which leaves its memory", text);
    }
    if (arg->address.space == TSR_SPACE_ARENA && !is_in_table(checker, out_use)) {
        g_autofree char *text = tsr_checker_use_text(checker, out_use);
        return tsr_checker_wrong(checker, "uses %s, where the memory table has no piece for it",
                                 text);
    }
    return TRUE;
}

static gboolean same_memory(const TsrCheckUse *a, const TsrCheckUse *b)
{
    return a->arg->address.space == b->arg->address.space &&
           a->arg->address.index == b->arg->address.index && a->begin < b->end &&
           b->begin < a->end;
}

/* Whether the write may share its memory with the other use of the same task. */
static gboolean may_share(const TsrChecker *checker, const TsrCheckUse *write,
                          const TsrCheckUse *other)
{
    const guint32 input = other->arg->ref & 0x00ffffffu;
    if (write->arg->ref == other->arg->ref)
        return write->begin == other->begin;
    if (checker->set == NULL || other->writes || input >= 64 ||
        (write->arg->ref & 0xff000000u) != TSR_ARG_OUTPUT || write->begin != other->begin ||
        write->end != other->end || checker->task->node >= checker->nodes->len ||
        (checker->task->kind != TSR_TASK_KERNEL && checker->task->kind != TSR_TASK_HOST_CALL))
        return FALSE;
    return (tsr_plugin_set_inplace(checker->set,
                                   g_ptr_array_index(checker->nodes, checker->task->node),
                                   write->arg->ref & 0x00ffffffu) >>
                input & 1) != 0;
}

static gboolean check_within(TsrChecker *checker, const GArray *uses)
{
    for (guint i = 0; i < uses->len; i++) {
        const TsrCheckUse *write = &g_array_index(uses, TsrCheckUse, i);
        for (guint k = 0; write->source != NULL && write->writes && k < uses->len; k++) {
            const TsrCheckUse *other = &g_array_index(uses, TsrCheckUse, k);
            if (k != i && other->source != NULL && same_memory(write, other) &&
                !may_share(checker, write, other)) {
                g_autofree char *mine = tsr_checker_use_text(checker, write);
                g_autofree char *theirs = tsr_checker_use_text(checker, other);
                return tsr_checker_wrong(checker, "writes %s over %s, which it %s", mine, theirs,
                                         other->writes ? "writes, too" : "reads");
            }
        }
    }
    return TRUE;
}

/* A copy leaves the pieces of its value behind. */
static void copy_pieces(TsrChecker *checker, const TsrCheckUse *use)
{
    const GArray *pieces = g_hash_table_lookup(checker->pieces, use->value);
    for (guint i = 0; pieces != NULL && i < pieces->len; i++) {
        const TsrCheckPiece *piece = &g_array_index(pieces, TsrCheckPiece, i);
        tsr_memory_map_write(tsr_checker_map(checker, &use->arg->address),
                             use->begin + piece->offset, use->begin + piece->offset + piece->size,
                             piece->source, piece->at, checker->task_index);
    }
}

static gboolean check_copy(TsrChecker *checker, const GArray *uses)
{
    const TsrCheckUse *to, *from;
    if (uses->len != 2)
        return tsr_checker_wrong(checker, "copies nothing");
    to = &g_array_index(uses, TsrCheckUse, 0);
    from = &g_array_index(uses, TsrCheckUse, 1);
    if (to->value == NULL || to->value != from->value ||
        (to->arg->ref & 0xff000000u) != TSR_ARG_OUTPUT ||
        (from->arg->ref & 0xff000000u) != TSR_ARG_INPUT ||
        (to->arg->ref & 0x00ffffffu) != to->arg->address.index ||
        to->arg->address.space != TSR_SPACE_OUTPUT ||
        checker->task->bytes != to->end - to->begin)
        return tsr_checker_wrong(checker, "copies something else than a graph output");
    if (!tsr_checker_read(checker, from) ||
        !tsr_checker_earlier(checker, to, tsr_checker_map(checker, &to->arg->address)))
        return FALSE;
    copy_pieces(checker, to);
    return TRUE;
}

/* A kernel or host call: all it reads, then all it writes. */
static gboolean check_call(TsrChecker *checker, const GArray *uses)
{
    for (guint i = 0; i < uses->len; i++) {
        const TsrCheckUse *use = &g_array_index(uses, TsrCheckUse, i);
        if (use->source != NULL && !use->writes && !tsr_checker_read(checker, use))
            return FALSE;
    }
    for (guint i = 0; i < uses->len; i++) {
        const TsrCheckUse *use = &g_array_index(uses, TsrCheckUse, i);
        if (use->source != NULL && use->writes && !tsr_checker_write(checker, use))
            return FALSE;
    }
    return TRUE;
}

static gboolean is_control(const TsrChecker *checker)
{
    const TsrNode *node = checker->task->node < checker->nodes->len
                              ? g_ptr_array_index(checker->nodes, checker->task->node)
                              : NULL;
    return node != NULL && node->subgraphs->len != 0;
}

gboolean tsr_checker_task(TsrChecker *checker, GArray *uses)
{
    g_array_set_size(uses, 0);
    for (guint a = 0; a < checker->task->args->len; a++) {
        TsrCheckUse use;
        if (!tsr_checker_arg(checker, a, &use))
            return FALSE;
        g_array_append_val(uses, use);
    }
    if (!check_within(checker, uses))
        return FALSE;
    if (is_control(checker))
        return tsr_checker_control(checker, uses);
    switch (checker->task->kind) {
    case TSR_TASK_MEMCPY:
        return check_copy(checker, uses);
    case TSR_TASK_KERNEL:
    case TSR_TASK_HOST_CALL:
        return check_call(checker, uses);
    case TSR_TASK_EVENT_RECORD:
    case TSR_TASK_EVENT_WAIT:
    case TSR_TASK_NOTIFY_RECORD:
    case TSR_TASK_NOTIFY_WAIT:
        return TRUE;
    default:
        return tsr_checker_wrong(checker, "is a jump or a counter of no control flow");
    }
}
