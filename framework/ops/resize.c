/* SPDX-License-Identifier: Apache-2.0
 *
 * resize.c: definitions of ONNX operators:
 * resampling of images.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* Extent after scaling, floor as the spec says; the guard takes back the float error of
 * a scale such as 8/3 that was rounded down. */
static int64_t scaled_extent(int64_t extent, float scale)
{
    double exact = (double)extent * (double)scale;
    return exact < 0.0 || exact > 9.0e15 ? TSR_DIM_UNKNOWN : (int64_t)exact;
}

/* The same for an extent that a run settles; only whole factors and halves have a form. */
static int64_t scaled_symbol(const TsrInferContext *infer, int64_t extent, float scale)
{
    const float inverse = 1.0f / scale;
    if (scale >= 1.0f && scale <= 65536.0f && scale == (float)(int64_t)scale)
        return tsr_extent(infer, TSR_DIM_MUL, extent, (int64_t)scale);
    /* Exact in float for powers of two, so that floor is the same. */
    if (inverse >= 1.0f && inverse <= 65536.0f && inverse == (float)(int64_t)inverse &&
        ((int64_t)inverse & ((int64_t)inverse - 1)) == 0)
        return tsr_extent(infer, TSR_DIM_DIV, extent, (int64_t)inverse);
    return TSR_DIM_UNKNOWN;
}

/* Reads float scales of input index; *out_known 0 when the value is not there. */
static int32_t read_scales(TsrInferContext *infer, uint32_t index, float *out, int64_t *out_count,
                           int *out_known)
{
    const TsrTensor *value = infer->node->values != NULL && index < infer->node->input_count
                                 ? infer->node->values[index]
                                 : NULL;
    *out_known = 0;
    *out_count = 0;
    if (value == NULL)
        return TSR_OK;
    if (value->desc->rank != 1 || value->desc->dtype != TSR_DTYPE_FLOAT ||
        value->desc->shape[0] > TSR_MAX_RANK)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "scales must be a list of at most %d floats", TSR_MAX_RANK);
    *out_count = value->desc->shape[0];
    *out_known = 1;
    for (int64_t i = 0; i < *out_count; i++) {
        out[i] = ((const float *)value->data)[i];
        if (!(out[i] > 0.0f))
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "scales must be positive, got %g",
                               (double)out[i]);
    }
    return TSR_OK;
}

/* Upsample 7 has scales as attribute, 9 as input; Resize 10 like Upsample 9. */
static int32_t infer_upsample(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "scales");
    Shape x = tsr_infer_shape(infer, 0), out = x;
    float scales[TSR_MAX_RANK] = {0};
    int64_t count = 0;
    int known = 0;
    int32_t status;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
    if (def->since_version < 9 && attr != NULL) {
        count = attr->count;
        known = 1;
        for (uint32_t i = 0; i < attr->count && i < TSR_MAX_RANK; i++)
            scales[i] = attr->floats[i];
    } else if ((status = read_scales(infer, 1, scales, &count, &known)) != TSR_OK) {
        return status;
    }
    if (known && count != (int64_t)x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "scales must have %u entries, got %lld",
                           x.rank, (long long)count);
    for (uint32_t i = 0; i < x.rank; i++)
        out.dim[i] = !known          ? TSR_DIM_UNKNOWN
                     : x.dim[i] >= 0 ? scaled_extent(x.dim[i], scales[i])
                                     : scaled_symbol(infer, x.dim[i], scales[i]);
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

/* The one scale that keep_aspect_ratio_policy picks from wanted / extent of the axes. */
static double policy_scale(TsrInferContext *infer, const Shape *x, const int64_t *axes,
                           const int64_t *sizes, int64_t count)
{
    int larger = tsr_attr_is(infer->node, "keep_aspect_ratio_policy", "not_smaller");
    double best = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double scale = (double)sizes[i] / (double)x->dim[axes[i]];
        if (i == 0 || (larger ? scale > best : scale < best))
            best = scale;
    }
    return best;
}

/* Resize 11 on: sizes win over scales; from 18 on both may be for axes only. */
static int32_t infer_resize(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = x, roi = tsr_infer_shape(infer, 1);
    const TsrTensor *roi_value = infer->node->values != NULL && infer->node->input_count > 1
                                     ? infer->node->values[1]
                                     : NULL;
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int64_t axes[2 * TSR_MAX_RANK], sizes[2 * TSR_MAX_RANK], axis_count, size_count = 0, count;
    float scales[TSR_MAX_RANK];
    int crop = tsr_attr_is(infer->node, "coordinate_transformation_mode", "tf_crop_and_resize");
    int fixed_ratio = tsr_attr_is(infer->node, "keep_aspect_ratio_policy", "not_larger") ||
                      tsr_attr_is(infer->node, "keep_aspect_ratio_policy", "not_smaller");
    int known, scales_known, sizes_known = 0;
    int32_t status;
    (void)roi;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, dtype, &x);
    if ((status = tsr_infer_axes(infer, UINT32_MAX, x.rank, axes, &axis_count, &known)) != TSR_OK ||
        (status = read_scales(infer, 2, scales, &count, &scales_known)) != TSR_OK ||
        (tsr_infer_input(infer, 3) != NULL &&
         (status = tsr_infer_sizes(infer, 3, sizes, &size_count, &sizes_known)) != TSR_OK))
        return status;
    if (axis_count < 0) {
        axis_count = x.rank;
        for (uint32_t i = 0; i < x.rank; i++)
            axes[i] = i;
    }
    scales_known = scales_known && count > 0;
    for (int64_t i = 0; i < axis_count; i++)
        out.dim[axes[i]] = TSR_DIM_UNKNOWN;
    if (tsr_infer_input(infer, 3) != NULL && (size_count > 0 || !scales_known)) {
        if (size_count > 0 && size_count != axis_count)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "sizes must have %lld entries, got %lld", (long long)axis_count,
                               (long long)size_count);
        for (int64_t i = 0; sizes_known && i < size_count; i++) {
            if (sizes[i] < 0 && !TSR_DIM_IS_SYMBOL(sizes[i]))
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "sizes must not be negative, got %lld", (long long)sizes[i]);
            out.dim[axes[i]] = sizes[i];
        }
        for (int64_t i = 0; fixed_ratio && sizes_known && i < size_count; i++)
            if (x.dim[axes[i]] <= 0 || TSR_DIM_IS_SYMBOL(sizes[i]))
                sizes_known = 0, out.dim[axes[i]] = TSR_DIM_UNKNOWN;
        if (fixed_ratio && sizes_known) {
            double scale = policy_scale(infer, &x, axes, sizes, size_count);
            for (int64_t i = 0; i < size_count; i++) /* round half up (Resize 18) */
                out.dim[axes[i]] = (int64_t)(scale * (double)x.dim[axes[i]] + 0.5);
        }
    } else if (scales_known) {
        if (count != axis_count)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "scales must have %lld entries, got %lld", (long long)axis_count,
                               (long long)count);
        for (int64_t i = 0; i < axis_count; i++) {
            int64_t extent = x.dim[axes[i]];
            if (extent < 0) {
                out.dim[axes[i]] = crop ? TSR_DIM_UNKNOWN
                                        : scaled_symbol(infer, extent, scales[i]);
                continue;
            }
            out.dim[axes[i]] = scaled_extent(extent, scales[i]);
            if (!crop)
                continue;
            /* floor(extent * (end - start) * scale) */
            out.dim[axes[i]] = TSR_DIM_UNKNOWN;
            if (roi_value != NULL && roi_value->desc->dtype == TSR_DTYPE_FLOAT &&
                tsr_desc_elements(roi_value->desc) == 2 * axis_count) {
                const float *r = roi_value->data;
                out.dim[axes[i]] =
                    scaled_extent(extent, (r[axis_count + i] - r[i]) * scales[i]);
            }
        }
    } else if (tsr_infer_input(infer, 2) == NULL && tsr_infer_input(infer, 3) == NULL) {
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs scales or sizes, got neither");
    }
    return tsr_infer_set(infer, 0, dtype, &out);
}

static const TsrOpParam resize_10_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"scales", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpParam resize_10_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr resize_10_attrs[] = {
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "nearest",
     .words = "nearest|linear|cubic"},
};

static const TsrOpParam resize_11_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"roi", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT_IEEE},
    {"scales", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"sizes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr resize_11_attrs[] = {
    {.name = "coordinate_transformation_mode", .type = TSR_ATTR_STRING, .has_default = 1,
     .s = "half_pixel", .words = "half_pixel|half_pixel_symmetric|pytorch_half_pixel|"
     "align_corners|asymmetric|tf_half_pixel_for_nn|tf_crop_and_resize"},
    {.name = "cubic_coeff_a", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = -0.75f},
    {.name = "exclude_outside", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "extrapolation_value", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "nearest",
     .words = "nearest|linear|cubic"},
    {.name = "nearest_mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "round_prefer_floor",
     .words = "round_prefer_floor|round_prefer_ceil|floor|ceil"},
};

static const TsrOpParam resize_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"roi", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_FLOAT_IEEE},
    {"scales", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_FLOAT)},
    {"sizes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam resize_13_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr resize_18_attrs[] = {
    {.name = "antialias", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "axes", .type = TSR_ATTR_INTS},
    {.name = "coordinate_transformation_mode", .type = TSR_ATTR_STRING, .has_default = 1,
     .s = "half_pixel", .words = "half_pixel|half_pixel_symmetric|pytorch_half_pixel|"
     "align_corners|asymmetric|tf_half_pixel_for_nn|tf_crop_and_resize"},
    {.name = "cubic_coeff_a", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = -0.75f},
    {.name = "exclude_outside", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "extrapolation_value", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "keep_aspect_ratio_policy", .type = TSR_ATTR_STRING, .has_default = 1, .s = "stretch",
     .words = "stretch|not_larger|not_smaller"},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "nearest",
     .words = "nearest|linear|cubic"},
    {.name = "nearest_mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "round_prefer_floor",
     .words = "round_prefer_floor|round_prefer_ceil|floor|ceil"},
};

static const TsrOpParam upsample_7_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr upsample_7_attrs[] = {
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "nearest",
     .words = "nearest|linear"},
    {.name = "scales", .type = TSR_ATTR_FLOATS, .required = 1},
};

static const TsrOpAttr upsample_9_attrs[] = {
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "nearest",
     .words = "nearest|linear"},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Resize", 10), OP_INPUTS(resize_10_in), OP_OUTPUTS(resize_10_out),
     OP_ATTRS(resize_10_attrs), .value_inputs = 1u << 1, .infer = infer_upsample,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Resize", 11), OP_INPUTS(resize_11_in), OP_OUTPUTS(resize_10_out),
     OP_ATTRS(resize_11_attrs), .value_inputs = 1u << 1 | 1u << 2 | 1u << 3, .infer = infer_resize,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Resize", 13), OP_INPUTS(resize_13_in), OP_OUTPUTS(resize_13_out),
     OP_ATTRS(resize_11_attrs), .value_inputs = 1u << 1 | 1u << 2 | 1u << 3, .infer = infer_resize,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Resize", 18), OP_INPUTS(resize_13_in), OP_OUTPUTS(resize_13_out),
     OP_ATTRS(resize_18_attrs), .value_inputs = 1u << 1 | 1u << 2 | 1u << 3, .infer = infer_resize,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Resize", 19), OP_INPUTS(resize_13_in), OP_OUTPUTS(resize_13_out),
     OP_ATTRS(resize_18_attrs), .value_inputs = 1u << 1 | 1u << 2 | 1u << 3, .infer = infer_resize,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Upsample", 7), OP_INPUTS(upsample_7_in), OP_OUTPUTS(resize_10_out),
     OP_ATTRS(upsample_7_attrs), .infer = infer_upsample, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Upsample", 9), OP_INPUTS(resize_10_in), OP_OUTPUTS(resize_10_out),
     OP_ATTRS(upsample_9_attrs), .value_inputs = 1u << 1, .infer = infer_upsample,
     .infer_format_full = tsr_format_keep},
};

const TsrOps tsr_ops_resize = OP_FAMILY(definitions);
