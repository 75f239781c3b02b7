/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.c: see symbols.h.
 */
#include "build/symbols.h"

#include <tessera/plugin_util.h>

#include "build/continuous.h"
#include "ir/storage_layout.h"

struct TsrSymbols {
    GHashTable *members;  /* value -> TsrMember, owned */
    GPtrArray *all;       /* TsrSymbol, owned */
    GHashTable *views;    /* nodes without tasks */
    GHashTable *outputs;  /* values that are graph outputs */
};

gboolean tsr_node_is_viewable(const TsrNode *node)
{
    const TsrValue *input, *output;
    if (node->kind != TSR_NODE_OPERATOR || (node->def->flags & TSR_OP_VIEW) == 0 ||
        node->inputs->len == 0)
        return FALSE;
    input = g_ptr_array_index(node->inputs, 0);
    output = g_ptr_array_index(node->outputs, 0);
    for (guint i = 1; i < node->outputs->len; i++)
        if (g_ptr_array_index(node->outputs, i) != NULL)
            return FALSE; /* such as the mask of a Dropout */
    if (input == NULL || output == NULL || input->desc.view.kind != TSR_KIND_TENSOR)
        return FALSE;
    return (input->desc.view.storage_format == input->desc.view.origin_format &&
            output->desc.view.storage_format == output->desc.view.origin_format) ||
           tsr_storage_same_bytes(&input->desc.view, &output->desc.view);
}

static void member_free(gpointer data)
{
    TsrMember *member = data;
    g_free(member->note);
    g_free(member);
}

static void symbol_free(gpointer data)
{
    TsrSymbol *symbol = data;
    g_ptr_array_unref(symbol->members);
    g_free(symbol);
}

static TsrMember *add_value(TsrSymbols *symbols, TsrValue *value)
{
    TsrMember *member = g_new0(TsrMember, 1);
    TsrSymbol *symbol = g_new0(TsrSymbol, 1);
    member->value = value;
    member->symbol = symbol;
    if (!tsr_desc_storage_bytes(&value->desc.view, &member->bytes))
        member->bytes = 0; /* cannot be: only graphs with static shapes come here */
    symbol->bytes = member->bytes;
    symbol->base = value;
    symbol->output = -1;
    symbol->members = g_ptr_array_new();
    g_ptr_array_add(symbol->members, member);
    g_ptr_array_add(symbols->all, symbol);
    g_hash_table_insert(symbols->members, value, member);
    return member;
}

void tsr_symbols_merge(TsrSymbol *from, TsrSymbol *to, guint64 offset)
{
    for (guint i = 0; i < from->members->len; i++) {
        TsrMember *member = g_ptr_array_index(from->members, i);
        member->symbol = to;
        member->offset += offset;
        g_ptr_array_add(to->members, member);
    }
    g_ptr_array_set_size(from->members, 0);
}

gboolean tsr_symbol_is_written(const TsrSymbol *symbol)
{
    const TsrNode *producer = symbol->base->producer;
    return producer->kind == TSR_NODE_OPERATOR ||
           (producer->kind == TSR_NODE_DATA && producer->graph->parent != NULL);
}

static void add_view(TsrSymbols *symbols, const TsrNode *node, TsrValue *output,
                     const TsrValue *input, guint64 offset, guint32 kind)
{
    TsrMember *member = tsr_symbols_member(symbols, output);
    TsrMember *source = tsr_symbols_member(symbols, input);
    member->kind = kind;
    member->with = input;
    tsr_symbols_merge(member->symbol, source->symbol, source->offset + offset);
    g_hash_table_add(symbols->views, (gpointer)node);
}

/* Outputs that are read straight from the input. A part that is a graph output would have
 * to be copied there after all. */
static void try_parts(TsrSymbols *symbols, const TsrNode *node, GArray *offsets)
{
    if (!tsr_part_offsets(node, offsets))
        return;
    for (guint i = 0; i < node->outputs->len; i++)
        if (g_hash_table_contains(symbols->outputs, g_ptr_array_index(node->outputs, i)))
            return;
    for (guint i = 0; i < node->outputs->len; i++)
        add_view(symbols, node, g_ptr_array_index(node->outputs, i),
                 g_ptr_array_index(node->inputs, 0), g_array_index(offsets, guint64, i),
                 TSR_MEMORY_PART);
}

/* Why an input cannot be written straight into the output of a Concat; NULL: it can. */
static const char *why_not_joined(TsrSymbols *symbols, const TsrNode *node, guint index)
{
    const TsrMember *member =
        tsr_symbols_member(symbols, g_ptr_array_index(node->inputs, index));
    if (!tsr_symbol_is_written(member->symbol))
        return "is a graph input or a constant";
    if (member->symbol->base->producer->kind != TSR_NODE_OPERATOR ||
        member->symbol->base->producer->graph != node->graph)
        return "is written by another graph's tasks";
    if (member->offset != 0 || member->bytes != member->symbol->bytes)
        return "lies in a larger tensor already";
    for (guint i = 0; i < member->symbol->members->len; i++) {
        const TsrMember *other = g_ptr_array_index(member->symbol->members, i);
        if (g_hash_table_contains(symbols->outputs, other->value))
            return "is a graph output";
    }
    for (guint i = 0; i < index; i++)
        if (tsr_symbols_member(symbols, g_ptr_array_index(node->inputs, i))->symbol ==
            member->symbol)
            return "is there twice";
    return NULL;
}

/* All inputs of a Concat are written straight into its output, or none is. */
static void try_join(TsrSymbols *symbols, const TsrNode *node, GArray *offsets)
{
    TsrValue *output;
    TsrMember *whole;
    if (!tsr_join_offsets(node, offsets))
        return;
    output = g_ptr_array_index(node->outputs, 0);
    whole = tsr_symbols_member(symbols, output);
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *input = g_ptr_array_index(node->inputs, i);
        const char *reason = why_not_joined(symbols, node, i);
        if (reason == NULL)
            continue;
        whole->note = g_strdup_printf("copied together: '%s' %s", input->name, reason);
        return;
    }
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrMember *part = tsr_symbols_member(symbols, g_ptr_array_index(node->inputs, i));
        TsrSymbol *joined = part->symbol;
        TsrMember *base = tsr_symbols_member(symbols, joined->base);
        base->kind = TSR_MEMORY_PART;
        base->with = output;
        tsr_symbols_merge(joined, whole->symbol, g_array_index(offsets, guint64, i));
    }
    g_hash_table_add(symbols->views, (gpointer)node);
}

/* A graph output lives in the caller's memory when its producer can write there. */
static void assign_outputs(TsrSymbols *symbols, const TsrGraph *graph)
{
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrMember *member = tsr_symbols_member(
            symbols, g_array_index(graph->outputs, TsrGraphOutput, i).value);
        if (tsr_symbol_is_written(member->symbol) && member->symbol->output < 0 &&
            member->offset == 0 && member->bytes == member->symbol->bytes)
            member->symbol->output = (gint)i;
    }
}

static void add_node(TsrSymbols *symbols, const TsrNode *node, gboolean join, GArray *offsets)
{
    for (guint i = 0; i < node->outputs->len; i++)
        if (g_ptr_array_index(node->outputs, i) != NULL)
            add_value(symbols, g_ptr_array_index(node->outputs, i));
    if (tsr_node_is_viewable(node))
        add_view(symbols, node, g_ptr_array_index(node->outputs, 0),
                 g_ptr_array_index(node->inputs, 0), 0, TSR_MEMORY_VIEW);
    else if (join && node->kind == TSR_NODE_OPERATOR) {
        try_parts(symbols, node, offsets);
        try_join(symbols, node, offsets);
    }
}

TsrSymbols *tsr_symbols_new(const TsrGraph *graph, const GPtrArray *order, gboolean join)
{
    TsrSymbols *symbols = g_new0(TsrSymbols, 1);
    g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
    symbols->members = g_hash_table_new_full(NULL, NULL, NULL, member_free);
    symbols->all = g_ptr_array_new_with_free_func(symbol_free);
    symbols->views = g_hash_table_new(NULL, NULL);
    symbols->outputs = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < graph->outputs->len; i++)
        g_hash_table_add(symbols->outputs,
                         g_array_index(graph->outputs, TsrGraphOutput, i).value);
    for (guint i = 0; i < order->len; i++)
        add_node(symbols, g_ptr_array_index(order, i), join, offsets);
    assign_outputs(symbols, graph);
    return symbols;
}

void tsr_symbols_free(TsrSymbols *symbols)
{
    if (symbols == NULL)
        return;
    g_hash_table_unref(symbols->members);
    g_ptr_array_unref(symbols->all);
    g_hash_table_unref(symbols->views);
    g_hash_table_unref(symbols->outputs);
    g_free(symbols);
}

TsrMember *tsr_symbols_member(TsrSymbols *symbols, const TsrValue *value)
{
    return g_hash_table_lookup(symbols->members, value);
}

const GPtrArray *tsr_symbols_all(const TsrSymbols *symbols)
{
    return symbols->all;
}

gboolean tsr_symbols_is_view(TsrSymbols *symbols, const TsrNode *node)
{
    return g_hash_table_contains(symbols->views, node);
}
