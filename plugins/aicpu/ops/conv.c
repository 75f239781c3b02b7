/* SPDX-License-Identifier: Apache-2.0
 *
 * conv.c: Conv for any number of spatial axes. Float: the input is unrolled into a
 * matrix [C / group * kernel, output positions], a band of output rows at a time, and
 * multiplied with the weights; a 1x1 kernel needs no unrolling, a depthwise one no
 * matrix. Other types: direct sums in double.
 */
#include "gemm.h"
#include "window.h"
#include "../number.h"
#include "../walk.h"

/* The unrolled band should stay in the second-level cache. */
enum { BAND_BYTES = 1 << 20 };

typedef struct Conv {
    Window w;
    int64_t batch, channels, maps, group;
    int64_t group_channels, group_maps;
    const float *x, *weight, *bias;
    float *y;
    /* The band that is being unrolled: rows of the last output axis. */
    const float *x_group;
    float *columns;
    int64_t row0, rows;
} Conv;

/* Where kernel offset index (flat) lies on each axis, dilated and without padding. */
static void kernel_offset(const Window *w, int64_t index, int64_t *offset)
{
    for (uint32_t i = w->spatial; i-- > 0;) {
        offset[i] = index % w->kernel[i] * w->dilation[i] - w->begin[i];
        index /= w->kernel[i];
    }
}

/* Input row that output row (flat over the axes before the last) reads at an offset;
 * -1 when it lies in the padding. */
static int64_t input_row(const Window *w, int64_t row, const int64_t *offset)
{
    int64_t result = 0, scale = 1;
    for (uint32_t i = w->spatial - 1; i-- > 0;) {
        int64_t at = row % w->out[i] * w->stride[i] + offset[i];
        if (at < 0 || at >= w->in[i])
            return -1;
        row /= w->out[i];
        result += at * scale;
        scale *= w->in[i];
    }
    return result;
}

/* Output columns [*first, *last) of the last axis whose input index is inside. */
static void inside(const Window *w, int64_t offset, int64_t *first, int64_t *last)
{
    uint32_t axis = w->spatial - 1;
    int64_t stride = w->stride[axis], n = w->out[axis], room = w->in[axis] - offset;
    int64_t low = offset < 0 ? (-offset + stride - 1) / stride : 0;
    int64_t high = room > 0 ? (room - 1) / stride + 1 : 0;
    *first = low < n ? low : n;
    *last = high < n ? high : n;
    if (*last < *first)
        *last = *first;
}

/* Unrolls rows [begin, end) of the matrix: one per input channel and kernel offset. */
static void unroll(void *arg, uint64_t begin, uint64_t end)
{
    const Conv *conv = arg;
    const Window *w = &conv->w;
    uint32_t axis = w->spatial - 1;
    int64_t width = w->out[axis], stride = w->stride[axis];
    for (uint64_t r = begin; r < end; r++) {
        const float *x = conv->x_group + (int64_t)r / w->kernel_count * w->in_count;
        float *out = conv->columns + (int64_t)r * conv->rows * width;
        int64_t offset[TSR_MAX_RANK], first, last;
        kernel_offset(w, (int64_t)r % w->kernel_count, offset);
        inside(w, offset[axis], &first, &last);
        for (int64_t row = conv->row0; row < conv->row0 + conv->rows; row++, out += width) {
            int64_t from = input_row(w, row, offset);
            const float *in = x + from * w->in[axis] + offset[axis];
            if (from < 0) {
                memset(out, 0, (size_t)width * sizeof(float));
                continue;
            }
            for (int64_t c = 0; c < first; c++)
                out[c] = 0.0f;
            if (stride == 1)
                memcpy(out + first, in + first, (size_t)(last - first) * sizeof(float));
            else
                for (int64_t c = first; c < last; c++)
                    out[c] = in[c * stride];
            for (int64_t c = last; c < width; c++)
                out[c] = 0.0f;
        }
    }
}

static void fill_bias(const Conv *conv, int64_t map, float *y, int64_t count)
{
    float bias = conv->bias != NULL ? conv->bias[map] : 0.0f;
    for (int64_t i = 0; i < count; i++)
        y[i] = bias;
}

/* Depthwise: output planes [begin, end) over batch and maps, one input channel each. */
static void depthwise(void *arg, uint64_t begin, uint64_t end)
{
    const Conv *conv = arg;
    const Window *w = &conv->w;
    uint32_t axis = w->spatial - 1;
    int64_t width = w->out[axis], stride = w->stride[axis];
    int64_t rows = width > 0 ? w->out_count / width : 0;
    for (uint64_t plane = begin; plane < end; plane++) {
        int64_t map = (int64_t)plane % conv->maps, n = (int64_t)plane / conv->maps;
        const float *x = conv->x + (n * conv->channels + map / conv->group_maps) * w->in_count;
        float *y = conv->y + (int64_t)plane * w->out_count;
        fill_bias(conv, map, y, w->out_count);
        for (int64_t k = 0; k < w->kernel_count; k++) {
            float weight = conv->weight[map * w->kernel_count + k];
            int64_t offset[TSR_MAX_RANK], first, last;
            kernel_offset(w, k, offset);
            inside(w, offset[axis], &first, &last);
            for (int64_t row = 0; row < rows; row++) {
                int64_t from = input_row(w, row, offset);
                const float *in = x + from * w->in[axis] + offset[axis];
                float *out = y + row * width;
                if (from < 0)
                    continue;
                if (stride == 1)
                    for (int64_t c = first; c < last; c++)
                        out[c] += weight * in[c];
                else
                    for (int64_t c = first; c < last; c++)
                        out[c] += weight * in[c * stride];
            }
        }
    }
}

/* Whether the input already is the unrolled matrix. */
static int is_pointwise(const Window *w)
{
    for (uint32_t i = 0; i < w->spatial; i++)
        if (w->kernel[i] != 1 || w->stride[i] != 1 || w->begin[i] != 0 || w->end[i] != 0)
            return 0;
    return 1;
}

/* One image and one group: bias first, then bands of rows are added. */
static void conv_group(TsrRunContext *run, Conv *conv, int64_t n, int64_t g)
{
    const Window *w = &conv->w;
    int64_t depth = conv->group_channels * w->kernel_count, width = w->out[w->spatial - 1];
    int64_t rows = w->out_count / width, band;
    const float *weight = conv->weight + g * conv->group_maps * depth;
    float *y = conv->y + (n * conv->maps + g * conv->group_maps) * w->out_count;
    conv->x_group = conv->x + (n * conv->channels + g * conv->group_channels) * w->in_count;
    for (int64_t m = 0; m < conv->group_maps; m++)
        fill_bias(conv, g * conv->group_maps + m, y + m * w->out_count, w->out_count);
    if (conv->columns == NULL) {
        aicpu_gemm_f32(run, conv->group_maps, w->out_count, depth, weight, conv->x_group, y,
                       w->out_count, 1);
        return;
    }
    band = BAND_BYTES / 4 / (depth * width) + 1;
    for (int64_t row = 0; row < rows; row += band) {
        conv->row0 = row;
        conv->rows = rows - row < band ? rows - row : band;
        aicpu_parallel(run, depth, 1 + 16384 / (conv->rows * width), unroll, conv);
        aicpu_gemm_f32(run, conv->group_maps, conv->rows * width, depth, weight, conv->columns,
                       y + row * width, w->out_count, 1);
    }
}

/* Fills in the geometry of a Conv node. */
static int32_t read_conv(TsrRunContext *run, Conv *conv)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *weight = run->inputs[1]->desc;
    conv->group = tsr_attr_int(run->node, "group", 1);
    conv->batch = x->shape[0];
    conv->channels = x->shape[1];
    conv->maps = weight->shape[0];
    conv->group_channels = conv->channels / conv->group;
    conv->group_maps = conv->maps / conv->group;
    return aicpu_window_read(run, x, run->outputs[0]->desc, weight->shape + 2, 0, &conv->w);
}

static int32_t run_conv(const AicpuKernel *kernel, TsrRunContext *run)
{
    Conv conv = {.batch = 0};
    int32_t status = read_conv(run, &conv);
    int64_t width, depth;
    (void)kernel;
    if (status != TSR_OK || tsr_desc_elements(run->outputs[0]->desc) == 0)
        return status;
    conv.x = aicpu_as_float(run, run->inputs[0]);
    conv.weight = aicpu_as_float(run, run->inputs[1]);
    conv.bias = aicpu_as_float(run, aicpu_input(run, 2));
    conv.y = aicpu_begin_float(run, run->outputs[0]);
    if (conv.y == NULL || (aicpu_input(run, 2) != NULL && conv.bias == NULL))
        return TSR_OUT_OF_MEMORY;
    if (conv.group_channels == 1) {
        aicpu_parallel(run, conv.batch * conv.maps,
                       1 + 16384 / (conv.w.out_count * conv.w.kernel_count), depthwise, &conv);
        aicpu_finish_float(run, run->outputs[0], conv.y);
        return TSR_OK;
    }
    width = conv.w.out[conv.w.spatial - 1];
    depth = conv.group_channels * conv.w.kernel_count;
    if (depth > 0 && !is_pointwise(&conv.w)) {
        int64_t rows = conv.w.out_count / width, band = BAND_BYTES / 4 / (depth * width) + 1;
        conv.columns = run->scratch(run, (uint64_t)(depth * width * (band < rows ? band : rows)) *
                                             sizeof(float));
        if (conv.columns == NULL)
            return TSR_OUT_OF_MEMORY;
    }
    for (int64_t n = 0; n < conv.batch; n++)
        for (int64_t g = 0; g < conv.group; g++)
            conv_group(run, &conv, n, g);
    aicpu_finish_float(run, run->outputs[0], conv.y);
    return TSR_OK;
}

/* double: a direct sum for each output element. */
static int32_t run_conv_double(const AicpuKernel *kernel, TsrRunContext *run)
{
    const double *x = run->inputs[0]->data, *weight = run->inputs[1]->data;
    const double *bias = aicpu_input(run, 2) != NULL ? run->inputs[2]->data : NULL;
    double *y = run->outputs[0]->data;
    Conv conv = {.batch = 0};
    int32_t status = read_conv(run, &conv);
    const Window *w = &conv.w;
    int64_t width = w->out[w->spatial - 1], count = tsr_desc_elements(run->outputs[0]->desc);
    uint32_t last = w->spatial - 1;
    (void)kernel;
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        int64_t place = i % w->out_count, map = i / w->out_count % conv.maps;
        int64_t n = i / w->out_count / conv.maps, group = map / conv.group_maps;
        double sum = bias != NULL ? bias[map] : 0.0;
        for (int64_t k = 0; k < w->kernel_count; k++) {
            int64_t offset[TSR_MAX_RANK], row, column;
            kernel_offset(w, k, offset);
            row = input_row(w, place / width, offset);
            column = place % width * w->stride[last] + offset[last];
            if (row < 0 || column < 0 || column >= w->in[last])
                continue;
            for (int64_t c = 0; c < conv.group_channels; c++)
                sum += weight[(map * conv.group_channels + c) * w->kernel_count + k] *
                       x[(n * conv.channels + group * conv.group_channels + c) * w->in_count +
                         row * w->in[last] + column];
        }
        y[i] = sum;
    }
    return status;
}

static const AicpuKernel kernels[] = {
    {.op = "Conv", .run = run_conv,
     .dtypes = TSR_TYPES_FLOAT & ~TSR_BIT(TSR_DTYPE_DOUBLE)},
    {.op = "Conv", .run = run_conv_double, .dtypes = TSR_BIT(TSR_DTYPE_DOUBLE)},
};

const AicpuFamily aicpu_conv = AICPU_FAMILY(kernels);
