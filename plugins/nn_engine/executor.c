/* SPDX-License-Identifier: Apache-2.0
 *
 * executor.c: builds the device tasks of a node through its row, and the helpers that
 * all builders use. Called at compile time, or at run time for nodes whose shapes are
 * known only then. A node whose first output is empty needs no task.
 */
#include <stdlib.h>
#include "nn.h"

/* Float copies of the narrow constants of a node, so that builders read one type. */
typedef struct FloatView {
    TsrNodeView node;
    const TsrTensor **values;
    TsrTensor *tensors; /* one per input, likewise below */
    TsrTensorDesc *descs;
    uint32_t count;
} FloatView;

static void float_view_clear(FloatView *view)
{
    for (uint32_t i = 0; i < view->count; i++)
        free(view->tensors[i].data);
    free(view->values);
    free(view->tensors);
    free(view->descs);
}

/* 0 when there is no memory. */
static int float_view_init(FloatView *view, const TsrNodeView *node)
{
    memset(view, 0, sizeof(*view));
    view->node = *node;
    view->values = calloc(node->input_count, sizeof(*view->values));
    view->tensors = calloc(node->input_count, sizeof(*view->tensors));
    view->descs = calloc(node->input_count, sizeof(*view->descs));
    if (view->values == NULL || view->tensors == NULL || view->descs == NULL)
        return 0;
    view->node.values = view->values;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const TsrTensor *value = view->values[i] = node->values[i];
        if (value == NULL || !nn_is_float(value->desc->dtype) ||
            value->desc->dtype == TSR_DTYPE_FLOAT)
            continue;
        const int64_t count = tsr_desc_elements(value->desc);
        float *floats = malloc((size_t)count * sizeof(float) + 1);
        if (floats == NULL)
            return 0;
        for (int64_t k = 0; k < count; k++)
            floats[k] = nn_float_at(value, k);
        view->descs[view->count] = *value->desc;
        view->descs[view->count].dtype = TSR_DTYPE_FLOAT;
        view->tensors[view->count] = *value;
        view->tensors[view->count].desc = &view->descs[view->count];
        view->tensors[view->count].data = floats;
        view->tensors[view->count].size_bytes = (uint64_t)count * sizeof(float);
        view->values[i] = &view->tensors[view->count++];
    }
    return 1;
}

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
    if (node->values == NULL || (op->flags & NN_ANY_DTYPE) || node->input_count == 0 ||
        node->inputs[0] == NULL || node->inputs[0]->dtype == TSR_DTYPE_FLOAT)
        return op->build(op, node, sink);
    FloatView view;
    const int32_t status = float_view_init(&view, node)
                               ? op->build(op, &view.node, sink)
                               : sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': constants",
                                            node->op_type, node->name);
    float_view_clear(&view);
    return status;
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

#define FORMS(id) { id##_F32, id##_F16, id##_BF16 }

const char *nn_kernel_of(const char *f32_kernel, uint32_t dtype)
{
    static const char *const forms[][3] = {
        FORMS(TSR_KERNEL_CONV2D),
        FORMS(TSR_KERNEL_CONV2D_DEPTHWISE),
        FORMS(TSR_KERNEL_CONV2D_NCHW),
        FORMS(TSR_KERNEL_PACK_PANELS),
        FORMS(TSR_KERNEL_GEMM),
        FORMS(TSR_KERNEL_POOL2D),
        FORMS(TSR_KERNEL_RESIZE2D),
        FORMS(TSR_KERNEL_SCALE_SHIFT),
        FORMS(TSR_KERNEL_UNARY),
        FORMS(TSR_KERNEL_BINARY),
        FORMS(TSR_KERNEL_CHAIN),
        FORMS(TSR_KERNEL_SOFTMAX),
        FORMS(TSR_KERNEL_NORMALIZE),
        FORMS(TSR_KERNEL_REDUCE),
        { TSR_KERNEL_TRANSPOSE_B32, TSR_KERNEL_TRANSPOSE_B16, TSR_KERNEL_TRANSPOSE_B16 },
        { TSR_KERNEL_SHUFFLE_B32, TSR_KERNEL_SHUFFLE_B16, TSR_KERNEL_SHUFFLE_B16 },
    };
    const int form = dtype == TSR_DTYPE_FLOAT16 ? 1 : dtype == TSR_DTYPE_BFLOAT16 ? 2 : 0;
    for (size_t i = 0; form != 0 && i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strcmp(forms[i][0], f32_kernel) == 0)
            return forms[i][form];
    return f32_kernel;
}

int32_t nn_constant_of(TsrTaskSink *sink, uint32_t dtype, const float *floats, int64_t count,
                       uint32_t *out_arg)
{
    int32_t status;
    uint16_t *narrow;
    if (dtype != TSR_DTYPE_FLOAT16 && dtype != TSR_DTYPE_BFLOAT16)
        return sink->constant(sink, floats, (uint64_t)count * sizeof(float), out_arg);
    narrow = malloc((size_t)count * sizeof(*narrow) + 1);
    if (narrow == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "a constant of %lld elements",
                          (long long)count);
    for (int64_t i = 0; i < count; i++)
        narrow[i] = dtype == TSR_DTYPE_FLOAT16 ? tsr_float_to_float16(floats[i])
                                               : tsr_float_to_bfloat16(floats[i]);
    status = sink->constant(sink, narrow, (uint64_t)count * sizeof(*narrow), out_arg);
    free(narrow);
    return status;
}
