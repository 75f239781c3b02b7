/* SPDX-License-Identifier: Apache-2.0
 *
 * cast_pass.c: Casts that change nothing: to the type that is there already, and pairs that
 * come back to it by way of a type that holds every value of it.
 */
#include "optimize/graph_pass.h"

#include <tessera/plugin_util.h>

/* Element types whose every value the wider one holds exactly (ONNX Cast 25 rounds
 * otherwise). */
static const struct {
    guint32 narrow;
    guint64 wider;
} exact[] = {
    {TSR_DTYPE_FLOAT16, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_BFLOAT16, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_FLOAT, TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_INT8, TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_INT32) |
                         TSR_BIT(TSR_DTYPE_INT64) | TSR_BIT(TSR_DTYPE_FLOAT16) |
                         TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_UINT8, TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_UINT16) |
                          TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_UINT32) |
                          TSR_BIT(TSR_DTYPE_INT64) | TSR_BIT(TSR_DTYPE_UINT64) |
                          TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_FLOAT) |
                          TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_INT16, TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_INT64) |
                          TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_UINT16, TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_UINT32) |
                           TSR_BIT(TSR_DTYPE_INT64) | TSR_BIT(TSR_DTYPE_UINT64) |
                           TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_INT32, TSR_BIT(TSR_DTYPE_INT64) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_UINT32, TSR_BIT(TSR_DTYPE_INT64) | TSR_BIT(TSR_DTYPE_UINT64) |
                           TSR_BIT(TSR_DTYPE_DOUBLE)},
    {TSR_DTYPE_BOOL, TSR_TYPES_NUMERIC},
};

static gboolean is_exact(guint32 narrow, guint32 wide)
{
    for (gsize i = 0; i < G_N_ELEMENTS(exact); i++)
        if (exact[i].narrow == narrow)
            return wide < 64 && (exact[i].wider >> wide & 1) != 0;
    return FALSE;
}

static TsrValue *input_of(const TsrNode *node)
{
    return g_ptr_array_index(node->inputs, 0);
}

static TsrValue *output_of(const TsrNode *node)
{
    return node->outputs->len != 0 ? g_ptr_array_index(node->outputs, 0) : NULL;
}

static gboolean is_read(const TsrValue *value)
{
    return value != NULL && (value->users->len != 0 || tsr_value_is_output(value));
}

static gboolean remove_unchanged(TsrGraph *graph, const TsrPluginSet *set, guint *out_count,
                                 GError **error)
{
    (void)set;
    (void)error;
    *out_count = 0;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        TsrValue *y;
        if (!tsr_node_is_onnx(node, "Cast"))
            continue;
        y = output_of(node);
        if (!is_read(y) || input_of(node)->desc.view.dtype != y->desc.view.dtype)
            continue;
        tsr_value_replace_uses(y, input_of(node));
        (*out_count)++;
    }
    return TRUE;
}

/* x of type T to a wider type and back to T is x. */
static gboolean remove_pairs(TsrGraph *graph, const TsrPluginSet *set, guint *out_count,
                             GError **error)
{
    (void)set;
    (void)error;
    *out_count = 0;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i), *before;
        TsrValue *x, *y;
        if (!tsr_node_is_onnx(node, "Cast"))
            continue;
        y = output_of(node);
        before = input_of(node)->producer;
        if (!is_read(y) || !tsr_node_is_onnx(before, "Cast"))
            continue;
        x = input_of(before);
        if (x->desc.view.dtype != y->desc.view.dtype ||
            !is_exact(x->desc.view.dtype, input_of(node)->desc.view.dtype))
            continue;
        tsr_value_replace_uses(y, x);
        (*out_count)++;
    }
    return TRUE;
}

const TsrGraphPass tsr_pass_cast_unchanged = {
    "cast_unchanged", "removes a Cast to the type that is there", remove_unchanged};
const TsrGraphPass tsr_pass_cast_pair = {
    "cast_pair", "removes two Casts that come back without loss", remove_pairs};
