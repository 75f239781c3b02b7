/* SPDX-License-Identifier: Apache-2.0
 *
 * deform_conv.c: DeformConv (arXiv 1811.11168) over any number of spatial axes, Col2Im and
 * CenterCropPad. Places outside of an image are zero.
 */
#include "window.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

/* Place index (flat over the extents) as one number an axis. */
static void unflatten(int64_t index, uint32_t rank, const int64_t *extent, int64_t *out)
{
    for (uint32_t i = rank; i-- > 0;) {
        out[i] = index % extent[i];
        index /= extent[i];
    }
}

/* Multilinear value at a place between the pixels of a plane. */
static double interpolate(const Window *w, const double *plane, const double *at)
{
    double sum = 0.0;
    for (uint32_t corner = 0; corner < 1u << w->spatial; corner++) {
        double weight = 1.0;
        int64_t index = 0;
        for (uint32_t d = 0; d < w->spatial && index >= 0; d++) {
            double low = floor(at[d]), t = at[d] - low;
            int64_t place;
            if (!(low >= -1.0 && low <= (double)w->in[d])) {
                index = -1;
                break;
            }
            place = (int64_t)low + (corner >> d & 1);
            weight *= corner >> d & 1 ? t : 1.0 - t;
            index = place < 0 || place >= w->in[d] ? -1 : index * w->in[d] + place;
        }
        if (index >= 0)
            sum += weight * plane[index];
    }
    return sum;
}

typedef struct Deform {
    Window w;
    int64_t channels, maps, group, offset_group;
    const double *x, *weight, *offset, *bias, *mask;
    double *y;
} Deform;

/* Output places [begin, end) over batch and space; the samples of a place serve all maps. */
static void deform_places(void *arg, uint64_t begin, uint64_t end)
{
    const Deform *job = arg;
    const Window *w = &job->w;
    int64_t per_group = job->channels / job->group, maps = job->maps / job->group;
    for (uint64_t p = begin; p < end; p++) {
        int64_t batch = (int64_t)p / w->out_count, o = (int64_t)p % w->out_count;
        int64_t out[TSR_MAX_RANK], step[TSR_MAX_RANK];
        unflatten(o, w->spatial, w->out, out);
        for (int64_t m = 0; m < job->maps; m++)
            job->y[(batch * job->maps + m) * w->out_count + o] =
                job->bias != NULL ? job->bias[m] : 0.0;
        for (int64_t c = 0; c < job->channels; c++)
            for (int64_t k = 0; k < w->kernel_count; k++) {
                int64_t g = (batch * job->offset_group +
                             c / (job->channels / job->offset_group)) * w->kernel_count + k;
                double at[TSR_MAX_RANK], value;
                unflatten(k, w->spatial, w->kernel, step);
                for (uint32_t d = 0; d < w->spatial; d++)
                    at[d] = (double)(out[d] * w->stride[d] - w->begin[d] +
                                     step[d] * w->dilation[d]) +
                            job->offset[(g * w->spatial + d) * w->out_count + o];
                value = interpolate(w, job->x + (batch * job->channels + c) * w->in_count, at);
                if (job->mask != NULL)
                    value *= job->mask[g * w->out_count + o];
                for (int64_t m = c / per_group * maps; m < (c / per_group + 1) * maps; m++)
                    job->y[(batch * job->maps + m) * w->out_count + o] +=
                        value * job->weight[(m * per_group + c % per_group) * w->kernel_count + k];
            }
    }
}

static int32_t run_deform_conv(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *y = run->outputs[0]->desc;
    Deform job = {.channels = x->shape[1], .maps = y->shape[1],
                  .group = tsr_attr_int(run->node, "group", 1),
                  .offset_group = tsr_attr_int(run->node, "offset_group", 1)};
    int32_t status = aicpu_window_read(run, x, y, run->inputs[1]->desc->shape + 2, 0, &job.w);
    (void)kernel;
    if (status != TSR_OK || tsr_desc_elements(y) == 0)
        return status;
    if (job.channels % job.offset_group != 0 || job.channels % job.group != 0)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "%lld channels do not split into %lld groups and %lld of offsets",
                         (long long)job.channels, (long long)job.group,
                         (long long)job.offset_group);
    job.x = aicpu_as_double(run, run->inputs[0]);
    job.weight = aicpu_as_double(run, run->inputs[1]);
    job.offset = aicpu_as_double(run, run->inputs[2]);
    job.bias = aicpu_as_double(run, aicpu_input(run, 3));
    job.mask = aicpu_as_double(run, aicpu_input(run, 4));
    job.y = aicpu_begin_double(run, run->outputs[0]);
    if (job.x == NULL || job.weight == NULL || job.offset == NULL || job.y == NULL ||
        (aicpu_input(run, 3) != NULL && job.bias == NULL) ||
        (aicpu_input(run, 4) != NULL && job.mask == NULL))
        return TSR_OUT_OF_MEMORY;
    aicpu_parallel(run, x->shape[0] * job.w.out_count,
                   1 + 4096 / (1 + job.channels * job.w.kernel_count), deform_places, &job);
    aicpu_finish_double(run->outputs[0], job.y);
    return TSR_OK;
}

/* Col2Im: adds every column back to the places of the image that it was read from. */
static int32_t run_col2im(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *y_desc = run->outputs[0]->desc;
    int64_t block[TSR_MAX_RANK], blocks[TSR_MAX_RANK], area = 1, count = 1;
    int64_t rows = x_desc->shape[1], length = x_desc->shape[2];
    Window w;
    const double *x = aicpu_as_double(run, run->inputs[0]);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    int32_t status;
    (void)kernel;
    if (x == NULL || y == NULL)
        return TSR_OUT_OF_MEMORY;
    aicpu_read_int64s(run->inputs[2], TSR_MAX_RANK, block);
    /* The image is what the window slides over. */
    if ((status = aicpu_window_read(run, y_desc, y_desc, block, 0, &w)) != TSR_OK)
        return status;
    for (uint32_t i = 0; i < w.spatial; i++) {
        int64_t room = w.in[i] + w.begin[i] + w.end[i] - (w.kernel[i] - 1) * w.dilation[i] - 1;
        blocks[i] = room < 0 ? 0 : room / w.stride[i] + 1;
        area *= block[i];
        count *= blocks[i];
    }
    if (count != length)
        return run->fail(run, TSR_INVALID_ARGUMENT, "the image has %lld blocks, the input %lld",
                         (long long)count, (long long)length);
    for (int64_t i = 0; i < tsr_desc_elements(y_desc); i++)
        y[i] = 0.0;
    for (int64_t i = 0; i < x_desc->shape[0] * rows * length; i++) {
        int64_t at[TSR_MAX_RANK], step[TSR_MAX_RANK], to = 0;
        unflatten(i % length, w.spatial, blocks, at);
        unflatten(i / length % area, w.spatial, block, step);
        for (uint32_t d = 0; d < w.spatial && to >= 0; d++) {
            int64_t place = at[d] * w.stride[d] - w.begin[d] + step[d] * w.dilation[d];
            to = place < 0 || place >= w.in[d] ? -1 : to * w.in[d] + place;
        }
        if (to >= 0)
            y[i / length / area * w.in_count + to] += x[i];
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

/* CenterCropPad: of an odd difference the greater part lies at the end. */
static int32_t run_center_crop_pad(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t rank = x->desc->rank;
    int64_t shape[TSR_MAX_RANK];
    AicpuCopy copy = {.dtype = x->desc->dtype, .rank = rank, .shape = shape, .to = y->data,
                      .from = x->data};
    (void)kernel;
    memset(y->data, 0, y->size_bytes);
    tsr_shape_strides(rank, y->desc->shape, copy.to_stride);
    tsr_shape_strides(rank, x->desc->shape, copy.from_stride);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t in = x->desc->shape[i], out = y->desc->shape[i];
        shape[i] = in < out ? in : out;
        if (in > out)
            copy.from_offset += (in - out) / 2 * copy.from_stride[i];
        else
            copy.to_offset += (out - in) / 2 * copy.to_stride[i];
        if (shape[i] == 0)
            return TSR_OK;
    }
    return aicpu_copy(run, &copy);
}

static const AicpuKernel kernels[] = {
    {.op = "DeformConv", .run = run_deform_conv, .dtypes = TSR_TYPES_FLOAT},
    {.op = "Col2Im", .run = run_col2im, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "CenterCropPad", .run = run_center_crop_pad},
};

const AicpuFamily aicpu_deform_conv = AICPU_FAMILY(kernels);
