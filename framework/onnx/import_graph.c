/* SPDX-License-Identifier: Apache-2.0
 *
 * import_graph.c: one GraphProto to one graph: constants, inputs, nodes, outputs.
 * Nodes may come in any order; one that reads what is not there yet waits, and
 * what still waits at the end reads an unknown name or is on a cycle.
 */
#include "onnx/import_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ir/input_dim.h"
#include "onnx/tensor_proto.h"

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

/* The innermost scope that has the name, also as an input that a call omits. */
static const TsrScope *find_scope(const TsrScope *scope, const char *name)
{
    while (scope != NULL && !g_hash_table_contains(scope->values, name))
        scope = scope->outer;
    return scope;
}

TsrValue *tsr_scope_find(const TsrScope *scope, const char *name)
{
    scope = find_scope(scope, name);
    return scope != NULL ? g_hash_table_lookup(scope->values, name) : NULL;
}

/* name is what the scope calls the value; in the body of a function that is not what the
 * graph calls it. The message that holds name outlives the scope. */
static void scope_add(TsrScope *scope, const char *name, TsrValue *value)
{
    g_hash_table_insert(scope->values, (gpointer)name, value);
}

/* What the graph calls a value that a node writes: in a function's body the caller's name
 * where it is one of the call's outputs, else one made up. (transfer full) */
static char *graph_name(const TsrScope *scope, const char *name)
{
    g_autofree char *local = NULL;
    const char *callers;
    if (scope->frame->caller == NULL || scope->graph != scope->frame->caller->graph)
        return g_strdup(name);
    callers = g_hash_table_lookup(scope->frame->renames, name);
    if (callers != NULL)
        return g_strdup(callers);
    /* Below the call's name, where the model itself has none. */
    local = g_strdup_printf("%s/%s", scope->frame->call, name);
    return tsr_graph_unique_name(scope->graph, local);
}

static gboolean add_constant(TsrScope *scope, const char *name, const TsrDesc *desc,
                             GBytes *bytes, GError **error)
{
    g_autofree char *unique = graph_name(scope, name);
    TsrValue *value = tsr_graph_add_constant(scope->graph, unique, &desc->view, bytes, error);
    if (value == NULL)
        return FALSE;
    scope_add(scope, name, value);
    return TRUE;
}

static gboolean check_name(const char *name, const char *what, const Onnx__Graph *proto,
                           GError **error)
{
    if (text_of(name)[0] != '\0')
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "graph '%s': an %s has no name",
                text_of(proto->name), what);
    return FALSE;
}

static gboolean import_initializers(TsrImporter *importer, const Onnx__Graph *proto,
                                    TsrScope *scope, GError **error)
{
    for (gsize i = 0; i < proto->n_initializer; i++) {
        Onnx__Tensor *tensor = proto->initializer[i];
        g_autoptr(GBytes) bytes = NULL;
        TsrDesc desc;
        tsr_desc_init(&desc);
        if (!check_name(tensor->name, "initializer", proto, error))
            return FALSE;
        bytes = tsr_tensor_proto_read(tensor, importer->directory, &desc, error);
        if (bytes == NULL || !add_constant(scope, text_of(tensor->name), &desc, bytes, error))
            return FALSE;
        if (scope->outer == NULL && scope->frame->caller == NULL && tensor->has_raw_data) {
            /* The model's own graph is read once; its weights are not kept twice. */
            free(tensor->raw_data.data);
            tensor->raw_data = (ProtobufCBinaryData){0, NULL};
        }
    }
    for (gsize i = 0; i < proto->n_sparse_initializer; i++) {
        const Onnx__SparseTensor *tensor = proto->sparse_initializer[i];
        g_autoptr(GBytes) bytes = NULL;
        TsrDesc desc;
        tsr_desc_init(&desc);
        bytes = tsr_sparse_proto_read(tensor, importer->directory, &desc, error);
        if (bytes == NULL || !check_name(tensor->values->name, "initializer", proto, error) ||
            !add_constant(scope, text_of(tensor->values->name), &desc, bytes, error))
            return FALSE;
    }
    return TRUE;
}

const Onnx__Type__TensorType *tsr_import_unwrap_type(const Onnx__Type *type, guint32 *out_kind,
                                                     guint32 *out_key_dtype)
{
    *out_kind = TSR_KIND_TENSOR;
    *out_key_dtype = TSR_DTYPE_UNDEFINED;
    if (type->optional_type != NULL && type->optional_type->elem_type != NULL) {
        type = type->optional_type->elem_type;
        *out_kind = TSR_KIND_OPTIONAL;
    }
    if (type->sequence_type != NULL && type->sequence_type->elem_type != NULL) {
        type = type->sequence_type->elem_type;
        *out_kind = *out_kind == TSR_KIND_OPTIONAL ? TSR_KIND_OPTIONAL_SEQUENCE
                                                   : TSR_KIND_SEQUENCE;
    }
    if (type->map_type != NULL && type->map_type->value_type != NULL) {
        *out_key_dtype = (guint32)type->map_type->key_type;
        *out_kind = *out_kind == TSR_KIND_SEQUENCE ? TSR_KIND_SEQUENCE_MAP : TSR_KIND_MAP;
        type = type->map_type->value_type;
    }
    return type->tensor_type;
}

static gboolean read_input_type(const Onnx__ValueInfo *info, TsrDesc *desc, GError **error)
{
    const Onnx__Type__TensorType *type;
    gint64 shape[TSR_MAX_RANK];
    guint32 kind, key_dtype;
    gsize rank;
    if (info->type == NULL)
        return TRUE; /* inputs of subgraphs may leave their type to inference */
    type = tsr_import_unwrap_type(info->type, &kind, &key_dtype);
    if (type == NULL || (guint32)type->elem_type >= TSR_DTYPE_COUNT) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "input '%s' is of a type that is not supported", text_of(info->name));
        return FALSE;
    }
    rank = type->shape != NULL ? type->shape->n_dim : 0;
    if (rank > TSR_MAX_RANK) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "input '%s': rank %zu is above the highest supported, %d",
                    text_of(info->name), rank, TSR_MAX_RANK);
        return FALSE;
    }
    for (gsize i = 0; i < rank; i++) {
        const Onnx__TensorShape__Dimension *dim = type->shape->dim[i];
        /* Some exporters write -1 for an unknown dimension. */
        shape[i] = dim->has_dim_value && dim->dim_value >= 0 ? dim->dim_value : TSR_DIM_UNKNOWN;
    }
    tsr_desc_set(desc, (guint32)type->elem_type,
                 type->shape != NULL ? (guint32)rank : TSR_RANK_UNKNOWN, shape);
    desc->view.kind = kind;
    desc->view.key_dtype = key_dtype;
    return TRUE;
}

/* Names of a tensor's dimensions that only a run settles; those inside a sequence are not of one
 * tensor. */
static void keep_dim_names(const Onnx__ValueInfo *info, TsrGraph *graph)
{
    guint32 kind, key_dtype;
    const Onnx__Type__TensorType *type =
        info->type != NULL ? tsr_import_unwrap_type(info->type, &kind, &key_dtype) : NULL;
    if (type == NULL || kind != TSR_KIND_TENSOR)
        return;
    for (gsize i = 0; type->shape != NULL && i < type->shape->n_dim; i++) {
        const Onnx__TensorShape__Dimension *dim = type->shape->dim[i];
        if (!dim->has_dim_value && dim->dim_param != NULL && dim->dim_param[0] != '\0')
            tsr_graph_set_input_dim(graph, graph->inputs->len - 1, (guint32)i, dim->dim_param, 0,
                                    -1);
    }
}

static gboolean import_inputs(const Onnx__Graph *proto, TsrScope *scope, GError **error)
{
    for (gsize i = 0; i < proto->n_input; i++) {
        const Onnx__ValueInfo *info = proto->input[i];
        TsrValue *value = g_hash_table_lookup(scope->values, text_of(info->name));
        TsrDesc desc;
        if (value != NULL && value->constant != NULL)
            continue; /* its initializer is its value */
        tsr_desc_init(&desc);
        if (!check_name(info->name, "input", proto, error) ||
            !read_input_type(info, &desc, error))
            return FALSE;
        value = tsr_graph_add_input(scope->graph, text_of(info->name), &desc.view, error);
        if (value == NULL)
            return FALSE;
        scope_add(scope, text_of(info->name), value);
        keep_dim_names(info, scope->graph);
    }
    return TRUE;
}

static gboolean graph_is_ready(const Onnx__Graph *proto, const TsrScope *scope,
                               const char **out_missing);

/* Whether every name that the node, or a graph inside it, takes from outside is
 * there. own has the names that the graph around the node defines itself. */
static gboolean node_is_ready(const Onnx__Node *node, const TsrScope *scope, GHashTable *own,
                              const char **out_missing)
{
    for (gsize i = 0; i < node->n_input; i++) {
        const char *name = text_of(node->input[i]);
        if (name[0] == '\0' || (own != NULL && g_hash_table_contains(own, name)) ||
            find_scope(scope, name) != NULL)
            continue;
        *out_missing = name;
        return FALSE;
    }
    for (gsize a = 0; a < node->n_attribute; a++) {
        const Onnx__Graph *inner = node->attribute[a]->g;
        if (inner == NULL)
            continue;
        if (own != NULL) {
            /* Deeper than one level: the names of the middle graph count as there. */
            TsrScope middle = {scope, NULL, own, scope->frame};
            if (!graph_is_ready(inner, &middle, out_missing))
                return FALSE;
        } else if (!graph_is_ready(inner, scope, out_missing)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean graph_is_ready(const Onnx__Graph *proto, const TsrScope *scope,
                               const char **out_missing)
{
    /* Keys only: a set of names, each its own value so that scope look-ups hit. */
    g_autoptr(GHashTable) own = g_hash_table_new(g_str_hash, g_str_equal);
    for (gsize i = 0; i < proto->n_initializer; i++)
        g_hash_table_add(own, (gpointer)text_of(proto->initializer[i]->name));
    for (gsize i = 0; i < proto->n_sparse_initializer; i++)
        if (proto->sparse_initializer[i]->values != NULL)
            g_hash_table_add(own,
                             (gpointer)text_of(proto->sparse_initializer[i]->values->name));
    for (gsize i = 0; i < proto->n_input; i++)
        g_hash_table_add(own, (gpointer)text_of(proto->input[i]->name));
    for (gsize i = 0; i < proto->n_node; i++)
        for (gsize k = 0; k < proto->node[i]->n_output; k++)
            g_hash_table_add(own, (gpointer)text_of(proto->node[i]->output[k]));
    for (gsize i = 0; i < proto->n_node; i++)
        if (!node_is_ready(proto->node[i], scope, own, out_missing))
            return FALSE;
    for (gsize i = 0; i < proto->n_output; i++) {
        const char *name = text_of(proto->output[i]->name);
        if (!g_hash_table_contains(own, name) && find_scope(scope, name) == NULL) {
            *out_missing = name;
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean node_opset(TsrImporter *importer, const Onnx__Node *node,
                           const TsrFrame *frame, gint64 *out_opset, GError **error)
{
    const char *domain = text_of(node->domain);
    const gint64 *version;
    if (strcmp(domain, "ai.onnx") == 0)
        domain = "";
    version = g_hash_table_lookup(frame->opsets, domain);
    if (version == NULL && !tsr_op_registry_has_domain(importer->registry, domain)) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "%s '%s': operator domain '%s' is not known; no plugin has registered it",
                    text_of(node->op_type), text_of(node->name), domain);
        return FALSE;
    }
    if (version == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': the model does not import its domain '%s'",
                    text_of(node->op_type), text_of(node->name), domain);
        return FALSE;
    }
    *out_opset = *version;
    return TRUE;
}

static gboolean import_operator(TsrImporter *importer, const Onnx__Node *proto, TsrScope *scope,
                                GError **error)
{
    g_autoptr(GPtrArray) attrs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    g_autoptr(GPtrArray) subgraphs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_graph_unref);
    g_autofree TsrValue **inputs = g_new0(TsrValue *, proto->n_input + 1);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *node_name = NULL;
    gsize input_count = proto->n_input, output_count = proto->n_output;
    const TsrOpDef *def;
    TsrNode *node;
    gint64 opset;

    g_ptr_array_set_size(names, (gint)proto->n_output + 1);
    if (!node_opset(importer, proto, scope->frame, &opset, error))
        return FALSE;
    def = tsr_op_registry_get(importer->registry, text_of(proto->domain),
                              text_of(proto->op_type), opset, error);
    if (def == NULL) {
        g_prefix_error(error, "%s '%s': ", text_of(proto->op_type), text_of(proto->name));
        return FALSE;
    }
    for (gsize i = 0; i < proto->n_input; i++) {
        const char *name = text_of(proto->input[i]);
        if (name[0] != '\0')
            inputs[i] = tsr_scope_find(scope, name);
    }
    for (gsize i = 0; i < proto->n_attribute; i++) {
        Onnx__Attribute copy;
        const Onnx__Attribute *meant = tsr_function_attr(scope, proto->attribute[i], &copy);
        TsrAttrBox *attr;
        if (meant == NULL)
            continue;
        attr = tsr_import_attr(importer, proto, meant,
                               tsr_function_attr_scope(scope, proto->attribute[i]), subgraphs,
                               error);
        if (attr == NULL)
            return FALSE;
        g_ptr_array_add(attrs, attr);
    }
    /* Omitted inputs and outputs at the end are as good as not written. */
    while (input_count != 0 && inputs[input_count - 1] == NULL)
        input_count--;
    while (output_count > 1 && text_of(proto->output[output_count - 1])[0] == '\0')
        output_count--;
    for (gsize i = 0; i < output_count; i++)
        if (text_of(proto->output[i])[0] != '\0')
            g_ptr_array_index(names, i) = graph_name(scope, proto->output[i]);
    node_name = scope->frame->call != NULL
                    ? g_strdup_printf("%s/%s", scope->frame->call, text_of(proto->name))
                    : g_strdup(proto->name);
    node = tsr_graph_add_node(scope->graph, def, node_name, inputs, input_count,
                              (const char *const *)names->pdata, output_count,
                              (TsrAttrBox *const *)attrs->pdata, attrs->len,
                              (TsrGraph *const *)subgraphs->pdata, subgraphs->len, error);
    for (guint i = 0; node != NULL && i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL)
            scope_add(scope, proto->output[i], value);
    }
    return node != NULL;
}

static gboolean import_node(TsrImporter *importer, const Onnx__Node *proto, TsrScope *scope,
                            GError **error)
{
    const Onnx__Function *function = tsr_function_find(importer, proto);
    if (function != NULL)
        return tsr_function_inline(importer, function, proto, scope, error);
    if (strcmp(text_of(proto->op_type), "Constant") == 0 &&
        (text_of(proto->domain)[0] == '\0' || strcmp(proto->domain, "ai.onnx") == 0)) {
        g_autoptr(GBytes) bytes = NULL;
        TsrDesc desc;
        tsr_desc_init(&desc);
        bytes = tsr_import_constant(importer, proto, scope, &desc, error);
        if (bytes == NULL)
            return FALSE;
        if (proto->n_output != 1 || text_of(proto->output[0])[0] == '\0') {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "Constant '%s': wants one named output, got %zu", text_of(proto->name),
                        proto->n_output);
            return FALSE;
        }
        return add_constant(scope, proto->output[0], &desc, bytes, error);
    }
    return import_operator(importer, proto, scope, error);
}

gboolean tsr_import_nodes(TsrImporter *importer, Onnx__Node *const *nodes, gsize count,
                          TsrScope *scope, GError **error)
{
    g_autoptr(GPtrArray) waiting = g_ptr_array_new();
    for (gsize i = 0; i < count; i++)
        g_ptr_array_add(waiting, nodes[i]);
    while (waiting->len != 0) {
        g_autoptr(GPtrArray) later = g_ptr_array_new();
        const char *missing = NULL;
        for (guint i = 0; i < waiting->len; i++) {
            const Onnx__Node *node = g_ptr_array_index(waiting, i);
            if (!node_is_ready(node, scope, NULL, &missing))
                g_ptr_array_add(later, (gpointer)node);
            else if (!import_node(importer, node, scope, error))
                return FALSE;
        }
        if (later->len == waiting->len) {
            const Onnx__Node *node = g_ptr_array_index(later, later->len - 1);
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "%s '%s': input '%s' is not defined before it, or the graph has a cycle",
                        text_of(node->op_type), text_of(node->name), missing);
            return FALSE;
        }
        g_ptr_array_unref(waiting);
        waiting = g_steal_pointer(&later);
    }
    return TRUE;
}

gboolean tsr_import_graph(TsrImporter *importer, const Onnx__Graph *proto, TsrScope *scope,
                          GError **error)
{
    if (!import_initializers(importer, proto, scope, error) ||
        !import_inputs(proto, scope, error) ||
        !tsr_import_nodes(importer, proto->node, proto->n_node, scope, error))
        return FALSE;
    for (gsize i = 0; i < proto->n_output; i++) {
        const char *name = text_of(proto->output[i]->name);
        TsrValue *value = tsr_scope_find(scope, name);
        if (value == NULL) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "graph '%s': nothing writes its output '%s'", text_of(proto->name), name);
            return FALSE;
        }
        tsr_graph_add_output(scope->graph, name, value);
    }
    return TRUE;
}
