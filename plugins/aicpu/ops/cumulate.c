/* SPDX-License-Identifier: Apache-2.0
 *
 * cumulate.c: CumSum and CumProd. Every line along the axis is walked once, from its
 * end when reversed; integers are combined in int64, which wraps like their own type
 * would, the others in double.
 */
#include "../aicpu.h"
#include "../number.h"

enum { SUM, PRODUCT };

static int32_t run_cumulate(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    const TsrTensor *y = run->outputs[0];
    int64_t axis = tsr_axis_normalize(aicpu_scalar_int64(run->inputs[1], 0), x->rank);
    int exclusive = tsr_attr_int(run->node, "exclusive", 0) != 0;
    int reverse = tsr_attr_int(run->node, "reverse", 0) != 0;
    int product = kernel->mode == PRODUCT;
    int64_t n, inner, count = tsr_desc_elements(x);
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->rank);
    n = x->shape[axis];
    inner = tsr_shape_elements(x->rank - (uint32_t)axis - 1, x->shape + axis + 1);
    for (int64_t v = 0; count > 0 && v < count / n; v++) {
        int64_t base = v / inner * n * inner + v % inner;
        uint64_t whole = product ? 1 : 0;
        double real = product ? 1.0 : 0.0;
        for (int64_t i = 0; i < n; i++) {
            int64_t at = base + (reverse ? n - 1 - i : i) * inner;
            if (aicpu_is_integer(x->dtype)) {
                int64_t number, out = (int64_t)whole;
                aicpu_load_int64(x->dtype, run->inputs[0]->data, at, 1, &number);
                whole = product ? whole * (uint64_t)number : whole + (uint64_t)number;
                out = exclusive ? out : (int64_t)whole;
                aicpu_store_int64(x->dtype, y->data, at, 1, &out);
            } else {
                double value, out = real;
                aicpu_load_double(x->dtype, run->inputs[0]->data, at, 1, &value);
                real = product ? real * value : real + value;
                out = exclusive ? out : real;
                aicpu_store_double(x->dtype, y->data, at, 1, &out, AICPU_SATURATE);
            }
        }
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "CumSum", .run = run_cumulate, .mode = SUM, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "CumProd", .run = run_cumulate, .mode = PRODUCT, .dtypes = TSR_TYPES_NUMERIC},
};

const AicpuFamily aicpu_cumulate = AICPU_FAMILY(kernels);
