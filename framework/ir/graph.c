/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: making, editing and ordering graphs; see graph.h.
 */
#include "ir/graph.h"

#include <string.h>

#include "base/error.h"
#include "ir/input_dim.h"
#include "ir/node_check.h"
#include "ir/node_view.h"
#include "ir/value_dims.h"

TsrGraph *tsr_graph_new(TsrOpRegistry *registry, const char *name)
{
    TsrGraph *graph = g_new0(TsrGraph, 1);
    g_atomic_ref_count_init(&graph->refs);
    graph->name = g_strdup(name != NULL ? name : "");
    graph->registry = tsr_op_registry_ref(registry);
    graph->nodes = g_ptr_array_new();
    graph->inputs = g_ptr_array_new();
    graph->outputs = g_array_new(FALSE, FALSE, sizeof(TsrGraphOutput));
    graph->input_dims = tsr_input_dims_new();
    graph->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return graph;
}

TsrGraph *tsr_graph_ref(TsrGraph *graph)
{
    g_atomic_ref_count_inc(&graph->refs);
    return graph;
}

static void value_free(TsrValue *value)
{
    if (value == NULL)
        return;
    g_free(value->format_anchor);
    g_free(value->dims);
    g_ptr_array_unref(value->users);
    g_clear_pointer(&value->constant, g_bytes_unref);
    g_free(value->name);
    g_free(value);
}

static void subgraph_release(gpointer data)
{
    TsrGraph *graph = data;
    graph->parent = NULL;
    tsr_graph_unref(graph);
}

static void node_free(TsrNode *node)
{
    for (guint i = 0; i < node->outputs->len; i++)
        value_free(g_ptr_array_index(node->outputs, i));
    tsr_node_clear_refusals(node);
    g_ptr_array_unref(node->inputs);
    g_ptr_array_unref(node->outputs);
    g_ptr_array_unref(node->attrs);
    g_ptr_array_unref(node->control_inputs);
    g_ptr_array_unref(node->origin_names);
    g_ptr_array_unref(node->fused_values);
    g_array_unref(node->refusals);
    g_clear_pointer(&node->choices, g_array_unref);
    tsr_view_cache_free(node->view);
    g_free(node->selector_fault);
    g_free(node->name);
    g_free(node);
}

void tsr_graph_unref(TsrGraph *graph)
{
    if (graph == NULL || !g_atomic_ref_count_dec(&graph->refs))
        return;
    /* Subgraphs first: their nodes point at values of this graph. */
    for (guint i = 0; i < graph->nodes->len; i++)
        g_ptr_array_unref(((TsrNode *)g_ptr_array_index(graph->nodes, i))->subgraphs);
    for (guint i = 0; i < graph->nodes->len; i++)
        node_free(g_ptr_array_index(graph->nodes, i));
    for (guint i = 0; i < graph->outputs->len; i++)
        g_free(g_array_index(graph->outputs, TsrGraphOutput, i).name);
    g_ptr_array_unref(graph->nodes);
    g_ptr_array_unref(graph->inputs);
    g_array_unref(graph->outputs);
    g_array_unref(graph->input_dims);
    tsr_dims_unref(graph->dims);
    g_hash_table_unref(graph->names);
    g_clear_pointer(&graph->format_conflicts, g_ptr_array_unref);
    tsr_op_registry_unref(graph->registry);
    g_free(graph->name);
    g_free(graph->fault);
    g_free(graph);
}

void tsr_graph_set_fault(TsrGraph *graph, const char *text)
{
    g_autoptr(GPtrArray) order = NULL;
    g_free(graph->fault);
    graph->fault = g_strdup(text);
    for (guint i = 0; i < graph->outputs->len; i++)
        g_free(g_array_index(graph->outputs, TsrGraphOutput, i).name);
    g_array_set_size(graph->outputs, 0);
    order = tsr_graph_sort(graph, NULL);
    for (guint i = order != NULL ? order->len : 0; i-- > 0;)
        tsr_node_remove(g_ptr_array_index(order, i));
}

char *tsr_graph_unique_name(TsrGraph *graph, const char *stem)
{
    char *name = g_strdup(stem);
    while (name[0] == '\0' || g_hash_table_contains(graph->names, name)) {
        g_free(name);
        name = g_strdup_printf("%s_%u", stem, graph->next_name++);
    }
    return name;
}

static TsrNode *node_new(TsrGraph *graph, TsrNodeKind kind, const char *name)
{
    TsrNode *node = g_new0(TsrNode, 1);
    node->kind = kind;
    node->graph = graph;
    node->name = g_strdup(name);
    node->inputs = g_ptr_array_new();
    node->outputs = g_ptr_array_new();
    node->attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    node->subgraphs = g_ptr_array_new_with_free_func(subgraph_release);
    node->control_inputs = g_ptr_array_new();
    node->origin_names = g_ptr_array_new_with_free_func(g_free);
    node->fused_values = g_ptr_array_new_with_free_func(g_free);
    node->refusals = g_array_new(FALSE, FALSE, sizeof(TsrRefusal));
    node->cluster = -1;
    g_ptr_array_add(graph->nodes, node);
    return node;
}

static TsrValue *node_add_output(TsrNode *node, const char *name)
{
    TsrValue *value = g_new0(TsrValue, 1);
    tsr_desc_init(&value->desc);
    value->name = g_strdup(name);
    value->desc.view.name = value->name;
    value->producer = node;
    value->output_index = node->outputs->len;
    value->users = g_ptr_array_new();
    g_ptr_array_add(node->outputs, value);
    g_hash_table_add(node->graph->names, g_strdup(name));
    return value;
}

static gboolean name_is_free(TsrGraph *graph, const char *name, GError **error)
{
    if (!g_hash_table_contains(graph->names, name))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_ALREADY_EXISTS,
                "graph '%s': two tensors have the name '%s'", graph->name, name);
    return FALSE;
}

TsrValue *tsr_graph_add_input(TsrGraph *graph, const char *name, const TsrTensorDesc *desc,
                              GError **error)
{
    TsrValue *value;
    if (!name_is_free(graph, name, error))
        return NULL;
    value = node_add_output(node_new(graph, TSR_NODE_DATA, name), name);
    tsr_desc_copy(&value->desc, desc);
    g_ptr_array_add(graph->inputs, value);
    return value;
}

void tsr_value_set_constant(TsrValue *value, GBytes *bytes)
{
    if (bytes != NULL)
        g_bytes_ref(bytes);
    g_clear_pointer(&value->constant, g_bytes_unref);
    value->constant = bytes;
    memset(&value->tensor, 0, sizeof(value->tensor));
    if (bytes == NULL)
        return;
    value->tensor.struct_size = sizeof(value->tensor);
    value->tensor.desc = &value->desc.view;
    value->tensor.size_bytes = g_bytes_get_size(bytes);
    value->tensor.data = (gpointer)g_bytes_get_data(bytes, NULL);
}

TsrValue *tsr_graph_add_constant(TsrGraph *graph, const char *name, const TsrTensorDesc *desc,
                                 GBytes *bytes, GError **error)
{
    g_autofree char *made_up = name == NULL ? tsr_graph_unique_name(graph, "constant") : NULL;
    guint64 wanted = 0;
    TsrValue *value;

    if (name == NULL)
        name = made_up;
    if (!name_is_free(graph, name, error))
        return NULL;
    if (!tsr_desc_storage_bytes(desc, &wanted) || wanted != g_bytes_get_size(bytes)) {
        g_autofree char *text = tsr_desc_to_text(desc);
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "constant '%s': %s takes %" G_GUINT64_FORMAT " bytes, but got %zu", name,
                    text, wanted, g_bytes_get_size(bytes));
        return NULL;
    }
    value = node_add_output(node_new(graph, TSR_NODE_CONSTANT, name), name);
    tsr_desc_copy(&value->desc, desc);
    tsr_value_set_constant(value, bytes);
    return value;
}

TsrNode *tsr_graph_add_node(TsrGraph *graph, const TsrOpDef *def, const char *name,
                            TsrValue *const *inputs, gsize input_count,
                            const char *const *output_names, gsize output_count,
                            TsrAttrBox *const *attrs, gsize attr_count,
                            TsrGraph *const *subgraphs, gsize subgraph_count, GError **error)
{
    g_autofree char *made_up = NULL;
    TsrNode *node;

    if (name == NULL || name[0] == '\0')
        name = made_up = tsr_graph_unique_name(graph, def->name);
    if (!tsr_node_check(def, name, inputs, input_count, output_names, output_count, attrs,
                        attr_count, error))
        return NULL;
    for (gsize i = 0; output_names != NULL && i < output_count; i++) {
        if (output_names[i] == NULL || output_names[i][0] == '\0')
            continue;
        for (gsize j = 0; j < i; j++) {
            if (g_strcmp0(output_names[i], output_names[j]) == 0) {
                g_set_error(error, TSR_ERROR, TSR_ALREADY_EXISTS,
                            "%s '%s': outputs %zu and %zu have the same name '%s'", def->name,
                            name, j, i, output_names[i]);
                return NULL;
            }
        }
        if (!name_is_free(graph, output_names[i], error))
            return NULL;
    }

    node = node_new(graph, TSR_NODE_OPERATOR, name);
    node->def = def;
    for (gsize i = 0; i < input_count; i++) {
        g_ptr_array_add(node->inputs, inputs[i]);
        if (inputs[i] != NULL)
            g_ptr_array_add(inputs[i]->users, node);
    }
    for (gsize i = 0; i < output_count; i++) {
        g_autofree char *generated = NULL;
        const char *output_name = output_names != NULL ? output_names[i] : NULL;
        if (output_names == NULL)
            output_name = generated = tsr_graph_unique_name(graph, name);
        if (output_name == NULL || output_name[0] == '\0')
            g_ptr_array_add(node->outputs, NULL);
        else
            node_add_output(node, output_name);
    }
    for (gsize i = 0; i < attr_count; i++)
        g_ptr_array_add(node->attrs, tsr_attr_ref(attrs[i]));
    tsr_node_add_defaults(node);
    for (gsize i = 0; i < subgraph_count; i++) {
        subgraphs[i]->parent = node;
        g_ptr_array_add(node->subgraphs, tsr_graph_ref(subgraphs[i]));
    }
    return node;
}

void tsr_graph_add_output(TsrGraph *graph, const char *name, TsrValue *value)
{
    TsrGraphOutput output = {.name = g_strdup(name != NULL ? name : value->name),
                             .value = value};
    g_array_append_val(graph->outputs, output);
}

void tsr_node_add_control_edge(TsrNode *before, TsrNode *after)
{
    if (!g_ptr_array_find(after->control_inputs, before, NULL))
        g_ptr_array_add(after->control_inputs, before);
}

void tsr_node_set_input(TsrNode *node, guint32 index, TsrValue *value)
{
    TsrValue *old = g_ptr_array_index(node->inputs, index);
    if (old != NULL)
        g_ptr_array_remove_fast(old->users, node);
    g_ptr_array_index(node->inputs, index) = value;
    if (value != NULL)
        g_ptr_array_add(value->users, node);
}

static gboolean range_of(guint instance_count, guint32 def_count, gboolean variadic,
                         guint32 def_index, guint32 *out_first, guint32 *out_count)
{
    if (def_index >= def_count || def_index >= instance_count)
        return FALSE;
    *out_first = def_index;
    *out_count = variadic && def_index + 1 == def_count ? instance_count - def_index : 1;
    return TRUE;
}

gboolean tsr_node_input_range(const TsrNode *node, guint32 def_index, guint32 *out_first,
                              guint32 *out_count)
{
    const TsrOpDef *def = node->def;
    gboolean variadic = def->input_count != 0 &&
                        tsr_op_input(def, def->input_count - 1)->kind >= TSR_PARAM_VARIADIC;
    return range_of(node->inputs->len, def->input_count, variadic, def_index, out_first,
                    out_count) &&
           (*out_count > 1 || g_ptr_array_index(node->inputs, *out_first) != NULL);
}

gboolean tsr_node_output_range(const TsrNode *node, guint32 def_index, guint32 *out_first,
                               guint32 *out_count)
{
    const TsrOpDef *def = node->def;
    gboolean variadic = def->output_count != 0 &&
                        tsr_op_output(def, def->output_count - 1)->kind >= TSR_PARAM_VARIADIC;
    return range_of(node->outputs->len, def->output_count, variadic, def_index, out_first,
                    out_count) &&
           (*out_count > 1 || g_ptr_array_index(node->outputs, *out_first) != NULL);
}

/* Ends every use that nodes of a graph make of values, so that those stay valid. */
static void disconnect(TsrNode *node)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL)
            g_ptr_array_remove_fast(value->users, node);
    }
    for (guint s = 0; s < node->subgraphs->len; s++) {
        TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            disconnect(g_ptr_array_index(subgraph->nodes, i));
    }
}

void tsr_node_remove(TsrNode *node)
{
    TsrGraph *graph = node->graph;
    disconnect(node);
    for (guint i = 0; i < graph->nodes->len; i++)
        g_ptr_array_remove(((TsrNode *)g_ptr_array_index(graph->nodes, i))->control_inputs,
                           node);
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value == NULL)
            continue;
        tsr_graph_drop_input(graph, value);
        g_hash_table_remove(graph->names, value->name);
    }
    g_ptr_array_unref(node->subgraphs);
    g_ptr_array_remove(graph->nodes, node);
    node_free(node);
}

void tsr_node_clear_refusals(TsrNode *node)
{
    for (guint i = 0; i < node->refusals->len; i++)
        g_free(g_array_index(node->refusals, TsrRefusal, i).reason);
    g_array_set_size(node->refusals, 0);
}

void tsr_node_add_refusal(TsrNode *node, const char *engine, guint32 code, const char *reason)
{
    TsrRefusal refusal = {g_intern_string(engine), code, g_strdup(reason)};
    g_array_append_val(node->refusals, refusal);
}

static void replace_outputs(TsrGraph *graph, TsrValue *value, TsrValue *replacement)
{
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        if (output->value == value)
            output->value = replacement;
    }
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            replace_outputs(g_ptr_array_index(node->subgraphs, s), value, replacement);
    }
}

void tsr_value_replace_uses(TsrValue *value, TsrValue *replacement)
{
    tsr_value_inherit_dims(replacement, value);
    while (value->users->len != 0) {
        TsrNode *user = g_ptr_array_index(value->users, value->users->len - 1);
        for (guint i = 0; i < user->inputs->len; i++)
            if (g_ptr_array_index(user->inputs, i) == value)
                tsr_node_set_input(user, i, replacement);
    }
    replace_outputs(value->producer->graph, value, replacement);
}

static gboolean is_output_of(const TsrGraph *graph, const TsrValue *value)
{
    for (guint i = 0; i < graph->outputs->len; i++)
        if (g_array_index(graph->outputs, TsrGraphOutput, i).value == value)
            return TRUE;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            if (is_output_of(g_ptr_array_index(node->subgraphs, s), value))
                return TRUE;
    }
    return FALSE;
}

gboolean tsr_value_is_output(const TsrValue *value)
{
    return is_output_of(value->producer->graph, value);
}

gboolean tsr_value_is_captured(const TsrValue *value)
{
    for (guint i = 0; i < value->users->len; i++)
        if (((TsrNode *)g_ptr_array_index(value->users, i))->graph != value->producer->graph)
            return TRUE;
    return FALSE;
}

const TsrAttr *tsr_node_attr(const TsrNode *node, const char *name)
{
    for (guint i = 0; i < node->attrs->len; i++) {
        const TsrAttr *attr = tsr_attr_view(g_ptr_array_index(node->attrs, i));
        if (strcmp(attr->name, name) == 0)
            return attr;
    }
    return NULL;
}

char *tsr_node_to_text(const TsrNode *node)
{
    const char *op = node->kind == TSR_NODE_OPERATOR   ? node->def->name
                     : node->kind == TSR_NODE_CONSTANT ? "Constant"
                                                       : "Data";
    return g_strdup_printf("%s '%s'", op, node->name);
}

void tsr_graph_foreach(TsrGraph *graph, void (*fn)(TsrGraph *graph, gpointer data),
                       gpointer data)
{
    fn(graph, data);
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint s = 0; s < node->subgraphs->len; s++)
            tsr_graph_foreach(g_ptr_array_index(node->subgraphs, s), fn, data);
    }
}
