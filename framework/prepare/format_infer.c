/* SPDX-License-Identifier: Apache-2.0
 *
 * format_infer.c: see format_infer.h. A value takes a format only from an anchor or
 * from a value of the same rank at an operator that keeps axes, so a format never
 * crosses a Transpose or Reshape.
 */
#include "prepare/format_infer.h"

#include <tessera/plugin_util.h>

static gboolean set_format(TsrValue *value, guint32 format)
{
    if (value == NULL || value->desc.view.origin_format == format ||
        value->desc.view.origin_format != TSR_FORMAT_ND)
        return FALSE;
    value->desc.view.origin_format = format;
    value->desc.view.storage_format = format;
    return TRUE;
}

/* The formats that the definition fixes. */
static void anchor(TsrNode *node)
{
    g_autofree guint32 *inputs = g_new(guint32, node->inputs->len + 1);
    g_autofree guint32 *outputs = g_new(guint32, node->outputs->len + 1);
    if (node->kind != TSR_NODE_OPERATOR || node->def->infer_format == NULL)
        return;
    for (guint i = 0; i < node->inputs->len; i++)
        inputs[i] = TSR_FORMAT_ANY;
    for (guint i = 0; i < node->outputs->len; i++)
        outputs[i] = TSR_FORMAT_ANY;
    if (node->def->infer_format(node->def, tsr_node_view(node), inputs, outputs) != TSR_OK)
        return;
    for (guint i = 0; i < node->inputs->len; i++)
        if (inputs[i] != TSR_FORMAT_ANY)
            set_format(g_ptr_array_index(node->inputs, i), inputs[i]);
    for (guint i = 0; i < node->outputs->len; i++)
        if (outputs[i] != TSR_FORMAT_ANY)
            set_format(g_ptr_array_index(node->outputs, i), outputs[i]);
}

/* Whether the operator computes element by element or by broadcasting, so that an
 * axis of an input is the same axis of the output. Its definition says so by fixing
 * nothing itself and by an output shape that joins the inputs'. */
static gboolean keeps_axes(TsrNode *node)
{
    const TsrValue *output = node->outputs->len != 0 ? g_ptr_array_index(node->outputs, 0) : NULL;
    gint64 shape[TSR_MAX_RANK];
    guint32 rank = 0;
    if (node->kind != TSR_NODE_OPERATOR || node->def->infer_format != NULL || output == NULL ||
        node->subgraphs->len != 0 || (node->def->flags & TSR_OP_VIEW) != 0 ||
        !tsr_desc_is_static(&output->desc.view) || output->desc.view.rank < 4)
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL)
            continue;
        if (!tsr_desc_is_static(&value->desc.view) ||
            !tsr_shape_broadcast(&rank, shape, value->desc.view.rank, value->desc.shape))
            return FALSE;
    }
    if (rank != output->desc.view.rank)
        return FALSE;
    for (guint32 i = 0; i < rank; i++)
        if (shape[i] != output->desc.shape[i])
            return FALSE;
    return tsr_node_attr(node, "perm") == NULL && tsr_node_attr(node, "axis") == NULL;
}

static gboolean spread(TsrNode *node)
{
    TsrValue *output = g_ptr_array_index(node->outputs, 0);
    guint32 format = output->desc.view.origin_format;
    gboolean changed = FALSE;
    for (guint i = 0; i < node->inputs->len && format == TSR_FORMAT_ND; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && value->desc.view.rank == output->desc.view.rank)
            format = value->desc.view.origin_format;
    }
    if (format == TSR_FORMAT_ND || format >= TSR_FORMAT_NC1HWC0)
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && value->desc.view.rank == output->desc.view.rank)
            changed |= set_format(value, format);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && value->desc.view.rank == output->desc.view.rank)
            changed |= set_format(value, format);
    }
    return changed;
}

/* Concatenation and its like keep axes without joining shapes by broadcasting. */
static gboolean is_concat(const TsrNode *node)
{
    return node->kind == TSR_NODE_OPERATOR && node->outputs->len == 1 &&
           g_strcmp0(node->def->name, "Concat") == 0 &&
           ((const TsrValue *)g_ptr_array_index(node->outputs, 0))->desc.view.rank == 4;
}

static void infer_formats(TsrGraph *graph, gpointer data)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    gboolean changed = order != NULL;
    (void)data;
    for (guint i = 0; order != NULL && i < order->len; i++)
        anchor(g_ptr_array_index(order, i));
    while (changed) {
        changed = FALSE;
        for (guint i = 0; i < order->len; i++) {
            TsrNode *back = g_ptr_array_index(order, order->len - 1 - i);
            if (keeps_axes(back) || is_concat(back))
                changed |= spread(back);
        }
    }
}

void tsr_format_infer(TsrGraph *graph)
{
    tsr_graph_foreach(graph, infer_formats, NULL);
}
