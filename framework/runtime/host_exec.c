/* SPDX-License-Identifier: Apache-2.0
 *
 * host_exec.c: see host_exec.h. Values of all graphs share one table of slots; a slot
 * is emptied after the last node of its graph that reads it.
 */
#include "runtime/host_exec.h"


#include "base/error.h"
#include "runtime/host_node.h"

/* One graph or subgraph in order. */
typedef struct Sequence {
    GPtrArray *nodes;    /* TsrHostNode */
    GPtrArray *releases; /* per node: GArray of value ids, or NULL */
} Sequence;

struct TsrHostExec {
    TsrGraph *graph;
    const TsrPluginSet *set;
    TsrOpenDevice *device;
    GHashTable *sequences; /* TsrGraph -> Sequence */
    GPtrArray *slots;      /* TsrArray by value id */
    GPtrArray *constants;  /* TsrArray of constants by value id; stay */
    TsrValueHook hook;
    gpointer hook_user;
};

static void sequence_free(gpointer data)
{
    Sequence *sequence = data;
    g_ptr_array_unref(sequence->nodes);
    g_ptr_array_unref(sequence->releases);
    g_free(sequence);
}

static void number_values(TsrGraph *graph, gpointer data)
{
    guint32 *next = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value != NULL)
                value->id = (*next)++;
        }
    }
}

/* Notes that node `position` of the sequence reads the values, its subgraphs' reads
 * included. */
static void note_reads(TsrGraph *graph, const TsrNode *reader, guint position, GHashTable *last)
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL && value->producer->graph == graph)
            g_hash_table_insert(last, value, GUINT_TO_POINTER(position + 1));
    }
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        TsrGraph *subgraph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            note_reads(graph, g_ptr_array_index(subgraph->nodes, i), position, last);
        for (guint i = 0; i < subgraph->outputs->len; i++) {
            TsrValue *value = g_array_index(subgraph->outputs, TsrGraphOutput, i).value;
            if (value->producer->graph == graph)
                g_hash_table_insert(last, value, GUINT_TO_POINTER(position + 1));
        }
    }
}

static void plan_releases(TsrGraph *graph, Sequence *sequence)
{
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
    GHashTableIter iter;
    gpointer value, position;
    for (guint i = 0; i < sequence->nodes->len; i++) {
        const TsrHostNode *node = g_ptr_array_index(sequence->nodes, i);
        for (guint k = 0; k < node->node->outputs->len; k++)
            if (g_ptr_array_index(node->node->outputs, k) != NULL)
                g_hash_table_insert(last, g_ptr_array_index(node->node->outputs, k),
                                    GUINT_TO_POINTER(i + 1));
        note_reads(graph, node->node, i, last);
    }
    for (guint i = 0; i < graph->outputs->len; i++)
        g_hash_table_remove(last, g_array_index(graph->outputs, TsrGraphOutput, i).value);
    g_ptr_array_set_size(sequence->releases, (gint)sequence->nodes->len);
    g_hash_table_iter_init(&iter, last);
    while (g_hash_table_iter_next(&iter, &value, &position)) {
        guint at = GPOINTER_TO_UINT(position) - 1;
        GArray *list = g_ptr_array_index(sequence->releases, at);
        if (((TsrValue *)value)->producer->kind == TSR_NODE_CONSTANT)
            continue;
        if (list == NULL)
            g_ptr_array_index(sequence->releases, at) = list =
                g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_val(list, ((TsrValue *)value)->id);
    }
}

static void ids_unref(gpointer ids)
{
    if (ids != NULL)
        g_array_unref(ids);
}

static gboolean prepare_graph(TsrHostExec *exec, TsrGraph *graph, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    Sequence *sequence;
    if (order == NULL)
        return FALSE;
    sequence = g_new0(Sequence, 1);
    sequence->nodes = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_host_node_free);
    sequence->releases = g_ptr_array_new_with_free_func(ids_unref);
    g_hash_table_insert(exec->sequences, graph, sequence);
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        TsrHostNode *prepared;
        if (node->kind == TSR_NODE_CONSTANT) {
            TsrValue *value = g_ptr_array_index(node->outputs, 0);
            TsrArray *array =
                value->constant != NULL
                    ? tsr_array_new_from_bytes(&value->desc.view, value->constant, error)
                    : NULL;
            if (array == NULL && value->constant != NULL)
                return FALSE;
            g_ptr_array_index(exec->constants, value->id) = array;
        }
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        for (guint s = 0; s < node->subgraphs->len; s++)
            if (!prepare_graph(exec, g_ptr_array_index(node->subgraphs, s), error))
                return FALSE;
        prepared = tsr_host_node_new(node, exec->set, exec->device, error);
        if (prepared == NULL)
            return FALSE;
        g_ptr_array_add(sequence->nodes, prepared);
    }
    plan_releases(graph, sequence);
    return TRUE;
}

static void array_unref(gpointer array)
{
    tsr_array_unref(array);
}

TsrHostExec *tsr_host_exec_new(TsrGraph *graph, const TsrPluginSet *set, TsrOpenDevice *device,
                               GError **error)
{
    TsrHostExec *exec = g_new0(TsrHostExec, 1);
    guint32 count = 0;
    exec->graph = tsr_graph_ref(graph);
    exec->set = set;
    exec->device = device;
    exec->sequences = g_hash_table_new_full(NULL, NULL, NULL, sequence_free);
    tsr_graph_foreach(graph, number_values, &count);
    exec->slots = g_ptr_array_new_with_free_func(array_unref);
    exec->constants = g_ptr_array_new_with_free_func(array_unref);
    g_ptr_array_set_size(exec->slots, (gint)count);
    g_ptr_array_set_size(exec->constants, (gint)count);
    if (!prepare_graph(exec, graph, error)) {
        tsr_host_exec_free(exec);
        return NULL;
    }
    return exec;
}

static gpointer copy_array(gconstpointer array, gpointer data)
{
    (void)data;
    return array != NULL ? tsr_array_ref((TsrArray *)array) : NULL;
}

static gpointer copy_ids(gconstpointer ids, gpointer data)
{
    (void)data;
    return ids != NULL ? g_array_ref((GArray *)ids) : NULL;
}

TsrHostExec *tsr_host_exec_clone(const TsrHostExec *exec, GError **error)
{
    TsrHostExec *clone = g_new0(TsrHostExec, 1);
    GHashTableIter iter;
    gpointer graph, source;
    clone->graph = tsr_graph_ref(exec->graph);
    clone->set = exec->set;
    clone->device = exec->device;
    clone->sequences = g_hash_table_new_full(NULL, NULL, NULL, sequence_free);
    clone->slots = g_ptr_array_new_with_free_func(array_unref);
    g_ptr_array_set_size(clone->slots, (gint)exec->slots->len);
    clone->constants = g_ptr_array_copy(exec->constants, copy_array, NULL);
    g_ptr_array_set_free_func(clone->constants, array_unref);
    g_hash_table_iter_init(&iter, exec->sequences);
    while (g_hash_table_iter_next(&iter, &graph, &source)) {
        const Sequence *from = source;
        Sequence *sequence = g_new0(Sequence, 1);
        sequence->nodes = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_host_node_free);
        sequence->releases = g_ptr_array_copy(from->releases, copy_ids, NULL);
        g_ptr_array_set_free_func(sequence->releases, ids_unref);
        g_hash_table_insert(clone->sequences, graph, sequence);
        for (guint i = 0; i < from->nodes->len; i++) {
            const TsrHostNode *node = g_ptr_array_index(from->nodes, i);
            TsrHostNode *prepared =
                tsr_host_node_new(node->node, clone->set, clone->device, error);
            if (prepared == NULL) {
                tsr_host_exec_free(clone);
                return NULL;
            }
            g_ptr_array_add(sequence->nodes, prepared);
        }
    }
    return clone;
}

void tsr_host_exec_free(TsrHostExec *exec)
{
    if (exec == NULL)
        return;
    g_hash_table_unref(exec->sequences);
    g_ptr_array_unref(exec->slots);
    g_ptr_array_unref(exec->constants);
    tsr_graph_unref(exec->graph);
    g_free(exec);
}

void tsr_host_exec_set_hook(TsrHostExec *exec, TsrValueHook hook, gpointer user)
{
    exec->hook = hook;
    exec->hook_user = user;
}

/* Takes the array. */
static void put(TsrHostExec *exec, const TsrValue *value, TsrArray *array)
{
    if (exec->hook != NULL && array != NULL)
        exec->hook(exec->hook_user, value, array);
    tsr_array_unref(g_ptr_array_index(exec->slots, value->id));
    g_ptr_array_index(exec->slots, value->id) = array;
}

static TsrArray *peek(const TsrHostExec *exec, const TsrValue *value)
{
    TsrArray *constant = g_ptr_array_index(exec->constants, value->id);
    return constant != NULL ? constant : g_ptr_array_index(exec->slots, value->id);
}

static gboolean run_graph(TsrHostExec *exec, TsrGraph *graph, TsrArray *const *inputs,
                          guint input_count, TsrArray **out_outputs, guint output_count,
                          GError **error);

typedef struct SubgraphUser {
    TsrHostExec *exec;
    TsrNode *node;
} SubgraphUser;

static gboolean run_subgraph(gpointer user, guint32 index, TsrArray *const *inputs,
                             guint input_count, TsrArray **out_outputs, guint output_count,
                             GError **error)
{
    SubgraphUser *call = user;
    return run_graph(call->exec, g_ptr_array_index(call->node->subgraphs, index), inputs,
                     input_count, out_outputs, output_count, error);
}

static gboolean run_node(TsrHostExec *exec, TsrHostNode *prepared, GError **error)
{
    TsrNode *node = prepared->node;
    g_autofree TsrArray **inputs = g_new0(TsrArray *, node->inputs->len + 1);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, node->outputs->len + 1);
    SubgraphUser user = {exec, node};
    TsrRunServices services = {.user = &user, .run_subgraph = run_subgraph};
    gboolean done;

    tsr_device_lend_cores(exec->device, &services);
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        inputs[i] = value != NULL ? peek(exec, value) : NULL;
        if (value != NULL && inputs[i] == NULL) {
            g_set_error(error, TSR_ERROR, TSR_INTERNAL, "%s '%s': input '%s' has no data",
                        node->def->name, node->name, value->name);
            return FALSE;
        }
    }
    done = tsr_host_node_run(prepared, inputs, outputs, &services, error);
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && done)
            put(exec, value, outputs[i]);
        else
            tsr_array_unref(outputs[i]);
    }
    return done;
}

static void release(TsrHostExec *exec, const GArray *ids)
{
    for (guint i = 0; ids != NULL && i < ids->len; i++) {
        gpointer *slot = &g_ptr_array_index(exec->slots, g_array_index(ids, guint32, i));
        tsr_array_unref(*slot);
        *slot = NULL;
    }
}

static gboolean run_graph(TsrHostExec *exec, TsrGraph *graph, TsrArray *const *inputs,
                          guint input_count, TsrArray **out_outputs, guint output_count,
                          GError **error)
{
    const Sequence *sequence = g_hash_table_lookup(exec->sequences, graph);
    if (graph->fault != NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "graph '%s': %s", graph->name,
                    graph->fault);
        return FALSE;
    }
    if (input_count != graph->inputs->len || output_count > graph->outputs->len) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "graph '%s' has %u inputs and %u outputs, but is called with %u and %u",
                    graph->name, graph->inputs->len, graph->outputs->len, input_count,
                    output_count);
        return FALSE;
    }
    for (guint i = 0; i < input_count; i++)
        put(exec, g_ptr_array_index(graph->inputs, i), tsr_array_ref(inputs[i]));
    for (guint i = 0; i < sequence->nodes->len; i++) {
        if (!run_node(exec, g_ptr_array_index(sequence->nodes, i), error))
            return FALSE;
        release(exec, g_ptr_array_index(sequence->releases, i));
    }
    for (guint i = 0; i < output_count; i++) {
        const TsrValue *value = g_array_index(graph->outputs, TsrGraphOutput, i).value;
        TsrArray *array = peek(exec, value);
        if (array == NULL) {
            g_set_error(error, TSR_ERROR, TSR_INTERNAL, "graph '%s': output '%s' has no data",
                        graph->name, value->name);
            for (guint k = 0; k < i; k++)
                g_clear_pointer(&out_outputs[k], tsr_array_unref);
            return FALSE;
        }
        out_outputs[i] = tsr_array_ref(array);
    }
    return TRUE;
}

gboolean tsr_host_exec_run(TsrHostExec *exec, TsrArray *const *inputs, TsrArray **out_outputs,
                           GError **error)
{
    gboolean done = run_graph(exec, exec->graph, inputs, exec->graph->inputs->len, out_outputs,
                              exec->graph->outputs->len, error);
    for (guint i = 0; i < exec->slots->len; i++) {
        tsr_array_unref(g_ptr_array_index(exec->slots, i));
        g_ptr_array_index(exec->slots, i) = NULL;
    }
    return done;
}
