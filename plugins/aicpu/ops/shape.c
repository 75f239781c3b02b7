/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.c: operators that read a shape, or give the same elements another shape
 * (Reshape and its kin, which the host may turn into views of the input), and those
 * that repeat elements along axes (Expand, Tile).
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"

static int32_t run_identity(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    (void)kernel;
    if (y == NULL || y->data == x->data)
        return TSR_OK;
    return aicpu_copy_dense(run, x->desc->dtype, y->data, 0, x->data, 0,
                            tsr_desc_elements(x->desc));
}

/* Shape 15: start and end are clamped into [0, rank]. */
static int32_t run_shape(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *y = run->outputs[0]->desc;
    int64_t start = tsr_attr_int(run->node, "start", 0), rank = x->rank;
    (void)kernel;
    start += start < 0 ? rank : 0;
    start = start < 0 ? 0 : start > rank ? rank : start;
    for (int64_t i = 0; i < y->shape[0] && start + i < rank; i++)
        ((int64_t *)run->outputs[0]->data)[i] = x->shape[start + i];
    return TSR_OK;
}

static int32_t run_size(const AicpuKernel *kernel, TsrRunContext *run)
{
    (void)kernel;
    *(int64_t *)run->outputs[0]->data = tsr_desc_elements(run->inputs[0]->desc);
    return TSR_OK;
}

static int32_t run_expand(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    AicpuCopy copy = {.dtype = y->desc->dtype, .rank = y->desc->rank, .shape = y->desc->shape,
                      .to = y->data, .from = x->data};
    (void)kernel;
    tsr_shape_strides(y->desc->rank, y->desc->shape, copy.to_stride);
    tsr_broadcast_strides(x->desc->rank, x->desc->shape, y->desc->rank, copy.from_stride);
    return aicpu_copy(run, &copy);
}

/* Tile: each axis becomes (repeat, extent), walked in at most half of the ranks there
 * are; a higher rank is tiled axis by axis through the index. */
static int32_t run_tile(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t rank = x->desc->rank, n = 0;
    int64_t shape[2 * TSR_MAX_RANK], from[2 * TSR_MAX_RANK], stride[TSR_MAX_RANK];
    AicpuCopy copy = {.dtype = y->desc->dtype, .to = y->data, .from = x->data, .shape = shape};
    (void)kernel;
    tsr_shape_strides(rank, x->desc->shape, stride);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t extent = x->desc->shape[i];
        int64_t repeat = extent != 0 ? y->desc->shape[i] / extent : 0;
        if (repeat != 1) {
            shape[n] = repeat;
            from[n++] = 0;
        }
        shape[n] = extent;
        from[n++] = stride[i];
    }
    if (n > TSR_MAX_RANK)
        return run->fail(run, TSR_UNSUPPORTED, "tiling of %u axes at once is not supported",
                         n - rank);
    copy.rank = n;
    memcpy(copy.from_stride, from, n * sizeof(int64_t));
    tsr_shape_strides(n, shape, copy.to_stride);
    return aicpu_copy(run, &copy);
}

static const AicpuKernel kernels[] = {
    {.op = "Identity", .run = run_identity},
    {.op = "Reshape", .run = run_identity},
    {.op = "Squeeze", .run = run_identity},
    {.op = "Unsqueeze", .run = run_identity},
    {.op = "Flatten", .run = run_identity},
    {.op = "Shape", .run = run_shape},
    {.op = "Size", .run = run_size},
    {.op = "Expand", .run = run_expand},
    {.op = "Tile", .run = run_tile},
};

const AicpuFamily aicpu_shape = AICPU_FAMILY(kernels);
