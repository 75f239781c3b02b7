/* SPDX-License-Identifier: Apache-2.0
 *
 * host_node.c: see host_node.h.
 */
#include "runtime/host_node.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "build/symbols.h"
#include "plugin/host.h"
#include "prepare/infer.h"

/* Shapes that take turns: of a prompt and its steps, of a few picture sizes. */
enum { VARIANTS_KEPT = 4 };

static gboolean is_static(const TsrNode *node)
{
    if ((node->def->flags & TSR_OP_DATA_DEPENDENT) != 0)
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return FALSE;
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return FALSE;
    }
    return TRUE;
}

TsrHostNode *tsr_host_node_new(TsrNode *node, const TsrPluginSet *set, TsrOpenDevice *device,
                               const TsrSymbolValues *symbols, GError **error)
{
    const TsrRankedEngine *ranked =
        node->engine != NULL ? tsr_plugin_set_find_engine(set, node->engine) : NULL;
    TsrHostNode *prepared;
    if (ranked == NULL) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "%s '%s' was placed on engine '%s', which is not in use", node->def->name,
                    node->name, node->engine != NULL ? node->engine : "");
        return NULL;
    }
    prepared = g_new0(TsrHostNode, 1);
    prepared->node = node;
    prepared->plugin = ranked->plugin;
    prepared->device = device;
    prepared->is_static = is_static(node);
    prepared->symbols = symbols != NULL && symbols->dims != NULL ? symbols : NULL;
    prepared->gives_elements =
        prepared->symbols != NULL && tsr_shape_function_has_elements(node);
    prepared->is_view = tsr_node_is_viewable(node);
    prepared->subgraph_outputs = g_ptr_array_new();
    prepared->variants =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_host_variant_free);
    tsr_view_cache_fill(&prepared->view, node);
    prepared->output_descs = g_new0(TsrDesc, node->outputs->len + 1);
    for (guint i = 0; i < node->outputs->len; i++)
        tsr_desc_init(&prepared->output_descs[i]);
    if ((ranked->engine->flags & TSR_ENGINE_HOST) != 0 &&
        TSR_HAS(ranked->plugin->executor, prepare)) {
        gint32 status;
        tsr_host_clear_error();
        status = ranked->plugin->executor->prepare(ranked->plugin->executor,
                                                   &prepared->view.view, &prepared->state);
        if (status != TSR_OK) {
            tsr_host_take_error(status, ranked->name, node->name, error);
            tsr_host_node_free(prepared);
            return NULL;
        }
    }
    return prepared;
}

void tsr_host_node_free(TsrHostNode *prepared)
{
    if (prepared == NULL)
        return;
    if (prepared->state != NULL && TSR_HAS(prepared->plugin->executor, release))
        prepared->plugin->executor->release(prepared->plugin->executor, prepared->state);
    g_ptr_array_unref(prepared->variants);
    g_ptr_array_unref(prepared->subgraph_outputs);
    tsr_view_cache_clear(&prepared->view);
    g_free(prepared->output_descs);
    g_free(prepared);
}

/* What the compiler knew of a subgraph's outputs; enough for an operator that looks at
 * their types. */
static gboolean known_subgraph(gpointer user, guint32 index, const TsrTensorDesc *const *inputs,
                               guint32 input_count, const TsrTensorDesc *const **out_outputs,
                               guint32 *out_output_count, GError **error)
{
    TsrHostNode *prepared = user;
    const TsrGraph *graph = g_ptr_array_index(prepared->node->subgraphs, index);
    (void)inputs;
    (void)input_count;
    (void)error;
    g_ptr_array_set_size(prepared->subgraph_outputs, 0);
    for (guint i = 0; i < graph->outputs->len; i++)
        g_ptr_array_add(prepared->subgraph_outputs,
                        &g_array_index(graph->outputs, TsrGraphOutput, i).value->desc.view);
    *out_outputs = (const TsrTensorDesc *const *)prepared->subgraph_outputs->pdata;
    *out_output_count = prepared->subgraph_outputs->len;
    return TRUE;
}

/* The shapes of the outputs by the node's shape function, which is tried at its first use. */
static gboolean outputs_are_told(TsrHostNode *prepared, TsrDesc *outputs)
{
    if (prepared->symbols == NULL || prepared->shapes == TSR_SHAPES_INFERRED)
        return FALSE;
    if (prepared->shapes == TSR_SHAPES_UNTRIED)
        prepared->shapes = tsr_shape_function_holds(prepared->node, &prepared->view.view,
                                                    prepared->symbols->dims)
                               ? TSR_SHAPES_TOLD
                               : TSR_SHAPES_INFERRED;
    return prepared->shapes == TSR_SHAPES_TOLD &&
           tsr_shape_function_run(prepared->node, prepared->symbols, outputs);
}

/* Infers the shapes of the outputs into the variant. */
static gboolean infer_outputs(TsrHostNode *prepared, TsrArray *const *inputs,
                              TsrHostVariant *variant, GError **error)
{
    TsrNode *node = prepared->node;
    /* Inference may read every declared value: they are all there now. */
    g_autofree const TsrTensor **all_values = g_new0(const TsrTensor *, node->inputs->len + 1);
    TsrNodeView seen = prepared->view.view;
    for (guint i = 0; i < node->inputs->len; i++)
        all_values[i] = inputs[i] != NULL ? &inputs[i]->tensor : NULL;
    seen.values = all_values;
    variant->outputs = g_new0(TsrDesc, node->outputs->len + 1);
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        tsr_desc_init(&variant->outputs[i]);
        if (value == NULL)
            continue;
        variant->outputs[i].view.origin_format = value->desc.view.origin_format;
        variant->outputs[i].view.expand_dims = value->desc.view.expand_dims;
        variant->outputs[i].view.name = value->name;
    }
    variant->is_told = outputs_are_told(prepared, variant->outputs);
    if (variant->is_told)
        return TRUE;
    if (!tsr_infer_view(node->def, &seen, variant->outputs, NULL, known_subgraph, prepared,
                        error))
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++) {
        if (g_ptr_array_index(node->outputs, i) != NULL &&
            !tsr_desc_is_static(&variant->outputs[i].view)) {
            g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                        "%s '%s': the shape of output %u cannot be told before it runs",
                        node->def->name, node->name, i);
            return FALSE;
        }
    }
    return TRUE;
}

/* The variant of these inputs if the node has it, made the first of the list; else NULL. */
static TsrHostVariant *find_variant(TsrHostNode *prepared, TsrArray *const *inputs)
{
    const gboolean whole =
        prepared->is_static || tsr_host_variant_is_whole(prepared->node, inputs);
    for (guint i = 0; whole && i < prepared->variants->len; i++) {
        TsrHostVariant *variant = g_ptr_array_index(prepared->variants, i);
        if (!tsr_host_variant_fits(variant, inputs, !prepared->is_static))
            continue;
        if (i != 0) {
            g_ptr_array_steal_index(prepared->variants, i);
            g_ptr_array_insert(prepared->variants, 0, variant);
        }
        return variant;
    }
    return NULL;
}

/* Tasks follow from shapes: where only contents are others, they are the last ones. */
static void take_tasks(TsrHostVariant *variant, TsrHostVariant *last, TsrArray *const *inputs)
{
    if (last == NULL || !tsr_host_variant_fits(last, inputs, FALSE))
        return;
    variant->built = g_steal_pointer(&last->built);
    variant->kernels = g_steal_pointer(&last->kernels);
}

/* Brings the view to the shapes of this run; the variant for them leads the list. */
static gboolean update_view(TsrHostNode *prepared, TsrArray *const *inputs, GError **error)
{
    TsrNode *node = prepared->node;
    TsrViewCache *cache = &prepared->view;
    TsrHostVariant *variant;
    for (guint i = 0; i < node->inputs->len; i++)
        cache->inputs[i] = inputs[i] != NULL ? &inputs[i]->desc.view : NULL;
    if ((node->def->flags & TSR_OP_DATA_DEPENDENT) != 0)
        return TRUE;
    variant = find_variant(prepared, inputs);
    if (variant == NULL) {
        variant = tsr_host_variant_new(node, inputs);
        if (!prepared->is_static && !infer_outputs(prepared, inputs, variant, error)) {
            tsr_host_variant_free(variant);
            return FALSE;
        }
        if (prepared->variants->len != 0)
            take_tasks(variant, g_ptr_array_index(prepared->variants, 0), inputs);
        g_ptr_array_insert(prepared->variants, 0, variant);
        if (prepared->variants->len > VARIANTS_KEPT)
            g_ptr_array_set_size(prepared->variants, VARIANTS_KEPT);
    }
    for (guint i = 0; variant->outputs != NULL && i < node->outputs->len; i++)
        if (g_ptr_array_index(node->outputs, i) != NULL)
            cache->outputs[i] = &variant->outputs[i].view;
    return TRUE;
}

gboolean tsr_host_node_is_told(const TsrHostNode *prepared)
{
    return prepared->variants->len != 0 &&
           ((const TsrHostVariant *)g_ptr_array_index(prepared->variants, 0))->is_told;
}

/* Gives the outputs of a data-dependent operator memory for their bounds, as far as its
 * definition knows them for the shapes and values of this run. */
static gboolean reserve_outputs(TsrHostNode *prepared, TsrArray *const *inputs,
                                TsrArray **outputs, GError **error)
{
    TsrNode *node = prepared->node;
    g_autofree const TsrTensor **values = NULL;
    TsrNodeView seen = prepared->view.view;
    if (!TSR_HAS(node->def, infer_range))
        return TRUE;
    values = g_new0(const TsrTensor *, node->inputs->len + 1);
    for (guint i = 0; i < node->inputs->len; i++)
        values[i] = inputs[i] != NULL ? &inputs[i]->tensor : NULL;
    seen.values = values;
    for (guint i = 0; i < node->outputs->len; i++)
        tsr_desc_init(&prepared->output_descs[i]);
    if (!tsr_infer_view(node->def, &seen, prepared->output_descs, NULL, known_subgraph, prepared,
                        error))
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrDesc *desc = &prepared->output_descs[i];
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value == NULL || desc->view.max_shape == NULL)
            continue;
        tsr_desc_set(desc, desc->view.dtype, desc->view.rank, desc->max_shape);
        desc->view.name = value->name;
        if (!tsr_desc_is_static(&desc->view))
            continue;
        outputs[i] = tsr_array_new(&desc->view, error);
        if (outputs[i] == NULL)
            return FALSE;
    }
    return TRUE;
}

static gboolean find_kernels(const TsrHostNode *prepared, TsrHostVariant *variant,
                             GError **error)
{
    variant->kernels = g_ptr_array_new();
    for (guint i = 0; i < variant->built->tasks->len; i++) {
        const TsrBuiltTask *task = g_ptr_array_index(variant->built->tasks, i);
        TsrKernelFn kernel = tsr_device_kernel(prepared->device, prepared->view.view.name,
                                               task->kernel, task->params, error);
        if (kernel == NULL)
            return FALSE;
        g_ptr_array_add(variant->kernels, (gpointer)kernel);
    }
    return TRUE;
}

/* The variant of this run with its tasks, built now if they were not; NULL: error. */
static TsrHostVariant *build(TsrHostNode *prepared, GError **error)
{
    TsrHostVariant *variant = g_ptr_array_index(prepared->variants, 0);
    TsrDeviceTraits traits = tsr_device_traits(prepared->device);
    if (variant->built != NULL)
        return variant;
    variant->built =
        tsr_task_sink_build(prepared->plugin, &prepared->view.view, &traits, error);
    if (variant->built == NULL)
        return NULL;
    if (!find_kernels(prepared, variant, error)) {
        g_clear_pointer(&variant->built, tsr_built_node_free);
        g_clear_pointer(&variant->kernels, g_ptr_array_unref);
        return NULL;
    }
    if (prepared->variants->len > 1)
        tsr_host_variant_share(variant, g_ptr_array_index(prepared->variants, 1));
    return variant;
}

typedef struct Launch {
    TsrKernelFn kernel;
    void **args;
    const void *params;
} Launch;

static void run_block(void *arg, uint32_t block, uint32_t block_dim)
{
    const Launch *launch = arg;
    launch->kernel(launch->args, launch->params, block, block_dim);
}

static void *resolve(const TsrBuiltNode *built, TsrArray *const *inputs,
                     TsrArray *const *outputs, const GPtrArray *workspaces, guint32 ref)
{
    guint index = ref & 0x00ffffffu;
    switch (ref & 0xff000000u) {
    case TSR_ARG_INPUT:
        return inputs[index]->tensor.data;
    case TSR_ARG_OUTPUT:
        return outputs[index]->tensor.data;
    case TSR_ARG_WORKSPACE:
        return g_ptr_array_index(workspaces, index);
    case TSR_ARG_CONSTANT:
        return (gpointer)g_bytes_get_data(g_ptr_array_index(built->constants, index), NULL);
    default:
        return NULL;
    }
}

static gboolean run_on_device(TsrHostNode *prepared, TsrArray *const *inputs,
                              TsrArray *const *outputs, GError **error)
{
    g_autoptr(GPtrArray) workspaces = g_ptr_array_new_with_free_func(tsr_memory_free);
    const TsrHostVariant *variant = build(prepared, error);
    if (variant == NULL)
        return FALSE;
    for (guint i = 0; i < variant->built->workspaces->len; i++) {
        gpointer memory = tsr_memory_alloc(g_array_index(variant->built->workspaces, guint64, i));
        if (memory == NULL) {
            g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY, "%s '%s': no memory for a workspace",
                        prepared->node->def->name, prepared->node->name);
            return FALSE;
        }
        g_ptr_array_add(workspaces, memory);
    }
    for (guint i = 0; i < variant->built->tasks->len; i++) {
        const TsrBuiltTask *task = g_ptr_array_index(variant->built->tasks, i);
        g_autofree void **args = g_new0(void *, task->args->len + 1);
        Launch launch = {(TsrKernelFn)g_ptr_array_index(variant->kernels, i), args,
                         task->params != NULL ? g_bytes_get_data(task->params, NULL) : NULL};
        for (guint a = 0; a < task->args->len; a++)
            args[a] = resolve(variant->built, inputs, outputs, workspaces,
                              g_array_index(task->args, guint32, a));
        prepared->device->device->parallel(prepared->device->context, task->block_dim, run_block,
                                           &launch);
    }
    return TRUE;
}

gboolean tsr_host_node_run(TsrHostNode *prepared, TsrArray *const *inputs, TsrArray **outputs,
                           const TsrRunServices *services, GError **error)
{
    TsrNode *node = prepared->node;
    const TsrNodeView *view = &prepared->view.view;
    gboolean data_dependent = (node->def->flags & TSR_OP_DATA_DEPENDENT) != 0;
    if (prepared->gives_elements &&
        tsr_shape_function_elements(node, prepared->symbols, outputs))
        return TRUE;
    if (!update_view(prepared, inputs, error))
        return FALSE;
    if (prepared->is_view) {
        outputs[0] = tsr_array_new_view(inputs[0], view->outputs[0]);
        return TRUE;
    }
    if (data_dependent && !reserve_outputs(prepared, inputs, outputs, error))
        return FALSE;
    for (guint32 i = 0; !data_dependent && i < view->output_count; i++) {
        if (view->outputs[i] == NULL)
            continue;
        outputs[i] = tsr_array_new(view->outputs[i], error);
        if (outputs[i] == NULL)
            return FALSE;
    }
    if ((prepared->plugin->engine->flags & TSR_ENGINE_HOST) == 0)
        return run_on_device(prepared, inputs, outputs, error);
    return tsr_host_run(prepared->plugin, prepared->state, view, inputs, outputs, data_dependent,
                        services, error);
}
