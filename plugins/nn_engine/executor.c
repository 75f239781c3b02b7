/* SPDX-License-Identifier: Apache-2.0
 *
 * executor.c: builds the device tasks of a node through its row, and the helpers that
 * all builders use. Called at compile time, or at run time for nodes whose shapes are
 * known only then. A node whose first output is empty needs no task.
 */
#include "nn.h"

static int32_t executor_build(const TsrExecutor *executor, const TsrNodeView *node,
                              TsrTaskSink *sink)
{
    int known;
    char text[96];
    const NnOp *op = nn_op_find(node, &known);
    (void)executor;
    if (op == NULL)
        return sink->fail(sink, TSR_UNSUPPORTED, "nn_engine: %s '%s' version %u has no row",
                          node->op_type, node->name, node->since_version);
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const int in = i < node->input_count;
        const TsrTensorDesc *d = in ? node->inputs[i] : node->outputs[i - node->input_count];
        if (d != NULL && !tsr_desc_is_static(d))
            return sink->fail(sink, TSR_INVALID_ARGUMENT,
                              "nn_engine: %s '%s': %s %u has the shape %s when tasks are built",
                              node->op_type, node->name, in ? "input" : "output",
                              in ? i : i - node->input_count,
                              tsr_shape_text(d->rank, d->shape, text, sizeof(text)));
    }
    if (tsr_desc_elements(node->outputs[0]) == 0)
        return TSR_OK;
    return op->build(op, node, sink);
}

const TsrExecutor nn_executor = {
    .struct_size = sizeof(TsrExecutor),
    .build = executor_build,
};

uint32_t nn_block_dim(const TsrTaskSink *sink, int64_t pieces, double work)
{
    /* A barrier costs about a microsecond, in which a core moves some thousand
     * elements; two blocks per core even out disturbances of long tasks. */
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t most = work < 16e3 ? 1 : work < 4e6 ? cores : 2 * cores;
    const int64_t blocks = pieces < most ? pieces : most;
    return blocks > 1 ? (uint32_t)blocks : 1;
}

int32_t nn_task(TsrTaskSink *sink, const char *kernel, uint32_t blocks, const uint32_t *args,
                uint32_t arg_count, const void *params, uint32_t params_size)
{
    const TsrKernelTask task = {
        .struct_size = sizeof(task),
        .block_dim = blocks,
        .arg_count = arg_count,
        .params_size = params_size,
        .kernel = kernel,
        .args = args,
        .params = params,
    };
    return sink->kernel(sink, &task);
}
