/* SPDX-License-Identifier: Apache-2.0
 *
 * norm.c: normalizations. Means and variances are double sums over two passes, so that
 * a large mean does not eat the variance.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

typedef struct Job {
    TsrRunContext *run;
    const TsrTensor *x;
    const TsrTensor *y;
    double epsilon;
    int64_t planes;   /* BatchNormalization: channels; else vectors */
    int64_t inner;    /* elements of a unit of work */
    const double *scale;
    const double *shift;
    int64_t per_group;
    /* LayerNormalization: scale and bias broadcast to the axes from axis on. */
    uint32_t rank;
    const int64_t *shape;
    int64_t stride[2][TSR_MAX_RANK];
} Job;

/* y = x * scale[c] + shift[c] over planes [begin, end). */
static void scale_planes(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    uint32_t dtype = job->x->desc->dtype;
    for (uint64_t p = begin; p < end; p++) {
        double scale = job->scale[(int64_t)p % job->planes];
        double shift = job->shift[(int64_t)p % job->planes];
        int64_t base = (int64_t)p * job->inner;
        if (dtype == TSR_DTYPE_FLOAT) {
            const float *x = (const float *)job->x->data + base;
            float *y = (float *)job->y->data + base;
            for (int64_t i = 0; i < job->inner; i++)
                y[i] = (float)(x[i] * scale + shift);
            continue;
        }
        for (int64_t i = 0; i < job->inner; i++) {
            double v;
            aicpu_load_double(dtype, job->x->data, base + i, 1, &v);
            v = v * scale + shift;
            aicpu_store_double(dtype, job->y->data, base + i, 1, &v, AICPU_SATURATE);
        }
    }
}

/* Mean and variance of a run of elements. */
static void moments(const TsrTensor *x, int64_t first, int64_t n, double *mean, double *variance)
{
    double sum = 0.0, square = 0.0, v;
    for (int64_t i = 0; i < n; i++) {
        aicpu_load_double(x->desc->dtype, x->data, first + i, 1, &v);
        sum += v;
    }
    *mean = n > 0 ? sum / (double)n : 0.0;
    for (int64_t i = 0; i < n; i++) {
        aicpu_load_double(x->desc->dtype, x->data, first + i, 1, &v);
        square += (v - *mean) * (v - *mean);
    }
    *variance = n > 0 ? square / (double)n : 0.0;
}

/* Batch statistics of channel c, for training mode. */
static void channel_moments(const Job *job, int64_t batch, int64_t c, double *mean,
                            double *variance)
{
    double sum = 0.0, square = 0.0, v, n = (double)(batch * job->inner);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t b = 0; b < batch; b++)
            for (int64_t i = 0; i < job->inner; i++) {
                aicpu_load_double(job->x->desc->dtype, job->x->data,
                                  (b * job->planes + c) * job->inner + i, 1, &v);
                if (pass == 0)
                    sum += v;
                else
                    square += (v - sum / n) * (v - sum / n);
            }
    *mean = sum / n;
    *variance = square / n;
}

/* BatchNormalization; training mode (14 on, and before 7) normalizes by the batch and updates the
 * running statistics with the population variance. */
static int32_t run_batch_norm(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    double momentum = (double)tsr_attr_float(run->node, "momentum", 0.9f);
    double epsilon = (double)tsr_attr_float(run->node, "epsilon", 1e-5f);
    int training = run->node->since_version < 7 ? tsr_attr_int(run->node, "is_test", 0) == 0
                                                : tsr_attr_int(run->node, "training_mode", 0) != 0;
    int64_t channels = x->rank > 1 ? x->shape[1] : 1, count = tsr_desc_elements(x);
    int64_t batch = x->rank > 0 ? x->shape[0] : 1;
    double *scale = run->scratch(run, (uint64_t)(2 * channels + 1) * sizeof(double));
    Job job = {.run = run, .x = run->inputs[0], .y = run->outputs[0], .planes = channels,
               .scale = scale};
    (void)kernel;
    if (scale == NULL)
        return TSR_OUT_OF_MEMORY;
    if (count == 0)
        return TSR_OK;
    if (tsr_attr_int(run->node, "spatial", 1) == 0)
        return run->fail(run, TSR_UNSUPPORTED, "spatial 0 (before version 9) is not supported");
    job.shift = scale + channels;
    job.inner = count / (batch * channels);
    for (int64_t c = 0; c < channels; c++) {
        double p[4];
        for (uint32_t i = 0; i < 4; i++)
            aicpu_load_double(run->inputs[1 + i]->desc->dtype, run->inputs[1 + i]->data, c, 1,
                              p + i);
        if (training) {
            double now[2];
            channel_moments(&job, batch, c, now, now + 1);
            for (uint32_t i = 0; i < 2; i++) {
                double running = p[2 + i] * momentum + now[i] * (1.0 - momentum);
                p[2 + i] = now[i];
                if (aicpu_output(run, 1 + i) != NULL)
                    aicpu_store_double(run->outputs[1 + i]->desc->dtype,
                                       run->outputs[1 + i]->data, c, 1, &running, AICPU_SATURATE);
            }
        }
        scale[c] = p[0] / sqrt(p[3] + epsilon);
        scale[channels + c] = p[1] - p[2] * scale[c];
    }
    aicpu_parallel(run, batch * channels, 1 + 16384 / job.inner, scale_planes, &job);
    return TSR_OK;
}

/* InstanceNormalization: a group is a channel. GroupNormalization: num_groups groups;
 * scale and bias per group up to version 20, per channel from 21 on. */
static int32_t run_group_norm(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    int64_t batch = x->shape[0], channels = x->shape[1], count = tsr_desc_elements(x);
    int64_t groups = kernel->mode == 1 ? tsr_attr_int(run->node, "num_groups", 1) : channels;
    double epsilon = (double)tsr_attr_float(run->node, "epsilon", 1e-5f);
    double *scale = run->scratch(run, (uint64_t)(2 * batch * channels + 1) * sizeof(double));
    Job job = {.run = run, .x = run->inputs[0], .y = run->outputs[0], .scale = scale};
    if (scale == NULL)
        return TSR_OUT_OF_MEMORY;
    if (count == 0)
        return TSR_OK;
    if (groups < 1 || channels % groups != 0)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "%lld channels do not split into %lld groups", (long long)channels,
                         (long long)groups);
    for (uint32_t i = 1; i < 3; i++)
        if (run->inputs[i]->desc->shape[0] != channels && run->inputs[i]->desc->shape[0] != groups)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "input %u must have %lld or %lld entries, got %lld", i,
                             (long long)groups, (long long)channels,
                             (long long)run->inputs[i]->desc->shape[0]);
    job.planes = batch * channels;
    job.shift = scale + job.planes;
    job.inner = count / job.planes;
    job.per_group = channels / groups;
    for (int64_t g = 0; g < batch * groups; g++) {
        double mean, variance, p[2];
        moments(job.x, g * job.per_group * job.inner, job.per_group * job.inner, &mean,
                &variance);
        for (int64_t k = 0; k < job.per_group; k++) {
            int64_t plane = g * job.per_group + k, c = plane % channels;
            for (uint32_t i = 0; i < 2; i++) {
                const TsrTensor *t = run->inputs[1 + i];
                aicpu_load_double(t->desc->dtype, t->data,
                                  t->desc->shape[0] == channels ? c : c / job.per_group, 1, p + i);
            }
            scale[plane] = p[0] / sqrt(variance + epsilon);
            scale[job.planes + plane] = p[1] - mean * scale[plane];
        }
    }
    aicpu_parallel(run, job.planes, 1 + 16384 / job.inner, scale_planes, &job);
    return TSR_OK;
}

/* Where operand k (scale, bias) has the entry for element i of a vector. */
static int64_t layer_at(const Job *job, uint32_t k, int64_t i)
{
    int64_t at = 0;
    for (uint32_t d = job->rank; d-- > 0;) {
        at += i % job->shape[d] * job->stride[k][d];
        i /= job->shape[d];
    }
    return at;
}

/* LayerNormalization vectors [begin, end). */
static void layer_vectors(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    TsrRunContext *run = job->run;
    const TsrTensor *scale = run->inputs[1], *bias = aicpu_input(run, 2);
    for (uint64_t v = begin; v < end; v++) {
        double mean, variance, inverse;
        int64_t base = (int64_t)v * job->inner;
        moments(job->x, base, job->inner, &mean, &variance);
        inverse = 1.0 / sqrt(variance + job->epsilon);
        for (int64_t i = 0; i < job->inner; i++) {
            double x, s, b = 0.0;
            aicpu_load_double(job->x->desc->dtype, job->x->data, base + i, 1, &x);
            aicpu_load_double(scale->desc->dtype, scale->data, layer_at(job, 0, i), 1, &s);
            if (bias != NULL)
                aicpu_load_double(bias->desc->dtype, bias->data, layer_at(job, 1, i), 1, &b);
            x = (x - mean) * inverse * s + b;
            aicpu_store_double(job->y->desc->dtype, job->y->data, base + i, 1, &x,
                               AICPU_SATURATE);
        }
        for (uint32_t i = 1; i < 3; i++)
            if (aicpu_output(run, i) != NULL)
                aicpu_store_double(run->outputs[i]->desc->dtype, run->outputs[i]->data,
                                   (int64_t)v, 1, i == 1 ? &mean : &inverse, AICPU_SATURATE);
    }
}

static int32_t run_layer_norm(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", -1), x->rank);
    Job job = {.run = run, .x = run->inputs[0], .y = run->outputs[0], .inner = 1,
               .epsilon = (double)tsr_attr_float(run->node, "epsilon", 1e-5f)};
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->rank);
    job.inner = tsr_shape_elements(x->rank - (uint32_t)axis, x->shape + axis);
    if (tsr_desc_elements(x) == 0)
        return TSR_OK;
    job.rank = x->rank - (uint32_t)axis;
    job.shape = x->shape + axis;
    for (uint32_t i = 1; i < 3; i++) {
        const TsrTensorDesc *p = aicpu_input(run, i) != NULL ? run->inputs[i]->desc : NULL;
        int64_t shape[TSR_MAX_RANK];
        uint32_t rank = job.rank;
        if (p == NULL)
            continue;
        memcpy(shape, job.shape, rank * sizeof(shape[0]));
        if (!tsr_shape_broadcast(&rank, shape, p->rank, p->shape) || rank != job.rank ||
            memcmp(shape, job.shape, rank * sizeof(shape[0])) != 0)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "input %u does not broadcast to the axes from %lld on", i,
                             (long long)axis);
        tsr_broadcast_strides(p->rank, p->shape, job.rank, job.stride[i - 1]);
    }
    aicpu_parallel(run, tsr_desc_elements(x) / job.inner, 1 + 4096 / job.inner, layer_vectors,
                   &job);
    return TSR_OK;
}

/* LRN: the squares of size channels around c. */
static int32_t run_lrn(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    int64_t size = tsr_attr_int(run->node, "size", 1), count = tsr_desc_elements(x->desc);
    double alpha = (double)tsr_attr_float(run->node, "alpha", 1e-4f) / (double)size;
    double beta = (double)tsr_attr_float(run->node, "beta", 0.75f);
    double bias = (double)tsr_attr_float(run->node, "bias", 1.0f);
    int64_t channels, inner;
    (void)kernel;
    if (x->desc->rank < 2)
        return run->fail(run, TSR_INVALID_ARGUMENT, "input 0 needs a channel axis");
    channels = x->desc->shape[1];
    inner = tsr_shape_elements(x->desc->rank - 2, x->desc->shape + 2);
    for (int64_t i = 0; i < count; i++) {
        int64_t c = i / inner % channels, low = c - (size - 1) / 2, high = c + size / 2;
        double sum = 0.0, v;
        low = low < 0 ? 0 : low;
        high = high > channels - 1 ? channels - 1 : high;
        for (int64_t k = low; k <= high; k++) {
            aicpu_load_double(x->desc->dtype, x->data, i + (k - c) * inner, 1, &v);
            sum += v * v;
        }
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &v);
        v /= pow(bias + alpha * sum, beta);
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* LpNormalization: divides by the 1- or 2-norm along axis. */
static int32_t run_lp_norm(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", -1), x->desc->rank);
    int64_t p = tsr_attr_int(run->node, "p", 2), n, inner, count = tsr_desc_elements(x->desc);
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->desc->rank);
    n = x->desc->shape[axis];
    inner = tsr_shape_elements(x->desc->rank - (uint32_t)axis - 1, x->desc->shape + axis + 1);
    for (int64_t v = 0; count > 0 && v < count / n; v++) {
        int64_t base = v / inner * n * inner + v % inner;
        double norm = 0.0, value;
        for (int64_t i = 0; i < n; i++) {
            aicpu_load_double(x->desc->dtype, x->data, base + i * inner, 1, &value);
            norm += p == 1 ? fabs(value) : value * value;
        }
        norm = p == 1 ? norm : sqrt(norm);
        for (int64_t i = 0; i < n; i++) {
            aicpu_load_double(x->desc->dtype, x->data, base + i * inner, 1, &value);
            value = norm == 0.0 ? 0.0 : value / norm;
            aicpu_store_double(y->desc->dtype, y->data, base + i * inner, 1, &value,
                               AICPU_SATURATE);
        }
    }
    return TSR_OK;
}

/* MeanVarianceNormalization: (x - mean) / (deviation + 1e-9) over axes. */
static int32_t run_mean_variance(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t count, rank = x->desc->rank, reduced = 0;
    const int64_t *axes = tsr_attr_ints(run->node, "axes", &count);
    int64_t kept[TSR_MAX_RANK], n = tsr_desc_elements(x->desc), groups = 1;
    double *sum;
    (void)kernel;
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis = tsr_axis_normalize(axes[i], rank);
        if (axis < 0)
            return run->fail(run, TSR_INVALID_ARGUMENT, "an axis is outside of rank %u", rank);
        reduced |= 1u << axis;
    }
    for (uint32_t d = rank; d-- > 0;) { /* stride of each axis over the groups */
        kept[d] = reduced & (1u << d) ? 0 : groups;
        groups *= reduced & (1u << d) ? 1 : x->desc->shape[d];
    }
    if (n == 0)
        return TSR_OK;
    sum = run->scratch(run, (uint64_t)(2 * groups) * sizeof(*sum));
    if (sum == NULL)
        return TSR_OUT_OF_MEMORY;
    memset(sum, 0, (size_t)(2 * groups) * sizeof(*sum));
    for (int pass = 0; pass < 3; pass++)
        for (int64_t i = 0; i < n; i++) {
            int64_t rest = i, g = 0;
            double v, mean, share = (double)groups / (double)n;
            for (uint32_t d = rank; d-- > 0;) {
                g += rest % x->desc->shape[d] * kept[d];
                rest /= x->desc->shape[d];
            }
            aicpu_load_double(x->desc->dtype, x->data, i, 1, &v);
            mean = sum[g] * share;
            if (pass == 0) {
                sum[g] += v;
            } else if (pass == 1) {
                sum[groups + g] += (v - mean) * (v - mean);
            } else {
                v = (v - mean) / (sqrt(sum[groups + g] * share) + 1e-9);
                aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, AICPU_SATURATE);
            }
        }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "BatchNormalization", .run = run_batch_norm, .dtypes = TSR_TYPES_FLOAT},
    {.op = "InstanceNormalization", .run = run_group_norm, .dtypes = TSR_TYPES_FLOAT},
    {.op = "GroupNormalization", .run = run_group_norm, .mode = 1, .dtypes = TSR_TYPES_FLOAT},
    {.op = "LayerNormalization", .run = run_layer_norm, .dtypes = TSR_TYPES_FLOAT},
    {.op = "LRN", .run = run_lrn, .dtypes = TSR_TYPES_FLOAT},
    {.op = "MeanVarianceNormalization", .run = run_mean_variance, .dtypes = TSR_TYPES_FLOAT},
    {.op = "LpNormalization", .run = run_lp_norm, .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_norm = AICPU_FAMILY(kernels);
