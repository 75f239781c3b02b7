/* SPDX-License-Identifier: Apache-2.0
 *
 * conv_transpose.c: ConvTranspose: for each group, the transposed weights times the
 * input give a matrix [maps * kernel, input positions], whose entries are added up at
 * the output places that their kernel offsets lead to.
 */
#include "gemm.h"
#include "window.h"
#include "../number.h"
#include "../walk.h"

typedef struct Job {
    Window w;
    const float *columns; /* [maps of the group * kernel, input positions] */
    float *y;             /* planes of the group */
} Job;

/* Adds up the planes [begin, end) of the group. */
static void gather_planes(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    const Window *w = &job->w;
    uint32_t last = w->spatial - 1;
    int64_t width = w->in[last];
    for (uint64_t plane = begin; plane < end; plane++) {
        float *y = job->y + (int64_t)plane * w->out_count;
        for (int64_t k = 0; k < w->kernel_count; k++) {
            const float *from = job->columns +
                                ((int64_t)plane * w->kernel_count + k) * w->in_count;
            int64_t offset[TSR_MAX_RANK], rest = k;
            for (uint32_t i = w->spatial; i-- > 0;) {
                offset[i] = rest % w->kernel[i] * w->dilation[i] - w->begin[i];
                rest /= w->kernel[i];
            }
            for (int64_t row = 0; row < w->in_count / width; row++) {
                int64_t place = 0, scale = w->out[last], flat = row;
                for (uint32_t i = last; i-- > 0 && place >= 0;) {
                    int64_t at = flat % w->in[i] * w->stride[i] + offset[i];
                    place = at < 0 || at >= w->out[i] ? -1 : place + at * scale;
                    scale *= w->out[i];
                    flat /= w->in[i];
                }
                for (int64_t c = 0; c < width && place >= 0; c++) {
                    int64_t at = c * w->stride[last] + offset[last];
                    if (at >= 0 && at < w->out[last])
                        y[place + at] += from[row * width + c];
                }
            }
        }
    }
}

static int32_t run_conv_transpose(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *xd = run->inputs[0]->desc, *wd = run->inputs[1]->desc;
    const TsrTensorDesc *yd = run->outputs[0]->desc;
    const float *x = aicpu_as_float(run, run->inputs[0]);
    const float *weight = aicpu_as_float(run, run->inputs[1]);
    const float *bias = aicpu_as_float(run, aicpu_input(run, 2));
    float *y = aicpu_begin_float(run, run->outputs[0]), *transposed, *columns;
    int64_t group = tsr_attr_int(run->node, "group", 1), maps = yd->shape[1];
    int64_t channels = xd->shape[1] / group, group_maps = maps / group, depth;
    Job job;
    int32_t status = aicpu_window_read(run, xd, yd, wd->shape + 2, 1, &job.w);
    (void)kernel;
    if (status != TSR_OK || tsr_desc_elements(yd) == 0)
        return status;
    depth = group_maps * job.w.kernel_count;
    transposed = run->scratch(run, (uint64_t)(depth * channels + 1) * sizeof(float));
    columns = run->scratch(run, (uint64_t)(depth * job.w.in_count + 1) * sizeof(float));
    if (x == NULL || weight == NULL || y == NULL || transposed == NULL || columns == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < tsr_desc_elements(yd); i++)
        y[i] = bias != NULL ? bias[i / job.w.out_count % maps] : 0.0f;
    job.columns = columns;
    for (int64_t g = 0; g < group && job.w.in_count > 0; g++) {
        for (int64_t c = 0; c < channels; c++)
            for (int64_t r = 0; r < depth; r++)
                transposed[r * channels + c] = weight[(g * channels + c) * depth + r];
        for (int64_t n = 0; n < xd->shape[0]; n++) {
            aicpu_gemm_f32(run, depth, job.w.in_count, channels, transposed,
                           x + (n * group + g) * channels * job.w.in_count, columns,
                           job.w.in_count, 0);
            job.y = y + (n * maps + g * group_maps) * job.w.out_count;
            aicpu_parallel(run, group_maps, 1 + 16384 / (job.w.in_count * job.w.kernel_count),
                           gather_planes, &job);
        }
    }
    aicpu_finish_float(run, run->outputs[0], y);
    return TSR_OK;
}

/* double: every input element is added to the places that its window covers. */
static int32_t run_wide(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *xd = run->inputs[0]->desc, *wd = run->inputs[1]->desc;
    const TsrTensorDesc *yd = run->outputs[0]->desc;
    const double *x = run->inputs[0]->data, *weight = run->inputs[1]->data;
    const double *bias = aicpu_as_double(run, aicpu_input(run, 2));
    double *y = run->outputs[0]->data;
    int64_t group = tsr_attr_int(run->node, "group", 1), maps = yd->shape[1] / group;
    int64_t channels = xd->shape[1];
    Window w;
    int32_t status = aicpu_window_read(run, xd, yd, wd->shape + 2, 1, &w);
    (void)kernel;
    if (status != TSR_OK)
        return status;
    for (int64_t i = 0; i < tsr_desc_elements(yd); i++)
        y[i] = bias != NULL ? bias[i / w.out_count % yd->shape[1]] : 0.0;
    for (int64_t i = 0; i < tsr_desc_elements(xd); i++) {
        int64_t c = i / w.in_count % channels, n = i / w.in_count / channels;
        int64_t first = (n * group + c / (channels / group)) * maps;
        for (int64_t k = 0; k < w.kernel_count; k++) {
            int64_t place = 0, scale = 1, at_x = i % w.in_count, at_k = k;
            for (uint32_t d = w.spatial; d-- > 0 && place >= 0;) {
                int64_t at = at_x % w.in[d] * w.stride[d] + at_k % w.kernel[d] * w.dilation[d] -
                             w.begin[d];
                place = at < 0 || at >= w.out[d] ? -1 : place + at * scale;
                scale *= w.out[d];
                at_x /= w.in[d];
                at_k /= w.kernel[d];
            }
            for (int64_t m = 0; place >= 0 && m < maps; m++)
                y[(first + m) * w.out_count + place] +=
                    x[i] * weight[(c * maps + m) * w.kernel_count + k];
        }
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "ConvTranspose", .run = run_conv_transpose,
     .dtypes = TSR_TYPES_FLOAT & ~TSR_BIT(TSR_DTYPE_DOUBLE)},
    {.op = "ConvTranspose", .run = run_wide, .dtypes = TSR_BIT(TSR_DTYPE_DOUBLE)},
};

const AicpuFamily aicpu_conv_transpose = AICPU_FAMILY(kernels);
