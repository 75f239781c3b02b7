/* SPDX-License-Identifier: Apache-2.0
 *
 * test_infer_move.c: shapes of Slice, Pad, Concat, Split, Transpose, Tile, Gather,
 * TopK and the reductions.
 */
#include "support/op_check.h"

static OpHarness *slice(int64_t start, int64_t end, int64_t axis, int64_t step)
{
    OpHarness *h = op("Slice", 13);
    in_shape(h, LIST(5, -1));
    in_i64(h, &start, LIST(1));
    in_i64(h, &end, LIST(1));
    in_i64(h, &axis, LIST(1));
    in_i64(h, &step, LIST(1));
    return h;
}

START_TEST(slices)
{
    infers(slice(1, 100, 0, 2), TSR_DTYPE_FLOAT, LIST(2, -1));
    infers(slice(-1, INT64_MIN, 0, -1), TSR_DTYPE_FLOAT, LIST(5, -1));
    infers(slice(4, 1, 0, 1), TSR_DTYPE_FLOAT, LIST(0, -1));
    infers(slice(0, 3, 1, 1), TSR_DTYPE_FLOAT, LIST(5, -1));
    infers(slice(4, -6, 0, INT64_MIN), TSR_DTYPE_FLOAT, LIST(1, -1));
    refuses(slice(0, 1, 2, 1), TSR_INVALID_ARGUMENT, "[-2, 2)");
    refuses(slice(0, 1, 0, 0), TSR_INVALID_ARGUMENT, "must not be 0");
}
END_TEST

START_TEST(pads)
{
    OpHarness *h = op("Pad", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(1, -1, 0, 2), LIST(4));
    infers(h, TSR_DTYPE_FLOAT, LIST(3, 4));
    h = op("Pad", 18);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(1, 1), LIST(2));
    op_harness_omit(h);
    in_i64(h, I64(-1), LIST(1));
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 5));
    h = op("Pad", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(1, 1), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "4 entries");
    h = op("Pad", 13);
    in_shape(h, LIST(2));
    in_i64(h, I64(-2, -1), LIST(2));
    refuses(h, TSR_INVALID_ARGUMENT, "cut more");
}
END_TEST

START_TEST(concat_split)
{
    OpHarness *h = op("Concat", 13);
    in_shape(h, LIST(2, 3));
    in_shape(h, LIST(-1, 4));
    op_harness_int(h, "axis", -1);
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 7));
    h = op("Concat", 13);
    in_shape(h, LIST(2, 3));
    in_shape(h, LIST(3, 4));
    op_harness_int(h, "axis", 1);
    refuses(h, TSR_INVALID_ARGUMENT, "2 and 3");
    h = op("Split", 18); /* the last part is the smaller one */
    in_shape(h, LIST(7));
    op_harness_int(h, "num_outputs", 3);
    op_harness_outputs(h, 3, 0);
    ck_assert_int_eq(op_harness_infer(h), TSR_OK);
    want_shape(h, 0, TSR_DTYPE_FLOAT, LIST(3));
    want_shape(h, 2, TSR_DTYPE_FLOAT, LIST(1));
    op_harness_free(h);
    h = op("Split", 13);
    in_shape(h, LIST(7));
    in_i64(h, I64(3, 3), LIST(2));
    op_harness_outputs(h, 2, 0);
    refuses(h, TSR_INVALID_ARGUMENT, "sum to 6");
}
END_TEST

START_TEST(transpose_tile_gather)
{
    OpHarness *h = op("Transpose", 13);
    in_shape(h, LIST(2, 3, 4));
    infers(h, TSR_DTYPE_FLOAT, LIST(4, 3, 2));
    h = op("Transpose", 13);
    in_shape(h, LIST(2, 3));
    op_harness_ints(h, "perm", 2, I64(1, 1));
    refuses(h, TSR_INVALID_ARGUMENT, "once");
    h = op("Tile", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(2, 0), LIST(2));
    infers(h, TSR_DTYPE_FLOAT, LIST(4, 0));
    h = op("Gather", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, NULL, LIST(4, 5));
    op_harness_int(h, "axis", 1);
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 4, 5));
    h = op("TopK", 11);
    in_shape(h, LIST(3));
    in_i64(h, I64(4), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "[0, 3]");
}
END_TEST

START_TEST(reductions)
{
    OpHarness *h = op("ReduceSum", 13);
    in_shape(h, LIST(2, 3, 4));
    in_i64(h, I64(-1, 0), LIST(2));
    op_harness_int(h, "keepdims", 0);
    infers(h, TSR_DTYPE_FLOAT, LIST(3));
    h = op("ReduceMean", 11);
    in_shape(h, LIST(2, 3));
    infers(h, TSR_DTYPE_FLOAT, LIST(1, 1));
    h = op("ReduceMax", 18);
    in_shape(h, LIST(2, 3));
    op_harness_int(h, "noop_with_empty_axes", 1);
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 3));
    h = op("ReduceSum", 13);
    in_shape(h, LIST(2, 3));
    in_i64(h, I64(2), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "[-2, 2)");
    h = op("ArgMax", 13);
    in_shape(h, LIST(2, 0));
    op_harness_int(h, "axis", 1);
    refuses(h, TSR_INVALID_ARGUMENT, "no elements");
}
END_TEST

OP_TEST_MAIN(slices, pads, concat_split, transpose_tile_gather, reductions)
