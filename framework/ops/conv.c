/* SPDX-License-Identifier: Apache-2.0
 *
 * conv.c: definitions of ONNX operators:
 * convolutions.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* Conv: X [N, C, spatial...], W [M, C / group, kernel...], B [M]. */
static int32_t infer_conv(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape out;
    int32_t status = tsr_infer_conv_shape(infer, 0, 1, 2, &out);
    (void)def;
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

/* ConvTranspose: X [N, C, spatial...], W [C, M / group, kernel...]. Without
 * output_shape: stride * (extent - 1) + output_padding + reach - pads. */
static int32_t infer_conv_transpose(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), w = tsr_infer_shape(infer, 1), out = x;
    const TsrAttr *wanted = tsr_attr_find(infer->node, "output_shape");
    const TsrAttr *extra = tsr_attr_find(infer->node, "output_padding");
    int64_t group = tsr_attr_int(infer->node, "group", 1);
    int same = tsr_attr_is(infer->node, "auto_pad", "SAME_UPPER") ||
               tsr_attr_is(infer->node, "auto_pad", "SAME_LOWER");
    int valid = tsr_attr_is(infer->node, "auto_pad", "VALID");
    Window window;
    int32_t status;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
    if (group < 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "group must be at least 1, got %lld",
                           (long long)group);
    if ((status = tsr_infer_want_min_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, x.rank)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 2, 1)) != TSR_OK ||
        (status = tsr_infer_window(infer, x.rank - 2,
                                   w.rank == TSR_RANK_UNKNOWN ? NULL : w.dim + 2, &window)) !=
            TSR_OK)
        return status;
    if (wanted != NULL && wanted->count != window.spatial && wanted->count != x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output_shape must have %u entries, got %u", window.spatial,
                           wanted->count);
    if (extra != NULL && extra->count != 0 && extra->count != window.spatial)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output_padding must have %u entries, got %u", window.spatial,
                           extra->count);
    out.dim[1] = TSR_DIM_UNKNOWN;
    if (w.rank != TSR_RANK_UNKNOWN) {
        int64_t channels = x.dim[1];
        if ((status = tsr_infer_join(infer, "channels of X and W", &channels, w.dim[0])) !=
                TSR_OK ||
            (status = tsr_infer_multiply(infer, w.dim[1], group, &out.dim[1])) != TSR_OK)
            return status;
        if (channels >= 0 && channels % group != 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "%lld input channels do not split into %lld groups",
                               (long long)channels, (long long)group);
        if (tsr_infer_shape(infer, 2).rank == 1 &&
            (status = tsr_infer_join(infer, "output channels and entries of B", &out.dim[1],
                                     tsr_infer_shape(infer, 2).dim[0])) != TSR_OK)
            return status;
    }
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t extent = x.dim[2 + i], kernel = window.kernel[i];
        int64_t result = TSR_DIM_UNKNOWN;
        if (wanted != NULL) {
            result = wanted->ints[wanted->count - window.spatial + i];
        } else if (extent >= 0 && same) {
            result = extent * window.stride[i];
        } else if (extent < 0 && kernel >= 0) {
            /* stride * extent + what is the same for every extent */
            const int64_t rest = (kernel - 1) * window.dilation[i] + 1 - window.stride[i] +
                                 (extra != NULL && extra->count != 0 ? extra->ints[i] : 0) -
                                 (valid ? 0 : window.pad[i] + window.pad[window.spatial + i]);
            result = tsr_extent(infer, TSR_DIM_MUL, extent, window.stride[i]);
            result = same       ? result
                     : rest < 0 ? tsr_extent(infer, TSR_DIM_SUB, result, -rest)
                                : tsr_extent(infer, TSR_DIM_ADD, result, rest);
        } else if (extent >= 0 && kernel >= 0) {
            result = window.stride[i] * (extent - 1) + (kernel - 1) * window.dilation[i] + 1 +
                     (extra != NULL && extra->count != 0 ? extra->ints[i] : 0) -
                     (valid ? 0 : window.pad[i] + window.pad[window.spatial + i]);
        }
        if (result < 0 && (wanted != NULL || (extent >= 0 && kernel >= 0)))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "spatial axis %u would get the extent %lld", i, (long long)result);
        out.dim[2 + i] = result;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static const TsrOpParam conv_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam conv_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr conv_1_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam conv_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam conv_22_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr conv_transpose_1_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "output_padding", .type = TSR_ATTR_INTS},
    {.name = "output_shape", .type = TSR_ATTR_INTS},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Conv", 1), OP_INPUTS(conv_1_in), OP_OUTPUTS(conv_1_out), OP_ATTRS(conv_1_attrs),
     .infer = infer_conv, .infer_format_full = tsr_format_conv},
    {OP_ROW("", "Conv", 11), OP_INPUTS(conv_1_in), OP_OUTPUTS(conv_1_out), OP_ATTRS(conv_1_attrs),
     .infer = infer_conv, .infer_format_full = tsr_format_conv},
    {OP_ROW("", "Conv", 22), OP_INPUTS(conv_22_in), OP_OUTPUTS(conv_22_out),
     OP_ATTRS(conv_1_attrs), .infer = infer_conv, .infer_format_full = tsr_format_conv},
    {OP_ROW("", "ConvTranspose", 1), OP_INPUTS(conv_1_in), OP_OUTPUTS(conv_1_out),
     OP_ATTRS(conv_transpose_1_attrs), .infer = infer_conv_transpose,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "ConvTranspose", 11), OP_INPUTS(conv_1_in), OP_OUTPUTS(conv_1_out),
     OP_ATTRS(conv_transpose_1_attrs), .infer = infer_conv_transpose,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "ConvTranspose", 22), OP_INPUTS(conv_22_in), OP_OUTPUTS(conv_22_out),
     OP_ATTRS(conv_transpose_1_attrs), .infer = infer_conv_transpose,
     .infer_format_full = tsr_format_channels},
};

const TsrOps tsr_ops_conv = OP_FAMILY(definitions);
