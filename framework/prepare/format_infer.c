/* SPDX-License-Identifier: Apache-2.0
 *
 * format_infer.c: see format_infer.h.
 *
 * Invariant: a value's format is set once, by whoever comes first, so the spreading ends.
 * Conflicts are looked for when it has ended, by asking every node once more: they depend on
 * the formats alone and not on the way there, so that a second call tells the same.
 */
#include "prepare/format_infer.h"

#include <tessera/plugin_util.h>

#include "prepare/format_rule.h"

typedef struct Spreading {
    GPtrArray *order;     /* every node, subgraphs after the node that they belong to */
    GHashTable *owners;   /* value that a subgraph puts out -> GPtrArray of its nodes */
    GQueue queue;         /* of nodes to ask */
    GHashTable *queued;
    GArray *wishes;
} Spreading;

static void conflict_free(TsrFormatConflict *conflict)
{
    g_free(conflict->value);
    g_free(conflict->anchor);
    g_free(conflict->wanted_by);
    g_free(conflict->node);
    g_free(conflict);
}

char *tsr_format_conflict_to_text(const TsrFormatConflict *conflict)
{
    return g_strdup_printf("'%s' means %s by %s, %s by %s; they meet at '%s'", conflict->value,
                           tsr_format_name(conflict->format), conflict->anchor,
                           tsr_format_name(conflict->wanted), conflict->wanted_by,
                           conflict->node);
}

/* -------------------------------------------------------------- the graph */

static gboolean collect(TsrGraph *graph, Spreading *spreading, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        g_ptr_array_add(spreading->order, node);
        for (guint s = 0; s < node->subgraphs->len; s++) {
            TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
            for (guint k = 0; k < subgraph->outputs->len; k++) {
                TsrValue *value = g_array_index(subgraph->outputs, TsrGraphOutput, k).value;
                GPtrArray *owners = g_hash_table_lookup(spreading->owners, value);
                if (owners == NULL) {
                    owners = g_ptr_array_new();
                    g_hash_table_insert(spreading->owners, value, owners);
                }
                g_ptr_array_add(owners, node);
            }
            if (!collect(subgraph, spreading, error))
                return FALSE;
        }
    }
    return TRUE;
}

static void enqueue(Spreading *spreading, TsrNode *node)
{
    if (node->kind == TSR_NODE_OPERATOR && g_hash_table_add(spreading->queued, node))
        g_queue_push_tail(&spreading->queue, node);
}

/* Against the stream: who writes the value, or hands it into the subgraph. */
static void spread_backward(Spreading *spreading, TsrValue *value)
{
    enqueue(spreading, value->producer);
    if (value->producer->kind == TSR_NODE_DATA && value->producer->graph->parent != NULL)
        enqueue(spreading, value->producer->graph->parent);
}

/* With the stream: who reads the value, or gets it from a subgraph. */
static void spread_forward(Spreading *spreading, TsrValue *value)
{
    const GPtrArray *owners = g_hash_table_lookup(spreading->owners, value);
    for (guint i = 0; i < value->users->len; i++)
        enqueue(spreading, g_ptr_array_index(value->users, i));
    for (guint i = 0; owners != NULL && i < owners->len; i++)
        enqueue(spreading, g_ptr_array_index(owners, i));
}

/* ---------------------------------------------------------------- wishes */

static char *anchor_of(const TsrFormatWish *wish, const TsrNode *node)
{
    if (wish->source != NULL && wish->source->format_anchor != NULL)
        return g_strdup(wish->source->format_anchor);
    return g_strdup_printf("'%s'", node->name);
}

/* A value means something once, and scalars mean nothing. */
static gboolean fulfil(const TsrFormatWish *wish, char *anchor)
{
    TsrTensorDesc *desc = &wish->value->desc.view;
    if (desc->origin_format != TSR_FORMAT_ND || wish->value->format_locked || desc->rank == 0) {
        g_free(anchor);
        return FALSE;
    }
    desc->origin_format = wish->format;
    desc->storage_format = wish->format;
    desc->expand_dims = wish->expand_dims;
    g_free(wish->value->format_anchor);
    wish->value->format_anchor = anchor;
    return TRUE;
}

static gboolean ask(Spreading *spreading, TsrNode *node, GError **error)
{
    g_array_set_size(spreading->wishes, 0);
    return tsr_format_wishes(node, spreading->wishes, error);
}

/* Fulfils the node's wishes and queues whom that concerns. */
static gboolean visit(Spreading *spreading, TsrNode *node, GError **error)
{
    g_autoptr(GPtrArray) changed = g_ptr_array_new();
    if (!ask(spreading, node, error))
        return FALSE;
    for (guint i = 0; i < spreading->wishes->len; i++) {
        const TsrFormatWish *wish = &g_array_index(spreading->wishes, TsrFormatWish, i);
        if (fulfil(wish, anchor_of(wish, node)))
            g_ptr_array_add(changed, wish->value);
    }
    for (guint i = 0; i < changed->len; i++)
        spread_backward(spreading, g_ptr_array_index(changed, i));
    for (guint i = 0; i < changed->len; i++)
        spread_forward(spreading, g_ptr_array_index(changed, i));
    return TRUE;
}

static gboolean drain(Spreading *spreading, GError **error)
{
    while (!g_queue_is_empty(&spreading->queue)) {
        TsrNode *node = g_queue_pop_head(&spreading->queue);
        g_hash_table_remove(spreading->queued, node);
        if (!visit(spreading, node, error))
            return FALSE;
    }
    return TRUE;
}

/* ---------------------------------------------------------------- anchors */

/* Lets every node that fixes formats by itself do so, before any format spreads. */
static gboolean set_anchors(Spreading *spreading, GPtrArray *anchors, GError **error)
{
    for (guint i = 0; i < spreading->order->len; i++) {
        TsrNode *node = g_ptr_array_index(spreading->order, i);
        g_autofree char *own = g_strdup_printf("'%s'", node->name);
        gboolean fixes = FALSE;
        if (!ask(spreading, node, error))
            return FALSE;
        for (guint k = 0; k < spreading->wishes->len; k++) {
            const TsrFormatWish *wish = &g_array_index(spreading->wishes, TsrFormatWish, k);
            if (wish->source == NULL || g_strcmp0(wish->source->format_anchor, own) == 0)
                fixes |= fulfil(wish, g_strdup(own)) ||
                         g_strcmp0(wish->value->format_anchor, own) == 0;
        }
        /* What the user declared is an anchor too. */
        for (guint k = 0; k < node->outputs->len && node->kind == TSR_NODE_DATA; k++)
            fixes |= ((const TsrValue *)g_ptr_array_index(node->outputs, k))->format_locked;
        if (fixes)
            g_ptr_array_add(anchors, node);
    }
    return TRUE;
}

static gboolean spread_from(Spreading *spreading, TsrNode *anchor, GError **error)
{
    for (guint i = 0; i < anchor->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(anchor->inputs, i);
        if (value != NULL && value->desc.view.origin_format != TSR_FORMAT_ND)
            spread_backward(spreading, value);
    }
    for (guint side = 0; side < 2; side++) {
        const GPtrArray *values = side == 0 ? anchor->outputs : anchor->inputs;
        for (guint i = 0; i < values->len; i++) {
            TsrValue *value = g_ptr_array_index(values, i);
            if (value != NULL && value->desc.view.origin_format != TSR_FORMAT_ND)
                spread_forward(spreading, value);
        }
    }
    return drain(spreading, error);
}

/* An input that nothing gave a meaning takes the one that the user says all of them have. */
static gboolean spread_data_format(Spreading *spreading, TsrGraph *graph, GError **error)
{
    guint32 five = graph->data_format == TSR_FORMAT_NCHW   ? TSR_FORMAT_NCDHW
                   : graph->data_format == TSR_FORMAT_NHWC ? TSR_FORMAT_NDHWC
                                                           : graph->data_format;
    for (guint i = 0; i < graph->inputs->len && graph->data_format != TSR_FORMAT_ND; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        TsrFormatWish wish = {value, value->desc.view.rank == 5 ? five : graph->data_format, 0,
                              NULL, FALSE};
        if (!tsr_format_fits(&value->desc.view, wish.format, 0) || value->desc.view.rank < 4 ||
            !fulfil(&wish, g_strdup("the graph's data format")))
            continue;
        spread_forward(spreading, value);
        if (!drain(spreading, error))
            return FALSE;
    }
    return TRUE;
}

/* -------------------------------------------------------------- conflicts */

static gboolean is_told(const GPtrArray *conflicts, const TsrFormatConflict *conflict)
{
    for (guint i = 0; i < conflicts->len; i++) {
        const TsrFormatConflict *other = g_ptr_array_index(conflicts, i);
        if (g_str_equal(other->value, conflict->value) && other->wanted == conflict->wanted &&
            g_str_equal(other->wanted_by, conflict->wanted_by))
            return TRUE;
    }
    return FALSE;
}

static gboolean find_conflicts(Spreading *spreading, GPtrArray *conflicts, GError **error)
{
    for (guint i = 0; i < spreading->order->len; i++) {
        TsrNode *node = g_ptr_array_index(spreading->order, i);
        if (!ask(spreading, node, error))
            return FALSE;
        node->keeps_plain = FALSE;
        for (guint k = 0; k < spreading->wishes->len; k++) {
            const TsrFormatWish *wish = &g_array_index(spreading->wishes, TsrFormatWish, k);
            TsrFormatConflict *conflict;
            if (wish->is_parameter || wish->value->desc.view.rank == 0 ||
                wish->value->desc.view.origin_format == wish->format)
                continue;
            /* A block of one meaning holds other elements than a block of the other. */
            node->keeps_plain = TRUE;
            conflict = g_new0(TsrFormatConflict, 1);
            conflict->value = g_strdup(wish->value->name);
            conflict->format = wish->value->desc.view.origin_format;
            conflict->anchor = g_strdup(wish->value->format_anchor != NULL
                                            ? wish->value->format_anchor
                                            : "its maker");
            conflict->wanted = wish->format;
            conflict->wanted_by = anchor_of(wish, node);
            conflict->node = g_strdup(node->name);
            if (is_told(conflicts, conflict))
                conflict_free(conflict);
            else
                g_ptr_array_add(conflicts, conflict);
        }
    }
    return TRUE;
}

gboolean tsr_format_infer(TsrGraph *graph, GError **error)
{
    g_autoptr(GPtrArray) anchors = g_ptr_array_new();
    Spreading spreading = {
        .order = g_ptr_array_new(),
        .owners = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref),
        .queue = G_QUEUE_INIT,
        .queued = g_hash_table_new(NULL, NULL),
        .wishes = g_array_new(FALSE, FALSE, sizeof(TsrFormatWish)),
    };
    gboolean done;
    g_clear_pointer(&graph->format_conflicts, g_ptr_array_unref);
    graph->format_conflicts = g_ptr_array_new_with_free_func((GDestroyNotify)conflict_free);
    done = collect(graph, &spreading, error) && set_anchors(&spreading, anchors, error);
    for (guint i = 0; i < anchors->len && done; i++)
        done = spread_from(&spreading, g_ptr_array_index(anchors, i), error);
    /* Nodes that were put between values with a format since the last call. */
    for (guint i = 0; i < spreading.order->len && done; i++) {
        enqueue(&spreading, g_ptr_array_index(spreading.order, i));
        done = drain(&spreading, error);
    }
    done = done && spread_data_format(&spreading, graph, error) &&
           find_conflicts(&spreading, graph->format_conflicts, error);
    g_ptr_array_unref(spreading.order);
    g_hash_table_unref(spreading.owners);
    g_queue_clear(&spreading.queue);
    g_hash_table_unref(spreading.queued);
    g_array_unref(spreading.wishes);
    return done;
}
