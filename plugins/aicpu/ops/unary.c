/* SPDX-License-Identifier: Apache-2.0
 *
 * unary.c: operators that map each element by itself: activations and the functions of
 * one number. A row's table has a function per element type; half types are computed
 * in float, a block at a time.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>

typedef void (*UnaryFn)(void *y, const void *x, int64_t n, const void *p);

/* Functions by element type, and the attributes that become p[0], p[1]. */
typedef struct Unary {
    UnaryFn fn[TSR_DTYPE_COUNT];
    const char *attrs[2];
    float missing[2];
} Unary;

#define T float
#define N(name) name##_f32
#define FN(name) name##f
#include "unary_tmpl.c"
#define T double
#define N(name) name##_f64
#define FN(name) name
#include "unary_tmpl.c"
#define T int8_t
#define UT uint8_t
#define N(name) name##_i8
#include "unary_int_tmpl.c"
#define T int16_t
#define UT uint16_t
#define N(name) name##_i16
#include "unary_int_tmpl.c"
#define T int32_t
#define UT uint32_t
#define N(name) name##_i32
#include "unary_int_tmpl.c"
#define T int64_t
#define UT uint64_t
#define N(name) name##_i64
#include "unary_int_tmpl.c"
#define T uint8_t
#define UT uint8_t
#define N(name) name##_u8
#include "unary_int_tmpl.c"
#define T uint16_t
#define UT uint16_t
#define N(name) name##_u16
#include "unary_int_tmpl.c"
#define T uint32_t
#define UT uint32_t
#define N(name) name##_u32
#include "unary_int_tmpl.c"
#define T uint64_t
#define UT uint64_t
#define N(name) name##_u64
#include "unary_int_tmpl.c"

static void logical_not(void *y, const void *x, int64_t n, const void *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((uint8_t *)y)[i] = !((const uint8_t *)x)[i];
}

typedef struct Job {
    UnaryFn fn;
    uint32_t dtype;
    void *y;
    const void *x;
    const void *p;
} Job;

static void piece(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    uint64_t size = tsr_dtype_bits(job->dtype) / 8;
    float block[512];
    if (!aicpu_is_half(job->dtype)) {
        job->fn((char *)job->y + begin * size, (const char *)job->x + begin * size,
                (int64_t)(end - begin), job->p);
        return;
    }
    for (uint64_t i = begin; i < end; i += COUNT_OF(block)) {
        int64_t n = (int64_t)(end - i < COUNT_OF(block) ? end - i : COUNT_OF(block));
        aicpu_load_float(job->dtype, job->x, (int64_t)i, n, block);
        job->fn(block, block, n, job->p);
        aicpu_store_float(job->dtype, job->y, (int64_t)i, n, block);
    }
}

static int32_t run_unary(const AicpuKernel *kernel, TsrRunContext *run)
{
    const Unary *unary = kernel->table;
    const TsrTensor *x = run->inputs[0];
    uint32_t dtype = x->desc->dtype, slot = aicpu_is_half(dtype) ? TSR_DTYPE_FLOAT : dtype;
    float p32[2];
    double p64[2];
    Job job = {unary->fn[slot], dtype, run->outputs[0]->data, x->data,
               dtype == TSR_DTYPE_DOUBLE ? (const void *)p64 : (const void *)p32};
    if (job.fn == NULL)
        return run->fail(run, TSR_UNSUPPORTED, "%s of %s is not supported", kernel->op,
                         tsr_dtype_name(dtype));
    for (uint32_t i = 0; i < 2; i++) {
        const TsrAttr *attr =
            unary->attrs[i] != NULL ? tsr_attr_find(run->node, unary->attrs[i]) : NULL;
        p32[i] = unary->missing[i];
        if (attr != NULL) /* a word counts as 0 for "none" and as 1 otherwise */
            p32[i] = attr->type == TSR_ATTR_STRING
                         ? !tsr_attr_is(run->node, unary->attrs[i], "none")
                         : attr->f;
        p64[i] = p32[i];
    }
    aicpu_parallel(run, tsr_desc_elements(x->desc), 16384, piece, &job);
    return TSR_OK;
}

static const Unary relu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = relu_f32, [TSR_DTYPE_DOUBLE] = relu_f64,
           [TSR_DTYPE_INT8] = int_relu_i8, [TSR_DTYPE_INT16] = int_relu_i16,
           [TSR_DTYPE_INT32] = int_relu_i32, [TSR_DTYPE_INT64] = int_relu_i64,
           [TSR_DTYPE_UINT8] = int_relu_u8, [TSR_DTYPE_UINT16] = int_relu_u16,
           [TSR_DTYPE_UINT32] = int_relu_u32, [TSR_DTYPE_UINT64] = int_relu_u64},
};
static const Unary leaky_relu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = leaky_relu_f32, [TSR_DTYPE_DOUBLE] = leaky_relu_f64},
    .attrs = {"alpha"},
    .missing = {0.01f},
};
static const Unary sigmoid_table = {
    .fn = {[TSR_DTYPE_FLOAT] = sigmoid_f32, [TSR_DTYPE_DOUBLE] = sigmoid_f64},
};
static const Unary tanh_table = {
    .fn = {[TSR_DTYPE_FLOAT] = tanh_f32, [TSR_DTYPE_DOUBLE] = tanh_f64},
};
static const Unary hard_sigmoid_table = {
    .fn = {[TSR_DTYPE_FLOAT] = hard_sigmoid_f32, [TSR_DTYPE_DOUBLE] = hard_sigmoid_f64},
    .attrs = {"alpha", "beta"},
    .missing = {0.2f, 0.5f},
};
static const Unary hard_swish_table = {
    .fn = {[TSR_DTYPE_FLOAT] = hard_swish_f32, [TSR_DTYPE_DOUBLE] = hard_swish_f64},
};
static const Unary elu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = elu_f32, [TSR_DTYPE_DOUBLE] = elu_f64},
    .attrs = {"alpha"},
    .missing = {1.0f},
};
static const Unary selu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = selu_f32, [TSR_DTYPE_DOUBLE] = selu_f64},
    .attrs = {"alpha", "gamma"},
    .missing = {1.67326319f, 1.05070102f},
};
static const Unary celu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = celu_f32, [TSR_DTYPE_DOUBLE] = celu_f64},
    .attrs = {"alpha"},
    .missing = {1.0f},
};
static const Unary softplus_table = {
    .fn = {[TSR_DTYPE_FLOAT] = softplus_f32, [TSR_DTYPE_DOUBLE] = softplus_f64},
};
static const Unary softsign_table = {
    .fn = {[TSR_DTYPE_FLOAT] = softsign_f32, [TSR_DTYPE_DOUBLE] = softsign_f64},
};
static const Unary mish_table = {
    .fn = {[TSR_DTYPE_FLOAT] = mish_f32, [TSR_DTYPE_DOUBLE] = mish_f64},
};
static const Unary swish_table = {
    .fn = {[TSR_DTYPE_FLOAT] = swish_f32, [TSR_DTYPE_DOUBLE] = swish_f64},
    .attrs = {"alpha"},
    .missing = {1.0f},
};
static const Unary thresholded_relu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = thresholded_relu_f32, [TSR_DTYPE_DOUBLE] = thresholded_relu_f64},
    .attrs = {"alpha"},
    .missing = {1.0f},
};
static const Unary shrink_table = {
    .fn = {[TSR_DTYPE_FLOAT] = shrink_f32, [TSR_DTYPE_DOUBLE] = shrink_f64},
    .attrs = {"bias", "lambd"},
    .missing = {0.0f, 0.5f},
};
static const Unary gelu_table = {
    .fn = {[TSR_DTYPE_FLOAT] = gelu_f32, [TSR_DTYPE_DOUBLE] = gelu_f64},
    .attrs = {"approximate"},
    .missing = {0.0f},
};
static const Unary abs_table = {
    .fn = {[TSR_DTYPE_FLOAT] = abs_f32, [TSR_DTYPE_DOUBLE] = abs_f64,
           [TSR_DTYPE_INT8] = int_abs_i8, [TSR_DTYPE_INT16] = int_abs_i16,
           [TSR_DTYPE_INT32] = int_abs_i32, [TSR_DTYPE_INT64] = int_abs_i64,
           [TSR_DTYPE_UINT8] = int_abs_u8, [TSR_DTYPE_UINT16] = int_abs_u16,
           [TSR_DTYPE_UINT32] = int_abs_u32, [TSR_DTYPE_UINT64] = int_abs_u64},
};
static const Unary acos_table = {
    .fn = {[TSR_DTYPE_FLOAT] = acos_f32, [TSR_DTYPE_DOUBLE] = acos_f64},
};
static const Unary acosh_table = {
    .fn = {[TSR_DTYPE_FLOAT] = acosh_f32, [TSR_DTYPE_DOUBLE] = acosh_f64},
};
static const Unary asin_table = {
    .fn = {[TSR_DTYPE_FLOAT] = asin_f32, [TSR_DTYPE_DOUBLE] = asin_f64},
};
static const Unary asinh_table = {
    .fn = {[TSR_DTYPE_FLOAT] = asinh_f32, [TSR_DTYPE_DOUBLE] = asinh_f64},
};
static const Unary atan_table = {
    .fn = {[TSR_DTYPE_FLOAT] = atan_f32, [TSR_DTYPE_DOUBLE] = atan_f64},
};
static const Unary atanh_table = {
    .fn = {[TSR_DTYPE_FLOAT] = atanh_f32, [TSR_DTYPE_DOUBLE] = atanh_f64},
};
static const Unary ceil_table = {
    .fn = {[TSR_DTYPE_FLOAT] = ceil_f32, [TSR_DTYPE_DOUBLE] = ceil_f64},
};
static const Unary cos_table = {
    .fn = {[TSR_DTYPE_FLOAT] = cos_f32, [TSR_DTYPE_DOUBLE] = cos_f64},
};
static const Unary cosh_table = {
    .fn = {[TSR_DTYPE_FLOAT] = cosh_f32, [TSR_DTYPE_DOUBLE] = cosh_f64},
};
static const Unary erf_table = {
    .fn = {[TSR_DTYPE_FLOAT] = erf_f32, [TSR_DTYPE_DOUBLE] = erf_f64},
};
static const Unary exp_table = {
    .fn = {[TSR_DTYPE_FLOAT] = exp_f32, [TSR_DTYPE_DOUBLE] = exp_f64},
};
static const Unary floor_table = {
    .fn = {[TSR_DTYPE_FLOAT] = floor_f32, [TSR_DTYPE_DOUBLE] = floor_f64},
};
static const Unary log_table = {
    .fn = {[TSR_DTYPE_FLOAT] = log_f32, [TSR_DTYPE_DOUBLE] = log_f64},
};
static const Unary neg_table = {
    .fn = {[TSR_DTYPE_FLOAT] = neg_f32, [TSR_DTYPE_DOUBLE] = neg_f64,
           [TSR_DTYPE_INT8] = int_neg_i8, [TSR_DTYPE_INT16] = int_neg_i16,
           [TSR_DTYPE_INT32] = int_neg_i32, [TSR_DTYPE_INT64] = int_neg_i64,
           [TSR_DTYPE_UINT8] = int_neg_u8, [TSR_DTYPE_UINT16] = int_neg_u16,
           [TSR_DTYPE_UINT32] = int_neg_u32, [TSR_DTYPE_UINT64] = int_neg_u64},
};
static const Unary reciprocal_table = {
    .fn = {[TSR_DTYPE_FLOAT] = reciprocal_f32, [TSR_DTYPE_DOUBLE] = reciprocal_f64},
};
static const Unary round_table = {
    .fn = {[TSR_DTYPE_FLOAT] = round_f32, [TSR_DTYPE_DOUBLE] = round_f64},
};
static const Unary sign_table = {
    .fn = {[TSR_DTYPE_FLOAT] = sign_f32, [TSR_DTYPE_DOUBLE] = sign_f64,
           [TSR_DTYPE_INT8] = int_sign_i8, [TSR_DTYPE_INT16] = int_sign_i16,
           [TSR_DTYPE_INT32] = int_sign_i32, [TSR_DTYPE_INT64] = int_sign_i64,
           [TSR_DTYPE_UINT8] = int_sign_u8, [TSR_DTYPE_UINT16] = int_sign_u16,
           [TSR_DTYPE_UINT32] = int_sign_u32, [TSR_DTYPE_UINT64] = int_sign_u64},
};
static const Unary sin_table = {
    .fn = {[TSR_DTYPE_FLOAT] = sin_f32, [TSR_DTYPE_DOUBLE] = sin_f64},
};
static const Unary sinh_table = {
    .fn = {[TSR_DTYPE_FLOAT] = sinh_f32, [TSR_DTYPE_DOUBLE] = sinh_f64},
};
static const Unary sqrt_table = {
    .fn = {[TSR_DTYPE_FLOAT] = sqrt_f32, [TSR_DTYPE_DOUBLE] = sqrt_f64},
};
static const Unary tan_table = {
    .fn = {[TSR_DTYPE_FLOAT] = tan_f32, [TSR_DTYPE_DOUBLE] = tan_f64},
};
static const Unary not_bool = {.fn = {[TSR_DTYPE_BOOL] = logical_not}};
static const Unary not_bits = {
    .fn = {[TSR_DTYPE_INT8] = int_not_i8, [TSR_DTYPE_INT16] = int_not_i16,
           [TSR_DTYPE_INT32] = int_not_i32, [TSR_DTYPE_INT64] = int_not_i64,
           [TSR_DTYPE_UINT8] = int_not_u8, [TSR_DTYPE_UINT16] = int_not_u16,
           [TSR_DTYPE_UINT32] = int_not_u32, [TSR_DTYPE_UINT64] = int_not_u64},
};

int aicpu_is_unary(const AicpuKernel *kernel)
{
    return kernel->run == run_unary;
}

static const AicpuKernel kernels[] = {
    {.op = "Relu", .run = run_unary, .table = &relu_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "LeakyRelu", .run = run_unary, .table = &leaky_relu_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Sigmoid", .run = run_unary, .table = &sigmoid_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Tanh", .run = run_unary, .table = &tanh_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "HardSigmoid", .run = run_unary, .table = &hard_sigmoid_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "HardSwish", .run = run_unary, .table = &hard_swish_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Elu", .run = run_unary, .table = &elu_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Selu", .run = run_unary, .table = &selu_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Celu", .run = run_unary, .table = &celu_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Softplus", .run = run_unary, .table = &softplus_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Softsign", .run = run_unary, .table = &softsign_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Mish", .run = run_unary, .table = &mish_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Swish", .run = run_unary, .table = &swish_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "ThresholdedRelu", .run = run_unary, .table = &thresholded_relu_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Shrink", .run = run_unary, .table = &shrink_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Gelu", .run = run_unary, .table = &gelu_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Abs", .run = run_unary, .table = &abs_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Acos", .run = run_unary, .table = &acos_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Acosh", .run = run_unary, .table = &acosh_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Asin", .run = run_unary, .table = &asin_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Asinh", .run = run_unary, .table = &asinh_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Atan", .run = run_unary, .table = &atan_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Atanh", .run = run_unary, .table = &atanh_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Ceil", .run = run_unary, .table = &ceil_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Cos", .run = run_unary, .table = &cos_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Cosh", .run = run_unary, .table = &cosh_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Erf", .run = run_unary, .table = &erf_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Exp", .run = run_unary, .table = &exp_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Floor", .run = run_unary, .table = &floor_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Log", .run = run_unary, .table = &log_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Neg", .run = run_unary, .table = &neg_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Reciprocal", .run = run_unary, .table = &reciprocal_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Round", .run = run_unary, .table = &round_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Sign", .run = run_unary, .table = &sign_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Sin", .run = run_unary, .table = &sin_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Sinh", .run = run_unary, .table = &sinh_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Sqrt", .run = run_unary, .table = &sqrt_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Tan", .run = run_unary, .table = &tan_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Not", .run = run_unary, .table = &not_bool, .dtypes = TSR_BIT(TSR_DTYPE_BOOL)},
    {.op = "BitwiseNot", .run = run_unary, .table = &not_bits, .dtypes = TSR_TYPES_INTEGER},
};

const AicpuFamily aicpu_unary = AICPU_FAMILY(kernels);
