/* SPDX-License-Identifier: Apache-2.0
 *
 * quantize.c: QuantizeLinear and DequantizeLinear: one scale, one per entry of an axis,
 * or (21 on) one per block of an axis.
 */
#include "../aicpu.h"
#include "../number.h"
#include <math.h>

/* Where the scale of element i lies. */
typedef struct Scales {
    const TsrTensor *scale;
    const TsrTensor *zero;
    int64_t inner, extent, block, scale_extent;
    int single;
} Scales;

static int32_t read_scales(TsrRunContext *run, Scales *scales)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *s = run->inputs[1]->desc;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", 1), x->rank);
    int64_t block = tsr_attr_int(run->node, "block_size", 0);
    scales->scale = run->inputs[1];
    scales->zero = aicpu_input(run, 2);
    scales->single = tsr_desc_elements(s) == 1 && s->rank <= 1;
    if (scales->zero != NULL && tsr_desc_elements(scales->zero->desc) != tsr_desc_elements(s))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "the zero point must have %lld entries like the scale, got %lld",
                         (long long)tsr_desc_elements(s),
                         (long long)tsr_desc_elements(scales->zero->desc));
    if (scales->single)
        return TSR_OK;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->rank);
    scales->inner = tsr_shape_elements(x->rank - (uint32_t)axis - 1, x->shape + axis + 1);
    scales->extent = x->shape[axis];
    scales->block = block;
    scales->scale_extent = s->rank == 1 ? s->shape[0] : s->shape[axis];
    if (block == 0 && s->rank == x->rank && s->rank > 1 && scales->scale_extent > 0)
        scales->block = scales->extent / scales->scale_extent;
    if (scales->block == 0 && (s->rank != 1 || s->shape[0] != scales->extent))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "the scale must have %lld entries like axis %lld",
                         (long long)scales->extent, (long long)axis);
    if (scales->block != 0 && (s->rank != x->rank || scales->block < 0 ||
                               (scales->extent + scales->block - 1) / scales->block !=
                                   scales->scale_extent))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "blocks of %lld do not cover axis %lld with %lld scales",
                         (long long)scales->block, (long long)axis,
                         (long long)scales->scale_extent);
    for (uint32_t i = 0; scales->block != 0 && i < x->rank; i++)
        if (i != axis && s->shape[i] != x->shape[i])
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "axis %u of the scale must be %lld like the input, got %lld", i,
                             (long long)x->shape[i], (long long)s->shape[i]);
    return TSR_OK;
}

static int64_t scale_index(const Scales *scales, int64_t i)
{
    int64_t at;
    if (scales->single)
        return 0;
    at = i / scales->inner % scales->extent;
    if (scales->block == 0)
        return at;
    return (i / scales->inner / scales->extent * scales->scale_extent + at / scales->block) *
               scales->inner + i % scales->inner;
}

/* Limits of an integer type; floats have none. */
static void limits(uint32_t dtype, double *low, double *high)
{
    int is_signed = ((TSR_TYPES_SIGNED | TSR_BIT(TSR_DTYPE_INT4) | TSR_BIT(TSR_DTYPE_INT2)) >>
                     dtype) & 1;
    double range = ldexp(1.0, (int)tsr_dtype_bits(dtype));
    *low = is_signed ? -range / 2 : 0.0;
    *high = is_signed ? range / 2 - 1 : range - 1;
}

static int32_t run_quantize(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    int64_t count = tsr_desc_elements(x->desc);
    int saturate = tsr_attr_int(run->node, "saturate", 1) != 0;
    int integer = aicpu_is_integer(y->desc->dtype);
    double low, high;
    Scales scales = {.single = 0};
    int32_t status = read_scales(run, &scales);
    (void)kernel;
    limits(y->desc->dtype, &low, &high);
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        double v, s, zero = 0.0;
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &v);
        aicpu_load_double(scales.scale->desc->dtype, scales.scale->data, scale_index(&scales, i),
                          1, &s);
        if (scales.zero != NULL)
            aicpu_load_double(scales.zero->desc->dtype, scales.zero->data,
                              scale_index(&scales, i), 1, &zero);
        /* The quotient is a float in the operator, which decides halves. */
        v = (double)((float)v / (float)s);
        v = (integer ? rint(v) : v) + zero; /* round half to even */
        if (integer) {
            v = v < low ? low : v > high ? high : v;
        }
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, saturate);
    }
    return status;
}

static int32_t run_dequantize(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    int64_t count = tsr_desc_elements(x->desc);
    Scales scales = {.single = 0};
    int32_t status = read_scales(run, &scales);
    (void)kernel;
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        double v, s, zero = 0.0;
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &v);
        aicpu_load_double(scales.scale->desc->dtype, scales.scale->data, scale_index(&scales, i),
                          1, &s);
        if (scales.zero != NULL)
            aicpu_load_double(scales.zero->desc->dtype, scales.zero->data,
                              scale_index(&scales, i), 1, &zero);
        v = (v - zero) * s;
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &v, AICPU_SATURATE);
    }
    return status;
}

static const AicpuKernel kernels[] = {
    {.op = "QuantizeLinear", .run = run_quantize, .dtypes = AICPU_NUMBERS},
    {.op = "DequantizeLinear", .run = run_dequantize, .dtypes = AICPU_NUMBERS},
};

const AicpuFamily aicpu_quantize = AICPU_FAMILY(kernels);
