/* SPDX-License-Identifier: Apache-2.0
 *
 * widen.c: rows whose kernels know float only, on float16 and bfloat16 nodes: what goes in is
 * cast to a workspace, what comes out is cast back, and the row's builder sees a node of
 * floats. Called by executor.c for rows with NN_WIDENS.
 */
#include "widen.h"

enum { MAX_PORTS = 64 };

/* Stands between the builder and the host: references to narrow inputs and outputs become
 * those of their float copies. An input, also a constant one, is copied when a task first
 * reads it: most constants are packed and read by none. */
typedef struct WideSink {
    TsrTaskSink sink;
    TsrTaskSink *host;
    const TsrNodeView *node; /* as it is, narrow */
    uint32_t inputs[MAX_PORTS], outputs[MAX_PORTS];
    uint8_t is_copied[MAX_PORTS];
} WideSink;

static int is_narrow(const TsrTensorDesc *d)
{
    return d->dtype == TSR_DTYPE_FLOAT16 || d->dtype == TSR_DTYPE_BFLOAT16;
}

static int32_t copy_input(WideSink *wide, uint32_t i)
{
    const TsrTensorDesc *d = wide->node->inputs[i];
    int32_t status;
    if (d == NULL || !is_narrow(d) || wide->is_copied[i])
        return TSR_OK;
    status = wide->host->workspace(
        wide->host, (uint64_t)tsr_desc_storage_elements(d) * sizeof(float), &wide->inputs[i]);
    wide->is_copied[i] = 1;
    return status == TSR_OK
               ? nn_build_cast(wide->host, d->dtype, TSR_DTYPE_FLOAT, TSR_ARG_INPUT | i,
                               wide->inputs[i], tsr_desc_storage_elements(d))
               : status;
}

static int32_t wide_workspace(TsrTaskSink *sink, uint64_t size_bytes, uint32_t *out_arg)
{
    TsrTaskSink *host = ((WideSink *)sink)->host;
    return host->workspace(host, size_bytes, out_arg);
}

static int32_t wide_constant(TsrTaskSink *sink, const void *data, uint64_t size_bytes,
                             uint32_t *out_arg)
{
    TsrTaskSink *host = ((WideSink *)sink)->host;
    return host->constant(host, data, size_bytes, out_arg);
}

static int32_t wide_kernel(TsrTaskSink *sink, const TsrKernelTask *task)
{
    WideSink *wide = (WideSink *)sink;
    uint32_t args[MAX_PORTS];
    TsrKernelTask moved = *task;
    if (task->arg_count > MAX_PORTS)
        return wide->host->fail(wide->host, TSR_INTERNAL, "a task of %u arguments",
                                task->arg_count);
    for (uint32_t i = 0; i < task->arg_count; i++) {
        const uint32_t index = task->args[i] & 0xffffffu, kind = task->args[i] & ~0xffffffu;
        if (kind == TSR_ARG_INPUT) {
            const int32_t status = copy_input(wide, index);
            if (status != TSR_OK)
                return status;
        }
        args[i] = kind == TSR_ARG_INPUT    ? wide->inputs[index]
                  : kind == TSR_ARG_OUTPUT ? wide->outputs[index]
                                           : task->args[i];
    }
    moved.args = args;
    return wide->host->kernel(wide->host, &moved);
}

/* A workspace for what will be an output; its desc becomes one of floats. */
static int32_t widen_output(WideSink *wide, TsrTensorDesc *desc, uint32_t *arg)
{
    const uint64_t count = (uint64_t)tsr_desc_storage_elements(desc);
    desc->dtype = TSR_DTYPE_FLOAT;
    return wide->host->workspace(wide->host, count * sizeof(float), arg);
}

int nn_widens(const NnOp *op, const TsrNodeView *node)
{
    return (op->flags & NN_WIDENS) != 0 && node->outputs[0] != NULL &&
           is_narrow(node->outputs[0]) && node->input_count <= MAX_PORTS &&
           node->output_count <= MAX_PORTS;
}

int32_t nn_widen_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    WideSink wide = { .sink = *sink, .host = sink, .node = node };
    TsrTensorDesc descs[2 * MAX_PORTS];
    const TsrTensorDesc *inputs[MAX_PORTS], *outputs[MAX_PORTS];
    TsrNodeView view = *node;
    int32_t status = TSR_OK;
    wide.sink.workspace = wide_workspace;
    wide.sink.constant = wide_constant;
    wide.sink.kernel = wide_kernel;
    view.inputs = inputs;
    view.outputs = outputs;
    for (uint32_t i = 0; i < node->input_count; i++) {
        wide.inputs[i] = TSR_ARG_INPUT | i;
        inputs[i] = node->inputs[i];
        if (inputs[i] == NULL || !is_narrow(inputs[i]))
            continue;
        descs[i] = *inputs[i];
        descs[i].dtype = TSR_DTYPE_FLOAT;
        inputs[i] = &descs[i];
    }
    for (uint32_t i = 0; i < node->output_count && status == TSR_OK; i++) {
        wide.outputs[i] = TSR_ARG_OUTPUT | i;
        outputs[i] = node->outputs[i];
        if (outputs[i] == NULL || !is_narrow(outputs[i]))
            continue;
        descs[MAX_PORTS + i] = *outputs[i];
        outputs[i] = &descs[MAX_PORTS + i];
        status = widen_output(&wide, &descs[MAX_PORTS + i], &wide.outputs[i]);
    }
    if (status == TSR_OK)
        status = op->build(op, &view, &wide.sink);
    for (uint32_t i = 0; i < node->output_count && status == TSR_OK; i++)
        if (node->outputs[i] != NULL && is_narrow(node->outputs[i]))
            status = nn_build_cast(sink, TSR_DTYPE_FLOAT, node->outputs[i]->dtype,
                                   wide.outputs[i], TSR_ARG_OUTPUT | i,
                                   tsr_desc_storage_elements(node->outputs[i]));
    return status;
}
