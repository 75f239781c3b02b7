/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_edit.c: see graph_edit.h. Ids index arrays that only grow; what is removed
 * leaves NULL behind.
 */
#include "optimize/graph_edit.h"

#include "base/error.h"
#include "base/memory.h"
#include "engine/place.h"
#include "plugin/host.h"
#include "prepare/infer.h"

struct TsrEditor {
    TsrGraphEdit interface;
    TsrGraph *graph;
    const TsrPluginSet *set;
    const char *engine;
    gboolean placed;
    GPtrArray *nodes;    /* by id */
    GPtrArray *values;
    GHashTable *node_ids;  /* pointer -> id + 1 */
    GHashTable *value_ids;
};

static guint32 id_of(GPtrArray *items, GHashTable *ids, gpointer item)
{
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(ids, item));
    if (id == 0) {
        g_ptr_array_add(items, item);
        id = items->len;
        g_hash_table_insert(ids, item, GUINT_TO_POINTER(id));
    }
    return id - 1;
}

static TsrNode *node_at(const TsrGraphEdit *edit, uint32_t id)
{
    const TsrEditor *editor = edit->context;
    return id < editor->nodes->len ? g_ptr_array_index(editor->nodes, id) : NULL;
}

static TsrValue *value_at(const TsrGraphEdit *edit, uint32_t id)
{
    const TsrEditor *editor = edit->context;
    return id < editor->values->len ? g_ptr_array_index(editor->values, id) : NULL;
}

static const TsrNodeView *edit_node(const TsrGraphEdit *edit, uint32_t id)
{
    TsrNode *node = node_at(edit, id);
    return node != NULL && node->kind == TSR_NODE_OPERATOR ? tsr_node_view(node) : NULL;
}

static uint32_t port(const TsrGraphEdit *edit, const GPtrArray *ports, uint32_t index)
{
    TsrEditor *editor = edit->context;
    TsrValue *value = index < ports->len ? g_ptr_array_index(ports, index) : NULL;
    return value != NULL ? id_of(editor->values, editor->value_ids, value) : TSR_NO_VALUE;
}

static uint32_t edit_input_value(const TsrGraphEdit *edit, uint32_t id, uint32_t index)
{
    const TsrNode *node = node_at(edit, id);
    return node != NULL ? port(edit, node->inputs, index) : TSR_NO_VALUE;
}

static uint32_t edit_output_value(const TsrGraphEdit *edit, uint32_t id, uint32_t index)
{
    const TsrNode *node = node_at(edit, id);
    return node != NULL ? port(edit, node->outputs, index) : TSR_NO_VALUE;
}

static uint32_t edit_producer(const TsrGraphEdit *edit, uint32_t id)
{
    TsrEditor *editor = edit->context;
    const TsrValue *value = value_at(edit, id);
    if (value == NULL || value->producer->kind != TSR_NODE_OPERATOR ||
        value->producer->graph != editor->graph)
        return UINT32_MAX;
    return id_of(editor->nodes, editor->node_ids, value->producer);
}

static uint32_t edit_consumer_count(const TsrGraphEdit *edit, uint32_t id)
{
    const TsrValue *value = value_at(edit, id);
    return value != NULL ? value->users->len : 0;
}

static uint32_t edit_consumer(const TsrGraphEdit *edit, uint32_t id, uint32_t index)
{
    TsrEditor *editor = edit->context;
    const TsrValue *value = value_at(edit, id);
    TsrNode *user = value != NULL && index < value->users->len
                        ? g_ptr_array_index(value->users, index)
                        : NULL;
    if (user == NULL || user->graph != editor->graph)
        return UINT32_MAX;
    return id_of(editor->nodes, editor->node_ids, user);
}

static uint32_t edit_is_needed(const TsrGraphEdit *edit, uint32_t id)
{
    const TsrValue *value = value_at(edit, id);
    return value != NULL && (tsr_value_is_output(value) || tsr_value_is_captured(value));
}

static const TsrTensorDesc *edit_desc(const TsrGraphEdit *edit, uint32_t id)
{
    const TsrValue *value = value_at(edit, id);
    return value != NULL ? &value->desc.view : NULL;
}

static const TsrTensor *edit_constant(const TsrGraphEdit *edit, uint32_t id)
{
    const TsrValue *value = value_at(edit, id);
    return value != NULL && value->constant != NULL ? &value->tensor : NULL;
}

static uint32_t edit_add_constant(const TsrGraphEdit *edit, const TsrTensorDesc *desc,
                                  const void *data)
{
    TsrEditor *editor = edit->context;
    const char *stem = desc->name != NULL && desc->name[0] != '\0' ? desc->name : "fused";
    g_autofree char *name = tsr_graph_unique_name(editor->graph, stem);
    g_autoptr(GBytes) bytes = NULL;
    TsrValue *value;
    guint64 size_bytes;
    if (desc->rank > TSR_MAX_RANK || !tsr_desc_storage_bytes(desc, &size_bytes))
        return TSR_NO_VALUE;
    bytes = tsr_memory_copy_bytes(data, size_bytes);
    value = bytes != NULL
                ? tsr_graph_add_constant(editor->graph, name, desc, bytes, NULL)
                : NULL;
    return value != NULL ? id_of(editor->values, editor->value_ids, value) : TSR_NO_VALUE;
}

static gboolean is_replaced(const TsrGraphEdit *edit, const TsrFusedNode *fused,
                            const TsrNode *node)
{
    for (uint32_t i = 0; i < fused->node_count; i++)
        if (node_at(edit, fused->nodes[i]) == node)
            return TRUE;
    return FALSE;
}

/* A value of a replaced node may vanish only when nobody but replaced nodes reads it. */
static gboolean values_may_vanish(const TsrGraphEdit *edit, const TsrFusedNode *fused)
{
    for (uint32_t i = 0; i < fused->node_count; i++) {
        const TsrNode *node = node_at(edit, fused->nodes[i]);
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            gboolean kept = FALSE;
            if (value == NULL)
                continue;
            for (uint32_t o = 0; o < fused->output_count; o++)
                kept |= value_at(edit, fused->outputs[o]) == value;
            if (kept)
                continue;
            if (tsr_value_is_output(value))
                return FALSE;
            for (guint u = 0; u < value->users->len; u++)
                if (!is_replaced(edit, fused, g_ptr_array_index(value->users, u)))
                    return FALSE;
        }
    }
    return TRUE;
}

/* Puts on the stack what the reader (a node, or one inside its subgraphs) waits for. */
static void push_producers(GPtrArray *stack, const TsrNode *reader)
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL)
            g_ptr_array_add(stack, value->producer);
    }
    for (guint i = 0; i < reader->control_inputs->len; i++)
        g_ptr_array_add(stack, g_ptr_array_index(reader->control_inputs, i));
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        const TsrGraph *subgraph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            push_producers(stack, g_ptr_array_index(subgraph->nodes, i));
        for (guint i = 0; i < subgraph->outputs->len; i++)
            g_ptr_array_add(stack,
                            g_array_index(subgraph->outputs, TsrGraphOutput, i).value->producer);
    }
}

/* Whether an input of the fused node is computed from one of the nodes it replaces: it
 * would then wait for itself. */
static gboolean waits_for_itself(const TsrGraphEdit *edit, const TsrFusedNode *fused)
{
    g_autoptr(GHashTable) replaced = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) stack = g_ptr_array_new();
    for (uint32_t i = 0; i < fused->node_count; i++)
        g_hash_table_add(replaced, node_at(edit, fused->nodes[i]));
    for (uint32_t i = 0; i < fused->input_count; i++)
        if (fused->inputs[i] != TSR_NO_VALUE)
            g_ptr_array_add(stack, value_at(edit, fused->inputs[i])->producer);
    while (stack->len != 0) {
        TsrNode *node = g_ptr_array_steal_index_fast(stack, stack->len - 1);
        if (g_hash_table_contains(replaced, node))
            return TRUE;
        if (g_hash_table_add(seen, node))
            push_producers(stack, node);
    }
    return FALSE;
}

static gboolean spec_is_sound(const TsrGraphEdit *edit, const TsrFusedNode *fused)
{
    if (fused->node_count == 0 || fused->output_count == 0 || fused->op_type == NULL)
        return FALSE;
    for (uint32_t i = 0; i < fused->node_count; i++)
        if (node_at(edit, fused->nodes[i]) == NULL)
            return FALSE;
    for (uint32_t i = 0; i < fused->input_count; i++)
        if (fused->inputs[i] != TSR_NO_VALUE && value_at(edit, fused->inputs[i]) == NULL)
            return FALSE;
    for (uint32_t i = 0; i < fused->output_count; i++) {
        const TsrValue *value = value_at(edit, fused->outputs[i]);
        if (value == NULL || !is_replaced(edit, fused, value->producer))
            return FALSE;
    }
    return values_may_vanish(edit, fused);
}

static TsrNode *make_node(const TsrGraphEdit *edit, const TsrFusedNode *fused, GError **error)
{
    TsrEditor *editor = edit->context;
    g_autofree TsrValue **inputs = g_new0(TsrValue *, fused->input_count + 1);
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    const char *name = node_at(edit, fused->nodes[0])->name;
    const TsrOpDef *def =
        tsr_op_registry_get(editor->graph->registry,
                            fused->domain != NULL ? fused->domain : "", fused->op_type,
                            G_MAXINT64, error);
    if (def == NULL)
        return NULL;
    for (uint32_t i = 0; i < fused->input_count; i++)
        inputs[i] = value_at(edit, fused->inputs[i]);
    for (uint32_t i = 0; i < fused->attr_count; i++) {
        TsrAttrBox *attr = tsr_attr_copy_view(fused->attrs[i]);
        if (attr != NULL)
            g_ptr_array_add(attrs, attr);
    }
    return tsr_graph_add_node(editor->graph, def, name, inputs, fused->input_count, NULL,
                              fused->output_count, (TsrAttrBox *const *)attrs->pdata,
                              attrs->len, NULL, 0, error);
}

/* The new node must give what the old ones gave, and an engine must take it. */
static gboolean accept_node(const TsrGraphEdit *edit, const TsrFusedNode *fused, TsrNode *node,
                            GError **error)
{
    TsrEditor *editor = edit->context;
    if (!tsr_infer_node(node, tsr_infer_graph, NULL, error))
        return FALSE;
    for (uint32_t i = 0; i < fused->output_count; i++) {
        TsrValue *made = g_ptr_array_index(node->outputs, i);
        TsrValue *old = value_at(edit, fused->outputs[i]);
        if (!tsr_desc_compatible(&made->desc.view, &old->desc.view)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "output %u of the fused node differs from '%s'", i, old->name);
            return FALSE;
        }
        made->desc.view.origin_format = old->desc.view.origin_format;
        made->desc.view.storage_format = old->desc.view.origin_format;
        made->desc.view.expand_dims = old->desc.view.expand_dims;
        made->format_anchor = g_strdup(old->format_anchor);
    }
    if (!tsr_place_node(node, editor->set, editor->engine, error))
        return FALSE;
    if (!editor->placed)
        tsr_place_forget(node);
    return TRUE;
}

static void add_origin_names(TsrNode *node, const TsrNode *old)
{
    for (guint i = 0; i < old->origin_names->len; i++)
        g_ptr_array_add(node->origin_names,
                        g_strdup(g_ptr_array_index(old->origin_names, i)));
    if (old->origin_names->len == 0)
        g_ptr_array_add(node->origin_names, g_strdup(old->name));
}

/* Notes the names of values that go away with a node: its outputs that the new one does not
 * give, and those that went away when it was made itself. */
static void add_fused_values(const TsrGraphEdit *edit, const TsrFusedNode *fused, TsrNode *node,
                             const TsrNode *old)
{
    for (guint i = 0; i < old->fused_values->len; i++)
        g_ptr_array_add(node->fused_values, g_strdup(g_ptr_array_index(old->fused_values, i)));
    for (guint i = 0; i < old->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(old->outputs, i);
        gboolean stays = value == NULL;
        for (uint32_t k = 0; k < fused->output_count; k++)
            stays |= value_at(edit, fused->outputs[k]) == value;
        if (!stays)
            g_ptr_array_add(node->fused_values, g_strdup(value->name));
    }
}

/* The fused value answers to the user's name of the value it replaces. */
static void take_name(TsrValue *value, TsrValue *old)
{
    char *name = value->name;
    value->name = old->name;
    old->name = name;
    value->desc.view.name = value->name;
    old->desc.view.name = old->name;
}

static void forget(TsrEditor *editor, TsrNode *node)
{
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(editor->node_ids, node));
    if (id != 0)
        g_ptr_array_index(editor->nodes, id - 1) = NULL;
    g_hash_table_remove(editor->node_ids, node);
    for (guint i = 0; i < node->outputs->len; i++) {
        gpointer value = g_ptr_array_index(node->outputs, i);
        id = GPOINTER_TO_UINT(g_hash_table_lookup(editor->value_ids, value));
        if (id != 0)
            g_ptr_array_index(editor->values, id - 1) = NULL;
        g_hash_table_remove(editor->value_ids, value);
    }
    tsr_node_remove(node);
}

static int32_t edit_fuse(const TsrGraphEdit *edit, const TsrFusedNode *fused)
{
    TsrEditor *editor = edit->context;
    const TsrHost *host = tsr_host_get();
    g_autoptr(GPtrArray) old_nodes = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    TsrNode *node;
    if (!spec_is_sound(edit, fused))
        return host->set_error(host, TSR_INVALID_ARGUMENT,
                               "fusion to '%s' would lose a value that is needed",
                               fused->op_type != NULL ? fused->op_type : "");
    if (waits_for_itself(edit, fused))
        return host->set_error(host, TSR_INVALID_ARGUMENT,
                               "fusion to '%s' would wait for its own result", fused->op_type);
    node = make_node(edit, fused, &error);
    if (node == NULL)
        return host->set_error(host, TSR_INVALID_ARGUMENT, "%s", error->message);
    if (!accept_node(edit, fused, node, &error)) {
        /* That no engine takes the node is no fault of the pass: there is nothing to do. */
        gboolean refused = g_error_matches(error, TSR_ERROR, TSR_UNSUPPORTED);
        tsr_node_remove(node);
        return host->set_error(host, refused ? TSR_UNSUPPORTED : TSR_INVALID_ARGUMENT, "%s",
                               error->message);
    }
    for (uint32_t i = 0; i < fused->node_count; i++) {
        g_ptr_array_add(old_nodes, node_at(edit, fused->nodes[i]));
        add_origin_names(node, g_ptr_array_index(old_nodes, i));
        node->keeps_plain |= ((const TsrNode *)g_ptr_array_index(old_nodes, i))->keeps_plain;
        add_fused_values(edit, fused, node, g_ptr_array_index(old_nodes, i));
    }
    for (uint32_t i = 0; i < fused->output_count; i++) {
        TsrValue *made = g_ptr_array_index(node->outputs, i);
        TsrValue *old = value_at(edit, fused->outputs[i]);
        tsr_value_replace_uses(old, made);
        take_name(made, old);
        id_of(editor->values, editor->value_ids, made);
    }
    /* They read each other: let go of everything before the first is freed. */
    for (guint i = 0; i < old_nodes->len; i++) {
        TsrNode *old = g_ptr_array_index(old_nodes, i);
        for (guint k = 0; k < old->inputs->len; k++)
            tsr_node_set_input(old, k, NULL);
    }
    for (guint i = 0; i < old_nodes->len; i++)
        forget(editor, g_ptr_array_index(old_nodes, i));
    id_of(editor->nodes, editor->node_ids, node);
    return TSR_OK;
}

TsrEditor *tsr_editor_new(TsrGraph *graph, const TsrPluginSet *set)
{
    TsrEditor *editor = g_new0(TsrEditor, 1);
    editor->interface = (TsrGraphEdit){
        .struct_size = sizeof(TsrGraphEdit),
        .context = editor,
        .node = edit_node,
        .input_value = edit_input_value,
        .output_value = edit_output_value,
        .producer = edit_producer,
        .consumer_count = edit_consumer_count,
        .consumer = edit_consumer,
        .is_needed = edit_is_needed,
        .desc = edit_desc,
        .constant = edit_constant,
        .add_constant = edit_add_constant,
        .fuse = edit_fuse,
    };
    editor->graph = graph;
    editor->set = set;
    editor->placed = TRUE;
    editor->nodes = g_ptr_array_new();
    editor->values = g_ptr_array_new();
    editor->node_ids = g_hash_table_new(NULL, NULL);
    editor->value_ids = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < graph->nodes->len; i++)
        id_of(editor->nodes, editor->node_ids, g_ptr_array_index(graph->nodes, i));
    return editor;
}

void tsr_editor_free(TsrEditor *editor)
{
    if (editor == NULL)
        return;
    g_ptr_array_unref(editor->nodes);
    g_ptr_array_unref(editor->values);
    g_hash_table_unref(editor->node_ids);
    g_hash_table_unref(editor->value_ids);
    g_free(editor);
}

const TsrGraphEdit *tsr_editor_interface(TsrEditor *editor)
{
    return &editor->interface;
}

void tsr_editor_set_placed(TsrEditor *editor, gboolean placed)
{
    editor->placed = placed;
}

void tsr_editor_set_engine(TsrEditor *editor, const char *engine)
{
    editor->engine = engine;
}

guint32 tsr_editor_node_id(TsrEditor *editor, const TsrNode *node)
{
    guint id = GPOINTER_TO_UINT(g_hash_table_lookup(editor->node_ids, node));
    return id != 0 ? id - 1 : G_MAXUINT32;
}
