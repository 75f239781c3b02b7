/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.c: ONNX operators over sequences and optionals. A sequence is made anew of
 * the items of another: the host shares their memory, nothing is copied.
 */
#include "../aicpu.h"
#include "../number.h"

#include <string.h>

/* Brings a position of [-count - over, count - 1 + over] to [0, count + over]. */
static int32_t read_position(TsrRunContext *run, const TsrTensor *tensor, int64_t count,
                             int64_t missing, int64_t *out)
{
    int64_t position = aicpu_scalar_int64(tensor, missing);
    int64_t last = missing == count ? count : count - 1; /* an insertion may be at the end */
    if (position < -count || position > last)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "position %lld is outside [%lld, %lld] of the sequence",
                         (long long)position, (long long)-count, (long long)last);
    *out = position < 0 ? position + count : position;
    return TSR_OK;
}

static int32_t run_construct(const AicpuKernel *kernel, TsrRunContext *run)
{
    uint32_t dtype = run->input_count != 0 ? run->inputs[0]->desc->dtype : TSR_DTYPE_FLOAT;
    (void)kernel;
    return run->set_items(run, 0, TSR_KIND_SEQUENCE, dtype, run->inputs, run->input_count);
}

static int32_t run_empty(const AicpuKernel *kernel, TsrRunContext *run)
{
    (void)kernel;
    return run->set_items(run, 0, TSR_KIND_SEQUENCE,
                          (uint32_t)tsr_attr_int(run->node, "dtype", TSR_DTYPE_FLOAT), NULL, 0);
}

/* Items of a sequence without item skip, or with one more at position skip. */
static int32_t set_changed(TsrRunContext *run, int64_t position, const TsrTensor *inserted)
{
    const TsrTensor *sequence = run->inputs[0];
    uint32_t count = sequence->item_count + (inserted != NULL), used = 0;
    const TsrTensor **items = run->scratch(run, (uint64_t)(count + 1) * sizeof(*items));
    if (items == NULL)
        return TSR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i <= sequence->item_count; i++) {
        if (inserted != NULL && i == (uint64_t)position)
            items[used++] = inserted;
        if (i < sequence->item_count && (inserted != NULL || i != (uint64_t)position))
            items[used++] = sequence->items[i];
    }
    return run->set_items(run, 0, TSR_KIND_SEQUENCE,
                          inserted != NULL ? inserted->desc->dtype : sequence->desc->dtype,
                          items, used);
}

static int32_t run_insert(const AicpuKernel *kernel, TsrRunContext *run)
{
    int64_t count = run->inputs[0]->item_count, position = 0;
    int32_t status = read_position(run, aicpu_input(run, 2), count, count, &position);
    (void)kernel;
    return status != TSR_OK ? status : set_changed(run, position, run->inputs[1]);
}

static int32_t run_erase(const AicpuKernel *kernel, TsrRunContext *run)
{
    int64_t count = run->inputs[0]->item_count, position = 0;
    int32_t status = read_position(run, aicpu_input(run, 1), count, count - 1, &position);
    (void)kernel;
    return status != TSR_OK ? status : set_changed(run, position, NULL);
}

static int32_t run_at(const AicpuKernel *kernel, TsrRunContext *run)
{
    int64_t position = 0;
    int32_t status =
        read_position(run, run->inputs[1], run->inputs[0]->item_count, 0, &position);
    (void)kernel;
    return status != TSR_OK ? status
                            : run->forward_output(run, 0, run->inputs[0]->items[position]);
}

static int32_t run_length(const AicpuKernel *kernel, TsrRunContext *run)
{
    int64_t length = run->inputs[0]->item_count;
    int32_t status = run->alloc_output(run, 0, TSR_DTYPE_INT64, 0, NULL);
    (void)kernel;
    if (status == TSR_OK && aicpu_output(run, 0) != NULL)
        memcpy(run->outputs[0]->data, &length, sizeof(length));
    return status;
}

/* Copies rows [first, first + extent) along an axis into a new tensor. */
static const TsrTensor *cut(TsrRunContext *run, const TsrTensor *input, uint32_t axis,
                            int64_t first, int64_t extent, int keep)
{
    const TsrTensorDesc *desc = input->desc;
    uint64_t element = tsr_dtype_bits(desc->dtype) / 8;
    int64_t outer = tsr_shape_elements(axis, desc->shape), shape[TSR_MAX_RANK];
    int64_t inner = tsr_shape_elements(desc->rank - axis - 1, desc->shape + axis + 1);
    uint32_t rank = 0;
    TsrTensor *out;
    for (uint32_t i = 0; i < desc->rank; i++)
        if (i != axis || keep)
            shape[rank++] = i == axis ? extent : desc->shape[i];
    out = run->new_tensor(run, desc->dtype, rank, shape);
    for (int64_t o = 0; out != NULL && o < outer && extent * inner != 0; o++)
        memcpy((char *)out->data + (uint64_t)(o * extent * inner) * element,
               (const char *)input->data +
                   (uint64_t)((o * desc->shape[axis] + first) * inner) * element,
               (uint64_t)(extent * inner) * element);
    return out;
}

static int32_t run_split(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *input = run->inputs[0], *split = aicpu_input(run, 1);
    const TsrTensorDesc *desc = input->desc;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), desc->rank);
    int keep = split != NULL || tsr_attr_int(run->node, "keepdims", 1) != 0;
    int64_t extent, step, count, at = 0, *sizes = NULL;
    const TsrTensor **items;
    (void)kernel;
    if (axis < 0 || tsr_dtype_bits(desc->dtype) < 8)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "axis is outside the rank %u, or the type is below a byte", desc->rank);
    extent = desc->shape[axis];
    if (split != NULL && split->desc->rank == 1) {
        count = split->desc->shape[0];
        sizes = run->scratch(run, (uint64_t)(count + 1) * sizeof(*sizes));
        if (sizes == NULL)
            return TSR_OUT_OF_MEMORY;
        aicpu_read_int64s(split, count, sizes);
        step = 0;
    } else {
        step = aicpu_scalar_int64(split, 1);
        if (step < 1)
            return run->fail(run, TSR_INVALID_ARGUMENT, "split must be 1 or more, got %lld",
                             (long long)step);
        count = (extent + step - 1) / step;
    }
    items = run->scratch(run, (uint64_t)(count + 1) * sizeof(*items));
    if (items == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int64_t size = sizes != NULL ? sizes[i] : extent - at < step ? extent - at : step;
        if (size < 0 || size > extent - at)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "split %lld of %lld does not fit the extent %lld of the axis",
                             (long long)i, (long long)size, (long long)extent);
        items[i] = cut(run, input, (uint32_t)axis, at, size, keep);
        if (items[i] == NULL)
            return TSR_OUT_OF_MEMORY;
        at += size;
    }
    if (at != extent)
        return run->fail(run, TSR_INVALID_ARGUMENT, "splits add up to %lld, the axis has %lld",
                         (long long)at, (long long)extent);
    return run->set_items(run, 0, TSR_KIND_SEQUENCE, desc->dtype, items, (uint32_t)count);
}

/* Concatenates the items along an axis that they have, or a new one. */
static int32_t run_concat(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *sequence = run->inputs[0];
    const TsrTensorDesc *first;
    int fresh = tsr_attr_int(run->node, "new_axis", 0) != 0;
    int64_t axis, outer, inner, total = 0, shape[TSR_MAX_RANK];
    uint32_t rank;
    uint64_t element, at = 0;
    int32_t status;
    (void)kernel;
    if (sequence->item_count == 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "the sequence is empty");
    first = sequence->items[0]->desc;
    rank = first->rank + (uint32_t)fresh;
    element = tsr_dtype_bits(first->dtype) / 8;
    axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), rank);
    if (axis < 0 || rank > TSR_MAX_RANK || element == 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside the rank %u", rank);
    for (uint32_t i = 0; i < sequence->item_count; i++) {
        const TsrTensorDesc *desc = sequence->items[i]->desc;
        int same = desc->rank == first->rank && desc->dtype == first->dtype;
        for (uint32_t k = 0; same && k < desc->rank; k++)
            same = desc->shape[k] == first->shape[k] || (!fresh && (int64_t)k == axis);
        if (!same)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "item %u has another type or shape than item 0", i);
        total += fresh ? 1 : desc->shape[axis];
    }
    for (uint32_t k = 0, from = 0; k < rank; k++)
        shape[k] = fresh && (int64_t)k == axis ? 1 : first->shape[from++];
    shape[axis] = total;
    if ((status = run->alloc_output(run, 0, first->dtype, rank, shape)) != TSR_OK ||
        aicpu_output(run, 0) == NULL)
        return status;
    outer = tsr_shape_elements((uint32_t)axis, shape);
    inner = tsr_shape_elements(rank - (uint32_t)axis - 1, shape + axis + 1);
    for (int64_t o = 0; o < outer; o++) {
        for (uint32_t i = 0; i < sequence->item_count; i++) {
            const TsrTensor *item = sequence->items[i];
            uint64_t bytes = (uint64_t)((fresh ? 1 : item->desc->shape[axis]) * inner) * element;
            if (bytes != 0)
                memcpy((char *)run->outputs[0]->data + at,
                       (const char *)item->data + (uint64_t)o * bytes, bytes);
            at += bytes;
        }
    }
    return TSR_OK;
}

static int32_t run_optional(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *input = aicpu_input(run, 0);
    const TsrTensorDesc *desc = run->node->outputs[0];
    (void)kernel;
    return run->set_items(run, 0, desc->kind, input != NULL ? input->desc->dtype : desc->dtype,
                          &input, input != NULL ? 1 : 0);
}

static int is_optional(const TsrTensor *tensor)
{
    return tensor->desc->kind == TSR_KIND_OPTIONAL ||
           tensor->desc->kind == TSR_KIND_OPTIONAL_SEQUENCE;
}

static int32_t run_get_element(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *input = run->inputs[0];
    (void)kernel;
    if (!is_optional(input))
        return run->forward_output(run, 0, input);
    if (input->item_count == 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "the optional holds nothing");
    return run->forward_output(run, 0, input->items[0]);
}

static int32_t run_has_element(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *input = aicpu_input(run, 0);
    uint8_t has = input != NULL && (!is_optional(input) || input->item_count != 0);
    int32_t status = run->alloc_output(run, 0, TSR_DTYPE_BOOL, 0, NULL);
    (void)kernel;
    if (status == TSR_OK && aicpu_output(run, 0) != NULL)
        memcpy(run->outputs[0]->data, &has, 1);
    return status;
}

/* SequenceMap: the body once for each element of the first sequence. */
static int32_t run_map(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrAttr *body = tsr_attr_find(run->node, "body");
    uint32_t length = run->inputs[0]->item_count, outputs = run->output_count;
    const TsrTensor **in = run->scratch(run, (uint64_t)(run->input_count + 1) * sizeof(*in));
    const TsrTensor **out = run->scratch(run, (uint64_t)(outputs + 1) * sizeof(*out));
    const TsrTensor **made =
        run->scratch(run, ((uint64_t)outputs * length + 1) * sizeof(*made));
    int32_t status = TSR_OK;
    (void)kernel;
    if (in == NULL || out == NULL || made == NULL)
        return TSR_OUT_OF_MEMORY;
    if (body == NULL)
        return run->fail(run, TSR_INVALID_ARGUMENT, "has no body");
    for (uint32_t i = 0; i < length; i++) {
        for (uint32_t k = 0; k < run->input_count; k++) {
            const TsrTensor *input = run->inputs[k];
            in[k] = input;
            if (input->desc->kind != TSR_KIND_SEQUENCE)
                continue;
            if (input->item_count != length)
                return run->fail(run, TSR_INVALID_ARGUMENT,
                                 "input %u has %u elements, input 0 has %u", k,
                                 input->item_count, length);
            in[k] = input->items[i];
        }
        status = run->run_subgraph(run, (uint32_t)body->i, in, run->input_count, out, outputs);
        if (status != TSR_OK)
            return status;
        for (uint32_t k = 0; k < outputs; k++)
            made[(uint64_t)k * length + i] = out[k];
    }
    for (uint32_t k = 0; k < outputs && status == TSR_OK; k++)
        if (run->outputs[k] != NULL)
            status = run->set_items(run, k, TSR_KIND_SEQUENCE,
                                    length != 0 ? made[(uint64_t)k * length]->desc->dtype
                                                : run->node->outputs[k]->dtype,
                                    made + (uint64_t)k * length, length);
    return status;
}

static const AicpuKernel sequence_kernels[] = {
    {.op = "SequenceConstruct", .since_min = 11, .run = run_construct},
    {.op = "SequenceEmpty", .since_min = 11, .port = AICPU_PORT_OUTPUT, .run = run_empty},
    {.op = "SequenceInsert", .since_min = 11, .run = run_insert},
    {.op = "SequenceErase", .since_min = 11, .run = run_erase},
    {.op = "SequenceAt", .since_min = 11, .run = run_at},
    {.op = "SequenceLength", .since_min = 11, .run = run_length},
    {.op = "SplitToSequence", .since_min = 11, .run = run_split},
    {.op = "ConcatFromSequence", .since_min = 11, .run = run_concat},
    {.op = "Optional", .since_min = 15, .port = AICPU_PORT_OUTPUT, .run = run_optional},
    {.op = "OptionalGetElement", .since_min = 15, .run = run_get_element},
    {.op = "OptionalHasElement", .since_min = 15, .port = AICPU_PORT_OUTPUT,
     .run = run_has_element},
    {.op = "SequenceMap", .since_min = 17, .run = run_map},
};

const AicpuFamily aicpu_sequence = AICPU_FAMILY(sequence_kernels);
