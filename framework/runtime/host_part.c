/* SPDX-License-Identifier: Apache-2.0
 *
 * host_part.c: see host_part.h.
 */
#include "runtime/host_part.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/sink.h"

/* -------------------------------------------------------------------- order */

typedef struct Orderer {
    const TsrProgram *program;
    GHashTable *part_of;  /* TsrNode -> its part + 1 */
    GHashTable *place_of; /* TsrNode -> its place in the order of nodes + 1 */
    guint8 *node_state;   /* by place: 0 new, 1 under way, 2 done */
    guint8 *part_state;
    GArray *units;
} Orderer;

static gboolean visit(Orderer *orderer, const TsrNode *node);

/* Everything that the node and the graphs below it read of the outermost graph. */
static gboolean visit_inputs(Orderer *orderer, const TsrNode *reader)
{
    for (guint i = 0; i < reader->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(reader->inputs, i);
        if (value != NULL && !visit(orderer, value->producer))
            return FALSE;
    }
    for (guint i = 0; i < reader->control_inputs->len; i++)
        if (!visit(orderer, g_ptr_array_index(reader->control_inputs, i)))
            return FALSE;
    for (guint s = 0; s < reader->subgraphs->len; s++) {
        const TsrGraph *graph = g_ptr_array_index(reader->subgraphs, s);
        for (guint i = 0; i < graph->nodes->len; i++)
            if (!visit_inputs(orderer, g_ptr_array_index(graph->nodes, i)))
                return FALSE;
        for (guint i = 0; i < graph->outputs->len; i++)
            if (!visit(orderer,
                       g_array_index(graph->outputs, TsrGraphOutput, i).value->producer))
                return FALSE;
    }
    return TRUE;
}

/* Only the outside of the part: what its nodes read of each other is its own affair. */
static gboolean visit_part(Orderer *orderer, gint index)
{
    const TsrKnownPart *part = g_ptr_array_index(orderer->program->parts, (guint)index);
    const TsrHostUnit unit = {index, 0};
    if (orderer->part_state[index] != 0)
        return orderer->part_state[index] == 2;
    orderer->part_state[index] = 1;
    for (guint i = 0; i < part->inputs->len; i++) {
        const guint32 node = g_array_index(part->inputs, TsrPartValue, i).node;
        if (!visit(orderer, g_ptr_array_index(orderer->program->nodes, node)))
            return FALSE;
    }
    orderer->part_state[index] = 2;
    g_array_append_val(orderer->units, unit);
    return TRUE;
}

static gboolean visit(Orderer *orderer, const TsrNode *node)
{
    const guint part = GPOINTER_TO_UINT(g_hash_table_lookup(orderer->part_of, node));
    const guint place = GPOINTER_TO_UINT(g_hash_table_lookup(orderer->place_of, node));
    const TsrHostUnit unit = {-1, place - 1};
    if (part != 0)
        return visit_part(orderer, (gint)part - 1);
    if (place == 0) /* no operator of this graph */
        return TRUE;
    if (orderer->node_state[unit.node] != 0)
        return orderer->node_state[unit.node] == 2;
    orderer->node_state[unit.node] = 1;
    if (!visit_inputs(orderer, node))
        return FALSE;
    orderer->node_state[unit.node] = 2;
    g_array_append_val(orderer->units, unit);
    return TRUE;
}

GArray *tsr_host_units(const TsrProgram *program, const GPtrArray *order, GError **error)
{
    g_autoptr(GHashTable) part_of = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) place_of = g_hash_table_new(NULL, NULL);
    g_autofree guint8 *node_state = g_new0(guint8, order->len + 1);
    g_autofree guint8 *part_state = g_new0(guint8, program->parts->len + 1);
    g_autoptr(GArray) units = g_array_new(FALSE, FALSE, sizeof(TsrHostUnit));
    Orderer orderer = {program, part_of, place_of, node_state, part_state, units};
    for (guint p = 0; p < program->parts->len; p++) {
        const TsrKnownPart *part = g_ptr_array_index(program->parts, p);
        for (guint i = 0; i < part->nodes->len; i++)
            g_hash_table_insert(part_of,
                                g_ptr_array_index(program->nodes,
                                                  g_array_index(part->nodes, guint32, i)),
                                GUINT_TO_POINTER(p + 1));
    }
    for (guint i = 0; i < order->len; i++)
        g_hash_table_insert(place_of, g_ptr_array_index(order, i), GUINT_TO_POINTER(i + 1));
    for (guint i = 0; i < order->len; i++) {
        const TsrNode *node = g_ptr_array_index(order, i);
        if (visit(&orderer, node))
            continue;
        g_set_error(error, TSR_ERROR, TSR_CORRUPT,
                    "graph '%s': the part with node '%s' waits for itself", program->graph->name,
                    node->name);
        return NULL;
    }
    return g_steal_pointer(&units);
}

/* --------------------------------------------------------------------- runs */

struct TsrHostPart {
    const TsrKnownPart *part;
    TsrSink *sink;
};

TsrHostPart *tsr_host_part_new(const TsrKnownPart *part, const TsrPluginSet *set,
                               TsrOpenDevice *device, TsrArenaPool *pool, GError **error)
{
    TsrSink *sink = tsr_sink_new(part->program, set, device, pool, error);
    TsrHostPart *made;
    if (sink == NULL)
        return NULL;
    made = g_new(TsrHostPart, 1);
    *made = (TsrHostPart){part, sink};
    return made;
}

void tsr_host_part_free(TsrHostPart *part)
{
    if (part == NULL)
        return;
    tsr_sink_free(part->sink);
    g_free(part);
}

/* Whatever a format is called, a tensor that is stored as it is meant is plain. */
static guint32 storage_of(const TsrTensorDesc *desc)
{
    return desc->storage_format == desc->origin_format ? TSR_FORMAT_ND : desc->storage_format;
}

/* The array as a task list takes it: what was said of it, at an aligned address. (transfer
 * full) */
static TsrArray *as_input(const TsrValue *value, TsrArray *array, GError **error)
{
    const TsrTensorDesc *wanted = &value->desc.view, *got = &array->desc.view;
    guint64 bytes = 0;
    TsrArray *copy;
    if (got->kind != TSR_KIND_TENSOR || got->dtype != wanted->dtype ||
        !tsr_desc_compatible(got, wanted) || storage_of(got) != storage_of(wanted) ||
        !tsr_desc_storage_bytes(wanted, &bytes) || array->tensor.size_bytes < bytes) {
        g_autofree char *wanted_text = tsr_desc_to_text(wanted);
        g_autofree char *text = tsr_desc_to_text(got);
        g_set_error(error, TSR_ERROR, TSR_INTERNAL,
                    "'%s' was said to be %s, but is %s when it is run", value->name, wanted_text,
                    text);
        return NULL;
    }
    if ((gsize)array->tensor.data % TSR_MEMORY_ALIGNMENT == 0)
        return tsr_array_ref(array);
    copy = tsr_array_new(wanted, error);
    if (copy != NULL && bytes != 0)
        memcpy(copy->tensor.data, array->tensor.data, bytes);
    return copy;
}

gboolean tsr_host_part_run(TsrHostPart *part, TsrArray *const *inputs, TsrArray **out_outputs,
                           GError **error)
{
    const TsrGraph *graph = part->part->program->graph;
    g_autoptr(GPtrArray) used = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrArray *array = as_input(g_ptr_array_index(graph->inputs, i), inputs[i], error);
        if (array == NULL)
            return FALSE;
        g_ptr_array_add(used, array);
    }
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrValue *value = g_array_index(graph->outputs, TsrGraphOutput, i).value;
        TsrArray *array = tsr_array_new(&value->desc.view, error);
        if (array == NULL)
            return FALSE;
        g_ptr_array_add(made, array);
    }
    if (!tsr_sink_run(part->sink, (TsrArray *const *)used->pdata,
                      (TsrArray *const *)made->pdata, FALSE, error))
        return FALSE;
    for (guint i = 0; i < graph->outputs->len; i++)
        out_outputs[i] = tsr_array_ref(g_ptr_array_index(made, i));
    return TRUE;
}
