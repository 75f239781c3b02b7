/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.c: see fold.h.
 */
#include "prepare/fold.h"

#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/array.h"
#include "ir/value_dims.h"
#include "plugin/host_run.h"

/* A folded tensor above this would only fill the compiled model. */
#define FOLD_LIMIT_BYTES (G_GUINT64_CONSTANT(1) << 30)

static gboolean is_foldable(const TsrNode *node)
{
    gboolean shape_only = (node->def->flags & TSR_OP_SHAPE_ONLY) != 0;
    if ((node->def->flags & (TSR_OP_RANDOM | TSR_OP_NO_FOLD)) != 0 || node->subgraphs->len != 0)
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL || value->constant != NULL)
            continue;
        if (!shape_only || !tsr_desc_is_static(&value->desc.view) ||
            value->desc.view.dtype == TSR_DTYPE_UNDEFINED)
            return FALSE;
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        guint64 size_bytes;
        if (value != NULL && value->desc.view.kind != TSR_KIND_TENSOR)
            return FALSE;
        if (value == NULL || (node->def->flags & TSR_OP_DATA_DEPENDENT) != 0)
            continue;
        if (!tsr_desc_storage_bytes(&value->desc.view, &size_bytes) ||
            size_bytes > FOLD_LIMIT_BYTES)
            return FALSE;
    }
    return TRUE;
}

static gboolean compute(TsrNode *node, const TsrLoadedPlugin *reference, TsrArray **inputs,
                        TsrArray **outputs, GError **error)
{
    const TsrNodeView *view = tsr_node_view(node);
    const TsrExecutor *executor = reference->executor;
    gboolean data_dependent = (node->def->flags & TSR_OP_DATA_DEPENDENT) != 0;
    TsrRunServices services = {.core_count = 1};
    gpointer state = NULL;
    gboolean done;

    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL)
            continue;
        inputs[i] = value->constant != NULL
                        ? tsr_array_new_from_bytes(&value->desc.view, value->constant, error)
                        : tsr_array_new_borrowed(&value->desc.view, NULL, 0);
        if (inputs[i] == NULL)
            return FALSE;
    }
    for (guint i = 0; !data_dependent && i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value == NULL)
            continue;
        outputs[i] = tsr_array_new(&value->desc.view, error);
        if (outputs[i] == NULL)
            return FALSE;
    }
    if (TSR_HAS(executor, prepare) && executor->prepare(executor, view, &state) != TSR_OK)
        return FALSE;
    done = tsr_host_run(reference, state, view, inputs, outputs, data_dependent, &services,
                        error);
    if (state != NULL && TSR_HAS(executor, release))
        executor->release(executor, state);
    return done;
}

static gboolean replace_by_constants(TsrNode *node, TsrArray **outputs, GError **error)
{
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i), *constant;
        g_autoptr(GBytes) bytes = NULL;
        g_autofree char *name = NULL;
        if (value == NULL)
            continue;
        bytes = tsr_array_to_bytes(outputs[i]);
        name = tsr_graph_unique_name(node->graph, value->name);
        constant = tsr_graph_add_constant(node->graph, name, &outputs[i]->desc.view, bytes,
                                          error);
        if (constant == NULL)
            return FALSE;
        constant->desc.view.origin_format = value->desc.view.origin_format;
        constant->desc.view.storage_format = value->desc.view.storage_format;
        constant->desc.view.expand_dims = value->desc.view.expand_dims;
        constant->format_anchor = g_strdup(value->format_anchor);
        tsr_value_replace_uses(value, constant);
    }
    return TRUE;
}

/* The bytes of a list of numbers in that type; NULL: one does not fit it. */
static GBytes *pack_elements(guint32 dtype, const gint64 *elements, gint64 count)
{
    g_autofree gint32 *narrow = g_new(gint32, count + 1);
    if (dtype == TSR_DTYPE_INT64)
        return g_bytes_new(elements, (gsize)count * sizeof(gint64));
    for (gint64 i = 0; i < count; i++) {
        if (elements[i] != (gint32)elements[i])
            return NULL;
        narrow[i] = (gint32)elements[i];
    }
    return g_bytes_new(narrow, (gsize)count * sizeof(gint32));
}

gboolean tsr_fold_elements(TsrNode *node, GError **error)
{
    gint64 elements[TSR_INFER_ELEMENTS], count, shape;
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *name = NULL;
    TsrValue *value, *constant;
    TsrDesc desc;
    if (node->outputs->len != 1)
        return TRUE;
    value = g_ptr_array_index(node->outputs, 0);
    if (value == NULL || (value->desc.view.dtype != TSR_DTYPE_INT64 &&
                          value->desc.view.dtype != TSR_DTYPE_INT32))
        return TRUE;
    count = shape = tsr_value_elements(value, elements, TSR_INFER_ELEMENTS);
    for (gint64 i = 0; i < count; i++)
        if (TSR_DIM_IS_SYMBOL(elements[i]))
            return TRUE;
    if (count < 0 || (bytes = pack_elements(value->desc.view.dtype, elements, count)) == NULL)
        return TRUE;
    tsr_desc_init(&desc);
    tsr_desc_copy(&desc, &value->desc.view);
    tsr_desc_set(&desc, value->desc.view.dtype, value->desc.view.rank, &shape);
    name = tsr_graph_unique_name(node->graph, value->name);
    constant = tsr_graph_add_constant(node->graph, name, &desc.view, bytes, error);
    if (constant == NULL)
        return FALSE;
    constant->format_anchor = g_strdup(value->format_anchor);
    tsr_value_replace_uses(value, constant);
    return TRUE;
}

gboolean tsr_fold_node(TsrNode *node, const TsrLoadedPlugin *reference, gboolean *out_folded,
                       GError **error)
{
    g_autofree TsrArray **inputs = g_new0(TsrArray *, node->inputs->len + 1);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, node->outputs->len + 1);
    TsrSupport support = {.struct_size = sizeof(support)};
    g_autoptr(GError) cause = NULL;
    gboolean done = TRUE;

    *out_folded = FALSE;
    if (reference == NULL || !is_foldable(node))
        return TRUE;
    if (reference->engine->check(reference->engine, tsr_node_view(node), &support) != TSR_OK ||
        support.answer == TSR_SUPPORT_NO)
        return TRUE;
    if (compute(node, reference, inputs, outputs, &cause)) {
        done = replace_by_constants(node, outputs, error);
        *out_folded = done;
    } else if (cause != NULL && node->graph->parent == NULL) {
        /* With constant inputs it would fail in every run: say so now. A node of a
         * subgraph may never run. */
        g_propagate_error(error, g_steal_pointer(&cause));
        done = FALSE;
    }
    for (guint i = 0; i < node->inputs->len; i++)
        tsr_array_unref(inputs[i]);
    for (guint i = 0; i < node->outputs->len; i++)
        tsr_array_unref(outputs[i]);
    return done;
}
