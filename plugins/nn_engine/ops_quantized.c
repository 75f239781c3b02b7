/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_quantized.c: see ops_quantized.h. Every output has the type of its zero point.
 */
#include "ops_quantized.h"

#define BYTES (TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8))
#define F32 TSR_BIT(TSR_DTYPE_FLOAT)

/* Of QConv and, but for the residual z, of QMatMul. */
const TsrOpParam nn_qconv_inputs[NN_QCONV_INPUTS] = {
    { "x", TSR_PARAM_REQUIRED, 1, BYTES },      { "x_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "x_zero_point", TSR_PARAM_REQUIRED, 1, BYTES },
    { "w", TSR_PARAM_REQUIRED, 2, BYTES },      { "w_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "w_zero_point", TSR_PARAM_REQUIRED, 2, BYTES },
    { "y_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "y_zero_point", TSR_PARAM_REQUIRED, 3, BYTES },
    { "B", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT32) },
    { "z", TSR_PARAM_OPTIONAL, 4, BYTES },      { "z_scale", TSR_PARAM_OPTIONAL, 0, F32 },
    { "z_zero_point", TSR_PARAM_OPTIONAL, 4, BYTES },
};
const TsrOpParam nn_qadd_inputs[NN_QADD_INPUTS] = {
    { "a", TSR_PARAM_REQUIRED, 1, BYTES },      { "a_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "a_zero_point", TSR_PARAM_REQUIRED, 1, BYTES },
    { "b", TSR_PARAM_REQUIRED, 2, BYTES },      { "b_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "b_zero_point", TSR_PARAM_REQUIRED, 2, BYTES },
    { "y_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "y_zero_point", TSR_PARAM_REQUIRED, 3, BYTES },
};
const TsrOpParam nn_qpool_inputs[NN_QPOOL_INPUTS] = {
    { "x", TSR_PARAM_REQUIRED, 1, BYTES },      { "x_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "x_zero_point", TSR_PARAM_REQUIRED, 1, BYTES },
    { "y_scale", TSR_PARAM_REQUIRED, 0, F32 },
    { "y_zero_point", TSR_PARAM_REQUIRED, 3, BYTES },
};
const TsrOpParam nn_quantized_output[1] = { { "y", TSR_PARAM_REQUIRED, 3, BYTES } };

#define LIMIT_ATTRS                                                                 \
    { .name = "low", .type = TSR_ATTR_INT, .has_default = 1, .i = -128 },           \
    { .name = "high", .type = TSR_ATTR_INT, .has_default = 1, .i = 255 }
#define WINDOW_ATTRS                                                                \
    { .name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET", \
      .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID" },                              \
    { .name = "dilations", .type = TSR_ATTR_INTS },                                 \
    { .name = "kernel_shape", .type = TSR_ATTR_INTS },                              \
    { .name = "pads", .type = TSR_ATTR_INTS },                                      \
    { .name = "strides", .type = TSR_ATTR_INTS }

const TsrOpAttr nn_qconv_attrs[NN_QCONV_ATTRS] = {
    WINDOW_ATTRS,
    { .name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1 },
    LIMIT_ATTRS,
};
const TsrOpAttr nn_qmatmul_attrs[NN_QMATMUL_ATTRS] = {
    LIMIT_ATTRS,
    { .name = "transB", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1 },
};
const TsrOpAttr nn_qadd_attrs[NN_QADD_ATTRS] = { LIMIT_ATTRS };
const TsrOpAttr nn_qpool_attrs[NN_QPOOL_ATTRS] = {
    WINDOW_ATTRS,
    { .name = "ceil_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1 },
    { .name = "count_include_pad", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1 },
    LIMIT_ATTRS,
};

int32_t nn_qconv_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrNodeView *node = infer->node;
    const TsrTensorDesc *x = node->inputs[0], *w = node->inputs[3];
    const uint32_t dtype = node->inputs[7]->dtype;
    int64_t shape[TSR_MAX_RANK];
    (void)def;
    if (x->rank == TSR_RANK_UNKNOWN || w->rank == TSR_RANK_UNKNOWN)
        return infer->set_output(infer, 0, dtype, TSR_RANK_UNKNOWN, NULL);
    if (x->rank != w->rank || x->rank < 3)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "x and w have rank %u and %u, wanted the same of 3 or more", x->rank,
                           w->rank);
    shape[0] = x->shape[0];
    shape[1] = w->shape[0];
    for (uint32_t i = 2; i < x->rank; i++)
        shape[i] = nn_window_extent(node, i - 2, x->rank - 2, x->shape[i], w->shape[i]);
    return infer->set_output(infer, 0, dtype, x->rank, shape);
}

int32_t nn_qmatmul_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *a = infer->node->inputs[0], *b = infer->node->inputs[3];
    const uint32_t dtype = infer->node->inputs[7]->dtype;
    int64_t shape[TSR_MAX_RANK];
    (void)def;
    if (a->rank == TSR_RANK_UNKNOWN || b->rank == TSR_RANK_UNKNOWN)
        return infer->set_output(infer, 0, dtype, TSR_RANK_UNKNOWN, NULL);
    if (a->rank < 2 || b->rank != 2)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "x and w have rank %u and %u, wanted 2 or more and 2", a->rank,
                           b->rank);
    memcpy(shape, a->shape, a->rank * sizeof(int64_t));
    shape[a->rank - 1] = b->shape[tsr_attr_int(infer->node, "transB", 0) != 0 ? 0 : 1];
    return infer->set_output(infer, 0, dtype, a->rank, shape);
}

int32_t nn_qadd_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *a = infer->node->inputs[0], *b = infer->node->inputs[3];
    const uint32_t dtype = infer->node->inputs[7]->dtype;
    int64_t shape[TSR_MAX_RANK];
    uint32_t rank = a->rank;
    (void)def;
    if (a->rank == TSR_RANK_UNKNOWN || b->rank == TSR_RANK_UNKNOWN)
        return infer->set_output(infer, 0, dtype, TSR_RANK_UNKNOWN, NULL);
    memcpy(shape, a->shape, rank * sizeof(int64_t));
    if (!tsr_shape_broadcast(&rank, shape, b->rank, b->shape))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "a and b do not broadcast");
    return infer->set_output(infer, 0, dtype, rank, shape);
}

int32_t nn_qpool_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrNodeView *node = infer->node;
    const TsrTensorDesc *x = node->inputs[0];
    const uint32_t dtype = node->inputs[4]->dtype;
    int64_t shape[TSR_MAX_RANK];
    uint32_t count;
    const int64_t *kernel = tsr_attr_ints(node, "kernel_shape", &count);
    (void)def;
    if (x->rank == TSR_RANK_UNKNOWN)
        return infer->set_output(infer, 0, dtype, TSR_RANK_UNKNOWN, NULL);
    if (x->rank < 3 || (count != 0 && count != x->rank - 2))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "a window of %u dims does not fit x of rank %u", count, x->rank);
    memcpy(shape, x->shape, 2 * sizeof(int64_t));
    for (uint32_t i = 2; i < x->rank; i++)
        shape[i] = count == 0 ? 1
                              : nn_window_extent(node, i - 2, count, x->shape[i], kernel[i - 2]);
    return infer->set_output(infer, 0, dtype, x->rank, shape);
}

int32_t nn_qclip_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *x = infer->node->inputs[0];
    (void)def;
    return infer->set_output(infer, 0, infer->node->inputs[4]->dtype, x->rank, x->shape);
}

/* Pictures of QConv and QPool mean NCHW; the rest has no opinion. */
int32_t nn_quantized_format(const TsrOpDef *def, const TsrNodeView *node,
                            uint32_t *input_formats, uint32_t *output_formats)
{
    const int picture = strcmp(def->name, "QConv") == 0 || strcmp(def->name, "QPool") == 0;
    for (uint32_t i = 0; i < node->input_count; i++)
        input_formats[i] = TSR_FORMAT_ANY;
    output_formats[0] = TSR_FORMAT_ANY;
    if (picture && node->inputs[0] != NULL && node->inputs[0]->rank == 4)
        input_formats[0] = output_formats[0] = TSR_FORMAT_NCHW;
    if (picture && node->input_count > NN_QCONV_RESIDUAL && node->inputs[0]->rank == 4)
        input_formats[NN_QCONV_RESIDUAL] = TSR_FORMAT_NCHW;
    return TSR_OK;
}
