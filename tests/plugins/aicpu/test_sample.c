/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sample.c: operators that read or write images at computed places.
 */
#include "support/op_check.h"

/* Samples at -1, 0 and 1 of a line of two pixels; align_corners puts them on pixels. */
static OpHarness *line(const char *mode, const char *padding, int64_t align)
{
    OpHarness *h = op("GridSample", 20);
    in_f32(h, F(2, 6), LIST(1, 1, 2));
    in_f32(h, F(-1, 0, 1), LIST(1, 3, 1));
    op_harness_string(h, "mode", mode);
    op_harness_string(h, "padding_mode", padding);
    op_harness_int(h, "align_corners", align);
    runs(h);
    return h;
}

START_TEST(grid_sample)
{
    OpHarness *h = line("linear", "zeros", 1);
    want_f32(h, 0, F(2, 4, 6), LIST(1, 1, 3));
    op_harness_free(h);
    h = line("linear", "zeros", 0); /* the outer edges lie half over nothing */
    want_f32(h, 0, F(1, 4, 3), LIST(1, 1, 3));
    op_harness_free(h);
    h = line("linear", "border", 0);
    want_f32(h, 0, F(2, 4, 6), LIST(1, 1, 3));
    op_harness_free(h);
    h = line("cubic", "border", 1);
    want_f32(h, 0, F(2, 4, 6), LIST(1, 1, 3));
    op_harness_free(h);
    h = op("GridSample", 16);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 2, 2));
    in_f32(h, F(1, -1, -3, 1), LIST(1, 1, 2, 2));
    op_harness_string(h, "mode", "nearest");
    op_harness_string(h, "padding_mode", "reflection");
    op_harness_int(h, "align_corners", 1);
    runs(h);
    want_f32(h, 0, F(2, 4), LIST(1, 1, 1, 2));
    op_harness_free(h);
    h = op("GridSample", 20);
    in_f32(h, F(1, 2), LIST(1, 1, 2));
    in_f32(h, F(1, 2), LIST(1, 1, 2));
    fails(h, TSR_INVALID_ARGUMENT, "coordinates of the grid");
}
END_TEST

START_TEST(affine_grid)
{
    OpHarness *h = op("AffineGrid", 20);
    in_f32(h, F(1, 0, 0.5f, 0, 2, 0), LIST(1, 2, 3));
    in_i64(h, I64(1, 1, 2, 2), LIST(4));
    op_harness_int(h, "align_corners", 1);
    runs(h);
    want_f32(h, 0, F(-0.5f, -2, 1.5f, -2, -0.5f, 2, 1.5f, 2), LIST(1, 2, 2, 2));
    op_harness_free(h);
}
END_TEST

/* A 2x2 region of one bin: four samples in average and maximum, and the pooled maximum. */
START_TEST(regions)
{
    OpHarness *h = op("RoiAlign", 16);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 2, 2));
    in_f32(h, F(0, 0, 2, 2), LIST(1, 4));
    in_i64(h, I64(0), LIST(1));
    op_harness_int(h, "sampling_ratio", 2);
    runs(h);
    want_f32(h, 0, F(2.5f), LIST(1, 1, 1, 1));
    op_harness_free(h);
    h = op("RoiAlign", 16);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 2, 2));
    in_f32(h, F(0, 0, 2, 2), LIST(1, 4));
    in_i64(h, I64(3), LIST(1));
    fails(h, TSR_INVALID_ARGUMENT, "batch index");
    h = op("MaxRoiPool", 1);
    in_f32(h, F(1, 2, 3, 4), LIST(1, 1, 2, 2));
    in_f32(h, F(0, 0, 0, 1, 1), LIST(1, 5));
    op_harness_ints(h, "pooled_shape", 2, I64(1, 2));
    runs(h);
    want_f32(h, 0, F(3, 4), LIST(1, 1, 1, 2));
    op_harness_free(h);
}
END_TEST

START_TEST(max_unpool)
{
    OpHarness *h = op("MaxUnpool", 11);
    in_f32(h, F(5, 6), LIST(1, 1, 2));
    in_i64(h, I64(1, 2), LIST(1, 1, 2));
    op_harness_ints(h, "kernel_shape", 1, I64(2));
    op_harness_ints(h, "strides", 1, I64(2));
    runs(h);
    want_f32(h, 0, F(0, 5, 6, 0), LIST(1, 1, 4));
    op_harness_free(h);
    h = op("MaxUnpool", 11);
    in_f32(h, F(5), LIST(1, 1, 1));
    in_i64(h, I64(2), LIST(1, 1, 1));
    op_harness_ints(h, "kernel_shape", 1, I64(2));
    fails(h, TSR_INVALID_ARGUMENT, "outside of the output");
}
END_TEST

/* Offsets of 0 give the ordinary convolution, those of 1/2 mix neighbours. */
START_TEST(deform_conv)
{
    for (int shifted = 0; shifted < 2; shifted++) {
        float o = shifted ? 0.5f : 0;
        OpHarness *h = op("DeformConv", 19);
        in_f32(h, F(2, 4, 8), LIST(1, 1, 3));
        in_f32(h, F(1, 10), LIST(1, 1, 2));
        in_f32(h, F(o, o, o, o), LIST(1, 2, 2));
        in_f32(h, F(100), LIST(1));
        in_f32(h, F(1, 1, 1, 0), LIST(1, 2, 2));
        runs(h);
        want_f32(h, 0, shifted ? F(163, 106) : F(142, 104), LIST(1, 1, 2));
        op_harness_free(h);
    }
}
END_TEST

START_TEST(col2im_and_crop)
{
    OpHarness *h = op("Col2Im", 18);
    in_f32(h, F(1, 2, 10, 20), LIST(1, 2, 2)); /* blocks (1,10) and (2,20) overlap in one */
    in_i64(h, I64(3), LIST(1));
    in_i64(h, I64(2), LIST(1));
    runs(h);
    want_f32(h, 0, F(1, 12, 20), LIST(1, 1, 3));
    op_harness_free(h);
    h = op("CenterCropPad", 18);
    in_f32(h, F(1, 2, 3, 4), LIST(2, 2));
    in_i64(h, I64(1, 5), LIST(2));
    runs(h);
    want_f32(h, 0, F(0, 1, 2, 0, 0), LIST(1, 5));
    op_harness_free(h);
    h = op("CenterCropPad", 18);
    in_i64(h, I64(1, 2, 3, 4), LIST(4));
    in_i64(h, I64(1), LIST(1));
    op_harness_ints(h, "axes", 1, I64(-1));
    runs(h);
    want_i64(h, 0, I64(2), LIST(1));
    op_harness_free(h);
}
END_TEST

OP_TEST_MAIN(grid_sample, affine_grid, regions, max_unpool, deform_conv, col2im_and_crop)
