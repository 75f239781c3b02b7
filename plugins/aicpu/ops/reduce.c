/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.c: the Reduce operators, ArgMax and ArgMin. A reduction walks the
 * input once per output element over the reduced axes, innermost last, and sums in
 * double (integers in int64, which wraps like the element type would).
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

enum { SUM, MEAN, MAX, MIN, PROD, L1, L2, LOG_SUM, LOG_SUM_EXP, SUM_SQUARE };

typedef struct Job {
    uint32_t mode;
    const TsrTensor *x;
    const TsrTensor *y;
    AicpuGrid kept;    /* operand 0: where an output element's input begins */
    AicpuGrid reduced; /* operand 0: steps over the input */
} Job;

typedef struct Sum {
    const Job *job;
    int64_t base;
    double value;
    int64_t integer;
    double top;        /* of LogSumExp */
    int started;
} Sum;

enum { BLOCK = 128 };

static inline void add_double(uint32_t mode, Sum *sum, double v)
{
    switch (mode) {
    case MAX:
        if (!sum->started || v > sum->value || isnan(v))
            sum->value = sum->started && isnan(sum->value) ? sum->value : v;
        break;
    case MIN:
        if (!sum->started || v < sum->value || isnan(v))
            sum->value = sum->started && isnan(sum->value) ? sum->value : v;
        break;
    case PROD: sum->value *= v; break;
    case L1: sum->value += fabs(v); break;
    case L2:
    case SUM_SQUARE: sum->value += v * v; break;
    case LOG_SUM_EXP: sum->value += exp(v - sum->top); break;
    default: sum->value += v; break;
    }
    sum->started = 1;
}

static inline void add_integer(uint32_t mode, int is_unsigned, Sum *sum, int64_t v)
{
    uint64_t u = (uint64_t)v, total = (uint64_t)sum->integer;
    int less = is_unsigned ? u < total : v < sum->integer;
    switch (mode) {
    case MAX: sum->integer = sum->started && less ? sum->integer : v; break;
    case MIN: sum->integer = !sum->started || less ? v : sum->integer; break;
    case PROD: sum->integer = (int64_t)(total * u); break;
    case L1: sum->integer = (int64_t)(total + (v < 0 && !is_unsigned ? 0 - u : u)); break;
    case L2:
    case SUM_SQUARE: sum->integer = (int64_t)(total + u * u); break;
    default: sum->integer = (int64_t)(total + u); break;
    }
    sum->started = 1;
}

static void take_run(void *arg, const int64_t *offset, int64_t n)
{
    Sum *sum = arg;
    const Job *job = sum->job;
    uint32_t dtype = job->x->desc->dtype;
    int64_t step = aicpu_grid_inner(&job->reduced, 0), from = sum->base + offset[0];
    if (aicpu_is_integer(dtype)) {
        int is_unsigned = dtype == TSR_DTYPE_UINT64;
        for (int64_t i = 0; i < n; i++) {
            int64_t v;
            aicpu_load_int64(dtype, job->x->data, from + i * step, 1, &v);
            add_integer(job->mode, is_unsigned, sum, v);
        }
    } else if (dtype == TSR_DTYPE_FLOAT) {
        const float *x = (const float *)job->x->data + from;
        if (job->mode == SUM || job->mode == MEAN) {
            double value = 0.0;
            for (int64_t i = 0; i < n; i++)
                value += x[i * step];
            sum->value += value;
            return;
        }
        for (int64_t i = 0; i < n; i++)
            add_double(job->mode, sum, x[i * step]);
    } else {
        double block[BLOCK];
        for (int64_t i = 0; i < n; i += BLOCK) {
            int64_t m = n - i < BLOCK ? n - i : BLOCK;
            if (step == 1)
                aicpu_load_double(dtype, job->x->data, from + i, m, block);
            else
                for (int64_t k = 0; k < m; k++)
                    aicpu_load_double(dtype, job->x->data, from + (i + k) * step, 1, block + k);
            for (int64_t k = 0; k < m; k++)
                add_double(job->mode, sum, block[k]);
        }
    }
}

/* Integers: MEAN divides exactly, the logarithms go through double. */
static void store_integer(const Job *job, int64_t at, Sum *sum)
{
    double value = (double)sum->integer;
    int64_t result = sum->integer;
    if (!sum->started && (job->mode == MAX || job->mode == MIN)) {
        value = job->mode == MAX ? -INFINITY : INFINITY; /* clamps to the type's limit */
        if (tsr_dtype_bits(job->y->desc->dtype) < 64) {
            uint32_t bits = tsr_dtype_bits(job->y->desc->dtype);
            int is_unsigned = (TSR_TYPES_UNSIGNED >> job->y->desc->dtype) & 1;
            result = job->mode == MIN ? (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1
                     : is_unsigned    ? 0
                                      : -(INT64_C(1) << (bits - 1));
            if (job->y->desc->dtype == TSR_DTYPE_BOOL)
                result = job->mode == MIN;
            aicpu_store_int64(job->y->desc->dtype, job->y->data, at, 1, &result);
            return;
        }
        aicpu_store_double(job->y->desc->dtype, job->y->data, at, 1, &value, AICPU_SATURATE);
        return;
    }
    if (job->mode == MEAN)
        result = job->reduced.count > 0 ? sum->integer / job->reduced.count : 0;
    else if (job->mode == L2)
        result = (int64_t)sqrt(value);
    else if (job->mode == LOG_SUM)
        result = value > 0.0 ? (int64_t)log(value) : 0;
    aicpu_store_int64(job->y->desc->dtype, job->y->data, at, 1, &result);
}

static void outputs(void *arg, const int64_t *offset, int64_t n)
{
    const Job *job = arg;
    uint32_t dtype = job->x->desc->dtype;
    int integer = aicpu_is_integer(dtype); /* never with LogSumExp: see the rows */
    for (int64_t i = 0; i < n; i++) {
        Sum sum = {job, offset[0] + i * aicpu_grid_inner(&job->kept, 0), 0.0, 0, 0.0, 0};
        sum.value = sum.integer = job->mode == PROD;
        if (job->mode == LOG_SUM_EXP) {
            Job top = *job;
            Sum best = sum;
            top.mode = MAX;
            best.job = &top;
            aicpu_grid_walk(&job->reduced, take_run, &best);
            sum.top = !best.started || isinf(best.value) ? 0.0 : best.value;
        }
        aicpu_grid_walk(&job->reduced, take_run, &sum);
        if (integer) {
            store_integer(job, offset[1] + i, &sum);
            continue;
        }
        switch (job->mode) {
        case MEAN: sum.value /= (double)job->reduced.count; break;
        case L2: sum.value = sqrt(sum.value); break;
        case LOG_SUM: sum.value = log(sum.value); break;
        case LOG_SUM_EXP: sum.value = log(sum.value) + sum.top; break;
        case MAX: sum.value = sum.started ? sum.value : -INFINITY; break;
        case MIN: sum.value = sum.started ? sum.value : INFINITY; break;
        default: break;
        }
        aicpu_store_double(job->y->desc->dtype, job->y->data, offset[1] + i, 1, &sum.value,
                           AICPU_SATURATE);
    }
}

/* Bit per reduced axis, from the attribute or the input. */
static uint32_t reduced_axes(TsrRunContext *run, uint32_t rank)
{
    const TsrAttr *attr = tsr_attr_find(run->node, "axes");
    int64_t axes[TSR_MAX_RANK], count;
    uint32_t bits = 0;
    if (attr != NULL) {
        count = attr->count < TSR_MAX_RANK ? attr->count : TSR_MAX_RANK;
        memcpy(axes, attr->ints, (size_t)count * sizeof(int64_t));
    } else {
        count = aicpu_read_int64s(aicpu_input(run, 1), TSR_MAX_RANK, axes);
    }
    if (count == 0)
        return tsr_attr_int(run->node, "noop_with_empty_axes", 0) != 0 ? 0 : UINT32_MAX;
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = tsr_axis_normalize(axes[i], rank);
        if (axis >= 0)
            bits |= 1u << axis;
    }
    return bits;
}

static int32_t run_reduce(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    int64_t stride[TSR_MAX_RANK], kept_shape[TSR_MAX_RANK], reduced_shape[TSR_MAX_RANK];
    uint32_t bits = reduced_axes(run, x->rank), kept = 0, reduced = 0;
    Job job = {.mode = kernel->mode, .x = run->inputs[0], .y = run->outputs[0]};
    tsr_shape_strides(x->rank, x->shape, stride);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (bits & (1u << i)) {
            job.reduced.stride[0][reduced] = stride[i];
            reduced_shape[reduced++] = x->shape[i];
        } else {
            job.kept.stride[0][kept] = stride[i];
            kept_shape[kept++] = x->shape[i];
        }
    }
    aicpu_grid_init(&job.reduced, reduced, reduced_shape, 1);
    aicpu_grid_ready(&job.reduced);
    aicpu_grid_init(&job.kept, kept, kept_shape, 2);
    tsr_shape_strides(kept, kept_shape, job.kept.stride[1]);
    aicpu_grid_ready(&job.kept);
    if (job.kept.count * job.reduced.count > 16384 && job.kept.count > 1)
        aicpu_grid_parallel(&job.kept, run, outputs, &job);
    else
        aicpu_grid_walk(&job.kept, outputs, &job);
    return TSR_OK;
}

/* ArgMax (mode 0) and ArgMin (mode 1): the first or last index of the extreme. */
static int32_t run_arg(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), x->rank);
    int last = tsr_attr_int(run->node, "select_last_index", 0) != 0;
    int64_t n, inner, outer, *y = run->outputs[0]->data;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->rank);
    n = x->shape[axis];
    outer = tsr_shape_elements((uint32_t)axis, x->shape);
    inner = tsr_shape_elements(x->rank - (uint32_t)axis - 1, x->shape + axis + 1);
    for (int64_t v = 0; v < outer * inner; v++) {
        int64_t base = v / inner * n * inner + v % inner, best = 0, top_i = 0;
        double top = 0.0;
        for (int64_t i = 0; i < n; i++) {
            double value = 0.0;
            int64_t number = 0;
            int better, equal;
            if (aicpu_is_integer(x->dtype)) {
                aicpu_load_int64(x->dtype, run->inputs[0]->data, base + i * inner, 1, &number);
                better = x->dtype == TSR_DTYPE_UINT64 ? (uint64_t)number > (uint64_t)top_i
                                                      : number > top_i;
                equal = number == top_i;
            } else {
                aicpu_load_double(x->dtype, run->inputs[0]->data, base + i * inner, 1, &value);
                better = value > top;
                equal = value == top;
            }
            if (kernel->mode == 1)
                better = !better && !equal && !isnan(value);
            if (i == 0 || better || (last && equal)) {
                best = i;
                top = value;
                top_i = number;
            }
        }
        y[v] = best;
    }
    return TSR_OK;
}

#define NUMERIC_BOOL (TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL))

static const AicpuKernel kernels[] = {
    {.op = "ReduceSum", .run = run_reduce, .mode = SUM, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ReduceMean", .run = run_reduce, .mode = MEAN, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ReduceMax", .run = run_reduce, .mode = MAX, .dtypes = NUMERIC_BOOL},
    {.op = "ReduceMin", .run = run_reduce, .mode = MIN, .dtypes = NUMERIC_BOOL},
    {.op = "ReduceProd", .run = run_reduce, .mode = PROD, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ReduceL1", .run = run_reduce, .mode = L1, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ReduceL2", .run = run_reduce, .mode = L2, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ReduceLogSum", .run = run_reduce, .mode = LOG_SUM, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ReduceLogSumExp", .run = run_reduce, .mode = LOG_SUM_EXP,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "ReduceSumSquare", .run = run_reduce, .mode = SUM_SQUARE,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ArgMax", .run = run_arg, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "ArgMin", .run = run_arg, .mode = 1, .dtypes = TSR_TYPES_NUMERIC},
};

const AicpuFamily aicpu_reduce = AICPU_FAMILY(kernels);
