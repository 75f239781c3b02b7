/* SPDX-License-Identifier: Apache-2.0
 *
 * binary.c: operators that combine two tensors, or any number of them from left to
 * right, element by element with broadcasting: arithmetic, bits, comparisons, logic,
 * PRelu. A row's table has a function per element type; half types are computed in
 * float, a block at a time.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include "binary_loop.h"
#include <math.h>

typedef void (*BinaryFn)(void *y, const void *a, int64_t sa, const void *b, int64_t sb,
                         int64_t n);

#define T float
#define N(name) name##_f32
#define FN(name) name##f
#include "binary_float_tmpl.c"
#define T double
#define N(name) name##_f64
#define FN(name) name
#include "binary_float_tmpl.c"
#define T int8_t
#define UT uint32_t
#define N(name) name##_i8
#include "binary_int_tmpl.c"
#define T int16_t
#define UT uint32_t
#define N(name) name##_i16
#include "binary_int_tmpl.c"
#define T int32_t
#define UT uint32_t
#define N(name) name##_i32
#include "binary_int_tmpl.c"
#define T int64_t
#define UT uint64_t
#define N(name) name##_i64
#include "binary_int_tmpl.c"
#define T uint8_t
#define UT uint32_t
#define N(name) name##_u8
#include "binary_int_tmpl.c"
#define T uint16_t
#define UT uint32_t
#define N(name) name##_u16
#include "binary_int_tmpl.c"
#define T uint32_t
#define UT uint32_t
#define N(name) name##_u32
#include "binary_int_tmpl.c"
#define T uint64_t
#define UT uint64_t
#define N(name) name##_u64
#include "binary_int_tmpl.c"

static inline uint8_t string_equal_1(TsrString a, TsrString b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline uint8_t logical_and_1(uint8_t a, uint8_t b) { return a && b; }
static inline uint8_t logical_or_1(uint8_t a, uint8_t b) { return a || b; }
static inline uint8_t logical_xor_1(uint8_t a, uint8_t b) { return !a != !b; }
BINARY_LOOP(string_equal, uint8_t, TsrString, string_equal_1)
BINARY_LOOP(logical_and, uint8_t, uint8_t, logical_and_1)
BINARY_LOOP(logical_or, uint8_t, uint8_t, logical_or_1)
BINARY_LOOP(logical_xor, uint8_t, uint8_t, logical_xor_1)

typedef struct Job {
    BinaryFn fn;
    const AicpuGrid *grid;
    uint32_t dtype;
    uint32_t out_dtype;
    char *y;
    const char *a;
    const char *b;
} Job;

static void rows(void *arg, const int64_t *offset, int64_t n)
{
    const Job *job = arg;
    int64_t size = tsr_dtype_bits(job->dtype) / 8, out_size = tsr_dtype_bits(job->out_dtype) / 8;
    job->fn(job->y + offset[0] * out_size, job->a + offset[1] * size,
            aicpu_grid_inner(job->grid, 1), job->b + offset[2] * size,
            aicpu_grid_inner(job->grid, 2), n);
}

enum { BLOCK = 256 };

/* n halves with a stride of 0 or 1 (or any other) as dense floats; a repeated one is
 * stored once. */
static void load_half(uint32_t dtype, const char *data, int64_t first, int64_t step, int64_t n,
                      float *out)
{
    if (step == 1 || step == 0) {
        aicpu_load_float(dtype, data, first, step == 1 ? n : 1, out);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        aicpu_load_float(dtype, data, first + i * step, 1, out + i);
}

static void half_rows(void *arg, const int64_t *offset, int64_t n)
{
    const Job *job = arg;
    int64_t sa = aicpu_grid_inner(job->grid, 1), sb = aicpu_grid_inner(job->grid, 2);
    float a[BLOCK], b[BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        load_half(job->dtype, job->a, offset[1] + i * sa, sa, m, a);
        load_half(job->dtype, job->b, offset[2] + i * sb, sb, m, b);
        if (job->out_dtype == TSR_DTYPE_BOOL) {
            job->fn(job->y + offset[0] + i, a, sa != 0, b, sb != 0, m);
        } else {
            float y[BLOCK];
            job->fn(y, a, sa != 0, b, sb != 0, m);
            aicpu_store_float(job->out_dtype, job->y, offset[0] + i, m, y);
        }
    }
}

/* y = a op b; a may be y itself where it has the full shape. */
static int32_t combine(const AicpuKernel *kernel, TsrRunContext *run, const TsrTensor *a,
                       const TsrTensor *b)
{
    const BinaryFn *table = kernel->table;
    const TsrTensor *y = run->outputs[0];
    uint32_t dtype = a->desc->dtype, slot = aicpu_is_half(dtype) ? TSR_DTYPE_FLOAT : dtype;
    AicpuGrid grid;
    Job job = {table[slot], &grid, dtype, y->desc->dtype, y->data, a->data, b->data};
    if (job.fn == NULL || b->desc->dtype != dtype)
        return run->fail(run, TSR_UNSUPPORTED, "%s of %s and %s is not supported", kernel->op,
                         tsr_dtype_name(dtype), tsr_dtype_name(b->desc->dtype));
    aicpu_grid_init(&grid, y->desc->rank, y->desc->shape, 3);
    aicpu_grid_broadcast(&grid, 0, y->desc->rank, y->desc->shape);
    aicpu_grid_broadcast(&grid, 1, a->desc->rank, a->desc->shape);
    aicpu_grid_broadcast(&grid, 2, b->desc->rank, b->desc->shape);
    aicpu_grid_ready(&grid);
    aicpu_grid_parallel(&grid, run, aicpu_is_half(dtype) ? half_rows : rows, &job);
    return TSR_OK;
}

/* Before opset 7 the attribute axis says where the axes of b lie in those of a (PRelu: a
 * slope for each channel): b as a tensor with axes of 1 behind them. */
static int32_t combine_at_axis(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *a = run->inputs[0], *b = run->inputs[1];
    int64_t axis = kernel->mode == 1 ? 1 : tsr_attr_int(run->node, "axis", -1);
    int64_t shape[TSR_MAX_RANK];
    TsrTensorDesc desc = *b->desc;
    TsrTensor placed = *b;
    axis += axis < 0 && axis >= -(int64_t)a->desc->rank ? (int64_t)a->desc->rank : 0;
    if (tsr_desc_elements(b->desc) == 1 || axis < 0 || axis > a->desc->rank ||
        axis + b->desc->rank > a->desc->rank ||
        (kernel->mode == 0 && tsr_attr_find(run->node, "axis") == NULL))
        return combine(kernel, run, a, b);
    desc.rank = a->desc->rank - (uint32_t)axis;
    for (uint32_t i = 0; i < desc.rank; i++)
        shape[i] = i < b->desc->rank ? b->desc->shape[i] : 1;
    desc.shape = shape;
    placed.desc = &desc;
    return combine(kernel, run, a, &placed);
}

static int32_t run_binary(const AicpuKernel *kernel, TsrRunContext *run)
{
    if (run->node->since_version < 7)
        return combine_at_axis(kernel, run);
    return combine(kernel, run, run->inputs[0], run->inputs[1]);
}

/* Mod and BitShift have two functions and an attribute that picks one: the table is
 * followed by the other. */
static int32_t run_choice(const AicpuKernel *kernel, TsrRunContext *run)
{
    AicpuKernel chosen = *kernel;
    if (tsr_attr_int(run->node, "fmod", 0) != 0 || tsr_attr_is(run->node, "direction", "RIGHT"))
        chosen.table = (const BinaryFn *)kernel->table + TSR_DTYPE_COUNT;
    return combine(&chosen, run, run->inputs[0], run->inputs[1]);
}

/* Pow 12 on: the exponent may have another type than the base; doubles bridge them. */
static int32_t run_pow(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *a = run->inputs[0], *b = run->inputs[1], *y = run->outputs[0];
    int64_t count = tsr_desc_elements(y->desc), index[TSR_MAX_RANK] = {0};
    int64_t sa[TSR_MAX_RANK], sb[TSR_MAX_RANK], ia = 0, ib = 0;
    if (a->desc->dtype == b->desc->dtype)
        return run_binary(kernel, run);
    tsr_broadcast_strides(a->desc->rank, a->desc->shape, y->desc->rank, sa);
    tsr_broadcast_strides(b->desc->rank, b->desc->shape, y->desc->rank, sb);
    for (int64_t i = 0; i < count; i++) {
        double base, exponent;
        aicpu_load_double(a->desc->dtype, a->data, ia, 1, &base);
        aicpu_load_double(b->desc->dtype, b->data, ib, 1, &exponent);
        base = pow(base, exponent);
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &base, AICPU_SATURATE);
        for (uint32_t d = y->desc->rank; d-- > 0;) {
            ia += sa[d];
            ib += sb[d];
            if (++index[d] < y->desc->shape[d])
                break;
            ia -= sa[d] * index[d];
            ib -= sb[d] * index[d];
            index[d] = 0;
        }
    }
    return TSR_OK;
}

/* Max, Min, Sum, Mean: from left to right; mode 1 divides by the number of inputs. */
static int32_t run_variadic(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0], *x = run->inputs[0];
    AicpuCopy copy = {.dtype = y->desc->dtype, .rank = y->desc->rank, .shape = y->desc->shape,
                      .to = y->data, .from = x->data};
    int32_t status;
    if (run->input_count == 1) {
        tsr_shape_strides(y->desc->rank, y->desc->shape, copy.to_stride);
        tsr_broadcast_strides(x->desc->rank, x->desc->shape, y->desc->rank, copy.from_stride);
        return aicpu_copy(run, &copy);
    }
    status = combine(kernel, run, run->inputs[0], run->inputs[1]);
    for (uint32_t i = 2; i < run->input_count && status == TSR_OK; i++)
        status = combine(kernel, run, y, run->inputs[i]);
    if (kernel->mode == 1 && status == TSR_OK) {
        int64_t count = tsr_desc_elements(y->desc);
        for (int64_t i = 0; i < count; i++) {
            double value;
            aicpu_load_double(y->desc->dtype, y->data, i, 1, &value);
            value /= run->input_count;
            aicpu_store_double(y->desc->dtype, y->data, i, 1, &value, AICPU_SATURATE);
        }
    }
    return status;
}

static const BinaryFn add_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = add_f32, [TSR_DTYPE_DOUBLE] = add_f64,
    [TSR_DTYPE_INT8] = add_i8, [TSR_DTYPE_INT16] = add_i16,
    [TSR_DTYPE_INT32] = add_i32, [TSR_DTYPE_INT64] = add_i64,
    [TSR_DTYPE_UINT8] = add_u8, [TSR_DTYPE_UINT16] = add_u16,
    [TSR_DTYPE_UINT32] = add_u32, [TSR_DTYPE_UINT64] = add_u64,
};
static const BinaryFn sub_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = sub_f32, [TSR_DTYPE_DOUBLE] = sub_f64,
    [TSR_DTYPE_INT8] = sub_i8, [TSR_DTYPE_INT16] = sub_i16,
    [TSR_DTYPE_INT32] = sub_i32, [TSR_DTYPE_INT64] = sub_i64,
    [TSR_DTYPE_UINT8] = sub_u8, [TSR_DTYPE_UINT16] = sub_u16,
    [TSR_DTYPE_UINT32] = sub_u32, [TSR_DTYPE_UINT64] = sub_u64,
};
static const BinaryFn mul_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = mul_f32, [TSR_DTYPE_DOUBLE] = mul_f64,
    [TSR_DTYPE_INT8] = mul_i8, [TSR_DTYPE_INT16] = mul_i16,
    [TSR_DTYPE_INT32] = mul_i32, [TSR_DTYPE_INT64] = mul_i64,
    [TSR_DTYPE_UINT8] = mul_u8, [TSR_DTYPE_UINT16] = mul_u16,
    [TSR_DTYPE_UINT32] = mul_u32, [TSR_DTYPE_UINT64] = mul_u64,
};
static const BinaryFn div_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = div_f32, [TSR_DTYPE_DOUBLE] = div_f64,
    [TSR_DTYPE_INT8] = div_i8, [TSR_DTYPE_INT16] = div_i16,
    [TSR_DTYPE_INT32] = div_i32, [TSR_DTYPE_INT64] = div_i64,
    [TSR_DTYPE_UINT8] = div_u8, [TSR_DTYPE_UINT16] = div_u16,
    [TSR_DTYPE_UINT32] = div_u32, [TSR_DTYPE_UINT64] = div_u64,
};
static const BinaryFn pow_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = pow_f32, [TSR_DTYPE_DOUBLE] = pow_f64,
    [TSR_DTYPE_INT8] = pow_i8, [TSR_DTYPE_INT16] = pow_i16,
    [TSR_DTYPE_INT32] = pow_i32, [TSR_DTYPE_INT64] = pow_i64,
    [TSR_DTYPE_UINT8] = pow_u8, [TSR_DTYPE_UINT16] = pow_u16,
    [TSR_DTYPE_UINT32] = pow_u32, [TSR_DTYPE_UINT64] = pow_u64,
};
static const BinaryFn max_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = max_f32, [TSR_DTYPE_DOUBLE] = max_f64,
    [TSR_DTYPE_INT8] = max_i8, [TSR_DTYPE_INT16] = max_i16,
    [TSR_DTYPE_INT32] = max_i32, [TSR_DTYPE_INT64] = max_i64,
    [TSR_DTYPE_UINT8] = max_u8, [TSR_DTYPE_UINT16] = max_u16,
    [TSR_DTYPE_UINT32] = max_u32, [TSR_DTYPE_UINT64] = max_u64,
};
static const BinaryFn min_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = min_f32, [TSR_DTYPE_DOUBLE] = min_f64,
    [TSR_DTYPE_INT8] = min_i8, [TSR_DTYPE_INT16] = min_i16,
    [TSR_DTYPE_INT32] = min_i32, [TSR_DTYPE_INT64] = min_i64,
    [TSR_DTYPE_UINT8] = min_u8, [TSR_DTYPE_UINT16] = min_u16,
    [TSR_DTYPE_UINT32] = min_u32, [TSR_DTYPE_UINT64] = min_u64,
};
static const BinaryFn prelu_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = prelu_f32, [TSR_DTYPE_DOUBLE] = prelu_f64,
    [TSR_DTYPE_INT8] = prelu_i8, [TSR_DTYPE_INT16] = prelu_i16,
    [TSR_DTYPE_INT32] = prelu_i32, [TSR_DTYPE_INT64] = prelu_i64,
    [TSR_DTYPE_UINT8] = prelu_u8, [TSR_DTYPE_UINT16] = prelu_u16,
    [TSR_DTYPE_UINT32] = prelu_u32, [TSR_DTYPE_UINT64] = prelu_u64,
};
static const BinaryFn equal_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = equal_f32, [TSR_DTYPE_DOUBLE] = equal_f64,
    [TSR_DTYPE_INT8] = equal_i8, [TSR_DTYPE_INT16] = equal_i16,
    [TSR_DTYPE_INT32] = equal_i32, [TSR_DTYPE_INT64] = equal_i64,
    [TSR_DTYPE_UINT8] = equal_u8, [TSR_DTYPE_UINT16] = equal_u16,
    [TSR_DTYPE_UINT32] = equal_u32, [TSR_DTYPE_UINT64] = equal_u64,
    [TSR_DTYPE_BOOL] = equal_u8,
    [TSR_DTYPE_STRING] = string_equal,
};
static const BinaryFn greater_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = greater_f32, [TSR_DTYPE_DOUBLE] = greater_f64,
    [TSR_DTYPE_INT8] = greater_i8, [TSR_DTYPE_INT16] = greater_i16,
    [TSR_DTYPE_INT32] = greater_i32, [TSR_DTYPE_INT64] = greater_i64,
    [TSR_DTYPE_UINT8] = greater_u8, [TSR_DTYPE_UINT16] = greater_u16,
    [TSR_DTYPE_UINT32] = greater_u32, [TSR_DTYPE_UINT64] = greater_u64,
};
static const BinaryFn less_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = less_f32, [TSR_DTYPE_DOUBLE] = less_f64,
    [TSR_DTYPE_INT8] = less_i8, [TSR_DTYPE_INT16] = less_i16,
    [TSR_DTYPE_INT32] = less_i32, [TSR_DTYPE_INT64] = less_i64,
    [TSR_DTYPE_UINT8] = less_u8, [TSR_DTYPE_UINT16] = less_u16,
    [TSR_DTYPE_UINT32] = less_u32, [TSR_DTYPE_UINT64] = less_u64,
};
static const BinaryFn greater_equal_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = greater_equal_f32, [TSR_DTYPE_DOUBLE] = greater_equal_f64,
    [TSR_DTYPE_INT8] = greater_equal_i8, [TSR_DTYPE_INT16] = greater_equal_i16,
    [TSR_DTYPE_INT32] = greater_equal_i32, [TSR_DTYPE_INT64] = greater_equal_i64,
    [TSR_DTYPE_UINT8] = greater_equal_u8, [TSR_DTYPE_UINT16] = greater_equal_u16,
    [TSR_DTYPE_UINT32] = greater_equal_u32, [TSR_DTYPE_UINT64] = greater_equal_u64,
};
static const BinaryFn less_equal_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = less_equal_f32, [TSR_DTYPE_DOUBLE] = less_equal_f64,
    [TSR_DTYPE_INT8] = less_equal_i8, [TSR_DTYPE_INT16] = less_equal_i16,
    [TSR_DTYPE_INT32] = less_equal_i32, [TSR_DTYPE_INT64] = less_equal_i64,
    [TSR_DTYPE_UINT8] = less_equal_u8, [TSR_DTYPE_UINT16] = less_equal_u16,
    [TSR_DTYPE_UINT32] = less_equal_u32, [TSR_DTYPE_UINT64] = less_equal_u64,
};
static const BinaryFn and_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_INT8] = and_i8, [TSR_DTYPE_INT16] = and_i16,
    [TSR_DTYPE_INT32] = and_i32, [TSR_DTYPE_INT64] = and_i64,
    [TSR_DTYPE_UINT8] = and_u8, [TSR_DTYPE_UINT16] = and_u16,
    [TSR_DTYPE_UINT32] = and_u32, [TSR_DTYPE_UINT64] = and_u64,
};
static const BinaryFn or_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_INT8] = or_i8, [TSR_DTYPE_INT16] = or_i16,
    [TSR_DTYPE_INT32] = or_i32, [TSR_DTYPE_INT64] = or_i64,
    [TSR_DTYPE_UINT8] = or_u8, [TSR_DTYPE_UINT16] = or_u16,
    [TSR_DTYPE_UINT32] = or_u32, [TSR_DTYPE_UINT64] = or_u64,
};
static const BinaryFn xor_table[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_INT8] = xor_i8, [TSR_DTYPE_INT16] = xor_i16,
    [TSR_DTYPE_INT32] = xor_i32, [TSR_DTYPE_INT64] = xor_i64,
    [TSR_DTYPE_UINT8] = xor_u8, [TSR_DTYPE_UINT16] = xor_u16,
    [TSR_DTYPE_UINT32] = xor_u32, [TSR_DTYPE_UINT64] = xor_u64,
};
static const BinaryFn mod_choice_table[2][TSR_DTYPE_COUNT] = {
    {
        [TSR_DTYPE_FLOAT] = mod_f32, [TSR_DTYPE_DOUBLE] = mod_f64,
        [TSR_DTYPE_INT8] = mod_i8, [TSR_DTYPE_INT16] = mod_i16,
        [TSR_DTYPE_INT32] = mod_i32, [TSR_DTYPE_INT64] = mod_i64,
        [TSR_DTYPE_UINT8] = mod_u8, [TSR_DTYPE_UINT16] = mod_u16,
        [TSR_DTYPE_UINT32] = mod_u32, [TSR_DTYPE_UINT64] = mod_u64,
    }, {
        [TSR_DTYPE_FLOAT] = fmod_f32, [TSR_DTYPE_DOUBLE] = fmod_f64,
        [TSR_DTYPE_INT8] = fmod_i8, [TSR_DTYPE_INT16] = fmod_i16,
        [TSR_DTYPE_INT32] = fmod_i32, [TSR_DTYPE_INT64] = fmod_i64,
        [TSR_DTYPE_UINT8] = fmod_u8, [TSR_DTYPE_UINT16] = fmod_u16,
        [TSR_DTYPE_UINT32] = fmod_u32, [TSR_DTYPE_UINT64] = fmod_u64,
    },
};
static const BinaryFn shift_choice_table[2][TSR_DTYPE_COUNT] = {
    {
        [TSR_DTYPE_INT8] = left_i8, [TSR_DTYPE_INT16] = left_i16,
        [TSR_DTYPE_INT32] = left_i32, [TSR_DTYPE_INT64] = left_i64,
        [TSR_DTYPE_UINT8] = left_u8, [TSR_DTYPE_UINT16] = left_u16,
        [TSR_DTYPE_UINT32] = left_u32, [TSR_DTYPE_UINT64] = left_u64,
    }, {
        [TSR_DTYPE_INT8] = right_i8, [TSR_DTYPE_INT16] = right_i16,
        [TSR_DTYPE_INT32] = right_i32, [TSR_DTYPE_INT64] = right_i64,
        [TSR_DTYPE_UINT8] = right_u8, [TSR_DTYPE_UINT16] = right_u16,
        [TSR_DTYPE_UINT32] = right_u32, [TSR_DTYPE_UINT64] = right_u64,
    },
};
static const BinaryFn bool_and_table[TSR_DTYPE_COUNT] = {[TSR_DTYPE_BOOL] = logical_and};
static const BinaryFn bool_or_table[TSR_DTYPE_COUNT] = {[TSR_DTYPE_BOOL] = logical_or};
static const BinaryFn bool_xor_table[TSR_DTYPE_COUNT] = {[TSR_DTYPE_BOOL] = logical_xor};

static const AicpuKernel kernels[] = {
    {.op = "Add", .run = run_binary, .table = add_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Sub", .run = run_binary, .table = sub_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Mul", .run = run_binary, .table = mul_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Div", .run = run_binary, .table = div_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Pow", .run = run_pow, .table = pow_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "PRelu", .run = run_binary, .table = prelu_table,
     .dtypes = TSR_TYPES_NUMERIC, .mode = 1},
    {.op = "Mod", .run = run_choice, .table = mod_choice_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "BitShift", .run = run_choice, .table = shift_choice_table,
     .dtypes = TSR_TYPES_UNSIGNED},
    {.op = "Max", .run = run_variadic, .table = max_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Min", .run = run_variadic, .table = min_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Sum", .run = run_variadic, .table = add_table,
     .dtypes = TSR_TYPES_FLOAT},
    {.op = "Mean", .run = run_variadic, .table = add_table,
     .dtypes = TSR_TYPES_FLOAT, .mode = 1},
    {.op = "Equal", .run = run_binary, .table = equal_table,
     .dtypes =
     TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_STRING)},
    {.op = "Greater", .run = run_binary, .table = greater_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Less", .run = run_binary, .table = less_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "GreaterOrEqual", .run = run_binary, .table = greater_equal_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "LessOrEqual", .run = run_binary, .table = less_equal_table,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "And", .run = run_binary, .table = bool_and_table,
     .dtypes = TSR_BIT(TSR_DTYPE_BOOL)},
    {.op = "Or", .run = run_binary, .table = bool_or_table,
     .dtypes = TSR_BIT(TSR_DTYPE_BOOL)},
    {.op = "Xor", .run = run_binary, .table = bool_xor_table,
     .dtypes = TSR_BIT(TSR_DTYPE_BOOL)},
    {.op = "BitwiseAnd", .run = run_binary, .table = and_table,
     .dtypes = TSR_TYPES_INTEGER},
    {.op = "BitwiseOr", .run = run_binary, .table = or_table,
     .dtypes = TSR_TYPES_INTEGER},
    {.op = "BitwiseXor", .run = run_binary, .table = xor_table,
     .dtypes = TSR_TYPES_INTEGER},
};

const AicpuFamily aicpu_binary = AICPU_FAMILY(kernels);
