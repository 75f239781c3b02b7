/* SPDX-License-Identifier: Apache-2.0
 *
 * resize.c: Resize and Upsample. Interpolation is separable: each axis gets a table of
 * source indices and weights for every output place, then the axes are resampled one
 * after the other in float. Nearest copies elements of any type with one index table
 * per axis. Coordinates are those of the spec of Resize (11 to 19), in double where the
 * reference rounds floats.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

enum { NEAREST, LINEAR, CUBIC };

typedef struct Axis {
    int64_t in;
    int64_t out;
    double scale;
    double roi_begin;
    double roi_end;
    int64_t taps;      /* source entries per output place */
    int64_t *index;    /* [out, taps]; -1: outside, extrapolated */
    float *weight;     /* [out, taps] */
} Axis;

typedef struct Resize {
    TsrRunContext *run;
    uint32_t mode;
    int crop;
    int exclude_outside;
    int antialias;
    double cubic_a;
    float extrapolation;
    Axis axis[TSR_MAX_RANK];
} Resize;

/* Input coordinate of output place p (attribute coordinate_transformation_mode). */
static double source(const Resize *resize, const Axis *axis, int64_t p)
{
    const TsrNodeView *node = resize->run->node;
    const char *name = "coordinate_transformation_mode";
    double x = (double)p, in = (double)axis->in, out = (double)axis->out;
    if (tsr_attr_find(node, name) == NULL || tsr_attr_is(node, name, "asymmetric"))
        return x / axis->scale;
    if (tsr_attr_is(node, name, "align_corners"))
        /* With the exact extent, not the one that was rounded down. */
        return axis->scale * in > 1.0 ? x * (in - 1) / (axis->scale * in - 1) : 0.0;
    if (tsr_attr_is(node, name, "pytorch_half_pixel"))
        return axis->out > 1 ? (x + 0.5) / axis->scale - 0.5 : 0.0;
    if (tsr_attr_is(node, name, "tf_half_pixel_for_nn"))
        return (x + 0.5) / axis->scale;
    if (resize->crop)
        return axis->out > 1 ? axis->roi_begin * (in - 1) +
                                   x * (axis->roi_end - axis->roi_begin) * (in - 1) / (out - 1)
                             : 0.5 * (axis->roi_begin + axis->roi_end) * (in - 1);
    if (tsr_attr_is(node, name, "half_pixel_symmetric")) {
        /* Resize 19: as half_pixel, but centred when scale * in is no integer. */
        double adjust = out / (axis->scale * in), center = in / 2.0;
        return center * (1.0 - adjust) + (x + 0.5) / axis->scale - 0.5;
    }
    return (x + 0.5) / axis->scale - 0.5;
}

/* The nearest source index (attribute nearest_mode). */
static int64_t nearest_index(const Resize *resize, double x)
{
    const TsrNodeView *node = resize->run->node;
    if (tsr_attr_is(node, "nearest_mode", "floor") || tsr_attr_find(node, "nearest_mode") == NULL)
        return (int64_t)floor(x);
    if (tsr_attr_is(node, "nearest_mode", "ceil"))
        return (int64_t)ceil(x);
    if (tsr_attr_is(node, "nearest_mode", "round_prefer_ceil"))
        return (int64_t)floor(x + 0.5);
    return (int64_t)ceil(x - 0.5);
}

/* Weight of a sample at that distance. */
static double kernel_weight(const Resize *resize, double distance)
{
    double a = resize->cubic_a, d = fabs(distance);
    if (resize->mode == LINEAR)
        return d < 1.0 ? 1.0 - d : 0.0;
    if (d <= 1.0)
        return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
    return d < 2.0 ? (((d - 5.0) * d + 8.0) * d - 4.0) * a : 0.0;
}

/* Fills the table of one axis. */
static int32_t build_axis(Resize *resize, Axis *axis)
{
    double reach = resize->mode == CUBIC ? 2.0 : 1.0, stretch = 1.0;
    if (resize->antialias && axis->scale < 1.0)
        stretch = axis->scale; /* the filter widens by 1 / scale */
    axis->taps = resize->mode == NEAREST ? 1 : (int64_t)(2.0 * ceil(reach / stretch)) + 1;
    axis->index = resize->run->scratch(
        resize->run, (uint64_t)(axis->out * axis->taps + 1) * sizeof(int64_t));
    axis->weight = resize->run->scratch(
        resize->run, (uint64_t)(axis->out * axis->taps + 1) * sizeof(float));
    if (axis->index == NULL || axis->weight == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t p = 0; p < axis->out; p++) {
        double x = source(resize, axis, p), total = 0.0;
        int64_t *index = axis->index + p * axis->taps;
        float *weight = axis->weight + p * axis->taps;
        if (resize->crop && (x < 0.0 || x > (double)(axis->in - 1))) {
            for (int64_t t = 0; t < axis->taps; t++) {
                index[t] = -1;
                weight[t] = 0.0f;
            }
            continue;
        }
        if (resize->mode == NEAREST) {
            int64_t at = nearest_index(resize, x);
            index[0] = at < 0 ? 0 : at >= axis->in ? axis->in - 1 : at;
            weight[0] = 1.0f;
            continue;
        }
        for (int64_t t = 0; t < axis->taps; t++) {
            int64_t at = (int64_t)floor(x) - axis->taps / 2 + t + (stretch == 1.0 ? 0 : 1);
            double w = kernel_weight(resize, (x - (double)at) * stretch);
            int outside = at < 0 || at >= axis->in;
            if (outside && resize->exclude_outside)
                w = 0.0;
            index[t] = at < 0 ? 0 : at >= axis->in ? axis->in - 1 : at;
            weight[t] = (float)w;
            total += w;
        }
        if (resize->exclude_outside || stretch != 1.0)
            for (int64_t t = 0; t < axis->taps && total != 0.0; t++)
                weight[t] = (float)((double)weight[t] / total);
    }
    return TSR_OK;
}

/* Reads mode, scales and roi; the output shape is the host's. */
static int32_t read_resize(TsrRunContext *run, Resize *resize)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *y = run->outputs[0]->desc;
    const TsrAttr *attr = tsr_attr_find(run->node, "scales");
    int modern = run->node->since_version >= 11 && strcmp(run->node->op_type, "Resize") == 0;
    const TsrTensor *scales = aicpu_input(run, modern ? 2 : 1);
    const TsrTensor *roi = modern ? aicpu_input(run, 1) : NULL;
    const TsrTensor *sizes = modern ? aicpu_input(run, 3) : NULL;
    uint32_t axis_count;
    const int64_t *axes = tsr_attr_ints(run->node, "axes", &axis_count);
    int one_scale = sizes != NULL && tsr_desc_elements(sizes->desc) > 0 &&
                    (tsr_attr_is(run->node, "keep_aspect_ratio_policy", "not_larger") ||
                     tsr_attr_is(run->node, "keep_aspect_ratio_policy", "not_smaller"));
    double policy = 0.0;
    if (axes == NULL)
        axis_count = x->rank;
    resize->run = run;
    resize->mode = tsr_attr_is(run->node, "mode", "nearest") ? NEAREST
                   : tsr_attr_is(run->node, "mode", "cubic") ? CUBIC
                                                             : LINEAR;
    resize->crop = tsr_attr_is(run->node, "coordinate_transformation_mode", "tf_crop_and_resize");
    resize->exclude_outside = tsr_attr_int(run->node, "exclude_outside", 0) != 0;
    resize->antialias = tsr_attr_int(run->node, "antialias", 0) != 0;
    resize->cubic_a = (double)tsr_attr_float(run->node, "cubic_coeff_a", -0.75f);
    resize->extrapolation = tsr_attr_float(run->node, "extrapolation_value", 0.0f);
    for (uint32_t i = 0; i < x->rank; i++) {
        Axis *axis = &resize->axis[i];
        axis->in = x->shape[i];
        axis->out = y->shape[i];
        axis->scale = axis->in > 0 ? (double)axis->out / (double)axis->in : 1.0;
        axis->roi_begin = 0.0;
        axis->roi_end = 1.0;
    }
    for (uint32_t i = 0; i < axis_count; i++) {
        int64_t d = axes != NULL ? tsr_axis_normalize(axes[i], x->rank) : (int64_t)i;
        double scale;
        if (d < 0)
            return run->fail(run, TSR_INVALID_ARGUMENT, "an axis is outside of rank %u", x->rank);
        if (attr != NULL && i < attr->count)
            resize->axis[d].scale = (double)attr->floats[i];
        else if (scales != NULL && i < tsr_desc_elements(scales->desc) &&
                 (sizes == NULL || tsr_desc_elements(sizes->desc) == 0))
            resize->axis[d].scale = (double)((const float *)scales->data)[i];
        if (one_scale) {
            int64_t wanted;
            aicpu_load_int64(sizes->desc->dtype, sizes->data, i, 1, &wanted);
            scale = (double)wanted / (double)resize->axis[d].in;
            if (i == 0 || (tsr_attr_is(run->node, "keep_aspect_ratio_policy", "not_smaller")
                               ? scale > policy
                               : scale < policy))
                policy = scale;
        }
        if (resize->crop && roi != NULL && tsr_desc_elements(roi->desc) == 2 * axis_count) {
            aicpu_load_double(roi->desc->dtype, roi->data, i, 1, &resize->axis[d].roi_begin);
            aicpu_load_double(roi->desc->dtype, roi->data, axis_count + i, 1,
                              &resize->axis[d].roi_end);
        }
    }
    for (uint32_t i = 0; i < axis_count && one_scale; i++)
        resize->axis[axes != NULL ? tsr_axis_normalize(axes[i], x->rank) : i].scale = policy;
    return TSR_OK;
}

/* Nearest: elements of any type, index tables only. */
static int32_t run_nearest(TsrRunContext *run, Resize *resize)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t rank = x->desc->rank;
    int64_t stride[TSR_MAX_RANK], place[TSR_MAX_RANK] = {0}, count = tsr_desc_elements(y->desc);
    int64_t size = tsr_dtype_bits(x->desc->dtype) / 8;
    tsr_shape_strides(rank, x->desc->shape, stride);
    for (int64_t i = 0; i < count; i++) {
        int64_t from = 0;
        int outside = 0;
        for (uint32_t d = 0; d < rank; d++) {
            int64_t at = resize->axis[d].index[place[d]];
            outside |= at < 0;
            from += at * stride[d];
        }
        if (outside && (AICPU_NUMBERS & TSR_BIT(x->desc->dtype))) {
            double v = (double)resize->extrapolation;
            aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, AICPU_SATURATE);
        } else if (x->desc->dtype == TSR_DTYPE_STRING) {
            int32_t status = aicpu_copy_dense(run, TSR_DTYPE_STRING, y->data, i, x->data, from, 1);
            if (status != TSR_OK)
                return status;
        } else {
            memcpy((char *)y->data + i * size, (const char *)x->data + from * size,
                   (size_t)size);
        }
        for (uint32_t d = rank; d-- > 0;) {
            if (++place[d] < y->desc->shape[d])
                break;
            place[d] = 0;
        }
    }
    return TSR_OK;
}

typedef struct Pass {
    const Axis *axis;
    const float *from;
    float *to;
    int64_t inner;
    float extrapolation;
} Pass;

/* Resamples lines [begin, end): outer index times output place. */
static void resample(void *arg, uint64_t begin, uint64_t end)
{
    const Pass *pass = arg;
    const Axis *axis = pass->axis;
    for (uint64_t line = begin; line < end; line++) {
        int64_t outer = (int64_t)line / axis->out, p = (int64_t)line % axis->out;
        const float *from = pass->from + outer * axis->in * pass->inner;
        float *to = pass->to + (int64_t)line * pass->inner;
        const int64_t *index = axis->index + p * axis->taps;
        const float *weight = axis->weight + p * axis->taps;
        for (int64_t i = 0; i < pass->inner; i++)
            to[i] = index[0] < 0 ? pass->extrapolation : 0.0f;
        for (int64_t t = 0; t < axis->taps; t++) {
            const float *row = from + index[t] * pass->inner;
            if (index[t] < 0 || weight[t] == 0.0f)
                continue;
            for (int64_t i = 0; i < pass->inner; i++)
                to[i] += weight[t] * row[i];
        }
    }
}

static int32_t run_resize(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    Resize resize;
    uint32_t dtype = x->desc->dtype, rank = x->desc->rank;
    int64_t shape[TSR_MAX_RANK], count = tsr_desc_elements(x->desc);
    float *from;
    int32_t status = read_resize(run, &resize);
    (void)kernel;
    if (status != TSR_OK || tsr_desc_elements(y->desc) == 0)
        return status;
    if (count == 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "an empty input cannot be enlarged");
    for (uint32_t i = 0; i < rank; i++)
        if ((status = build_axis(&resize, &resize.axis[i])) != TSR_OK)
            return status;
    if (resize.mode == NEAREST)
        return run_nearest(run, &resize);
    from = run->scratch(run, (uint64_t)count * sizeof(float));
    if (from == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        double v;
        aicpu_load_double(dtype, x->data, i, 1, &v);
        from[i] = (float)v;
    }
    memcpy(shape, x->desc->shape, rank * sizeof(int64_t));
    for (uint32_t d = rank; d-- > 0;) {
        Pass pass = {&resize.axis[d], from, NULL, 1, resize.extrapolation};
        int64_t outer = tsr_shape_elements(d, shape);
        if (resize.axis[d].in == resize.axis[d].out && resize.axis[d].scale == 1.0 &&
            !resize.crop)
            continue;
        pass.inner = tsr_shape_elements(rank - d - 1, shape + d + 1);
        shape[d] = resize.axis[d].out;
        pass.to = run->scratch(run, (uint64_t)(tsr_shape_elements(rank, shape) + 1) *
                                        sizeof(float));
        if (pass.to == NULL)
            return TSR_OUT_OF_MEMORY;
        aicpu_parallel(run, outer * shape[d], 1 + 4096 / pass.inner, resample, &pass);
        from = pass.to;
    }
    count = tsr_desc_elements(y->desc);
    for (int64_t i = 0; i < count; i++) {
        double v = from[i];
        if (aicpu_is_integer(dtype))
            v = rint(v);
        aicpu_store_double(dtype, y->data, i, 1, &v, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* There is nothing between two texts, bools or complex numbers. */
static const char *refuse_between(const TsrNodeView *node)
{
    return !(AICPU_NUMBERS & TSR_BIT(node->inputs[0]->dtype)) &&
                   (tsr_attr_is(node, "mode", "linear") || tsr_attr_is(node, "mode", "cubic"))
               ? "aicpu interpolates numbers only"
               : NULL;
}

static const AicpuKernel kernels[] = {
    {.op = "Resize", .run = run_resize, .refuses = refuse_between},
    {.op = "Upsample", .run = run_resize, .refuses = refuse_between},
};

const AicpuFamily aicpu_resize = AICPU_FAMILY(kernels);
