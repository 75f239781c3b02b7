/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster.c: see cluster.h.
 *
 * Every node gets a level: the largest number of engine changes on a path to it.
 * Nodes of one engine and level form a set. A path that left the set and came back
 * would pass another engine and so gain two levels, hence the set is convex, and so
 * is each of its connected parts; those are the clusters.
 */
#include "engine/cluster.h"

#include "engine/answer.h"
#include "plugin/host.h"

typedef struct Levels {
    GHashTable *level; /* node -> level + 1 */
    GHashTable *group; /* node -> node that stands for its cluster (union-find) */
} Levels;

static TsrNode *find_group(Levels *levels, TsrNode *node)
{
    TsrNode *up = g_hash_table_lookup(levels->group, node);
    while (up != node) {
        TsrNode *above = g_hash_table_lookup(levels->group, up);
        g_hash_table_insert(levels->group, node, above);
        node = up;
        up = above;
    }
    return node;
}

static guint level_of(const Levels *levels, const TsrNode *node)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(levels->level, node));
}

/* Calls fn for every operator of the same graph that the node, or a graph inside it,
 * reads from. */
static void foreach_producer(TsrNode *node, TsrNode *reader, Levels *levels,
                             void (*fn)(TsrNode *node, TsrNode *producer, Levels *levels))
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL && value->producer->graph == node->graph &&
            value->producer->kind == TSR_NODE_OPERATOR)
            fn(node, value->producer, levels);
    }
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        TsrGraph *subgraph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            foreach_producer(node, g_ptr_array_index(subgraph->nodes, i), levels, fn);
    }
}

static void raise_level(TsrNode *node, TsrNode *producer, Levels *levels)
{
    guint level = level_of(levels, producer) + (producer->engine != node->engine);
    if (level > level_of(levels, node))
        g_hash_table_insert(levels->level, node, GUINT_TO_POINTER(level));
}

static void join(TsrNode *node, TsrNode *producer, Levels *levels)
{
    if (producer->engine == node->engine && level_of(levels, producer) == level_of(levels, node))
        g_hash_table_insert(levels->group, find_group(levels, node),
                            find_group(levels, producer));
}

guint tsr_cluster_form(TsrGraph *graph)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    Levels levels = {g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL)};
    for (guint i = 0; order != NULL && i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        g_hash_table_insert(levels.group, node, node);
        g_hash_table_insert(levels.level, node, GUINT_TO_POINTER(1));
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        foreach_producer(node, node, &levels, raise_level);
        for (guint c = 0; c < node->control_inputs->len; c++)
            raise_level(node, g_ptr_array_index(node->control_inputs, c), &levels);
        foreach_producer(node, node, &levels, join);
    }
    for (guint i = 0; order != NULL && i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        TsrNode *group = find_group(&levels, node);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        if (!g_hash_table_contains(numbers, group))
            g_hash_table_insert(numbers, group,
                                GUINT_TO_POINTER(g_hash_table_size(numbers)));
        node->cluster = (gint)GPOINTER_TO_UINT(g_hash_table_lookup(numbers, group));
    }
    g_hash_table_unref(levels.level);
    g_hash_table_unref(levels.group);
    return g_hash_table_size(numbers);
}

typedef struct Confirming {
    const TsrPluginSet *set;
    gboolean all;
} Confirming;

static void confirm_cluster(TsrGraph *graph, guint cluster, Confirming *confirming)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    g_autoptr(GPtrArray) nodes = g_ptr_array_new();
    g_autoptr(GPtrArray) views = g_ptr_array_new();
    TsrSupport support = TSR_ANSWER_INIT;
    const TsrRankedEngine *ranked;
    gint32 status;
    for (guint i = 0; order != NULL && i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (node->kind == TSR_NODE_OPERATOR && node->cluster == (gint)cluster) {
            g_ptr_array_add(nodes, node);
            g_ptr_array_add(views, (gpointer)tsr_node_view(node));
        }
    }
    if (nodes->len == 0)
        return;
    ranked = tsr_plugin_set_find_engine(confirming->set,
                                        ((TsrNode *)g_ptr_array_index(nodes, 0))->engine);
    if (ranked == NULL || !TSR_HAS(ranked->engine, confirm))
        return;
    tsr_host_clear_error();
    status = ranked->engine->confirm(ranked->engine, (const TsrNodeView *const *)views->pdata,
                                     views->len, &support);
    if (tsr_answer_settle(&support, status, ranked->name, "confirm", TSR_REFUSE_CLUSTER))
        return;
    confirming->all = FALSE;
    for (guint i = 0; i < nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(nodes, i);
        tsr_node_add_refusal(node, ranked->name, TSR_REFUSE_CLUSTER, support.reason);
        node->engine = NULL;
    }
}

static void confirm_graph(TsrGraph *graph, gpointer data)
{
    guint count = tsr_cluster_form(graph);
    for (guint cluster = 0; cluster < count; cluster++)
        confirm_cluster(graph, cluster, data);
}

gboolean tsr_cluster_confirm(TsrGraph *graph, const TsrPluginSet *set)
{
    Confirming confirming = {set, TRUE};
    tsr_graph_foreach(graph, confirm_graph, &confirming);
    return confirming.all;
}
