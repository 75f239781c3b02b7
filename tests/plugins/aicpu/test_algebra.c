/* SPDX-License-Identifier: Apache-2.0
 *
 * test_algebra.c: Einsum, determinants, running products, reinterpreted bits, quantized
 * products, and the versions of operators that are older than opset 7.
 */
#include "support/op_check.h"

static void einsum(const char *equation, const float *want, const int64_t *shape, size_t rank)
{
    OpHarness *h = op("Einsum", 12);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    if (strchr(equation, ',') != NULL)
        in_f32(h, F(10, 20), LIST(2));
    op_harness_string(h, "equation", equation);
    runs(h);
    want_f32(h, 0, want, shape, rank);
    op_harness_free(h);
}

START_TEST(einsums)
{
    OpHarness *h;
    einsum("ij->ji", F(1, 3, 2, 4), LIST(2, 2));
    einsum("ij->", F(10), NULL, 0);
    einsum("ii->i", F(1, 4), LIST(2));
    einsum("ii", F(5), NULL, 0);
    einsum("ij,j->i", F(50, 110), LIST(2));
    einsum(" i j , j", F(50, 110), LIST(2));
    einsum("...j,...j->...j", F(10, 40, 30, 80), LIST(2, 2));
    einsum("ij,k->kji", F(10, 30, 20, 40, 20, 60, 40, 80), LIST(2, 2, 2));
    h = op("Einsum", 12);
    in_f32(h, F(1, 2), LIST(2));
    op_harness_string(h, "equation", "ij->i");
    fails(h, TSR_INVALID_ARGUMENT, "does not fit rank 1");
    h = op("Einsum", 12);
    in_f32(h, F(1, 2), LIST(2));
    op_harness_string(h, "equation", "i->ij");
    fails(h, TSR_INVALID_ARGUMENT, "not made of its labels");
}
END_TEST

START_TEST(det_and_products)
{
    OpHarness *h = op("Det", 11);
    in_f32(h, F(0, 2, 3, 4, 2, 1, 4, 2), LIST(2, 2, 2));
    runs(h);
    want_f32(h, 0, F(-6, 0), LIST(2));
    op_harness_free(h);
    h = op("CumProd", 26);
    in_i64(h, I64(2, 3, 4), LIST(3));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(0));
    op_harness_int(h, "exclusive", 1);
    op_harness_int(h, "reverse", 1);
    runs(h);
    want_i64(h, 0, I64(12, 4, 1), LIST(3));
    op_harness_free(h);
    h = op("CumProd", 26);
    in_f32(h, F(2, 3, 4, 5), LIST(2, 2));
    op_harness_input(h, TSR_DTYPE_INT32, 0, NULL, (const int32_t[]){-2});
    runs(h);
    want_f32(h, 0, F(2, 3, 8, 15), LIST(2, 2));
    op_harness_free(h);
}
END_TEST

START_TEST(reversed_and_cast)
{
    OpHarness *h = op("ReverseSequence", 10);
    in_f32(h, F(1, 2, 3, 4, 5, 6), LIST(3, 2)); /* [time, batch] */
    in_i64(h, I64(2, 3), LIST(2));
    runs(h);
    want_f32(h, 0, F(3, 6, 1, 4, 5, 2), LIST(3, 2));
    op_harness_free(h);
    h = op("ReverseSequence", 10);
    in_f32(h, F(1, 2), LIST(2, 1));
    in_i64(h, I64(3), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "a length");
    h = op("BitCast", 26);
    in_f32(h, F(1, -2), LIST(2));
    op_harness_int(h, "to", TSR_DTYPE_UINT32);
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_UINT32, (const uint32_t[]){0x3f800000, 0xc0000000}, 8);
    op_harness_free(h);
    h = op("BitCast", 26);
    in_f32(h, F(1), LIST(1));
    op_harness_int(h, "to", TSR_DTYPE_INT64);
    fails(h, TSR_INVALID_ARGUMENT, "64");
}
END_TEST

START_TEST(quantized)
{
    OpHarness *h = op("DynamicQuantizeLinear", 11);
    in_f32(h, F(0, 255, 100.4f), LIST(3));
    op_harness_outputs(h, 3, 0);
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_UINT8, (const uint8_t[]){0, 255, 100}, 3);
    ck_assert(*(const float *)op_harness_output(h, 1)->data == 1.0f);
    op_harness_free(h);
    h = op("MatMulInteger", 10);
    op_harness_input(h, TSR_DTYPE_UINT8, 2, I64(1, 2), (const uint8_t[]){3, 4});
    op_harness_input(h, TSR_DTYPE_INT8, 2, I64(2, 1), (const int8_t[]){5, -6});
    op_harness_input(h, TSR_DTYPE_UINT8, 0, NULL, (const uint8_t[]){1});
    op_harness_input(h, TSR_DTYPE_INT8, 1, I64(1), (const int8_t[]){1});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_INT32, (const int32_t[]){2 * 4 - 3 * 7}, 4);
    op_harness_free(h);
    h = op("QLinearMatMul", 10); /* (2 * 0.5) * (3 * 2) / 4 = 1.5, which rounds to even */
    op_harness_input(h, TSR_DTYPE_INT8, 2, I64(1, 1), (const int8_t[]){2});
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(0.5f));
    op_harness_input(h, TSR_DTYPE_INT8, 0, NULL, (const int8_t[]){0});
    op_harness_input(h, TSR_DTYPE_INT8, 2, I64(1, 1), (const int8_t[]){3});
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(2));
    op_harness_input(h, TSR_DTYPE_INT8, 0, NULL, (const int8_t[]){0});
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(4));
    op_harness_input(h, TSR_DTYPE_INT8, 0, NULL, (const int8_t[]){10});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_INT8, (const int8_t[]){12}, 1);
    op_harness_free(h);
    h = op("ConvInteger", 10); /* the padding has the value of the zero point */
    op_harness_input(h, TSR_DTYPE_UINT8, 3, I64(1, 1, 2), (const uint8_t[]){3, 5});
    op_harness_input(h, TSR_DTYPE_UINT8, 3, I64(1, 1, 2), (const uint8_t[]){1, 2});
    op_harness_input(h, TSR_DTYPE_UINT8, 0, NULL, (const uint8_t[]){1});
    op_harness_ints(h, "pads", 2, I64(1, 0));
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_INT32, (const int32_t[]){4, 10}, 8);
    op_harness_free(h);
    h = op("QLinearConv", 10);
    op_harness_input(h, TSR_DTYPE_UINT8, 3, I64(1, 1, 1), (const uint8_t[]){11});
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(2));
    op_harness_input(h, TSR_DTYPE_UINT8, 0, NULL, (const uint8_t[]){1});
    op_harness_input(h, TSR_DTYPE_INT8, 3, I64(2, 1, 1), (const int8_t[]){3, -3});
    in_f32(h, F(1, 10), LIST(2));
    op_harness_input(h, TSR_DTYPE_INT8, 1, I64(2), (const int8_t[]){0, 0});
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(2));
    op_harness_input(h, TSR_DTYPE_UINT8, 0, NULL, (const uint8_t[]){5});
    op_harness_input(h, TSR_DTYPE_INT32, 1, I64(2), (const int32_t[]){7, 0});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_UINT8, (const uint8_t[]){42, 0}, 2);
    op_harness_free(h);
}
END_TEST

START_TEST(before_opset_7)
{
    OpHarness *h = op("Add", 6);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_f32(h, F(10, 20), LIST(2));
    op_harness_int(h, "axis", 0);
    op_harness_int(h, "broadcast", 1);
    runs(h);
    want_f32(h, 0, F(11, 12, 23, 24), LIST(2, 2));
    op_harness_free(h);
    h = op("Sub", 1);
    in_f32(h, F(1, 2), LIST(2));
    in_f32(h, F(1, 2, 3), LIST(3));
    fails(h, TSR_INVALID_ARGUMENT, "extents of A and B");
    h = op("PRelu", 6);
    in_f32(h, F(-1, -1, 2, -2), LIST(1, 2, 2));
    in_f32(h, F(10, 100), LIST(2));
    runs(h);
    want_f32(h, 0, F(-10, -10, 2, -200), LIST(1, 2, 2));
    op_harness_free(h);
    h = op("Reshape", 1);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    op_harness_ints(h, "shape", 3, I64(0, 1, -1));
    runs(h);
    want_f32(h, 0, F(1, 2, 3, 4), LIST(2, 1, 2));
    op_harness_free(h);
    h = op("Cast", 1);
    in_f32(h, F(1.5f), LIST(1));
    op_harness_string(h, "to", "INT64");
    runs(h);
    want_i64(h, 0, I64(1), LIST(1));
    op_harness_free(h);
    h = op("Cast", 1);
    in_f32(h, F(1.5f), LIST(1));
    op_harness_string(h, "to", "STRING");
    fails(h, TSR_INVALID_ARGUMENT, "'STRING'");
    h = op("BatchNormalization", 6);
    in_f32(h, F(1, 3), LIST(1, 2));
    in_f32(h, F(1, 2), LIST(2));
    in_f32(h, F(0, 5), LIST(2));
    in_f32(h, F(1, 1), LIST(2));
    in_f32(h, F(1, 4), LIST(2));
    op_harness_int(h, "is_test", 1);
    op_harness_float(h, "epsilon", 0);
    runs(h);
    want_f32(h, 0, F(0, 7), LIST(1, 2));
    op_harness_free(h);
}
END_TEST

OP_TEST_MAIN(einsums, det_and_products, reversed_and_cast, quantized, before_opset_7)
