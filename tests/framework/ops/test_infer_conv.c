/* SPDX-License-Identifier: Apache-2.0
 *
 * test_infer_conv.c: shapes of Conv, ConvTranspose, pooling, MatMul, Gemm, Resize and
 * the recurrent layers.
 */
#include "support/op_check.h"

START_TEST(convolution)
{
    OpHarness *h = op("Conv", 11);
    in_shape(h, LIST(-1, 3, 224, 224));
    in_shape(h, LIST(64, 3, 7, 7));
    op_harness_ints(h, "strides", 2, I64(2, 2));
    op_harness_ints(h, "pads", 4, I64(3, 3, 3, 3));
    infers(h, TSR_DTYPE_FLOAT, LIST(-1, 64, 112, 112));
    h = op("Conv", 11);
    in_shape(h, LIST(1, 4, 10));
    in_shape(h, LIST(4, 1, 3));
    op_harness_int(h, "group", 4);
    op_harness_string(h, "auto_pad", "SAME_UPPER");
    op_harness_ints(h, "strides", 1, I64(3));
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 4, 4));
    h = op("Conv", 11);
    in_shape(h, LIST(1, 3, 8, 8));
    in_shape(h, LIST(4, 2, 3, 3));
    refuses(h, TSR_INVALID_ARGUMENT, "got 2 and 3");
    h = op("Conv", 11);
    in_shape(h, LIST(1, 3, 2, 8));
    in_shape(h, LIST(4, 3, 3, 3));
    refuses(h, TSR_INVALID_ARGUMENT, "reaches over 3");
    h = op("Conv", 11);
    in_shape(h, LIST(1, 3));
    in_shape(h, LIST(4, 3));
    refuses(h, TSR_INVALID_ARGUMENT, "at least rank 3");
    h = op("ConvTranspose", 11);
    in_shape(h, LIST(1, 6, 3, 3));
    in_shape(h, LIST(6, 2, 3, 3));
    op_harness_int(h, "group", 2);
    op_harness_ints(h, "strides", 2, I64(2, 2));
    op_harness_ints(h, "output_padding", 2, I64(1, 0));
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 4, 8, 7));
}
END_TEST

START_TEST(pooling)
{
    OpHarness *h = op("MaxPool", 12);
    in_shape(h, LIST(1, 2, 4, 4));
    op_harness_ints(h, "kernel_shape", 2, I64(3, 3));
    op_harness_ints(h, "strides", 2, I64(2, 2));
    op_harness_int(h, "ceil_mode", 1);
    op_harness_outputs(h, 2, 0);
    ck_assert_int_eq(op_harness_infer(h), TSR_OK);
    want_shape(h, 0, TSR_DTYPE_FLOAT, LIST(1, 2, 2, 2));
    want_shape(h, 1, TSR_DTYPE_INT64, LIST(1, 2, 2, 2));
    op_harness_free(h);
    h = op("AveragePool", 19); /* a window that would start in the padding is dropped */
    in_shape(h, LIST(1, 1, 2, 2));
    op_harness_ints(h, "kernel_shape", 2, I64(1, 1));
    op_harness_ints(h, "strides", 2, I64(3, 3));
    op_harness_ints(h, "pads", 4, I64(0, 0, 2, 2));
    op_harness_int(h, "ceil_mode", 1);
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 1, 1, 1));
    h = op("GlobalAveragePool", 1);
    in_shape(h, LIST(2, 3, -1, 5));
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 3, 1, 1));
}
END_TEST

START_TEST(products)
{
    OpHarness *h = op("MatMul", 13);
    in_shape(h, LIST(5, 1, 2, 3));
    in_shape(h, LIST(4, 3, 6));
    infers(h, TSR_DTYPE_FLOAT, LIST(5, 4, 2, 6));
    h = op("MatMul", 13);
    in_shape(h, LIST(3));
    op_harness_input(h, TSR_DTYPE_FLOAT, 1, I64(3), NULL);
    ck_assert_int_eq(op_harness_infer(h), TSR_OK);
    ck_assert_uint_eq(op_harness_desc(h, 0)->rank, 0);
    op_harness_free(h);
    h = op("MatMul", 13);
    in_shape(h, LIST(2, 3));
    in_shape(h, LIST(4, 2));
    refuses(h, TSR_INVALID_ARGUMENT, "A [2,3], B [4,2]");
    h = op("Gemm", 13);
    in_shape(h, LIST(3, 2));
    in_shape(h, LIST(4, 3));
    in_shape(h, LIST(4));
    op_harness_int(h, "transA", 1);
    op_harness_int(h, "transB", 1);
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 4));
    h = op("Gemm", 13);
    in_shape(h, LIST(2, 3));
    in_shape(h, LIST(3, 4));
    in_shape(h, LIST(3));
    refuses(h, TSR_INVALID_ARGUMENT, "must broadcast to [2,4]");
}
END_TEST

START_TEST(resize_and_rnn)
{
    OpHarness *h = op("Resize", 13);
    in_shape(h, LIST(1, 1, 2, 5));
    op_harness_omit(h);
    op_harness_input(h, TSR_DTYPE_FLOAT, 1, I64(4), F(1, 1, 2, 0.5f));
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 1, 4, 2));
    h = op("Resize", 18);
    in_shape(h, LIST(1, 1, 4, 2));
    op_harness_omit(h);
    op_harness_omit(h);
    in_i64(h, I64(8, 8), LIST(2));
    op_harness_ints(h, "axes", 2, I64(2, 3));
    op_harness_string(h, "keep_aspect_ratio_policy", "not_larger");
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 1, 8, 4));
    h = op("Resize", 13);
    in_shape(h, LIST(1, 1));
    refuses(h, TSR_INVALID_ARGUMENT, "neither");
    h = op("LSTM", 14);
    in_shape(h, LIST(7, 2, 3));
    in_shape(h, LIST(2, 16, 3));
    in_shape(h, LIST(2, 16, 4));
    op_harness_string(h, "direction", "bidirectional");
    op_harness_outputs(h, 3, 0);
    ck_assert_int_eq(op_harness_infer(h), TSR_OK);
    want_shape(h, 0, TSR_DTYPE_FLOAT, LIST(7, 2, 2, 4));
    want_shape(h, 2, TSR_DTYPE_FLOAT, LIST(2, 2, 4));
    op_harness_free(h);
}
END_TEST

/* Shapes that a kernel could not survive are refused before it runs. */
START_TEST(hostile_shapes)
{
    OpHarness *h = op("Conv", 11);
    in_shape(h, LIST(1, 1, 4));
    in_shape(h, LIST(1, 1, 0));
    refuses(h, TSR_INVALID_ARGUMENT, "at least 1");
    h = op("Conv", 11);
    in_shape(h, LIST(1, 1, 4));
    in_shape(h, LIST(1, 1, 1));
    op_harness_int(h, "group", 0);
    refuses(h, TSR_INVALID_ARGUMENT, "group");
    h = op("ConvTranspose", 11);
    in_shape(h, LIST(1, 1, 4));
    in_shape(h, LIST(1, 2, 1));
    in_shape(h, LIST(3));
    refuses(h, TSR_INVALID_ARGUMENT, "entries of B");
    h = op("Conv", 11);
    in_shape(h, LIST(1, 1, 4));
    in_shape(h, LIST(1, 1, 2));
    op_harness_ints(h, "pads", 2, I64(-1, 0));
    refuses(h, TSR_INVALID_ARGUMENT, "pads must be at least 0");
    h = op("LSTM", 14); /* W says 4 hidden, R says 2 in as many elements */
    in_shape(h, LIST(1, 1, 3));
    in_shape(h, LIST(1, 16, 3));
    in_shape(h, LIST(1, 32, 2));
    refuses(h, TSR_INVALID_ARGUMENT, "rows of W");
    h = op("GatherElements", 13);
    in_shape(h, LIST(2, 2));
    in_i64(h, NULL, LIST(3, 2));
    op_harness_int(h, "axis", 1);
    refuses(h, TSR_INVALID_ARGUMENT, "at most 2, got 3");
    h = op("GatherND", 13);
    in_shape(h, LIST(0, 2));
    in_i64(h, NULL, LIST(3, 1));
    op_harness_int(h, "batch_dims", 1);
    refuses(h, TSR_INVALID_ARGUMENT, "batch dimensions");
    h = op("DepthToSpace", 13);
    in_shape(h, LIST(1, 4, 1, 1));
    op_harness_int(h, "blocksize", 0);
    refuses(h, TSR_INVALID_ARGUMENT, "blocksize");
}
END_TEST

OP_TEST_MAIN(hostile_shapes, convolution, pooling, products, resize_and_rnn)
