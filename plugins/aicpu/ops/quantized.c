/* SPDX-License-Identifier: Apache-2.0
 *
 * quantized.c: arithmetic on quantized numbers: DynamicQuantizeLinear, MatMulInteger,
 * QLinearMatMul, ConvInteger and QLinearConv. Products are summed exactly in int64, or in
 * double for the 8 bit floats (QLinearMatMul 21); the result is scaled once.
 */
#include "window.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

/* Rounds half to even and clamps to an integer type; floats are left as they are. */
static double fit(uint32_t dtype, double value)
{
    double range = ldexp(1.0, (int)tsr_dtype_bits(dtype));
    int is_signed = ((TSR_TYPES_SIGNED | TSR_BIT(TSR_DTYPE_INT4) | TSR_BIT(TSR_DTYPE_INT2)) >>
                     dtype) & 1;
    if (!aicpu_is_integer(dtype))
        return value;
    value = rint(value);
    return fmin(fmax(value, is_signed ? -range / 2 : 0.0), is_signed ? range / 2 - 1 : range - 1);
}

/* DynamicQuantizeLinear: the range of x and zero onto 0 to 255. In float, as the
 * operator's function body computes it. */
static int32_t run_dynamic(const AicpuKernel *kernel, TsrRunContext *run)
{
    const float *x = run->inputs[0]->data;
    int64_t count = tsr_desc_elements(run->inputs[0]->desc);
    float low = 0.0f, high = 0.0f, scale, zero;
    (void)kernel;
    for (int64_t i = 0; i < count; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    scale = (high - low) / 255.0f;
    zero = scale > 0.0f ? (float)fit(TSR_DTYPE_UINT8, (double)(-low / scale)) : 0.0f;
    for (int64_t i = 0; i < count && aicpu_output(run, 0) != NULL; i++) {
        double value = scale > 0.0f ? rint((double)(x[i] / scale)) + (double)zero : 0.0;
        ((uint8_t *)run->outputs[0]->data)[i] = (uint8_t)fit(TSR_DTYPE_UINT8, value);
    }
    if (aicpu_output(run, 1) != NULL)
        *(float *)run->outputs[1]->data = scale;
    if (aicpu_output(run, 2) != NULL)
        *(uint8_t *)run->outputs[2]->data = (uint8_t)zero;
    return TSR_OK;
}

/* Values minus zero points. per: neighbours that share one entry of the zero point; a
 * scalar serves all. */
static double *centered(TsrRunContext *run, const TsrTensor *x, const TsrTensor *zero,
                        int64_t per)
{
    int64_t count = tsr_desc_elements(x->desc);
    int64_t zeros = zero != NULL ? tsr_desc_elements(zero->desc) : 0;
    const double *z = aicpu_as_double(run, zero);
    double *out = run->scratch(run, (uint64_t)(count + 1) * sizeof(*out));
    if (out == NULL || (zero != NULL && z == NULL))
        return NULL;
    aicpu_load_double(x->desc->dtype, x->data, 0, count, out);
    for (int64_t i = 0; i < count && zeros > 0; i++)
        out[i] -= zeros == 1 ? z[0] : z[i / per % zeros];
    return out;
}

/* Entry of a scale: the only one, or that of row or column i. */
static double entry(const double *scale, int64_t count, int64_t i)
{
    return scale[count == 1 ? 0 : i % count];
}

/* mode 1: quantized with scales (QLinearMatMul); else int32 (MatMulInteger). Sums of up to
 * 2^37 products of 8 bits are exact in double. */
static int32_t run_matmul(const AicpuKernel *kernel, TsrRunContext *run)
{
    int quantized = kernel->mode == 1;
    const TsrTensor *a_tensor = run->inputs[0], *b_tensor = run->inputs[quantized ? 3 : 1];
    const TsrTensor *a_zero = aicpu_input(run, 2), *b_zero = aicpu_input(run, quantized ? 5 : 3);
    const TsrTensor *y = run->outputs[0];
    const TsrTensorDesc *a_desc = a_tensor->desc, *b_desc = b_tensor->desc;
    int64_t inner = a_desc->shape[a_desc->rank - 1], count = tsr_desc_elements(y->desc);
    int64_t rows = a_desc->rank > 1 ? a_desc->shape[a_desc->rank - 2] : 1;
    int64_t columns = b_desc->rank > 1 ? b_desc->shape[b_desc->rank - 1] : 1;
    int64_t stride_a[TSR_MAX_RANK], stride_b[TSR_MAX_RANK], dim[TSR_MAX_RANK];
    uint32_t a_rank = a_desc->rank > 2 ? a_desc->rank - 2 : 0, rank = a_rank;
    uint32_t b_rank = b_desc->rank > 2 ? b_desc->rank - 2 : 0;
    const double *scale[3] = {NULL, NULL, NULL};
    int64_t scales[3] = {1, 1, 1};
    double *a, *b, y_zero = 0.0;
    if (count == 0)
        return TSR_OK;
    a = centered(run, a_tensor, a_zero, inner > 0 ? inner : 1);
    b = centered(run, b_tensor, b_zero, 1);
    if (a == NULL || b == NULL)
        return TSR_OUT_OF_MEMORY;
    for (uint32_t k = 0; quantized && k < 3; k++) {
        const TsrTensor *tensor = run->inputs[k == 0 ? 1 : k == 1 ? 4 : 6];
        scale[k] = aicpu_as_double(run, tensor);
        scales[k] = tsr_desc_elements(tensor->desc);
        if (scale[k] == NULL || scales[k] < 1)
            return run->fail(run, TSR_INVALID_ARGUMENT, "a scale is empty");
    }
    if (quantized)
        y_zero = aicpu_scalar_double(run->inputs[7], 0.0);
    memcpy(dim, a_desc->shape, a_rank * sizeof(int64_t));
    tsr_shape_broadcast(&rank, dim, b_rank, b_desc->shape);
    tsr_broadcast_strides(a_rank, a_desc->shape, rank, stride_a);
    tsr_broadcast_strides(b_rank, b_desc->shape, rank, stride_b);
    for (int64_t i = 0; i < count; i++) {
        int64_t column = i % columns, row = i / columns % rows, batch = i / columns / rows;
        int64_t from_a = 0, from_b = 0;
        double sum = 0.0;
        for (uint32_t d = rank; d-- > 0;) {
            from_a += batch % dim[d] * stride_a[d];
            from_b += batch % dim[d] * stride_b[d];
            batch /= dim[d];
        }
        from_a = (from_a * rows + row) * inner;
        from_b = from_b * inner * columns + column;
        for (int64_t k = 0; k < inner; k++)
            sum += a[from_a + k] * b[from_b + k * columns];
        if (quantized) {
            sum *= entry(scale[0], scales[0], row) * entry(scale[1], scales[1], column) /
                   entry(scale[2], scales[2], column);
            sum = aicpu_is_integer(y->desc->dtype) ? fit(y->desc->dtype, rint(sum) + y_zero)
                                                   : sum + y_zero;
        }
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &sum, AICPU_SATURATE);
    }
    return TSR_OK;
}

typedef struct Conv {
    Window w;
    int64_t maps, channels, group;
    const double *x, *weight;
    const double *factor, *bias; /* one for each map; NULL: plain sums */
    double y_zero;
    const TsrTensor *y;
} Conv;

/* Planes [begin, end) of the output: one image, one map each. */
static void conv_planes(void *arg, uint64_t begin, uint64_t end)
{
    const Conv *conv = arg;
    const Window *w = &conv->w;
    int64_t per_group = conv->channels / conv->group;
    for (uint64_t p = begin; p < end; p++) {
        int64_t m = (int64_t)p % conv->maps, batch = (int64_t)p / conv->maps;
        int64_t first = m / (conv->maps / conv->group) * per_group;
        const double *x = conv->x + (batch * conv->channels + first) * w->in_count;
        for (int64_t o = 0; o < w->out_count; o++) {
            double sum = conv->bias != NULL ? conv->bias[m] : 0.0;
            for (int64_t k = 0; k < w->kernel_count; k++) {
                int64_t from = 0, scale = 1, rest_k = k, rest_o = o;
                for (uint32_t d = w->spatial; d-- > 0 && from >= 0;) {
                    int64_t at = rest_o % w->out[d] * w->stride[d] - w->begin[d] +
                                 rest_k % w->kernel[d] * w->dilation[d];
                    from = at < 0 || at >= w->in[d] ? -1 : from + at * scale;
                    scale *= w->in[d];
                    rest_o /= w->out[d];
                    rest_k /= w->kernel[d];
                }
                for (int64_t c = 0; from >= 0 && c < per_group; c++)
                    sum += x[c * w->in_count + from] *
                           conv->weight[(m * per_group + c) * w->kernel_count + k];
            }
            if (conv->factor != NULL)
                sum = fit(conv->y->desc->dtype, rint(sum * conv->factor[m]) + conv->y_zero);
            aicpu_store_double(conv->y->desc->dtype, conv->y->data,
                               (int64_t)p * w->out_count + o, 1, &sum, AICPU_SATURATE);
        }
    }
}

/* mode 1: QLinearConv; else ConvInteger. Padding has the value of the zero point. */
static int32_t run_conv(const AicpuKernel *kernel, TsrRunContext *run)
{
    int quantized = kernel->mode == 1;
    const TsrTensor *x = run->inputs[0], *weight = run->inputs[quantized ? 3 : 1];
    const TsrTensorDesc *y = run->outputs[0]->desc;
    Conv conv = {.maps = y->shape[1], .channels = x->desc->shape[1], .y = run->outputs[0],
                 .group = tsr_attr_int(run->node, "group", 1)};
    int32_t status = aicpu_window_read(run, x->desc, y, weight->desc->shape + 2, 0, &conv.w);
    if (status != TSR_OK || tsr_desc_elements(y) == 0)
        return status;
    conv.x = centered(run, x, aicpu_input(run, 2), 1);
    conv.weight = centered(run, weight, aicpu_input(run, quantized ? 5 : 3),
                           tsr_desc_elements(weight->desc) / conv.maps);
    if (conv.x == NULL || conv.weight == NULL)
        return TSR_OUT_OF_MEMORY;
    if (quantized) {
        double *factor = run->scratch(run, (uint64_t)conv.maps * sizeof(*factor));
        const double *scales = aicpu_as_double(run, run->inputs[4]);
        int64_t count = tsr_desc_elements(run->inputs[4]->desc);
        if (factor == NULL || scales == NULL)
            return TSR_OUT_OF_MEMORY;
        if (count != 1 && count != conv.maps)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "w_scale must have 1 or %lld entries, got %lld",
                             (long long)conv.maps, (long long)count);
        for (int64_t m = 0; m < conv.maps; m++)
            factor[m] = aicpu_scalar_double(run->inputs[1], 1.0) * entry(scales, count, m) /
                        aicpu_scalar_double(run->inputs[6], 1.0);
        conv.factor = factor;
        conv.y_zero = aicpu_scalar_double(run->inputs[7], 0.0);
        conv.bias = aicpu_as_double(run, aicpu_input(run, 8));
    }
    aicpu_parallel(run, y->shape[0] * conv.maps,
                   1 + 16384 / (1 + conv.w.out_count * conv.w.kernel_count), conv_planes, &conv);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "DynamicQuantizeLinear", .run = run_dynamic, .dtypes = TSR_BIT(TSR_DTYPE_FLOAT)},
    {.op = "MatMulInteger", .run = run_matmul},
    {.op = "QLinearMatMul", .run = run_matmul, .mode = 1},
    {.op = "ConvInteger", .run = run_conv},
    {.op = "QLinearConv", .run = run_conv, .mode = 1},
};

const AicpuFamily aicpu_quantized = AICPU_FAMILY(kernels);
