/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c: Scan: states and slices of the scan inputs go into the body, its scan outputs
 * are stacked. Scan 8 has a batch axis; its sequences are scanned one after the other.
 */
#include "iterate.h"
#include "../number.h"
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

/* Runs the body length times; in holds the states before and after. */
static int32_t iterate(TsrRunContext *run, const TsrAttr *body, Slice *slices, uint32_t scans,
                       const TsrTensor **in, uint32_t states, int64_t length,
                       AicpuStacks *stacks)
{
    const TsrTensor *out[AICPU_MAX_PORTS];
    int32_t status;
    for (int64_t t = 0; t < length; t++) {
        for (uint32_t i = 0; i < scans; i++) {
            if ((status = slice_take(run, &slices[i], t)) != TSR_OK)
                return status;
            in[states + i] = &slices[i].tensor;
        }
        status = run->run_subgraph(run, (uint32_t)body->i, in, states + scans, out,
                                   states + stacks->count);
        if (status != TSR_OK)
            return status;
        for (uint32_t i = 0; i < states; i++)
            in[i] = out[i];
        for (uint32_t i = 0; i < stacks->count; i++)
            if ((status = aicpu_stacks_push(stacks, i, out[states + i])) != TSR_OK)
                return status;
    }
    return TSR_OK;
}

static int32_t run_scan(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrAttr *body = tsr_attr_find(run->node, "body");
    uint32_t scans = (uint32_t)tsr_attr_int(run->node, "num_scan_inputs", 1), states, outputs;
    const TsrTensor *in[AICPU_MAX_PORTS];
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
    status = iterate(run, body, slices, scans, in, states, length, &stacks);
    if (status != TSR_OK)
        return status;
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

/* One entry of the batch axis of a tensor, as a tensor of its own. */
typedef struct Entry {
    TsrTensorDesc desc;
    TsrTensor tensor;
} Entry;

static int32_t batch_entry(TsrRunContext *run, const TsrTensor *from, int64_t batch, int64_t b,
                           Entry *entry_out)
{
    const TsrTensorDesc *desc = from->desc;
    if (desc->rank < 1 || desc->shape[0] != batch)
        return run->fail(run, TSR_INVALID_ARGUMENT, "an input has no batch axis of %lld",
                         (long long)batch);
    if (tsr_dtype_bits(desc->dtype) < 8)
        return run->fail(run, TSR_UNSUPPORTED, "scanning elements of type %s is not supported",
                         tsr_dtype_name(desc->dtype));
    memset(entry_out, 0, sizeof(*entry_out));
    entry_out->desc = *desc;
    entry_out->desc.rank = entry_out->desc.storage_rank = desc->rank - 1;
    entry_out->desc.shape = entry_out->desc.storage_shape = desc->shape + 1;
    entry_out->desc.origin_format = entry_out->desc.storage_format = TSR_FORMAT_ND;
    entry_out->tensor.struct_size = sizeof(TsrTensor);
    entry_out->tensor.desc = &entry_out->desc;
    entry_out->tensor.size_bytes = from->size_bytes / (uint64_t)batch;
    entry_out->tensor.data = (char *)from->data + (uint64_t)b * entry_out->tensor.size_bytes;
    return TSR_OK;
}

/* Writes tensor into entry b of output index, place `at` of `extent` when it is an
 * iteration's; the first of all says the shape. */
static int32_t store_entry(TsrRunContext *run, uint32_t index, const TsrTensor *tensor,
                           int64_t batch, int64_t b, int64_t extent, int64_t at)
{
    const TsrTensorDesc *desc = tensor->desc, *made;
    uint32_t lead = extent < 0 ? 1 : 2;
    int64_t shape[TSR_MAX_RANK] = {batch, extent}, n = tsr_desc_elements(desc);
    int32_t status;
    if (run->outputs[index] == NULL)
        return TSR_OK;
    if (desc->rank + lead > TSR_MAX_RANK)
        return run->fail(run, TSR_UNSUPPORTED, "output %u would have a rank above %d", index,
                         TSR_MAX_RANK);
    memcpy(shape + lead, desc->shape, desc->rank * sizeof(int64_t));
    if (b == 0 && (extent < 0 || at == 0)) {
        status = run->alloc_output(run, index, desc->dtype, desc->rank + lead, shape);
        if (status != TSR_OK)
            return status;
        memset(run->outputs[index]->data, 0, run->outputs[index]->size_bytes);
    }
    made = run->outputs[index]->desc;
    if (made->dtype != desc->dtype || made->rank != desc->rank + lead ||
        memcmp(made->shape, shape, made->rank * sizeof(int64_t)) != 0)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "iterations give output %u different shapes or types", index);
    return aicpu_copy_dense(run, desc->dtype, run->outputs[index]->data,
                            (extent < 0 ? b : b * extent + at) * n, tensor->data, 0, n);
}

/* Scan 8: input 0 has the lengths of the sequences; shorter ones end in zeros. */
static int32_t run_scan_8(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrAttr *body = tsr_attr_find(run->node, "body");
    uint32_t scans = (uint32_t)tsr_attr_int(run->node, "num_scan_inputs", 1), states, outputs;
    uint32_t total = run->input_count > 0 ? run->input_count - 1 : 0;
    const TsrTensor *in[AICPU_MAX_PORTS];
    const int64_t *lengths = aicpu_as_int64(run, aicpu_input(run, 0));
    int64_t batch, most;
    Slice *slices;
    Entry *entries;
    int32_t status = TSR_OK;
    (void)kernel;
    if (body == NULL || scans < 1 || scans > total || total > AICPU_MAX_PORTS ||
        run->output_count > AICPU_MAX_PORTS)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "num_scan_inputs must be in [1, %u], got %u, and values at most %d",
                         total, scans, AICPU_MAX_PORTS);
    states = total - scans;
    outputs = run->output_count > states ? run->output_count - states : 0;
    if (run->inputs[1 + states]->desc->rank < 2)
        return run->fail(run, TSR_INVALID_ARGUMENT, "a scan input needs a batch and a time axis");
    batch = run->inputs[1 + states]->desc->shape[0];
    most = run->inputs[1 + states]->desc->shape[1];
    if (batch < 1 || most < 1)
        return run->fail(run, TSR_UNSUPPORTED,
                         "%lld sequences of %lld steps leave the output shapes open",
                         (long long)batch, (long long)most);
    slices = run->scratch(run, scans * sizeof(*slices));
    entries = run->scratch(run, total * sizeof(*entries));
    if (slices == NULL || entries == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t b = 0; b < batch; b++) {
        int64_t length = lengths != NULL ? lengths[b] : most;
        AicpuStacks stacks;
        if (length < (b == 0) || length > most)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "a sequence length must be in [1, %lld], got %lld", (long long)most,
                             (long long)length);
        aicpu_stacks_init(&stacks, run, outputs);
        for (uint32_t i = 0; i < total; i++) {
            status = batch_entry(run, run->inputs[1 + i], batch, b, &entries[i]);
            in[i] = &entries[i].tensor;
            if (status == TSR_OK && i >= states)
                status = slice_init(run, &slices[i - states], in[i], 0,
                                    entry(run->node, "directions", i - states) != 0);
            if (status != TSR_OK)
                return status;
        }
        status = iterate(run, body, slices, scans, in, states, length, &stacks);
        for (uint32_t i = 0; i < states && status == TSR_OK; i++)
            status = store_entry(run, i, in[i], batch, b, -1, 0);
        for (uint32_t i = 0; i < outputs; i++)
            for (int64_t t = 0; t < length && status == TSR_OK; t++)
                status = store_entry(run, states + i, stacks.list[i][t], batch, b, most, t);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Scan", .run = run_scan, .since_min = 9},
    {.op = "Scan", .run = run_scan_8, .since_max = 8},
};

const AicpuFamily aicpu_scan = AICPU_FAMILY(kernels);
