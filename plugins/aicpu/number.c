/* SPDX-License-Identifier: Apache-2.0
 *
 * number.c: typed loads and stores. Integers convert by value where they fit and wrap
 * where they do not (Cast 13: discard higher bits); floats round to nearest even.
 */
#include "number.h"
#include "aicpu.h"
#include <math.h>

/* An 8 or 4 bit float: sign, exponent, mantissa (ONNX float8 and float4 pages). */
typedef struct Narrow {
    int mantissa;   /* bits */
    int bias;
    double max;     /* largest finite value */
    uint8_t sign;   /* its bit */
    uint8_t nan;    /* code, 0 when there is none */
    uint8_t inf;    /* code, 0 when there is none */
    uint8_t no_negative_zero;
} Narrow;

static const Narrow narrow[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT8E4M3FN] = {3, 7, 448.0, 0x80, 0x7f, 0, 0},
    [TSR_DTYPE_FLOAT8E4M3FNUZ] = {3, 8, 240.0, 0x80, 0x80, 0, 1},
    [TSR_DTYPE_FLOAT8E5M2] = {2, 15, 57344.0, 0x80, 0x7e, 0x7c, 0},
    [TSR_DTYPE_FLOAT8E5M2FNUZ] = {2, 16, 57344.0, 0x80, 0x80, 0, 1},
    [TSR_DTYPE_FLOAT4E2M1] = {1, 1, 6.0, 0x08, 0, 0, 0},
};

static double narrow_decode(const Narrow *format, uint8_t code)
{
    int low = code & (format->sign - 1), exponent = low >> format->mantissa;
    int mantissa = low & ((1 << format->mantissa) - 1);
    double value;
    if (format->inf == 0 && format->nan != 0 &&
        (format->no_negative_zero ? code == format->nan : low == format->nan))
        return NAN;
    if (format->inf != 0 && low >= format->inf)
        return low == format->inf ? (code & format->sign ? -INFINITY : INFINITY) : NAN;
    value = exponent == 0 ? ldexp(mantissa, 1 - format->bias - format->mantissa)
                          : ldexp(mantissa + (1 << format->mantissa),
                                  exponent - format->bias - format->mantissa);
    return code & format->sign ? -value : value;
}

static uint8_t narrow_encode(const Narrow *format, double value, int saturate)
{
    uint8_t sign = signbit(value) ? format->sign : 0;
    double magnitude = fabs(value), steps;
    int exponent;
    if (isnan(value))
        return format->nan;
    if (magnitude > 0.0 && !isinf(magnitude)) {
        frexp(magnitude, &exponent);
        exponent--;
        if (exponent < 1 - format->bias)
            exponent = 1 - format->bias;
        steps = rint(ldexp(magnitude, format->mantissa - exponent));
        if (ldexp(steps, exponent - format->mantissa) <= format->max) {
            int code = (int)steps - (1 << format->mantissa) +
                       ((exponent + format->bias) << format->mantissa);
            return (uint8_t)(code == 0 && format->no_negative_zero ? 0 : sign | code);
        }
        magnitude = INFINITY;
    }
    if (magnitude == 0.0)
        return format->no_negative_zero ? 0 : sign;
    if (!saturate && format->inf != 0)
        return sign | format->inf;
    if (!saturate && format->nan != 0)
        return format->no_negative_zero ? format->nan : sign | format->nan;
    return narrow_encode(format, sign ? -format->max : format->max, 1);
}

/* float8e8m0 is a power of two; a value rounds up (Cast 24, round_mode up). */
static uint8_t power_encode(double value, int saturate)
{
    int exponent;
    double mantissa = frexp(fabs(value), &exponent);
    if (isnan(value))
        return 0xff;
    if (isinf(value))
        return saturate ? 0xfe : 0xff;
    if (mantissa == 0.0)
        return 0;
    exponent += 126 + (mantissa > 0.5);
    return (uint8_t)(exponent < 0     ? (saturate ? 0 : 255)
                     : exponent > 254 ? (saturate ? 254 : 255)
                                      : exponent);
}

/* A packed element of 2 or 4 bits, zero-extended. */
static uint8_t packed_load(const void *data, int64_t index, uint32_t bits)
{
    uint32_t per_byte = 8 / bits;
    uint8_t byte = ((const uint8_t *)data)[index / per_byte];
    return (uint8_t)((byte >> (index % per_byte * bits)) & ((1u << bits) - 1));
}

static void packed_store(void *data, int64_t index, uint32_t bits, uint8_t value)
{
    uint32_t per_byte = 8 / bits, shift = (uint32_t)(index % per_byte) * bits;
    uint8_t mask = (uint8_t)(((1u << bits) - 1) << shift);
    uint8_t *byte = (uint8_t *)data + index / per_byte;
    *byte = (uint8_t)((*byte & ~mask) | ((uint32_t)(value << shift) & mask));
}

/* double to int64, clamped; NaN gives 0. */
static int64_t double_to_int64(double value)
{
    if (isnan(value))
        return 0;
    if (value >= 9223372036854775808.0)
        return INT64_MAX;
    if (value < -9223372036854775808.0)
        return INT64_MIN;
    return (int64_t)value;
}

void aicpu_load_int64(uint32_t dtype, const void *data, int64_t first, int64_t n, int64_t *out)
{
    switch (dtype) {
#define LOAD(code, type)                                                            \
    case code:                                                                      \
        for (int64_t i = 0; i < n; i++)                                             \
            out[i] = (int64_t)((const type *)data)[first + i];                      \
        break
        LOAD(TSR_DTYPE_BOOL, uint8_t);
        LOAD(TSR_DTYPE_UINT8, uint8_t);
        LOAD(TSR_DTYPE_INT8, int8_t);
        LOAD(TSR_DTYPE_UINT16, uint16_t);
        LOAD(TSR_DTYPE_INT16, int16_t);
        LOAD(TSR_DTYPE_UINT32, uint32_t);
        LOAD(TSR_DTYPE_INT32, int32_t);
        LOAD(TSR_DTYPE_UINT64, uint64_t);
        LOAD(TSR_DTYPE_INT64, int64_t);
#undef LOAD
    case TSR_DTYPE_UINT4:
    case TSR_DTYPE_UINT2:
        for (int64_t i = 0; i < n; i++)
            out[i] = packed_load(data, first + i, tsr_dtype_bits(dtype));
        break;
    case TSR_DTYPE_INT4:
    case TSR_DTYPE_INT2:
        for (int64_t i = 0; i < n; i++) {
            int64_t half = INT64_C(1) << (tsr_dtype_bits(dtype) - 1);
            out[i] = (packed_load(data, first + i, tsr_dtype_bits(dtype)) ^ half) - half;
        }
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            double value;
            aicpu_load_double(dtype, data, first + i, 1, &value);
            out[i] = double_to_int64(value);
        }
    }
}

void aicpu_store_int64(uint32_t dtype, void *data, int64_t first, int64_t n, const int64_t *in)
{
    switch (dtype) {
#define STORE(code, type, expression)                                               \
    case code:                                                                      \
        for (int64_t i = 0; i < n; i++)                                             \
            ((type *)data)[first + i] = (expression);                               \
        break
        STORE(TSR_DTYPE_BOOL, uint8_t, in[i] != 0);
        STORE(TSR_DTYPE_UINT8, uint8_t, (uint8_t)in[i]);
        STORE(TSR_DTYPE_INT8, int8_t, (int8_t)in[i]);
        STORE(TSR_DTYPE_UINT16, uint16_t, (uint16_t)in[i]);
        STORE(TSR_DTYPE_INT16, int16_t, (int16_t)in[i]);
        STORE(TSR_DTYPE_UINT32, uint32_t, (uint32_t)in[i]);
        STORE(TSR_DTYPE_INT32, int32_t, (int32_t)in[i]);
        STORE(TSR_DTYPE_UINT64, uint64_t, (uint64_t)in[i]);
        STORE(TSR_DTYPE_INT64, int64_t, in[i]);
        STORE(TSR_DTYPE_FLOAT, float, (float)in[i]);
#undef STORE
    case TSR_DTYPE_UINT4:
    case TSR_DTYPE_INT4:
    case TSR_DTYPE_UINT2:
    case TSR_DTYPE_INT2:
        for (int64_t i = 0; i < n; i++)
            packed_store(data, first + i, tsr_dtype_bits(dtype), (uint8_t)in[i]);
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            double value = (double)in[i];
            aicpu_store_double(dtype, data, first + i, 1, &value, AICPU_SATURATE);
        }
    }
}

void aicpu_load_double(uint32_t dtype, const void *data, int64_t first, int64_t n, double *out)
{
    const uint8_t *bytes = data;
    switch (dtype) {
    case TSR_DTYPE_FLOAT:
        for (int64_t i = 0; i < n; i++)
            out[i] = ((const float *)data)[first + i];
        break;
    case TSR_DTYPE_DOUBLE: memcpy(out, (const double *)data + first, (size_t)n * 8); break;
    case TSR_DTYPE_FLOAT16:
        for (int64_t i = 0; i < n; i++)
            out[i] = tsr_float16_to_float(((const uint16_t *)data)[first + i]);
        break;
    case TSR_DTYPE_BFLOAT16:
        for (int64_t i = 0; i < n; i++)
            out[i] = tsr_bfloat16_to_float(((const uint16_t *)data)[first + i]);
        break;
    case TSR_DTYPE_UINT64:
        for (int64_t i = 0; i < n; i++)
            out[i] = (double)((const uint64_t *)data)[first + i];
        break;
    case TSR_DTYPE_FLOAT8E4M3FN:
    case TSR_DTYPE_FLOAT8E4M3FNUZ:
    case TSR_DTYPE_FLOAT8E5M2:
    case TSR_DTYPE_FLOAT8E5M2FNUZ:
        for (int64_t i = 0; i < n; i++)
            out[i] = narrow_decode(&narrow[dtype], bytes[first + i]);
        break;
    case TSR_DTYPE_FLOAT4E2M1:
        for (int64_t i = 0; i < n; i++)
            out[i] = narrow_decode(&narrow[dtype], packed_load(data, first + i, 4));
        break;
    case TSR_DTYPE_FLOAT8E8M0:
        for (int64_t i = 0; i < n; i++)
            out[i] = bytes[first + i] == 0xff ? NAN : ldexp(1.0, bytes[first + i] - 127);
        break;
    default:
        if (!aicpu_is_integer(dtype)) {
            memset(out, 0, (size_t)n * sizeof(*out));
            break;
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t value;
            aicpu_load_int64(dtype, data, first + i, 1, &value);
            out[i] = (double)value;
        }
    }
}

void aicpu_store_double(uint32_t dtype, void *data, int64_t first, int64_t n, const double *in,
                        int saturate)
{
    uint8_t *bytes = data;
    switch (dtype) {
    case TSR_DTYPE_FLOAT:
        for (int64_t i = 0; i < n; i++)
            ((float *)data)[first + i] = (float)in[i];
        break;
    case TSR_DTYPE_DOUBLE: memcpy((double *)data + first, in, (size_t)n * 8); break;
    case TSR_DTYPE_FLOAT16:
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)data)[first + i] = tsr_float_to_float16((float)in[i]);
        break;
    case TSR_DTYPE_BFLOAT16:
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)data)[first + i] = tsr_float_to_bfloat16((float)in[i]);
        break;
    case TSR_DTYPE_BOOL:
        for (int64_t i = 0; i < n; i++)
            bytes[first + i] = in[i] != 0.0;
        break;
    case TSR_DTYPE_UINT64:
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)data)[first + i] = in[i] >= 18446744073709551616.0   ? UINT64_MAX
                                            : in[i] >= 9223372036854775808.0 ? (uint64_t)in[i]
                                                                             : (uint64_t)
                                                                  double_to_int64(in[i]);
        break;
    case TSR_DTYPE_FLOAT8E4M3FN:
    case TSR_DTYPE_FLOAT8E4M3FNUZ:
    case TSR_DTYPE_FLOAT8E5M2:
    case TSR_DTYPE_FLOAT8E5M2FNUZ:
        for (int64_t i = 0; i < n; i++)
            bytes[first + i] = narrow_encode(&narrow[dtype], in[i], saturate);
        break;
    case TSR_DTYPE_FLOAT4E2M1:
        for (int64_t i = 0; i < n; i++)
            /* There is no NaN: it becomes -0, as in the conversions of ONNX. */
            packed_store(data, first + i, 4,
                         narrow_encode(&narrow[dtype], isnan(in[i]) ? -0.0 : in[i], 1));
        break;
    case TSR_DTYPE_FLOAT8E8M0:
        for (int64_t i = 0; i < n; i++)
            bytes[first + i] = power_encode(in[i], saturate);
        break;
    default:
        for (int64_t i = 0; aicpu_is_integer(dtype) && i < n; i++) {
            int64_t value = double_to_int64(in[i]);
            aicpu_store_int64(dtype, data, first + i, 1, &value);
        }
    }
}

void aicpu_load_float(uint32_t dtype, const void *data, int64_t first, int64_t n, float *out)
{
    const uint16_t *half = (const uint16_t *)data + first;
    if (dtype == TSR_DTYPE_FLOAT)
        memcpy(out, (const float *)data + first, (size_t)n * sizeof(float));
    else if (dtype == TSR_DTYPE_FLOAT16)
        for (int64_t i = 0; i < n; i++)
            out[i] = tsr_float16_to_float(half[i]);
    else
        for (int64_t i = 0; i < n; i++)
            out[i] = tsr_bfloat16_to_float(half[i]);
}

void aicpu_store_float(uint32_t dtype, void *data, int64_t first, int64_t n, const float *in)
{
    uint16_t *half = (uint16_t *)data + first;
    if (dtype == TSR_DTYPE_FLOAT)
        memcpy((float *)data + first, in, (size_t)n * sizeof(float));
    else if (dtype == TSR_DTYPE_FLOAT16)
        for (int64_t i = 0; i < n; i++)
            half[i] = tsr_float_to_float16(in[i]);
    else
        for (int64_t i = 0; i < n; i++)
            half[i] = tsr_float_to_bfloat16(in[i]);
}

double aicpu_scalar_double(const TsrTensor *tensor, double missing)
{
    if (tensor == NULL || tsr_desc_elements(tensor->desc) < 1)
        return missing;
    aicpu_load_double(tensor->desc->dtype, tensor->data, 0, 1, &missing);
    return missing;
}

int64_t aicpu_scalar_int64(const TsrTensor *tensor, int64_t missing)
{
    if (tensor == NULL || tsr_desc_elements(tensor->desc) < 1)
        return missing;
    aicpu_load_int64(tensor->desc->dtype, tensor->data, 0, 1, &missing);
    return missing;
}

int64_t aicpu_read_int64s(const TsrTensor *tensor, int64_t capacity, int64_t *out)
{
    int64_t count = tensor != NULL ? tsr_desc_elements(tensor->desc) : 0;
    if (count > capacity)
        count = capacity;
    if (count > 0)
        aicpu_load_int64(tensor->desc->dtype, tensor->data, 0, count, out);
    return count;
}

const float *aicpu_as_float(TsrRunContext *run, const TsrTensor *tensor)
{
    int64_t count;
    float *copy;
    if (tensor == NULL || tensor->desc->dtype == TSR_DTYPE_FLOAT)
        return tensor != NULL ? tensor->data : NULL;
    count = tsr_desc_elements(tensor->desc);
    copy = run->scratch(run, (uint64_t)(count > 0 ? count : 1) * sizeof(float));
    if (copy != NULL)
        aicpu_load_float(tensor->desc->dtype, tensor->data, 0, count, copy);
    return copy;
}

float *aicpu_begin_float(TsrRunContext *run, const TsrTensor *output)
{
    int64_t count = tsr_desc_elements(output->desc);
    if (output->desc->dtype == TSR_DTYPE_FLOAT)
        return output->data;
    return run->scratch(run, (uint64_t)(count > 0 ? count : 1) * sizeof(float));
}

void aicpu_finish_float(TsrRunContext *run, const TsrTensor *output, const float *values)
{
    (void)run;
    if (output->desc->dtype != TSR_DTYPE_FLOAT)
        aicpu_store_float(output->desc->dtype, output->data, 0, tsr_desc_elements(output->desc),
                          values);
}

const double *aicpu_as_double(TsrRunContext *run, const TsrTensor *tensor)
{
    int64_t count;
    double *copy;
    if (tensor == NULL || tensor->desc->dtype == TSR_DTYPE_DOUBLE)
        return tensor != NULL ? tensor->data : NULL;
    count = tsr_desc_elements(tensor->desc);
    copy = run->scratch(run, (uint64_t)(count > 0 ? count : 1) * sizeof(double));
    if (copy != NULL)
        aicpu_load_double(tensor->desc->dtype, tensor->data, 0, count, copy);
    return copy;
}

double *aicpu_begin_double(TsrRunContext *run, const TsrTensor *output)
{
    int64_t count = tsr_desc_elements(output->desc);
    if (output->desc->dtype == TSR_DTYPE_DOUBLE)
        return output->data;
    return run->scratch(run, (uint64_t)(count > 0 ? count : 1) * sizeof(double));
}

void aicpu_finish_double(const TsrTensor *output, const double *values)
{
    if (output->desc->dtype != TSR_DTYPE_DOUBLE)
        aicpu_store_double(output->desc->dtype, output->data, 0,
                           tsr_desc_elements(output->desc), values, AICPU_SATURATE);
}

const int64_t *aicpu_as_int64(TsrRunContext *run, const TsrTensor *tensor)
{
    int64_t count, *copy;
    if (tensor == NULL || tensor->desc->dtype == TSR_DTYPE_INT64)
        return tensor != NULL ? tensor->data : NULL;
    count = tsr_desc_elements(tensor->desc);
    copy = run->scratch(run, (uint64_t)(count > 0 ? count : 1) * sizeof(int64_t));
    if (copy != NULL)
        aicpu_load_int64(tensor->desc->dtype, tensor->data, 0, count, copy);
    return copy;
}

double aicpu_round_to(uint32_t dtype, double value)
{
    if (dtype == TSR_DTYPE_FLOAT)
        return (double)(float)value;
    if (dtype == TSR_DTYPE_FLOAT16)
        return (double)tsr_float16_to_float(tsr_float_to_float16((float)value));
    if (dtype == TSR_DTYPE_BFLOAT16)
        return (double)tsr_bfloat16_to_float(tsr_float_to_bfloat16((float)value));
    return value;
}
