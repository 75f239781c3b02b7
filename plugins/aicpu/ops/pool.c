/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: MaxPool, AveragePool, LpPool and their global forms. A plane (one image, one
 * channel) is a unit of work; sums are double. Values go through double, which is exact
 * for every type that pooling takes.
 */
#include "window.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

enum { POOL_MAX, POOL_AVERAGE, POOL_LP };

typedef struct Job {
    Window w;
    uint32_t dtype;
    uint32_t mode;
    int include_pad;
    int column_major;
    double p;
    const void *x;
    void *y;
    int64_t *indices;
} Job;

/* The part of a window on one axis that lies inside: kernel steps [first, last), and how
 * many steps lie in the input with its padding. */
typedef struct Span {
    int64_t start, first, last, padded;
} Span;

static Span window_span(const Window *w, uint32_t axis, int64_t place)
{
    Span span = {place * w->stride[axis] - w->begin[axis], 0, w->kernel[axis], 0};
    int64_t d = w->dilation[axis], end = w->in[axis] + w->end[axis];
    if (span.start < 0)
        span.first = (-span.start + d - 1) / d;
    if (span.start + (span.last - 1) * d >= w->in[axis])
        span.last = w->in[axis] > span.start ? (w->in[axis] - span.start + d - 1) / d : 0;
    span.padded = w->kernel[axis];
    if (span.start + (span.padded - 1) * d >= end)
        span.padded = end > span.start ? (end - span.start + d - 1) / d : 0;
    return span;
}

/* Index of an input place in the numbering that Indices wants. */
static int64_t place_index(const Job *job, int64_t place)
{
    int64_t result = 0;
    if (!job->column_major)
        return place;
    for (uint32_t i = job->w.spatial; i-- > 0;) {
        int64_t scale = 1;
        for (uint32_t k = 0; k < i; k++)
            scale *= job->w.in[k];
        result += place % job->w.in[i] * scale;
        place /= job->w.in[i];
    }
    return result;
}

/* Adds one input value to the running result of a window. */
static inline void take(const Job *job, int64_t base, int64_t at, double *value, int64_t *best)
{
    double v;
    if (job->dtype == TSR_DTYPE_FLOAT)
        v = ((const float *)job->x)[base + at];
    else
        aicpu_load_double(job->dtype, job->x, base + at, 1, &v);
    if (job->mode == POOL_MAX) {
        if (*best < 0 || v > *value || (isnan(v) && !isnan(*value))) {
            *value = v;
            *best = at;
        }
    } else if (job->mode == POOL_AVERAGE) {
        *value += v;
    } else {
        *value += job->p == 2.0 ? v * v : job->p == 1.0 ? fabs(v) : pow(fabs(v), job->p);
    }
}

static void planes(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    const Window *w = &job->w;
    uint32_t last = w->spatial - 1;
    for (uint64_t i = begin * (uint64_t)w->out_count; i < end * (uint64_t)w->out_count; i++) {
        int64_t plane = (int64_t)i / w->out_count, rest = (int64_t)i % w->out_count;
        int64_t base = plane * w->in_count, counted = 1, padded = 1, best = -1;
        int64_t step[TSR_MAX_RANK];
        double value = 0.0;
        Span span[TSR_MAX_RANK];
        for (uint32_t d = w->spatial; d-- > 0;) {
            span[d] = window_span(w, d, rest % w->out[d]);
            rest /= w->out[d];
            step[d] = span[d].first;
            counted *= span[d].last > span[d].first ? span[d].last - span[d].first : 0;
            padded *= span[d].padded;
        }
        for (int more = counted > 0; more;) {
            int64_t row = 0;
            for (uint32_t d = 0; d < last; d++)
                row = (row + span[d].start + step[d] * w->dilation[d]) * w->in[d + 1];
            for (int64_t k = span[last].first; k < span[last].last; k++)
                take(job, base, row + span[last].start + k * w->dilation[last], &value, &best);
            more = 0;
            for (uint32_t d = last; d-- > 0 && !more;) {
                if (++step[d] < span[d].last)
                    more = 1;
                else
                    step[d] = span[d].first;
            }
        }
        if (job->mode == POOL_AVERAGE)
            value /= (double)(job->include_pad ? padded : counted);
        else if (job->mode == POOL_LP)
            value = job->p == 2.0 ? sqrt(value) : job->p == 1.0 ? value : pow(value, 1.0 / job->p);
        else if (best < 0)
            value = -INFINITY; /* a window of padding only */
        if (job->dtype == TSR_DTYPE_FLOAT)
            ((float *)job->y)[i] = (float)value;
        else
            aicpu_store_double(job->dtype, job->y, (int64_t)i, 1, &value, AICPU_SATURATE);
        if (job->indices != NULL)
            job->indices[i] = best < 0 ? -1 : base + place_index(job, best);
    }
}

static int32_t run_pool(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    const TsrAttr *p = tsr_attr_find(run->node, "p");
    Job job = {.dtype = x->desc->dtype, .mode = kernel->mode, .x = x->data, .y = y->data};
    int32_t status = aicpu_window_read(run, x->desc, y->desc, NULL, 0, &job.w);
    if (status != TSR_OK || tsr_desc_elements(y->desc) == 0)
        return status;
    job.include_pad = tsr_attr_int(run->node, "count_include_pad", 0) != 0;
    job.column_major = tsr_attr_int(run->node, "storage_order", 0) != 0;
    job.p = p != NULL ? (double)p->i : 2.0;
    job.indices = aicpu_output(run, 1) != NULL ? run->outputs[1]->data : NULL;
    aicpu_parallel(run, x->desc->shape[0] * x->desc->shape[1],
                   1 + 16384 / (job.w.out_count * job.w.kernel_count), planes, &job);
    return TSR_OK;
}

/* The global forms: a window over the whole plane. */
static int32_t run_global(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    const TsrAttr *p = tsr_attr_find(run->node, "p");
    int64_t plane_count = tsr_desc_elements(y->desc);
    Job job = {.dtype = x->desc->dtype, .mode = kernel->mode, .x = x->data, .y = y->data,
               .p = p != NULL ? (double)p->i : 2.0};
    Window w = {.spatial = 1, .stride = {1}, .dilation = {1}, .out = {1}, .out_count = 1};
    if (plane_count == 0)
        return TSR_OK;
    w.in[0] = w.in_count = w.kernel[0] = w.kernel_count =
        tsr_desc_elements(x->desc) / plane_count;
    job.w = w;
    aicpu_parallel(run, plane_count, 1 + 16384 / (w.in_count + 1), planes, &job);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "MaxPool", .run = run_pool, .mode = POOL_MAX,
     .dtypes = TSR_TYPES_FLOAT | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT8)},
    {.op = "AveragePool", .run = run_pool, .mode = POOL_AVERAGE, .dtypes = TSR_TYPES_FLOAT},
    {.op = "LpPool", .run = run_pool, .mode = POOL_LP, .dtypes = TSR_TYPES_FLOAT},
    {.op = "GlobalMaxPool", .run = run_global, .mode = POOL_MAX, .dtypes = TSR_TYPES_FLOAT},
    {.op = "GlobalAveragePool", .run = run_global, .mode = POOL_AVERAGE,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "GlobalLpPool", .run = run_global, .mode = POOL_LP, .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_pool = AICPU_FAMILY(kernels);
