/* SPDX-License-Identifier: Apache-2.0
 *
 * model_maker.c: see model_maker.h.
 */
#include "model_maker.h"

gpointer maker_keep(ModelMaker *maker, gpointer memory)
{
    g_ptr_array_add(maker->memory, memory);
    return memory;
}

static char *keep_text(ModelMaker *maker, const char *text)
{
    return maker_keep(maker, g_strdup(text));
}

/* Appends an item to a repeated field. */
static void append(ModelMaker *maker, gsize *count, gpointer list, gpointer item)
{
    gpointer **items = list;
    gpointer *grown = maker_keep(maker, g_new0(gpointer, *count + 1));
    for (gsize i = 0; i < *count; i++)
        grown[i] = (*items)[i];
    grown[(*count)++] = item;
    *items = grown;
}

#define MAKE(maker, type, init_function)                                            \
    ({                                                                              \
        type *made = maker_keep(maker, g_new0(type, 1));                            \
        init_function(made);                                                        \
        made;                                                                       \
    })

ModelMaker *maker_new(void)
{
    ModelMaker *maker = g_new0(ModelMaker, 1);
    maker->memory = g_ptr_array_new_with_free_func(g_free);
    onnx__model__init(&maker->model);
    maker->model.has_ir_version = 1;
    maker->model.ir_version = 8;
    maker->graph = maker->model.graph = maker_graph(maker, "g");
    maker_opset(maker, "", 17);
    return maker;
}

void maker_free(ModelMaker *maker)
{
    g_ptr_array_unref(maker->memory);
    g_free(maker);
}

Onnx__Graph *maker_graph(ModelMaker *maker, const char *name)
{
    Onnx__Graph *graph = MAKE(maker, Onnx__Graph, onnx__graph__init);
    graph->name = keep_text(maker, name);
    return graph;
}

void maker_opset(ModelMaker *maker, const char *domain, gint64 version)
{
    Onnx__OperatorSetId *id = MAKE(maker, Onnx__OperatorSetId, onnx__operator_set_id__init);
    id->domain = keep_text(maker, domain);
    id->has_version = 1;
    id->version = version;
    append(maker, &maker->model.n_opset_import, &maker->model.opset_import, id);
}

static void add_names(ModelMaker *maker, const char *names, gsize *count, char ***list)
{
    g_auto(GStrv) parts = g_strsplit(names, ",", -1);
    for (guint i = 0; parts[i] != NULL; i++)
        append(maker, count, list, keep_text(maker, parts[i]));
}

Onnx__Node *maker_node(ModelMaker *maker, Onnx__Graph *graph, const char *op, const char *name,
                       const char *inputs, const char *outputs)
{
    Onnx__Node *node = MAKE(maker, Onnx__Node, onnx__node__init);
    node->op_type = keep_text(maker, op);
    node->name = keep_text(maker, name);
    add_names(maker, inputs, &node->n_input, &node->input);
    add_names(maker, outputs, &node->n_output, &node->output);
    append(maker, &graph->n_node, &graph->node, node);
    return node;
}

Onnx__ValueInfo *maker_input(ModelMaker *maker, Onnx__Graph *graph, const char *name,
                             gint32 dtype, guint rank, const gint64 *shape)
{
    Onnx__ValueInfo *info = MAKE(maker, Onnx__ValueInfo, onnx__value_info__init);
    Onnx__Type__TensorType *type =
        MAKE(maker, Onnx__Type__TensorType, onnx__type__tensor_type__init);
    info->name = keep_text(maker, name);
    info->type = MAKE(maker, Onnx__Type, onnx__type__init);
    info->type->tensor_type = type;
    type->has_elem_type = 1;
    type->elem_type = dtype;
    type->shape = MAKE(maker, Onnx__TensorShape, onnx__tensor_shape__init);
    for (guint i = 0; i < rank; i++) {
        Onnx__TensorShape__Dimension *dim =
            MAKE(maker, Onnx__TensorShape__Dimension, onnx__tensor_shape__dimension__init);
        dim->has_dim_value = 1;
        dim->dim_value = shape[i];
        append(maker, &type->shape->n_dim, &type->shape->dim, dim);
    }
    append(maker, &graph->n_input, &graph->input, info);
    return info;
}

void maker_output(ModelMaker *maker, Onnx__Graph *graph, const char *name)
{
    Onnx__ValueInfo *info = MAKE(maker, Onnx__ValueInfo, onnx__value_info__init);
    info->name = keep_text(maker, name);
    append(maker, &graph->n_output, &graph->output, info);
}

Onnx__Tensor *maker_tensor(ModelMaker *maker, const char *name, gint32 dtype, guint rank,
                           const gint64 *shape, const void *raw, gsize size)
{
    Onnx__Tensor *tensor = MAKE(maker, Onnx__Tensor, onnx__tensor__init);
    tensor->name = keep_text(maker, name);
    tensor->has_data_type = 1;
    tensor->data_type = dtype;
    tensor->n_dims = rank;
    tensor->dims = maker_keep(maker, g_memdup2(shape, rank * sizeof(*shape)));
    if (raw != NULL) {
        tensor->has_raw_data = 1;
        tensor->raw_data.len = size;
        tensor->raw_data.data = maker_keep(maker, g_memdup2(raw, size));
    }
    return tensor;
}

void maker_initializer(ModelMaker *maker, Onnx__Graph *graph, Onnx__Tensor *tensor)
{
    append(maker, &graph->n_initializer, &graph->initializer, tensor);
}

Onnx__Attribute *maker_attr(ModelMaker *maker, Onnx__Node *node, const char *name, gint32 type)
{
    Onnx__Attribute *attr = MAKE(maker, Onnx__Attribute, onnx__attribute__init);
    attr->name = keep_text(maker, name);
    attr->has_type = type != 0;
    attr->type = type;
    attr->has_f = type == 1;
    attr->has_i = type == 2;
    attr->has_s = type == 3;
    append(maker, &node->n_attribute, &node->attribute, attr);
    return attr;
}

static void add_entry(ModelMaker *maker, Onnx__Tensor *tensor, const char *key, const char *value)
{
    Onnx__StringStringEntry *entry;
    if (value == NULL)
        return;
    entry = MAKE(maker, Onnx__StringStringEntry, onnx__string_string_entry__init);
    entry->key = keep_text(maker, key);
    entry->value = keep_text(maker, value);
    append(maker, &tensor->n_external_data, &tensor->external_data, entry);
}

void maker_external(ModelMaker *maker, Onnx__Tensor *tensor, const char *location,
                    const char *offset, const char *length)
{
    tensor->has_data_location = 1;
    tensor->data_location = 1;
    add_entry(maker, tensor, "location", location);
    add_entry(maker, tensor, "offset", offset);
    add_entry(maker, tensor, "length", length);
}

GBytes *maker_pack(ModelMaker *maker)
{
    gsize size = onnx__model__get_packed_size(&maker->model);
    guint8 *data = g_malloc(size + 1);
    onnx__model__pack(&maker->model, data);
    return g_bytes_new_take(data, size);
}
