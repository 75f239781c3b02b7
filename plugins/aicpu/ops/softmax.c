/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax.c: Softmax, LogSoftmax, Hardmax. Up to version 11 the input counts as a
 * matrix [before axis, from axis on], from 13 on the axis alone is normalized. The
 * maximum is taken off first, so that exp cannot overflow; sums are double.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

enum { SOFTMAX, LOG_SOFTMAX, HARDMAX };

typedef struct Job {
    uint32_t mode;
    uint32_t dtype;
    int64_t n;     /* along the normalized axis */
    int64_t inner; /* elements from one entry to the next */
    const void *x;
    void *y;
} Job;

/* Vectors [begin, end). */
static void vectors(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    for (uint64_t v = begin; v < end; v++) {
        int64_t base = (int64_t)v / job->inner * job->n * job->inner + (int64_t)v % job->inner;
        int64_t best = 0;
        double top = -INFINITY, sum = 0.0, value, log_sum;
        for (int64_t i = 0; i < job->n; i++) {
            aicpu_load_double(job->dtype, job->x, base + i * job->inner, 1, &value);
            if (value > top || isnan(value)) {
                top = value;
                best = i;
            }
        }
        for (int64_t i = 0; job->mode != HARDMAX && i < job->n; i++) {
            aicpu_load_double(job->dtype, job->x, base + i * job->inner, 1, &value);
            sum += exp(value - top);
        }
        log_sum = log(sum);
        for (int64_t i = 0; i < job->n; i++) {
            aicpu_load_double(job->dtype, job->x, base + i * job->inner, 1, &value);
            value = job->mode == HARDMAX   ? (double)(i == best)
                    : job->mode == SOFTMAX ? exp(value - top) / sum
                                           : value - top - log_sum;
            aicpu_store_double(job->dtype, job->y, base + i * job->inner, 1, &value,
                               AICPU_SATURATE);
        }
    }
}

static int32_t run_softmax(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    int flat = run->node->since_version < 13;
    int64_t axis = tsr_attr_int(run->node, "axis", flat ? 1 : -1), count = tsr_desc_elements(x);
    Job job = {kernel->mode, x->dtype, 1, 1, run->inputs[0]->data, run->outputs[0]->data};
    axis += axis < 0 ? (int64_t)x->rank : 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i == axis || (flat && i > axis))
            job.n *= x->shape[i];
        else if (i > axis)
            job.inner *= x->shape[i];
    }
    if (count > 0)
        aicpu_parallel(run, count / job.n, 1 + 4096 / job.n, vectors, &job);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Softmax", .run = run_softmax, .mode = SOFTMAX, .dtypes = TSR_TYPES_FLOAT},
    {.op = "LogSoftmax", .run = run_softmax, .mode = LOG_SOFTMAX, .dtypes = TSR_TYPES_FLOAT},
    {.op = "Hardmax", .run = run_softmax, .mode = HARDMAX, .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_softmax = AICPU_FAMILY(kernels);
