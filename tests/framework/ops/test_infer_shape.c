/* SPDX-License-Identifier: Apache-2.0
 *
 * test_infer_shape.c: shapes of Reshape, Squeeze, Unsqueeze, Flatten, Expand, Shape and
 * Range: hand vectors, unknown dimensions, contradictions with their texts.
 */
#include "support/op_check.h"

START_TEST(reshape)
{
    OpHarness *h = op("Reshape", 13);
    in_shape(h, LIST(2, 3, 4));
    in_i64(h, I64(0, -1), LIST(2));
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 12));
    h = op("Reshape", 13); /* the value is not known: its length still is */
    in_shape(h, LIST(2, 3, 4));
    in_i64(h, NULL, LIST(2));
    infers(h, TSR_DTYPE_FLOAT, LIST(-1, -1));
    h = op("Reshape", 13); /* an unknown batch that is copied cancels out */
    in_shape(h, LIST(-1, 3, 4));
    in_i64(h, I64(0, -1), LIST(2));
    infers(h, TSR_DTYPE_FLOAT, LIST(-1, 12));
    h = op("Reshape", 14);
    in_shape(h, LIST(0, 3));
    in_i64(h, I64(3, 0), LIST(2));
    op_harness_int(h, "allowzero", 1);
    infers(h, TSR_DTYPE_FLOAT, LIST(3, 0));
}
END_TEST

START_TEST(reshape_errors)
{
    OpHarness *h = op("Reshape", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(4, -1), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "6 elements");
    h = op("Reshape", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(-1, -1), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "two");
    h = op("Reshape", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(-2), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "-2");
    h = op("Reshape", 13);
    in_shape(h, LIST(6));
    in_i64(h, I64(INT64_MAX, INT64_MAX), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "too large");
    h = op("Reshape", 13);
    in_shape(h, LIST(6));
    in_i64(h, I64(6, 0), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "does not have");
}
END_TEST

START_TEST(squeeze_and_unsqueeze)
{
    OpHarness *h = op("Squeeze", 13);
    in_shape(h, LIST(1, 3, 1));
    infers(h, TSR_DTYPE_FLOAT, LIST(3));
    h = op("Squeeze", 11);
    in_shape(h, LIST(1, 3, 1));
    op_harness_ints(h, "axes", 1, I64(-1));
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 3));
    h = op("Squeeze", 13);
    in_shape(h, LIST(1, 3, 1));
    in_i64(h, I64(1), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "got 3");
    h = op("Squeeze", 13);
    in_shape(h, LIST(1, 3));
    in_i64(h, I64(2), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "[-2, 2)");
    h = op("Unsqueeze", 13);
    in_shape(h, LIST(3, -1));
    in_i64(h, I64(0, -1), LIST(2));
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 3, -1, 1));
    h = op("Unsqueeze", 13);
    in_shape(h, LIST(3));
    in_i64(h, I64(0, 0), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "twice");
}
END_TEST

START_TEST(flatten_expand_shape)
{
    OpHarness *h = op("Flatten", 13);
    in_shape(h, LIST(2, 3, 4));
    op_harness_int(h, "axis", 0);
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 24));
    h = op("Flatten", 13);
    in_shape(h, LIST(2, 3, 4));
    op_harness_int(h, "axis", 4);
    refuses(h, TSR_INVALID_ARGUMENT, "[-3, 3]");
    h = op("Expand", 13);
    in_shape(h, LIST(3, 1));
    in_i64(h, I64(2, 1, 4), LIST(3));
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 3, 4));
    h = op("Expand", 13);
    in_shape(h, LIST(3));
    in_i64(h, I64(2), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "broadcast");
    h = op("Shape", 15);
    in_shape(h, LIST(2, 3, 4));
    op_harness_int(h, "start", -2);
    infers(h, TSR_DTYPE_INT64, LIST(2));
    h = op("Shape", 13);
    op_harness_input(h, TSR_DTYPE_FLOAT, TSR_RANK_UNKNOWN, NULL, NULL);
    infers(h, TSR_DTYPE_INT64, LIST(-1));
    h = op("Expand", 13);
    in_shape(h, LIST(1));
    in_i64(h, I64(INT64_MAX, 3), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "too large");
    h = op("Range", 11);
    for (int i = 0; i < 3; i++)
        op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, (const int64_t[]){i == 0 ? 10 : i == 1 ? 3
                                                                                             : -2});
    infers(h, TSR_DTYPE_INT64, LIST(4));
}
END_TEST

OP_TEST_MAIN(reshape, reshape_errors, squeeze_and_unsqueeze, flatten_expand_shape)
