/* SPDX-License-Identifier: Apache-2.0
 *
 * test_elementwise.c: arithmetic, comparisons, activations and casts of aicpu: hand
 * vectors, broadcasting, integer edge cases, every element type, empty and scalar shapes.
 */
#include "support/op_check.h"

/* One input, one output, both float. */
static void unary(const char *name, uint32_t opset, const float *x, const float *want, int64_t n)
{
    OpHarness *h = op(name, opset);
    in_f32(h, x, &n, 1);
    runs(h);
    want_f32(h, 0, want, &n, 1);
    op_harness_free(h);
}

START_TEST(activations)
{
    unary("Relu", 13, F(-1, 0, 2, NAN), F(0, 0, 2, NAN), 4);
    unary("LeakyRelu", 6, F(-1, 2), F(-0.01f, 2), 2);
    unary("Sigmoid", 13, F(0, 100, -100, 1), F(0.5f, 1, 3.7835e-44f, 0.7310586f), 4);
    unary("HardSigmoid", 6, F(-3, 0, 3, 1), F(0, 0.5f, 1, 0.7f), 4);
    unary("HardSwish", 14, F(-4, 0, 4, 1), F(0, 0, 4, 0.6666667f), 4);
    unary("Elu", 6, F(-1, 1), F(-0.6321206f, 1), 2);
    unary("Selu", 6, F(1, -1), F(1.05070102f, -1.1113307f), 2);
    unary("Softplus", 1, F(0, 100), F(0.6931472f, 100), 2);
    unary("Softsign", 1, F(-1, 3), F(-0.5f, 0.75f), 2);
    unary("Gelu", 20, F(0, 1), F(0, 0.8413447f), 2);
    unary("Erf", 13, F(0, 1), F(0, 0.8427008f), 2);
    unary("Clip", 6, F(-1e38f, 5), F(-1e38f, 5), 2);
}
END_TEST

START_TEST(functions)
{
    unary("Round", 11, F(0.5f, 1.5f, -2.5f, 2.6f), F(0, 2, -2, 3), 4);
    unary("Sign", 13, F(-3, 0, 2), F(-1, 0, 1), 3);
    unary("Reciprocal", 13, F(2, -0.5f, INFINITY), F(0.5f, -2, 0), 3);
    unary("Sqrt", 13, F(4, -1), F(2, NAN), 2);
    unary("Exp", 13, F(0, 1000), F(1, INFINITY), 2);
    unary("Log", 13, F(1, 0), F(0, -INFINITY), 2);
    unary("Neg", 13, F(1, -2), F(-1, 2), 2);
    unary("Floor", 13, F(-1.5f, 1.5f), F(-2, 1), 2);
    unary("Tanh", 13, F(0, 0.5f), F(0, 0.46211717f), 2);
    unary("Abs", 13, NULL, NULL, 0);
}
END_TEST

START_TEST(broadcasting)
{
    OpHarness *h = op("Sub", 14);
    in_f32(h, F(1, 2, 3), LIST(3, 1));
    in_f32(h, F(10, 20), LIST(2));
    runs(h);
    want_f32(h, 0, F(-9, -19, -8, -18, -7, -17), LIST(3, 2));
    op_harness_free(h);
    h = op("Add", 14); /* a scalar and an empty tensor */
    op_harness_input(h, TSR_DTYPE_FLOAT, 0, NULL, F(1));
    in_f32(h, F(0), LIST(2, 0));
    runs(h);
    want_shape(h, 0, TSR_DTYPE_FLOAT, LIST(2, 0));
    op_harness_free(h);
    h = op("Max", 13);
    in_f32(h, F(1, NAN, 3), LIST(3));
    in_f32(h, F(2), LIST(1));
    in_f32(h, F(0, 0, 9), LIST(3));
    runs(h);
    want_f32(h, 0, F(2, NAN, 9), LIST(3));
    op_harness_free(h);
    h = op("Mean", 13);
    in_f32(h, F(1, 2), LIST(2));
    in_f32(h, F(3, 6), LIST(2));
    runs(h);
    want_f32(h, 0, F(2, 4), LIST(2));
    op_harness_free(h);
    h = op("Add", 14);
    in_f32(h, F(1, 2), LIST(2));
    in_f32(h, F(1, 2, 3), LIST(3));
    fails(h, TSR_INVALID_ARGUMENT, "does not broadcast");
}
END_TEST

/* Walks that are cut in pieces and out of order give what one loop gives. */
START_TEST(large_broadcast)
{
    enum { ROWS = 300, COLUMNS = 301 };
    int64_t shape[2] = {ROWS, COLUMNS}, row = COLUMNS;
    float *a = malloc(ROWS * COLUMNS * sizeof(*a)), *b = malloc(COLUMNS * sizeof(*b));
    OpHarness *h = op("Mul", 14);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        a[i] = (float)(i % 97);
    for (int i = 0; i < COLUMNS; i++)
        b[i] = (float)(i % 89);
    in_f32(h, a, shape, 2);
    in_f32(h, b, &row, 1);
    runs(h);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        ck_assert(((const float *)op_harness_output(h, 0)->data)[i] == a[i] * b[i % COLUMNS]);
    op_harness_free(h);
    free(a);
    free(b);
}
END_TEST

START_TEST(integers)
{
    OpHarness *h = op("Div", 14); /* towards zero; nothing traps */
    in_i64(h, I64(-7, INT64_MIN, 5), LIST(3));
    in_i64(h, I64(2, -1, 0), LIST(3));
    runs(h);
    want_i64(h, 0, I64(-3, INT64_MIN, 0), LIST(3));
    op_harness_free(h);
    h = op("Mod", 13);
    in_i64(h, I64(-4, 7, 5), LIST(3));
    in_i64(h, I64(3, -3, 0), LIST(3));
    runs(h);
    want_i64(h, 0, I64(2, -2, 0), LIST(3));
    op_harness_free(h);
    h = op("Mod", 13);
    in_i64(h, I64(-4, 7), LIST(2));
    in_i64(h, I64(3, -3), LIST(2));
    op_harness_int(h, "fmod", 1);
    runs(h);
    want_i64(h, 0, I64(-1, 1), LIST(2));
    op_harness_free(h);
    h = op("Pow", 15); /* base and exponent of different types */
    in_i64(h, I64(2, 3), LIST(2));
    in_f32(h, F(3, 2), LIST(2));
    runs(h);
    want_i64(h, 0, I64(8, 9), LIST(2));
    op_harness_free(h);
    h = op("BitShift", 11);
    op_harness_input(h, TSR_DTYPE_UINT8, 1, I64(3), (const uint8_t[]){200, 1, 255});
    op_harness_input(h, TSR_DTYPE_UINT8, 1, I64(3), (const uint8_t[]){1, 7, 8});
    op_harness_string(h, "direction", "LEFT");
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_UINT8, (const uint8_t[]){144, 128, 0}, 3);
    op_harness_free(h);
}
END_TEST

/* 1 + 2 in every type that Add takes. */
START_TEST(every_type)
{
    static const uint32_t types[] = {TSR_DTYPE_FLOAT, TSR_DTYPE_DOUBLE, TSR_DTYPE_FLOAT16,
                                     TSR_DTYPE_BFLOAT16, TSR_DTYPE_INT8, TSR_DTYPE_INT16,
                                     TSR_DTYPE_INT32, TSR_DTYPE_INT64, TSR_DTYPE_UINT8,
                                     TSR_DTYPE_UINT16, TSR_DTYPE_UINT32, TSR_DTYPE_UINT64};
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        OpHarness *h = op("Cast", 13), *add = op("Add", 14), *back = op("Cast", 13);
        in_f32(h, F(1, 2, 100), LIST(3));
        op_harness_int(h, "to", types[t]);
        runs(h);
        op_harness_input(add, types[t], 1, I64(3), op_harness_output(h, 0)->data);
        op_harness_input(add, types[t], 1, I64(3), op_harness_output(h, 0)->data);
        runs(add);
        op_harness_input(back, types[t], 1, I64(3), op_harness_output(add, 0)->data);
        op_harness_int(back, "to", TSR_DTYPE_FLOAT);
        runs(back);
        want_f32(back, 0, types[t] == TSR_DTYPE_INT8 ? F(2, 4, -56) : F(2, 4, 200), LIST(3));
        op_harness_free(h);
        op_harness_free(add);
        op_harness_free(back);
    }
}
END_TEST

START_TEST(compare_and_choose)
{
    OpHarness *h = op("Less", 13);
    in_f32(h, F(1, 2, NAN), LIST(3));
    in_f32(h, F(2), LIST(1));
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_BOOL, (const uint8_t[]){1, 0, 0}, 3);
    op_harness_free(h);
    h = op("Where", 16);
    op_harness_input(h, TSR_DTYPE_BOOL, 2, I64(2, 1), (const uint8_t[]){1, 0});
    in_i64(h, I64(1, 2), LIST(2));
    in_i64(h, I64(9), LIST(1));
    runs(h);
    want_i64(h, 0, I64(1, 2, 9, 9), LIST(2, 2));
    op_harness_free(h);
    h = op("Xor", 7);
    op_harness_input(h, TSR_DTYPE_BOOL, 1, I64(2), (const uint8_t[]){1, 0});
    op_harness_input(h, TSR_DTYPE_BOOL, 1, I64(2), (const uint8_t[]){1, 1});
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_BOOL, (const uint8_t[]){0, 1}, 2);
    op_harness_free(h);
    h = op("IsInf", 10);
    in_f32(h, F(INFINITY, -INFINITY, 1), LIST(3));
    op_harness_int(h, "detect_negative", 0);
    runs(h);
    want_bytes(h, 0, TSR_DTYPE_BOOL, (const uint8_t[]){1, 0, 0}, 3);
    op_harness_free(h);
    h = op("Clip", 13);
    in_i64(h, I64(INT64_MIN, 5, INT64_MAX), LIST(3));
    op_harness_omit(h);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(4));
    runs(h);
    want_i64(h, 0, I64(INT64_MIN, 4, 4), LIST(3));
    op_harness_free(h);
}
END_TEST

START_TEST(cast_strings)
{
    TsrString text[2] = {{"-12", 3}, {"1.5e1", 5}}, bad = {"x", 1};
    OpHarness *h = op("Cast", 13);
    const TsrString *s;
    op_harness_input(h, TSR_DTYPE_STRING, 1, I64(2), text);
    op_harness_int(h, "to", TSR_DTYPE_INT64);
    runs(h);
    want_i64(h, 0, I64(-12, 15), LIST(2));
    op_harness_free(h);
    h = op("Cast", 13);
    in_f32(h, F(0.1f), LIST(1));
    op_harness_int(h, "to", TSR_DTYPE_STRING);
    runs(h);
    s = op_harness_output(h, 0)->data;
    ck_assert(s->size == 3 && memcmp(s->data, "0.1", 3) == 0);
    op_harness_free(h);
    h = op("Cast", 13);
    op_harness_input(h, TSR_DTYPE_STRING, 1, I64(1), &bad);
    op_harness_int(h, "to", TSR_DTYPE_FLOAT);
    fails(h, TSR_INVALID_ARGUMENT, "not a number");
    h = op("Cast", 13);
    in_f32(h, F(1), LIST(1));
    op_harness_int(h, "to", 99);
    refuses(h, TSR_INVALID_ARGUMENT, "99");
}
END_TEST

OP_TEST_MAIN(activations, functions, broadcasting, large_broadcast, integers, every_type,
             compare_and_choose, cast_strings)
