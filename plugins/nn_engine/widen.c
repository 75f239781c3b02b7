/* SPDX-License-Identifier: Apache-2.0
 *
 * widen.c: rows whose kernels know float only, on float16 and bfloat16 nodes: what goes in is
 * cast to a workspace, what comes out is cast back, and the row's builder sees a node of
 * floats. Called by executor.c for rows with NN_WIDENS; constants are floats already.
 */
#include "widen.h"

enum { MAX_PORTS = 64 };

/* Stands between the builder and the host: references to narrow inputs and outputs become
 * those of their float copies. */
typedef struct WideSink {
    TsrTaskSink sink;
    TsrTaskSink *host;
    uint32_t inputs[MAX_PORTS], outputs[MAX_PORTS];
} WideSink;

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
    const WideSink *wide = (WideSink *)sink;
    uint32_t args[MAX_PORTS];
    TsrKernelTask moved = *task;
    if (task->arg_count > MAX_PORTS)
        return wide->host->fail(wide->host, TSR_INTERNAL, "a task of %u arguments",
                                task->arg_count);
    for (uint32_t i = 0; i < task->arg_count; i++) {
        const uint32_t index = task->args[i] & 0xffffffu, kind = task->args[i] & ~0xffffffu;
        args[i] = kind == TSR_ARG_INPUT    ? wide->inputs[index]
                  : kind == TSR_ARG_OUTPUT ? wide->outputs[index]
                                           : task->args[i];
    }
    moved.args = args;
    return wide->host->kernel(wide->host, &moved);
}

static int is_narrow(const TsrTensorDesc *d)
{
    return d->dtype == TSR_DTYPE_FLOAT16 || d->dtype == TSR_DTYPE_BFLOAT16;
}

/* A workspace for the float copy of a port; its desc becomes one of floats. */
static int32_t widen_port(WideSink *wide, TsrTensorDesc *desc, uint32_t *arg)
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
    WideSink wide = { .sink = *sink, .host = sink };
    TsrTensorDesc descs[2 * MAX_PORTS];
    const TsrTensorDesc *inputs[MAX_PORTS], *outputs[MAX_PORTS];
    TsrNodeView view = *node;
    int32_t status = TSR_OK;
    wide.sink.workspace = wide_workspace;
    wide.sink.constant = wide_constant;
    wide.sink.kernel = wide_kernel;
    view.inputs = inputs;
    view.outputs = outputs;
    for (uint32_t i = 0; i < node->input_count && status == TSR_OK; i++) {
        wide.inputs[i] = TSR_ARG_INPUT | i;
        inputs[i] = node->inputs[i];
        if (inputs[i] == NULL || !is_narrow(inputs[i]))
            continue;
        descs[i] = *inputs[i];
        descs[i].dtype = TSR_DTYPE_FLOAT;
        inputs[i] = &descs[i];
        if (nn_value(node, i) != NULL)
            continue;
        status = widen_port(&wide, &descs[i], &wide.inputs[i]);
        if (status == TSR_OK)
            status = nn_build_cast(sink, node->inputs[i]->dtype, TSR_DTYPE_FLOAT,
                                   TSR_ARG_INPUT | i, wide.inputs[i],
                                   tsr_desc_storage_elements(node->inputs[i]));
    }
    for (uint32_t i = 0; i < node->output_count && status == TSR_OK; i++) {
        wide.outputs[i] = TSR_ARG_OUTPUT | i;
        outputs[i] = node->outputs[i];
        if (outputs[i] == NULL || !is_narrow(outputs[i]))
            continue;
        descs[MAX_PORTS + i] = *outputs[i];
        outputs[i] = &descs[MAX_PORTS + i];
        status = widen_port(&wide, &descs[MAX_PORTS + i], &wide.outputs[i]);
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
