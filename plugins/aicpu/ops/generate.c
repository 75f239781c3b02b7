/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.c: Constant, ConstantOfShape, Range, EyeLike: outputs made from attributes
 * and a few numbers.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"

static int32_t run_constant(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    int64_t count = tsr_desc_elements(y->desc);
    (void)kernel;
    for (uint32_t i = 0; i < run->node->attr_count; i++) {
        const TsrAttr *attr = run->node->attrs[i];
        if (attr->type == TSR_ATTR_TENSOR && attr->tensor != NULL)
            return aicpu_copy_dense(run, y->desc->dtype, y->data, 0, attr->tensor->data, 0,
                                    count);
        if (strncmp(attr->name, "value_", 6) == 0) {
            const void *from = attr->type == TSR_ATTR_FLOAT    ? (const void *)&attr->f
                               : attr->type == TSR_ATTR_INT    ? (const void *)&attr->i
                               : attr->type == TSR_ATTR_STRING ? (const void *)&attr->s
                               : attr->type == TSR_ATTR_FLOATS ? (const void *)attr->floats
                               : attr->type == TSR_ATTR_INTS   ? (const void *)attr->ints
                                                               : (const void *)attr->strings;
            return aicpu_copy_dense(run, y->desc->dtype, y->data, 0, from, 0, count);
        }
    }
    return run->fail(run, TSR_UNSUPPORTED, "needs a dense value attribute");
}

static int32_t run_constant_of_shape(const AicpuKernel *kernel, TsrRunContext *run)
{
    static const uint64_t zero[2] = {0, 0};
    const TsrAttr *value = tsr_attr_find(run->node, "value");
    const TsrTensor *y = run->outputs[0];
    AicpuCopy copy = {.dtype = y->desc->dtype, .rank = y->desc->rank, .shape = y->desc->shape,
                      .to = y->data, .from = zero};
    (void)kernel;
    if (value != NULL && value->tensor != NULL) {
        if (tsr_desc_elements(value->tensor->desc) != 1)
            return run->fail(run, TSR_INVALID_ARGUMENT, "value must have one element");
        copy.from = value->tensor->data;
    }
    tsr_shape_strides(y->desc->rank, y->desc->shape, copy.to_stride);
    if (tsr_dtype_bits(y->desc->dtype) < 8) {
        int64_t count = tsr_desc_elements(y->desc);
        double v;
        aicpu_load_double(y->desc->dtype, copy.from, 0, 1, &v);
        for (int64_t i = 0; i < count; i++)
            aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, AICPU_SATURATE);
        return TSR_OK;
    }
    return aicpu_copy(run, &copy);
}

static int32_t run_range(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    int64_t count = tsr_desc_elements(y->desc);
    (void)kernel;
    if (aicpu_is_integer(y->desc->dtype)) {
        uint64_t start = (uint64_t)aicpu_scalar_int64(run->inputs[0], 0);
        uint64_t delta = (uint64_t)aicpu_scalar_int64(run->inputs[2], 1);
        for (int64_t i = 0; i < count; i++) {
            int64_t v = (int64_t)(start + (uint64_t)i * delta);
            aicpu_store_int64(y->desc->dtype, y->data, i, 1, &v);
        }
        return TSR_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        double v = aicpu_scalar_double(run->inputs[0], 0.0) +
                   (double)i * aicpu_scalar_double(run->inputs[2], 1.0);
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, AICPU_SATURATE);
    }
    return TSR_OK;
}

static int32_t run_eye_like(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    int64_t k = tsr_attr_int(run->node, "k", 0), count = tsr_desc_elements(y->desc);
    (void)kernel;
    for (int64_t i = 0; i < count; i++) {
        int64_t v = i / y->desc->shape[1] + k == i % y->desc->shape[1];
        aicpu_store_int64(y->desc->dtype, y->data, i, 1, &v);
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Constant", .run = run_constant},
    {.op = "ConstantOfShape", .run = run_constant_of_shape},
    {.op = "Range", .run = run_range, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "EyeLike", .run = run_eye_like, .port = AICPU_PORT_OUTPUT, .dtypes = AICPU_NUMBERS},
};

const AicpuFamily aicpu_generate = AICPU_FAMILY(kernels);
