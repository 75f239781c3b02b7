/* SPDX-License-Identifier: Apache-2.0
 *
 * host_exec.c: see host_exec.h. Values of all graphs share one table of slots; a slot
 * is emptied after the last node of its graph that reads it.
 */
#include "runtime/host_exec.h"

#include "base/error.h"
#include "runtime/host_node.h"
#include "runtime/host_part.h"
#include "runtime/host_release.h"

/* One graph or subgraph in order. */
typedef struct Sequence {
    GPtrArray *nodes;    /* TsrHostNode */
    GPtrArray *releases; /* per node: GArray of value ids, or NULL */
} Sequence;

/* The outermost graph again, with its known parts as one call each. */
typedef struct Mixed {
    GArray *units;       /* TsrHostUnit, or NULL: there are no parts */
    GPtrArray *releases; /* per unit */
    GPtrArray *parts;    /* TsrHostPart */
} Mixed;

struct TsrHostExec {
    const TsrProgram *program;
    TsrGraph *graph;
    const TsrPluginSet *set;
    TsrOpenDevice *device;
    TsrArenaPool *pool;
    Mixed mixed;
    GHashTable *sequences; /* TsrGraph -> Sequence */
    GPtrArray *slots;      /* TsrArray by value id */
    GPtrArray *constants;  /* TsrArray of constants by value id; stay */
    TsrSymbolValues symbols; /* of the outermost graph in this run */
    TsrValueHook hook;
    gpointer hook_user;
};

static void sequence_free(gpointer data)
{
    Sequence *sequence = data;
    g_ptr_array_unref(sequence->nodes);
    g_clear_pointer(&sequence->releases, g_ptr_array_unref);
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

static gboolean prepare_graph(TsrHostExec *exec, TsrGraph *graph, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    g_autoptr(GHashTable) uses = tsr_last_uses_new();
    Sequence *sequence;
    if (order == NULL)
        return FALSE;
    sequence = g_new0(Sequence, 1);
    sequence->nodes = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_host_node_free);
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
        prepared = tsr_host_node_new(node, exec->set, exec->device,
                                     graph == exec->graph ? &exec->symbols : NULL, error);
        if (prepared == NULL)
            return FALSE;
        g_ptr_array_add(sequence->nodes, prepared);
    }
    for (guint i = 0; i < sequence->nodes->len; i++)
        tsr_last_uses_note_node(uses, graph,
                                ((TsrHostNode *)g_ptr_array_index(sequence->nodes, i))->node, i);
    sequence->releases = tsr_last_uses_lists(uses, graph, sequence->nodes->len);
    return TRUE;
}

static TsrValue *part_value(const TsrProgram *program, const GArray *places, guint index)
{
    return tsr_part_value(program, &g_array_index(places, TsrPartValue, index));
}

static void note_values(TsrLastUses *uses, const TsrProgram *program, const GArray *values,
                        guint place)
{
    for (guint i = 0; i < values->len; i++)
        tsr_last_uses_note(uses, part_value(program, values, i), place);
}

static gboolean open_parts(TsrHostExec *exec, GError **error)
{
    const GPtrArray *parts = exec->program->parts;
    exec->mixed.parts = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_host_part_free);
    for (guint i = 0; i < parts->len; i++) {
        TsrHostPart *part = tsr_host_part_new(g_ptr_array_index(parts, i), exec->set,
                                              exec->device, exec->pool, error);
        if (part == NULL)
            return FALSE;
        g_ptr_array_add(exec->mixed.parts, part);
    }
    return TRUE;
}

static gboolean prepare_mixed(TsrHostExec *exec, GError **error)
{
    const TsrProgram *program = exec->program;
    const Sequence *sequence = g_hash_table_lookup(exec->sequences, exec->graph);
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    g_autoptr(GHashTable) uses = tsr_last_uses_new();
    if (program->parts->len == 0)
        return TRUE;
    for (guint i = 0; i < sequence->nodes->len; i++)
        g_ptr_array_add(order, ((TsrHostNode *)g_ptr_array_index(sequence->nodes, i))->node);
    exec->mixed.units = tsr_host_units(program, order, error);
    if (exec->mixed.units == NULL)
        return FALSE;
    for (guint i = 0; i < exec->mixed.units->len; i++) {
        const TsrHostUnit *unit = &g_array_index(exec->mixed.units, TsrHostUnit, i);
        if (unit->part < 0) {
            tsr_last_uses_note_node(uses, exec->graph, g_ptr_array_index(order, unit->node), i);
        } else {
            const TsrKnownPart *part = g_ptr_array_index(program->parts, (guint)unit->part);
            note_values(uses, program, part->outputs, i);
            note_values(uses, program, part->inputs, i);
        }
    }
    exec->mixed.releases = tsr_last_uses_lists(uses, exec->graph, exec->mixed.units->len);
    return open_parts(exec, error);
}

static void array_unref(gpointer array)
{
    tsr_array_unref(array);
}

TsrHostExec *tsr_host_exec_new(const TsrProgram *program, const TsrPluginSet *set,
                               TsrOpenDevice *device, TsrArenaPool *pool, GError **error)
{
    TsrHostExec *exec = g_new0(TsrHostExec, 1);
    TsrGraph *graph = program->graph;
    guint32 count = 0;
    exec->program = program;
    exec->graph = tsr_graph_ref(graph);
    exec->set = set;
    exec->device = device;
    exec->pool = pool;
    exec->sequences = g_hash_table_new_full(NULL, NULL, NULL, sequence_free);
    tsr_symbol_values_init(&exec->symbols, graph);
    tsr_graph_foreach(graph, number_values, &count);
    exec->slots = g_ptr_array_new_with_free_func(array_unref);
    exec->constants = g_ptr_array_new_with_free_func(array_unref);
    g_ptr_array_set_size(exec->slots, (gint)count);
    g_ptr_array_set_size(exec->constants, (gint)count);
    if (!prepare_graph(exec, graph, error) || !prepare_mixed(exec, error)) {
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

TsrHostExec *tsr_host_exec_clone(const TsrHostExec *exec, GError **error)
{
    TsrHostExec *clone = g_new0(TsrHostExec, 1);
    GHashTableIter iter;
    gpointer graph, source;
    clone->program = exec->program;
    clone->graph = tsr_graph_ref(exec->graph);
    clone->set = exec->set;
    clone->device = exec->device;
    clone->pool = exec->pool;
    clone->sequences = g_hash_table_new_full(NULL, NULL, NULL, sequence_free);
    tsr_symbol_values_init(&clone->symbols, exec->graph);
    clone->slots = g_ptr_array_new_with_free_func(array_unref);
    g_ptr_array_set_size(clone->slots, (gint)exec->slots->len);
    clone->constants = g_ptr_array_copy(exec->constants, copy_array, NULL);
    g_ptr_array_set_free_func(clone->constants, array_unref);
    g_hash_table_iter_init(&iter, exec->sequences);
    while (g_hash_table_iter_next(&iter, &graph, &source)) {
        const Sequence *from = source;
        Sequence *sequence = g_new0(Sequence, 1);
        sequence->nodes = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_host_node_free);
        sequence->releases = g_ptr_array_ref(from->releases);
        g_hash_table_insert(clone->sequences, graph, sequence);
        for (guint i = 0; i < from->nodes->len; i++) {
            const TsrHostNode *node = g_ptr_array_index(from->nodes, i);
            TsrHostNode *prepared =
                tsr_host_node_new(node->node, clone->set, clone->device,
                                  graph == clone->graph ? &clone->symbols : NULL, error);
            if (prepared == NULL) {
                tsr_host_exec_free(clone);
                return NULL;
            }
            g_ptr_array_add(sequence->nodes, prepared);
        }
    }
    if (exec->mixed.units == NULL)
        return clone;
    clone->mixed.units = g_array_ref(exec->mixed.units);
    clone->mixed.releases = g_ptr_array_ref(exec->mixed.releases);
    if (!open_parts(clone, error))
        g_clear_pointer(&clone, tsr_host_exec_free);
    return clone;
}

void tsr_host_exec_free(TsrHostExec *exec)
{
    if (exec == NULL)
        return;
    g_clear_pointer(&exec->mixed.units, g_array_unref);
    g_clear_pointer(&exec->mixed.releases, g_ptr_array_unref);
    g_clear_pointer(&exec->mixed.parts, g_ptr_array_unref);
    g_hash_table_unref(exec->sequences);
    g_ptr_array_unref(exec->slots);
    g_ptr_array_unref(exec->constants);
    tsr_symbol_values_clear(&exec->symbols);
    tsr_graph_unref(exec->graph);
    g_free(exec);
}

void tsr_host_exec_set_hook(TsrHostExec *exec, TsrValueHook hook, gpointer user)
{
    exec->hook = hook;
    exec->hook_user = user;
}

/* Takes the array. is_told: its shape came from the value's expressions. */
static void put(TsrHostExec *exec, const TsrValue *value, TsrArray *array, gboolean is_told)
{
    if (exec->hook != NULL && array != NULL)
        exec->hook(exec->hook_user, value, array);
    if (array != NULL)
        tsr_symbol_values_bind(&exec->symbols, value, &array->desc.view, is_told);
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
            put(exec, value, outputs[i], tsr_host_node_is_told(prepared));
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

static gboolean run_part(TsrHostExec *exec, guint index, GError **error)
{
    const TsrKnownPart *part = g_ptr_array_index(exec->program->parts, index);
    g_autofree TsrArray **inputs = g_new0(TsrArray *, part->inputs->len + 1);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, part->outputs->len + 1);
    for (guint i = 0; i < part->inputs->len; i++) {
        const TsrValue *value = part_value(exec->program, part->inputs, i);
        inputs[i] = peek(exec, value);
        if (inputs[i] == NULL) {
            g_set_error(error, TSR_ERROR, TSR_INTERNAL, "part '%s': input '%s' has no data",
                        part->program->graph->name, value->name);
            return FALSE;
        }
    }
    if (!tsr_host_part_run(g_ptr_array_index(exec->mixed.parts, index), inputs, outputs, error))
        return FALSE;
    for (guint i = 0; i < part->outputs->len; i++)
        put(exec, part_value(exec->program, part->outputs, i), outputs[i], FALSE);
    return TRUE;
}

static gboolean run_units(TsrHostExec *exec, const Sequence *sequence, GError **error)
{
    for (guint i = 0; i < exec->mixed.units->len; i++) {
        const TsrHostUnit *unit = &g_array_index(exec->mixed.units, TsrHostUnit, i);
        if (!(unit->part >= 0
                  ? run_part(exec, (guint)unit->part, error)
                  : run_node(exec, g_ptr_array_index(sequence->nodes, unit->node), error)))
            return FALSE;
        release(exec, g_ptr_array_index(exec->mixed.releases, i));
    }
    return TRUE;
}

static gboolean run_nodes(TsrHostExec *exec, const Sequence *sequence, GError **error)
{
    for (guint i = 0; i < sequence->nodes->len; i++) {
        if (!run_node(exec, g_ptr_array_index(sequence->nodes, i), error))
            return FALSE;
        release(exec, g_ptr_array_index(sequence->releases, i));
    }
    return TRUE;
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
        put(exec, g_ptr_array_index(graph->inputs, i), tsr_array_ref(inputs[i]), FALSE);
    if (!(graph == exec->graph && exec->mixed.units != NULL && exec->hook == NULL
              ? run_units(exec, sequence, error)
              : run_nodes(exec, sequence, error)))
        return FALSE;
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
    gboolean done;
    tsr_symbol_values_begin(&exec->symbols);
    done = run_graph(exec, exec->graph, inputs, exec->graph->inputs->len, out_outputs,
                     exec->graph->outputs->len, error);
    for (guint i = 0; i < exec->slots->len; i++) {
        tsr_array_unref(g_ptr_array_index(exec->slots, i));
        g_ptr_array_index(exec->slots, i) = NULL;
    }
    return done;
}
