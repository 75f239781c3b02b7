/* SPDX-License-Identifier: Apache-2.0
 *
 * grid_sample.c: GridSample over any number of spatial axes, and AffineGrid, which makes
 * such grids. Coordinates of the grid are listed from the innermost axis outwards.
 */
#include "../number.h"
#include "../walk.h"
#include "../aicpu.h"
#include <math.h>

enum { NEAREST, LINEAR, CUBIC };
enum { ZEROS, BORDER, REFLECTION };
enum { MAX_SPATIAL = 8 };

typedef struct Job {
    int mode, padding, align;
    uint32_t spatial;
    int64_t in[MAX_SPATIAL], in_count, out_count, channels;
    const double *x, *grid;
    double *y;
} Job;

/* Mirrors v at low and high until it lies between them. */
static double reflect(double v, double low, double high)
{
    double range = high - low, turns, rest;
    if (range <= 0.0)
        return low;
    if (v < low)
        v = 2.0 * low - v;
    turns = floor((v - low) / range);
    rest = v - low - turns * range;
    return fmod(turns, 2.0) == 0.0 ? low + rest : high - rest;
}

/* Brings an integer place into [0, n) by the padding mode; -1 reads zero. */
static int64_t place(const Job *job, int64_t at, int64_t n)
{
    if (at >= 0 && at < n)
        return at;
    if (job->padding == ZEROS)
        return -1;
    if (job->padding == REFLECTION)
        at = (int64_t)reflect((double)at, job->align ? 0.0 : -0.5,
                              job->align ? (double)(n - 1) : (double)n - 0.5);
    return at < 0 ? 0 : at > n - 1 ? n - 1 : at;
}

/* Taps of one axis: places (-1 is zero) and weights; returns how many. */
static int axis_taps(const Job *job, double v, int64_t n, int64_t *at, double *weight)
{
    double low = job->align ? 0.0 : -0.5, high = job->align ? (double)(n - 1) : (double)n - 0.5;
    double t;
    int64_t first;
    v = job->align ? (v + 1.0) / 2.0 * (double)(n - 1) : ((v + 1.0) * (double)n - 1.0) / 2.0;
    if (job->mode == NEAREST)
        v = rint(v);
    if (v < low || v > high) {
        if (job->padding == BORDER)
            v = v < 0.0 ? 0.0 : v > (double)(n - 1) ? (double)(n - 1) : v;
        else if (job->padding == REFLECTION)
            v = reflect(v, low, high);
    }
    if (!(fabs(v) < 1e15)) /* NaN or far outside */
        v = -4.0;
    if (job->mode == NEAREST) {
        at[0] = place(job, (int64_t)rint(v), n);
        weight[0] = 1.0;
        return 1;
    }
    first = (int64_t)floor(v);
    t = v - (double)first;
    if (job->mode == LINEAR) {
        for (int i = 0; i < 2; i++)
            at[i] = place(job, first + i, n);
        weight[0] = 1.0 - t;
        weight[1] = t;
        return 2;
    }
    for (int i = 0; i < 4; i++) {
        /* Keys' cubic with a = -0.75, the constant of the operator. */
        double a = -0.75, d = fabs(t + 1.0 - i);
        at[i] = place(job, first - 1 + i, n);
        weight[i] = d <= 1.0 ? ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
                             : (((d - 5.0) * d + 8.0) * d - 4.0) * a;
    }
    return 4;
}

/* Output places [begin, end), all batches and channels of each. */
static void sample(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    for (uint64_t p = begin; p < end; p++) {
        int64_t batch = (int64_t)p / job->out_count, o = (int64_t)p % job->out_count;
        int64_t at[MAX_SPATIAL][4];
        double weight[MAX_SPATIAL][4];
        int taps[MAX_SPATIAL], index[MAX_SPATIAL] = {0};
        for (uint32_t d = 0; d < job->spatial; d++)
            taps[d] = axis_taps(job, job->grid[(int64_t)p * job->spatial + job->spatial - 1 - d],
                                job->in[d], at[d], weight[d]);
        for (int64_t c = 0; c < job->channels; c++)
            job->y[(batch * job->channels + c) * job->out_count + o] = 0.0;
        for (int more = 1; more;) {
            int64_t from = 0;
            double w = 1.0;
            for (uint32_t d = 0; d < job->spatial && from >= 0; d++) {
                from = at[d][index[d]] < 0 ? -1 : from * job->in[d] + at[d][index[d]];
                w *= weight[d][index[d]];
            }
            for (int64_t c = 0; from >= 0 && c < job->channels; c++)
                job->y[(batch * job->channels + c) * job->out_count + o] +=
                    w * job->x[(batch * job->channels + c) * job->in_count + from];
            more = 0;
            for (uint32_t d = job->spatial; d-- > 0 && !more;) {
                more = ++index[d] < taps[d];
                if (!more)
                    index[d] = 0;
            }
        }
    }
}

static int32_t run_grid_sample(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *y = run->outputs[0]->desc;
    Job job = {.spatial = x->rank - 2, .channels = x->shape[1],
               .align = tsr_attr_int(run->node, "align_corners", 0) != 0};
    (void)kernel;
    if (job.spatial > MAX_SPATIAL)
        return run->fail(run, TSR_UNSUPPORTED, "has %u spatial axes, at most %d", job.spatial,
                         MAX_SPATIAL);
    /* Up to version 16 the words are those of images. */
    if (tsr_attr_is(run->node, "mode", "nearest"))
        job.mode = NEAREST;
    else if (tsr_attr_is(run->node, "mode", "linear") ||
             tsr_attr_is(run->node, "mode", "bilinear"))
        job.mode = LINEAR;
    else if (tsr_attr_is(run->node, "mode", "cubic") || tsr_attr_is(run->node, "mode", "bicubic"))
        job.mode = CUBIC;
    else
        return run->fail(run, TSR_INVALID_ARGUMENT, "mode must be nearest, linear or cubic");
    job.padding = tsr_attr_is(run->node, "padding_mode", "border")       ? BORDER
                  : tsr_attr_is(run->node, "padding_mode", "reflection") ? REFLECTION
                                                                         : ZEROS;
    if (tsr_desc_elements(y) == 0)
        return TSR_OK;
    for (uint32_t d = 0; d < job.spatial; d++)
        job.in[d] = x->shape[2 + d];
    job.in_count = tsr_shape_elements(job.spatial, x->shape + 2);
    job.out_count = tsr_shape_elements(job.spatial, y->shape + 2);
    if (job.in_count == 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "an empty image has nothing to sample");
    job.x = aicpu_as_double(run, run->inputs[0]);
    job.grid = aicpu_as_double(run, run->inputs[1]);
    job.y = aicpu_begin_double(run, run->outputs[0]);
    if (job.x == NULL || job.grid == NULL || job.y == NULL)
        return TSR_OUT_OF_MEMORY;
    aicpu_parallel(run, x->shape[0] * job.out_count, 1 + 1024 / job.channels, sample, &job);
    aicpu_finish_double(run->outputs[0], job.y);
    return TSR_OK;
}

/* AffineGrid: theta times the homogeneous place (x, y, [z,] 1). */
static int32_t run_affine_grid(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *y = run->outputs[0]->desc;
    uint32_t spatial = y->rank - 2;
    int align = tsr_attr_int(run->node, "align_corners", 0) != 0;
    int64_t places = tsr_shape_elements(spatial, y->shape + 1);
    const double *theta = aicpu_as_double(run, run->inputs[0]);
    double *out = aicpu_begin_double(run, run->outputs[0]);
    (void)kernel;
    if (theta == NULL || out == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t p = 0; p < y->shape[0] * places; p++) {
        const double *matrix = theta + p / places * spatial * (spatial + 1);
        double at[MAX_SPATIAL + 1];
        int64_t rest = p % places;
        for (uint32_t d = 0; d < spatial; d++) { /* from the innermost axis outwards */
            int64_t n = y->shape[spatial - d], i = rest % n;
            rest /= n;
            at[d] = !align ? (2.0 * (double)i + 1.0) / (double)n - 1.0
                    : n > 1 ? 2.0 * (double)i / (double)(n - 1) - 1.0
                            : 0.0;
        }
        at[spatial] = 1.0;
        for (uint32_t r = 0; r < spatial; r++) {
            double sum = 0.0;
            for (uint32_t d = 0; d <= spatial; d++)
                sum += matrix[r * (spatial + 1) + d] * at[d];
            out[p * spatial + r] = sum;
        }
    }
    aicpu_finish_double(run->outputs[0], out);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "GridSample", .run = run_grid_sample, .dtypes = AICPU_NUMBERS},
    {.op = "AffineGrid", .run = run_affine_grid, .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_grid_sample = AICPU_FAMILY(kernels);
