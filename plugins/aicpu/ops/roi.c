/* SPDX-License-Identifier: Apache-2.0
 *
 * roi.c: pooling over regions of interest (RoiAlign, MaxRoiPool) and MaxUnpool, which
 * writes values back to where MaxPool found them.
 */
#include "window.h"
#include "../number.h"
#include <math.h>

/* Value of a plane between its pixels; the four products apart for the max mode. */
static void bilinear(const double *plane, int64_t height, int64_t width, double y, double x,
                     double *out)
{
    int64_t y0, x0, y1, x1;
    memset(out, 0, 4 * sizeof(*out));
    if (!(y >= -1.0 && y <= (double)height && x >= -1.0 && x <= (double)width))
        return;
    y = y < 0.0 ? 0.0 : y;
    x = x < 0.0 ? 0.0 : x;
    y0 = (int64_t)y;
    x0 = (int64_t)x;
    if (y0 >= height - 1) {
        y0 = height - 1;
        y = (double)y0;
    }
    if (x0 >= width - 1) {
        x0 = width - 1;
        x = (double)x0;
    }
    y1 = y0 + 1 < height ? y0 + 1 : y0;
    x1 = x0 + 1 < width ? x0 + 1 : x0;
    y -= (double)y0;
    x -= (double)x0;
    out[0] = (1.0 - y) * (1.0 - x) * plane[y0 * width + x0];
    out[1] = (1.0 - y) * x * plane[y0 * width + x1];
    out[2] = y * (1.0 - x) * plane[y1 * width + x0];
    out[3] = y * x * plane[y1 * width + x1];
}

/* RoiAlign: a grid of samples in every bin, averaged, or the largest of their weighted
 * pixels. Up to version 10 places are not shifted by half a pixel. */
static int32_t run_roi_align(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *y_desc = run->outputs[0]->desc;
    int half = tsr_attr_is(run->node, "coordinate_transformation_mode", "half_pixel");
    int largest = tsr_attr_is(run->node, "mode", "max");
    int64_t ratio = tsr_attr_int(run->node, "sampling_ratio", 0), channels = x_desc->shape[1];
    int64_t height = x_desc->shape[2], width = x_desc->shape[3];
    int64_t rows = y_desc->shape[2], columns = y_desc->shape[3];
    double scale = (double)tsr_attr_float(run->node, "spatial_scale", 1.0f);
    const double *x = aicpu_as_double(run, run->inputs[0]);
    const double *rois = aicpu_as_double(run, run->inputs[1]);
    const int64_t *batches = aicpu_as_int64(run, run->inputs[2]);
    double *y = aicpu_begin_double(run, run->outputs[0]), shift = half ? 0.5 : 0.0;
    (void)kernel;
    if (x == NULL || rois == NULL || batches == NULL || y == NULL)
        return TSR_OUT_OF_MEMORY;
    if (tsr_desc_elements(run->inputs[2]->desc) != y_desc->shape[0])
        return run->fail(run, TSR_INVALID_ARGUMENT, "batch_indices must have %lld entries",
                         (long long)y_desc->shape[0]);
    for (int64_t i = 0; i < tsr_desc_elements(y_desc); i++) {
        int64_t column = i % columns, row = i / columns % rows;
        int64_t c = i / columns / rows % channels, r = i / columns / rows / channels;
        const double *roi = rois + r * 4;
        double left = roi[0] * scale - shift, top = roi[1] * scale - shift, result = 0.0;
        double roi_width = roi[2] * scale - shift - left;
        double roi_height = roi[3] * scale - shift - top, bin_width, bin_height;
        int64_t across, down;
        if (batches[r] < 0 || batches[r] >= x_desc->shape[0])
            return run->fail(run, TSR_INVALID_ARGUMENT, "a batch index must be in [0, %lld), got "
                             "%lld", (long long)x_desc->shape[0], (long long)batches[r]);
        if (!half) {
            roi_width = fmax(roi_width, 1.0);
            roi_height = fmax(roi_height, 1.0);
        }
        bin_width = roi_width / (double)columns;
        bin_height = roi_height / (double)rows;
        across = ratio > 0 ? ratio : (int64_t)fmin(ceil(bin_width), 1e6);
        down = ratio > 0 ? ratio : (int64_t)fmin(ceil(bin_height), 1e6);
        for (int64_t s = 0; across > 0 && s < across * down; s++) {
            double part[4];
            bilinear(x + (batches[r] * channels + c) * height * width, height, width,
                     top + ((double)row + ((double)(s / across) + 0.5) / (double)down) *
                               bin_height,
                     left + ((double)column + ((double)(s % across) + 0.5) / (double)across) *
                                bin_width, part);
            for (int k = 0; k < 4; k++)
                result = !largest                           ? result + part[k]
                         : (s == 0 && k == 0) || part[k] > result ? part[k]
                                                            : result;
        }
        y[i] = largest || across * down < 1 ? result : result / (double)(across * down);
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

/* Integer bounds of bin k of n over [start, start + extent), clipped to the image. */
static void bin_bounds(int64_t start, int64_t extent, int64_t k, int64_t n, int64_t limit,
                       int64_t *first, int64_t *last)
{
    double size = (double)extent / (double)n;
    double low = floor((double)k * size) + (double)start;
    double high = ceil((double)(k + 1) * size) + (double)start;
    *first = low < 0.0 ? 0 : low > (double)limit ? limit : (int64_t)low;
    *last = high < 0.0 ? 0 : high > (double)limit ? limit : (int64_t)high;
}

/* MaxRoiPool: the largest pixel of every bin; an empty bin is 0. */
static int32_t run_max_roi_pool(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *y_desc = run->outputs[0]->desc;
    int64_t channels = x_desc->shape[1], height = x_desc->shape[2], width = x_desc->shape[3];
    int64_t rows = y_desc->shape[2], columns = y_desc->shape[3];
    double scale = (double)tsr_attr_float(run->node, "spatial_scale", 1.0f);
    const double *x = aicpu_as_double(run, run->inputs[0]);
    const double *rois = aicpu_as_double(run, run->inputs[1]);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    (void)kernel;
    if (x == NULL || rois == NULL || y == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < tsr_desc_elements(y_desc); i++) {
        int64_t column = i % columns, row = i / columns % rows;
        int64_t c = i / columns / rows % channels, r = i / columns / rows / channels;
        int64_t edge[4], batch, top, bottom, left, right, roi_width, roi_height;
        int empty;
        for (int k = 0; k < 5; k++)
            if (!(fabs(rois[r * 5 + k]) < 1e9))
                return run->fail(run, TSR_INVALID_ARGUMENT, "region %lld is not finite",
                                 (long long)r);
        batch = (int64_t)rois[r * 5];
        for (int k = 0; k < 4; k++)
            edge[k] = (int64_t)round(rois[r * 5 + 1 + k] * scale);
        if (batch < 0 || batch >= x_desc->shape[0])
            return run->fail(run, TSR_INVALID_ARGUMENT, "a batch index must be in [0, %lld), got "
                             "%lld", (long long)x_desc->shape[0], (long long)batch);
        roi_width = edge[2] - edge[0] + 1 > 1 ? edge[2] - edge[0] + 1 : 1;
        roi_height = edge[3] - edge[1] + 1 > 1 ? edge[3] - edge[1] + 1 : 1;
        bin_bounds(edge[0], roi_width, column, columns, width, &left, &right);
        bin_bounds(edge[1], roi_height, row, rows, height, &top, &bottom);
        empty = right <= left || bottom <= top;
        y[i] = empty ? 0.0 : -INFINITY;
        for (int64_t v = top; !empty && v < bottom; v++)
            for (int64_t u = left; u < right; u++)
                y[i] = fmax(y[i], x[((batch * channels + c) * height + v) * width + u]);
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

/* MaxUnpool: indices count places of the tensor that the attributes describe; with
 * output_shape that tensor lies in the corner of a larger one. */
static int32_t run_max_unpool(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *y = run->outputs[0]->desc;
    uint32_t bits = tsr_dtype_bits(x->dtype) / 8;
    int64_t plain[TSR_MAX_RANK], places = 1;
    const int64_t *indices = aicpu_as_int64(run, run->inputs[1]);
    Window w;
    int32_t status = aicpu_window_read(run, x, y, NULL, 0, &w);
    (void)kernel;
    if (status != TSR_OK)
        return status;
    if (indices == NULL || tsr_desc_elements(run->inputs[1]->desc) != tsr_desc_elements(x))
        return run->fail(run, TSR_INVALID_ARGUMENT, "needs an index for each of %lld elements",
                         (long long)tsr_desc_elements(x));
    for (uint32_t i = 0; i < y->rank; i++) {
        plain[i] = i < 2 ? y->shape[i]
                         : (w.in[i - 2] - 1) * w.stride[i - 2] + w.kernel[i - 2] -
                               w.begin[i - 2] - w.end[i - 2];
        places *= plain[i] > 0 ? plain[i] : 0;
    }
    memset(run->outputs[0]->data, 0, run->outputs[0]->size_bytes);
    for (int64_t i = 0; i < tsr_desc_elements(x); i++) {
        int64_t rest = indices[i], to = 0, scale = 1;
        int inside = rest >= 0 && rest < places;
        for (uint32_t d = y->rank; inside && d-- > 0;) {
            inside = rest % plain[d] < y->shape[d];
            to += rest % plain[d] * scale;
            rest /= plain[d];
            scale *= y->shape[d];
        }
        if (!inside)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "index %lld lies outside of the output", (long long)indices[i]);
        memcpy((char *)run->outputs[0]->data + to * bits,
               (const char *)run->inputs[0]->data + i * bits, bits);
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "RoiAlign", .run = run_roi_align, .dtypes = TSR_TYPES_FLOAT},
    {.op = "MaxRoiPool", .run = run_max_roi_pool, .dtypes = TSR_TYPES_FLOAT},
    {.op = "MaxUnpool", .run = run_max_unpool, .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_roi = AICPU_FAMILY(kernels);
