/* SPDX-License-Identifier: Apache-2.0
 *
 * task_sink.c: see task_sink.h.
 */
#include "build/task_sink.h"

#include <stdarg.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/host.h"

#define ARG_KIND(ref) ((ref) & 0xff000000u)
#define ARG_INDEX(ref) ((ref) & 0x00ffffffu)

/* Beyond what any machine has, so a larger number is a mistake. */
#define MEMORY_MAX (G_GUINT64_CONSTANT(1) << 44)
enum { BLOCKS_MAX = 1 << 24, ARGS_MAX = 1 << 16, PARAMS_MAX = 1 << 24 };

typedef struct Sink {
    TsrTaskSink interface;
    TsrBuiltNode *built;
    const TsrNodeView *view;
    GError *error;
} Sink;

static int32_t sink_fail(TsrTaskSink *interface, int32_t code, const char *format, ...)
{
    Sink *sink = (Sink *)interface;
    va_list args;
    va_start(args, format);
    if (sink->error == NULL)
        sink->error = g_error_new_valist(TSR_ERROR, code, format, args);
    va_end(args);
    return code;
}

static int32_t sink_workspace(TsrTaskSink *interface, uint64_t size_bytes, uint32_t *out_arg)
{
    GArray *workspaces = ((Sink *)interface)->built->workspaces;
    if (size_bytes > MEMORY_MAX)
        return sink_fail(interface, TSR_INVALID_ARGUMENT, "wants %llu bytes of workspace",
                         (unsigned long long)size_bytes);
    *out_arg = TSR_ARG_WORKSPACE | workspaces->len;
    g_array_append_val(workspaces, size_bytes);
    return TSR_OK;
}

static int32_t sink_constant(TsrTaskSink *interface, const void *data, uint64_t size_bytes,
                             uint32_t *out_arg)
{
    GPtrArray *constants = ((Sink *)interface)->built->constants;
    GBytes *bytes;
    if (size_bytes > MEMORY_MAX || (size_bytes != 0 && data == NULL))
        return sink_fail(interface, TSR_INVALID_ARGUMENT, "wants %llu bytes of constants from %p",
                         (unsigned long long)size_bytes, data);
    bytes = tsr_memory_copy_bytes(data, size_bytes);
    if (bytes == NULL)
        return sink_fail(interface, TSR_OUT_OF_MEMORY, "no memory for %llu bytes of constants",
                         (unsigned long long)size_bytes);
    *out_arg = TSR_ARG_CONSTANT | constants->len;
    g_ptr_array_add(constants, bytes);
    return TSR_OK;
}

static gboolean arg_is_sound(const Sink *sink, uint32_t ref)
{
    uint32_t index = ARG_INDEX(ref);
    switch (ARG_KIND(ref)) {
    case TSR_ARG_INPUT:
        return index < sink->view->input_count && sink->view->inputs[index] != NULL;
    case TSR_ARG_OUTPUT:
        return index < sink->view->output_count && sink->view->outputs[index] != NULL;
    case TSR_ARG_WORKSPACE:
        return index < sink->built->workspaces->len;
    case TSR_ARG_CONSTANT:
        return index < sink->built->constants->len;
    default:
        return ref == TSR_ARG_NULL;
    }
}

static void built_task_free(gpointer data)
{
    TsrBuiltTask *task = data;
    g_free(task->kernel);
    g_array_unref(task->args);
    g_clear_pointer(&task->params, g_bytes_unref);
    g_free(task);
}

static int32_t sink_kernel(TsrTaskSink *interface, const TsrKernelTask *spec)
{
    Sink *sink = (Sink *)interface;
    TsrBuiltTask *task;
    if (spec->kernel == NULL || spec->block_dim == 0)
        return sink_fail(interface, TSR_INVALID_ARGUMENT, "a task without kernel or blocks");
    if (spec->block_dim > BLOCKS_MAX || spec->arg_count > ARGS_MAX ||
        spec->params_size > PARAMS_MAX || (spec->arg_count != 0 && spec->args == NULL) ||
        (spec->params_size != 0 && spec->params == NULL))
        return sink_fail(interface, TSR_INVALID_ARGUMENT,
                         "kernel '%s': %u blocks, %u arguments and %u bytes of parameters cannot "
                         "be",
                         spec->kernel, spec->block_dim, spec->arg_count, spec->params_size);
    for (uint32_t i = 0; i < spec->arg_count; i++)
        if (!arg_is_sound(sink, spec->args[i]))
            return sink_fail(interface, TSR_INVALID_ARGUMENT,
                             "kernel '%s': argument %u refers to nothing", spec->kernel, i);
    task = g_new0(TsrBuiltTask, 1);
    task->kernel = g_strdup(spec->kernel);
    task->block_dim = spec->block_dim;
    task->args = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(task->args, spec->args, spec->arg_count);
    if (TSR_HAS(spec, operations))
        task->operations = spec->operations;
    if (spec->params_size != 0)
        task->params = tsr_memory_copy_bytes(spec->params, spec->params_size);
    g_ptr_array_add(sink->built->tasks, task);
    return TSR_OK;
}

TsrBuiltNode *tsr_task_sink_build(const TsrLoadedPlugin *plugin, const TsrNodeView *view,
                                  const TsrDeviceTraits *traits, GError **error)
{
    g_autoptr(TsrBuiltNode) built = g_new0(TsrBuiltNode, 1);
    Sink sink = {
        .interface = {.struct_size = sizeof(TsrTaskSink), .core_count = traits->core_count,
                      .c0_lanes = traits->c0_lanes, .l2_bytes = traits->l2_bytes,
                      .workspace = sink_workspace, .constant = sink_constant,
                      .kernel = sink_kernel, .fail = sink_fail},
        .built = built, .view = view,
    };
    gint32 status;
    built->tasks = g_ptr_array_new_with_free_func(built_task_free);
    built->workspaces = g_array_new(FALSE, FALSE, sizeof(guint64));
    built->constants = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    tsr_host_clear_error();
    status = plugin->executor->build(plugin->executor, view, &sink.interface);
    if (status == TSR_OK && sink.error == NULL)
        return g_steal_pointer(&built);
    if (sink.error == NULL)
        tsr_host_take_error(status, plugin->name, "build", &sink.error);
    g_propagate_prefixed_error(error, sink.error, "%s '%s' on %s: ", view->op_type, view->name,
                               plugin->name);
    return NULL;
}

void tsr_built_node_free(TsrBuiltNode *built)
{
    if (built == NULL)
        return;
    g_ptr_array_unref(built->tasks);
    g_array_unref(built->workspaces);
    g_ptr_array_unref(built->constants);
    g_free(built);
}
