/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.c: the operators of the domain tessera.nn, which only fusion makes: Conv (ONNX
 * Conv 22 plus residual and activation), ConvTranspose and Affine (scale and shift per
 * channel) plus activation, Activation alone, and Shuffle (of channels among groups).
 * The attribute activation is a TSR_ACT_ value.
 */
#include "nn.h"
#include "ops_mobile.h"
#include "ops_quantized.h"
#include "ops_transformer.h"

#define F32 TSR_BIT(TSR_DTYPE_FLOAT)

/* X, Z and Y are of one type; weights may be float where X is narrow. */

static const TsrOpParam conv_inputs[] = {
    { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "W", TSR_PARAM_REQUIRED, 2, NN_FLOATS },
    { "B", TSR_PARAM_OPTIONAL, 3, NN_FLOATS },
    { "Z", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
static const TsrOpParam affine_inputs[] = {
    { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "scale", TSR_PARAM_REQUIRED, 2, F32 },
    { "shift", TSR_PARAM_REQUIRED, 2, F32 },
};
static const TsrOpParam activation_inputs[] = { { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS } };
static const TsrOpParam one_output[] = { { "Y", TSR_PARAM_REQUIRED, 1, NN_FLOATS } };

#define ACTIVATION_ATTRS                                                            \
    { .name = "activation", .type = TSR_ATTR_INT, .has_default = 1, .i = 0, .min = 0, \
      .max = TSR_ACT_COUNT - 1 },                                                   \
    { .name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1 },                  \
    { .name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1 }

static const TsrOpAttr conv_attrs[] = {
    { .name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
      .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID" },
    { .name = "dilations", .type = TSR_ATTR_INTS },
    { .name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1 },
    { .name = "kernel_shape", .type = TSR_ATTR_INTS },
    { .name = "pads", .type = TSR_ATTR_INTS },
    { .name = "strides", .type = TSR_ATTR_INTS },
    ACTIVATION_ATTRS,
};
static const TsrOpAttr deconv_attrs[] = {
    { .name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
      .words = "NOTSET|VALID" },
    { .name = "dilations", .type = TSR_ATTR_INTS },
    { .name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1 },
    { .name = "kernel_shape", .type = TSR_ATTR_INTS },
    { .name = "output_padding", .type = TSR_ATTR_INTS },
    { .name = "pads", .type = TSR_ATTR_INTS },
    { .name = "strides", .type = TSR_ATTR_INTS },
    ACTIVATION_ATTRS,
};
static const TsrOpAttr shuffle_attrs[] = {
    { .name = "group", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX },
};
static const TsrOpAttr affine_attrs[] = { ACTIVATION_ATTRS };

static int32_t conv_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrNodeView *node = infer->node;
    const TsrTensorDesc *x = node->inputs[0], *w = node->inputs[1];
    int64_t shape[TSR_MAX_RANK];
    (void)def;
    if (x->rank == TSR_RANK_UNKNOWN || w->rank == TSR_RANK_UNKNOWN)
        return infer->set_output(infer, 0, x->dtype, TSR_RANK_UNKNOWN, NULL);
    if (x->rank != w->rank || x->rank < 3)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "X has rank %u and W rank %u, wanted the same and at least 3", x->rank,
                           w->rank);
    shape[0] = x->shape[0];
    shape[1] = w->shape[0];
    for (uint32_t i = 2; i < x->rank; i++)
        shape[i] = nn_window_extent(node, i - 2, x->rank - 2, x->shape[i], w->shape[i]);
    return infer->set_output(infer, 0, x->dtype, x->rank, shape);
}

/* The depthwise part makes the picture, the 1x1 its channels. */
static int32_t separable_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *x = infer->node->inputs[0], *f = infer->node->inputs[1];
    const TsrTensorDesc *w = infer->node->inputs[4];
    int64_t shape[4];
    (void)def;
    if (x->rank != 4 || f->rank != 4 || w->rank != 4)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "X, filters and W have ranks %u, %u, %u",
                           x->rank, f->rank, w->rank);
    shape[0] = x->shape[0];
    shape[1] = w->shape[0];
    for (uint32_t i = 0; i < 2; i++)
        shape[2 + i] = nn_window_extent(infer->node, i, 2, x->shape[2 + i], f->shape[2 + i]);
    return infer->set_output(infer, 0, x->dtype, 4, shape);
}

/* Of a fused ConvTranspose, which has one group and no dilations. */
static int32_t deconv_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *x = infer->node->inputs[0], *w = infer->node->inputs[1];
    uint32_t strides, extras, pads;
    const int64_t *s = tsr_attr_ints(infer->node, "strides", &strides);
    const int64_t *e = tsr_attr_ints(infer->node, "output_padding", &extras);
    const int64_t *p = tsr_attr_ints(infer->node, "pads", &pads);
    int64_t shape[4];
    (void)def;
    if (x->rank != 4 || w->rank != 4)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "X and W have rank %u and %u, wanted 4",
                           x->rank, w->rank);
    shape[0] = x->shape[0];
    shape[1] = w->shape[1];
    for (uint32_t i = 0; i < 2; i++) {
        shape[2 + i] = TSR_DIM_UNKNOWN;
        if (x->shape[2 + i] < 0 || w->shape[2 + i] < 0)
            continue;
        shape[2 + i] = (x->shape[2 + i] - 1) * (strides == 2 ? s[i] : 1) + w->shape[2 + i] +
                       (extras == 2 ? e[i] : 0);
        if (pads == 4 && !tsr_attr_is(infer->node, "auto_pad", "VALID"))
            shape[2 + i] -= p[i] + p[2 + i];
    }
    return infer->set_output(infer, 0, x->dtype, 4, shape);
}

/* Pictures mean NCHW. */
static int32_t picture_format(const TsrOpDef *def, const TsrNodeView *node,
                              uint32_t *input_formats, uint32_t *output_formats)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        input_formats[i] = TSR_FORMAT_ANY;
    if (node->inputs[0] == NULL || node->inputs[0]->rank != 4) {
        output_formats[0] = TSR_FORMAT_ANY;
        return TSR_OK;
    }
    input_formats[0] = output_formats[0] = TSR_FORMAT_NCHW;
    if (strcmp(def->name, "Conv") == 0 && node->inputs[1]->rank == 4)
        input_formats[1] = TSR_FORMAT_NCHW;
    if (node->input_count > 3)
        input_formats[3] = TSR_FORMAT_NCHW;
    return TSR_OK;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const TsrOpDef definitions[] = {
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN, .name = "Conv",
      .inputs = conv_inputs, .outputs = one_output, .attrs = conv_attrs,
      .input_count = COUNT(conv_inputs), .output_count = 1, .attr_count = COUNT(conv_attrs),
      .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),
      .attr_stride = sizeof(TsrOpAttr), .infer = conv_infer, .infer_format = picture_format },
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN,
      .name = "ConvTranspose", .inputs = conv_inputs, .outputs = one_output,
      .attrs = deconv_attrs, .input_count = 3, .output_count = 1,
      .attr_count = COUNT(deconv_attrs), .input_stride = sizeof(TsrOpParam),
      .output_stride = sizeof(TsrOpParam), .attr_stride = sizeof(TsrOpAttr),
      .infer = deconv_infer, .infer_format = picture_format },
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN, .name = "Shuffle",
      .inputs = activation_inputs, .outputs = one_output, .attrs = shuffle_attrs,
      .input_count = 1, .output_count = 1, .attr_count = COUNT(shuffle_attrs),
      .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),
      .attr_stride = sizeof(TsrOpAttr), .follow = "Y=X", .infer_format = picture_format },
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN, .name = "Affine",
      .inputs = affine_inputs, .outputs = one_output, .attrs = affine_attrs,
      .input_count = COUNT(affine_inputs), .output_count = 1, .attr_count = COUNT(affine_attrs),
      .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),
      .attr_stride = sizeof(TsrOpAttr), .follow = "Y=X", .infer_format = picture_format },
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN,
      .name = "Activation", .inputs = activation_inputs, .outputs = one_output,
      .attrs = affine_attrs, .input_count = COUNT(activation_inputs), .output_count = 1,
      .attr_count = COUNT(affine_attrs), .input_stride = sizeof(TsrOpParam),
      .output_stride = sizeof(TsrOpParam), .attr_stride = sizeof(TsrOpAttr), .follow = "Y=X" },
    NN_TRANSFORMER_DEFINITIONS,
    NN_MOBILE_DEFINITIONS,
    NN_QUANTIZED_DEFINITIONS,
};

const TsrOps nn_op_definitions = {
    .struct_size = sizeof(TsrOps),
    .op_count = COUNT(definitions),
    .op_stride = sizeof(TsrOpDef),
    .ops = definitions,
};
