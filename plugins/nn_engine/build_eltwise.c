/* SPDX-License-Identifier: Apache-2.0
 *
 * build_eltwise.c: the elementwise operators of ONNX as tasks of UNARY_F32, BINARY_F32
 * and SCALE_SHIFT_F32. They take any storage format that all their tensors share:
 * padding lanes of NC1HWC0 hold numbers of no meaning and stay among themselves. A
 * constant operand per channel is repacked to lanes here.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "nn.h"

/* ------------------------------------------------------------------ unary */

/* alpha and beta of a unary operator: attributes with ONNX's defaults. */
typedef struct UnaryDefault {
    uint32_t kernel_op;
    const char *alpha, *beta; /* attribute names */
    float alpha_default, beta_default;
} UnaryDefault;

static const UnaryDefault defaults[] = {
    { TSR_UNARY_LEAKY_RELU, "alpha", "beta", 0.01f, 0.0f },
    { TSR_UNARY_HARD_SIGMOID, "alpha", "beta", 0.2f, 0.5f },
    { TSR_UNARY_ELU, "alpha", "beta", 1.0f, 0.0f },
    { TSR_UNARY_CLIP, "min", "max", -FLT_MAX, FLT_MAX },
};

/* Reads alpha and beta; 0 when Clip's bounds are inputs that are not constant. */
static int unary_bounds(const NnOp *op, const TsrNodeView *node, float *out_alpha,
                        float *out_beta)
{
    *out_alpha = *out_beta = 0.0f;
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (defaults[i].kernel_op == op->kernel_op) {
            *out_alpha = tsr_attr_float(node, defaults[i].alpha, defaults[i].alpha_default);
            *out_beta = tsr_attr_float(node, defaults[i].beta, defaults[i].beta_default);
        }
    /* Clip since version 11: an omitted bound is no bound. */
    if (op->kernel_op == TSR_UNARY_CLIP && op->min_version >= 11)
        return nn_constant_float(node, 1, -INFINITY, out_alpha) &&
               nn_constant_float(node, 2, INFINITY, out_beta);
    return 1;
}

static uint32_t unary_op(const NnOp *op, const TsrNodeView *node)
{
    return op->kernel_op == TSR_UNARY_GELU && tsr_attr_is(node, "approximate", "tanh")
               ? TSR_UNARY_GELU_TANH : op->kernel_op;
}

static void unary_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    float alpha, beta;
    if (!unary_bounds(op, node, &alpha, &beta))
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "min and max have to be constant");
}

static int32_t add_unary(TsrTaskSink *sink, uint32_t dtype, uint32_t kernel_op, uint32_t from,
                         uint32_t to, int64_t count, float alpha, float beta)
{
    const uint32_t args[2] = { from, to };
    const TsrUnaryParams p = { sizeof(p), kernel_op, count, alpha, beta };
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_UNARY_F32, dtype),
                   nn_block_dim(sink, nn_ceil_div(count, 1024),
                                (double)count * (kernel_op > TSR_UNARY_HARD_SIGMOID ? 4.0 : 1.0)),
                   args, 2, &p, sizeof(p));
}

static int32_t unary_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    float alpha, beta;
    if (!unary_bounds(op, node, &alpha, &beta))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': min and max have to be constant",
                          node->op_type, node->name);
    return add_unary(sink, node->inputs[0]->dtype, unary_op(op, node), TSR_ARG_INPUT | 0,
                     TSR_ARG_OUTPUT | 0, tsr_desc_storage_elements(node->outputs[0]), alpha, beta);
}

/* ----------------------------------------------------------------- binary */

/* Drops dims of extent 1 and joins neighbours that both operands walk alike, so that
 * the kernel's last dim is long. */
static void binary_collapse(TsrBinaryParams *p)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        const int64_t n = p->shape[i], a = p->a_step[i], b = p->b_step[i];
        if (n == 1)
            continue;
        if (rank > 0 && p->a_step[rank - 1] == a * n && p->b_step[rank - 1] == b * n) {
            p->shape[rank - 1] *= n;
            p->a_step[rank - 1] = a;
            p->b_step[rank - 1] = b;
            continue;
        }
        p->shape[rank] = n;
        p->a_step[rank] = a;
        p->b_step[rank++] = b;
    }
    if (rank == 0) {
        p->shape[0] = 1;
        p->a_step[0] = p->b_step[0] = 0;
        rank = 1;
    }
    p->rank = rank;
}

static int32_t add_binary(TsrTaskSink *sink, uint32_t dtype, TsrBinaryParams *p, uint32_t a_arg,
                          uint32_t b_arg, uint32_t y_arg)
{
    const uint32_t args[3] = { a_arg, b_arg, y_arg };
    const int64_t count = tsr_shape_elements(p->rank, p->shape);
    int64_t pieces;
    binary_collapse(p);
    pieces = count / p->shape[p->rank - 1] * nn_ceil_div(p->shape[p->rank - 1], 1024);
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_BINARY_F32, dtype),
                   nn_block_dim(sink, pieces, (double)count), args, 3, p, sizeof(*p));
}

int32_t nn_build_binary(TsrTaskSink *sink, uint32_t op, const NnOperand *a, const NnOperand *b,
                        const NnOperand *y)
{
    int64_t shape[TSR_MAX_RANK], a_step[TSR_MAX_RANK], b_step[TSR_MAX_RANK];
    TsrBinaryParams p = { .struct_size = sizeof(p), .op = op, .rank = y->rank };
    uint32_t rank = y->rank;
    int fits = y->rank <= TSR_NPU_MAX_DIMS;
    memcpy(shape, y->shape, sizeof(shape));
    fits = fits && tsr_shape_broadcast(&rank, shape, a->rank, a->shape);
    fits = fits && tsr_shape_broadcast(&rank, shape, b->rank, b->shape);
    if (!fits || rank != y->rank || memcmp(shape, y->shape, rank * sizeof(int64_t)) != 0)
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "operands do not broadcast to the result");
    tsr_broadcast_strides(a->rank, a->shape, p.rank, a_step);
    tsr_broadcast_strides(b->rank, b->shape, p.rank, b_step);
    for (uint32_t i = 0; i < p.rank; i++) {
        p.shape[i] = shape[i];
        p.a_step[i] = a_step[i];
        p.b_step[i] = b_step[i];
    }
    if (p.rank == 0) {
        p.rank = 1;
        p.shape[0] = 1;
    }
    return add_binary(sink, y->dtype, &p, a->arg, b->arg, y->arg);
}

/* A plain operand of a result in an internal format: one element is one for every lane; a
 * constant per channel or column is spread over the lanes of the blocks. */
static int32_t add_plain_operand(const TsrNodeView *node, TsrTaskSink *sink, uint32_t i,
                                 NnOperand *out_operand)
{
    const TsrTensorDesc *x = node->inputs[i], *y = node->outputs[0];
    const int picture = nn_is_blocked(y) && nn_is_channel_constant(node, i);
    const int matrix = y->storage_format == TSR_FORMAT_FRACTAL_NZ &&
                       nn_is_column_constant(node, i);
    const int64_t count = tsr_desc_elements(x), all = nn_round_up(count, TSR_NPU_C0);
    int32_t status;
    float *lanes;
    if (count == 1) {
        *out_operand = (NnOperand){ .arg = TSR_ARG_INPUT | i, .rank = 0, .dtype = x->dtype };
        return TSR_OK;
    }
    if (!picture && !matrix)
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': input %u is plain, the result is %s",
                          node->op_type, node->name, i, tsr_format_name(y->storage_format));
    lanes = calloc((size_t)all, sizeof(*lanes));
    if (lanes == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': input %u", node->op_type, node->name,
                          i);
    memcpy(lanes, node->values[i]->data, (size_t)count * sizeof(*lanes));
    /* [1, C1, 1, 1, C0] beside NC1HWC0, [N1, 1, 1, C0] beside FRACTAL_NZ. */
    *out_operand = (NnOperand){ .rank = picture ? 5 : 4,
                                .shape = { 1, 1, 1, TSR_NPU_C0, TSR_NPU_C0 } };
    out_operand->shape[picture ? 1 : 0] = all / TSR_NPU_C0;
    out_operand->shape[3] = picture ? 1 : TSR_NPU_C0;
    status = nn_constant_of(sink, y->dtype, lanes, all, &out_operand->arg);
    free(lanes);
    return status;
}

/* Whether all inputs are stored as the result is, element for element: a single run then,
 * even where the storage has more dimensions than the kernel walks. */
static int is_one_run(const TsrNodeView *node)
{
    const TsrTensorDesc *y = node->outputs[0];
    for (uint32_t i = 0; i < node->input_count; i++) {
        const TsrTensorDesc *x = node->inputs[i];
        if (x->storage_format != y->storage_format || x->storage_rank != y->storage_rank ||
            memcmp(x->storage_shape, y->storage_shape, y->storage_rank * sizeof(int64_t)) != 0)
            return 0;
    }
    return 1;
}

/* Adds y = a op b for the first two inputs, then y = y op c for each further one. */
static int32_t binary_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *d = node->outputs[0];
    NnOperand left = { 0 }, y = { .arg = TSR_ARG_OUTPUT | 0, .rank = d->storage_rank,
                                      .dtype = d->dtype };
    if (node->input_count == 1)
        return add_unary(sink, d->dtype, TSR_UNARY_COPY, TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0,
                         tsr_desc_storage_elements(d), 0.0f, 0.0f);
    memcpy(y.shape, d->storage_shape, d->storage_rank * sizeof(int64_t));
    if (is_one_run(node)) {
        y.rank = 1;
        y.shape[0] = tsr_desc_storage_elements(d);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const TsrTensorDesc *x = node->inputs[i];
        NnOperand right = { .arg = TSR_ARG_INPUT | i, .rank = x->storage_rank };
        int32_t status = TSR_OK;
        if (is_one_run(node))
            right = (NnOperand){ TSR_ARG_INPUT | i, 1, { y.shape[0] } };
        else if (nn_is_internal(d) && !nn_is_internal(x))
            status = add_plain_operand(node, sink, i, &right);
        else
            memcpy(right.shape, x->storage_shape, x->storage_rank * sizeof(int64_t));
        if (status == TSR_OK && i > 0)
            status = nn_build_binary(sink, op->kernel_op, &left, &right, &y);
        if (status != TSR_OK)
            return status;
        left = i == 0 ? right : y;
    }
    return TSR_OK;
}

/* Up to version 6 the binary operators broadcast by an attribute. */
static void binary_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (tsr_attr_int(node, "broadcast", 0) != 0)
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "broadcast is set (versions up to 6)");
}

static void nary_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    if (node->input_count == 0)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "no input");
    else if (node->input_count > 2 && op->kernel_op == TSR_BINARY_ADD &&
             node->inputs[0]->dtype != TSR_DTYPE_FLOAT)
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "a sum of %u would round %s at every step",
                       node->input_count, tsr_dtype_name(node->inputs[0]->dtype));
}

/* PRelu: the slope broadcasts to X, never the other way round. */
static void prelu_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (node->since_version < 7 && node->inputs[1]->rank == 1 && node->inputs[0]->rank != 1 &&
        node->inputs[1]->shape[0] != 1)
        tsr_support_no(out_support, TSR_REFUSE_VERSION,
                       "a slope per channel in versions up to 6");
}

/* ------------------------------------------------------ BatchNormalization */

static void batchnorm_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    for (uint32_t i = 1; i < 5; i++)
        if (nn_value(node, i) == NULL || node->inputs[i]->rank != 1 ||
            (node->inputs[0]->rank >= 2 && node->inputs[0]->shape[1] >= 0 &&
             node->inputs[i]->shape[0] != node->inputs[0]->shape[1])) {
            tsr_support_no(out_support, TSR_REFUSE_VALUE,
                           "input %u has to be a constant per channel", i);
            return;
        }
    if (node->inputs[0]->rank < 2 || node->inputs[0]->origin_format == TSR_FORMAT_NHWC)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X has to mean N, C, ...");
    else if (tsr_attr_int(node, "training_mode", 0) != 0 ||
             tsr_attr_int(node, "spatial", 1) == 0 ||
             (node->since_version < 7 && tsr_attr_int(node, "is_test", 0) == 0))
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "training, or not per channel");
    for (uint32_t i = 1; i < node->output_count; i++)
        if (node->outputs[i] != NULL)
            tsr_support_no(out_support, TSR_REFUSE_ATTR, "running statistics are wanted");
}

/* X and Y are blocked; what is per channel is not. */
static void channel_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    nn_column_mask(set, node, 5.0f, TSR_FORMAT_NC1HWC0, 1);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect channel_select = NN_SELECT_CUSTOMIZE(channel_columns);

/* Adds the task for scale and shift per channel of input 0, which are copied. */
static int32_t add_scale_shift(const TsrNodeView *node, TsrTaskSink *sink, const float *scale,
                               const float *shift, TsrActivation activation)
{
    const TsrTensorDesc *x = node->inputs[0];
    const int64_t channels = x->shape[1], all = nn_round_up(channels, 16);
    const int blocked = nn_is_blocked(x);
    uint32_t args[4] = { TSR_ARG_INPUT | 0, 0, 0, TSR_ARG_OUTPUT | 0 };
    TsrScaleShiftParams p = { .struct_size = sizeof(p), .activation = activation };
    int32_t status;
    float *copy;
    if (blocked != nn_is_blocked(node->outputs[0]))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': formats of X and Y differ",
                          node->op_type, node->name);
    copy = calloc((size_t)all * 2, sizeof(*copy));
    if (copy == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s'", node->op_type, node->name);
    memcpy(copy, scale, (size_t)channels * sizeof(*copy));
    memcpy(copy + all, shift, (size_t)channels * sizeof(*copy));
    status = sink->constant(sink, copy, (uint64_t)all * sizeof(*copy), &args[1]);
    if (status == TSR_OK)
        status = sink->constant(sink, copy + all, (uint64_t)all * sizeof(*copy), &args[2]);
    free(copy);
    if (status != TSR_OK)
        return status;
    p.lanes = blocked ? TSR_NPU_C0 : 1;
    p.outer = x->shape[0];
    p.channels = blocked ? all / 16 : channels;
    p.inner = tsr_shape_elements(x->rank - 2, x->shape + 2);
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_SCALE_SHIFT_F32, x->dtype),
                   nn_block_dim(sink, p.outer * p.channels,
                                (double)p.outer * (double)p.channels * (double)p.inner * p.lanes),
                   args, 4, &p, sizeof(p));
}

static int32_t batchnorm_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int64_t channels = node->inputs[0]->shape[1];
    int32_t status;
    float *scale;
    (void)op;
    for (uint32_t i = 1; i < 5; i++)
        if (nn_value(node, i) == NULL)
            return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': input %u has to be constant",
                              node->op_type, node->name, i);
    scale = malloc((size_t)channels * 2 * sizeof(*scale) + 1);
    if (scale == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s'", node->op_type, node->name);
    nn_batchnorm_fold(node, channels, scale, scale + channels);
    status = add_scale_shift(node, sink, scale, scale + channels, (TsrActivation){ 0 });
    free(scale);
    return status;
}

void nn_batchnorm_fold(const TsrNodeView *node, int64_t channels, float *out_scale,
                       float *out_shift)
{
    const double epsilon = (double)tsr_attr_float(node, "epsilon", 1e-5f);
    const TsrTensor *const *values = node->values;
    for (int64_t c = 0; c < channels; c++) {
        const double s = (double)nn_float_at(values[1], c) /
                         sqrt((double)nn_float_at(values[4], c) + epsilon);
        out_scale[c] = (float)s;
        out_shift[c] = (float)((double)nn_float_at(values[2], c) -
                               (double)nn_float_at(values[3], c) * s);
    }
}

/* ------------------------------------------------------------------ Affine */

static void affine_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    for (uint32_t i = 1; i < 3; i++)
        if (nn_value(node, i) == NULL || node->inputs[i]->rank != 1 || node->inputs[0]->rank < 2 ||
            node->inputs[i]->shape[0] != node->inputs[0]->shape[1]) {
            tsr_support_no(out_support, TSR_REFUSE_VALUE,
                           "input %u has to be a constant per channel", i);
            return;
        }
}

/* y = f(x * scale[c] + shift[c]); what fusion makes of batch norms without a Conv. */
static int32_t affine_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    (void)op;
    if (nn_value(node, 1) == NULL || nn_value(node, 2) == NULL)
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': scale and shift have to be constant",
                          node->op_type, node->name);
    return add_scale_shift(node, sink, node->values[1]->data, node->values[2]->data,
                           nn_activation_of(node));
}

/* ----------------------------------------------- Activation and copies */

static const uint32_t activation_ops[TSR_ACT_COUNT] = {
    [TSR_ACT_NONE] = TSR_UNARY_COPY,
    [TSR_ACT_RELU] = TSR_UNARY_RELU,
    [TSR_ACT_CLIP] = TSR_UNARY_CLIP,
    [TSR_ACT_LEAKY_RELU] = TSR_UNARY_LEAKY_RELU,
    [TSR_ACT_HARD_SWISH] = TSR_UNARY_HARD_SWISH,
    [TSR_ACT_HARD_SIGMOID] = TSR_UNARY_HARD_SIGMOID,
    [TSR_ACT_SIGMOID] = TSR_UNARY_SIGMOID,
    [TSR_ACT_SCALED_HARD_SWISH] = TSR_UNARY_SCALED_HARD_SWISH,
    [TSR_ACT_GELU] = TSR_UNARY_GELU,
    [TSR_ACT_GELU_TANH] = TSR_UNARY_GELU_TANH,
    [TSR_ACT_TANH] = TSR_UNARY_TANH,
};

int32_t nn_build_activation(TsrTaskSink *sink, uint32_t dtype, const TsrActivation *activation,
                            uint32_t x_arg, uint32_t y_arg, int64_t count)
{
    return add_unary(sink, dtype, activation_ops[activation->kind], x_arg, y_arg, count,
                     activation->alpha, activation->beta);
}

/* What fusion makes of an activation spelt out in several nodes. */
static int32_t activation_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrActivation a = nn_activation_of(node);
    (void)op;
    return nn_build_activation(sink, node->inputs[0]->dtype, &a, TSR_ARG_INPUT | 0,
                               TSR_ARG_OUTPUT | 0, tsr_desc_storage_elements(node->outputs[0]));
}

/* Dropout is the identity but in training, which version 12 and later ask for by an
 * input. */
static void dropout_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensor *training = nn_value(node, 2);
    (void)op;
    if (node->inputs[0]->dtype != TSR_DTYPE_FLOAT)
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "input 0 is %s, only float is supported",
                       tsr_dtype_name(node->inputs[0]->dtype));
    else if (node->since_version < 10 && node->output_count > 1 && node->outputs[1] != NULL &&
             node->outputs[1]->dtype != TSR_DTYPE_FLOAT)
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "the mask is no float");
    else if (nn_input(node, 2) != NULL &&
             (training == NULL || tsr_desc_elements(training->desc) != 1 ||
              training->desc->dtype != TSR_DTYPE_BOOL || *(const uint8_t *)training->data != 0))
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "training_mode has to be constant false");
}

static void dropout_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    uint32_t formats[5] = { TSR_FORMAT_ANY, TSR_FORMAT_ND, TSR_FORMAT_ND, TSR_FORMAT_ND,
                            TSR_FORMAT_ND };
    (void)op;
    formats[node->input_count] = TSR_FORMAT_ANY;
    nn_column(set, 5.0f, formats, node->input_count + node->output_count);
}

static const NnSelect dropout_select = NN_SELECT_CUSTOMIZE(dropout_columns);

/* The mask keeps every element: true from version 10 on, before it the number 1. */
static int32_t add_mask(const TsrTensorDesc *mask, TsrTaskSink *sink)
{
    enum { RUN = 4096 };
    uint32_t args[2] = { TSR_ARG_NULL, TSR_ARG_OUTPUT | 1 };
    const int64_t bytes = (int64_t)tsr_dtype_bytes(mask->dtype, (uint64_t)tsr_desc_elements(mask));
    TsrCopyRowsParams p = { .struct_size = sizeof(p), .rows = bytes / RUN, .row_bytes = RUN,
                            .target_step = RUN };
    union {
        uint8_t bytes[RUN];
        float floats[RUN / 4];
    } ones;
    int32_t status;
    if (mask->dtype == TSR_DTYPE_FLOAT)
        for (int i = 0; i < RUN / 4; i++)
            ones.floats[i] = 1.0f;
    else
        memset(ones.bytes, 1, RUN);
    status = sink->constant(sink, &ones, RUN, &args[0]);
    if (status == TSR_OK && p.rows > 0)
        status = nn_task(sink, TSR_KERNEL_COPY_ROWS, 1, args, 2, &p, sizeof(p));
    p.y_offset = p.rows * RUN;
    p.rows = 1;
    p.row_bytes = bytes % RUN;
    if (status == TSR_OK && p.row_bytes > 0)
        status = nn_task(sink, TSR_KERNEL_COPY_ROWS, 1, args, 2, &p, sizeof(p));
    return status;
}

static int32_t dropout_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int32_t status = unary_build(op, node, sink);
    if (status != TSR_OK || node->output_count < 2 || node->outputs[1] == NULL)
        return status;
    return add_mask(node->outputs[1], sink);
}

#define UNARY(name, last, kernel)                                                   \
    { .op_type = (name), .domain = "", .min_version = 1, .max_version = (last),     \
      .dtypes = NN_FLOATS, .kernel_op = (kernel), .build = unary_build,             \
      .select = &nn_select_agnostic, .inplace = 1 }
#define BINARY(name, last, kernel)                                                  \
    { .op_type = (name), .domain = "", .min_version = 1, .max_version = (last),     \
      .dtypes = NN_FLOATS,                                                        \
      .kernel_op = (kernel), .check = binary_check, .build = binary_build,          \
      .select = &nn_select_broadcast, .inplace = 3 }
#define NARY(name, last, kernel)                                                    \
    { .op_type = (name), .domain = "", .min_version = 1, .max_version = (last),     \
      .dtypes = NN_FLOATS,                                                        \
      .kernel_op = (kernel), .check = nary_check, .build = binary_build,            \
      .select = &nn_select_broadcast, .inplace = 3 }

static const NnOp ops[] = {
    UNARY("Relu", 14, TSR_UNARY_RELU),
    UNARY("LeakyRelu", 16, TSR_UNARY_LEAKY_RELU),
    UNARY("Sigmoid", 13, TSR_UNARY_SIGMOID),
    UNARY("Tanh", 13, TSR_UNARY_TANH),
    UNARY("HardSigmoid", 22, TSR_UNARY_HARD_SIGMOID),
    UNARY("HardSwish", 22, TSR_UNARY_HARD_SWISH),
    UNARY("Elu", 22, TSR_UNARY_ELU),
    UNARY("Gelu", 20, TSR_UNARY_GELU),
    UNARY("Erf", 13, TSR_UNARY_ERF),
    UNARY("Exp", 13, TSR_UNARY_EXP),
    UNARY("Log", 13, TSR_UNARY_LOG),
    UNARY("Sqrt", 13, TSR_UNARY_SQRT),
    UNARY("Neg", 13, TSR_UNARY_NEG),
    UNARY("Abs", 13, TSR_UNARY_ABS),
    UNARY("Reciprocal", 13, TSR_UNARY_RECIPROCAL),
    UNARY("Floor", 13, TSR_UNARY_FLOOR),
    UNARY("Ceil", 13, TSR_UNARY_CEIL),
    UNARY("Softplus", 22, TSR_UNARY_SOFTPLUS),
    { .op_type = "Clip", .domain = "", .min_version = 1, .max_version = 10,
      .dtypes = NN_FLOATS,
      .kernel_op = TSR_UNARY_CLIP, .build = unary_build, .select = &nn_select_agnostic,
      .inplace = 1 },
    { .op_type = "Clip", .domain = "", .min_version = 11, .max_version = 13,
      .dtypes = NN_FLOATS, .kernel_op = TSR_UNARY_CLIP, .check = unary_check, .build = unary_build,
      .select = &nn_select_agnostic, .inplace = 1 },
    UNARY("Identity", 25, TSR_UNARY_COPY),
    { .op_type = "Dropout", .domain = "", .min_version = 7, .max_version = 22,
      .flags = NN_ANY_DTYPE, .kernel_op = TSR_UNARY_COPY, .check = dropout_check,
      .build = dropout_build, .select = &dropout_select, .inplace = 1 },
    { .op_type = "Activation", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS, .build = activation_build, .select = &nn_select_agnostic,
      .inplace = 1 },
    BINARY("Add", 14, TSR_BINARY_ADD),
    BINARY("Sub", 14, TSR_BINARY_SUB),
    BINARY("Mul", 14, TSR_BINARY_MUL),
    BINARY("Div", 14, TSR_BINARY_DIV),
    BINARY("Pow", 15, TSR_BINARY_POW),
    NARY("Sum", 13, TSR_BINARY_ADD),
    NARY("Max", 13, TSR_BINARY_MAX),
    NARY("Min", 13, TSR_BINARY_MIN),
    { .op_type = "PRelu", .domain = "", .min_version = 1, .max_version = 16,
      .dtypes = NN_FLOATS,
      .kernel_op = TSR_BINARY_PRELU, .check = prelu_check, .build = binary_build,
      .select = &nn_select_broadcast, .inplace = 3 },
    { .op_type = "BatchNormalization", .domain = "", .min_version = 1, .max_version = 15,
      .dtypes = NN_FLOATS,
      .check = batchnorm_check, .build = batchnorm_build, .select = &channel_select, .inplace = 1 },
    { .op_type = "Affine", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS,
      .check = affine_check, .build = affine_build, .select = &channel_select, .inplace = 1 },
};

int nn_eltwise_step(const TsrNodeView *node, TsrChainStep *out_step)
{
    TsrSupport support = { .struct_size = sizeof(support) };
    TsrChainStep step = { 0 };
    int known;
    const NnOp *op = nn_op_find(node, &known);
    if (op == NULL || node->output_count != 1)
        return 0;
    if (op->build == activation_build) {
        const TsrActivation a = nn_activation_of(node);
        step.op = activation_ops[a.kind];
        step.alpha = a.alpha;
        step.beta = a.beta;
    } else if (op->build == unary_build && unary_bounds(op, node, &step.alpha, &step.beta)) {
        step.op = unary_op(op, node);
    } else if (op->build == binary_build && node->input_count == 2) {
        step.binary = 1;
        step.op = op->kernel_op;
    } else {
        return 0;
    }
    nn_engine.check(&nn_engine, node, &support);
    *out_step = step;
    return support.answer == TSR_SUPPORT_YES;
}

const NnOpTable nn_eltwise_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
