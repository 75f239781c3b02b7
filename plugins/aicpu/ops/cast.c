/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.c: Cast, CastLike, Where, Clip, IsNaN, IsInf: kernels that are the same for all
 * element types but for loads and stores.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 256 };

typedef struct Job {
    const TsrTensor *x;
    const TsrTensor *y;
    int saturate;
    double low;
    double high;
    uint32_t mode;
} Job;

static void cast_piece(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    uint32_t from = job->x->desc->dtype, to = job->y->desc->dtype;
    union {
        double d[BLOCK];
        int64_t i[BLOCK];
    } block;
    for (uint64_t i = begin; i < end; i += BLOCK) {
        int64_t n = (int64_t)(end - i < BLOCK ? end - i : BLOCK), first = (int64_t)i;
        /* uint64 above INT64_MAX is a value only as double, unless the target wraps. */
        if (aicpu_is_integer(from) && (from != TSR_DTYPE_UINT64 || aicpu_is_integer(to))) {
            aicpu_load_int64(from, job->x->data, first, n, block.i);
            aicpu_store_int64(to, job->y->data, first, n, block.i);
        } else {
            aicpu_load_double(from, job->x->data, first, n, block.d);
            aicpu_store_double(to, job->y->data, first, n, block.d, job->saturate);
        }
    }
}

/* A number as text: integers plain, floats with the digits that give them back. */
static int32_t number_to_string(TsrRunContext *run, const TsrTensor *x, int64_t index,
                                TsrString *out)
{
    char text[64];
    double value;
    int digits = x->desc->dtype == TSR_DTYPE_DOUBLE ? 17 : 9;
    if (aicpu_is_integer(x->desc->dtype)) {
        int64_t number;
        aicpu_load_int64(x->desc->dtype, x->data, index, 1, &number);
        if (x->desc->dtype == TSR_DTYPE_UINT64)
            snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
        else
            snprintf(text, sizeof(text), "%lld", (long long)number);
        return run->set_string(run, out, text, strlen(text));
    }
    aicpu_load_double(x->desc->dtype, x->data, index, 1, &value);
    if (isnan(value))
        snprintf(text, sizeof(text), "NaN");
    else if (isinf(value))
        snprintf(text, sizeof(text), value < 0 ? "-INF" : "INF");
    else
        for (int d = 1; d <= digits; d++) { /* the shortest text that reads back equal */
            snprintf(text, sizeof(text), "%.*g", d, value);
            if (digits == 17 ? strtod(text, NULL) == value
                             : strtof(text, NULL) == (float)value)
                break;
        }
    return run->set_string(run, out, text, strlen(text));
}

static int32_t string_to_number(TsrRunContext *run, const TsrString *s, const TsrTensor *y,
                                int64_t index)
{
    char text[128];
    char *end = text;
    if (s->size >= sizeof(text) || s->size == 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "element %lld is not a number",
                         (long long)index);
    memcpy(text, s->data, s->size);
    text[s->size] = '\0';
    if (aicpu_is_integer(y->desc->dtype)) {
        int64_t number = strtoll(text, &end, 10);
        if (*end == '\0') {
            aicpu_store_int64(y->desc->dtype, y->data, index, 1, &number);
            return TSR_OK;
        }
    }
    double value = strtod(text, &end);
    if (*end != '\0')
        return run->fail(run, TSR_INVALID_ARGUMENT, "element %lld, '%s', is not a number",
                         (long long)index, text);
    aicpu_store_double(y->desc->dtype, y->data, index, 1, &value, AICPU_SATURATE);
    return TSR_OK;
}

/* float8e8m0 is a power of two; round_mode (24) says which: up, down or nearest, where a
 * mantissa of 1.5 and above is nearer to the next one. */
static void cast_to_power(const TsrRunContext *run, const TsrTensor *x, const TsrTensor *y,
                          int saturate)
{
    int down = tsr_attr_is(run->node, "round_mode", "down");
    int nearest = tsr_attr_is(run->node, "round_mode", "nearest");
    for (int64_t i = 0; i < tsr_desc_elements(x->desc); i++) {
        double value;
        int exponent;
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &value);
        if ((down || nearest) && isfinite(value) && value != 0.0) {
            double mantissa = frexp(fabs(value), &exponent);
            value = ldexp(1.0, exponent - (nearest && mantissa >= 0.75 ? 0 : 1));
        }
        aicpu_store_double(TSR_DTYPE_FLOAT8E8M0, y->data, i, 1, &value, saturate);
    }
}

static int32_t run_cast(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t from = x->desc->dtype, to = y->desc->dtype;
    int64_t count = tsr_desc_elements(x->desc);
    Job job = {x, y, tsr_attr_int(run->node, "saturate", 1) != 0, 0.0, 0.0, 0};
    int32_t status = TSR_OK;
    (void)kernel;
    if (from == to)
        return aicpu_copy_dense(run, from, y->data, 0, x->data, 0, count);
    if (from == TSR_DTYPE_STRING || to == TSR_DTYPE_STRING) {
        for (int64_t i = 0; i < count && status == TSR_OK; i++)
            status = to == TSR_DTYPE_STRING
                         ? number_to_string(run, x, i, (TsrString *)y->data + i)
                         : string_to_number(run, (const TsrString *)x->data + i, y, i);
        return status;
    }
    if (to == TSR_DTYPE_FLOAT8E8M0)
        cast_to_power(run, x, y, job.saturate);
    else if (tsr_dtype_bits(to) < 8) /* neighbours share bytes: one thread */
        cast_piece(&job, 0, (uint64_t)count);
    else
        aicpu_parallel(run, count, 16384, cast_piece, &job);
    return TSR_OK;
}

/* Where: the chosen side is copied by bytes; strings through the host. */
typedef struct WhereJob {
    TsrRunContext *run;
    const AicpuGrid *grid;
    uint64_t size;
    int32_t status;
} WhereJob;

static void where_rows(void *arg, const int64_t *offset, int64_t n)
{
    const WhereJob *job = arg;
    const uint8_t *condition = job->run->inputs[0]->data;
    const char *a = job->run->inputs[1]->data, *b = job->run->inputs[2]->data;
    char *y = job->run->outputs[0]->data;
    int64_t sc = aicpu_grid_inner(job->grid, 1), sa = aicpu_grid_inner(job->grid, 2);
    int64_t sb = aicpu_grid_inner(job->grid, 3), size = (int64_t)job->size;
    for (int64_t i = 0; i < n; i++)
        memcpy(y + (offset[0] + i) * size,
               condition[offset[1] + i * sc] ? a + (offset[2] + i * sa) * size
                                             : b + (offset[3] + i * sb) * size, job->size);
}

static void where_strings(void *arg, const int64_t *offset, int64_t n)
{
    WhereJob *job = arg;
    const uint8_t *condition = job->run->inputs[0]->data;
    const TsrString *a = job->run->inputs[1]->data, *b = job->run->inputs[2]->data;
    TsrString *y = job->run->outputs[0]->data;
    for (int64_t i = 0; i < n && job->status == TSR_OK; i++) {
        const TsrString *s = condition[offset[1] + i * aicpu_grid_inner(job->grid, 1)]
                                 ? a + offset[2] + i * aicpu_grid_inner(job->grid, 2)
                                 : b + offset[3] + i * aicpu_grid_inner(job->grid, 3);
        job->status = job->run->set_string(job->run, y + offset[0] + i, s->data, s->size);
    }
}

static int32_t run_where(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *y = run->outputs[0]->desc;
    AicpuGrid grid;
    WhereJob job = {run, &grid, tsr_dtype_bits(y->dtype) / 8, TSR_OK};
    (void)kernel;
    aicpu_grid_init(&grid, y->rank, y->shape, 4);
    aicpu_grid_broadcast(&grid, 0, y->rank, y->shape);
    for (uint32_t i = 0; i < 3; i++)
        aicpu_grid_broadcast(&grid, i + 1, run->inputs[i]->desc->rank,
                             run->inputs[i]->desc->shape);
    aicpu_grid_ready(&grid);
    if (y->dtype == TSR_DTYPE_STRING)
        aicpu_grid_walk(&grid, where_strings, &job);
    else
        aicpu_grid_parallel(&grid, run, where_rows, &job);
    return job.status;
}

/* Clip for float is the common case; other types go through double or int64. */
static void clip_piece(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    uint32_t dtype = job->x->desc->dtype;
    double block[BLOCK];
    if (dtype == TSR_DTYPE_FLOAT) {
        const float *x = job->x->data;
        float *y = job->y->data, low = (float)job->low, high = (float)job->high;
        for (uint64_t i = begin; i < end; i++) {
            float v = x[i] < low ? low : x[i];
            y[i] = v > high ? high : v;
        }
        return;
    }
    for (uint64_t i = begin; i < end; i += BLOCK) {
        int64_t n = (int64_t)(end - i < BLOCK ? end - i : BLOCK);
        aicpu_load_double(dtype, job->x->data, (int64_t)i, n, block);
        for (int64_t k = 0; k < n; k++) {
            double v = block[k] < job->low ? job->low : block[k];
            block[k] = v > job->high ? job->high : v;
        }
        aicpu_store_double(dtype, job->y->data, (int64_t)i, n, block, AICPU_SATURATE);
    }
}

/* 64-bit integers do not fit a double. */
static void clip_int64(const TsrTensor *x, const TsrTensor *y, const TsrTensor *low,
                       const TsrTensor *high)
{
    int64_t count = tsr_desc_elements(x->desc);
    int is_signed = x->desc->dtype == TSR_DTYPE_INT64;
    int64_t l = aicpu_scalar_int64(low, is_signed ? INT64_MIN : 0);
    int64_t h = aicpu_scalar_int64(high, is_signed ? INT64_MAX : -1);
    for (int64_t i = 0; i < count; i++) {
        int64_t v = ((const int64_t *)x->data)[i];
        if (is_signed ? v < l : (uint64_t)v < (uint64_t)l)
            v = l;
        if (is_signed ? v > h : (uint64_t)v > (uint64_t)h)
            v = h;
        ((int64_t *)y->data)[i] = v;
    }
}

/* Clip: bounds by attribute in version 6, by optional inputs from 11 on. */
static int32_t run_clip(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *low = aicpu_input(run, 1), *high = aicpu_input(run, 2);
    Job job = {run->inputs[0], run->outputs[0], 0, -INFINITY, INFINITY, 0};
    (void)kernel;
    if (job.x->desc->dtype == TSR_DTYPE_INT64 || job.x->desc->dtype == TSR_DTYPE_UINT64) {
        clip_int64(job.x, job.y, low, high);
        return TSR_OK;
    }
    job.low = aicpu_scalar_double(low, (double)tsr_attr_float(run->node, "min", -INFINITY));
    job.high = aicpu_scalar_double(high, (double)tsr_attr_float(run->node, "max", INFINITY));
    aicpu_parallel(run, tsr_desc_elements(job.x->desc), 16384, clip_piece, &job);
    return TSR_OK;
}

/* mode 0: IsNaN, 1: IsInf with its two switches. */
static int32_t run_test(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0];
    uint8_t *y = run->outputs[0]->data;
    int negative = tsr_attr_int(run->node, "detect_negative", 1) != 0;
    int positive = tsr_attr_int(run->node, "detect_positive", 1) != 0;
    int64_t count = tsr_desc_elements(x->desc);
    for (int64_t i = 0; i < count; i++) {
        double value;
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &value);
        y[i] = kernel->mode == 0 ? isnan(value)
                                 : isinf(value) && (value < 0 ? negative : positive);
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Cast", .run = run_cast, .dtypes = TSR_TYPES_ANY & ~TSR_TYPES_COMPLEX},
    {.op = "CastLike", .run = run_cast, .dtypes = TSR_TYPES_ANY & ~TSR_TYPES_COMPLEX},
    {.op = "Where", .run = run_where},
    {.op = "Clip", .run = run_clip, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "IsNaN", .run = run_test, .dtypes = AICPU_NUMBERS},
    {.op = "IsInf", .run = run_test, .mode = 1, .dtypes = AICPU_NUMBERS},
};

const AicpuFamily aicpu_cast = AICPU_FAMILY(kernels);
