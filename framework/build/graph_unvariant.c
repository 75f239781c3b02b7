/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_unvariant.c: reads a graph that graph_variant.c wrote. Nothing is believed:
 * ids, ranks, sizes and definitions are checked before use.
 */
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "build/graph_variant.h"
#include "onnx/tensor_proto.h"

typedef struct Reader {
    TsrOpRegistry *registry;
    const TsrWeights *weights;
    GPtrArray *values; /* TsrValue by id, over all graphs */
} Reader;

static gboolean G_GNUC_PRINTF(2, 3) corrupt(GError **error, const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, TSR_ERROR, TSR_CORRUPT, "graph section: %s", text);
    return FALSE;
}

static gboolean read_shape(GVariant *variant, guint32 *out_rank, gint64 *out_shape,
                           GError **error)
{
    gsize count;
    const gint64 *data = g_variant_get_fixed_array(variant, &count, sizeof(gint64));
    if (count > TSR_MAX_RANK)
        return corrupt(error, "rank %zu is above %d", count, TSR_MAX_RANK);
    for (gsize i = 0; i < count; i++) {
        if (data[i] < TSR_DIM_UNKNOWN)
            return corrupt(error, "dimension %" G_GINT64_FORMAT, data[i]);
        out_shape[i] = data[i];
    }
    *out_rank = (guint32)count;
    return TRUE;
}

typedef struct ValueRecord {
    char *name;
    TsrDesc desc;
    guint64 offset; /* + 1, or 0 */
} ValueRecord;

static gboolean read_value(GVariant *variant, ValueRecord *out, GError **error)
{
    g_autoptr(GVariant) shape = NULL;
    g_autoptr(GVariant) storage = NULL;
    guint32 dtype, origin, format, kind;
    gboolean done;
    memset(out, 0, sizeof(*out));
    tsr_desc_init(&out->desc);
    g_variant_get(variant, "(suuuu@ax@axt)", &out->name, &dtype, &origin, &format, &kind,
                  &shape, &storage, &out->offset);
    out->desc.view.dtype = dtype;
    out->desc.view.origin_format = origin & 0xffff;
    out->desc.view.expand_dims = origin >> 16;
    out->desc.view.storage_format =
        format == G_MAXUINT32 ? out->desc.view.origin_format : format;
    if (out->desc.view.expand_dims > 15)
        return corrupt(error, "value '%s' has a rule 0x%x of missing dimensions", out->name,
                       out->desc.view.expand_dims);
    if (dtype >= TSR_DTYPE_COUNT)
        return corrupt(error, "value '%s' has element type %u", out->name, dtype);
    out->desc.view.kind = kind;
    if (kind >= TSR_KIND_COUNT)
        return corrupt(error, "value '%s' is of kind %u", out->name, kind);
    if (format == G_MAXUINT32)
        return TRUE; /* rank unknown, as initialised */
    done = read_shape(shape, &out->desc.view.rank, out->desc.shape, error) &&
           read_shape(storage, &out->desc.view.storage_rank, out->desc.storage_shape, error);
    return done;
}

static GBytes *read_string_block(GVariant *variant)
{
    gsize count = g_variant_n_children(variant);
    g_autofree TsrString *strings = g_new0(TsrString, count + 1);
    g_autoptr(GPtrArray) children = g_ptr_array_new_with_free_func((GDestroyNotify)g_variant_unref);
    for (gsize i = 0; i < count; i++) {
        GVariant *child = g_variant_get_child_value(variant, i);
        gsize size;
        g_ptr_array_add(children, child);
        strings[i].data = g_variant_get_fixed_array(child, &size, 1);
        strings[i].size = size;
    }
    return tsr_strings_to_bytes(strings, count);
}

static TsrAttrBox *read_tensor_attr(const char *name, GVariant *value)
{
    g_autoptr(GVariant) shape = NULL;
    g_autoptr(GVariant) data = NULL;
    g_autoptr(GBytes) bytes = NULL;
    TsrDesc desc;
    guint32 dtype, rank = 0;
    guint64 wanted;
    gint64 dims[TSR_MAX_RANK];
    tsr_desc_init(&desc);
    g_variant_get(value, "(u@axv)", &dtype, &shape, &data);
    if (!read_shape(shape, &rank, dims, NULL))
        return NULL;
    tsr_desc_set(&desc, dtype, rank, dims);
    if (g_variant_is_of_type(data, G_VARIANT_TYPE("aay"))) {
        bytes = read_string_block(data);
    } else if (g_variant_is_of_type(data, G_VARIANT_TYPE("ay"))) {
        gsize size;
        gconstpointer memory = g_variant_get_fixed_array(data, &size, 1);
        bytes = tsr_memory_copy_bytes(memory, size);
    }
    if (bytes == NULL || !tsr_desc_storage_bytes(&desc.view, &wanted) ||
        wanted != g_bytes_get_size(bytes) ||
        (dtype == TSR_DTYPE_STRING) != g_variant_is_of_type(data, G_VARIANT_TYPE("aay")))
        return NULL;
    return tsr_attr_new_tensor(name, &desc.view, bytes);
}

static TsrAttrBox *read_strings_attr(const char *name, GVariant *value)
{
    g_autoptr(GBytes) block = read_string_block(value);
    return tsr_attr_new_strings(name, g_bytes_get_data(block, NULL),
                                g_bytes_get_size(block) / sizeof(TsrString));
}

static const char *const attr_types[] = {
    [TSR_ATTR_FLOAT] = "d", [TSR_ATTR_INT] = "x",  [TSR_ATTR_STRING] = "ay",
    [TSR_ATTR_TENSOR] = "(uaxv)", [TSR_ATTR_GRAPH] = "x", [TSR_ATTR_FLOATS] = "ay",
    [TSR_ATTR_INTS] = "ax", [TSR_ATTR_STRINGS] = "aay",
};

static TsrAttrBox *read_attr(const char *name, guint32 type, GVariant *value)
{
    gsize count;
    gconstpointer data;
    if (type == 0 || type >= G_N_ELEMENTS(attr_types) ||
        !g_variant_is_of_type(value, G_VARIANT_TYPE(attr_types[type])))
        return NULL;
    switch (type) {
    case TSR_ATTR_FLOAT:
        return tsr_attr_new_float(name, (float)g_variant_get_double(value));
    case TSR_ATTR_STRING:
        data = g_variant_get_fixed_array(value, &count, 1);
        return tsr_attr_new_string(name, data, count);
    case TSR_ATTR_FLOATS: {
        g_autofree float *floats = NULL;
        data = g_variant_get_fixed_array(value, &count, 1);
        floats = g_memdup2(data, count); /* the variant's bytes may be unaligned */
        return tsr_attr_new_floats(name, floats, count / sizeof(float));
    }
    case TSR_ATTR_INTS:
        data = g_variant_get_fixed_array(value, &count, sizeof(gint64));
        return tsr_attr_new_ints(name, data, count);
    case TSR_ATTR_STRINGS:
        return read_strings_attr(name, value);
    case TSR_ATTR_TENSOR:
        return read_tensor_attr(name, value);
    case TSR_ATTR_GRAPH:
        return tsr_attr_new_graph(name, (guint32)g_variant_get_int64(value));
    default:
        return tsr_attr_new_int(name, g_variant_get_int64(value));
    }
}

static TsrGraph *read_graph(Reader *reader, GVariant *variant, guint depth, GError **error);

/* Everything of a node record, with what it allocates. */
typedef struct NodeRecord {
    guint32 kind, since, selector;
    gint32 cluster;
    char *name, *op, *domain, *engine;
    GVariant *inputs, *outputs, *attrs, *subgraphs, *names, *control;
} NodeRecord;

static void node_record_clear(NodeRecord *record)
{
    g_free(record->name);
    g_free(record->op);
    g_free(record->domain);
    g_free(record->engine);
    g_variant_unref(record->inputs);
    g_variant_unref(record->outputs);
    g_variant_unref(record->attrs);
    g_variant_unref(record->subgraphs);
    g_variant_unref(record->names);
    g_variant_unref(record->control);
}

static TsrValue *value_at(const Reader *reader, gint32 id)
{
    return id >= 0 && (guint)id < reader->values->len
               ? g_ptr_array_index(reader->values, (guint)id)
               : NULL;
}

/* The strings that program.c packed from that offset on; NULL when they do not fit. */
static GBytes *unpack_strings(Reader *reader, const ValueRecord *record, guint64 offset)
{
    const guint64 available = tsr_weights_left(reader->weights, offset);
    const guint8 *data = tsr_weights_at(reader->weights, offset);
    gint64 count = tsr_desc_is_static(&record->desc.view)
                       ? tsr_desc_elements(&record->desc.view)
                       : -1;
    g_autofree TsrString *strings = NULL;
    guint64 at;
    if (count < 0 || data == NULL || (guint64)count > available / 8)
        return NULL;
    strings = g_new0(TsrString, (gsize)count + 1);
    at = (guint64)count * 8;
    for (gint64 i = 0; i < count; i++) {
        memcpy(&strings[i].size, data + (guint64)i * 8, 8);
        if (strings[i].size > available - at)
            return NULL;
        strings[i].data = (const char *)data + at;
        at += strings[i].size;
    }
    return tsr_strings_to_bytes(strings, (gsize)count);
}

static GBytes *constant_bytes(Reader *reader, const ValueRecord *record, GError **error)
{
    guint64 size;
    const guint64 offset = record->offset - 1;
    GBytes *bytes = NULL;
    if (record->desc.view.dtype == TSR_DTYPE_STRING) {
        GBytes *strings = unpack_strings(reader, record, offset);
        if (strings == NULL)
            corrupt(error, "constant '%s' does not lie in the weights", record->name);
        return strings;
    }
    if (tsr_desc_storage_bytes(&record->desc.view, &size))
        bytes = tsr_weights_slice(reader->weights, offset, size);
    if (bytes == NULL)
        corrupt(error, "constant '%s' does not lie in the weights", record->name);
    return bytes;
}

/* A data or constant node: one value, no operator. */
static gboolean read_source(Reader *reader, TsrGraph *graph, const NodeRecord *node,
                            ValueRecord *record, GError **error)
{
    TsrValue *value;
    if (node->kind == TSR_NODE_CONSTANT && record->offset != 0) {
        g_autoptr(GBytes) bytes = constant_bytes(reader, record, error);
        value = bytes != NULL ? tsr_graph_add_constant(graph, record->name, &record->desc.view,
                                                       bytes, error)
                              : NULL;
    } else {
        /* Data, or a constant that the tasks do not read: its bytes are not stored. */
        value = tsr_graph_add_input(graph, record->name, &record->desc.view, error);
        if (value != NULL && node->kind == TSR_NODE_CONSTANT) {
            g_ptr_array_remove(graph->inputs, value);
            value->producer->kind = TSR_NODE_CONSTANT;
        }
    }
    if (value != NULL)
        g_ptr_array_add(reader->values, value);
    return value != NULL;
}

static gboolean read_subgraphs(Reader *reader, const NodeRecord *record, guint depth,
                               GPtrArray *out, GError **error)
{
    for (gsize i = 0; i < g_variant_n_children(record->subgraphs); i++) {
        g_autoptr(GVariant) box = g_variant_get_child_value(record->subgraphs, i);
        g_autoptr(GVariant) inner = g_variant_get_variant(box);
        TsrGraph *graph;
        if (!g_variant_is_of_type(inner, G_VARIANT_TYPE(TSR_GRAPH_VARIANT_TYPE)))
            return corrupt(error, "subgraph %zu of '%s' is none", i, record->name);
        graph = read_graph(reader, inner, depth + 1, error);
        if (graph == NULL)
            return FALSE;
        g_ptr_array_add(out, graph);
    }
    return TRUE;
}

static gboolean read_attrs(const NodeRecord *record, gsize subgraph_count, GPtrArray *out,
                           GError **error)
{
    for (gsize i = 0; i < g_variant_n_children(record->attrs); i++) {
        g_autofree char *name = NULL;
        g_autoptr(GVariant) value = NULL;
        guint32 type;
        TsrAttrBox *attr;
        g_variant_get_child(record->attrs, i, "(suv)", &name, &type, &value);
        attr = read_attr(name, type, value);
        if (attr == NULL)
            return corrupt(error, "attribute '%s' of '%s' cannot be read", name, record->name);
        g_ptr_array_add(out, attr);
        if (type == TSR_ATTR_GRAPH && (guint64)tsr_attr_view(attr)->i >= subgraph_count)
            return corrupt(error, "attribute '%s' of '%s' names no subgraph", name,
                           record->name);
    }
    return TRUE;
}

static gboolean read_operator(Reader *reader, TsrGraph *graph, const NodeRecord *record,
                              ValueRecord *values, gsize value_count, gsize *next_value,
                              guint depth, GError **error)
{
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    g_autoptr(GPtrArray) subgraphs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_graph_unref);
    gsize input_count, output_count;
    const gint32 *inputs =
        g_variant_get_fixed_array(record->inputs, &input_count, sizeof(gint32));
    const gint32 *outputs =
        g_variant_get_fixed_array(record->outputs, &output_count, sizeof(gint32));
    g_autofree TsrValue **input_values = g_new0(TsrValue *, input_count + 1);
    g_autofree const char **names = g_new0(const char *, output_count + 1);
    gsize first = *next_value;
    const TsrOpDef *def;
    TsrNode *node;

    def = tsr_op_registry_get(reader->registry, record->domain, record->op, record->since,
                              error);
    if (def == NULL)
        return FALSE;
    if (def->since_version != record->since)
        return corrupt(error, "'%s' wants version %u of operator '%s', which is not defined",
                       record->name, record->since, record->op);
    for (gsize i = 0; i < input_count; i++) {
        input_values[i] = value_at(reader, inputs[i]);
        if (inputs[i] >= 0 && input_values[i] == NULL)
            return corrupt(error, "input %zu of '%s' is no value", i, record->name);
    }
    for (gsize i = 0; i < output_count; i++) {
        if (outputs[i] < 0)
            continue;
        if (*next_value >= value_count)
            return corrupt(error, "'%s' has more outputs than there are values", record->name);
        names[i] = values[(*next_value)++].name;
    }
    if (!read_subgraphs(reader, record, depth, subgraphs, error) ||
        !read_attrs(record, subgraphs->len, attrs, error))
        return FALSE;
    node = tsr_graph_add_node(graph, def, record->name, input_values, input_count, names,
                              output_count, (TsrAttrBox *const *)attrs->pdata, attrs->len,
                              (TsrGraph *const *)subgraphs->pdata, subgraphs->len, error);
    if (node == NULL)
        return FALSE;
    for (gsize i = 0; i < output_count; i++)
        if (names[i] != NULL)
            tsr_desc_copy(&((TsrValue *)g_ptr_array_index(node->outputs, i))->desc,
                          &values[first++].desc.view);
    node->engine = record->engine[0] != '\0' ? g_intern_string(record->engine) : NULL;
    node->cluster = record->cluster;
    node->selector = record->selector;
    for (gsize i = 0; i < g_variant_n_children(record->names); i++) {
        char *name;
        g_variant_get_child(record->names, i, "s", &name);
        g_ptr_array_add(node->origin_names, name);
    }
    return TRUE;
}

/* Ids count the values of a graph first, then those of its nodes' subgraphs, so a
 * graph reserves its ids before it reads its nodes. */
static gboolean read_node(Reader *reader, TsrGraph *graph, GVariant *variant,
                          ValueRecord *values, gsize value_count, gsize *next_value,
                          guint base, guint depth, GError **error)
{
    NodeRecord record;
    gsize first = *next_value;
    gboolean done;
    g_variant_get(variant, "(usssus@ai@ai@a(suv)@av@asiu@ai)", &record.kind, &record.name,
                  &record.op, &record.domain, &record.since, &record.engine, &record.inputs,
                  &record.outputs, &record.attrs, &record.subgraphs, &record.names,
                  &record.cluster, &record.selector, &record.control);
    if (record.kind == TSR_NODE_OPERATOR) {
        done = read_operator(reader, graph, &record, values, value_count, next_value, depth,
                             error);
        if (done) {
            TsrNode *node = g_ptr_array_index(graph->nodes, graph->nodes->len - 1);
            for (guint i = 0; i < node->outputs->len; i++)
                if (g_ptr_array_index(node->outputs, i) != NULL)
                    g_ptr_array_index(reader->values, base + first++) =
                        g_ptr_array_index(node->outputs, i);
        }
    } else if (record.kind > TSR_NODE_OPERATOR || *next_value >= value_count) {
        done = corrupt(error, "node '%s' is of no kind or has no value", record.name);
    } else {
        done = read_source(reader, graph, &record, &values[(*next_value)++], error);
        if (done) {
            g_ptr_array_index(reader->values, base + first) =
                g_ptr_array_index(reader->values, reader->values->len - 1);
            g_ptr_array_set_size(reader->values, (gint)reader->values->len - 1);
        }
    }
    for (gsize i = 0; done && i < g_variant_n_children(record.control); i++) {
        gint32 before;
        g_variant_get_child(record.control, i, "i", &before);
        if (before < 0 || (guint)before + 1 >= graph->nodes->len)
            done = corrupt(error, "node '%s' waits for no node", record.name);
        else
            tsr_node_add_control_edge(g_ptr_array_index(graph->nodes, (guint)before),
                                      g_ptr_array_index(graph->nodes, graph->nodes->len - 1));
    }
    node_record_clear(&record);
    return done;
}

static gboolean read_borders(Reader *reader, TsrGraph *graph, GVariant *inputs,
                             GVariant *outputs, GError **error)
{
    gsize count;
    const gint32 *ids = g_variant_get_fixed_array(inputs, &count, sizeof(gint32));
    g_ptr_array_set_size(graph->inputs, 0);
    for (gsize i = 0; i < count; i++) {
        TsrValue *value = value_at(reader, ids[i]);
        if (value == NULL || value->producer->kind != TSR_NODE_DATA)
            return corrupt(error, "input %zu of graph '%s' is no data", i, graph->name);
        g_ptr_array_add(graph->inputs, value);
    }
    for (gsize i = 0; i < g_variant_n_children(outputs); i++) {
        g_autofree char *name = NULL;
        gint32 id;
        g_variant_get_child(outputs, i, "(si)", &name, &id);
        if (value_at(reader, id) == NULL)
            return corrupt(error, "output '%s' of graph '%s' is no value", name, graph->name);
        tsr_graph_add_output(graph, name, value_at(reader, id));
    }
    return TRUE;
}

static TsrGraph *read_graph(Reader *reader, GVariant *variant, guint depth, GError **error)
{
    g_autoptr(GVariant) values = NULL;
    g_autoptr(GVariant) nodes = NULL;
    g_autoptr(GVariant) inputs = NULL;
    g_autoptr(GVariant) outputs = NULL;
    g_autofree char *name = NULL;
    g_autofree char *fault = NULL;
    g_autofree ValueRecord *records = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    gsize value_count, next = 0, base = reader->values->len;
    gboolean done = TRUE;

    if (depth > 64) {
        corrupt(error, "subgraphs are nested more than 64 deep");
        return NULL;
    }
    g_variant_get(variant, "(ss@a(suuuuaxaxt)@a(usssusaiaia(suv)avasiuai)@ai@a(si))", &name,
                  &fault, &values, &nodes, &inputs, &outputs);
    graph = tsr_graph_new(reader->registry, name);
    if (fault[0] != '\0')
        graph->fault = g_steal_pointer(&fault);
    value_count = g_variant_n_children(values);
    records = g_new0(ValueRecord, value_count + 1);
    g_ptr_array_set_size(reader->values, (gint)(base + value_count));
    for (gsize i = 0; i < value_count && done; i++) {
        g_autoptr(GVariant) child = g_variant_get_child_value(values, i);
        done = read_value(child, &records[i], error);
    }
    for (gsize i = 0; i < g_variant_n_children(nodes) && done; i++) {
        g_autoptr(GVariant) child = g_variant_get_child_value(nodes, i);
        done = read_node(reader, graph, child, records, value_count, &next, (guint)base, depth,
                         error);
    }
    done = done && read_borders(reader, graph, inputs, outputs, error);
    for (gsize i = 0; i < value_count; i++)
        g_free(records[i].name);
    return done ? g_steal_pointer(&graph) : NULL;
}

TsrGraph *tsr_graph_from_variant(TsrOpRegistry *registry, GVariant *variant,
                                 const TsrWeights *weights, GError **error)
{
    Reader reader = {registry, weights, g_ptr_array_new()};
    TsrGraph *graph = read_graph(&reader, variant, 0, error);
    g_ptr_array_unref(reader.values);
    return graph;
}
