/* SPDX-License-Identifier: Apache-2.0
 *
 * pad.c: Pad in its modes constant, reflect, edge and wrap. Each axis gets a table that
 * says which input index an output index reads (-1: the constant); the walk over the
 * output looks them up.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"

enum { MODE_CONSTANT, MODE_REFLECT, MODE_EDGE, MODE_WRAP };

/* Input index of position p (may be outside of [0, extent)) on an axis. */
static int64_t source_index(int64_t p, int64_t extent, int mode)
{
    if (p >= 0 && p < extent)
        return p;
    if (mode == MODE_CONSTANT || extent == 0)
        return -1;
    if (mode == MODE_EDGE)
        return p < 0 ? 0 : extent - 1;
    if (mode == MODE_WRAP)
        return ((p % extent) + extent) % extent;
    if (extent == 1)
        return 0;
    p = ((p % (2 * extent - 2)) + 2 * extent - 2) % (2 * extent - 2);
    return p < extent ? p : 2 * extent - 2 - p;
}

/* Reads where each axis begins: pads from attribute or input, axes from input 3. */
static int32_t read_begins(TsrRunContext *run, uint32_t rank, int64_t *begins)
{
    const TsrAttr *attr = tsr_attr_find(run->node, "pads");
    int64_t pads[2 * TSR_MAX_RANK], axes[TSR_MAX_RANK], count, axis_count;
    if (attr != NULL) {
        count = attr->count < 2 * rank ? attr->count : 2 * rank;
        memcpy(pads, attr->ints, (size_t)count * sizeof(int64_t));
    } else {
        count = aicpu_read_int64s(aicpu_input(run, 1), 2 * TSR_MAX_RANK, pads);
    }
    axis_count = aicpu_read_int64s(aicpu_input(run, 3), TSR_MAX_RANK, axes);
    if (aicpu_input(run, 3) == NULL)
        for (axis_count = 0; axis_count < (int64_t)rank; axis_count++)
            axes[axis_count] = axis_count;
    if (count != 2 * axis_count)
        return run->fail(run, TSR_INVALID_ARGUMENT, "pads must have %lld entries, got %lld",
                         (long long)(2 * axis_count), (long long)count);
    memset(begins, 0, rank * sizeof(int64_t));
    for (int64_t i = 0; i < axis_count; i++) {
        int64_t axis = tsr_axis_normalize(axes[i], rank);
        if (axis < 0)
            return run->fail(run, TSR_INVALID_ARGUMENT, "an axis must be in [-%u, %u), got %lld",
                             rank, rank, (long long)axes[i]);
        begins[axis] = pads[i];
    }
    return TSR_OK;
}

static int32_t run_pad(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    const TsrTensor *fill = aicpu_input(run, 2);
    uint32_t rank = x->desc->rank, dtype = x->desc->dtype;
    int64_t size = tsr_dtype_bits(dtype) / 8, begins[TSR_MAX_RANK], index[TSR_MAX_RANK] = {0};
    int64_t *table[TSR_MAX_RANK], stride[TSR_MAX_RANK], count = tsr_desc_elements(y->desc), n;
    int64_t total = 0;
    uint64_t constant[2] = {0, 0};
    int mode = tsr_attr_is(run->node, "mode", "reflect") ? MODE_REFLECT
               : tsr_attr_is(run->node, "mode", "edge")  ? MODE_EDGE
               : tsr_attr_is(run->node, "mode", "wrap")  ? MODE_WRAP
                                                         : MODE_CONSTANT;
    int32_t status = read_begins(run, rank, begins);
    (void)kernel;
    if (status != TSR_OK || count == 0)
        return status;
    if (size == 0 || size > (int64_t)sizeof(constant))
        return run->fail(run, TSR_UNSUPPORTED, "Pad of %s is not supported",
                         tsr_dtype_name(dtype));
    if (fill != NULL && tsr_desc_elements(fill->desc) > 0) {
        memcpy(constant, fill->data, (size_t)size);
    } else if (dtype != TSR_DTYPE_STRING && !(TSR_TYPES_COMPLEX & TSR_BIT(dtype))) {
        double value = (double)tsr_attr_float(run->node, "value", 0.0f);
        aicpu_store_double(dtype, constant, 0, 1, &value, AICPU_SATURATE);
    }
    if (rank == 0)
        return aicpu_copy_dense(run, dtype, y->data, 0, x->data, 0, 1);
    for (uint32_t i = 0; i < rank; i++)
        total += y->desc->shape[i];
    table[0] = run->scratch(run, (uint64_t)total * sizeof(int64_t));
    if (table[0] == NULL)
        return TSR_OUT_OF_MEMORY;
    tsr_shape_strides(rank, x->desc->shape, stride);
    for (uint32_t i = 0; i < rank; i++) {
        if (i > 0)
            table[i] = table[i - 1] + y->desc->shape[i - 1];
        for (int64_t p = 0; p < y->desc->shape[i]; p++) {
            int64_t from = source_index(p - begins[i], x->desc->shape[i], mode);
            table[i][p] = from < 0 ? -1 : from * stride[i];
        }
    }
    n = y->desc->shape[rank - 1];
    for (int64_t row = 0; row < count / n; row++) {
        int64_t base = 0;
        const int64_t *inner = table[rank - 1];
        char *out = (char *)y->data + row * n * size;
        for (uint32_t i = 0; i + 1 < rank; i++) {
            int64_t from = table[i][index[i]];
            base = from < 0 || base < 0 ? -1 : base + from;
        }
        for (int64_t p = 0; p < n && status == TSR_OK; p++) {
            const void *from = base < 0 || inner[p] < 0
                                   ? (const void *)constant
                                   : (const char *)x->data + (base + inner[p]) * size;
            if (dtype == TSR_DTYPE_STRING)
                status = aicpu_copy_dense(run, dtype, out, p, from, 0, 1);
            else if (size == 4)
                memcpy(out + p * 4, from, 4);
            else
                memcpy(out + p * size, from, (size_t)size);
        }
        for (uint32_t i = rank - 1; i-- > 0;) {
            if (++index[i] < y->desc->shape[i])
                break;
            index[i] = 0;
        }
    }
    return status;
}

static const AicpuKernel kernels[] = {
    {.op = "Pad", .run = run_pad},
};

const AicpuFamily aicpu_pad = AICPU_FAMILY(kernels);
