/* SPDX-License-Identifier: Apache-2.0
 *
 * test_move.c: kernels of aicpu that move elements: order, indices, padding, strings,
 * and their errors.
 */
#include "support/op_check.h"

START_TEST(transpose_and_reshape)
{
    OpHarness *h = op("Transpose", 13), *back;
    in_f32(h, F(1, 2, 3, 4, 5, 6), LIST(1, 2, 3));
    op_harness_ints(h, "perm", 3, I64(2, 0, 1));
    runs(h);
    want_f32(h, 0, F(1, 4, 2, 5, 3, 6), LIST(3, 1, 2));
    back = op("Transpose", 13); /* the inverse gives the input back */
    in_f32(back, op_harness_output(h, 0)->data, LIST(3, 1, 2));
    op_harness_ints(back, "perm", 3, I64(1, 2, 0));
    runs(back);
    want_f32(back, 0, F(1, 2, 3, 4, 5, 6), LIST(1, 2, 3));
    op_harness_free(h);
    op_harness_free(back);
    h = op("Shape", 15);
    in_f32(h, F(0), LIST(2, 0, 3));
    op_harness_int(h, "start", 1);
    runs(h);
    want_i64(h, 0, I64(0, 3), LIST(2));
    op_harness_free(h);
}
END_TEST

START_TEST(slices)
{
    OpHarness *h = op("Slice", 13);
    in_i64(h, I64(0, 1, 2, 3, 4, 5), LIST(2, 3));
    in_i64(h, I64(-1, 0), LIST(2));
    in_i64(h, I64(-100, 3), LIST(2));
    in_i64(h, I64(0, 1), LIST(2));
    in_i64(h, I64(-1, 2), LIST(2));
    runs(h);
    want_i64(h, 0, I64(3, 5, 0, 2), LIST(2, 2));
    op_harness_free(h);
    h = op("Slice", 9);
    in_f32(h, F(1, 2, 3, 4), LIST(4));
    op_harness_ints(h, "starts", 1, I64(-3));
    op_harness_ints(h, "ends", 1, I64(-1));
    runs(h);
    want_f32(h, 0, F(2, 3), LIST(2));
    op_harness_free(h);
}
END_TEST

static void pad(const char *mode, int64_t begin, int64_t end, const float *want, int64_t n)
{
    OpHarness *h = op("Pad", 19);
    in_f32(h, F(1, 2, 3), LIST(3));
    in_i64(h, I64(begin, end), LIST(2));
    op_harness_string(h, "mode", mode);
    runs(h);
    want_f32(h, 0, want, &n, 1);
    op_harness_free(h);
}

START_TEST(pads)
{
    pad("constant", 1, 2, F(0, 1, 2, 3, 0, 0), 6);
    pad("reflect", 2, 2, F(3, 2, 1, 2, 3, 2, 1), 7);
    pad("edge", 1, 1, F(1, 1, 2, 3, 3), 5);
    pad("wrap", 1, 2, F(3, 1, 2, 3, 1, 2), 6);
    pad("constant", -1, 1, F(2, 3, 0), 3);
}
END_TEST

START_TEST(concat_split_tile)
{
    OpHarness *h = op("Concat", 13);
    in_f32(h, F(1, 2), LIST(2, 1));
    in_f32(h, F(3, 4, 5, 6), LIST(2, 2));
    op_harness_int(h, "axis", 1);
    runs(h);
    want_f32(h, 0, F(1, 3, 4, 2, 5, 6), LIST(2, 3));
    op_harness_free(h);
    h = op("Split", 13);
    in_f32(h, F(1, 2, 3, 4, 5, 6), LIST(2, 3));
    in_i64(h, I64(1, 0, 2), LIST(3));
    op_harness_int(h, "axis", 1);
    op_harness_outputs(h, 3, 1); /* the first is not wanted */
    runs(h);
    want_f32(h, 2, F(2, 3, 5, 6), LIST(2, 2));
    op_harness_free(h);
    h = op("Tile", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_i64(h, I64(1, 2), LIST(2));
    runs(h);
    want_f32(h, 0, F(1, 2, 1, 2, 3, 4, 3, 4), LIST(2, 4));
    op_harness_free(h);
}
END_TEST

START_TEST(gathers)
{
    TsrString words[3] = {{"a", 1}, {"bc", 2}, {"", 0}};
    const TsrString *s;
    OpHarness *h = op("Gather", 13);
    op_harness_input(h, TSR_DTYPE_STRING, 1, I64(3), words);
    in_i64(h, I64(1, -3), LIST(2));
    runs(h);
    s = op_harness_output(h, 0)->data;
    ck_assert(s[0].size == 2 && memcmp(s[0].data, "bc", 2) == 0 && s[0].data != words[1].data);
    ck_assert(s[1].size == 1 && s[1].data[0] == 'a');
    op_harness_free(h);
    h = op("Gather", 13);
    in_f32(h, F(1, 2, 3), LIST(3));
    in_i64(h, I64(3), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "[-3, 3), got 3");
    h = op("GatherElements", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_i64(h, I64(0, 0, 1, 0), LIST(2, 2));
    op_harness_int(h, "axis", 1);
    runs(h);
    want_f32(h, 0, F(1, 1, 4, 3), LIST(2, 2));
    op_harness_free(h);
    h = op("GatherND", 13);
    in_f32(h, F(0, 1, 2, 3, 4, 5, 6, 7), LIST(2, 2, 2));
    in_i64(h, I64(1, 0), LIST(2, 1));
    op_harness_int(h, "batch_dims", 1);
    runs(h);
    want_f32(h, 0, F(2, 3, 4, 5), LIST(2, 2));
    op_harness_free(h);
}
END_TEST

START_TEST(scatters)
{
    OpHarness *h = op("ScatterElements", 18);
    in_f32(h, F(1, 2, 3), LIST(3));
    in_i64(h, I64(-1, 2), LIST(2));
    in_f32(h, F(10, 20), LIST(2));
    op_harness_string(h, "reduction", "add");
    runs(h);
    want_f32(h, 0, F(1, 2, 33), LIST(3));
    op_harness_free(h);
    h = op("ScatterND", 13);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_i64(h, I64(1), LIST(1, 1));
    in_f32(h, F(8, 9), LIST(1, 2));
    runs(h);
    want_f32(h, 0, F(1, 2, 8, 9), LIST(2, 2));
    op_harness_free(h);
    h = op("ScatterND", 13);
    in_f32(h, F(1, 2), LIST(2));
    in_i64(h, I64(5), LIST(1, 1));
    in_f32(h, F(8), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "got 5");
    h = op("OneHot", 11);
    in_i64(h, I64(1, -1, 7), LIST(3));
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, I64(2));
    in_f32(h, F(0, 5), LIST(2));
    runs(h);
    want_f32(h, 0, F(0, 5, 0, 5, 0, 0), LIST(3, 2));
    op_harness_free(h);
}
END_TEST

START_TEST(depth_and_triangles)
{
    OpHarness *h = op("DepthToSpace", 13);
    in_f32(h, F(0, 1, 2, 3), LIST(1, 4, 1, 1));
    op_harness_int(h, "blocksize", 2);
    runs(h);
    want_f32(h, 0, F(0, 1, 2, 3), LIST(1, 1, 2, 2));
    op_harness_free(h);
    h = op("SpaceToDepth", 13);
    in_f32(h, F(0, 1, 2, 3), LIST(1, 1, 2, 2));
    op_harness_int(h, "blocksize", 2);
    runs(h);
    want_f32(h, 0, F(0, 1, 2, 3), LIST(1, 4, 1, 1));
    op_harness_free(h);
    h = op("Trilu", 14);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    op_harness_int(h, "upper", 0);
    runs(h);
    want_f32(h, 0, F(1, 0, 3, 4), LIST(2, 2));
    op_harness_free(h);
    h = op("EyeLike", 9);
    in_f32(h, F(0, 0, 0, 0, 0, 0), LIST(2, 3));
    op_harness_int(h, "k", 1);
    runs(h);
    want_f32(h, 0, F(0, 1, 0, 0, 0, 1), LIST(2, 3));
    op_harness_free(h);
}
END_TEST

OP_TEST_MAIN(transpose_and_reshape, slices, pads, concat_split_tile, gathers, scatters,
             depth_and_triangles)
