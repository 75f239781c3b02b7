/* SPDX-License-Identifier: Apache-2.0
 *
 * gather.c: Gather, GatherElements, GatherND. Indices are checked as they are read; a
 * negative one counts from the end.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"

static int32_t bad_index(TsrRunContext *run, int64_t index, int64_t extent)
{
    return run->fail(run, TSR_INVALID_ARGUMENT, "an index must be in [-%lld, %lld), got %lld",
                     (long long)extent, (long long)extent, (long long)index);
}

/* Reads index i into [0, extent); -1 when it is outside. */
static int64_t read_index(const TsrTensor *indices, int64_t i, int64_t extent, int64_t *raw)
{
    aicpu_load_int64(indices->desc->dtype, indices->data, i, 1, raw);
    if (*raw < -extent || *raw >= extent)
        return -1;
    return *raw < 0 ? *raw + extent : *raw;
}

static int32_t run_gather(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *indices = run->inputs[1], *y = run->outputs[0];
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), x->desc->rank);
    int64_t outer, extent, inner, count = tsr_desc_elements(indices->desc);
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->desc->rank);
    outer = tsr_shape_elements((uint32_t)axis, x->desc->shape);
    extent = x->desc->shape[axis];
    inner = tsr_shape_elements(x->desc->rank - (uint32_t)axis - 1, x->desc->shape + axis + 1);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < count; i++) {
            int64_t raw, at = read_index(indices, i, extent, &raw);
            int32_t status;
            if (at < 0)
                return bad_index(run, raw, extent);
            status = aicpu_copy_dense(run, x->desc->dtype, y->data, (o * count + i) * inner,
                                      x->data, (o * extent + at) * inner, inner);
            if (status != TSR_OK)
                return status;
        }
    return TSR_OK;
}

static int32_t run_gather_elements(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *indices = run->inputs[1], *y = run->outputs[0];
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), x->desc->rank);
    int64_t stride[TSR_MAX_RANK], index[TSR_MAX_RANK] = {0};
    int64_t count = tsr_desc_elements(indices->desc);
    uint32_t rank = x->desc->rank;
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", rank);
    tsr_shape_strides(rank, x->desc->shape, stride);
    for (int64_t i = 0; i < count; i++) {
        int64_t raw, at = read_index(indices, i, x->desc->shape[axis], &raw), from = 0;
        int32_t status;
        if (at < 0)
            return bad_index(run, raw, x->desc->shape[axis]);
        for (uint32_t d = 0; d < rank; d++)
            from += (d == axis ? at : index[d]) * stride[d];
        status = aicpu_copy_dense(run, x->desc->dtype, y->data, i, x->data, from, 1);
        if (status != TSR_OK)
            return status;
        for (uint32_t d = rank; d-- > 0;) {
            if (++index[d] < indices->desc->shape[d])
                break;
            index[d] = 0;
        }
    }
    return TSR_OK;
}

static int32_t run_gather_nd(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *indices = run->inputs[1], *y = run->outputs[0];
    uint32_t batch = (uint32_t)tsr_attr_int(run->node, "batch_dims", 0), rank = x->desc->rank;
    uint32_t index_rank = indices->desc->rank;
    int64_t depth = indices->desc->shape[index_rank - 1], stride[TSR_MAX_RANK], inner, tuples;
    int64_t batches = tsr_shape_elements(batch, x->desc->shape);
    (void)kernel;
    tsr_shape_strides(rank, x->desc->shape, stride);
    inner = tsr_shape_elements(rank - batch - (uint32_t)depth, x->desc->shape + batch + depth);
    tuples = tsr_shape_elements(index_rank - 1, indices->desc->shape);
    for (int64_t t = 0; t < tuples; t++) {
        int64_t from = batch > 0 ? t / (tuples / batches) * stride[batch - 1] : 0;
        int32_t status;
        for (int64_t k = 0; k < depth; k++) {
            int64_t extent = x->desc->shape[batch + k];
            int64_t raw, at = read_index(indices, t * depth + k, extent, &raw);
            if (at < 0)
                return bad_index(run, raw, extent);
            from += at * stride[batch + k];
        }
        status = aicpu_copy_dense(run, x->desc->dtype, y->data, t * inner, x->data, from, inner);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Gather", .run = run_gather},
    {.op = "GatherElements", .run = run_gather_elements},
    {.op = "GatherND", .run = run_gather_nd},
};

const AicpuFamily aicpu_gather = AICPU_FAMILY(kernels);
