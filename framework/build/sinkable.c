/* SPDX-License-Identifier: Apache-2.0
 *
 * sinkable.c: see sinkable.h.
 */
#include "build/sinkable.h"

#include <tessera/plugin.h>
#include <tessera/plugin_util.h>

#include "ir/value_dims.h"

guint tsr_control_subgraph(const TsrNode *node, const char *attribute)
{
    const TsrAttr *attr = tsr_node_attr(node, attribute);
    return attr != NULL && attr->type == TSR_ATTR_GRAPH && attr->i >= 0 &&
                   (guint64)attr->i < node->subgraphs->len
               ? (guint)attr->i
               : G_MAXUINT;
}

guint tsr_control_first_input(const TsrNode *node)
{
    return (node->def->flags & TSR_OP_LOOP) != 0 ? 2 : 0;
}

guint tsr_control_first_output(const TsrNode *node)
{
    return (node->def->flags & TSR_OP_LOOP) != 0 ? 1 : 0;
}

static guint scan_inputs(const TsrNode *node)
{
    const TsrAttr *attr = tsr_node_attr(node, "num_scan_inputs");
    return attr != NULL && attr->i >= 0 && (guint64)attr->i <= node->inputs->len ? (guint)attr->i
                                                                                 : 0;
}

guint tsr_control_states(const TsrNode *node)
{
    if ((node->def->flags & TSR_OP_LOOP) != 0)
        return node->inputs->len > 2 ? node->inputs->len - 2 : 0;
    return node->inputs->len - scan_inputs(node);
}

/* Entry index of a list of integers; 0 where there is none. */
static gint64 entry_of(const TsrNode *node, const char *name, guint index)
{
    const TsrAttr *attr = tsr_node_attr(node, name);
    return attr != NULL && index < attr->count ? attr->ints[index] : 0;
}

gboolean tsr_control_slices(const TsrNode *node, gboolean output, guint index, TsrSlices *out)
{
    const guint at = tsr_control_states(node) + index;
    const GPtrArray *values = output ? node->outputs : node->inputs;
    const TsrValue *value = at < values->len ? g_ptr_array_index(values, at) : NULL;
    const gboolean is_loop = (node->def->flags & TSR_OP_LOOP) != 0;
    gint64 axis = is_loop ? 0
                          : entry_of(node, output ? "scan_output_axes" : "scan_input_axes", index);
    const TsrTensorDesc *desc;
    guint64 all;
    if (value == NULL || (is_loop && !output))
        return FALSE;
    desc = &value->desc.view;
    if (!tsr_desc_is_static(desc) || desc->storage_format != desc->origin_format)
        return FALSE;
    axis += axis < 0 ? desc->rank : 0;
    if (axis < 0 || axis >= desc->rank || !tsr_desc_storage_bytes(desc, &all))
        return FALSE;
    *out = (TsrSlices){.rows = 1, .places = (guint64)desc->shape[axis], .bytes = 0};
    out->backward = !is_loop && entry_of(node, output ? "scan_output_directions"
                                                      : "scan_input_directions", index) != 0;
    for (gint64 i = 0; i < axis; i++)
        out->rows *= (guint64)desc->shape[i];
    if (out->rows == 0 || out->places == 0)
        return all == 0;
    out->bytes = all / out->rows / out->places;
    return out->bytes * out->rows * out->places == all;
}

gboolean tsr_control_rounds(const TsrNode *node, gint64 *out_rounds)
{
    const gboolean is_loop = (node->def->flags & TSR_OP_LOOP) != 0;
    const guint states = tsr_control_states(node);
    guint index = 0;
    TsrSlices slices;
    while (is_loop && states + index < node->outputs->len &&
           g_ptr_array_index(node->outputs, states + index) == NULL)
        index++;
    if (!tsr_control_slices(node, is_loop, index, &slices))
        return FALSE;
    *out_rounds = (gint64)slices.places;
    return TRUE;
}

static guint64 bytes_of(const TsrValue *value)
{
    guint64 bytes;
    return value != NULL && tsr_desc_storage_bytes(&value->desc.view, &bytes) ? bytes
                                                                              : G_MAXUINT64;
}

/* Whether a piece is what the body has of it; without places there is never a piece. */
static gboolean is_piece(const TsrSlices *slices, const TsrValue *value)
{
    return value != NULL &&
           (slices->places == 0 ||
            (bytes_of(value) == slices->rows * slices->bytes &&
             value->desc.view.storage_format == value->desc.view.origin_format));
}

/* Whether bytes of one are bytes of the other. */
static gboolean same_bytes(const TsrValue *a, const TsrValue *b)
{
    guint64 x, y;
    return a != NULL && b != NULL && a->desc.view.dtype == b->desc.view.dtype &&
           tsr_desc_compatible(&a->desc.view, &b->desc.view) &&
           a->desc.view.storage_format == b->desc.view.storage_format &&
           tsr_desc_storage_bytes(&a->desc.view, &x) &&
           tsr_desc_storage_bytes(&b->desc.view, &y) && x == y;
}

static const TsrValue *output_of(const TsrGraph *graph, guint index)
{
    return index < graph->outputs->len
               ? g_array_index(graph->outputs, TsrGraphOutput, index).value
               : NULL;
}

static char *branch_obstacle(const TsrNode *node)
{
    static const char *const names[] = {"then_branch", "else_branch"};
    if (bytes_of(g_ptr_array_index(node->inputs, 0)) != 1)
        return g_strdup("its condition is not one value");
    for (guint b = 0; b < G_N_ELEMENTS(names); b++) {
        const guint index = tsr_control_subgraph(node, names[b]);
        const TsrGraph *graph;
        if (index == G_MAXUINT)
            return g_strdup_printf("it has no %s", names[b]);
        graph = g_ptr_array_index(node->subgraphs, index);
        if (graph->fault != NULL)
            continue; /* a call says so where it is taken */
        for (guint i = 0; i < node->outputs->len; i++)
            if (g_ptr_array_index(node->outputs, i) != NULL &&
                !same_bytes(g_ptr_array_index(node->outputs, i), output_of(graph, i)))
                return g_strdup_printf("output %u of its %s is stored in another way than its "
                                       "own", i, names[b]);
    }
    return NULL;
}

static char *states_obstacle(const TsrNode *node, const TsrGraph *body)
{
    const guint first_input = tsr_control_first_input(node);
    const guint first_output = tsr_control_first_output(node);
    const guint states = tsr_control_states(node);
    if (body->fault != NULL)
        return g_strdup_printf("its body cannot run: %s", body->fault);
    for (guint i = 0; i < states; i++) {
        const TsrValue *in = first_input + i < body->inputs->len
                                 ? g_ptr_array_index(body->inputs, first_input + i)
                                 : NULL;
        if (!same_bytes(g_ptr_array_index(node->inputs, first_input + i), in) ||
            !same_bytes(output_of(body, first_output + i), in) ||
            (i < node->outputs->len && g_ptr_array_index(node->outputs, i) != NULL &&
             !same_bytes(g_ptr_array_index(node->outputs, i), in)))
            return g_strdup_printf("state %u is stored in different ways from one run of its "
                                   "body to the next", i);
    }
    return NULL;
}

/* What is stacked has a place for each round, and each round fills it as it is stored. */
static char *stacks_obstacle(const TsrNode *node, const TsrGraph *body)
{
    const guint states = tsr_control_states(node);
    gint64 rounds;
    for (guint i = 0; states + i < node->outputs->len; i++) {
        const TsrValue *each = output_of(body, tsr_control_first_output(node) + states + i);
        TsrSlices slices;
        if (g_ptr_array_index(node->outputs, states + i) == NULL)
            continue;
        if (!tsr_control_rounds(node, &rounds) || !tsr_control_slices(node, TRUE, i, &slices) ||
            slices.places != (guint64)rounds || !is_piece(&slices, each))
            return g_strdup_printf("scan output %u cannot be stacked as it is stored", i);
    }
    return NULL;
}

static char *loop_obstacle(const TsrNode *node)
{
    const guint index = tsr_control_subgraph(node, "body");
    const TsrGraph *body = index != G_MAXUINT ? g_ptr_array_index(node->subgraphs, index) : NULL;
    char *reason;
    if (body == NULL || body->inputs->len != 2 + tsr_control_states(node) ||
        body->outputs->len < 1 + MAX(tsr_control_states(node), node->outputs->len))
        return g_strdup("its body has other inputs and outputs than it needs");
    for (guint i = 0; i < 2 && i < node->inputs->len; i++)
        if (g_ptr_array_index(node->inputs, i) != NULL &&
            bytes_of(g_ptr_array_index(node->inputs, i)) != (i == 0 ? 8 : 1))
            return g_strdup_printf("input %u is not one value", i);
    if (bytes_of(g_ptr_array_index(body->inputs, 0)) != 8 ||
        bytes_of(g_ptr_array_index(body->inputs, 1)) != 1 || bytes_of(output_of(body, 0)) != 1)
        return g_strdup("its body's count or condition is not one value");
    reason = stacks_obstacle(node, body);
    return reason != NULL ? reason : states_obstacle(node, body);
}

static char *scan_obstacle(const TsrNode *node)
{
    const guint index = tsr_control_subgraph(node, "body");
    const TsrGraph *body = index != G_MAXUINT ? g_ptr_array_index(node->subgraphs, index) : NULL;
    const guint states = tsr_control_states(node);
    TsrSlices slices, first = {0};
    char *reason;
    if (body == NULL || body->inputs->len != node->inputs->len ||
        body->outputs->len < node->outputs->len || states == node->inputs->len)
        return g_strdup("its body has other inputs and outputs than it needs");
    for (guint i = 0; states + i < node->inputs->len; i++) {
        if (!tsr_control_slices(node, FALSE, i, &slices) ||
            !is_piece(&slices, g_ptr_array_index(body->inputs, states + i)) ||
            (i != 0 && slices.places != first.places))
            return g_strdup_printf("scan input %u cannot be cut as it is stored", i);
        first = i == 0 ? slices : first;
    }
    reason = stacks_obstacle(node, body);
    return reason != NULL ? reason : states_obstacle(node, body);
}

/* Whatever else it is: its results have a size that is known now. */
static char *values_obstacle(const TsrNode *node)
{
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        const TsrTensorDesc *desc = value != NULL ? &value->desc.view : NULL;
        if (desc == NULL)
            continue;
        if (desc->kind != TSR_KIND_TENSOR)
            return g_strdup_printf("'%s' is no tensor", value->name);
        if (desc->dtype == TSR_DTYPE_STRING || desc->dtype == TSR_DTYPE_UNDEFINED)
            return g_strdup_printf("'%s' is of type %s", value->name, tsr_dtype_name(desc->dtype));
        if (!tsr_desc_is_static(desc)) {
            g_autofree char *text = tsr_value_to_text(value);
            return g_strdup_printf("the shape of '%s', %s, is known only at run time",
                                   value->name, text);
        }
    }
    return NULL;
}

gboolean tsr_value_is_known(const TsrValue *value)
{
    const TsrTensorDesc *desc = &value->desc.view;
    return desc->kind == TSR_KIND_TENSOR && desc->dtype != TSR_DTYPE_STRING &&
           desc->dtype != TSR_DTYPE_UNDEFINED && tsr_desc_is_static(desc);
}

static char *node_obstacle(const TsrNode *node)
{
    char *reason = values_obstacle(node);
    if (reason != NULL || node->kind != TSR_NODE_OPERATOR)
        return reason;
    if ((node->def->flags & TSR_OP_BRANCH) != 0)
        return branch_obstacle(node);
    if ((node->def->flags & TSR_OP_LOOP) != 0)
        return loop_obstacle(node);
    if ((node->def->flags & TSR_OP_SCAN) != 0)
        return scan_obstacle(node);
    if (node->subgraphs->len != 0)
        return g_strdup("it has subgraphs, and is no branch or loop that tasks could follow");
    return (node->def->flags & TSR_OP_DATA_DEPENDENT) != 0
               ? g_strdup("the shapes of its outputs follow from data")
               : NULL;
}

char *tsr_node_obstacle(const TsrNode *node)
{
    g_autofree char *reason = NULL, *text = NULL;
    for (guint s = 0; s < node->subgraphs->len; s++) {
        char *inner = tsr_graph_obstacle(g_ptr_array_index(node->subgraphs, s));
        if (inner != NULL)
            return inner;
    }
    reason = node_obstacle(node);
    if (reason == NULL)
        return NULL;
    text = tsr_node_to_text(node);
    return g_strdup_printf("%s: %s", node->kind == TSR_NODE_DATA ? "input" : text, reason);
}

char *tsr_graph_obstacle(const TsrGraph *graph)
{
    char *reason = NULL;
    for (guint i = 0; i < graph->nodes->len && reason == NULL; i++)
        reason = tsr_node_obstacle(g_ptr_array_index(graph->nodes, i));
    return reason;
}

gboolean tsr_node_is_known(const TsrNode *node)
{
    g_autofree char *obstacle = node->kind == TSR_NODE_OPERATOR ? tsr_node_obstacle(node) : NULL;
    return node->kind == TSR_NODE_OPERATOR && obstacle == NULL;
}
