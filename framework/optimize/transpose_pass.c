/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose_pass.c: Transposes that need not move anything: those that keep the order, those
 * behind another one, and those that move only dimensions of extent 1 (such a one is a
 * Reshape, which costs nothing).
 */
#include "optimize/transpose.h"

#include <string.h>

#include "prepare/infer.h"

gboolean tsr_transpose_read(const TsrNode *node, TsrTranspose *out)
{
    const TsrAttr *perm;
    if (!tsr_node_is_onnx(node, "Transpose") || node->outputs->len != 1)
        return FALSE;
    out->x = g_ptr_array_index(node->inputs, 0);
    out->y = g_ptr_array_index(node->outputs, 0);
    if (out->x == NULL || out->y == NULL || out->x->desc.view.rank == TSR_RANK_UNKNOWN)
        return FALSE;
    perm = tsr_node_attr(node, "perm");
    out->rank = out->x->desc.view.rank;
    if (perm != NULL && perm->count != out->rank)
        return FALSE;
    /* Without perm the dimensions are reversed (ONNX Transpose 25). */
    for (guint32 i = 0; i < out->rank; i++)
        out->perm[i] = perm != NULL ? perm->ints[i] : (gint64)(out->rank - 1 - i);
    return TRUE;
}

gboolean tsr_perm_is_identity(guint32 rank, const gint64 *perm)
{
    for (guint32 i = 0; i < rank; i++)
        if (perm[i] != (gint64)i)
            return FALSE;
    return TRUE;
}

TsrValue *tsr_transpose_add(TsrGraph *graph, const TsrOpDef *def, const char *name, TsrValue *x,
                            guint32 rank, const gint64 *perm, GError **error)
{
    g_autoptr(TsrAttrBox) attr = tsr_attr_new_ints("perm", perm, rank);
    g_autofree char *unique = tsr_graph_unique_name(graph, name);
    TsrAttrBox *attrs[] = {attr};
    TsrNode *node =
        tsr_graph_add_node(graph, def, unique, &x, 1, NULL, 1, attrs, 1, NULL, 0, error);
    if (node == NULL || !tsr_infer_node(node, tsr_infer_graph, NULL, error))
        return NULL;
    return g_ptr_array_index(node->outputs, 0);
}

static gboolean is_read(const TsrValue *value)
{
    return value->users->len != 0 || tsr_value_is_output(value);
}

static gboolean remove_unchanged(TsrGraph *graph, const TsrPluginSet *set, guint *out_count,
                                 GError **error)
{
    (void)set;
    (void)error;
    *out_count = 0;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrTranspose t;
        if (!tsr_transpose_read(g_ptr_array_index(graph->nodes, i), &t) || !is_read(t.y) ||
            !tsr_perm_is_identity(t.rank, t.perm))
            continue;
        tsr_value_replace_uses(t.y, t.x);
        (*out_count)++;
    }
    return TRUE;
}

/* Two in a row are one; dimension i of the second is perm[i] of the first. */
static gboolean merge(TsrGraph *graph, const TsrPluginSet *set, guint *out_count, GError **error)
{
    const guint count = graph->nodes->len;
    (void)set;
    *out_count = 0;
    for (guint i = 0; i < count; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        TsrTranspose second, first;
        gint64 perm[TSR_MAX_RANK];
        TsrValue *made;
        if (!tsr_transpose_read(node, &second) || !is_read(second.y) ||
            !tsr_transpose_read(second.x->producer, &first))
            continue;
        for (guint32 k = 0; k < second.rank; k++)
            perm[k] = first.perm[second.perm[k]];
        made = tsr_perm_is_identity(second.rank, perm)
                   ? first.x
                   : tsr_transpose_add(graph, node->def, node->name, first.x, second.rank, perm,
                                       error);
        if (made == NULL)
            return FALSE;
        tsr_value_replace_uses(second.y, made);
        (*out_count)++;
    }
    return TRUE;
}

/* Whether the dimensions of more than one element stay in order. */
static gboolean moves_only_ones(const TsrTranspose *t)
{
    gint64 last = -1;
    for (guint32 i = 0; i < t->rank; i++) {
        if (t->x->desc.shape[t->perm[i]] == 1)
            continue;
        if (t->perm[i] < last)
            return FALSE;
        last = t->perm[i];
    }
    return TRUE;
}

static TsrValue *add_reshape(TsrGraph *graph, const TsrNode *node, const TsrTranspose *t,
                             GError **error)
{
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, "", "Reshape", 13, error);
    g_autofree char *shape_name = tsr_graph_unique_name(graph, "reshape");
    g_autofree char *name = tsr_graph_unique_name(graph, node->name);
    g_autoptr(GBytes) bytes = g_bytes_new(t->y->desc.shape, t->rank * sizeof(gint64));
    const gint64 rank = t->rank;
    TsrValue *inputs[2];
    TsrNode *made;
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT64, 1, &rank);
    inputs[0] = t->x;
    inputs[1] = tsr_graph_add_constant(graph, shape_name, &desc.view, bytes, error);
    if (def == NULL || inputs[1] == NULL)
        return NULL;
    made = tsr_graph_add_node(graph, def, name, inputs, 2, NULL, 1, NULL, 0, NULL, 0, error);
    if (made == NULL || !tsr_infer_node(made, tsr_infer_graph, NULL, error))
        return NULL;
    g_ptr_array_add(made->origin_names, g_strdup(node->name));
    return g_ptr_array_index(made->outputs, 0);
}

static gboolean to_reshape(TsrGraph *graph, const TsrPluginSet *set, guint *out_count,
                           GError **error)
{
    const guint count = graph->nodes->len;
    (void)set;
    *out_count = 0;
    for (guint i = 0; i < count; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        TsrTranspose t;
        TsrValue *made;
        gboolean empty = FALSE;
        if (!tsr_transpose_read(node, &t) || !is_read(t.y) ||
            !tsr_desc_is_static(&t.x->desc.view) || !tsr_desc_is_static(&t.y->desc.view) ||
            !moves_only_ones(&t))
            continue;
        /* A 0 in a Reshape's shape would mean: as the input has it. */
        for (guint32 k = 0; k < t.rank; k++)
            empty |= t.y->desc.shape[k] == 0;
        if (empty)
            continue;
        made = add_reshape(graph, node, &t, error);
        if (made == NULL)
            return FALSE;
        tsr_value_replace_uses(t.y, made);
        (*out_count)++;
    }
    return TRUE;
}

const TsrGraphPass tsr_pass_transpose_unchanged = {
    "transpose_unchanged", "removes a Transpose that keeps the order", remove_unchanged};
const TsrGraphPass tsr_pass_transpose_merge = {
    "transpose_merge", "makes two Transposes in a row one, or none", merge};
const TsrGraphPass tsr_pass_transpose_to_reshape = {
    "transpose_to_reshape", "makes a Transpose of extents of 1 a Reshape", to_reshape};
