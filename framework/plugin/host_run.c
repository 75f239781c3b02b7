/* SPDX-License-Identifier: Apache-2.0
 *
 * host_run.c: see host_run.h. The context handed to the engine is the first member
 * of the frame, so that its slots find the frame again.
 */
#include "plugin/host_run.h"

#include <stdarg.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct Frame {
    TsrRunContext context;
    const TsrRunServices *services;
    TsrArray *const *inputs;
    TsrArray **outputs;
    guint64 reserved;            /* outputs that wait for their real shape */
    GPtrArray *scratch;          /* memory to free */
    GPtrArray *kept; /* arrays that live until the run ends */
    GError *error;
} Frame;

static int32_t frame_fail(TsrRunContext *run, int32_t code, const char *format, ...)
{
    Frame *frame = (Frame *)run;
    va_list args;
    va_start(args, format);
    if (frame->error == NULL)
        frame->error = g_error_new_valist(TSR_ERROR, code, format, args);
    va_end(args);
    return code;
}

static const char *output_name(const TsrRunContext *run, uint32_t index)
{
    return run->node->outputs[index] != NULL ? run->node->outputs[index]->name : "";
}

/* Takes the array. */
static void set_output(Frame *frame, uint32_t index, TsrArray *array)
{
    if (index < 64)
        frame->reserved &= ~(G_GUINT64_CONSTANT(1) << index);
    tsr_array_unref(frame->outputs[index]);
    frame->outputs[index] = array;
    ((TsrTensor **)frame->context.outputs)[index] = &array->tensor;
}

/* The array made for the bound of a data-dependent output becomes what the kernel says. */
static int32_t take_shape(Frame *frame, uint32_t index, uint32_t dtype, uint32_t rank,
                          const int64_t *shape)
{
    TsrArray *array = frame->outputs[index];
    gboolean fits = array->desc.view.dtype == dtype && array->desc.view.rank == rank;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = shape[i] >= 0 && shape[i] <= array->desc.shape[i];
    if (!fits) {
        char text[TSR_MAX_RANK * 24];
        g_autofree char *most = tsr_desc_to_text(&array->desc.view);
        return frame_fail(&frame->context, TSR_INTERNAL,
                          "output %u would be %s%s, beyond its bound %s", index,
                          tsr_dtype_name(dtype), tsr_shape_text(rank, shape, text, sizeof(text)),
                          most);
    }
    tsr_desc_set(&array->desc, dtype, rank, shape);
    if (!tsr_desc_storage_bytes(&array->desc.view, &array->tensor.size_bytes))
        return frame_fail(&frame->context, TSR_INTERNAL, "output %u has no definite size", index);
    return TSR_OK;
}

static int32_t frame_alloc_output(TsrRunContext *run, uint32_t index, uint32_t dtype,
                                  uint32_t rank, const int64_t *shape)
{
    Frame *frame = (Frame *)run;
    TsrArray *array;
    TsrDesc desc;
    if (index >= run->output_count)
        return TSR_OK; /* not wanted */
    if (rank > TSR_MAX_RANK)
        return frame_fail(run, TSR_UNSUPPORTED, "output %u: rank %u is above %d", index, rank,
                          TSR_MAX_RANK);
    if (frame->outputs[index] != NULL && index < 64 && (frame->reserved >> index & 1) != 0) {
        frame->reserved &= ~(G_GUINT64_CONSTANT(1) << index);
        return take_shape(frame, index, dtype, rank, shape);
    }
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, rank, shape);
    desc.view.name = output_name(run, index);
    array = tsr_array_new(&desc.view, frame->error == NULL ? &frame->error : NULL);
    if (array == NULL)
        return TSR_OUT_OF_MEMORY;
    set_output(frame, index, array);
    return TSR_OK;
}

/* The array of a tensor, looked for in array and in what it is made of. */
static TsrArray *find_within(TsrArray *array, const TsrTensor *tensor)
{
    if (&array->tensor == tensor)
        return array;
    for (guint i = 0; array->items != NULL && i < array->items->len; i++) {
        TsrArray *found = find_within(g_ptr_array_index(array->items, i), tensor);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static TsrArray *find_array(Frame *frame, const TsrTensor *tensor)
{
    TsrArray *found = NULL;
    for (guint32 i = 0; i < frame->context.input_count && found == NULL; i++)
        if (frame->inputs[i] != NULL)
            found = find_within(frame->inputs[i], tensor);
    for (guint i = 0; i < frame->kept->len && found == NULL; i++)
        found = find_within(g_ptr_array_index(frame->kept, i), tensor);
    return found;
}

static int32_t frame_forward_output(TsrRunContext *run, uint32_t index, const TsrTensor *tensor)
{
    Frame *frame = (Frame *)run;
    TsrArray *array = find_array(frame, tensor);
    if (index >= run->output_count)
        return TSR_OK;
    if (array == NULL)
        return frame_fail(run, TSR_INVALID_ARGUMENT,
                          "output %u: forwards a tensor that is no input or subgraph output",
                          index);
    array = tsr_array_ensure_owned(array, frame->error == NULL ? &frame->error : NULL);
    if (array == NULL)
        return TSR_OUT_OF_MEMORY;
    set_output(frame, index, array);
    return TSR_OK;
}

static TsrTensor *frame_new_tensor(TsrRunContext *run, uint32_t dtype, uint32_t rank,
                                   const int64_t *shape)
{
    Frame *frame = (Frame *)run;
    TsrArray *array;
    TsrDesc desc;
    if (rank > TSR_MAX_RANK) {
        frame_fail(run, TSR_UNSUPPORTED, "a tensor of rank %u, above %d", rank, TSR_MAX_RANK);
        return NULL;
    }
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, rank, shape);
    array = tsr_array_new(&desc.view, frame->error == NULL ? &frame->error : NULL);
    if (array == NULL)
        return NULL;
    g_ptr_array_add(frame->kept, array);
    return &array->tensor;
}

static int32_t frame_set_items(TsrRunContext *run, uint32_t index, uint32_t kind, uint32_t dtype,
                               const TsrTensor *const *items, uint32_t item_count)
{
    Frame *frame = (Frame *)run;
    g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    if (index >= run->output_count)
        return TSR_OK;
    for (uint32_t i = 0; i < item_count; i++) {
        TsrArray *array = find_array(frame, items[i]);
        if (array == NULL)
            return frame_fail(run, TSR_INVALID_ARGUMENT, "output %u: item %u is of no one", index,
                              i);
        array = tsr_array_ensure_owned(array, frame->error == NULL ? &frame->error : NULL);
        if (array == NULL)
            return TSR_OUT_OF_MEMORY;
        tsr_array_own_strings(array);
        g_ptr_array_add(arrays, array);
    }
    set_output(frame, index,
               tsr_array_new_items(output_name(run, index), kind, dtype,
                                   (TsrArray *const *)arrays->pdata, arrays->len));
    return TSR_OK;
}

static void *frame_scratch(TsrRunContext *run, uint64_t size_bytes)
{
    Frame *frame = (Frame *)run;
    gpointer memory = tsr_memory_alloc(size_bytes);
    if (memory == NULL)
        frame_fail(run, TSR_OUT_OF_MEMORY, "no memory for %llu bytes of scratch",
                   (unsigned long long)size_bytes);
    else
        g_ptr_array_add(frame->scratch, memory);
    return memory;
}

typedef struct Pieces {
    void (*fn)(void *arg, uint64_t begin, uint64_t end);
    void *arg;
    uint64_t count;
} Pieces;

static void run_piece(void *arg, uint32_t block, uint32_t block_dim)
{
    const Pieces *pieces = arg;
    uint64_t begin = pieces->count * block / block_dim;
    uint64_t end = pieces->count * (block + 1) / block_dim;
    if (begin < end)
        pieces->fn(pieces->arg, begin, end);
}

static void frame_parallel(TsrRunContext *run, uint64_t count, uint64_t grain,
                           void (*fn)(void *arg, uint64_t begin, uint64_t end), void *arg)
{
    const TsrRunServices *services = ((Frame *)run)->services;
    Pieces pieces = {fn, arg, count};
    uint64_t blocks = count / MAX(grain, 1);
    if (count == 0)
        return;
    /* Four pieces a core even out uneven work. */
    blocks = MIN(blocks, (uint64_t)services->core_count * 4);
    if (services->parallel == NULL || services->core_count <= 1 || blocks <= 1)
        fn(arg, 0, count);
    else
        services->parallel(services->parallel_user, (guint32)blocks, run_piece, &pieces);
}

static int32_t frame_run_subgraph(TsrRunContext *run, uint32_t index,
                                  const TsrTensor *const *inputs, uint32_t input_count,
                                  const TsrTensor **out_outputs, uint32_t output_count)
{
    Frame *frame = (Frame *)run;
    g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autofree TsrArray **arrays = g_new0(TsrArray *, input_count + 1);
    g_autofree TsrArray **results = g_new0(TsrArray *, output_count + 1);
    g_autofree gboolean *is_borrowed = g_new0(gboolean, input_count + 1);
    if (frame->services->run_subgraph == NULL || index >= run->subgraph_count)
        return frame_fail(run, TSR_UNSUPPORTED, "subgraph %u cannot be run here", index);
    for (uint32_t i = 0; i < input_count; i++) {
        TsrArray *known = find_array(frame, inputs[i]);
        is_borrowed[i] = known == NULL;
        /* A tensor that the kernel made itself is borrowed for the call. */
        arrays[i] = known != NULL ? tsr_array_ref(known)
                                  : tsr_array_new_borrowed(inputs[i]->desc, inputs[i]->data,
                                                           inputs[i]->size_bytes);
        g_ptr_array_add(made, arrays[i]);
    }
    if (!frame->services->run_subgraph(frame->services->user, index, arrays, input_count,
                                       results, output_count,
                                       frame->error == NULL ? &frame->error : NULL))
        return TSR_INTERNAL;
    for (uint32_t i = 0; i < output_count; i++) {
        TsrArray *result = results[i];
        for (uint32_t k = 0; k < input_count; k++) {
            /* An input handed through, of which the kernel owns the memory: copy it,
             * the kernel may write there before it reads the result. */
            if (arrays[k] == result && is_borrowed[k]) {
                result = tsr_array_ensure_owned(arrays[k], NULL);
                tsr_array_unref(arrays[k]);
                if (result == NULL)
                    return frame_fail(run, TSR_OUT_OF_MEMORY, "no memory for a subgraph output");
                break;
            }
        }
        g_ptr_array_add(frame->kept, result);
        out_outputs[i] = &result->tensor;
    }
    return TSR_OK;
}

static int32_t frame_set_string(TsrRunContext *run, TsrString *element, const char *data,
                                uint64_t size)
{
    Frame *frame = (Frame *)run;
    for (uint32_t i = 0; i < run->output_count; i++) {
        TsrArray *array = frame->outputs[i];
        const char *begin = array != NULL ? array->tensor.data : NULL;
        if (begin != NULL && (const char *)element >= begin &&
            (const char *)element < begin + array->tensor.size_bytes) {
            tsr_array_set_string(array, element, data, size);
            return TSR_OK;
        }
    }
    return frame_fail(run, TSR_INVALID_ARGUMENT, "set_string: not an element of an output");
}

gboolean tsr_host_run(const TsrLoadedPlugin *plugin, gpointer state, const TsrNodeView *view,
                      TsrArray *const *inputs, TsrArray **outputs, gboolean data_dependent,
                      const TsrRunServices *services, GError **error)
{
    g_autofree const TsrTensor **input_tensors = g_new0(const TsrTensor *, view->input_count + 1);
    g_autofree TsrTensor **output_tensors = g_new0(TsrTensor *, view->output_count + 1);
    g_autofree TsrTensor *wanted = g_new0(TsrTensor, view->output_count + 1);
    Frame frame = {.services = services, .inputs = inputs, .outputs = outputs};
    gint32 status;

    for (guint32 i = 0; i < view->input_count; i++)
        input_tensors[i] = inputs[i] != NULL ? &inputs[i]->tensor : NULL;
    for (guint32 i = 0; i < view->output_count; i++) {
        if (outputs[i] != NULL) {
            output_tensors[i] = &outputs[i]->tensor;
            if (data_dependent && i < 64)
                frame.reserved |= G_GUINT64_CONSTANT(1) << i;
        } else if (data_dependent && view->outputs[i] != NULL) {
            /* Wanted, without memory yet. */
            wanted[i].struct_size = sizeof(wanted[i]);
            wanted[i].desc = view->outputs[i];
            output_tensors[i] = &wanted[i];
        }
    }
    frame.scratch = g_ptr_array_new_with_free_func(tsr_memory_free);
    frame.kept = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    frame.context = (TsrRunContext){
        .struct_size = sizeof(TsrRunContext),
        .input_count = view->input_count,
        .output_count = view->output_count,
        .subgraph_count = view->subgraph_count,
        .node = view,
        .inputs = input_tensors,
        .outputs = output_tensors,
        .context = services->user,
        .alloc_output = frame_alloc_output,
        .forward_output = frame_forward_output,
        .scratch = frame_scratch,
        .parallel = frame_parallel,
        .run_subgraph = frame_run_subgraph,
        .fail = frame_fail,
        .set_string = frame_set_string,
        .new_tensor = frame_new_tensor,
        .set_items = frame_set_items,
    };
    status = plugin->executor->run(plugin->executor, state, &frame.context);
    for (guint32 i = 0; status == TSR_OK && i < view->output_count; i++) {
        if (outputs[i] != NULL)
            tsr_array_own_strings(outputs[i]);
        else if (output_tensors[i] != NULL)
            status = frame_fail(&frame.context, TSR_INTERNAL, "output %u was not computed", i);
    }
    if (status == TSR_OK && frame.reserved != 0)
        status = frame_fail(&frame.context, TSR_INTERNAL, "not every output got its shape");
    g_ptr_array_unref(frame.scratch);
    g_ptr_array_unref(frame.kept);
    if (status == TSR_OK && frame.error == NULL)
        return TRUE;
    if (frame.error == NULL)
        g_set_error(&frame.error, TSR_ERROR, status, "failed without saying why");
    g_propagate_prefixed_error(error, g_steal_pointer(&frame.error), "%s '%s' on %s: ",
                               view->op_type, view->name, plugin->engine->name);
    return FALSE;
}
