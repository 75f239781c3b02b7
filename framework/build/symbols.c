/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.c: see symbols.h.
 */
#include "build/symbols.h"

#include "ir/storage_layout.h"

struct TsrSymbols {
    GHashTable *root;  /* value -> the value it is a view of */
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

TsrSymbols *tsr_symbols_new(const GPtrArray *order)
{
    TsrSymbols *symbols = g_new0(TsrSymbols, 1);
    symbols->root = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < order->len; i++) {
        const TsrNode *node = g_ptr_array_index(order, i);
        if (tsr_node_is_viewable(node))
            g_hash_table_insert(
                symbols->root, g_ptr_array_index(node->outputs, 0),
                tsr_symbols_root(symbols, g_ptr_array_index(node->inputs, 0)));
    }
    return symbols;
}

void tsr_symbols_free(TsrSymbols *symbols)
{
    if (symbols == NULL)
        return;
    g_hash_table_unref(symbols->root);
    g_free(symbols);
}

TsrValue *tsr_symbols_root(TsrSymbols *symbols, TsrValue *value)
{
    TsrValue *root = g_hash_table_lookup(symbols->root, value);
    return root != NULL ? root : value;
}

gboolean tsr_symbols_is_view(TsrSymbols *symbols, const TsrNode *node)
{
    return node->outputs->len != 0 &&
           g_hash_table_contains(symbols->root, g_ptr_array_index(node->outputs, 0));
}
