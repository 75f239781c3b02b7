/* SPDX-License-Identifier: Apache-2.0
 *
 * scatter.c: Scatter, ScatterElements, ScatterND, OneHot: writes at indices, in the
 * order of the updates, with the reductions add, mul, max and min.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"

enum { REDUCE_NONE, REDUCE_ADD, REDUCE_MUL, REDUCE_MAX, REDUCE_MIN };

static int reduction_of(const TsrNodeView *node)
{
    return tsr_attr_is(node, "reduction", "add")   ? REDUCE_ADD
           : tsr_attr_is(node, "reduction", "mul") ? REDUCE_MUL
           : tsr_attr_is(node, "reduction", "max") ? REDUCE_MAX
           : tsr_attr_is(node, "reduction", "min") ? REDUCE_MIN
                                                   : REDUCE_NONE;
}

/* y[to] = y[to] op updates[from] for n elements. */
static int32_t update(TsrRunContext *run, int reduction, const TsrTensor *y, int64_t to,
                      const TsrTensor *updates, int64_t from, int64_t n)
{
    uint32_t dtype = y->desc->dtype;
    if (reduction == REDUCE_NONE)
        return aicpu_copy_dense(run, dtype, y->data, to, updates->data, from, n);
    if (!(AICPU_NUMBERS & TSR_BIT(dtype)))
        return run->fail(run, TSR_UNSUPPORTED, "a reduction of %s is not supported",
                         tsr_dtype_name(dtype));
    for (int64_t i = 0; i < n; i++) {
        if (aicpu_is_integer(dtype)) {
            int64_t a, b;
            int less;
            aicpu_load_int64(dtype, y->data, to + i, 1, &a);
            aicpu_load_int64(dtype, updates->data, from + i, 1, &b);
            less = dtype == TSR_DTYPE_UINT64 ? (uint64_t)b < (uint64_t)a : b < a;
            a = reduction == REDUCE_ADD   ? (int64_t)((uint64_t)a + (uint64_t)b)
                : reduction == REDUCE_MUL ? (int64_t)((uint64_t)a * (uint64_t)b)
                : reduction == REDUCE_MAX ? (less ? a : b)
                                          : (less ? b : a);
            aicpu_store_int64(dtype, y->data, to + i, 1, &a);
        } else {
            double a, b;
            aicpu_load_double(dtype, y->data, to + i, 1, &a);
            aicpu_load_double(dtype, updates->data, from + i, 1, &b);
            a = reduction == REDUCE_ADD   ? a + b
                : reduction == REDUCE_MUL ? a * b
                : reduction == REDUCE_MAX ? (b > a || b != b ? b : a)
                                          : (b < a || b != b ? b : a);
            aicpu_store_double(dtype, y->data, to + i, 1, &a, AICPU_SATURATE);
        }
    }
    return TSR_OK;
}

/* The output begins as a copy of the data. */
static int32_t copy_data(TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    if (y->data == x->data)
        return TSR_OK;
    return aicpu_copy_dense(run, x->desc->dtype, y->data, 0, x->data, 0,
                            tsr_desc_elements(x->desc));
}

static int32_t run_scatter_elements(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *indices = run->inputs[1], *y = run->outputs[0];
    uint32_t rank = y->desc->rank;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), rank);
    int64_t stride[TSR_MAX_RANK], index[TSR_MAX_RANK] = {0};
    int64_t count = tsr_desc_elements(indices->desc);
    int reduction = reduction_of(run->node);
    int32_t status = copy_data(run);
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", rank);
    if (tsr_desc_elements(run->inputs[2]->desc) < count)
        return run->fail(run, TSR_INVALID_ARGUMENT, "%lld indices have only %lld updates",
                         (long long)count, (long long)tsr_desc_elements(run->inputs[2]->desc));
    for (uint32_t d = 0; d < rank; d++)
        if (d != axis && indices->desc->shape[d] > y->desc->shape[d])
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "axis %u of the indices must be at most %lld, got %lld", d,
                             (long long)y->desc->shape[d], (long long)indices->desc->shape[d]);
    tsr_shape_strides(rank, y->desc->shape, stride);
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        int64_t at, to = 0, extent = y->desc->shape[axis];
        aicpu_load_int64(indices->desc->dtype, indices->data, i, 1, &at);
        if (at < -extent || at >= extent)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "an index must be in [-%lld, %lld), got %lld", (long long)extent,
                             (long long)extent, (long long)at);
        at += at < 0 ? extent : 0;
        for (uint32_t d = 0; d < rank; d++)
            to += (d == axis ? at : index[d]) * stride[d];
        status = update(run, reduction, y, to, run->inputs[2], i, 1);
        for (uint32_t d = rank; d-- > 0;) {
            if (++index[d] < indices->desc->shape[d])
                break;
            index[d] = 0;
        }
    }
    return status;
}

static int32_t run_scatter_nd(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *indices = run->inputs[1], *y = run->outputs[0];
    uint32_t index_rank = indices->desc->rank, rank = y->desc->rank;
    int64_t depth = indices->desc->shape[index_rank - 1], stride[TSR_MAX_RANK];
    int64_t tuples = tsr_shape_elements(index_rank - 1, indices->desc->shape);
    int64_t inner = tsr_shape_elements(rank - (uint32_t)depth, y->desc->shape + depth);
    int reduction = reduction_of(run->node);
    int32_t status = copy_data(run);
    (void)kernel;
    if (tsr_desc_elements(run->inputs[2]->desc) < tuples * inner)
        return run->fail(run, TSR_INVALID_ARGUMENT, "updates must have %lld elements, got %lld",
                         (long long)(tuples * inner),
                         (long long)tsr_desc_elements(run->inputs[2]->desc));
    tsr_shape_strides(rank, y->desc->shape, stride);
    for (int64_t t = 0; t < tuples && status == TSR_OK; t++) {
        int64_t to = 0;
        for (int64_t k = 0; k < depth; k++) {
            int64_t at, extent = y->desc->shape[k];
            aicpu_load_int64(indices->desc->dtype, indices->data, t * depth + k, 1, &at);
            if (at < -extent || at >= extent)
                return run->fail(run, TSR_INVALID_ARGUMENT,
                                 "an index must be in [-%lld, %lld), got %lld",
                                 (long long)extent, (long long)extent, (long long)at);
            to += (at < 0 ? at + extent : at) * stride[k];
        }
        status = update(run, reduction, y, to, run->inputs[2], t * inner, inner);
    }
    return status;
}

/* OneHot: values holds [off, on]; an index outside of the depth is all off. */
static int32_t run_one_hot(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *indices = run->inputs[0], *values = run->inputs[2], *y = run->outputs[0];
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", -1), y->desc->rank);
    int64_t depth, inner, count = tsr_desc_elements(indices->desc);
    int64_t total = tsr_desc_elements(y->desc);
    int32_t status = TSR_OK;
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", y->desc->rank);
    if (tsr_desc_elements(values->desc) != 2)
        return run->fail(run, TSR_INVALID_ARGUMENT, "values must be [off, on]");
    depth = y->desc->shape[axis];
    inner = tsr_shape_elements(y->desc->rank - (uint32_t)axis - 1, y->desc->shape + axis + 1);
    for (int64_t i = 0; i < total && status == TSR_OK; i++)
        status = aicpu_copy_dense(run, y->desc->dtype, y->data, i, values->data, 0, 1);
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        int64_t at;
        aicpu_load_int64(indices->desc->dtype, indices->data, i, 1, &at);
        at += at < 0 ? depth : 0;
        if (at >= 0 && at < depth)
            status = aicpu_copy_dense(run, y->desc->dtype, y->data,
                                      (i / inner * depth + at) * inner + i % inner, values->data,
                                      1, 1);
    }
    return status;
}

static const AicpuKernel kernels[] = {
    {.op = "Scatter", .run = run_scatter_elements},
    {.op = "ScatterElements", .run = run_scatter_elements},
    {.op = "ScatterND", .run = run_scatter_nd},
    {.op = "OneHot", .run = run_one_hot},
};

const AicpuFamily aicpu_scatter = AICPU_FAMILY(kernels);
