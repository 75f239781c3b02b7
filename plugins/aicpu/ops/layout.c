/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c: operators that put elements in another order: Transpose, Slice,
 * DepthToSpace, SpaceToDepth, Trilu.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"

static int32_t run_transpose(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t rank = x->desc->rank, count;
    const int64_t *perm = tsr_attr_ints(run->node, "perm", &count);
    int64_t stride[TSR_MAX_RANK];
    AicpuCopy copy = {.dtype = x->desc->dtype, .rank = rank, .shape = y->desc->shape,
                      .to = y->data, .from = x->data};
    (void)kernel;
    tsr_shape_strides(rank, x->desc->shape, stride);
    tsr_shape_strides(rank, y->desc->shape, copy.to_stride);
    for (uint32_t i = 0; i < rank; i++)
        copy.from_stride[i] = stride[count == rank && perm != NULL ? perm[i] : rank - 1 - i];
    return aicpu_copy(run, &copy);
}

/* Slice: version 1 by attributes, from 10 on by inputs; the output's shape says how
 * many elements each axis has. */
static int32_t run_slice(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t rank = x->desc->rank, attr_count, axes_count;
    int64_t starts[TSR_MAX_RANK], axes[TSR_MAX_RANK], steps[TSR_MAX_RANK], count;
    const int64_t *attr_starts = tsr_attr_ints(run->node, "starts", &attr_count);
    const int64_t *attr_axes = tsr_attr_ints(run->node, "axes", &axes_count);
    AicpuCopy copy = {.dtype = x->desc->dtype, .rank = rank, .shape = y->desc->shape,
                      .to = y->data, .from = x->data};
    (void)kernel;
    for (uint32_t i = 0; i < TSR_MAX_RANK; i++) {
        axes[i] = i;
        steps[i] = 1;
    }
    if (attr_starts != NULL) {
        count = attr_count < rank ? attr_count : rank;
        for (int64_t i = 0; i < count; i++) {
            starts[i] = attr_starts[i];
            axes[i] = attr_axes != NULL && i < (int64_t)axes_count ? attr_axes[i] : i;
        }
    } else {
        count = aicpu_read_int64s(run->inputs[1], rank, starts);
        aicpu_read_int64s(aicpu_input(run, 3), count, axes);
        aicpu_read_int64s(aicpu_input(run, 4), count, steps);
    }
    tsr_shape_strides(rank, x->desc->shape, copy.from_stride);
    tsr_shape_strides(rank, y->desc->shape, copy.to_stride);
    if (tsr_desc_elements(y->desc) == 0)
        return TSR_OK;
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = tsr_axis_normalize(axes[i], rank), start = starts[i], extent;
        if (axis < 0)
            return run->fail(run, TSR_INVALID_ARGUMENT, "an axis must be in [-%u, %u), got %lld",
                             rank, rank, (long long)axes[i]);
        extent = x->desc->shape[axis];
        start += start < 0 ? extent : 0;
        start = start < 0 ? 0 : start >= extent ? extent - 1 : start;
        copy.from_offset += start * copy.from_stride[axis];
        /* One element is taken whatever the step; a huge step must not overflow. */
        copy.from_stride[axis] = y->desc->shape[axis] > 1 ? copy.from_stride[axis] * steps[i] : 0;
    }
    return aicpu_copy(run, &copy);
}

/* DepthToSpace (mode 0) and SpaceToDepth (mode 1): a transpose of six axes. The
 * six-axis shape is that of the output; order maps its axes to those of the input. */
static int32_t run_depth_space(const AicpuKernel *kernel, TsrRunContext *run)
{
    static const uint32_t dcr[6] = {0, 3, 4, 1, 5, 2}, crd[6] = {0, 1, 4, 2, 5, 3};
    static const uint32_t to_depth[6] = {0, 3, 5, 1, 2, 4};
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    const int64_t *d = x->desc->shape;
    int64_t b = tsr_attr_int(run->node, "blocksize", 1), shape[6], stride[6];
    int is_crd = tsr_attr_is(run->node, "mode", "CRD");
    const uint32_t *order = kernel->mode == 1 ? to_depth : is_crd ? crd : dcr;
    int64_t in_depth[6] = {d[0], d[1], d[2] / b, b, d[3] / b, b};
    int64_t in_dcr[6] = {d[0], b, b, d[1] / (b * b), d[2], d[3]};
    int64_t in_crd[6] = {d[0], d[1] / (b * b), b, b, d[2], d[3]};
    const int64_t *in = kernel->mode == 1 ? in_depth : is_crd ? in_crd : in_dcr;
    AicpuCopy copy = {.dtype = x->desc->dtype, .rank = 6, .shape = shape, .to = y->data,
                      .from = x->data};
    tsr_shape_strides(6, in, stride);
    for (uint32_t i = 0; i < 6; i++) {
        shape[i] = in[order[i]];
        copy.from_stride[i] = stride[order[i]];
    }
    tsr_shape_strides(6, shape, copy.to_stride);
    return aicpu_copy(run, &copy);
}

/* Texts first to first + count - 1. */
static int32_t copy_texts(TsrRunContext *run, int64_t first, int64_t count)
{
    const TsrString *from = run->inputs[0]->data;
    TsrString *to = run->outputs[0]->data;
    int32_t status = TSR_OK;
    for (int64_t i = first; i < first + count && status == TSR_OK; i++)
        status = run->set_string(run, &to[i], from[i].data, from[i].size);
    return status;
}

/* Trilu: what lies on the wrong side of diagonal k becomes zero, a text empty. */
static int32_t run_trilu(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    uint32_t rank = x->desc->rank;
    int64_t rows = x->desc->shape[rank - 2], columns = x->desc->shape[rank - 1];
    int64_t k = aicpu_scalar_int64(aicpu_input(run, 1), 0), count = tsr_desc_elements(x->desc);
    int64_t size = tsr_dtype_bits(x->desc->dtype) / 8;
    int upper = tsr_attr_int(run->node, "upper", 1) != 0;
    int32_t status;
    (void)kernel;
    if (size == 0)
        return run->fail(run, TSR_UNSUPPORTED, "Trilu of %s is not supported",
                         tsr_dtype_name(x->desc->dtype));
    if (count == 0)
        return TSR_OK;
    k = k > columns ? columns : k < -rows ? -rows : k;
    for (int64_t r = 0; r < count / columns; r++) {
        int64_t edge = r % rows + k + (upper ? 0 : 1), from, to;
        char *out = (char *)y->data + r * columns * size;
        edge = edge < 0 ? 0 : edge > columns ? columns : edge;
        from = upper ? edge : 0;
        to = upper ? columns : edge;
        memset(out, 0, (size_t)(columns * size));
        if (x->desc->dtype != TSR_DTYPE_STRING)
            memcpy(out + from * size, (const char *)x->data + (r * columns + from) * size,
                   (size_t)((to - from) * size));
        else if ((status = copy_texts(run, r * columns + from, to - from)) != TSR_OK)
            return status;
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Transpose", .run = run_transpose},
    {.op = "Slice", .run = run_slice},
    {.op = "DepthToSpace", .run = run_depth_space},
    {.op = "SpaceToDepth", .run = run_depth_space, .mode = 1},
    {.op = "Trilu", .run = run_trilu},
};

const AicpuFamily aicpu_layout = AICPU_FAMILY(kernels);
