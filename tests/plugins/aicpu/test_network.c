/* SPDX-License-Identifier: Apache-2.0
 *
 * test_network.c: the heavy kernels of aicpu: products, convolutions, pooling,
 * normalizations, reductions. Blocked code is compared with sums written down here.
 */
#include "support/op_check.h"

/* Small integers as floats: sums are exact, so that results compare equal. */
static float *numbers(int64_t count, unsigned seed)
{
    float *x = malloc((size_t)count * sizeof(*x));
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1103515245u + 12345u;
        x[i] = (float)(int)((seed >> 16) % 7) - 3.0f;
    }
    return x;
}

START_TEST(matmul_sizes)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {4, 32, 256}, {5, 33, 257},
                                       {17, 64, 300}, {129, 31, 7}, {2, 300, 1}};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
        float *a = numbers(m * k, 1), *b = numbers(k * n, 2);
        OpHarness *h = op("MatMul", 13), *t = op("Gemm", 13);
        float *bt = malloc((size_t)(k * n) * sizeof(*bt));
        in_f32(h, a, LIST(m, k));
        in_f32(h, b, LIST(k, n));
        runs(h);
        for (int64_t i = 0; i < k * n; i++)
            bt[i % n * k + i / n] = b[i];
        in_f32(t, a, LIST(m, k));
        in_f32(t, bt, LIST(n, k));
        op_harness_int(t, "transB", 1);
        runs(t);
        for (int64_t i = 0; i < m * n; i++) {
            float sum = 0.0f;
            for (int64_t j = 0; j < k; j++)
                sum += a[i / n * k + j] * b[j * n + i % n];
            ck_assert(((const float *)op_harness_output(h, 0)->data)[i] == sum);
            ck_assert(((const float *)op_harness_output(t, 0)->data)[i] == sum);
        }
        op_harness_free(h);
        op_harness_free(t);
        free(a);
        free(b);
        free(bt);
    }
}
END_TEST

START_TEST(gemm_and_batches)
{
    OpHarness *h = op("Gemm", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_f32(h, F(1, 0, 0, 1), LIST(2, 2));
    in_f32(h, F(10, 20), LIST(2, 1));
    op_harness_int(h, "transA", 1);
    op_harness_float(h, "alpha", 2);
    op_harness_float(h, "beta", 0.5f);
    runs(h);
    want_f32(h, 0, F(7, 11, 14, 18), LIST(2, 2));
    op_harness_free(h);
    h = op("MatMul", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 1, 2));
    in_f32(h, F(1, 1, 2, 0), LIST(2, 2, 1));
    runs(h);
    want_f32(h, 0, F(3, 6), LIST(2, 1, 1));
    op_harness_free(h);
    h = op("MatMul", 13); /* an empty inner dimension gives zeros */
    in_f32(h, F(0), LIST(2, 0));
    in_f32(h, F(0), LIST(0, 2));
    runs(h);
    want_f32(h, 0, F(0, 0, 0, 0), LIST(2, 2));
    op_harness_free(h);
    h = op("MatMul", 13);
    op_harness_input(h, TSR_DTYPE_INT32, 1, I64(2), (const int32_t[]){3, 4});
    op_harness_input(h, TSR_DTYPE_INT32, 1, I64(2), (const int32_t[]){5, 6});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_INT32, (const int32_t[]){39}, 4);
    op_harness_free(h);
}
END_TEST

/* Conv against its definition, two spatial axes. */
static void conv_case(int64_t c, int64_t size, int64_t maps, int64_t group, int64_t kernel,
                      int64_t stride, int64_t pad, int64_t dilation)
{
    int64_t out = (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1, per = c / group;
    float *x = numbers(2 * c * size * size, 3), *w = numbers(maps * per * kernel * kernel, 4);
    float *b = numbers(maps, 5);
    OpHarness *h = op("Conv", 11);
    const float *y;
    in_f32(h, x, LIST(2, c, size, size));
    in_f32(h, w, LIST(maps, per, kernel, kernel));
    in_f32(h, b, LIST(maps));
    op_harness_int(h, "group", group);
    op_harness_ints(h, "strides", 2, I64(stride, stride));
    op_harness_ints(h, "dilations", 2, I64(dilation, dilation));
    op_harness_ints(h, "pads", 4, I64(pad, pad, pad, pad));
    runs(h);
    want_shape(h, 0, TSR_DTYPE_FLOAT, LIST(2, maps, out, out));
    y = op_harness_output(h, 0)->data;
    for (int64_t i = 0; i < 2 * maps * out * out; i++) {
        int64_t col = i % out, row = i / out % out, m = i / out / out % maps;
        int64_t n = i / out / out / maps;
        float sum = b[m];
        for (int64_t k = 0; k < per * kernel * kernel; k++) {
            int64_t kx = k % kernel, ky = k / kernel % kernel, ch = k / kernel / kernel;
            int64_t iy = row * stride + ky * dilation - pad;
            int64_t ix = col * stride + kx * dilation - pad;
            if (iy >= 0 && iy < size && ix >= 0 && ix < size)
                sum += w[m * per * kernel * kernel + k] *
                       x[((n * c + m / (maps / group) * per + ch) * size + iy) * size + ix];
        }
        ck_assert_msg(y[i] == sum, "element %lld is %g, wanted %g", (long long)i, (double)y[i],
                      (double)sum);
    }
    op_harness_free(h);
    free(x);
    free(w);
    free(b);
}

START_TEST(convolutions)
{
    conv_case(3, 8, 5, 1, 3, 1, 1, 1);
    conv_case(4, 9, 6, 2, 3, 2, 1, 1);
    conv_case(8, 7, 8, 8, 3, 1, 1, 1);  /* depthwise */
    conv_case(4, 7, 8, 4, 3, 2, 2, 2);  /* two maps per channel */
    conv_case(16, 40, 40, 1, 1, 1, 0, 1); /* pointwise */
    conv_case(2, 5, 3, 1, 5, 1, 4, 1);  /* windows that hardly touch the input */
    conv_case(64, 33, 8, 1, 3, 1, 1, 2); /* several bands */
}
END_TEST

START_TEST(convolution_1d_and_transposed)
{
    OpHarness *h = op("Conv", 11);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 4));
    in_f32(h, F(1, 10, 100), LIST(1, 1, 3));
    op_harness_string(h, "auto_pad", "SAME_LOWER");
    op_harness_ints(h, "strides", 1, I64(2));
    runs(h);
    want_f32(h, 0, F(210, 432), LIST(1, 1, 2));
    op_harness_free(h);
    h = op("ConvTranspose", 11);
    in_f32(h, F(1, 2), LIST(1, 1, 2));
    in_f32(h, F(1, 10, 100), LIST(1, 1, 3));
    in_f32(h, F(0.5f), LIST(1));
    op_harness_ints(h, "strides", 1, I64(2));
    runs(h);
    want_f32(h, 0, F(1.5f, 10.5f, 102.5f, 20.5f, 200.5f), LIST(1, 1, 5));
    op_harness_free(h);
}
END_TEST

START_TEST(pooling)
{
    OpHarness *h = op("MaxPool", 12);
    in_f32(h, F(1, 9, 3, 4, 5, 6, 7, 8, 2), LIST(1, 1, 3, 3));
    op_harness_ints(h, "kernel_shape", 2, I64(2, 2));
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_f32(h, 0, F(9, 9, 8, 8), LIST(1, 1, 2, 2));
    want_i64(h, 1, I64(1, 1, 7, 7), LIST(1, 1, 2, 2));
    op_harness_free(h);
    h = op("AveragePool", 11);
    in_f32(h, F(2, 4), LIST(1, 1, 2));
    op_harness_ints(h, "kernel_shape", 1, I64(2));
    op_harness_ints(h, "pads", 2, I64(1, 0));
    runs(h);
    want_f32(h, 0, F(2, 3), LIST(1, 1, 2));
    op_harness_free(h);
    h = op("AveragePool", 11);
    in_f32(h, F(2, 4), LIST(1, 1, 2));
    op_harness_ints(h, "kernel_shape", 1, I64(2));
    op_harness_ints(h, "pads", 2, I64(1, 0));
    op_harness_int(h, "count_include_pad", 1);
    runs(h);
    want_f32(h, 0, F(1, 3), LIST(1, 1, 2));
    op_harness_free(h);
    h = op("GlobalAveragePool", 1);
    in_f32(h, F(1, 2, 3, 6), LIST(1, 2, 1, 2));
    runs(h);
    want_f32(h, 0, F(1.5f, 4.5f), LIST(1, 2, 1, 1));
    op_harness_free(h);
}
END_TEST

START_TEST(normalizations)
{
    OpHarness *h = op("BatchNormalization", 15);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 2, 2));
    in_f32(h, F(2, 1), LIST(2));
    in_f32(h, F(1, 0), LIST(2));
    in_f32(h, F(1, 3), LIST(2));
    in_f32(h, F(4, 1), LIST(2));
    op_harness_float(h, "epsilon", 0);
    runs(h);
    want_f32(h, 0, F(1, 2, 0, 1), LIST(1, 2, 2));
    op_harness_free(h);
    h = op("LayerNormalization", 17);
    in_f32(h, F(1, 3, 10, 20), LIST(2, 2));
    in_f32(h, F(1, 2), LIST(2));
    in_f32(h, F(0, 1), LIST(2));
    op_harness_float(h, "epsilon", 0);
    op_harness_outputs(h, 3, 0);
    runs(h);
    want_f32(h, 0, F(-1, 3, -1, 3), LIST(2, 2));
    want_f32(h, 1, F(2, 15), LIST(2, 1));
    want_f32(h, 2, F(1, 0.2f), LIST(2, 1));
    op_harness_free(h);
    h = op("InstanceNormalization", 6);
    in_f32(h, F(1, 3), LIST(1, 1, 2));
    in_f32(h, F(3), LIST(1));
    in_f32(h, F(1), LIST(1));
    op_harness_float(h, "epsilon", 0);
    runs(h);
    want_f32(h, 0, F(-2, 4), LIST(1, 1, 2));
    op_harness_free(h);
    h = op("LRN", 13);
    in_f32(h, F(1, 2, 3), LIST(1, 3, 1));
    op_harness_int(h, "size", 2);
    op_harness_float(h, "alpha", 2);
    op_harness_float(h, "beta", 1);
    runs(h);
    want_f32(h, 0, F(1.0f / 6, 2.0f / 14, 0.3f), LIST(1, 3, 1));
    op_harness_free(h);
    h = op("Softmax", 13);
    in_f32(h, F(1000, 1000, -1000, 0), LIST(2, 2));
    runs(h);
    want_f32(h, 0, F(0.5f, 0.5f, 0, 1), LIST(2, 2));
    op_harness_free(h);
    h = op("Softmax", 11); /* all axes from 1 on are one vector */
    in_f32(h, F(0, 0, 0, 0), LIST(1, 2, 2));
    runs(h);
    want_f32(h, 0, F(0.25f, 0.25f, 0.25f, 0.25f), LIST(1, 2, 2));
    op_harness_free(h);
}
END_TEST

static void reduce(const char *name, const float *want)
{
    OpHarness *h = op(name, 18);
    in_f32(h, F(1, -2, 3, 4, 5, 6), LIST(2, 3));
    in_i64(h, I64(0), LIST(1));
    op_harness_int(h, "keepdims", 0);
    runs(h);
    want_f32(h, 0, want, LIST(3));
    op_harness_free(h);
}

START_TEST(reductions)
{
    reduce("ReduceSum", F(5, 3, 9));
    reduce("ReduceMean", F(2.5f, 1.5f, 4.5f));
    reduce("ReduceMax", F(4, 5, 6));
    reduce("ReduceMin", F(1, -2, 3));
    reduce("ReduceProd", F(4, -10, 18));
    reduce("ReduceL1", F(5, 7, 9));
    reduce("ReduceL2", F(4.1231056f, 5.3851648f, 6.7082039f));
    reduce("ReduceSumSquare", F(17, 29, 45));
    reduce("ReduceLogSumExp", F(4.0485873f, 5.0009115f, 6.0485873f));
    OpHarness *h = op("ReduceMax", 18);
    in_f32(h, F(0), LIST(0, 2));
    in_i64(h, I64(0), LIST(1));
    runs(h);
    want_f32(h, 0, F(-INFINITY, -INFINITY), LIST(1, 2));
    op_harness_free(h);
    h = op("ArgMax", 13);
    in_f32(h, F(1, 3, 3, 2), LIST(4));
    op_harness_int(h, "select_last_index", 1);
    runs(h);
    want_i64(h, 0, I64(2), LIST(1));
    op_harness_free(h);
    h = op("CumSum", 14);
    in_i64(h, I64(1, 2, 3), LIST(3));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(0));
    op_harness_int(h, "reverse", 1);
    op_harness_int(h, "exclusive", 1);
    runs(h);
    want_i64(h, 0, I64(5, 3, 0), LIST(3));
    op_harness_free(h);
}
END_TEST

OP_TEST_MAIN(matmul_sizes, gemm_and_batches, convolutions, convolution_1d_and_transposed, pooling,
             normalizations, reductions)
