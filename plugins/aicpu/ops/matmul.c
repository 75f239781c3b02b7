/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul.c: MatMul and Gemm: float and the half types through the blocked product of
 * gemm.c, double and integers by plain loops.
 */
#include "gemm.h"
#include "../number.h"

/* Copies a matrix so that it is row-major [rows, columns]; transposed when asked. */
static const float *as_row_major(TsrRunContext *run, const float *m, int64_t rows,
                                 int64_t columns, int transposed)
{
    float *copy;
    if (!transposed || m == NULL)
        return m;
    copy = run->scratch(run, (uint64_t)(rows * columns > 0 ? rows * columns : 1) * sizeof(float));
    /* Squares of 32 by 32: both sides stay in the first-level cache. */
    for (int64_t r0 = 0; copy != NULL && r0 < rows; r0 += 32)
        for (int64_t c0 = 0; c0 < columns; c0 += 32)
            for (int64_t r = r0; r < rows && r < r0 + 32; r++)
                for (int64_t c = c0; c < columns && c < c0 + 32; c++)
                    copy[r * columns + c] = m[c * rows + r];
    return copy;
}

/* The batch of a MatMul: offsets of its matrices in elements. */
typedef struct Batch {
    uint32_t rank;
    int64_t dim[TSR_MAX_RANK];
    int64_t stride_a[TSR_MAX_RANK];
    int64_t stride_b[TSR_MAX_RANK];
    int64_t count, rows, columns, inner;
} Batch;

static void batch_read(Batch *batch, const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    uint32_t a_rank = a->rank > 2 ? a->rank - 2 : 0, b_rank = b->rank > 2 ? b->rank - 2 : 0;
    batch->inner = a->shape[a->rank - 1];
    batch->rows = a->rank > 1 ? a->shape[a->rank - 2] : 1;
    batch->columns = b->rank > 1 ? b->shape[b->rank - 1] : 1;
    batch->rank = a_rank;
    memcpy(batch->dim, a->shape, a_rank * sizeof(int64_t));
    tsr_shape_broadcast(&batch->rank, batch->dim, b_rank, b->shape);
    tsr_broadcast_strides(a_rank, a->shape, batch->rank, batch->stride_a);
    tsr_broadcast_strides(b_rank, b->shape, batch->rank, batch->stride_b);
    batch->count = tsr_shape_elements(batch->rank, batch->dim);
}

static void batch_offsets(const Batch *batch, int64_t index, int64_t *out_a, int64_t *out_b)
{
    *out_a = *out_b = 0;
    for (uint32_t i = batch->rank; i-- > 0;) {
        *out_a += index % batch->dim[i] * batch->stride_a[i];
        *out_b += index % batch->dim[i] * batch->stride_b[i];
        index /= batch->dim[i];
    }
    *out_a *= batch->rows * batch->inner;
    *out_b *= batch->inner * batch->columns;
}

static int32_t run_matmul(const AicpuKernel *kernel, TsrRunContext *run)
{
    const float *a = aicpu_as_float(run, run->inputs[0]);
    const float *b = aicpu_as_float(run, run->inputs[1]);
    float *y = aicpu_begin_float(run, run->outputs[0]);
    Batch batch;
    (void)kernel;
    batch_read(&batch, run->inputs[0]->desc, run->inputs[1]->desc);
    if (tsr_desc_elements(run->outputs[0]->desc) == 0)
        return TSR_OK;
    if (batch.inner > 0 && (a == NULL || b == NULL || y == NULL))
        return TSR_OUT_OF_MEMORY;
    /* B shared by the whole batch: one product with all the rows of A. */
    if (batch.count > 1 && run->inputs[1]->desc->rank <= 2) {
        batch.rows *= batch.count;
        batch.count = 1;
        batch.rank = 0;
    }
    for (int64_t i = 0; i < batch.count; i++) {
        int64_t from_a, from_b;
        batch_offsets(&batch, i, &from_a, &from_b);
        aicpu_gemm_f32(run, batch.rows, batch.columns, batch.inner, a + from_a, b + from_b,
                       y + i * batch.rows * batch.columns, batch.columns, 0);
    }
    aicpu_finish_float(run, run->outputs[0], y);
    return TSR_OK;
}

/* double and the integer types: plain loops, K innermost. */
static int32_t run_matmul_wide(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *a = run->inputs[0], *b = run->inputs[1], *y = run->outputs[0];
    int integer = aicpu_is_integer(y->desc->dtype);
    Batch batch;
    (void)kernel;
    batch_read(&batch, a->desc, b->desc);
    for (int64_t i = 0; i < batch.count; i++) {
        int64_t from_a, from_b;
        batch_offsets(&batch, i, &from_a, &from_b);
        for (int64_t r = 0; r < batch.rows; r++)
            for (int64_t c = 0; c < batch.columns; c++) {
                int64_t at = (i * batch.rows + r) * batch.columns + c;
                uint64_t sum_i = 0;
                double sum_d = 0.0;
                for (int64_t k = 0; k < batch.inner; k++) {
                    int64_t ia = from_a + r * batch.inner + k, va, vb;
                    int64_t ib = from_b + k * batch.columns + c;
                    double da, db;
                    if (integer) {
                        aicpu_load_int64(a->desc->dtype, a->data, ia, 1, &va);
                        aicpu_load_int64(b->desc->dtype, b->data, ib, 1, &vb);
                        sum_i += (uint64_t)va * (uint64_t)vb;
                    } else {
                        aicpu_load_double(a->desc->dtype, a->data, ia, 1, &da);
                        aicpu_load_double(b->desc->dtype, b->data, ib, 1, &db);
                        sum_d += da * db;
                    }
                }
                if (integer) {
                    int64_t sum = (int64_t)sum_i;
                    aicpu_store_int64(y->desc->dtype, y->data, at, 1, &sum);
                } else {
                    aicpu_store_double(y->desc->dtype, y->data, at, 1, &sum_d, AICPU_SATURATE);
                }
            }
    }
    return TSR_OK;
}

/* Where element (r, c) of a C that broadcasts to [rows, columns] lies. */
static void c_strides(const TsrTensorDesc *c, int64_t *out_row, int64_t *out_column)
{
    int64_t stride[2];
    tsr_broadcast_strides(c->rank, c->shape, 2, stride);
    *out_row = stride[0];
    *out_column = stride[1];
}

/* Gemm: alpha * A' * B' + beta * C. */
static int32_t run_gemm(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *y_desc = run->outputs[0]->desc, *a_desc = run->inputs[0]->desc;
    const TsrTensor *c_tensor = aicpu_input(run, 2);
    int ta = tsr_attr_int(run->node, "transA", 0) != 0;
    int tb = tsr_attr_int(run->node, "transB", 0) != 0;
    float alpha = tsr_attr_float(run->node, "alpha", 1.0f);
    float beta = tsr_attr_float(run->node, "beta", 1.0f);
    int64_t m = y_desc->shape[0], n = y_desc->shape[1], k = a_desc->shape[ta ? 0 : 1];
    const float *a = as_row_major(run, aicpu_as_float(run, run->inputs[0]), m, k, ta);
    int few = tb && m <= 16;
    const float *b = as_row_major(run, aicpu_as_float(run, run->inputs[1]), k, n, tb && !few);
    const float *c = aicpu_as_float(run, c_tensor);
    float *y = aicpu_begin_float(run, run->outputs[0]);
    int64_t row = 0, column = 0;
    (void)kernel;
    if (m * n == 0)
        return TSR_OK;
    if (y == NULL || (k > 0 && (a == NULL || b == NULL)) || (c_tensor != NULL && c == NULL))
        return TSR_OUT_OF_MEMORY;
    if (few)
        aicpu_gemm_nt_f32(run, m, n, k, a, b, y);
    else
        aicpu_gemm_f32(run, m, n, k, a, b, y, n, 0);
    if (c != NULL)
        c_strides(c_tensor->desc, &row, &column);
    for (int64_t r = 0; r < m && (c != NULL || alpha != 1.0f); r++)
        for (int64_t j = 0; j < n; j++)
            y[r * n + j] = alpha * y[r * n + j] +
                           (c != NULL ? beta * c[r * row + j * column] : 0.0f);
    aicpu_finish_float(run, run->outputs[0], y);
    return TSR_OK;
}

static int32_t run_gemm_wide(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *a = run->inputs[0], *b = run->inputs[1], *c = aicpu_input(run, 2);
    const TsrTensor *y = run->outputs[0];
    int ta = tsr_attr_int(run->node, "transA", 0) != 0;
    int tb = tsr_attr_int(run->node, "transB", 0) != 0;
    double alpha = (double)tsr_attr_float(run->node, "alpha", 1.0f);
    double beta = (double)tsr_attr_float(run->node, "beta", 1.0f);
    int64_t m = y->desc->shape[0], n = y->desc->shape[1], k = a->desc->shape[ta ? 0 : 1];
    int64_t row = 0, column = 0;
    (void)kernel;
    if (c != NULL)
        c_strides(c->desc, &row, &column);
    for (int64_t r = 0; r < m; r++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0.0, va, vb;
            for (int64_t i = 0; i < k; i++) {
                aicpu_load_double(a->desc->dtype, a->data, ta ? i * m + r : r * k + i, 1, &va);
                aicpu_load_double(b->desc->dtype, b->data, tb ? j * k + i : i * n + j, 1, &vb);
                sum += va * vb;
            }
            sum *= alpha;
            if (c != NULL) {
                aicpu_load_double(c->desc->dtype, c->data, r * row + j * column, 1, &va);
                sum += beta * va;
            }
            aicpu_store_double(y->desc->dtype, y->data, r * n + j, 1, &sum, AICPU_SATURATE);
        }
    return TSR_OK;
}

#define SINGLE                                                                      \
    (TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16))
#define WIDE (TSR_BIT(TSR_DTYPE_DOUBLE) | TSR_TYPES_INTEGER)

static const AicpuKernel kernels[] = {
    {.op = "MatMul", .run = run_matmul, .dtypes = SINGLE},
    {.op = "MatMul", .run = run_matmul_wide, .dtypes = WIDE},
    {.op = "Gemm", .run = run_gemm, .dtypes = SINGLE},
    {.op = "Gemm", .run = run_gemm_wide, .dtypes = WIDE},
};

const AicpuFamily aicpu_matmul = AICPU_FAMILY(kernels);
