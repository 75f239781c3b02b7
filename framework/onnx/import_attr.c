/* SPDX-License-Identifier: Apache-2.0
 *
 * import_attr.c: attributes of ONNX nodes, and the Constant node, which is nothing
 * but an attribute with a name.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "onnx/import_graph.h"
#include "onnx/tensor_proto.h"

/* AttributeType of the wire format that plugin.h has no name for. */
#define ONNX_TYPE_PROTO 13

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

/* Models of IR version 1 and 2 may leave the type out; the filled field tells. */
static gint32 attr_type(const Onnx__Attribute *proto)
{
    if (proto->has_type && proto->type != 0)
        return proto->type;
    if (proto->has_f)
        return TSR_ATTR_FLOAT;
    if (proto->has_i)
        return TSR_ATTR_INT;
    if (proto->has_s)
        return TSR_ATTR_STRING;
    if (proto->t != NULL)
        return TSR_ATTR_TENSOR;
    if (proto->g != NULL)
        return TSR_ATTR_GRAPH;
    if (proto->n_floats != 0)
        return TSR_ATTR_FLOATS;
    if (proto->n_strings != 0)
        return TSR_ATTR_STRINGS;
    return TSR_ATTR_INTS;
}

static TsrAttrBox *import_graph_attr(TsrImporter *importer, const Onnx__Attribute *proto,
                                     const TsrScope *scope, GPtrArray *subgraphs, GError **error)
{
    g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(TsrGraph) graph = NULL;
    TsrScope inner = {scope, NULL, values, scope->frame};
    if (proto->g == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "has no graph");
        return NULL;
    }
    inner.graph = graph = tsr_graph_new(importer->registry, proto->g->name);
    if (!tsr_import_graph(importer, proto->g, &inner, error))
        return NULL;
    g_ptr_array_add(subgraphs, g_steal_pointer(&graph));
    return tsr_attr_new_graph(proto->name, subgraphs->len - 1);
}

static TsrAttrBox *import_strings(const Onnx__Attribute *proto)
{
    g_autofree TsrString *strings = g_new0(TsrString, proto->n_strings + 1);
    for (gsize i = 0; i < proto->n_strings; i++) {
        strings[i].data = (const char *)proto->strings[i].data;
        strings[i].size = proto->strings[i].len;
    }
    return tsr_attr_new_strings(proto->name, strings, proto->n_strings);
}

static TsrAttrBox *import_tensor_attr(TsrImporter *importer, const Onnx__Attribute *proto,
                                      GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    TsrDesc desc;
    tsr_desc_init(&desc);
    if (proto->t == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "has no tensor");
        return NULL;
    }
    bytes = tsr_tensor_proto_read(proto->t, importer->directory, &desc, error);
    return bytes != NULL ? tsr_attr_new_tensor(proto->name, &desc.view, bytes) : NULL;
}

/* A type is written as INTS {TSR_KIND_, dtype}, which is all that operators ask of it. */
static TsrAttrBox *import_type(const Onnx__Attribute *proto, GError **error)
{
    guint32 kind, key_dtype;
    const Onnx__Type__TensorType *type =
        proto->tp != NULL ? tsr_import_unwrap_type(proto->tp, &kind, &key_dtype) : NULL;
    gint64 ints[2];
    if (type == NULL) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "is of a type that is not supported");
        return NULL;
    }
    ints[0] = kind;
    ints[1] = type->elem_type;
    return tsr_attr_new_ints(proto->name, ints, G_N_ELEMENTS(ints));
}

static TsrAttrBox *import_value(TsrImporter *importer, const Onnx__Attribute *proto,
                                const TsrScope *scope, GPtrArray *subgraphs, GError **error)
{
    switch (attr_type(proto)) {
    case TSR_ATTR_FLOAT:
        return tsr_attr_new_float(proto->name, proto->f);
    case TSR_ATTR_INT:
        return tsr_attr_new_int(proto->name, proto->i);
    case TSR_ATTR_STRING:
        return tsr_attr_new_string(proto->name, (const char *)proto->s.data, proto->s.len);
    case TSR_ATTR_TENSOR:
        return import_tensor_attr(importer, proto, error);
    case TSR_ATTR_GRAPH:
        return import_graph_attr(importer, proto, scope, subgraphs, error);
    case TSR_ATTR_FLOATS:
        return tsr_attr_new_floats(proto->name, proto->floats, proto->n_floats);
    case TSR_ATTR_INTS:
        return tsr_attr_new_ints(proto->name, proto->ints, proto->n_ints);
    case TSR_ATTR_STRINGS:
        return import_strings(proto);
    case ONNX_TYPE_PROTO:
        return import_type(proto, error);
    default:
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "attribute type %d is not supported",
                    proto->type);
        return NULL;
    }
}

TsrAttrBox *tsr_import_attr(TsrImporter *importer, const Onnx__Node *node,
                            const Onnx__Attribute *proto, const TsrScope *scope,
                            GPtrArray *subgraphs, GError **error)
{
    TsrAttrBox *attr = NULL;
    if (proto->name == NULL || proto->name[0] == '\0') {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "%s '%s': attribute without a name",
                    text_of(node->op_type), text_of(node->name));
        return NULL;
    }
    if (proto->ref_attr_name != NULL && proto->ref_attr_name[0] != '\0') {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': attribute '%s' refers to '%s' outside a function",
                    text_of(node->op_type), text_of(node->name), proto->name,
                    proto->ref_attr_name);
        return NULL;
    }
    attr = import_value(importer, proto, scope, subgraphs, error);
    if (attr == NULL)
        g_prefix_error(error, "%s '%s', attribute '%s': ", text_of(node->op_type),
                       text_of(node->name), proto->name);
    return attr;
}

static GBytes *read_value(TsrImporter *importer, const Onnx__Attribute *attr, TsrDesc *out_desc,
                          GError **error)
{
    const char *name = text_of(attr->name);
    gint64 count;
    if (strcmp(name, "value") == 0 && attr->t != NULL)
        return tsr_tensor_proto_read(attr->t, importer->directory, out_desc, error);
    if (strcmp(name, "sparse_value") == 0 && attr->sparse_tensor != NULL)
        return tsr_sparse_proto_read(attr->sparse_tensor, importer->directory, out_desc, error);
    if (strcmp(name, "value_float") == 0) {
        tsr_desc_set(out_desc, TSR_DTYPE_FLOAT, 0, NULL);
        return tsr_memory_copy_bytes(&attr->f, sizeof(attr->f));
    }
    if (strcmp(name, "value_int") == 0) {
        tsr_desc_set(out_desc, TSR_DTYPE_INT64, 0, NULL);
        return tsr_memory_copy_bytes(&attr->i, sizeof(attr->i));
    }
    if (strcmp(name, "value_floats") == 0) {
        count = (gint64)attr->n_floats;
        tsr_desc_set(out_desc, TSR_DTYPE_FLOAT, 1, &count);
        return tsr_memory_copy_bytes(attr->floats, attr->n_floats * sizeof(*attr->floats));
    }
    if (strcmp(name, "value_ints") == 0) {
        count = (gint64)attr->n_ints;
        tsr_desc_set(out_desc, TSR_DTYPE_INT64, 1, &count);
        return tsr_memory_copy_bytes(attr->ints, attr->n_ints * sizeof(*attr->ints));
    }
    if (strcmp(name, "value_string") == 0) {
        TsrString text = {(const char *)attr->s.data, attr->s.len};
        tsr_desc_set(out_desc, TSR_DTYPE_STRING, 0, NULL);
        return tsr_strings_to_bytes(&text, 1);
    }
    if (strcmp(name, "value_strings") == 0) {
        g_autofree TsrString *strings = g_new0(TsrString, attr->n_strings + 1);
        for (gsize i = 0; i < attr->n_strings; i++) {
            strings[i].data = (const char *)attr->strings[i].data;
            strings[i].size = attr->strings[i].len;
        }
        count = (gint64)attr->n_strings;
        tsr_desc_set(out_desc, TSR_DTYPE_STRING, 1, &count);
        return tsr_strings_to_bytes(strings, attr->n_strings);
    }
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "attribute '%s' gives no value", name);
    return NULL;
}

GBytes *tsr_import_constant(TsrImporter *importer, const Onnx__Node *node,
                            const TsrScope *scope, TsrDesc *out_desc, GError **error)
{
    const Onnx__Attribute *attr;
    Onnx__Attribute copy;
    GBytes *bytes;
    if (node->n_attribute != 1) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "Constant '%s': wants exactly one value attribute, got %zu",
                    text_of(node->name), node->n_attribute);
        return NULL;
    }
    attr = tsr_function_attr(scope, node->attribute[0], &copy);
    if (attr == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "Constant '%s': the call of its function gives no '%s'", text_of(node->name),
                    text_of(node->attribute[0]->ref_attr_name));
        return NULL;
    }
    bytes = read_value(importer, attr, out_desc, error);
    if (bytes == NULL)
        g_prefix_error(error, "Constant '%s': ", text_of(node->name));
    return bytes;
}
