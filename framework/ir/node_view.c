/* SPDX-License-Identifier: Apache-2.0
 *
 * node_view.c: see node_view.h.
 */
#include "ir/node_view.h"

#include <string.h>

/* An array of pointers with room for count of them, and never none. */
static gpointer reserve(gpointer array, guint *capacity, guint count)
{
    if (count + 1 <= *capacity)
        return array;
    *capacity = count + 1;
    return g_realloc_n(array, *capacity, sizeof(gpointer));
}

void tsr_view_cache_fill(TsrViewCache *cache, const TsrNode *node)
{
    TsrNodeView *view = &cache->view;
    cache->inputs = reserve(cache->inputs, &cache->capacity[0], node->inputs->len);
    cache->outputs = reserve(cache->outputs, &cache->capacity[1], node->outputs->len);
    cache->values = reserve(cache->values, &cache->capacity[2], node->inputs->len);
    cache->attrs = reserve(cache->attrs, &cache->capacity[3], node->attrs->len);
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        cache->inputs[i] = value != NULL ? &value->desc.view : NULL;
        cache->values[i] = value != NULL && value->constant != NULL ? &value->tensor : NULL;
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        cache->outputs[i] = value != NULL ? &value->desc.view : NULL;
    }
    for (guint i = 0; i < node->attrs->len; i++)
        cache->attrs[i] = tsr_attr_view(g_ptr_array_index(node->attrs, i));

    view->struct_size = sizeof(*view);
    view->since_version = node->def->since_version;
    view->name = node->name;
    view->op_type = node->def->name;
    view->domain = node->def->domain;
    view->input_count = node->inputs->len;
    view->output_count = node->outputs->len;
    view->attr_count = node->attrs->len;
    view->subgraph_count = node->subgraphs->len;
    view->inputs = cache->inputs;
    view->outputs = cache->outputs;
    view->values = cache->values;
    view->attrs = cache->attrs;
}

void tsr_view_cache_clear(TsrViewCache *cache)
{
    g_clear_pointer(&cache->inputs, g_free);
    g_clear_pointer(&cache->outputs, g_free);
    g_clear_pointer(&cache->values, g_free);
    g_clear_pointer(&cache->attrs, g_free);
    memset(cache->capacity, 0, sizeof(cache->capacity));
}

void tsr_view_cache_free(TsrViewCache *cache)
{
    if (cache == NULL)
        return;
    tsr_view_cache_clear(cache);
    g_free(cache);
}

const TsrNodeView *tsr_node_view(TsrNode *node)
{
    g_return_val_if_fail(node->kind == TSR_NODE_OPERATOR, NULL);
    if (node->view == NULL)
        node->view = g_new0(TsrViewCache, 1);
    tsr_view_cache_fill(node->view, node);
    return &node->view->view;
}
