/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c: Scan 9 on: states and slices of the scan inputs go into the body, its scan
 * outputs are stacked. Scan 8, which has a batch axis, is not taken.
 */
#include "iterate.h"
#include "../walk.h"

/* Entry k of an INTS attribute; 0 without it. */
static int64_t entry(const TsrNodeView *node, const char *name, uint32_t k)
{
    uint32_t count;
    const int64_t *ints = tsr_attr_ints(node, name, &count);
    return ints != NULL && k < count ? ints[k] : 0;
}

/* A slice of a scan input in scratch memory. */
typedef struct Slice {
    const TsrTensor *from;
    uint32_t axis;
    int reverse;
    TsrTensorDesc desc;
    TsrTensor tensor;
    int64_t shape[TSR_MAX_RANK];
} Slice;

static int32_t slice_init(TsrRunContext *run, Slice *slice, const TsrTensor *from, int64_t axis,
                          int reverse)
{
    uint32_t n = 0, rank = from->desc->rank;
    axis = tsr_axis_normalize(axis, rank);
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "a scan axis is outside of rank %u", rank);
    memset(slice, 0, sizeof(*slice));
    slice->from = from;
    slice->axis = (uint32_t)axis;
    slice->reverse = reverse;
    for (uint32_t i = 0; i < rank; i++)
        if (i != axis)
            slice->shape[n++] = from->desc->shape[i];
    slice->desc = *from->desc;
    slice->desc.rank = slice->desc.storage_rank = n;
    slice->desc.shape = slice->desc.storage_shape = slice->shape;
    slice->desc.origin_format = slice->desc.storage_format = TSR_FORMAT_ND;
    slice->tensor.struct_size = sizeof(TsrTensor);
    slice->tensor.desc = &slice->desc;
    slice->tensor.size_bytes =
        tsr_dtype_bytes(from->desc->dtype, (uint64_t)tsr_shape_elements(n, slice->shape));
    return TSR_OK;
}

/* Fills the slice with step t; its memory is new each time, because the body's outputs
 * may be views of it. */
static int32_t slice_take(TsrRunContext *run, Slice *slice, int64_t t)
{
    int64_t length = slice->from->desc->shape[slice->axis], stride[TSR_MAX_RANK];
    AicpuCopy copy = {.dtype = slice->desc.dtype, .rank = slice->desc.rank,
                      .shape = slice->shape, .from = slice->from->data};
    slice->tensor.data = run->scratch(run, slice->tensor.size_bytes + 1);
    if (slice->tensor.data == NULL)
        return TSR_OUT_OF_MEMORY;
    if (slice->desc.dtype == TSR_DTYPE_STRING)
        memset(slice->tensor.data, 0, slice->tensor.size_bytes);
    tsr_shape_strides(slice->from->desc->rank, slice->from->desc->shape, stride);
    for (uint32_t i = 0, n = 0; i < slice->from->desc->rank; i++)
        if (i != slice->axis)
            copy.from_stride[n++] = stride[i];
    tsr_shape_strides(slice->desc.rank, slice->shape, copy.to_stride);
    copy.to = slice->tensor.data;
    copy.from_offset = (slice->reverse ? length - 1 - t : t) * stride[slice->axis];
    return aicpu_copy(run, &copy);
}

static int32_t run_scan(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrAttr *body = tsr_attr_find(run->node, "body");
    uint32_t scans = (uint32_t)tsr_attr_int(run->node, "num_scan_inputs", 1), states, outputs;
    const TsrTensor *in[AICPU_MAX_PORTS], *out[AICPU_MAX_PORTS];
    AicpuStacks stacks;
    Slice *slices;
    int64_t length;
    int32_t status = TSR_OK;
    (void)kernel;
    if (body == NULL || scans < 1 || scans > run->input_count ||
        run->input_count > AICPU_MAX_PORTS || run->output_count > AICPU_MAX_PORTS)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "num_scan_inputs must be in [1, %u], got %u, and values at most %d",
                         run->input_count, scans, AICPU_MAX_PORTS);
    states = run->input_count - scans;
    outputs = run->output_count > states ? run->output_count - states : 0;
    slices = run->scratch(run, scans * sizeof(*slices));
    if (slices == NULL)
        return TSR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < scans && status == TSR_OK; i++)
        status = slice_init(run, &slices[i], run->inputs[states + i],
                            entry(run->node, "scan_input_axes", i),
                            entry(run->node, "scan_input_directions", i) != 0);
    if (status != TSR_OK)
        return status;
    length = slices[0].from->desc->shape[slices[0].axis];
    for (uint32_t i = 0; i < states; i++)
        in[i] = run->inputs[i];
    aicpu_stacks_init(&stacks, run, outputs);
    for (int64_t t = 0; t < length; t++) {
        for (uint32_t i = 0; i < scans; i++) {
            if ((status = slice_take(run, &slices[i], t)) != TSR_OK)
                return status;
            in[states + i] = &slices[i].tensor;
        }
        status = run->run_subgraph(run, (uint32_t)body->i, in, states + scans, out,
                                   states + outputs);
        if (status != TSR_OK)
            return status;
        for (uint32_t i = 0; i < states; i++)
            in[i] = out[i];
        for (uint32_t i = 0; i < outputs; i++)
            if ((status = aicpu_stacks_push(&stacks, i, out[states + i])) != TSR_OK)
                return status;
    }
    for (uint32_t i = 0; i < states && i < run->output_count; i++)
        if (run->outputs[i] != NULL && (status = run->forward_output(run, i, in[i])) != TSR_OK)
            return status;
    for (uint32_t i = 0; i < outputs; i++)
        if (run->outputs[states + i] != NULL &&
            (status = aicpu_stacks_output(&stacks, i, states + i,
                                          entry(run->node, "scan_output_axes", i),
                                          entry(run->node, "scan_output_directions", i) != 0)) !=
                TSR_OK)
            return status;
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Scan", .run = run_scan, .since_min = 9},
};

const AicpuFamily aicpu_scan = AICPU_FAMILY(kernels);
