/* SPDX-License-Identifier: Apache-2.0
 *
 * known_parts.c: see known_parts.h. A node has a level: how often the way to it changes from
 * nodes that are not known to nodes that are. The known nodes of one level are one part: what
 * they wait for is of a lower level, or known and of the same one, so parts and single nodes can
 * be put into an order.
 */
#include "build/known_parts.h"

#include <tessera/plugin.h>

#include "build/sinkable.h"

typedef struct Cutter {
    const TsrProgram *program;
    guint *level;       /* by node index; counts known nodes only from where one ends */
    gboolean *known;
} Cutter;

TsrKnownPart *tsr_known_part_new(void)
{
    TsrKnownPart *part = g_new0(TsrKnownPart, 1);
    part->nodes = g_array_new(FALSE, FALSE, sizeof(guint32));
    part->inputs = g_array_new(FALSE, FALSE, sizeof(TsrPartValue));
    part->outputs = g_array_new(FALSE, FALSE, sizeof(TsrPartValue));
    return part;
}

void tsr_known_part_free(TsrKnownPart *part)
{
    tsr_program_free(part->program);
    g_array_unref(part->nodes);
    g_array_unref(part->inputs);
    g_array_unref(part->outputs);
    g_free(part);
}

TsrValue *tsr_part_value(const TsrProgram *program, const TsrPartValue *place)
{
    const TsrNode *node = place->node < program->nodes->len
                              ? g_ptr_array_index(program->nodes, place->node)
                              : NULL;
    return node != NULL && node->graph == program->graph && place->output < node->outputs->len
               ? g_ptr_array_index(node->outputs, place->output)
               : NULL;
}

static const TsrNode *node_at(const Cutter *cutter, guint index)
{
    return g_ptr_array_index(cutter->program->nodes, index);
}

/* Whether all that the node and the graphs below it read is known. */
static gboolean reads_known(const TsrNode *node)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && !tsr_value_is_known(value))
            return FALSE;
    }
    for (guint s = 0; s < node->subgraphs->len; s++) {
        const TsrGraph *graph = g_ptr_array_index(node->subgraphs, s);
        for (guint i = 0; i < graph->nodes->len; i++)
            if (!reads_known(g_ptr_array_index(graph->nodes, i)))
                return FALSE;
        for (guint i = 0; i < graph->outputs->len; i++)
            if (!tsr_value_is_known(g_array_index(graph->outputs, TsrGraphOutput, i).value))
                return FALSE;
    }
    return TRUE;
}

static void reach(Cutter *cutter, const TsrNode *node, const TsrNode *before)
{
    guint level = cutter->level[before->index];
    if (before->kind != TSR_NODE_OPERATOR || before->graph != node->graph)
        return;
    level += cutter->known[node->index] && !cutter->known[before->index];
    cutter->level[node->index] = MAX(cutter->level[node->index], level);
}

/* What a node and the graphs below it wait for. */
static void reach_all(Cutter *cutter, const TsrNode *node, const TsrNode *reader)
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL)
            reach(cutter, node, value->producer);
    }
    for (guint i = 0; i < reader->control_inputs->len; i++)
        reach(cutter, node, g_ptr_array_index(reader->control_inputs, i));
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        const TsrGraph *graph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < graph->nodes->len; i++)
            reach_all(cutter, node, g_ptr_array_index(graph->nodes, i));
        for (guint i = 0; i < graph->outputs->len; i++)
            reach(cutter, node,
                  g_array_index(graph->outputs, TsrGraphOutput, i).value->producer);
    }
}

static guint find_levels(Cutter *cutter)
{
    guint most = 0;
    for (guint i = 0; i < cutter->program->nodes->len; i++) {
        const TsrNode *node = node_at(cutter, i);
        if (node->graph != cutter->program->graph || node->kind != TSR_NODE_OPERATOR)
            continue;
        cutter->known[i] = tsr_node_is_known(node) && reads_known(node);
        reach_all(cutter, node, node);
        most = MAX(most, cutter->level[i]);
    }
    return most;
}

/* ------------------------------------------------------------------- copies */

typedef struct Copier {
    TsrKnownPart *part;
    const GPtrArray *order; /* TsrProgram.nodes */
    TsrGraph *graph;
    GHashTable *copies;   /* TsrValue -> TsrValue */
    GHashTable *inside;   /* TsrNode that the part stands for */
} Copier;

static TsrPartValue place_of(const TsrValue *value)
{
    return (TsrPartValue){value->producer->index, value->output_index};
}

static gboolean copy_node(Copier *copier, TsrGraph *to, TsrNode *node);

/* A value as the part's nodes read it: a copy, a constant with the same bytes, or an input. */
static TsrValue *copy_input(Copier *copier, TsrValue *value)
{
    TsrValue *copy = g_hash_table_lookup(copier->copies, value);
    if (copy != NULL)
        return copy;
    if (value->constant != NULL) {
        copy = tsr_graph_add_constant(copier->graph, value->name, &value->desc.view,
                                      value->constant, NULL);
    } else {
        const TsrPartValue place = place_of(value);
        copy = tsr_graph_add_input(copier->graph, value->name, &value->desc.view, NULL);
        g_array_append_val(copier->part->inputs, place);
    }
    if (copy != NULL)
        g_hash_table_insert(copier->copies, value, copy);
    return copy;
}

/* A graph below a node, which reads what is around it as the node does. (transfer full) */
static TsrGraph *copy_below(Copier *copier, TsrGraph *graph)
{
    g_autoptr(TsrGraph) copy = tsr_graph_new(graph->registry, graph->name);
    copy->data_format = graph->data_format;
    copy->fault = g_strdup(graph->fault);
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        TsrValue *input = tsr_graph_add_input(copy, value->name, &value->desc.view, NULL);
        if (input == NULL)
            return NULL;
        g_hash_table_insert(copier->copies, value, input);
    }
    for (guint i = 0; i < copier->order->len; i++) {
        TsrNode *node = g_ptr_array_index(copier->order, i);
        if (node->graph != graph)
            continue;
        if (node->kind == TSR_NODE_CONSTANT) {
            TsrValue *value = g_ptr_array_index(node->outputs, 0);
            TsrValue *constant = tsr_graph_add_constant(copy, value->name, &value->desc.view,
                                                        value->constant, NULL);
            if (constant == NULL)
                return NULL;
            g_hash_table_insert(copier->copies, value, constant);
        } else if (node->kind == TSR_NODE_OPERATOR && !copy_node(copier, copy, node)) {
            return NULL;
        }
    }
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        TsrValue *value = copy_input(copier, output->value);
        if (value == NULL)
            return NULL;
        tsr_graph_add_output(copy, output->name, value);
    }
    return g_steal_pointer(&copy);
}

static gboolean copy_node(Copier *copier, TsrGraph *to, TsrNode *node)
{
    g_autoptr(GPtrArray) inputs = g_ptr_array_new();
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GPtrArray) graphs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_graph_unref);
    TsrNode *copy;
    for (guint i = 0; i < node->subgraphs->len; i++) {
        TsrGraph *graph = copy_below(copier, g_ptr_array_index(node->subgraphs, i));
        if (graph == NULL)
            return FALSE;
        g_ptr_array_add(graphs, graph);
    }
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        TsrValue *input = value != NULL ? copy_input(copier, value) : NULL;
        if (value != NULL && input == NULL)
            return FALSE;
        g_ptr_array_add(inputs, input);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        g_ptr_array_add(names, value != NULL ? value->name : NULL);
    }
    copy = tsr_graph_add_node(to, node->def, node->name, (TsrValue *const *)inputs->pdata,
                              inputs->len, (const char *const *)names->pdata, names->len,
                              (TsrAttrBox *const *)node->attrs->pdata, node->attrs->len,
                              (TsrGraph *const *)graphs->pdata, graphs->len, NULL);
    if (copy == NULL)
        return FALSE;
    copy->engine = node->engine;
    copy->cluster = node->cluster;
    copy->selector = node->selector;
    for (guint i = 0; i < node->origin_names->len; i++)
        g_ptr_array_add(copy->origin_names, g_strdup(g_ptr_array_index(node->origin_names, i)));
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        TsrValue *output = g_ptr_array_index(copy->outputs, i);
        if (value == NULL)
            continue;
        tsr_desc_copy(&output->desc, &value->desc.view);
        g_hash_table_insert(copier->copies, value, output);
    }
    return TRUE;
}

/* The node itself, or that of the outermost graph which it is below of. */
static TsrNode *outermost(TsrNode *node)
{
    while (node->graph->parent != NULL)
        node = node->graph->parent;
    return node;
}

/* Whether anything but the part's nodes reads the value. */
static gboolean is_read_outside(const Copier *copier, const TsrValue *value)
{
    for (guint i = 0; i < value->users->len; i++)
        if (!g_hash_table_contains(copier->inside,
                                   outermost(g_ptr_array_index(value->users, i))))
            return TRUE;
    return tsr_value_is_output(value);
}

static void add_outputs(Copier *copier, const TsrNode *node)
{
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        TsrPartValue place;
        if (value == NULL || !is_read_outside(copier, value))
            continue;
        place = place_of(value);
        tsr_graph_add_output(copier->graph, value->name,
                             g_hash_table_lookup(copier->copies, value));
        g_array_append_val(copier->part->outputs, place);
    }
}

/* (transfer full); NULL where a node cannot be copied. */
static TsrGraph *copy_part(const TsrProgram *program, TsrKnownPart *part, const GPtrArray *nodes,
                           const char *name)
{
    Copier copier = {part, program->nodes, tsr_graph_new(program->graph->registry, name),
                     g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL)};
    gboolean done = TRUE;
    for (guint i = 0; i < nodes->len; i++)
        g_hash_table_add(copier.inside, g_ptr_array_index(nodes, i));
    for (guint i = 0; i < nodes->len && done; i++) {
        TsrNode *node = g_ptr_array_index(nodes, i);
        done = copy_node(&copier, copier.graph, node);
        g_array_append_val(part->nodes, node->index);
    }
    for (guint i = 0; i < nodes->len && done; i++)
        add_outputs(&copier, g_ptr_array_index(nodes, i));
    g_hash_table_unref(copier.copies);
    g_hash_table_unref(copier.inside);
    if (!done)
        g_clear_pointer(&copier.graph, tsr_graph_unref);
    return copier.graph;
}

/* How many operators the node stands for, where a loop is enough for a part of its own. */
static guint weight_of(const TsrNode *node)
{
    guint weight = (node->def->flags & (TSR_OP_LOOP | TSR_OP_SCAN)) != 0 ? TSR_PART_LEAST_NODES
                                                                         : 1;
    for (guint s = 0; s < node->subgraphs->len; s++) {
        const TsrGraph *graph = g_ptr_array_index(node->subgraphs, s);
        for (guint i = 0; i < graph->nodes->len; i++) {
            const TsrNode *inner = g_ptr_array_index(graph->nodes, i);
            weight += inner->kind == TSR_NODE_OPERATOR ? weight_of(inner) : 0;
        }
    }
    return weight;
}

GPtrArray *tsr_known_parts_cut(const TsrProgram *program, GPtrArray *out_graphs)
{
    GPtrArray *parts = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_known_part_free);
    g_autofree guint *level = g_new0(guint, program->nodes->len + 1);
    g_autofree gboolean *known = g_new0(gboolean, program->nodes->len + 1);
    Cutter cutter = {program, level, known};
    const guint most = find_levels(&cutter);
    for (guint at = 0; at <= most; at++) {
        g_autoptr(GPtrArray) nodes = g_ptr_array_new();
        g_autofree char *name = g_strdup_printf("%s.part%u", program->graph->name, parts->len);
        TsrKnownPart *part;
        TsrGraph *graph;
        guint weight = 0;
        for (guint i = 0; i < program->nodes->len; i++)
            if (known[i] && level[i] == at) {
                g_ptr_array_add(nodes, g_ptr_array_index(program->nodes, i));
                weight += weight_of(g_ptr_array_index(program->nodes, i));
            }
        if (weight < TSR_PART_LEAST_NODES)
            continue;
        part = tsr_known_part_new();
        graph = copy_part(program, part, nodes, name);
        if (graph == NULL) {
            tsr_known_part_free(part);
            continue;
        }
        g_ptr_array_add(parts, part);
        g_ptr_array_add(out_graphs, graph);
    }
    return parts;
}
