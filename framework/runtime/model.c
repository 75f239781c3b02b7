/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c: see model.h.
 */
#include "runtime/model.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "ir/input_dim.h"

/* A run needs an executor for itself. The first one is made when the model is bound, others
 * when runs meet; those that are idle wait here, the first one last. */
struct TsrBoundModel {
    TsrProgram *program;
    const TsrPluginSet *set;
    TsrOpenDevice *device;
    TsrArenaPool *pool;
    TsrSink *sink;           /* the first executor: one of the two */
    TsrHostExec *host_exec;
    gboolean one_by_one;
    GPtrArray *idle;         /* TsrSink or TsrHostExec */
    GMutex lock;             /* of idle */
};

static void free_executor(const TsrBoundModel *model, gpointer executor)
{
    if (model->program->is_sink)
        tsr_sink_free(executor);
    else
        tsr_host_exec_free(executor);
}

static gpointer new_executor(const TsrBoundModel *model, GError **error)
{
    if (model->program->is_sink)
        return tsr_sink_new(model->program, model->set, model->device, model->pool, error);
    if (model->host_exec != NULL)
        return tsr_host_exec_clone(model->host_exec, error);
    return tsr_host_exec_new(model->program, model->set, model->device, model->pool, error);
}

TsrBoundModel *tsr_bound_model_new(TsrProgram *program, const TsrPluginSet *set,
                                   TsrOpenDevice *device, TsrArenaPool *pool, GError **error)
{
    TsrBoundModel *model = g_new0(TsrBoundModel, 1);
    gpointer executor;
    g_mutex_init(&model->lock);
    model->program = program;
    model->set = set;
    model->device = device;
    model->pool = pool != NULL ? tsr_arena_pool_ref(pool) : tsr_arena_pool_new(device);
    model->idle = g_ptr_array_new();
    executor = new_executor(model, error);
    if (executor == NULL) {
        tsr_bound_model_free(model);
        return NULL;
    }
    if (program->is_sink)
        model->sink = executor;
    else
        model->host_exec = executor;
    g_ptr_array_add(model->idle, executor);
    return model;
}

/* The first executor lies last, so that it is taken when no other run is on. */
static gpointer take_executor(TsrBoundModel *model, GError **error)
{
    gpointer executor;
    g_mutex_lock(&model->lock);
    executor = model->idle->len != 0
                   ? g_ptr_array_steal_index(model->idle, model->idle->len - 1)
                   : NULL;
    g_mutex_unlock(&model->lock);
    return executor != NULL ? executor : new_executor(model, error);
}

static void give_executor(TsrBoundModel *model, gpointer executor)
{
    const gboolean is_first = executor == model->sink || executor == model->host_exec;
    g_mutex_lock(&model->lock);
    g_ptr_array_insert(model->idle, is_first ? (gint)model->idle->len : 0, executor);
    g_mutex_unlock(&model->lock);
}

void tsr_bound_model_free(TsrBoundModel *model)
{
    if (model == NULL)
        return;
    for (guint i = 0; i < model->idle->len; i++)
        free_executor(model, g_ptr_array_index(model->idle, i));
    g_ptr_array_unref(model->idle);
    tsr_arena_pool_unref(model->pool);
    tsr_program_free(model->program);
    g_mutex_clear(&model->lock);
    g_free(model);
}

TsrProgram *tsr_bound_model_program(TsrBoundModel *model)
{
    return model->program;
}

TsrSink *tsr_bound_model_sink(TsrBoundModel *model)
{
    return model->sink;
}

TsrHostExec *tsr_bound_model_host_exec(TsrBoundModel *model)
{
    return model->host_exec;
}

void tsr_bound_model_set_one_by_one(TsrBoundModel *model, gboolean one_by_one)
{
    model->one_by_one = one_by_one;
}

static gboolean check_array(const TsrArray *array, const TsrTensorDesc *wanted, const char *kind,
                            const char *name, GError **error)
{
    g_autofree char *got = NULL;
    g_autofree char *text = NULL;
    if (array != NULL && wanted->kind != TSR_KIND_TENSOR && array->desc.view.kind == wanted->kind)
        return TRUE; /* what is inside is checked by the operators that take it out */
    if (array != NULL && array->desc.view.dtype == wanted->dtype &&
        tsr_desc_compatible(&array->desc.view, wanted))
        return TRUE;
    got = array != NULL ? tsr_desc_to_text(&array->desc.view) : g_strdup("nothing");
    text = tsr_desc_to_text(wanted);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "%s '%s': wanted %s, got %s", kind, name,
                text, got);
    return FALSE;
}

/* What the caller's array of an input or output must be: where the user chose a storage
 * format, a plain tensor of the storage shape. */
static void describe_buffer(const TsrTensorDesc *desc, TsrDesc *out)
{
    tsr_desc_init(out);
    tsr_desc_copy(out, desc);
    if (desc->storage_format != desc->origin_format)
        tsr_desc_set(out, desc->dtype, desc->storage_rank, desc->storage_shape);
}

/* What was said of dimensions that only a run settles; a buffer in a storage format has none. */
static gboolean check_dims(const TsrGraph *graph, TsrArray *const *inputs, GError **error)
{
    g_autofree const TsrTensorDesc **descs = g_new0(const TsrTensorDesc *, graph->inputs->len + 1);
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        if (value->desc.view.kind != TSR_KIND_TENSOR)
            continue;
        descs[i] = value->desc.view.storage_format == value->desc.view.origin_format
                       ? &inputs[i]->desc.view
                       : &value->desc.view;
    }
    return tsr_input_dims_check(graph, descs, error);
}

gboolean tsr_bound_model_check_inputs(const TsrBoundModel *model, TsrArray *const *inputs,
                                      GError **error)
{
    const TsrGraph *graph = model->program->graph;
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        TsrDesc wanted;
        describe_buffer(&value->desc.view, &wanted);
        if (wanted.view.dtype == TSR_DTYPE_UNDEFINED && inputs[i] != NULL)
            wanted.view.dtype = inputs[i]->desc.view.dtype;
        if (!check_array(inputs[i], &wanted.view, "input", value->name, error))
            return FALSE;
    }
    return graph->input_dims->len == 0 || check_dims(graph, inputs, error);
}

static gboolean is_aligned(const TsrArray *array)
{
    return (gsize)array->tensor.data % TSR_MEMORY_ALIGNMENT == 0;
}

static TsrArray *aligned_copy(TsrArray *array, GError **error)
{
    TsrArray *copy = tsr_array_new(&array->desc.view, error);
    if (copy != NULL && copy->tensor.size_bytes != 0)
        memcpy(copy->tensor.data, array->tensor.data, copy->tensor.size_bytes);
    return copy;
}

static gboolean run_sink(TsrBoundModel *model, TsrSink *sink, TsrArray *const *inputs,
                         TsrArray **outputs, GError **error)
{
    const TsrGraph *graph = model->program->graph;
    guint input_count = graph->inputs->len, output_count = graph->outputs->len;
    g_autoptr(GPtrArray) used = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    for (guint i = 0; i < input_count; i++) {
        TsrArray *array = is_aligned(inputs[i]) ? tsr_array_ref(inputs[i])
                                                : aligned_copy(inputs[i], error);
        if (array == NULL)
            return FALSE;
        g_ptr_array_add(used, array);
    }
    for (guint i = 0; i < output_count; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        TsrArray *array;
        TsrDesc desc;
        describe_buffer(&output->value->desc.view, &desc);
        if (outputs[i] != NULL &&
            !check_array(outputs[i], &desc.view, "output", output->name, error))
            return FALSE;
        array = outputs[i] != NULL && is_aligned(outputs[i]) ? tsr_array_ref(outputs[i])
                                                             : tsr_array_new(&desc.view, error);
        if (array == NULL)
            return FALSE;
        g_ptr_array_add(made, array);
    }
    if (!tsr_sink_run(sink, (TsrArray *const *)used->pdata,
                      (TsrArray *const *)made->pdata, model->one_by_one, error))
        return FALSE;
    for (guint i = 0; i < output_count; i++) {
        TsrArray *array = g_ptr_array_index(made, i);
        if (outputs[i] == NULL)
            outputs[i] = tsr_array_ref(array);
        else if (outputs[i] != array && array->tensor.size_bytes != 0)
            memcpy(outputs[i]->tensor.data, array->tensor.data, array->tensor.size_bytes);
    }
    return TRUE;
}

/* The same memory under another descriptor, between the caller's view of a tensor in a storage
 * format and the graph's. (transfer full) */
static TsrArray *view_as(TsrArray *array, const TsrTensorDesc *desc)
{
    return array->items != NULL || desc->storage_format == desc->origin_format
               ? tsr_array_ref(array)
               : tsr_array_new_view(array, desc);
}

static gboolean run_host(TsrBoundModel *model, TsrHostExec *exec, TsrArray *const *inputs,
                         TsrArray **outputs, GError **error)
{
    const TsrGraph *graph = model->program->graph;
    guint count = graph->outputs->len;
    g_autoptr(GPtrArray) used = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autofree TsrArray **results = g_new0(TsrArray *, count + 1);
    gboolean done;
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        g_ptr_array_add(used, view_as(inputs[i], &value->desc.view));
    }
    done = tsr_host_exec_run(exec, (TsrArray *const *)used->pdata, results, error);
    for (guint i = 0; i < count && done; i++) {
        TsrDesc buffer;
        describe_buffer(&results[i]->desc.view, &buffer);
        if (results[i]->desc.view.storage_format != results[i]->desc.view.origin_format) {
            TsrArray *stored = tsr_array_new_view(results[i], &buffer.view);
            tsr_array_unref(results[i]);
            results[i] = stored;
        }
        const char *name = g_array_index(graph->outputs, TsrGraphOutput, i).name;
        if (outputs[i] == NULL || results[i]->items != NULL) {
            tsr_array_unref(outputs[i]);
            outputs[i] = g_steal_pointer(&results[i]);
        } else if (check_array(outputs[i], &results[i]->desc.view, "output", name, error)) {
            if (results[i]->tensor.size_bytes != 0)
                memcpy(outputs[i]->tensor.data, results[i]->tensor.data,
                       results[i]->tensor.size_bytes);
            tsr_array_own_strings(outputs[i]);
        } else {
            done = FALSE;
        }
    }
    for (guint i = 0; i < count; i++)
        tsr_array_unref(results[i]);
    return done;
}

gboolean tsr_bound_model_run(TsrBoundModel *model, TsrArray *const *inputs, TsrArray **outputs,
                             GError **error)
{
    gpointer executor;
    gboolean done;
    if (!tsr_bound_model_check_inputs(model, inputs, error))
        return FALSE;
    if (model->set->declared != NULL) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "device '%s' is only declared by '%s': models can be compiled for it, not run",
                    model->set->declared->name, model->set->declared->path);
        return FALSE;
    }
    executor = take_executor(model, error);
    if (executor == NULL)
        return FALSE;
    done = model->program->is_sink ? run_sink(model, executor, inputs, outputs, error)
                                   : run_host(model, executor, inputs, outputs, error);
    give_executor(model, executor);
    return done;
}
