/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_variant.c: writing; graph_unvariant.c reads.
 */
#include "build/graph_variant.h"

typedef struct Writer {
    TsrProgram *program;
    GHashTable *ids;  /* TsrValue -> id + 1, over all graphs */
} Writer;

static gint32 id_of(const Writer *writer, gconstpointer value)
{
    return value != NULL ? (gint32)GPOINTER_TO_UINT(g_hash_table_lookup(writer->ids, value)) - 1
                         : -1;
}

static GVariant *shape_variant(guint32 rank, const gint64 *shape)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_INT64, shape,
                                     rank == TSR_RANK_UNKNOWN ? 0 : rank, sizeof(gint64));
}

static void add_value(Writer *writer, GVariantBuilder *values, TsrValue *value)
{
    const TsrTensorDesc *desc = &value->desc.view;
    const guint64 *offset = g_hash_table_lookup(writer->program->constants, value);
    g_hash_table_insert(writer->ids, value,
                        GUINT_TO_POINTER(g_hash_table_size(writer->ids) + 1));
    /* An unknown rank is marked in the storage format, which it cannot have; the rule of
     * missing dims stands above the origin format. */
    g_variant_builder_add(values, "(suuuu@ax@axt)", value->name, desc->dtype,
                          desc->origin_format | desc->expand_dims << 16,
                          desc->rank == TSR_RANK_UNKNOWN ? G_MAXUINT32 : desc->storage_format,
                          desc->kind,
                          shape_variant(desc->rank, desc->shape),
                          shape_variant(desc->storage_rank, desc->storage_shape),
                          offset != NULL ? *offset : 0);
}

static GVariant *bytes_variant(gconstpointer data, gsize size)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, data, size, 1);
}

static GVariant *strings_variant(const TsrString *strings, gsize count)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("aay"));
    for (gsize i = 0; i < count; i++)
        g_variant_builder_add_value(&builder, bytes_variant(strings[i].data, strings[i].size));
    return g_variant_builder_end(&builder);
}

static GVariant *tensor_variant(const TsrTensor *tensor)
{
    GVariant *data;
    if (tensor->desc->dtype == TSR_DTYPE_STRING)
        data = strings_variant(tensor->data, tensor->size_bytes / sizeof(TsrString));
    else
        data = bytes_variant(tensor->data, tensor->size_bytes);
    return g_variant_new("(u@axv)", tensor->desc->dtype,
                         shape_variant(tensor->desc->rank, tensor->desc->shape), data);
}

static GVariant *attr_variant(const TsrAttr *attr)
{
    switch (attr->type) {
    case TSR_ATTR_FLOAT:
        return g_variant_new_double((double)attr->f);
    case TSR_ATTR_STRING:
        return bytes_variant(attr->s.data, attr->s.size);
    case TSR_ATTR_FLOATS:
        return bytes_variant(attr->floats, attr->count * sizeof(float));
    case TSR_ATTR_INTS:
        return g_variant_new_fixed_array(G_VARIANT_TYPE_INT64, attr->ints, attr->count,
                                         sizeof(gint64));
    case TSR_ATTR_STRINGS:
        return strings_variant(attr->strings, attr->count);
    case TSR_ATTR_TENSOR:
        return tensor_variant(attr->tensor);
    default: /* INT and GRAPH */
        return g_variant_new_int64(attr->i);
    }
}

static GVariant *graph_variant(Writer *writer, TsrGraph *graph);

static GVariant *ids_variant(const Writer *writer, const GPtrArray *values)
{
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("ai"));
    for (guint i = 0; i < values->len; i++)
        g_variant_builder_add(&builder, "i", id_of(writer, g_ptr_array_index(values, i)));
    return g_variant_builder_end(&builder);
}

static GVariant *node_variant(Writer *writer, TsrNode *node)
{
    GVariantBuilder attrs, subgraphs, names, control;
    g_variant_builder_init(&attrs, G_VARIANT_TYPE("a(suv)"));
    g_variant_builder_init(&subgraphs, G_VARIANT_TYPE("av"));
    g_variant_builder_init(&names, G_VARIANT_TYPE("as"));
    g_variant_builder_init(&control, G_VARIANT_TYPE("ai"));
    for (guint i = 0; i < node->attrs->len; i++) {
        const TsrAttr *attr = tsr_attr_view(g_ptr_array_index(node->attrs, i));
        g_variant_builder_add(&attrs, "(suv)", attr->name, attr->type, attr_variant(attr));
    }
    for (guint i = 0; i < node->subgraphs->len; i++)
        g_variant_builder_add(&subgraphs, "v",
                              graph_variant(writer, g_ptr_array_index(node->subgraphs, i)));
    for (guint i = 0; i < node->origin_names->len; i++)
        g_variant_builder_add(&names, "s", g_ptr_array_index(node->origin_names, i));
    for (guint i = 0; i < node->control_inputs->len; i++)
        g_variant_builder_add(
            &control, "i",
            (gint32)((const TsrNode *)g_ptr_array_index(node->control_inputs, i))->index);
    return g_variant_new("(usssus@ai@aia(suv)avasiuai)", (guint32)node->kind, node->name,
                         node->def != NULL ? node->def->name : "",
                         node->def != NULL ? node->def->domain : "",
                         node->def != NULL ? node->def->since_version : 0,
                         node->engine != NULL ? node->engine : "",
                         ids_variant(writer, node->inputs), ids_variant(writer, node->outputs),
                         &attrs, &subgraphs, &names, node->cluster, node->selector, &control);
}

static GVariant *graph_variant(Writer *writer, TsrGraph *graph)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, NULL);
    GVariantBuilder values, nodes, outputs;
    g_variant_builder_init(&values, G_VARIANT_TYPE("a(suuuuaxaxt)"));
    g_variant_builder_init(&nodes, G_VARIANT_TYPE("a(usssusaiaia(suv)avasiuai)"));
    g_variant_builder_init(&outputs, G_VARIANT_TYPE("a(si)"));
    for (guint i = 0; i < order->len; i++) {
        const TsrNode *node = g_ptr_array_index(order, i);
        for (guint k = 0; k < node->outputs->len; k++)
            if (g_ptr_array_index(node->outputs, k) != NULL)
                add_value(writer, &values, g_ptr_array_index(node->outputs, k));
    }
    for (guint i = 0; i < order->len; i++)
        g_variant_builder_add_value(&nodes,
                                    node_variant(writer, g_ptr_array_index(order, i)));
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        g_variant_builder_add(&outputs, "(si)", output->name, id_of(writer, output->value));
    }
    return g_variant_new("(ssa(suuuuaxaxt)a(usssusaiaia(suv)avasiuai)@aia(si))", graph->name,
                         graph->fault != NULL ? graph->fault : "",
                         &values, &nodes, ids_variant(writer, graph->inputs), &outputs);
}

GVariant *tsr_graph_to_variant(TsrProgram *program)
{
    Writer writer = {program, g_hash_table_new(NULL, NULL)};
    GVariant *variant = graph_variant(&writer, program->graph);
    g_hash_table_unref(writer.ids);
    return variant;
}
