/* SPDX-License-Identifier: Apache-2.0
 *
 * sample.c: definitions of ONNX operators:
 * images read and written at computed places.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* GridSample: X [N, C, d...] of r spatial axes, grid [N, o..., r]; Y [N, C, o...]. */
static int32_t infer_grid_sample(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), grid = tsr_infer_shape(infer, 1), y = x;
    int64_t spatial;
    int32_t status = tsr_infer_want_min_rank(infer, 0, 3);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
    if ((status = tsr_infer_want_rank(infer, 1, x.rank)) != TSR_OK)
        return status;
    spatial = (int64_t)x.rank - 2;
    for (uint32_t i = 2; i < x.rank; i++)
        y.dim[i] = grid.rank == x.rank ? grid.dim[i - 1] : TSR_DIM_UNKNOWN;
    if (grid.rank == x.rank &&
        ((status = tsr_infer_join(infer, "batch sizes", &y.dim[0], grid.dim[0])) != TSR_OK ||
         (status = tsr_infer_join(infer, "spatial axes and coordinates of the grid", &spatial,
                                  grid.dim[x.rank - 1])) != TSR_OK))
        return status;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* AffineGrid: theta [N, r, r + 1], size [N, C, d...]; grid [N, d..., r]. */
static int32_t infer_affine_grid(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape theta = tsr_infer_shape(infer, 0), grid = {.rank = TSR_RANK_UNKNOWN};
    int64_t size[2 * TSR_MAX_RANK], count, spatial = TSR_DIM_UNKNOWN;
    int known;
    int32_t status = tsr_infer_ints(infer, 1, size, &count, &known);
    (void)def;
    if (status != TSR_OK || (status = tsr_infer_want_rank(infer, 0, 3)) != TSR_OK)
        return status;
    if (count >= 0 && count != 4 && count != 5)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "size must have 4 or 5 entries, got %lld",
                           (long long)count);
    spatial = count >= 0 ? count - 2 : TSR_DIM_UNKNOWN;
    if (theta.rank == 3 && (status = tsr_infer_join(infer, "rows of theta and axes of size",
                                                    &spatial, theta.dim[1])) != TSR_OK)
        return status;
    if (spatial < 0)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &grid);
    if (theta.rank == 3 && theta.dim[2] >= 0 && theta.dim[2] != spatial + 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "theta must have %lld columns, got %lld",
                           (long long)spatial + 1, (long long)theta.dim[2]);
    grid = tsr_shape_unknown((uint32_t)spatial + 2);
    if (theta.rank == 3)
        grid.dim[0] = theta.dim[0];
    grid.dim[spatial + 1] = spatial;
    for (int64_t i = 0; known && i < spatial; i++) {
        if (size[2 + i] < 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "size must not be negative, got %lld",
                               (long long)size[2 + i]);
        grid.dim[1 + i] = size[2 + i];
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &grid);
}

/* Both region operators: X [N, C, H, W], one region a row; Y [regions, C, h, w]. */
static int32_t roi_shape(TsrInferContext *infer, int64_t columns, int64_t height, int64_t width)
{
    Shape x = tsr_infer_shape(infer, 0), rois = tsr_infer_shape(infer, 1);
    Shape y = tsr_shape_unknown(4);
    int32_t status;
    if ((status = tsr_infer_want_rank(infer, 0, 4)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 2)) != TSR_OK ||
        (rois.rank == 2 && (status = tsr_infer_join(infer, "columns of rois", &columns,
                                                    rois.dim[1])) != TSR_OK))
        return status;
    y.dim[0] = rois.rank == 2 ? rois.dim[0] : TSR_DIM_UNKNOWN;
    y.dim[1] = x.rank == 4 ? x.dim[1] : TSR_DIM_UNKNOWN;
    y.dim[2] = height;
    y.dim[3] = width;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

static int32_t infer_roi_align(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = tsr_infer_want_rank(infer, 2, 1);
    (void)def;
    return status != TSR_OK ? status
                            : roi_shape(infer, 4, tsr_attr_int(infer->node, "output_height", 1),
                                        tsr_attr_int(infer->node, "output_width", 1));
}

static int32_t infer_max_roi_pool(const TsrOpDef *def, TsrInferContext *infer)
{
    uint32_t count;
    const int64_t *shape = tsr_attr_ints(infer->node, "pooled_shape", &count);
    (void)def;
    if (count != 2 || shape[0] < 1 || shape[1] < 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "pooled_shape must have two positive entries");
    return roi_shape(infer, 5, shape[0], shape[1]);
}

/* MaxUnpool: the extents that MaxPool came from, or those that output_shape says. */
static int32_t infer_max_unpool(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y = x;
    int64_t wanted[2 * TSR_MAX_RANK], count;
    int known;
    Window window;
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_min_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_ints(infer, 2, wanted, &count, &known)) != TSR_OK)
        return status;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
    if ((status = tsr_infer_want_rank(infer, 1, x.rank)) != TSR_OK ||
        (status = tsr_infer_window(infer, x.rank - 2, NULL, &window)) != TSR_OK)
        return status;
    if (count >= 0 && count != x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output_shape must have %u entries, got %lld", x.rank,
                           (long long)count);
    for (uint32_t i = 2; i < x.rank; i++) {
        y.dim[i] = TSR_DIM_UNKNOWN;
        if (known)
            y.dim[i] = wanted[i];
        else if (tsr_infer_input(infer, 2) == NULL && x.dim[i] >= 0)
            y.dim[i] = (x.dim[i] - 1) * window.stride[i - 2] + window.kernel[i - 2] -
                       window.pad[i - 2] - window.pad[x.rank - 2 + i - 2];
        if (y.dim[i] < 0 && (known || (tsr_infer_input(infer, 2) == NULL && x.dim[i] >= 0)))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "spatial axis %u would have the extent %lld", i - 2,
                               (long long)y.dim[i]);
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* DeformConv: like Conv, with offset [N, offset_group * kernel * r, o...] and mask
 * [N, offset_group * kernel, o...]. */
static int32_t infer_deform_conv(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t groups = tsr_attr_int(infer->node, "offset_group", 1), kernel = groups;
    Shape w = tsr_infer_shape(infer, 1), y;
    int32_t status = tsr_infer_conv_shape(infer, 0, 1, 3, &y);
    (void)def;
    if (status != TSR_OK)
        return status;
    for (uint32_t i = 2; w.rank != TSR_RANK_UNKNOWN && i < w.rank; i++)
        if ((status = tsr_infer_multiply(infer, kernel, w.dim[i], &kernel)) != TSR_OK)
            return status;
    for (uint32_t k = 2; k < 5 && y.rank != TSR_RANK_UNKNOWN; k += 2) {
        Shape field = tsr_infer_shape(infer, k);
        int64_t channels = w.rank == TSR_RANK_UNKNOWN || kernel < 0 ? TSR_DIM_UNKNOWN
                           : k == 2 ? kernel * ((int64_t)y.rank - 2)
                                    : kernel;
        if ((status = tsr_infer_want_rank(infer, k, y.rank)) != TSR_OK)
            return status;
        if (field.rank != y.rank)
            continue;
        if ((status = tsr_infer_join(infer, "batch sizes", &y.dim[0], field.dim[0])) != TSR_OK ||
            (status = tsr_infer_join(infer, k == 2 ? "channels of offset" : "channels of mask",
                                     &channels, field.dim[1])) != TSR_OK)
            return status;
        for (uint32_t i = 2; i < y.rank; i++)
            if ((status = tsr_infer_join(infer, "spatial extents of Y and offset or mask",
                                         &y.dim[i], field.dim[i])) != TSR_OK)
                return status;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* Col2Im: input [N, C * block, L]; image [N, C, image_shape...]. */
static int32_t infer_col2im(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y = {.rank = TSR_RANK_UNKNOWN};
    int64_t image[2 * TSR_MAX_RANK], block[2 * TSR_MAX_RANK], count, block_count, area = 1;
    int known, block_known;
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_ints(infer, 1, image, &count, &known)) != TSR_OK ||
        (status = tsr_infer_ints(infer, 2, block, &block_count, &block_known)) != TSR_OK)
        return status;
    if (count < 0)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
    if (count < 1 || count > TSR_MAX_RANK - 2 || (block_count >= 0 && block_count != count))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "image_shape and block_shape must have as many entries, got %lld and "
                           "%lld", (long long)count, (long long)block_count);
    y = tsr_shape_unknown((uint32_t)count + 2);
    if (x.rank == 3)
        y.dim[0] = x.dim[0];
    for (int64_t i = 0; i < count; i++) {
        if ((known && image[i] < 1) || (block_known && block[i] < 1))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "image_shape and block_shape must be positive");
        if (known)
            y.dim[2 + i] = image[i];
        if (block_known && (status = tsr_infer_multiply(infer, area, block[i], &area)) != TSR_OK)
            return status;
    }
    if (block_known && x.rank == 3 && x.dim[1] >= 0) {
        if (x.dim[1] % area != 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "%lld columns do not split into blocks of %lld",
                               (long long)x.dim[1], (long long)area);
        y.dim[1] = x.dim[1] / area;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* CenterCropPad: the axes get the extents that shape says. */
static int32_t infer_center_crop_pad(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_infer_shape(infer, 0);
    int64_t wanted[2 * TSR_MAX_RANK], count, axis_count, axes[2 * TSR_MAX_RANK];
    int known, axes_known;
    int32_t status = tsr_infer_ints(infer, 1, wanted, &count, &known);
    (void)def;
    if (status != TSR_OK || y.rank == TSR_RANK_UNKNOWN)
        return status != TSR_OK ? status
                                : tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
    if ((status = tsr_infer_axes(infer, UINT32_MAX, y.rank, axes, &axis_count, &axes_known)) !=
        TSR_OK)
        return status;
    if (axis_count < 0)
        for (axis_count = 0; axis_count < y.rank; axis_count++)
            axes[axis_count] = axis_count;
    if (count >= 0 && count != axis_count)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "shape must have %lld entries, got %lld",
                           (long long)axis_count, (long long)count);
    for (int64_t i = 0; i < axis_count; i++) {
        if (known && wanted[i] < 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "shape must not be negative, got %lld",
                               (long long)wanted[i]);
        y.dim[axes[i]] = known ? wanted[i] : TSR_DIM_UNKNOWN;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

static const TsrOpParam grid_sample_16_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"grid", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam grid_sample_16_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr grid_sample_16_attrs[] = {
    {.name = "align_corners", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "bilinear"},
    {.name = "padding_mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "zeros",
     .words = "zeros|border|reflection"},
};

static const TsrOpAttr grid_sample_20_attrs[] = {
    {.name = "align_corners", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "linear"},
    {.name = "padding_mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "zeros",
     .words = "zeros|border|reflection"},
};

static const TsrOpParam grid_sample_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"grid", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
};

static const TsrOpParam grid_sample_22_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam affine_grid_20_in[] = {
    {"theta", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"size", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam affine_grid_20_out[] = {
    {"grid", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr affine_grid_20_attrs[] = {
    {.name = "align_corners", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam roi_align_10_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"rois", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"batch_indices", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam roi_align_10_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr roi_align_10_attrs[] = {
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "avg", .words = "avg|max"},
    {.name = "output_height", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1,
     .max = INT32_MAX},
    {.name = "output_width", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1,
     .max = INT32_MAX},
    {.name = "sampling_ratio", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = INT32_MAX},
    {.name = "spatial_scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
};

static const TsrOpAttr roi_align_16_attrs[] = {
    {.name = "coordinate_transformation_mode", .type = TSR_ATTR_STRING, .has_default = 1,
     .s = "half_pixel", .words = "half_pixel|output_half_pixel"},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "avg", .words = "avg|max"},
    {.name = "output_height", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1,
     .max = INT32_MAX},
    {.name = "output_width", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1,
     .max = INT32_MAX},
    {.name = "sampling_ratio", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = INT32_MAX},
    {.name = "spatial_scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
};

static const TsrOpParam roi_align_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"rois", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"batch_indices", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam roi_align_22_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam max_roi_pool_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"rois", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr max_roi_pool_1_attrs[] = {
    {.name = "pooled_shape", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "spatial_scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
};

static const TsrOpParam max_roi_pool_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"rois", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam max_unpool_9_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"I", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"output_shape", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam max_unpool_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr max_unpool_9_attrs[] = {
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam max_unpool_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"I", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"output_shape", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam max_unpool_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam deform_conv_19_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"offset", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"mask", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr deform_conv_19_attrs[] = {
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "offset_group", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1,
     .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam deform_conv_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"offset", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"mask", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam col2_im_18_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"image_shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"block_shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam col2_im_18_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr col2_im_18_attrs[] = {
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam center_crop_pad_18_in[] = {
    {"input_data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"shape", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam center_crop_pad_18_out[] = {
    {"output_data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr center_crop_pad_18_attrs[] = {
    {.name = "axes", .type = TSR_ATTR_INTS},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "GridSample", 16), OP_INPUTS(grid_sample_16_in), OP_OUTPUTS(grid_sample_16_out),
     OP_ATTRS(grid_sample_16_attrs), .infer = infer_grid_sample,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GridSample", 20), OP_INPUTS(grid_sample_16_in), OP_OUTPUTS(grid_sample_16_out),
     OP_ATTRS(grid_sample_20_attrs), .infer = infer_grid_sample,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GridSample", 22), OP_INPUTS(grid_sample_22_in), OP_OUTPUTS(grid_sample_22_out),
     OP_ATTRS(grid_sample_20_attrs), .infer = infer_grid_sample,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AffineGrid", 20), OP_INPUTS(affine_grid_20_in), OP_OUTPUTS(affine_grid_20_out),
     OP_ATTRS(affine_grid_20_attrs), .value_inputs = 1u << 1, .infer = infer_affine_grid},
    {OP_ROW("", "RoiAlign", 10), OP_INPUTS(roi_align_10_in), OP_OUTPUTS(roi_align_10_out),
     OP_ATTRS(roi_align_10_attrs), .infer = infer_roi_align,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "RoiAlign", 16), OP_INPUTS(roi_align_10_in), OP_OUTPUTS(roi_align_10_out),
     OP_ATTRS(roi_align_16_attrs), .infer = infer_roi_align,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "RoiAlign", 22), OP_INPUTS(roi_align_22_in), OP_OUTPUTS(roi_align_22_out),
     OP_ATTRS(roi_align_16_attrs), .infer = infer_roi_align,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxRoiPool", 1), OP_INPUTS(max_roi_pool_1_in), OP_OUTPUTS(roi_align_10_out),
     OP_ATTRS(max_roi_pool_1_attrs), .infer = infer_max_roi_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxRoiPool", 22), OP_INPUTS(max_roi_pool_22_in), OP_OUTPUTS(roi_align_22_out),
     OP_ATTRS(max_roi_pool_1_attrs), .infer = infer_max_roi_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxUnpool", 9), OP_INPUTS(max_unpool_9_in), OP_OUTPUTS(max_unpool_9_out),
     OP_ATTRS(max_unpool_9_attrs), .value_inputs = 1u << 2, .infer = infer_max_unpool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxUnpool", 11), OP_INPUTS(max_unpool_9_in), OP_OUTPUTS(max_unpool_9_out),
     OP_ATTRS(max_unpool_9_attrs), .value_inputs = 1u << 2, .infer = infer_max_unpool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxUnpool", 22), OP_INPUTS(max_unpool_22_in), OP_OUTPUTS(max_unpool_22_out),
     OP_ATTRS(max_unpool_9_attrs), .value_inputs = 1u << 2, .infer = infer_max_unpool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "DeformConv", 19), OP_INPUTS(deform_conv_19_in), OP_OUTPUTS(roi_align_10_out),
     OP_ATTRS(deform_conv_19_attrs), .infer = infer_deform_conv,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "DeformConv", 22), OP_INPUTS(deform_conv_22_in), OP_OUTPUTS(roi_align_22_out),
     OP_ATTRS(deform_conv_19_attrs), .infer = infer_deform_conv,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "Col2Im", 18), OP_INPUTS(col2_im_18_in), OP_OUTPUTS(col2_im_18_out),
     OP_ATTRS(col2_im_18_attrs), .value_inputs = 1u << 1 | 1u << 2, .infer = infer_col2im},
    {OP_ROW("", "CenterCropPad", 18), OP_INPUTS(center_crop_pad_18_in),
     OP_OUTPUTS(center_crop_pad_18_out), OP_ATTRS(center_crop_pad_18_attrs),
     .value_inputs = 1u << 1, .infer = infer_center_crop_pad,
     .infer_format_full = tsr_format_keep},
};

const TsrOps tsr_ops_sample = OP_FAMILY(definitions);
