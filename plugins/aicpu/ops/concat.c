/* SPDX-License-Identifier: Apache-2.0
 *
 * concat.c: Concat and Split: dense chunks between one long and several short tensors
 * along an axis.
 */
#include "../aicpu.h"
#include "../walk.h"

/* Product of the dimensions from begin up to end. */
static int64_t product(const TsrTensorDesc *desc, uint32_t begin, uint32_t end)
{
    return tsr_shape_elements(end - begin, desc->shape + begin);
}

/* Moves one part that starts at place along the axis of the whole, in or out. */
static int32_t move_part(TsrRunContext *run, const TsrTensor *whole, const TsrTensor *part,
                         uint32_t axis, int64_t place, int to_whole)
{
    int64_t outer = product(part->desc, 0, axis);
    int64_t inner = product(part->desc, axis + 1, part->desc->rank);
    int64_t chunk = part->desc->shape[axis] * inner, step = whole->desc->shape[axis] * inner;
    int64_t shape[2] = {outer, chunk};
    AicpuCopy copy = {.dtype = part->desc->dtype, .rank = 2, .shape = shape,
                      .to = to_whole ? whole->data : part->data,
                      .from = to_whole ? part->data : whole->data,
                      .to_offset = to_whole ? place * inner : 0,
                      .from_offset = to_whole ? 0 : place * inner,
                      .to_stride = {to_whole ? step : chunk, 1},
                      .from_stride = {to_whole ? chunk : step, 1}};
    return outer * chunk == 0 ? TSR_OK : aicpu_copy(run, &copy);
}

static int32_t run_concat(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 1), y->desc->rank);
    int64_t place = 0;
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", y->desc->rank);
    for (uint32_t i = 0; i < run->input_count; i++) {
        int32_t status = move_part(run, y, run->inputs[i], (uint32_t)axis, place, 1);
        if (status != TSR_OK)
            return status;
        place += run->inputs[i]->desc->shape[axis];
    }
    return TSR_OK;
}

static int32_t run_split(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0];
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 0), x->desc->rank);
    uint32_t count;
    const int64_t *attr = tsr_attr_ints(run->node, "split", &count);
    const TsrTensor *sizes = aicpu_input(run, 1);
    int64_t place = 0, share;
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->desc->rank);
    share = (x->desc->shape[axis] + run->output_count - 1) / run->output_count;
    for (uint32_t i = 0; i < run->output_count; i++) {
        int32_t status;
        if (run->outputs[i] != NULL) {
            status = move_part(run, x, run->outputs[i], (uint32_t)axis, place, 0);
            if (status != TSR_OK)
                return status;
        }
        place += run->outputs[i] != NULL ? run->outputs[i]->desc->shape[axis]
                 : attr != NULL          ? attr[i]
                 : sizes != NULL         ? ((const int64_t *)sizes->data)[i]
                                         : share;
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Concat", .run = run_concat},
    {.op = "Split", .run = run_split},
};

const AicpuFamily aicpu_concat = AICPU_FAMILY(kernels);
