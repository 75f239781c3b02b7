/* SPDX-License-Identifier: Apache-2.0
 *
 * executor.c: builds the device tasks of a node through its row, and the helpers that
 * all builders use. Called at compile time, or at run time for nodes whose shapes are
 * known only then. A node whose first output is empty needs no task.
 */
#include <stdlib.h>
#include "widen.h"

/* Copies of constants that are narrow floats or lie in a storage format: builders read
 * floats in the order of the origin. */
typedef struct PlainView {
    TsrNodeView node;
    const TsrTensor **values;
    TsrTensor *tensors; /* one per input, likewise below */
    TsrTensorDesc *descs;
    uint32_t count;
} PlainView;

static void plain_view_clear(PlainView *view)
{
    for (uint32_t i = 0; i < view->count; i++)
        free(view->tensors[i].data);
    free(view->values);
    free(view->tensors);
    free(view->descs);
}

static int is_narrow(uint32_t dtype)
{
    return dtype == TSR_DTYPE_FLOAT16 || dtype == TSR_DTYPE_BFLOAT16;
}

static int is_readable(const TsrTensorDesc *d)
{
    return !is_narrow(d->dtype) && !nn_is_internal(d);
}

/* The elements in the origin's order, floats for narrow ones; *desc then describes them.
 * NULL when there is no memory. */
static void *plain_data(const TsrTensor *value, TsrTensorDesc *desc)
{
    const int64_t count = tsr_desc_elements(desc);
    void *plain = malloc((size_t)tsr_dtype_bytes(desc->dtype, (uint64_t)count) + 1);
    TsrTensor as_plain = *value;
    float *floats;
    if (plain == NULL)
        return NULL;
    if (!nn_is_internal(desc))
        memcpy(plain, value->data, (size_t)tsr_dtype_bytes(desc->dtype, (uint64_t)count));
    else if (!nn_plain_copy(desc, value->data, plain)) {
        free(plain);
        return NULL;
    }
    desc->storage_format = desc->origin_format;
    desc->storage_rank = desc->rank;
    desc->storage_shape = desc->shape;
    if (!is_narrow(desc->dtype))
        return plain;
    as_plain.desc = desc;
    as_plain.data = plain;
    floats = malloc((size_t)count * sizeof(float) + 1);
    for (int64_t k = 0; floats != NULL && k < count; k++)
        floats[k] = nn_float_at(&as_plain, k);
    free(plain);
    desc->dtype = TSR_DTYPE_FLOAT;
    return floats;
}

/* 0 when there is no memory. */
static int plain_view_init(PlainView *view, const TsrNodeView *node)
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
        TsrTensor *copy = &view->tensors[view->count];
        TsrTensorDesc *desc = &view->descs[view->count];
        if (value == NULL || is_readable(value->desc))
            continue;
        *desc = *value->desc;
        *copy = *value;
        copy->desc = desc;
        copy->data = plain_data(value, desc);
        if (copy->data == NULL)
            return 0;
        copy->size_bytes = tsr_dtype_bytes(desc->dtype, (uint64_t)tsr_desc_elements(desc));
        view->values[i] = copy;
        view->count++;
    }
    return 1;
}

static int has_unreadable(const TsrNodeView *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->values[i] != NULL && !is_readable(node->values[i]->desc))
            return 1;
    return 0;
}

static int32_t build_row(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    return nn_widens(op, node) ? nn_widen_build(op, node, sink) : op->build(op, node, sink);
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
    if (node->values == NULL || (op->flags & NN_ANY_DTYPE) || !has_unreadable(node))
        return build_row(op, node, sink);
    PlainView view;
    const int32_t status = plain_view_init(&view, node)
                               ? build_row(op, &view.node, sink)
                               : sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': constants",
                                            node->op_type, node->name);
    plain_view_clear(&view);
    return status;
}

static uint64_t executor_inplace(const TsrExecutor *executor, const TsrNodeView *node,
                                 uint32_t output)
{
    int known;
    const NnOp *op = nn_op_find(node, &known);
    const TsrTensorDesc *y = output == 0 ? node->outputs[0] : NULL;
    uint64_t allowed = op != NULL && y != NULL ? op->inplace : 0;
    (void)executor;
    /* A row speaks of all inputs that its operator may have. */
    if (node->input_count < 64)
        allowed &= (UINT64_C(1) << node->input_count) - 1;
    for (uint32_t i = 0; i < node->input_count && i < 64; i++) {
        const TsrTensorDesc *x = node->inputs[i];
        if (allowed == 0 || x == NULL || x->dtype != y->dtype ||
            x->storage_format != y->storage_format || x->storage_rank != y->storage_rank ||
            memcmp(x->storage_shape, y->storage_shape, y->storage_rank * sizeof(int64_t)) != 0)
            allowed &= ~(UINT64_C(1) << i);
    }
    return allowed;
}

const TsrExecutor nn_executor = {
    .struct_size = sizeof(TsrExecutor),
    .build = executor_build,
    .inplace = executor_inplace,
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

int32_t nn_compute_task(TsrTaskSink *sink, const char *kernel, uint32_t blocks,
                        double operations, const uint32_t *args, uint32_t arg_count,
                        const void *params, uint32_t params_size)
{
    const TsrKernelTask task = {
        .struct_size = sizeof(task),
        .block_dim = blocks,
        .arg_count = arg_count,
        .params_size = params_size,
        .kernel = kernel,
        .args = args,
        .params = params,
        .operations = operations < 1e18 ? (uint64_t)operations : (uint64_t)1e18,
    };
    return sink->kernel(sink, &task);
}

int32_t nn_task(TsrTaskSink *sink, const char *kernel, uint32_t blocks, const uint32_t *args,
                uint32_t arg_count, const void *params, uint32_t params_size)
{
    return nn_compute_task(sink, kernel, blocks, 0.0, args, arg_count, params, params_size);
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
